// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's broadcasting: shapes are aligned at the last dimension; an extent of 1 repeats.
#include <string>

#include "host/kernel_state.h"
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

bool broadcast(const kernel_state* of, argument* arguments, unsigned inputs, unsigned count, int rank,
               const std::int64_t* extents) {
  argument wanted;
  wanted.rank = static_cast<unsigned char>(rank);
  for (int d = 0; d < rank; ++d) wanted.extents[d] = extents[d];
  set_strides(wanted);

  bool flat = true;
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
      flat = flat && !repeats && e == extents[d];
      a.extents[d] = extents[d];
      a.strides[d] = own && !repeats ? given.strides[d - first] : 0;
    }
    a.rank = static_cast<unsigned char>(rank);
    for (int d = 0; d < rank; ++d) flat = flat && (extents[d] == 1 || a.strides[d] == wanted.strides[d]);
  }
  if (!flat) return false;
  std::int64_t total = 1;
  for (int d = 0; d < rank; ++d) total *= extents[d];
  for (unsigned i = 0; i < count; ++i) {
    argument& a = arguments[i];
    if (a.rank == 0) continue;
    a.rank = 1, a.extents[0] = total, a.strides[0] = 1;
  }
  return true;
}

}  // namespace krait::detail
