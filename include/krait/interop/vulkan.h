// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels inside a Vulkan application: on its device and queue, in its buffers, ordered by its
// timeline semaphores (docs/neighbours.md#inside-an-application-of-vulkan). No Vulkan header is
// needed. Handles are Vulkan's own: VkDevice is a VkDevice_T*.
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
KRAIT_API storage* lend_buffer(void* on, VkBuffer_T* buffer, std::uint64_t offset,
                               std::uint64_t bytes, std::size_t alignment);
}  // namespace krait::detail

namespace krait::vulkan {

/// The Vulkan objects of an application; they stay its own, and must live until `release`.
struct application {
  /// The instance.
  VkInstance_T* instance = nullptr;
  /// The physical device.
  VkPhysicalDevice_T* physical_device = nullptr;
  /// The logical device.
  VkDevice_T* device = nullptr;
  /// A queue of a family that computes. Krait submits to it in the threads that call Krait: no
  /// other thread may use it at that time.
  VkQueue_T* queue = nullptr;
  /// The queue's family.
  std::uint32_t queue_family = 0;
  /// VkApplicationInfo::apiVersion of the instance: Vulkan 1.2 or later.
  std::uint32_t api_version = 0;
  /// VkDeviceCreateInfo::pNext with a VkPhysicalDeviceFeatures2, for the enabled features.
  /// Only `adopt` reads it. Kernels need bufferDeviceAddress, shaderInt64 and timelineSemaphore,
  /// and may use what else is enabled.
  const void* features = nullptr;
};

/// Makes a device that runs kernels on the application's Vulkan device and queue.
/// It is not among kr::devices(). Throws error{usage} if something is missing, error{device} if the
/// driver fails.
/// \code
/// kr::vulkan::application app;   // to be filled in with the application's objects
/// kr::device gpu = kr::vulkan::adopt(app);
/// \endcode
KRAIT_API device adopt(const application& of);
/// Waits for Krait's work on the device, and destroys Krait's objects there.
/// Call it before vkDestroyDevice. Arrays and kernels may live on; using them on this device throws
/// error{device}. Memory of kr::pinned ends. Throws error{usage} for a device that was not adopted.
KRAIT_API void release(const device& adopted);

/// Later work on the device waits until the timeline semaphore has the value.
/// It holds for all streams of the device, which share its queue. A signal on the same queue must
/// be submitted before. Throws error{usage} for a device that was not adopted and for a null
/// semaphore.
KRAIT_API void wait(const device& adopted, VkSemaphore_T* semaphore, std::uint64_t value);
/// Sets the timeline semaphore to the value when all current work on the device is done.
/// It submits that work. Throws as `wait`.
KRAIT_API void signal(const device& adopted, VkSemaphore_T* semaphore, std::uint64_t value);

/// An array in a buffer of the application, from byte `offset` on.
/// The buffer needs the usages SHADER_DEVICE_ADDRESS, and TRANSFER_SRC and TRANSFER_DST for copies;
/// its memory needs the flag DEVICE_ADDRESS. It must outlive the array and its views, whose
/// destruction waits for their work. Throws error{usage} if the buffer is too small.
template <class Elem, int Rank = 1>
array<Elem, Rank> wrap_buffer(const device& adopted, VkBuffer_T* buffer,
                              std::type_identity_t<shape<Rank>> extents, std::uint64_t offset = 0) {
  krait::detail::check_shape(extents.extents, Rank, sizeof(Elem));
  void* const on = krait::detail::handle_of(adopted);
  const std::uint64_t bytes = std::uint64_t(extents.size()) * sizeof(Elem);
  const krait::detail::memory_share memory(
      krait::detail::lend_buffer(on, buffer, offset, bytes, alignof(Elem)));
  return krait::detail::shared_view{krait::detail::dense(extents.extents, Rank, false), memory, on};
}

}  // namespace krait::vulkan
