// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Vulkan device behind runtime/backend.h. It is opened at its first use; finding it costs no
// VkDevice.
#pragma once

#include <mutex>
#include <optional>
#include <set>

#include "runtime/vulkan/async.h"
#include "runtime/vulkan/executable.h"
#include "support/float_environment.h"

namespace krait::runtime::vulkan {

class VulkanDevice : public Device {
 public:
  VulkanDevice(std::shared_ptr<Instance> instance, VkPhysicalDevice physical, Features features,
               support::Store* store, std::string id);
  ~VulkanDevice() override;

  std::string name() const override { return gpu_.features.name; }
  std::string id() const override { return id_; }
  void start() override { open(); }
  support::Target target() const override;
  std::int64_t total_memory() const override;

  std::uint64_t allocate(std::size_t bytes, StreamHandle stream) override;
  void free(std::uint64_t address, StreamHandle stream) noexcept override;
  void copy_to_device(std::uint64_t to, const void* from, std::size_t bytes,
                      StreamHandle stream) override;
  void copy_to_host(void* to, std::uint64_t from, std::size_t bytes, StreamHandle stream) override;
  void copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes,
                      StreamHandle stream) override;

  std::unique_ptr<Executable> load(std::span<const std::byte> binary,
                                   const std::string& kernel_name) override;
  void launch(Executable& code, const LaunchRequest& request) override;
  Limits limits() const override;

  StreamHandle create_stream() override;
  void destroy_stream(StreamHandle stream) noexcept override;
  void synchronize(StreamHandle stream) override;
  void synchronize() override;
  EventHandle create_event() override;
  void destroy_event(EventHandle event) noexcept override;
  void record(EventHandle event, StreamHandle stream) override;
  void wait(EventHandle event) override;
  void wait(EventHandle event, StreamHandle stream) override;
  double elapsed_ms(EventHandle from, EventHandle to) override;

  /// Waits for the executable's work and destroys what the driver has of it; used where it dies.
  void unload(VulkanExecutable& code) noexcept;

 protected:
  friend class VulkanAsync;
  /// A stream is a place in the one order of the queue.
  struct Stream {
    std::uint64_t last = 0;
  };
  struct Event {
    std::uint64_t mark = 0;
    std::uint32_t query = ~0u;
    bool timed = false;
  };
  /// Of an opened device, destroyed in reverse order.
  struct Open {
    explicit Open(const Gpu& gpu)
        : queue(gpu),
          heap(gpu),
          upload(gpu, queue, 32 << 20, BufferKind::Upload),
          download(gpu, queue, 32 << 20, BufferKind::Download),
          blocks(gpu, queue, 1 << 20, BufferKind::Upload) {}
    Queue queue;
    Heap heap;
    Ring upload, download, blocks;
  };

  /// Everything that uses the driver holds this. A software driver computes constants in the thread
  /// that calls it, and its own threads inherit how that one treats floats. Throws krait::error in
  /// a fork of the process.
  struct Held {
    std::unique_lock<std::recursive_mutex> lock;
    DefaultFloatEnvironment floats;
  };
  Held enter() const;
  void open() const;
  void create_device() const;
  Open& opened() const {
    open();
    return *open_;
  }
  /// Ends the use of the device, which is not destroyed: waits, and destroys all that was made on
  /// it.
  void leave();

  mutable std::recursive_mutex mutex_;  // probing launches through the public functions
  mutable Gpu gpu_;
  mutable std::unique_ptr<Open> open_;
  mutable VkQueryPool queries_ = VK_NULL_HANDLE;
  mutable std::shared_ptr<const VulkanDevice> at_end_;  // what the process's end looks for
  bool released_ = false;                               // by the application that it belongs to

 private:
  void use(StreamHandle stream, Open& o);
  /// Frees what was freed while others held the lock, which is held now.
  void free_waiting();
  void put_push_constants(Open& o, VkCommandBuffer commands, VulkanExecutable& code,
                          const LaunchRequest& request);
  void copy(VkBuffer from, VkDeviceSize from_offset, VkBuffer to, VkDeviceSize to_offset,
            VkDeviceSize bytes);
  Event& event(EventHandle e) const { return *static_cast<Event*>(e.native); }

  const std::string id_;
  std::set<VulkanExecutable*> loaded_;
  std::mutex freed_gate_;  // held for moments only, never while the driver is called
  std::vector<std::uint64_t> freed_;
  std::vector<std::uint32_t> free_queries_;
  mutable support::Target target_;
  Stream default_stream_;
  VulkanAsync own_async_{*this};
};

}  // namespace krait::runtime::vulkan
