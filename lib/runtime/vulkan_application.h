// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices that belong to applications of Vulkan (krait/vulkan.h).
#pragma once

#include "runtime/backend.h"

struct VkBuffer_T;
struct VkSemaphore_T;
namespace krait::vulkan {
struct application;
}

namespace krait::runtime {

/// What such a device can do beside runtime::Device. Failures throw krait::error.
class VulkanApplication {
 public:
  virtual ~VulkanApplication() = default;
  /// The address of a buffer that has so many bytes, whose memory copies find from now on.
  virtual std::uint64_t add_buffer(VkBuffer_T* buffer, std::uint64_t bytes) = 0;
  virtual void remove_buffer(std::uint64_t address) noexcept = 0;
  virtual void wait_for(VkSemaphore_T* semaphore, std::uint64_t value) = 0;
  virtual void signal(VkSemaphore_T* semaphore, std::uint64_t value) = 0;
  /// The application takes its device back.
  virtual void release() = 0;
};

/// A device with this id that is a VulkanApplication, too.
std::unique_ptr<Device> adopt_vulkan(const krait::vulkan::application& of, support::Store* store,
                                     std::string id);

}  // namespace krait::runtime
