// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices, streams and events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <krait/detail/export.h>
#include <krait/detail/text.h>

namespace krait {
namespace detail {
struct access;
}

/// Bytes of a device's memory as Krait uses it. Page-locked memory (kr::pinned) is the host's and not among them.
struct memory_use {
  std::int64_t used = 0;      ///< by arrays, and by calls with host containers while they run
  std::int64_t peak = 0;      ///< the largest `used` so far
  std::int64_t reserved = 0;  ///< taken from the driver: used, or kept for reuse
  std::int64_t limit = 0;     ///< what `used` may not pass; 0: none
};

/// One processor that runs kernels: "cpu", "cuda:0", "vulkan:0". A small handle that is copied freely.
class KRAIT_API device {
 public:
  /// The device that arrays and host containers go to where nothing else is said: the environment's KRAIT_DEVICE, else CUDA if a
  /// device is there, else a Vulkan GPU, else the CPU. Throws error{device} when KRAIT_DEVICE names none.
  device();

  /// By id ("cuda:0"), back end ("vulkan") or part of the hardware's name. Throws error{usage} that lists what there is.
  static device find(const char* name);
  static device cpu() { return find("cpu"); }

  /// "cpu", "cuda:0", …; lives as long as the process.
  const char* id() const noexcept;
  /// The hardware's name.
  const char* name() const noexcept;
  /// What kernels are compiled for, as `krait dump --target` takes it: "ptx sm=90 isa=80", "cpu x86-64 lanes=16 …".
  const char* target() const noexcept;
  /// Bytes of memory.
  std::int64_t memory() const noexcept;
  /// How much of it Krait uses.
  krait::memory_use memory_use() const;
  /// Lets arrays and calls use this many bytes and no more: what goes beyond throws error{device} and changes nothing. 0: no
  /// limit. The environment's KRAIT_MEMORY_LIMIT (bytes, or a number with K, M or G) is the limit of each device at first.
  /// Throws error{usage} for a negative number.
  void limit_memory(std::int64_t bytes) const;
  /// Waits for the device and gives memory that is kept for reuse back to the driver.
  void trim_memory() const;
  /// Waits until all work on the device is done. Throws what went wrong in it and nobody has taken: faults of launches, and what functions
  /// of call_host threw. Of streams that have ended it throws this thread's faults alone.
  void synchronize() const;

  friend bool operator==(device, device) = default;

 private:
  friend struct detail::access;
  explicit device(void* handle) noexcept : handle_(handle) {}
  void* handle_;
};

/// All devices, the CPU last.
class device_list {
 public:
  const device* begin() const noexcept { return first_; }
  const device* end() const noexcept { return first_ + size_; }
  std::size_t size() const noexcept { return size_; }
  const device& operator[](std::size_t i) const noexcept { return first_[i]; }

 private:
  friend struct detail::access;
  const device* first_ = nullptr;
  std::size_t size_ = 0;
};
/// Finds the devices once; a missing driver is no error.
KRAIT_API device_list devices();

/// What was found and cannot be used, and drivers that are missing: a line each, "name: the reason". Empty where nothing is missing.
KRAIT_API text skipped_devices();

/// Waits for all devices, then throws as device::synchronize() does; what went wrong on a further device is thrown by the next wait for it.
KRAIT_API void synchronize();

/// Whose work goes first where a device has no room for all: blocks of kernels of a higher priority start before others that wait.
enum class priority : signed char { low, normal, high };

/// An order of work on one device: what is put into one stream runs in that order.
class KRAIT_API stream {
 public:
  /// Priorities are CUDA's; other devices ignore them.
  explicit stream(device on = device(), priority rank = priority::normal);
  stream(stream&& other) noexcept : record_(other.record_) { other.record_ = nullptr; }
  stream& operator=(stream&&) = delete;
  ~stream();

  /// A stream that another library made (a CUstream); it is not destroyed.
  static stream wrap(void* native, device on);

  device on() const noexcept;
  /// The driver's handle: a CUstream on CUDA.
  void* native() const noexcept;
  /// Waits until all work in the stream is done. Throws what went wrong in it and nobody has taken: faults of its launches, and what its
  /// functions of call_host threw. A stream that ends before somebody waits for it throws nothing: the log has its errors.
  void synchronize() const;

  /// Calls `function()` on the host when all is done that the stream holds now, and before what is put into it later. On CUDA in a thread of
  /// the driver's: the function must not use the device, nor wait for its work. Elsewhere the host waits for the stream and calls it
  /// at once. What it throws is kept, and thrown by the next wait for the stream, for an event that was recorded in it later, for the device or
  /// for all of them; after a fault of a kernel it may not be called.
  ///   stream.call_host([&] { ++chunks_done; });
  template <class Function>
  void call_host(Function function) const {
    put_call(
        new Function(std::move(function)), [](void* f) { (*static_cast<Function*>(f))(); },
        [](void* f) { delete static_cast<Function*>(f); });
  }

 private:
  friend struct detail::access;
  struct wrapped {};
  stream(wrapped, void* record) noexcept : record_(record) {}
  /// Becomes the object's owner.
  void put_call(void* object, void (*call)(void*), void (*destroy)(void*)) const;
  void* record_;
};

/// A point in a stream.
class KRAIT_API event {
 public:
  explicit event(device on = device());
  event(event&& other) noexcept : on_(other.on_), native_(other.native_) { other.native_ = nullptr; }
  event& operator=(event&&) = delete;
  ~event();

  /// Marks the end of what the stream (the device's default stream) holds now.
  void record();
  void record(const stream& in);
  /// The host waits for it. Throws what went wrong in its stream before it; where that is the default one, in this thread's work or in
  /// that of the thread which recorded the event.
  void wait() const;
  /// The stream waits for it. A stream of another device does so where both are CUDA's; for others the host waits, now.
  void wait(const stream& in) const;
  /// Milliseconds from `from` to this event. Both must have been recorded; waits for both.
  double elapsed_ms_since(const event& from) const;

 private:
  device on_;
  void* native_ = nullptr;
};

}  // namespace krait
