// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's broadcasting: shapes are aligned at the last dimension; an extent of 1 repeats. Then
// element-wise calls get the form that their strides allow, and inputs that their outputs overlap
// are copied.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "host/overlap.h"
#include "host/kernel_state.h"
#include "devices/layout.h"
#include "krait/detail/arguments.h"
#include "krait/detail/elementwise.h"
#include "krait/detail/reduction.h"
#include "support/error.h"

namespace krait::detail {
namespace {

std::string text_of(const argument& a) { return host::shape_text(a.extents, a.rank); }

std::string all_shapes(const argument* arguments, unsigned count) {
  std::string s;
  for (unsigned i = 0; i < count; ++i)
    if (arguments[i].rank > 0) s += (s.empty() ? "" : " and ") + text_of(arguments[i]);
  return s;
}

using host::function_of;

/// Extents that all arguments broadcast to; false where there are none.
bool find_shape(const argument* inputs, unsigned count, int rank, std::int64_t* extents) {
  for (int d = 0; d < rank; ++d) extents[d] = 1;
  for (unsigned i = 0; i < count; ++i) {
    // the output's dimension that the argument's first one is
    const int first = rank - inputs[i].rank;
    for (int d = first; d < rank && inputs[i].rank > 0; ++d) {
      const std::int64_t e = inputs[i].extents[d - first];
      if (e == 1 || e == extents[d]) continue;
      if (extents[d] != 1) return false;
      extents[d] = e;
    }
  }
  return true;
}

[[noreturn]] void refuse_shapes(std::string_view of, const argument* inputs, unsigned count) {
  support::fail_usage(
      "{}: the arguments' shapes {} do not broadcast: from the last dimension on, "
      "extents must be equal or 1",
      of, all_shapes(inputs, count));
}

}  // namespace

void broadcast_shape(const kernel_state* of, const argument* inputs, unsigned count, int rank,
                     std::int64_t* extents) {
  if (!find_shape(inputs, count, rank, extents)) refuse_shapes(function_of(of), inputs, count);
}

void reduced_shape(const reduction_recipe& of, const argument* inputs, std::size_t own, bool starts,
                   int rank, std::int64_t* extents) {
  const unsigned count = unsigned(own), masks = unsigned(of.input_nodes - own);
  if (!find_shape(inputs, count, rank, extents)) refuse_shapes(of.name, inputs, count);
  if (masks == 0) return;
  const argument* const mask = inputs + own;
  std::int64_t all[max_rank];
  if (!find_shape(mask, masks, rank, all)) refuse_shapes(of.name, mask, masks);
  for (int d = 0; d < rank; ++d)
    if (all[d] != extents[d] && all[d] != 1)
      support::fail_usage(
          "{}: a where mask of shape {} does not broadcast to the shape {} of the array that "
          "is reduced",
          of.name, all_shapes(mask, masks), host::shape_text(extents, rank));
  if (of.needs_elements && !of.numbered && !starts)
    support::fail_usage(
        "reduction operation {} does not have an identity, so to use a where mask one has to "
        "specify kr::initial",
        of.name);
}

namespace {

/// Gives arguments the output's rank and extents, with stride 0 along broadcast dimensions.
void broadcast(const kernel_state* of, argument* arguments, unsigned inputs, unsigned count,
               int rank, const std::int64_t* extents) {
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
        support::fail_usage("{}: the output has shape {}, but the result has shape {}",
                            function_of(of), text_of(given), text_of(wanted));
      if (e != extents[d] && e != 1)
        support::fail_usage(
            "{}: an argument of shape {} does not broadcast to the output's shape {}",
            function_of(of), text_of(given), text_of(wanted));
      a.extents[d] = extents[d];
      a.strides[d] = own && !repeats ? given.strides[d - first] : 0;
    }
    a.rank = static_cast<unsigned char>(rank);
  }
}

/// The same elements in as few dimensions as the strides of all arrays allow. Their order does not
/// matter, so the dimension that is contiguous in the output comes last: arrays in Fortran's order
/// are as good as those in C's.
int merge_dimensions(argument* arguments, unsigned count, const argument& output, int rank,
                     const std::int64_t* extents) {
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
      if (arguments[i].rank > 0 &&
          arguments[i].strides[outer] != extents[inner] * arguments[i].strides[inner])
        return false;
    return true;
  };
  // A run of dimensions has the extents of all and the stride of its last.
  std::int64_t merged[max_rank];
  int last[max_rank], runs = 0;
  for (int k = 0; k < dims; ++k) {
    if (k > 0 && is_one(order[k - 1], order[k]))
      merged[runs - 1] *= extents[order[k]], last[runs - 1] = order[k];
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

}  // namespace

void call_elementwise(kernel_state* state, const void* lambda,
                      const elementwise_signatures& by_rank, argument* arguments, int rank,
                      const std::int64_t* extents, unsigned outputs, const call_config& config) {
  const unsigned count = by_rank.at[0]->count;
  broadcast(state, arguments, count - outputs, count, rank, extents);
  int merged = merge_dimensions(arguments, count, arguments[count - outputs], rank, extents);
  if (!by_rank.at[merged - 1]) {
    while (!by_rank.at[merged - 1]) ++merged;
    add_dimensions(arguments, count, merged);
  }
  const signature& as = *by_rank.at[merged - 1];
  const host::Apart apart(state, as, arguments, outputs, config, host::Apart::by_element);
  call(state, lambda, as, arguments, config);
}

}  // namespace krait::detail

namespace krait::host {

void broadcast_inputs(detail::argument* arguments, unsigned count, int rank,
                      const std::int64_t* extents) {
  detail::broadcast(nullptr, arguments, count, count, rank, extents);
}

}  // namespace krait::host
