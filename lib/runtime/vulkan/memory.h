// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers, and the sub-allocator of device memory: chunks of one VkBuffer each, cut into ranges
// that are multiples of 256 bytes.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "runtime/vulkan/features.h"
#include "runtime/vulkan/instance.h"

namespace krait::runtime::vulkan {

/// An opened device and its entry points.
struct Gpu {
  std::shared_ptr<Instance> instance;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  Features features;
  VkPhysicalDeviceMemoryProperties memory{};
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  VolkDeviceTable vk{};
  bool labels = false;              // somebody reads them
  support::Store* store = nullptr;  // for what the driver makes of pipelines; null: nothing is kept
};

struct Buffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize size = 0;
  std::uint64_t address = 0;
  std::byte* mapped = nullptr;  // host-visible kinds
};

enum class BufferKind { Device, Upload, Download };
/// VK_SUCCESS and `out`, or why not. Upload buffers are mapped and have an address; download
/// buffers are mapped and cached.
VkResult create_buffer(const Gpu& gpu, VkDeviceSize size, BufferKind kind, Buffer& out);
void destroy_buffer(const Gpu& gpu, Buffer& b) noexcept;

class Heap {
 public:
  explicit Heap(const Gpu& gpu) : gpu_(gpu) {}
  ~Heap();

  /// 0 when the device has no more memory; empty chunks should then be given back.
  std::uint64_t allocate(VkDeviceSize bytes);
  /// False if nothing was allocated there.
  bool free(std::uint64_t address);

  /// A buffer of somebody else, which `find` knows until it is removed as often as it was added.
  void add(const Buffer& foreign);
  void remove(std::uint64_t address) noexcept;

  struct Place {
    VkBuffer buffer;
    VkDeviceSize offset;
  };
  /// The buffer behind an address; throws krait::error where there is none with so many bytes.
  Place find(std::uint64_t address, VkDeviceSize bytes) const;
  /// Takes out chunks in which nothing is allocated until those left hold at most `keep` bytes. The
  /// caller destroys them when the device is done with them.
  std::vector<Buffer> take_empty(VkDeviceSize keep);
  VkDeviceSize used() const { return used_; }

 private:
  struct Chunk {
    Buffer buffer;
    std::map<VkDeviceSize, VkDeviceSize> free;       // offset → bytes
    std::map<VkDeviceSize, VkDeviceSize> allocated;  // offset → bytes
  };
  bool add_chunk(VkDeviceSize bytes);
  std::uint64_t take(Chunk& c, std::map<VkDeviceSize, VkDeviceSize>::iterator range,
                     VkDeviceSize bytes);

  const Gpu& gpu_;
  std::map<std::uint64_t, Chunk> chunks_;  // by address
  // by address, with how often they were added
  std::map<std::uint64_t, std::pair<Buffer, unsigned>> foreign_;
  VkDeviceSize used_ = 0;
};

}  // namespace krait::runtime::vulkan
