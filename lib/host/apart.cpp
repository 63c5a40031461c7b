// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/apart.h"

#include <numeric>

#include "host/graph.h"
#include "host/kernel_state.h"
#include "host/layout.h"
#include "host/memory.h"
#include "support/error.h"

namespace krait::host {

using detail::argument;

std::string function_of(const detail::kernel_state* of) { return of ? describe(*of) : "a moved-from element-wise function"; }

namespace {

/// The memory that an array's elements lie in.
struct Bytes {
  const void* space = nullptr;  // a device, or null: the host
  std::int64_t first = 0;       // the address of the first element
  Reach reach;
  std::int64_t element = 0;

  Bytes(const argument& a, std::uint32_t element_bytes) : element(element_bytes) {
    reach = reach_of(a.extents, a.strides, a.rank, element);
    if (a.kind == argument::host) {
      first = std::int64_t(reinterpret_cast<std::uintptr_t>(a.data));
    } else if (!a.memory) {
      reach = {};
    } else {
      space = a.memory->device->device->reaches_host() ? nullptr : a.memory->device;
      first = std::int64_t(a.memory->address + a.offset);
    }
  }
};

/// Whether some element of one may share a byte with one of the other.
bool may_meet(const argument& x, const Bytes& a, const argument& y, const Bytes& b) {
  if (a.space != b.space || a.first + a.reach.begin >= b.first + b.reach.end || b.first + b.reach.begin >= a.first + a.reach.end)
    return false;
  std::int64_t grid = 0;  // both lie on multiples of it, from their first elements
  for (int d = 0; d < x.rank; ++d)
    if (x.extents[d] > 1) grid = std::gcd(grid, x.strides[d] * a.element);
  for (int d = 0; d < y.rank; ++d)
    if (y.extents[d] > 1) grid = std::gcd(grid, y.strides[d] * b.element);
  if (grid == 0) return true;
  const std::int64_t distance = ((b.first - a.first) % grid + grid) % grid;
  return distance < a.element || grid - distance < b.element;
}

/// Each element of one lies where the other's of the same indices lies.
bool are_same(const argument& x, const Bytes& a, const argument& y, const Bytes& b) {
  if (a.first != b.first || a.element != b.element) return false;
  for (int d = 0; d < x.rank; ++d)
    if (x.extents[d] > 1 && x.strides[d] != y.strides[d]) return false;
  return true;
}

void check_output(const detail::kernel_state* of, const argument& a, const Bytes& own) {
  if (own.reach.begin == own.reach.end) return;
  for (int d = 0; d < a.rank; ++d)
    if (a.extents[d] > 1 && a.strides[d] == 0)
      support::fail_usage("{}: elements of the output repeat (a stride of it is 0): they cannot be written", function_of(of));
}

}  // namespace

Apart::Apart(const detail::kernel_state* of, const detail::signature& as, argument* arguments, unsigned outputs,
             const detail::call_config& config, Order order)
    : of_(of), config_(config) {
  const unsigned inputs = as.count - outputs;
  const auto bytes_of = [&](unsigned i) { return Bytes(arguments[i], as.parameters[i].elem_bytes); };
  for (unsigned o = inputs; o < as.count; ++o) {
    const argument& out = arguments[o];
    const Bytes written = bytes_of(o);
    check_output(of, out, written);
    for (unsigned other = inputs; other < o; ++other)
      if (may_meet(out, written, arguments[other], bytes_of(other)))
        support::fail_usage("{}: two outputs overlap", function_of(of_));
    for (unsigned i = 0; i < inputs; ++i) {
      argument& in = arguments[i];
      if (in.rank == 0) continue;
      const Bytes read = bytes_of(i);
      if (!may_meet(in, read, out, written)) continue;
      if (order == any_order || !are_same(in, read, out, written)) copy(in, read.first, read.reach);
    }
  }
}

void Apart::copy(argument& a, std::int64_t first, const Reach& reach) {
  if (open_graph())
    support::fail_usage(
        "{}: an input overlaps the output, and would be copied first, which a graph does not record: "
        "copy it yourself",
        function_of(of_));
  const auto size = std::size_t(reach.end - reach.begin);
  if (a.kind == argument::host) {
    const auto* from = static_cast<const std::byte*>(a.data);
    a.data = host_.emplace_back(from, from + size).data();
    return;
  }
  DeviceHandle& d = *a.memory->device;
  const StreamRecord* stream = config_.on ? record_of(*config_.on) : nullptr;
  const detail::memory_share& own = device_.emplace_back(detail::allocate(&d, size));
  d.device->copy_on_device(own.get()->address, std::uint64_t(first + reach.begin), size,
                           stream ? stream->handle : runtime::StreamHandle{});
  a.memory = own.get(), a.offset = std::uint64_t(-reach.begin);
}

}  // namespace krait::host
