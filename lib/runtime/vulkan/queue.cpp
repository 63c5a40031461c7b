// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/vulkan/queue.h"

#include <algorithm>
#include <utility>

namespace krait::runtime::vulkan {
namespace {

constexpr unsigned full_batch = 64;

}  // namespace

Queue::Queue(const Gpu& gpu) : gpu_(gpu) {
  VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = gpu.features.queue_family;
  check(gpu.vk.vkCreateCommandPool(gpu.device, &pool, nullptr, &pool_), "vkCreateCommandPool");
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo semaphore{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  semaphore.pNext = &type;
  check(gpu.vk.vkCreateSemaphore(gpu.device, &semaphore, nullptr, &timeline_), "vkCreateSemaphore");
}

Queue::~Queue() {
  gpu_.vk.vkQueueWaitIdle(gpu_.queue);  // an application may use others of the device
  for (auto& [value, buffer] : retired_) destroy_buffer(gpu_, buffer);
  gpu_.vk.vkDestroySemaphore(gpu_.device, timeline_, nullptr);
  gpu_.vk.vkDestroyCommandPool(gpu_.device, pool_, nullptr);
}

VkCommandBuffer Queue::fresh_commands() {
  collect();
  if (!spare_.empty()) {
    VkCommandBuffer commands = spare_.back();
    spare_.pop_back();
    return commands;
  }
  VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  info.commandPool = pool_;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  check(gpu_.vk.vkAllocateCommandBuffers(gpu_.device, &info, &commands),
        "vkAllocateCommandBuffers");
  return commands;
}

VkCommandBuffer Queue::next_command() {
  if (!recording_) {
    VkCommandBuffer commands = fresh_commands();
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    check(gpu_.vk.vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    recording_ = commands;
    count_ = 0;
    timed_ = false;
    bound = VK_NULL_HANDLE;
  }
  // Reaches back over earlier batches too: they are before this one in the queue's submission
  // order.
  constexpr VkPipelineStageFlags stages =
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                          VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  gpu_.vk.vkCmdPipelineBarrier(recording_, stages, stages, 0, 1, &barrier, 0, nullptr, 0, nullptr);
  return recording_;
}

/// A submission costs several times what recording a command does. An idle device gets the first
/// command at once, and then twice as many commands each time until somebody waits, so that a run
/// of small kernels is batched. A batch that begins to measure time is held, so that what is
/// measured does not contain the gap between two submissions (70 µs on an H200).
void Queue::recorded() {
  ++count_;
  if (count_ >= full_batch || (!timed_ && count_ >= patience_ && finished(submitted_))) {
    patience_ = std::min(patience_ * 2, full_batch);
    submit();
  }
}

void Queue::publish_to_host() {
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  gpu_.vk.vkCmdPipelineBarrier(recording_, VK_PIPELINE_STAGE_TRANSFER_BIT,
                               VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void Queue::submit() {
  if (recording_) submit({});
}

void Queue::wait_for(VkSemaphore semaphore, std::uint64_t value) {
  submit();
  waits_.emplace_back(semaphore, value);
}

void Queue::signal(VkSemaphore semaphore, std::uint64_t value) { submit({semaphore, value}); }

void Queue::submit(const Point& also) {
  VkCommandBuffer commands = std::exchange(recording_, VK_NULL_HANDLE);
  if (commands) check(gpu_.vk.vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  std::vector<VkSemaphore> awaited;
  std::vector<std::uint64_t> awaited_values;
  for (const auto& [semaphore, value] : std::exchange(waits_, {}))
    awaited.push_back(semaphore), awaited_values.push_back(value);
  const std::vector<VkPipelineStageFlags> stages(awaited.size(),
                                                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  const std::uint64_t value = submitted_ + 1, values[] = {value, also.second};
  const VkSemaphore signalled[] = {timeline_, also.first};
  VkTimelineSemaphoreSubmitInfo timeline{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  timeline.waitSemaphoreValueCount = std::uint32_t(awaited.size());
  timeline.pWaitSemaphoreValues = awaited_values.data();
  timeline.signalSemaphoreValueCount = also.first ? 2 : 1;
  timeline.pSignalSemaphoreValues = values;
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.pNext = &timeline;
  info.waitSemaphoreCount = std::uint32_t(awaited.size());
  info.pWaitSemaphores = awaited.data();
  info.pWaitDstStageMask = stages.data();
  info.commandBufferCount = commands ? 1 : 0;
  info.pCommandBuffers = &commands;
  info.signalSemaphoreCount = timeline.signalSemaphoreValueCount;
  info.pSignalSemaphores = signalled;
  check(gpu_.vk.vkQueueSubmit(gpu_.queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
  submitted_ = value;
  if (commands) in_flight_.push_back({commands, value});
}

void Queue::wait(std::uint64_t value) {
  if (value > submitted_) submit();
  patience_ = 1;
  value = std::min(value, submitted_);  // a mark of an empty batch
  if (value > finished_) {
    VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    info.semaphoreCount = 1;
    info.pSemaphores = &timeline_;
    info.pValues = &value;
    check(gpu_.vk.vkWaitSemaphores(gpu_.device, &info, ~std::uint64_t(0)), "vkWaitSemaphores");
    finished_ = std::max(finished_, value);
  }
  collect();
}

bool Queue::finished(std::uint64_t value) {
  if (value > finished_)
    check(gpu_.vk.vkGetSemaphoreCounterValue(gpu_.device, timeline_, &finished_),
          "vkGetSemaphoreCounterValue");
  return value <= finished_;
}

void Queue::collect() {
  while (!in_flight_.empty() && finished(in_flight_.front().value)) {
    spare_.push_back(in_flight_.front().commands);
    in_flight_.pop_front();
  }
  while (!retired_.empty() && retired_.front().first <= finished_) {
    destroy_buffer(gpu_, retired_.front().second);
    retired_.pop_front();
  }
}

void Queue::retire(Buffer b) { retired_.emplace_back(mark(), b); }

/// Where `bytes` go: behind the last part, or at the next start of the buffer.
std::uint64_t Ring::start_of(VkDeviceSize bytes) const {
  return head_ % size_ + bytes > size_ ? head_ + size_ - head_ % size_ : head_;
}

void Ring::reserve(VkDeviceSize bytes) {
  bytes = (bytes + 15) / 16 * 16;
  const std::uint64_t end = start_of(bytes) + bytes;
  while (!parts_.empty() && (queue_.finished(parts_.front().value) || end - tail_ > size_)) {
    if (!queue_.finished(parts_.front().value)) queue_.wait(parts_.front().value);
    tail_ = parts_.front().end;
    parts_.pop_front();
  }
}

VkDeviceSize Ring::take(VkDeviceSize bytes) {
  if (!buffer_.buffer)
    check(create_buffer(gpu_, size_, kind_, buffer_), "creating a staging buffer");
  reserve(bytes);
  bytes = (bytes + 15) / 16 * 16;
  const std::uint64_t start = start_of(bytes);
  head_ = start + bytes;
  parts_.push_back({head_, queue_.upcoming()});
  return start % size_;
}

}  // namespace krait::runtime::vulkan
