// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/vulkan/memory.h"

#include <algorithm>

namespace krait::runtime::vulkan {
namespace {

constexpr VkDeviceSize chunk_bytes = VkDeviceSize(64) << 20;
constexpr VkDeviceSize granule = 256;

/// The first memory type with the wanted properties, or with as many of the preferred ones as there
/// are.
std::uint32_t memory_type(const Gpu& gpu, std::uint32_t allowed, VkMemoryPropertyFlags wanted,
                          VkMemoryPropertyFlags preferred) {
  for (VkMemoryPropertyFlags flags : {wanted | preferred, wanted})
    for (std::uint32_t i = 0; i < gpu.memory.memoryTypeCount; ++i)
      if ((allowed >> i & 1) && (gpu.memory.memoryTypes[i].propertyFlags & flags) == flags)
        return i;
  return ~0u;
}

}  // namespace

VkResult create_buffer(const Gpu& gpu, VkDeviceSize size, BufferKind kind, Buffer& out) {
  Buffer b;
  b.size = size;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = size;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  VkResult result = gpu.vk.vkCreateBuffer(gpu.device, &info, nullptr, &b.buffer);
  if (result != VK_SUCCESS) return result;
  VkMemoryRequirements needs{};
  gpu.vk.vkGetBufferMemoryRequirements(gpu.device, b.buffer, &needs);

  constexpr VkMemoryPropertyFlags host =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const bool mapped = kind != BufferKind::Device;
  VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocate.pNext = &flags;
  allocate.allocationSize = needs.size;
  allocate.memoryTypeIndex = memory_type(
      gpu, needs.memoryTypeBits,
      mapped ? host : VkMemoryPropertyFlags(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT),
      kind == BufferKind::Download ? VkMemoryPropertyFlags(VK_MEMORY_PROPERTY_HOST_CACHED_BIT) : 0);
  result = allocate.memoryTypeIndex == ~0u ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS;
  if (result == VK_SUCCESS)
    result = gpu.vk.vkAllocateMemory(gpu.device, &allocate, nullptr, &b.memory);
  if (result == VK_SUCCESS) result = gpu.vk.vkBindBufferMemory(gpu.device, b.buffer, b.memory, 0);
  void* pointer = nullptr;
  if (result == VK_SUCCESS && mapped)
    result = gpu.vk.vkMapMemory(gpu.device, b.memory, 0, VK_WHOLE_SIZE, 0, &pointer);
  if (result != VK_SUCCESS) {
    destroy_buffer(gpu, b);
    return result;
  }
  b.mapped = static_cast<std::byte*>(pointer);
  VkBufferDeviceAddressInfo where{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
  where.buffer = b.buffer;
  b.address = gpu.vk.vkGetBufferDeviceAddress(gpu.device, &where);
  out = b;
  return VK_SUCCESS;
}

void destroy_buffer(const Gpu& gpu, Buffer& b) noexcept {
  if (b.buffer) gpu.vk.vkDestroyBuffer(gpu.device, b.buffer, nullptr);
  if (b.memory) gpu.vk.vkFreeMemory(gpu.device, b.memory, nullptr);
  b = {};
}

Heap::~Heap() {
  for (auto& [address, chunk] : chunks_) destroy_buffer(gpu_, chunk.buffer);
}

bool Heap::add_chunk(VkDeviceSize bytes) {
  Chunk c;
  const VkDeviceSize size = bytes > chunk_bytes / 2 ? bytes : chunk_bytes;
  if (create_buffer(gpu_, size, BufferKind::Device, c.buffer) != VK_SUCCESS) {
    // A small device may have room for the request but not for a whole chunk.
    if (size == bytes || create_buffer(gpu_, bytes, BufferKind::Device, c.buffer) != VK_SUCCESS)
      return false;
  }
  // Drivers align buffer memory to 256 bytes or more in practice; where one does not, the chunk
  // starts at the next multiple.
  const VkDeviceSize skew = (granule - c.buffer.address % granule) % granule;
  c.free[skew] = (c.buffer.size - skew) / granule * granule;
  chunks_.emplace(c.buffer.address, std::move(c));
  return true;
}

std::uint64_t Heap::take(Chunk& c, std::map<VkDeviceSize, VkDeviceSize>::iterator range,
                         VkDeviceSize bytes) {
  const auto [offset, size] = *range;
  c.free.erase(range);
  if (size > bytes) c.free[offset + bytes] = size - bytes;
  c.allocated[offset] = bytes;
  used_ += bytes;
  return c.buffer.address + offset;
}

std::uint64_t Heap::allocate(VkDeviceSize bytes) {
  bytes = (bytes + granule - 1) / granule * granule;
  if (bytes == 0) return 0;
  for (int attempt = 0; attempt < 2; ++attempt) {
    Chunk* best = nullptr;
    std::map<VkDeviceSize, VkDeviceSize>::iterator best_range;
    for (auto& [address, chunk] : chunks_)
      for (auto range = chunk.free.begin(); range != chunk.free.end(); ++range)
        if (range->second >= bytes && (!best || range->second < best_range->second))
          best = &chunk, best_range = range;
    if (best) return take(*best, best_range, bytes);
    if (attempt == 0 && !add_chunk(bytes)) return 0;
  }
  return 0;
}

bool Heap::free(std::uint64_t address) {
  auto at = chunks_.upper_bound(address);
  if (at == chunks_.begin()) return false;
  Chunk& c = std::prev(at)->second;
  auto range = c.allocated.find(address - c.buffer.address);
  if (range == c.allocated.end()) return false;
  auto [offset, bytes] = *range;
  c.allocated.erase(range);
  used_ -= bytes;
  auto after = c.free.lower_bound(offset);
  if (after != c.free.end() && after->first == offset + bytes) {
    bytes += after->second;
    after = c.free.erase(after);
  }
  if (after != c.free.begin()) {
    auto before = std::prev(after);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return true;
    }
  }
  c.free[offset] = bytes;
  return true;
}

void Heap::add(const Buffer& foreign) {
  ++foreign_.try_emplace(foreign.address, foreign, 0u).first->second.second;
}
void Heap::remove(std::uint64_t address) noexcept {
  if (const auto at = foreign_.find(address); at != foreign_.end() && --at->second.second == 0)
    foreign_.erase(at);
}

Heap::Place Heap::find(std::uint64_t address, VkDeviceSize bytes) const {
  auto at = chunks_.upper_bound(address);
  if (at != chunks_.begin()) {
    const Chunk& c = std::prev(at)->second;
    const VkDeviceSize offset = address - c.buffer.address;
    if (offset + bytes <= c.buffer.size) return {c.buffer.buffer, offset};
  }
  if (auto lent = foreign_.upper_bound(address); lent != foreign_.begin()) {
    const Buffer& b = std::prev(lent)->second.first;
    if (address - b.address + bytes <= b.size) return {b.buffer, address - b.address};
  }
  support::fail_device("Vulkan: {} bytes at address {:#x} are not memory of {}", bytes, address,
                       gpu_.features.name);
}

std::vector<Buffer> Heap::take_empty(VkDeviceSize keep) {
  std::vector<Buffer> out;
  VkDeviceSize kept = 0;
  for (auto at = chunks_.begin(); at != chunks_.end();) {
    Chunk& c = at->second;
    if (c.allocated.empty() && (kept += c.buffer.size) > keep) {
      kept -= c.buffer.size;
      out.push_back(c.buffer);
      at = chunks_.erase(at);
    } else {
      ++at;
    }
  }
  return out;
}

}  // namespace krait::runtime::vulkan
