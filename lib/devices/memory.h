// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of arrays.
#pragma once

#include <atomic>

#include "devices/devices.h"
#include "krait/detail/call.h"

namespace krait::detail {

struct storage {
  host::DeviceHandle* device = nullptr;
  std::uint64_t address = 0;
  std::size_t bytes = 0;
  bool owned = true;
  bool managed = false;    // owned, and reached by the host, too
  tensor_owner foreign{};  // of memory that another library lent
  // The stream of the last use (null: the default one). Memory used in several streams is freed
  // after the device is idle.
  host::StreamRecord* last = nullptr;
  bool several_streams = false;
  // devices/errors.h; 0: no launch that may have errors was given it
  std::atomic<std::uint64_t> number{0};
  // arrays, views and expressions of them, and graphs that use it
  std::atomic<unsigned> owners{1};
};

}  // namespace krait::detail

namespace krait::host {

/// Memory of a device, counted. Throws error{device} where the device or its limit has no more.
std::uint64_t allocate(DeviceHandle& device, std::size_t bytes, runtime::StreamHandle stream);
void free(DeviceHandle& device, std::uint64_t address, std::size_t bytes,
          runtime::StreamHandle stream) noexcept;
/// Gives kept blocks back to the driver; false: there were none.
bool drop_blocks(DeviceHandle& device);
/// Of memory that several streams use. Neither waits for the device.
void free_when_idle(DeviceHandle& device, std::uint64_t address, std::size_t bytes) noexcept;

/// Memory that the host reaches by the same address, counted likewise. Throws error{device} where
/// the device has none.
std::uint64_t allocate_managed(DeviceHandle& device, std::size_t bytes);

/// Makes one more owner, who calls detail::release: a graph, which may put work on the memory into
/// any stream.
void share(detail::storage& memory) noexcept;

/// Notes that work on the memory was put into this stream.
void used_in(detail::storage& memory, StreamRecord* stream);
/// The stream that frees and copies of the memory are ordered by.
runtime::StreamHandle order_of(const detail::storage& memory);
/// Until all work on the memory is done.
void wait_for(const detail::storage& memory);
/// Memory that another library lent, when no work uses it any more.
void give_back(detail::storage& memory) noexcept;
/// A stream record that its public object no longer holds.
void retire(StreamRecord* record) noexcept;

}  // namespace krait::host
