// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that nobody waits for, and memory of the host for them. What a back end cannot do is done
// by copies that wait.
#include "krait/async.h"

#include <cstdlib>

#include "host/graph.h"
#include "devices/layout.h"
#include "devices/memory.h"
#include "devices/streams.h"
#include "devices/tracing.h"
#include "runtime/async.h"
#include "support/error.h"

namespace krait::host {
namespace {

using detail::elements;

void check_dense(const elements& e) {
  if (!detail::is_dense(*e.at, false))
    support::fail_usage(
        "copy_async: the array's elements are not contiguous in C order: "
        "use copy_from or copy_to, or make a.copy() first");
}

std::uint64_t first_of(const elements& e) {
  return e.memory->address + std::uint64_t(e.at->offset) * e.element_bytes;
}
std::size_t bytes_of(const elements& e) { return std::size_t(size_of(*e.at)) * e.element_bytes; }

void copy_on_device(const elements& to, const elements& from, StreamRecord& record) {
  DeviceHandle& d = *record.device;
  if (detail::may_meet(to, from))
    support::fail_usage("copy_async: the arrays overlap: use copy_from");
  used_in(*to.memory, &record), used_in(*from.memory, &record);
  const std::string name = "on " + d.id;
  const DeviceSpan on_device(d, record.handle, name, "copy");
  d.device->copy_on_device(first_of(to), first_of(from), bytes_of(to), record.handle);
}

void copy_between_devices(const elements& to, const elements& from, StreamRecord& record) {
  const bool at_target = record.device == to.memory->device;
  detail::storage &own = at_target ? *to.memory : *from.memory,
                  &others = at_target ? *from.memory : *to.memory;
  used_in(own, &record);
  runtime::Device &here = *own.device->device, &there = *others.device->device;
  if (!are_peers(*own.device, *others.device)) {
    here.synchronize(record.handle), there.synchronize(order_of(others));
    return detail::copy_elements(to, from);
  }
  const StreamOn in{here, record.handle}, beside{there, order_of(others)};
  order(beside, in);
  {
    const std::string name = from.memory->device->id + " to " + to.memory->device->id;
    const DeviceSpan on_device(*record.device, record.handle, name, "copy");
    here.async()->copy_between({*to.memory->device->device, first_of(to)},
                               {*from.memory->device->device, first_of(from)}, bytes_of(to),
                               record.handle);
  }
  order(in, beside);
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

using namespace krait::host;

void* allocate_pinned(void* device_handle, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  runtime::Async* const async = static_cast<DeviceHandle*>(device_handle)->device->async();
  if (void* const memory = async ? async->allocate_pinned(bytes) : nullptr) return memory;
  constexpr std::size_t line = 64;  // of the cache
  void* const memory = std::aligned_alloc(line, (bytes + line - 1) / line * line);
  if (!memory) support::fail_device("kr::pinned: no memory of the host for {} bytes", bytes);
  return memory;
}

void free_pinned(void* device_handle, void* memory) noexcept {
  runtime::Async* const async = static_cast<DeviceHandle*>(device_handle)->device->async();
  if (!async || !async->free_pinned(memory)) std::free(memory);
}

void copy_from_host_async(const elements& to, const void* from, const stream& in) {
  if (size_of(*to.at) == 0) return;
  check_not_recorded("copy_async is called");
  DeviceHandle& d = *to.memory->device;
  StreamRecord& record = stream_on(d, in, "copy_async");
  check_dense(to);
  used_in(*to.memory, &record);
  const std::string name = "to " + d.id;
  const DeviceSpan on_device(d, record.handle, name, "copy");
  if (runtime::Async* const async = d.device->async())
    async->copy_to_device(first_of(to), from, bytes_of(to), record.handle);
  else d.device->copy_to_device(first_of(to), from, bytes_of(to), record.handle);
}

void copy_to_host_async(const elements& from, void* to, const stream& in) {
  if (size_of(*from.at) == 0) return;
  check_not_recorded("copy_async is called");
  DeviceHandle& d = *from.memory->device;
  StreamRecord& record = stream_on(d, in, "copy_async");
  check_dense(from);
  used_in(*from.memory, &record);
  const std::string name = "from " + d.id;
  const DeviceSpan on_device(d, record.handle, name, "copy");
  if (runtime::Async* const async = d.device->async())
    async->copy_to_host(to, first_of(from), bytes_of(from), record.handle);
  else d.device->copy_to_host(to, first_of(from), bytes_of(from), record.handle);
}

void copy_elements_async(const elements& to, const elements& from, const stream& in) {
  if (size_of(*to.at) == 0) return;
  check_not_recorded("copy_async is called");
  check_dense(to), check_dense(from);
  StreamRecord& record = alive(in);
  if (record.device != from.memory->device) stream_on(*to.memory->device, in, "copy_async");
  if (to.memory->device == from.memory->device) copy_on_device(to, from, record);
  else copy_between_devices(to, from, record);
}

}  // namespace krait::detail
