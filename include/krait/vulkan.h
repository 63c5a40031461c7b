// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels inside of an application of Vulkan: on its device and queue, in its buffers, in the order of its timeline semaphores
// (docs/neighbours.md#inside-an-application-of-vulkan). No header of Vulkan is needed. Handles are Vulkan's own: VkDevice is a VkDevice_T*.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <krait/array.h>
#include <krait/device.h>

struct VkInstance_T;
struct VkPhysicalDevice_T;
struct VkDevice_T;
struct VkQueue_T;
struct VkBuffer_T;
struct VkSemaphore_T;

namespace krait::detail {
/// Memory from byte `offset` of the buffer on; given back by whoever holds it last.
KRAIT_API storage* lend_buffer(void* on, VkBuffer_T* buffer, std::uint64_t offset, std::uint64_t bytes, std::size_t alignment);
}  // namespace krait::detail

namespace krait::vulkan {

/// What an application has. All of it stays the application's, and must be there until `release`.
struct application {
  VkInstance_T* instance = nullptr;
  VkPhysicalDevice_T* physical_device = nullptr;
  VkDevice_T* device = nullptr;
  /// Of a family that computes. Krait submits to it in the threads that call Krait: nobody else may use it meanwhile.
  VkQueue_T* queue = nullptr;
  std::uint32_t queue_family = 0;
  /// VkApplicationInfo::apiVersion of the instance: Vulkan 1.2 or later.
  std::uint32_t api_version = 0;
  /// VkDeviceCreateInfo::pNext, with a VkPhysicalDeviceFeatures2 in it: which features are enabled cannot be asked for. Read by
  /// `adopt` alone. Kernels need bufferDeviceAddress, shaderInt64 and timelineSemaphore, and may use what else is enabled.
  const void* features = nullptr;
};

/// A device that runs kernels on the application's. Only who has the handle uses it: it is not among kr::devices(). Throws error{usage}
/// where something is missing, error{device} where the driver fails.
KRAIT_API device adopt(const application& of);
/// Waits for the work of Krait's on the device and destroys what Krait made there. Arrays and kernels may live on; using them on this
/// device throws error{device}. Memory of kr::pinned ends. Call it before vkDestroyDevice. Throws error{usage} for a device that was not adopted.
KRAIT_API void release(const device& adopted);

/// Work that is put into the device from now on waits until the timeline semaphore has the value. All streams of the device share its
/// queue, so it holds for all of them. What signals on the same queue must be submitted before. Throws error{usage} for a device that was not adopted, and for a null semaphore.
KRAIT_API void wait(const device& adopted, VkSemaphore_T* semaphore, std::uint64_t value);
/// The timeline semaphore gets the value when all work that is in the device now is done. Submits that work. Throws as `wait`.
KRAIT_API void signal(const device& adopted, VkSemaphore_T* semaphore, std::uint64_t value);

/// An array in a buffer of the application, from byte `offset` on. The buffer needs the usages SHADER_DEVICE_ADDRESS, and TRANSFER_SRC and
/// TRANSFER_DST for copies, its memory the flag DEVICE_ADDRESS. It must outlive the array and its views, whose end waits for their work.
/// Throws error{usage} where the buffer is too small.
template <class Elem, int Rank = 1>
array<Elem, Rank> wrap_buffer(const device& adopted, VkBuffer_T* buffer, std::type_identity_t<shape<Rank>> extents,
                              std::uint64_t offset = 0) {
  krait::detail::check_shape(extents.extents, Rank, sizeof(Elem));
  void* const on = krait::detail::handle_of(adopted);
  const std::uint64_t bytes = std::uint64_t(extents.size()) * sizeof(Elem);
  const krait::detail::memory_share memory(krait::detail::lend_buffer(on, buffer, offset, bytes, alignof(Elem)));
  return array<Elem, Rank>(krait::detail::dense(extents.extents, Rank, false), memory, on);
}

}  // namespace krait::vulkan
