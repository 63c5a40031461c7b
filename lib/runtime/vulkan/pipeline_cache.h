// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a driver makes of a pipeline, kept between processes: one small VkPipelineCache a pipeline,
// not one of the device that grows. So a process reads what it launches, what it makes is written
// at once, and nothing is left to do at exit.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/vulkan/memory.h"

namespace krait::runtime::vulkan {

class KeptPipeline {
 public:
  /// `shape` tells the pipelines of one module apart. Where nothing is kept, `cache` is null, which
  /// Vulkan takes.
  KeptPipeline(const Gpu& gpu, std::string_view shape, std::span<const std::uint32_t> words);
  ~KeptPipeline();
  KeptPipeline(const KeptPipeline&) = delete;
  KeptPipeline& operator=(const KeptPipeline&) = delete;

  VkPipelineCache cache() const { return cache_; }
  /// After the pipeline was made.
  void keep(const std::string& kernel_name);

 private:
  const Gpu& gpu_;
  const std::string_view source_;
  std::string key_, found_;
  VkPipelineCache cache_ = VK_NULL_HANDLE;
};

}  // namespace krait::runtime::vulkan
