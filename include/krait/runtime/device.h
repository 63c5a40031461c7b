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

/// How many bytes of a device's memory Krait uses; page-locked memory (kr::pinned) is not included.
struct memory_use {
  std::int64_t used = 0;      ///< by arrays, and by calls with host containers while they run
  std::int64_t peak = 0;      ///< the largest `used` so far
  std::int64_t reserved = 0;  ///< taken from the driver: used, or kept for reuse
  std::int64_t limit = 0;     ///< the most that `used` may reach; 0: no limit
};

/// A processor that runs kernels: "cpu", "cuda:0", "vulkan:0" and so on.
/// It is a small handle that can be copied freely.
/// \code
/// kr::array<float> x(kr::shape<1>(1000), kr::device::find("cpu"));
/// \endcode
class KRAIT_API device {
 public:
  /// The default device, for arrays and host containers that name no other.
  /// It is the environment's KRAIT_DEVICE, else the first CUDA device, else a Vulkan GPU, else the
  /// CPU. Throws error{device} if KRAIT_DEVICE matches no device.
  device();

  /// Finds a device by its id ("cuda:0"), back end ("vulkan") or a part of the hardware's name.
  /// Throws error{usage} that lists the devices.
  /// \code
  /// kr::device gpu = kr::device::find("cuda:0");
  /// kr::array<float, 2> image({480, 640}, gpu);
  /// \endcode
  static device find(const char* name);
  /// The CPU.
  static device cpu() { return find("cpu"); }

  /// The id: "cpu", "cuda:0" and so on; it lives as long as the process.
  const char* id() const noexcept;
  /// The name of the hardware.
  const char* name() const noexcept;
  /// The target that kernels are compiled for, as `krait dump --target` takes it.
  /// For example "ptx sm=90 isa=80" or "cpu x86-64 lanes=16 …".
  const char* target() const noexcept;
  /// The size of the memory in bytes.
  std::int64_t memory() const noexcept;
  /// How many bytes of the memory Krait uses.
  krait::memory_use memory_use() const;
  /// Limits the bytes that arrays and calls use; 0 means no limit.
  /// An allocation beyond the limit throws error{device} and changes nothing. The environment's
  /// KRAIT_MEMORY_LIMIT (bytes, or a number with K, M or G) is the initial limit of each device.
  /// Throws error{usage} for a negative number.
  /// \code
  /// kr::device().limit_memory(std::int64_t(2) << 30);   // 2 GiB
  /// \endcode
  void limit_memory(std::int64_t bytes) const;
  /// Waits for the device, and gives memory that is kept for reuse back to the driver.
  void trim_memory() const;
  /// Waits until all work on the device is done.
  /// Throws the errors of that work that were not thrown before: faults of launches, and exceptions
  /// from functions of call_host. Of streams that have ended it throws this thread's faults only.
  /// \code
  /// scale.launch({64, 256}, x);
  /// kr::device().synchronize();
  /// \endcode
  void synchronize() const;

  friend bool operator==(device, device) = default;

 private:
  friend struct detail::access;
  explicit device(void* handle) noexcept : handle_(handle) {}
  void* handle_;
};

/// A list of devices, the CPU last.
class device_list {
 public:
  /// The first device.
  const device* begin() const noexcept { return first_; }
  /// The end of the list.
  const device* end() const noexcept { return first_ + size_; }
  /// The number of devices.
  std::size_t size() const noexcept { return size_; }
  const device& operator[](std::size_t i) const noexcept { return first_[i]; }

 private:
  friend struct detail::access;
  const device* first_ = nullptr;
  std::size_t size_ = 0;
};
/// All devices of this machine; a missing driver is not an error.
/// \code
/// for (const kr::device& d : kr::devices()) std::puts(d.name());
/// \endcode
KRAIT_API device_list devices();

/// Devices that cannot be used and drivers that are missing, one line each: "name: the reason".
/// It is empty if nothing is missing.
/// \code
/// std::puts(kr::skipped_devices().c_str());
/// \endcode
KRAIT_API text skipped_devices();

/// Waits for all devices, then throws as device::synchronize() does.
/// Errors of further devices are thrown by the next wait for each.
/// \code
/// scale.launch({64, 256}, x);
/// kr::synchronize();
/// \endcode
KRAIT_API void synchronize();

/// Which stream runs first if the device has no room for all.
/// Blocks of kernels with a higher priority start before others that wait.
enum class priority : signed char { low, normal, high };

/// A queue of work on one device: work in one stream runs in the order of the calls.
/// \code
/// kr::stream s;
/// scale.launch({64, 256, s}, x);
/// \endcode
class KRAIT_API stream {
 public:
  /// Makes a stream; only CUDA devices use the priority.
  explicit stream(device on = device(), priority rank = priority::normal);
  stream(stream&& other) noexcept : record_(other.record_) { other.record_ = nullptr; }
  stream& operator=(stream&&) = delete;
  ~stream();

  /// Wraps a stream of another library (a CUstream), which is not destroyed.
  static stream wrap(void* native, device on);

  /// The device of the stream.
  device on() const noexcept;
  /// The driver's handle: a CUstream on CUDA.
  void* native() const noexcept;
  /// Waits until all work in the stream is done.
  /// Throws the errors of that work that were not thrown before: faults of launches, and exceptions
  /// from functions of call_host. A stream that is destroyed before anyone waits for it throws
  /// nothing: the log has its errors.
  void synchronize() const;

  /// Calls `function()` on the host after all earlier and before all later work of the stream.
  /// On CUDA a thread of the driver calls it: the function must not use the device or wait for its
  /// work. Elsewhere the host waits for the stream and calls it at once. Its exception is thrown by
  /// the next wait for the stream, a later event in it, or the device. After a fault of a kernel it
  /// may not be called.
  /// \code
  /// int chunks_done = 0;
  /// kr::stream().call_host([&] { ++chunks_done; });
  /// \endcode
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

/// A point in a stream, to wait for or to measure time with.
/// \code
/// kr::event before, after;
/// before.record();
/// scale.launch({64, 256}, x);
/// after.record();
/// double ms = after.elapsed_ms_since(before);
/// \endcode
class KRAIT_API event {
 public:
  explicit event(device on = device());
  event(event&& other) noexcept : on_(other.on_), native_(other.native_) {
    other.native_ = nullptr;
  }
  event& operator=(event&&) = delete;
  ~event();

  /// Marks the end of the work that the stream (or the device's default stream) holds now.
  void record();
  void record(const stream& in);
  /// The host waits for the event.
  /// Throws the errors of earlier work in its stream. For the default stream these are the errors
  /// of this thread's work and of the thread that recorded the event.
  /// \code
  /// kr::stream first, second;
  /// kr::event done;
  /// done.record(first);
  /// done.wait(second);   // work in `second` waits for the work in `first`
  /// \endcode
  void wait() const;
  /// Later work in the stream waits for the event; between devices that are not both CUDA's, the
  /// host waits.
  void wait(const stream& in) const;
  /// Milliseconds from `from` to this event; both must have been recorded. It waits for both.
  double elapsed_ms_since(const event& from) const;

 private:
  device on_;
  void* native_ = nullptr;
};

}  // namespace krait
