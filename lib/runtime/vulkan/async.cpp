// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/vulkan/async.h"

#include <utility>

#include "runtime/vulkan/device.h"

namespace krait::runtime::vulkan {

void* VulkanAsync::allocate_pinned(std::size_t bytes) {
  const auto held = device_.enter();
  device_.opened();
  retire_freed();
  Buffer b;
  if (create_buffer(device_.gpu_, bytes, BufferKind::Download, b) != VK_SUCCESS) return nullptr;
  const std::lock_guard lock(gate_);
  pinned_.emplace(b.mapped, b);
  return b.mapped;
}

bool VulkanAsync::free_pinned(void* memory) noexcept {
  {
    const std::lock_guard lock(gate_);
    const auto found = pinned_.find(static_cast<const std::byte*>(memory));
    if (found == pinned_.end()) return false;
    const Buffer b = found->second;
    pinned_.erase(found);
    try {
      freed_.push_back(b);
    } catch (...) {  // the list could not grow: the memory stays until the device goes
      return true;
    }
  }
  try {
    if (Instance::gone()) return true;
    if (const std::unique_lock held(device_.mutex_, std::try_to_lock); held) retire_freed();
  } catch (...) {  // as above
  }
  return true;
}

void VulkanAsync::retire_freed() {
  std::vector<Buffer> freed;
  {
    const std::lock_guard lock(gate_);
    freed.swap(freed_);
  }
  for (const Buffer& b : freed) device_.opened().queue.retire(b);
}

void VulkanAsync::free_all() {
  for (auto& [memory, b] : pinned_) destroy_buffer(device_.gpu_, b);
  for (Buffer& b : freed_) destroy_buffer(device_.gpu_, b);
  // the addresses stay known: whoever frees them later has no memory of the host there
  freed_.clear();
}

VulkanAsync::Place VulkanAsync::find(const void* memory, std::size_t bytes) {
  const auto* const first = static_cast<const std::byte*>(memory);
  const std::lock_guard lock(gate_);
  auto at = pinned_.upper_bound(first);
  if (at == pinned_.begin()) return {};
  --at;
  const auto offset = VkDeviceSize(first - at->first);
  if (offset + bytes > at->second.size) return {};
  return {at->second.buffer, offset};
}

void VulkanAsync::copy_to_device(std::uint64_t to, const void* from, std::size_t bytes,
                                 StreamHandle stream) {
  const Place source = find(from, bytes);
  if (!source.buffer) return device_.copy_to_device(to, from, bytes, stream);
  const auto held = device_.enter();
  VulkanDevice::Open& o = device_.opened();
  const Heap::Place target = o.heap.find(to, bytes);
  device_.copy(source.buffer, source.offset, target.buffer, target.offset, bytes);
  o.queue.recorded();
  device_.use(stream, o);
}

void VulkanAsync::copy_to_host(void* to, std::uint64_t from, std::size_t bytes,
                               StreamHandle stream) {
  const Place target = find(to, bytes);
  if (!target.buffer) return device_.copy_to_host(to, from, bytes, stream);
  const auto held = device_.enter();
  VulkanDevice::Open& o = device_.opened();
  const Heap::Place source = o.heap.find(from, bytes);
  device_.copy(source.buffer, source.offset, target.buffer, target.offset, bytes);
  o.queue.publish_to_host();
  o.queue.recorded();
  device_.use(stream, o);
}

}  // namespace krait::runtime::vulkan
