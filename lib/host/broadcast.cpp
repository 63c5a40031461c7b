// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's broadcasting: shapes are aligned at the last dimension; an extent of 1 repeats. Then element-wise calls get the form that
// their strides allow, and inputs that their outputs overlap are copied.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "host/graph.h"
#include "host/kernel_state.h"
#include "host/layout.h"
#include "host/memory.h"
#include "krait/detail/arguments.h"
#include "krait/detail/elementwise.h"
#include "support/error.h"

namespace krait::detail {
namespace {

std::string text_of(const argument& a) {
  std::string s = "(";
  for (unsigned d = 0; d < a.rank; ++d) s += (d ? ", " : "") + std::to_string(a.extents[d]);
  return s + ")";
}

std::string all_shapes(const argument* arguments, unsigned count) {
  std::string s;
  for (unsigned i = 0; i < count; ++i)
    if (arguments[i].rank > 0) s += (s.empty() ? "" : " and ") + text_of(arguments[i]);
  return s;
}

std::string function_of(const kernel_state* of) { return of ? host::describe(*of) : "a moved-from element-wise function"; }

}  // namespace

void broadcast_shape(const kernel_state* of, const argument* inputs, unsigned count, int rank, std::int64_t* extents) {
  for (int d = 0; d < rank; ++d) extents[d] = 1;
  for (unsigned i = 0; i < count; ++i) {
    const int first = rank - inputs[i].rank;  // the output's dimension that the argument's first one is
    for (int d = first; d < rank && inputs[i].rank > 0; ++d) {
      const std::int64_t e = inputs[i].extents[d - first];
      if (e == 1 || e == extents[d]) continue;
      if (extents[d] != 1)
        support::fail_usage(
            "{}: the arguments' shapes {} do not broadcast: from the last dimension on, extents must be equal or 1",
            function_of(of), all_shapes(inputs, count));
      extents[d] = e;
    }
  }
}

namespace {

/// Gives arguments the output's rank and extents, with stride 0 along broadcast dimensions.
void broadcast(const kernel_state* of, argument* arguments, unsigned inputs, unsigned count, int rank,
               const std::int64_t* extents) {
  argument wanted;
  wanted.rank = static_cast<unsigned char>(rank);
  for (int d = 0; d < rank; ++d) wanted.extents[d] = extents[d];

  for (unsigned i = 0; i < count; ++i) {
    argument& a = arguments[i];
    if (a.rank == 0) continue;
    const argument given = a;
    const int first = rank - given.rank;
    for (int d = 0; d < rank; ++d) {
      const bool own = d >= first;
      const std::int64_t e = own ? given.extents[d - first] : 1;
      const bool repeats = e == 1 && extents[d] != 1;
      if (i >= inputs && e != extents[d])
        support::fail_usage("{}: the output has shape {}, but the result has shape {}", function_of(of), text_of(given),
                            text_of(wanted));
      if (e != extents[d] && e != 1)
        support::fail_usage("{}: an argument of shape {} does not broadcast to the output's shape {}", function_of(of),
                            text_of(given), text_of(wanted));
      a.extents[d] = extents[d];
      a.strides[d] = own && !repeats ? given.strides[d - first] : 0;
    }
    a.rank = static_cast<unsigned char>(rank);
  }
}

/// The same elements in as few dimensions as the strides of all arrays allow. Their order does not matter, so the dimension that is
/// contiguous in the output comes last: arrays in Fortran's order are as good as those in C's.
int merge_dimensions(argument* arguments, unsigned count, const argument& output, int rank, const std::int64_t* extents) {
  int order[max_rank], dims = 0;
  const auto distance = [&](int d) { return std::abs(output.strides[d]); };
  // By insertion: a stable sort of the library's would allocate at each call.
  for (int d = 0; d < rank; ++d) {
    if (extents[d] == 1) continue;
    int at = dims++;
    for (; at > 0 && distance(order[at - 1]) < distance(d); --at) order[at] = order[at - 1];
    order[at] = d;
  }

  const auto is_one = [&](int outer, int inner) {
    for (unsigned i = 0; i < count; ++i)
      if (arguments[i].rank > 0 && arguments[i].strides[outer] != extents[inner] * arguments[i].strides[inner]) return false;
    return true;
  };
  // A run of dimensions has the extents of all and the stride of its last.
  std::int64_t merged[max_rank];
  int last[max_rank], runs = 0;
  for (int k = 0; k < dims; ++k) {
    if (k > 0 && is_one(order[k - 1], order[k])) merged[runs - 1] *= extents[order[k]], last[runs - 1] = order[k];
    else merged[runs] = extents[order[k]], last[runs++] = order[k];
  }
  for (unsigned i = 0; i < count; ++i) {
    argument& a = arguments[i];
    if (a.rank == 0) continue;
    const argument given = a;
    for (int r = 0; r < runs; ++r) a.extents[r] = merged[r], a.strides[r] = given.strides[last[r]];
    if (runs == 0) a.extents[0] = 1, a.strides[0] = 1;
    a.rank = static_cast<unsigned char>(std::max(runs, 1));
  }
  return std::max(runs, 1);
}

/// Dimensions of extent 1 in front.
void add_dimensions(argument* arguments, unsigned count, int rank) {
  for (unsigned i = 0; i < count; ++i) {
    argument& a = arguments[i];
    if (a.rank == 0) continue;
    const int more = rank - a.rank;
    std::int64_t span = a.extents[0] * a.strides[0];  // what a contiguous array would have
    for (int d = rank - 1; d >= 0; --d) {
      a.extents[d] = d >= more ? a.extents[d - more] : 1;
      a.strides[d] = d >= more ? a.strides[d - more] : span;
    }
    a.rank = static_cast<unsigned char>(rank);
  }
}

/// The memory that an array's elements lie in.
struct Bytes {
  const void* space = nullptr;  // a device, or null: the host
  std::int64_t first = 0;       // the address of the first element
  host::Reach reach;
  std::int64_t element = 0;

