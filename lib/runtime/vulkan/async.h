// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the host that is a buffer of the device, too, and copies from and to it that nobody
// waits for.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "runtime/async.h"
#include "runtime/vulkan/memory.h"

namespace krait::runtime::vulkan {

class VulkanDevice;

class VulkanAsync final : public Async {
 public:
  explicit VulkanAsync(VulkanDevice& device) : device_(device) {}

  void* allocate_pinned(std::size_t bytes) override;
  bool free_pinned(void* memory) noexcept override;
  void copy_to_device(std::uint64_t to, const void* from, std::size_t bytes,
                      StreamHandle stream) override;
  void copy_to_host(void* to, std::uint64_t from, std::size_t bytes, StreamHandle stream) override;

  /// What was freed and what was not, when the device ends and is idle.
  void free_all();

 private:
  struct Place {
    VkBuffer buffer = VK_NULL_HANDLE;  // none: the memory is not pinned
    VkDeviceSize offset = 0;
  };
  Place find(const void* memory, std::size_t bytes);
  /// Leaves what was freed to the queue, which destroys it when its commands are through. The
  /// device is entered.
  void retire_freed();

  VulkanDevice& device_;
  std::mutex gate_;  // held for moments only, never while the driver is called
  std::map<const std::byte*, Buffer> pinned_;
  std::vector<Buffer> freed_;
};

}  // namespace krait::runtime::vulkan
