// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module on a device, and its pipelines: one for each block shape, length of shared arrays,
// folding and number of trips that was launched.
#pragma once

#include <mutex>
#include <vector>

#include "runtime/vulkan/queue.h"
#include "support/blobs/envelope.h"
#include "support/blobs/spirv.h"

namespace krait::runtime::vulkan {

class VulkanDevice;

class VulkanExecutable final : public Executable {
 public:
  VulkanExecutable(VulkanDevice& device, const Gpu& gpu, std::span<const std::byte> binary,
                   const std::string& kernel_name);
  ~VulkanExecutable() override;
  /// Of the driver's objects, once; it cannot be launched any more.
  void destroy() noexcept;

  Attributes attributes() const override;
  int suggested_block(bool) override;

  struct Shape {
    std::uint32_t block[3];
    std::uint32_t folded;
    std::uint32_t one_trip;
    std::uint32_t shared_bytes[max_sized_at_launch];
    friend bool operator==(const Shape&, const Shape&) = default;
  };
  VkPipeline pipeline(const Shape& shape, bool& is_new);
  VkPipelineLayout layout() const { return layout_; }
  const support::Envelope& envelope() const { return envelope_; }
  const support::SpirvCode& facts() const { return facts_; }
  const std::string& name() const { return name_; }

  std::uint64_t last_use = 0;  // the queue's mark

 private:
  VkPipeline create(const Shape& shape) const;

  VulkanDevice& device_;
  const Gpu& gpu_;
  std::string name_;
  support::Envelope envelope_;  // without its code
  support::SpirvCode facts_;
  std::vector<std::uint32_t> words_;  // of the module, where pipelines are kept
  VkShaderModule module_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  std::vector<std::pair<Shape, VkPipeline>> pipelines_;
};

}  // namespace krait::runtime::vulkan