  Bytes(const argument& a, std::uint32_t element_bytes) : element(element_bytes) {
    reach = host::reach_of(a.extents, a.strides, a.rank, element);
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
  for (int d = 0; d < x.rank; ++d) {
    if (x.extents[d] > 1) grid = std::gcd(grid, x.strides[d] * a.element);
    if (y.extents[d] > 1) grid = std::gcd(grid, y.strides[d] * b.element);
  }
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

/// Copies of inputs that an output overlaps, while the call runs.
class Apart {
 public:
  Apart(const kernel_state* of, const signature& as, argument* arguments, unsigned outputs, const call_config& config)
      : of_(of), as_(as), arguments_(arguments), config_(config) {
    const unsigned inputs = as.count - outputs;
    for (unsigned o = inputs; o < as.count; ++o) {
      check_output(o, inputs);
      for (unsigned i = 0; i < inputs; ++i) {
        const argument &in = arguments[i], &out = arguments[o];
        if (in.rank == 0) continue;
        const Bytes read = bytes_of(i), written = bytes_of(o);
        if (may_meet(in, read, out, written) && !are_same(in, read, out, written)) copy(arguments[i], read);
      }
    }
  }

 private:
  Bytes bytes_of(unsigned i) const { return {arguments_[i], as_.parameters[i].elem_bytes}; }

  void check_output(unsigned o, unsigned first) const {
    const argument& a = arguments_[o];
    if (const Bytes own = bytes_of(o); own.reach.begin == own.reach.end) return;
    for (int d = 0; d < a.rank; ++d)
      if (a.extents[d] > 1 && a.strides[d] == 0)
        support::fail_usage("{}: elements of the output repeat (a stride of it is 0): they cannot be written", function_of(of_));
    for (unsigned other = first; other < o; ++other)
      if (may_meet(a, bytes_of(o), arguments_[other], bytes_of(other)))
        support::fail_usage("{}: two outputs overlap", function_of(of_));
  }
  void copy(argument& a, const Bytes& read) {
    if (host::open_graph())
      support::fail_usage(
          "{}: an input overlaps the output, and would be copied first, which a graph does not record: "
          "copy it yourself",
          function_of(of_));
    const auto size = std::size_t(read.reach.end - read.reach.begin);
    if (a.kind == argument::host) {
      const auto* from = static_cast<const std::byte*>(a.data);
      a.data = host_.emplace_back(from, from + size).data();
      return;
    }
    host::DeviceHandle& d = *a.memory->device;
    const host::StreamRecord* stream = config_.on ? host::record_of(*config_.on) : nullptr;
    const memory_share& own = device_.emplace_back(allocate(&d, size));
    d.device->copy_on_device(own.get()->address, std::uint64_t(read.first + read.reach.begin), size,
                             stream ? stream->handle : runtime::StreamHandle{});
    a.memory = own.get(), a.offset = std::uint64_t(-read.reach.begin);
  }

  const kernel_state* of_;
  const signature& as_;
  argument* arguments_;
  const call_config& config_;
  std::vector<std::vector<std::byte>> host_;  // all three allocate nothing where nothing overlaps
  std::vector<memory_share> device_;
};

}  // namespace

void call_elementwise(kernel_state* state, const void* lambda, const elementwise_signatures& by_rank, argument* arguments,
                      int rank, const std::int64_t* extents, unsigned outputs, const call_config& config) {
  const unsigned count = by_rank.at[0]->count;
  broadcast(state, arguments, count - outputs, count, rank, extents);
  int merged = merge_dimensions(arguments, count, arguments[count - outputs], rank, extents);
  if (!by_rank.at[merged - 1]) {
    while (!by_rank.at[merged - 1]) ++merged;
    add_dimensions(arguments, count, merged);
  }
  const signature& as = *by_rank.at[merged - 1];
  const Apart apart(state, as, arguments, outputs, config);
  call(state, lambda, as, arguments, config);
}

}  // namespace krait::detail

namespace krait::host {

void broadcast_inputs(detail::argument* arguments, unsigned count, int rank, const std::int64_t* extents) {
  detail::broadcast(nullptr, arguments, count, count, rank, extents);
}

}  // namespace krait::host
