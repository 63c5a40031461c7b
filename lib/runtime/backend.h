// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device can do, the same for CPU, CUDA and Vulkan. A back end knows bytes, addresses and
// launches; nothing of IR. Failures throw krait::error of kind device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/store.h"
#include "support/target.h"

namespace krait::runtime {

using Dim3 = std::array<std::int64_t, 3>;

/// Code loaded on one device. Destroyed before its device.
/// A line of the user's.
struct LoopPlace {
  std::string file;
  unsigned line = 0;
};

class Executable {
 public:
  virtual ~Executable() = default;
  /// Registers, shared and local bytes a thread or block uses, the largest block, and what was said
  /// of it; 0 where the device does not say.
  struct Attributes {
    int registers = 0;
    std::int64_t shared_bytes = 0, local_bytes = 0;
    int max_threads = 0;
    int block_lanes = 0;  // of a vector that holds threads of one block; 0: of any blocks, or none
    std::vector<std::string> remarks = {};  // of the driver's compiler, on what costs speed
  };
  virtual Attributes attributes() const { return {}; }
  /// A block size that the device takes for this code and that fills it well; the argument is the
  /// launch's `one_trip`.
  virtual int suggested_block(bool) { return 256; }
  /// Where the loops are that wait for what others write, by number: for messages.
  virtual void name_loops(std::vector<LoopPlace>) {}
};

/// An order of work on a device. 0 is the default stream.
struct StreamHandle {
  void* native = nullptr;
};
struct EventHandle {
  void* native = nullptr;
};

/// Shared arrays of one kernel that may be sized at launch.
inline constexpr unsigned max_sized_at_launch = 8;

struct LaunchRequest {
  Dim3 grid{1, 1, 1}, block{1, 1, 1};
  // bytes of the arrays that are sized at launch, with the gaps between them
  std::int64_t dynamic_shared = 0;
  std::array<std::uint32_t, max_sized_at_launch> shared_bytes{};  // of each of them
  const std::byte* args = nullptr;                                // the argument block (ir/abi.h)
  std::size_t args_size = 0;
  StreamHandle stream{};
  bool one_trip = false;  // no thread has more than one trip of a grid_stride loop
};

/// One launch of a graph.
struct GraphLaunch {
  Executable* code;
  LaunchRequest request;
};

class Async;  // runtime/async.h

class Device {
 public:
  virtual ~Device() = default;

  virtual std::string name() const = 0;  // of the hardware
  virtual std::string id() const = 0;    // "cpu", "cuda:0", "vulkan:1"
  virtual support::Target target() const = 0;
  // device addresses are host addresses, and launches synchronous (CPU)
  virtual bool host_memory() const { return false; }
  /// Kernels take addresses of the host's memory. Where launches are not synchronous, who passes
  /// them waits for the stream.
  virtual bool reaches_host() const { return host_memory(); }
  virtual std::int64_t total_memory() const = 0;
  /// Begins to use the driver, where that waits for the first use.
  virtual void start() {}

  /// `bytes` > 0, aligned to 128 bytes. Stream-ordered.
  virtual std::uint64_t allocate(std::size_t bytes, StreamHandle stream) = 0;
  /// Never waits, and never for a lock behind which others wait for the device: a library that is
  /// unloaded frees its static arrays while it holds the loader's lock, and a driver that compiles
  /// in a thread of its own may need that to get on.
  virtual void free(std::uint64_t address, StreamHandle stream) noexcept = 0;
  /// The same of memory that work in any stream may use. Where no one order has them all, it is
  /// freed by the next allocation, or the next wait for the whole device.
  virtual void free_when_idle(std::uint64_t address) noexcept { free(address, {}); }
  /// Whether memory that was freed in a stream's order may be given out again, in the same order,
  /// without asking the driver.
  bool frees_in_order() const { return frees_in_order_; }
  /// Bytes taken from the driver for allocations, in use or kept for the next; -1: nothing is kept.
  virtual std::int64_t reserved_memory() { return -1; }
  /// Gives what is kept back to the driver.
  virtual void trim() {}
  /// Returns when the bytes were read.
  virtual void copy_to_device(std::uint64_t to, const void* from, std::size_t bytes,
                              StreamHandle stream) = 0;
  /// Returns when the bytes are there.
  virtual void copy_to_host(void* to, std::uint64_t from, std::size_t bytes,
                            StreamHandle stream) = 0;
  virtual void copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes,
                              StreamHandle stream) = 0;

  /// `kernel_name` is for messages: its name and where it was made.
  virtual std::unique_ptr<Executable> load(std::span<const std::byte> binary,
                                           const std::string& kernel_name) = 0;
  /// Grid and block are positive and were checked against `limits`.
  virtual void launch(Executable& code, const LaunchRequest& request) = 0;

  /// Launches as one object that is replayed cheaply; null where the back end has no such thing:
  /// then they are launched one by one.
  virtual void* make_graph(std::span<const GraphLaunch>) { return nullptr; }
  virtual void launch_graph(void*, StreamHandle) {}
  virtual void destroy_graph(void*) noexcept {}

  struct Limits {
    Dim3 grid, block;
    std::int64_t threads;
    std::int64_t shared_bytes;
    // 0: the device does not tell
    std::int64_t multiprocessors = 0;
    double bytes_per_second = 0;  // of its memory
  };
  virtual Limits limits() const = 0;

  virtual StreamHandle create_stream() = 0;
  virtual void destroy_stream(StreamHandle stream) noexcept = 0;
  virtual void synchronize(StreamHandle stream) = 0;
  virtual void synchronize() = 0;
  virtual EventHandle create_event() = 0;
  virtual void destroy_event(EventHandle event) noexcept = 0;
  virtual void record(EventHandle event, StreamHandle stream) = 0;
  virtual void wait(EventHandle event) = 0;                       // the host waits
  virtual void wait(EventHandle event, StreamHandle stream) = 0;  // the stream waits
  virtual double elapsed_ms(EventHandle from, EventHandle to) = 0;

  /// What the back end can do besides; null: nothing.
  Async* async() const { return async_; }

 protected:
  Async* async_ = nullptr;
  bool frees_in_order_ = false;
};

/// The devices of one back end; none where the driver is missing. Found once, lazily, by the
/// driver. `store`, which outlives them, is where they keep what their driver makes of code; null:
/// nothing is kept.
struct Found {
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<std::string> skipped;  // "name: what is missing"
};
Found cpu_devices();
Found cuda_devices();
/// `software`: also devices that are no GPU, such as lavapipe. Nothing is probed where no GPU's
/// device node exists and software was not asked for.
Found vulkan_devices(bool software, support::Store* store = nullptr);
/// `apart`: drivers are asked by a process of their own, and loaded here when a device is used;
/// else now.
Found opencl_devices(support::Store* store = nullptr, bool apart = false);
/// The LLVM IR that a driver without SPIR-V of its own gets of OpenCL code. Throws krait::error
/// where the translator is not installed.
std::string opencl_llvm_text(std::span<const std::byte> binary);

}  // namespace krait::runtime
