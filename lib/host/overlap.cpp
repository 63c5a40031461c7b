// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/overlap.h"

#include <cstdlib>
#include <numeric>

#include "host/graph.h"
#include "host/kernel_state.h"
#include "devices/layout.h"
#include "devices/memory.h"
#include "support/error.h"

namespace krait::host {

using detail::argument;

std::string function_of(const detail::kernel_state* of) {
  return of ? describe(*of) : "a moved-from element-wise function";
}

namespace {

/// The memory that an array's elements lie in.
struct Bytes {
  const void* space = nullptr;  // a device, or null: the host
  std::int64_t first = 0;       // the address of the first element
  Reach reach;
  std::int64_t element = 0;

  Bytes(const detail::elements& of) : element(std::int64_t(of.element_bytes)) {
    if (!of.memory) return;
    reach = reach_of(of.at->extents, of.at->strides, of.at->rank, element);
    space = space_of(*of.memory->device);
    first = std::int64_t(of.memory->address) + of.at->offset * element;
  }
  Bytes(const argument& a, std::uint32_t element_bytes) : element(element_bytes) {
    reach = reach_of(a.extents, a.strides, a.rank, element);
    if (a.kind == argument::host) {
      first = std::int64_t(reinterpret_cast<std::uintptr_t>(a.data));
    } else if (!a.memory) {
      reach = {};
    } else {
      space = space_of(*a.memory->device);
      first = std::int64_t(a.memory->address + a.offset);
    }
  }

 private:
  static const void* space_of(const DeviceHandle& device) {
    return device.device->reaches_host() ? nullptr : &device;
  }
};

/// Whether some element of one may share a byte with one of the other.
template <class Shaped>
bool may_meet(const Shaped& x, const Bytes& a, const Shaped& y, const Bytes& b) {
  if (a.space != b.space || a.first + a.reach.begin >= b.first + b.reach.end ||
      b.first + b.reach.begin >= a.first + a.reach.end)
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

/// Whether two elements may lie at one place: a stride is no longer than what the shorter ones
/// reach.
template <class Shaped>
bool repeats(const Shaped& a) {
  int order[detail::max_rank], dims = 0;
  for (int d = 0; d < a.rank; ++d) {
    if (a.extents[d] == 0) return false;
    if (a.extents[d] == 1) continue;
    int at = dims++;
    for (; at > 0 && std::abs(a.strides[order[at - 1]]) > std::abs(a.strides[d]); --at)
      order[at] = order[at - 1];
    order[at] = d;
  }
  std::int64_t reached = 0;
  for (int k = 0; k < dims; ++k) {
    const std::int64_t stride = std::abs(a.strides[order[k]]);
    if (stride <= reached) return true;
    reached += (a.extents[order[k]] - 1) * stride;
  }
  return false;
}

[[noreturn]] void refuse_repeats(const std::string& function) {
  support::fail_usage(
      "{}: elements of the output share memory (its strides are too short): they cannot be written",
      function);
}

}  // namespace

Apart::Apart(const detail::kernel_state* of, const detail::signature& as, argument* arguments,
             unsigned outputs, const detail::call_config& config, Order order)
    : of_(of), config_(config) {
  const unsigned inputs = as.count - outputs;
  const auto bytes_of = [&](unsigned i) {
    return Bytes(arguments[i], as.parameters[i].elem_bytes);
  };
  for (unsigned o = inputs; o < as.count; ++o) {
    const argument& out = arguments[o];
    const Bytes written = bytes_of(o);
    if (repeats(out)) refuse_repeats(function_of(of));
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
  const auto size = std::size_t(reach.end - reach.begin);
  if (a.kind == argument::host) {
    const auto* from = static_cast<const std::byte*>(a.data);
    a.data = host_.emplace_back(from, from + size).data();
    return;
  }
  DeviceHandle& d = *a.memory->device;
  const StreamRecord* stream = config_.on ? record_of(*config_.on) : nullptr;
  const detail::memory_share& own = device_.emplace_back(detail::allocate(&d, size));
  if (open_graph()) {
    const std::int64_t extent[] = {std::int64_t(size)};
    const detail::layout to = detail::dense(extent, 1, false);
    detail::layout from = to;
    from.offset = first + reach.begin - std::int64_t(a.memory->address);
    detail::copy_elements({own.get(), &to, 1}, {a.memory, &from, 1});
  } else {
    d.device->copy_on_device(own.get()->address, std::uint64_t(first + reach.begin), size,
                             stream ? stream->handle : runtime::StreamHandle{});
  }
  a.memory = own.get(), a.offset = std::uint64_t(-reach.begin);
}

}  // namespace krait::host

namespace krait::detail {

bool may_meet(const elements& x, const elements& y) {
  const host::Bytes a(x), b(y);
  if (a.reach.begin == a.reach.end || b.reach.begin == b.reach.end) return false;
  return host::may_meet(*x.at, a, *y.at, b);
}

void check_apart(const layout& written, const char* function) {
  if (host::repeats(written)) host::refuse_repeats(function);
}

}  // namespace krait::detail
