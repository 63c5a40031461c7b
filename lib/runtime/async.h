// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a back end may do besides (Device::async): memory that host and device both reach, copies
// that nobody waits for, and work between two devices. What it cannot do it answers with nothing,
// and the host does it by the functions of Device.
#pragma once

#include "krait/detail/function_ref.h"
#include "runtime/backend.h"

namespace krait::runtime {

class Async {
 public:
  virtual ~Async() = default;

  /// Memory of the host that the device copies from and to by itself. Null: any memory is as good.
  virtual void* allocate_pinned(std::size_t) { return nullptr; }
  /// When the device is next waited for; never waits. False: the memory is not of allocate_pinned.
  virtual bool free_pinned(void*) noexcept { return false; }
  /// Memory that the host reaches by the same address. 0: there is none.
  virtual std::uint64_t allocate_managed(std::size_t) { return 0; }
  /// When the device is next waited for; never waits.
  virtual void free_managed(std::uint64_t, std::size_t) noexcept {}

  enum class Priority : signed char { Low, Normal, High };
  /// With no handle: the device has no priorities.
  virtual StreamHandle create_stream(Priority) { return {}; }
  /// Calls function(with) when the stream comes there, in a thread of the driver's. False: it
  /// cannot.
  virtual bool call_host(void (*)(void*), void*, StreamHandle) { return false; }

  /// Both return before the bytes are copied where the back end can. The host leaves them alone
  /// until the stream is through.
  virtual void copy_to_device(std::uint64_t to, const void* from, std::size_t bytes,
                              StreamHandle stream) = 0;
  virtual void copy_to_host(void* to, std::uint64_t from, std::size_t bytes,
                            StreamHandle stream) = 0;

  /// Streams of one wait for events of the other (Device::wait), and bytes go from one to the other
  /// without the host.
  virtual bool is_peer(Device&) const { return false; }
  struct Place {
    Device& device;  // this or a peer
    std::uint64_t address;
  };
  /// In a stream of this device. Only for peers.
  virtual void copy_between(const Place&, const Place&, std::size_t, StreamHandle) {}

  // For libraries that put work of their own beside ours, such as NCCL.

  /// What names the hardware in all processes of the machine. Empty: no such library uses it.
  virtual std::string hardware() { return {}; }
  /// Calls f where such libraries find this device as the thread's own.
  virtual void in_context(krait::detail::function_ref<void()> f) { f(); }
  /// A stream of high priority that does not wait for the default one, nor that one for it.
  virtual StreamHandle create_stream_apart() { return {}; }
  /// Whether what the event marks is done. Never waits.
  virtual bool is_done(EventHandle) { return true; }
};

}  // namespace krait::runtime
