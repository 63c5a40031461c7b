// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opening, memory and copies; launches, streams and events are in launch.cpp.
#include "runtime/vulkan/device.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/probe.h"
#include "support/threads.h"

namespace krait::runtime::vulkan {
namespace {

#include "runtime/vulkan/probe_words.inc"

}  // namespace

VulkanDevice::VulkanDevice(std::shared_ptr<Instance> instance, VkPhysicalDevice physical,
                           Features features, support::Store* store, std::string id)
    : id_(std::move(id)) {
  async_ = &own_async_;
  gpu_.store = store;
  gpu_.instance = std::move(instance);
  gpu_.physical = physical;
  gpu_.features = std::move(features);
  vkGetPhysicalDeviceMemoryProperties(physical, &gpu_.memory);
}

VulkanDevice::~VulkanDevice() {
  at_end_.reset();
  if (!gpu_.device || Instance::gone()) return;
  gpu_.vk.vkDeviceWaitIdle(gpu_.device);
  own_async_.free_all();
  open_.reset();
  if (queries_) gpu_.vk.vkDestroyQueryPool(gpu_.device, queries_, nullptr);
  gpu_.vk.vkDestroyDevice(gpu_.device, nullptr);
}

void VulkanDevice::leave() {
  if (released_ || Instance::gone()) return;
  const std::lock_guard lock(mutex_);
  try {
    if (open_) open_->queue.wait(open_->queue.mark());
  } catch (...) {  // a lost device has nothing running
  }
  for (VulkanExecutable* const code : std::exchange(loaded_, {})) code->destroy();
  own_async_.free_all();
  open_.reset();
  if (queries_)
    gpu_.vk.vkDestroyQueryPool(gpu_.device, std::exchange(queries_, VK_NULL_HANDLE), nullptr);
  gpu_.device = VK_NULL_HANDLE;
  released_ = true;
}

VulkanDevice::Held VulkanDevice::enter() const {
  if (const char* why = Instance::gone()) support::fail_device("{}: {}", id(), why);
  if (released_)
    support::fail_device(
        "{}: the application has taken its device back (kr::vulkan::release): "
        "use arrays and kernels before",
        id());
  return {std::unique_lock(mutex_), {}};
}

void VulkanDevice::create_device() const {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueFamilyIndex = gpu_.features.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  // a structure of an extension that is not enabled must not be there
  Features enabled = gpu_.features;
  enabled.clock_extension = enabled.clock;
  enabled.matrix_extension = enabled.matrices, enabled.bf16_extension = enabled.bf16_matrices;
  FeatureChain chain(enabled);
  chain.request(enabled);
  std::vector<const char*> extensions;
  if (gpu_.features.atomic_float_extension)
    extensions.push_back(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
  if (gpu_.features.clock) extensions.push_back(VK_KHR_SHADER_CLOCK_EXTENSION_NAME);
  if (gpu_.features.matrices) extensions.push_back(matrix_extension);
  if (gpu_.features.bf16_matrices) extensions.push_back(bf16_extension);
  if (gpu_.features.non_semantic && gpu_.features.api < VK_API_VERSION_1_3)
    extensions.push_back(VK_KHR_SHADER_NON_SEMANTIC_INFO_EXTENSION_NAME);
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  info.pNext = &chain.features;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = std::uint32_t(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  check(vkCreateDevice(gpu_.physical, &info, nullptr, &gpu_.device), "vkCreateDevice");
  Instance::watch_the_end();
  volkLoadDeviceTable(&gpu_.vk, gpu_.device);
  gpu_.labels = gpu_.instance->shows_labels(gpu_.physical, gpu_.features.api);
  gpu_.vk.vkGetDeviceQueue(gpu_.device, gpu_.features.queue_family, 0, &gpu_.queue);
  if (!gpu_.features.software) return;
  // Threads of a software driver compile and compute in this process: they must not outlive what
  // they use, such as their LLVM's statics. A device that could not be opened to its end is gone by
  // then.
  const auto wait = [](int, void* still) {
    const std::unique_ptr<std::weak_ptr<const VulkanDevice>> owned(
        static_cast<std::weak_ptr<const VulkanDevice>*>(still));
    const std::shared_ptr<const VulkanDevice> device = owned->lock();
    if (!device || Instance::gone()) return;
    const std::lock_guard lock(device->mutex_);
    device->gpu_.vk.vkDeviceWaitIdle(device->gpu_.device);
  };
  at_end_ =
      // owns nothing: it only tells whether this lives
      std::shared_ptr<const VulkanDevice>(this, [](const VulkanDevice*) {});
  on_exit(wait, new std::weak_ptr<const VulkanDevice>(at_end_));
}

void VulkanDevice::open() const {
  const auto held = enter();
  if (open_) return;
  const support::SignalsBlocked for_its_threads;
  if (!gpu_.device) create_device();
  open_ = std::make_unique<Open>(gpu_);

  const Features& f = gpu_.features;
  target_.kind = support::TargetKind::Spirv;
  target_.spirv = {f.told, f.subgroup, std::min(f.limits.maxPushConstantsSize, 256u)};
  probe_numbers(const_cast<VulkanDevice&>(*this),
                {probe_f16_words, probe_f32_words, probe_f64_words, probe_f32_keep_words,
                 probe_quick_words, probe_quick_keep_words},
                target_.spirv.features);
  target_.spirv.features.set(support::Feature::Debug, gpu_.instance->debug());
  target_.spirv.features.set(support::Feature::DebugInfo, gpu_.instance->debug() && f.non_semantic);
}

support::Target VulkanDevice::target() const {
  open();
  return target_;
}

std::int64_t VulkanDevice::total_memory() const {
  VkDeviceSize largest = 0;
  for (std::uint32_t i = 0; i < gpu_.memory.memoryHeapCount; ++i)
    if (gpu_.memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      largest = std::max(largest, gpu_.memory.memoryHeaps[i].size);
  return std::int64_t(largest);
}

Device::Limits VulkanDevice::limits() const {
  const VkPhysicalDeviceLimits& l = gpu_.features.limits;
  // Grids beyond the device's own limit are folded; a dimension travels as 32 bits.
  constexpr std::int64_t widest = (std::int64_t(1) << 31) - 1;
  return {
      {widest, widest, widest},
      {l.maxComputeWorkGroupSize[0], l.maxComputeWorkGroupSize[1], l.maxComputeWorkGroupSize[2]},
      l.maxComputeWorkGroupInvocations,
      l.maxComputeSharedMemorySize};
}

std::uint64_t VulkanDevice::allocate(std::size_t bytes, StreamHandle) {
  const auto held = enter();
  Open& o = opened();
  free_waiting();
  std::uint64_t address = o.heap.allocate(bytes);
  if (!address) {
    // Once more with what lies idle given back to the driver.
    o.queue.wait(o.queue.mark());
    for (Buffer& b : o.heap.take_empty(0)) destroy_buffer(gpu_, b);
    address = o.heap.allocate(bytes);
  }
  if (!address)
    support::fail_device("{}: out of device memory: {} bytes requested, {} of {} in use by Krait",
                         name(), bytes, o.heap.used(), total_memory());
  return address;
}

// Later commands run behind those that use the memory now, of all streams, so that it can be handed
// out again at once. Where another thread has the device, maybe waiting for it, the memory is left
// for the next one who allocates or waits.
void VulkanDevice::free(std::uint64_t address, StreamHandle) noexcept {
  try {
    if (Instance::gone()) return;
    {
      const std::lock_guard gate(freed_gate_);
      freed_.push_back(address);
    }
    if (const std::unique_lock held(mutex_, std::try_to_lock); held) free_waiting();
  } catch (...) {  // a list could not grow: the memory stays until the device goes
  }
}

void VulkanDevice::free_waiting() {
  std::vector<std::uint64_t> freed;
  {
    const std::lock_guard gate(freed_gate_);
    freed.swap(freed_);
  }
  if (freed.empty() || !open_) return;
  for (const std::uint64_t address : freed) open_->heap.free(address);
  constexpr VkDeviceSize keep = VkDeviceSize(1) << 30;
  for (Buffer& b : open_->heap.take_empty(keep)) open_->queue.retire(b);
}

void VulkanDevice::copy(VkBuffer from, VkDeviceSize from_offset, VkBuffer to,
                        VkDeviceSize to_offset, VkDeviceSize bytes) {
  Queue& queue = open_->queue;
  VkCommandBuffer commands = queue.next_command();
  const VkBufferCopy region{from_offset, to_offset, bytes};
  gpu_.vk.vkCmdCopyBuffer(commands, from, to, 1, &region);
}

void VulkanDevice::copy_to_device(std::uint64_t to, const void* from, std::size_t bytes,
                                  StreamHandle stream) {
  if (bytes == 0) return;
  const auto held = enter();
  Open& o = opened();
  const Heap::Place place = o.heap.find(to, bytes);
  for (std::size_t done = 0; done < bytes;) {
    const VkDeviceSize n = std::min<VkDeviceSize>(bytes - done, o.upload.piece());
    const VkDeviceSize at = o.upload.take(n);
    std::memcpy(o.upload.buffer().mapped + at, static_cast<const std::byte*>(from) + done, n);
    copy(o.upload.buffer().buffer, at, place.buffer, place.offset + done, n);
    done += n;
    // The device copies a piece while the next is staged.
    if (n == o.upload.piece()) o.queue.submit();
    else o.queue.recorded();
  }
  use(stream, o);
}

void VulkanDevice::copy_to_host(void* to, std::uint64_t from, std::size_t bytes,
                                StreamHandle stream) {
  if (bytes == 0) return;
  const auto held = enter();
  Open& o = opened();
  const Heap::Place place = o.heap.find(from, bytes);
  struct Piece {
    VkDeviceSize at, offset, bytes;
    std::uint64_t mark;
  };
  std::deque<Piece> pending;
  std::size_t asked = 0;
  auto receive = [&] {
    const Piece p = pending.front();
    pending.pop_front();
    o.queue.wait(p.mark);
    std::memcpy(static_cast<std::byte*>(to) + p.offset, o.download.buffer().mapped + p.at, p.bytes);
  };
  while (asked < bytes || !pending.empty()) {
    if (asked < bytes && pending.size() < 3) {
      const VkDeviceSize n = std::min<VkDeviceSize>(bytes - asked, o.download.piece());
      const VkDeviceSize at = o.download.take(n);
      copy(place.buffer, place.offset + asked, o.download.buffer().buffer, at, n);
      o.queue.publish_to_host();
      pending.push_back({at, asked, n, o.queue.mark()});
      o.queue.submit();
      asked += n;
    } else {
      receive();
    }
  }
  use(stream, o);
  gpu_.instance->raise_messages();
}

void VulkanDevice::copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes,
                                  StreamHandle stream) {
  if (bytes == 0) return;
  const auto held = enter();
  Open& o = opened();
  const Heap::Place source = o.heap.find(from, bytes), target = o.heap.find(to, bytes);
  copy(source.buffer, source.offset, target.buffer, target.offset, bytes);
  o.queue.recorded();
  use(stream, o);
}

}  // namespace krait::runtime::vulkan
