// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of work on a device. Everything is recorded into one command buffer after the other for
// one queue, with a memory barrier before each command, so that all streams see program order. A
// batch is submitted when it is full, when the device has nothing else to do, or when somebody
// waits. A timeline semaphore counts finished batches.
#pragma once

#include <deque>
#include <vector>

#include "runtime/vulkan/memory.h"

namespace krait::runtime::vulkan {

class Queue {
 public:
  explicit Queue(const Gpu& gpu);
  ~Queue();

  /// The command buffer of the current batch, with a barrier behind all that came before.
  VkCommandBuffer next_command();
  /// After a command was recorded; may submit the batch.
  void recorded();
  /// Time is measured from here: the batch goes on until it is full or somebody waits.
  void hold() { timed_ = true; }
  /// Makes the batch's copies visible to the host when it has finished.
  void publish_to_host();
  /// Value of the semaphore when what is recorded so far will have finished.
  std::uint64_t mark() const { return recording_ ? submitted_ + 1 : submitted_; }
  /// Value of the semaphore when a command that is recorded next will have finished.
  std::uint64_t upcoming() const { return submitted_ + 1; }
  void submit();
  /// What is recorded from here on waits for the timeline semaphore to have the value.
  void wait_for(VkSemaphore semaphore, std::uint64_t value);
  /// Submits; the timeline semaphore gets the value when what is recorded so far has finished.
  void signal(VkSemaphore semaphore, std::uint64_t value);
  /// Submits what is needed, then waits. Throws krait::error where the device is lost.
  void wait(std::uint64_t value);
  bool finished(std::uint64_t value);
  /// Destroys the buffer when the work recorded so far has finished.
  void retire(Buffer b);

  VkPipeline bound = VK_NULL_HANDLE;  // in the current batch

 private:
  struct Batch {
    VkCommandBuffer commands;
    std::uint64_t value;
  };
  /// A semaphore and its value.
  using Point = std::pair<VkSemaphore, std::uint64_t>;
  VkCommandBuffer fresh_commands();
  /// What is recorded, if anything is, and the signal, if there is one.
  void submit(const Point& also);
  void collect();

  const Gpu& gpu_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  VkCommandBuffer recording_ = VK_NULL_HANDLE;
  unsigned count_ = 0;     // commands in the batch
  bool timed_ = false;     // the batch holds a timestamp
  unsigned patience_ = 1;  // commands that an idle device waits for
  std::uint64_t submitted_ = 0, finished_ = 0;
  std::vector<Point> waits_;  // of the next batch
  std::deque<Batch> in_flight_;
  std::vector<VkCommandBuffer> spare_;
  std::deque<std::pair<std::uint64_t, Buffer>> retired_;
};

/// A mapped buffer that is used round and round; a part is reused when the batch that read or wrote
/// it has finished.
class Ring {
 public:
  Ring(const Gpu& gpu, Queue& queue, VkDeviceSize bytes, BufferKind kind)
      : gpu_(gpu), queue_(queue), size_(bytes), kind_(kind) {}
  ~Ring() { destroy_buffer(gpu_, buffer_); }

  /// Waits until `bytes` are unused.
  void reserve(VkDeviceSize bytes);
  /// Offset of `bytes`, aligned to 16, that stay ours until the work recorded next has finished.
  /// Waits where all is in use.
  VkDeviceSize take(VkDeviceSize bytes);
  const Buffer& buffer() const { return buffer_; }
  VkDeviceSize piece() const { return size_ / 4; }

 private:
  const Gpu& gpu_;
  Queue& queue_;
  VkDeviceSize size_;
  BufferKind kind_;
  Buffer buffer_;  // made at the first use
  std::uint64_t start_of(VkDeviceSize bytes) const;

  std::uint64_t head_ = 0, tail_ = 0;  // positions that only grow
  struct Part {
    std::uint64_t end, value;
  };
  std::deque<Part> parts_;
};

}  // namespace krait::runtime::vulkan
