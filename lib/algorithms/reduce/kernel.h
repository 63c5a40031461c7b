// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of a reduction.
#pragma once

#include <vector>

#include "algorithms/tuning.h"
#include "krait/detail/reduction.h"

namespace krait::host {

/// Which of a reduction's kernels. Threads of a block are `lanes` that share the elements of a
/// result, by `groups` that each have a result.
struct ReduceForm {
  // of the inputs: 2, results by elements; more: the dimensions that stay before those that go
  int rank = 2;
  bool columns = false;      // groups are neighbours (along x), else lanes
  bool tree = true;          // more than one lane
  bool from_states = false;  // the inputs are what an earlier launch made
  bool to_states = false;    // for a later launch
  // one result, of elements beside each other from a multiple of 16 bytes on: lanes load vectors
  bool wide = false;
  bool row = false;  // of the general form: elements have one dimension, the last
  int joined = 2;    // states that a lane combines at a time
  friend auto operator<=>(const ReduceForm&, const ReduceForm&) = default;

  bool general() const { return rank > 2; }
};

/// A kernel object of the library, which is its own lambda.
struct ReduceKernel {
  const detail::reduction_recipe* recipe;
  ReduceForm form;
  detail::kernel_state* state = nullptr;
  std::vector<detail::parameter_type> parameters;
  detail::signature as{};

  ReduceKernel(const detail::reduction_recipe& of, const ReduceForm& how);
  ReduceKernel(const ReduceKernel&) = delete;
  ~ReduceKernel() { detail::free_kernel_state(state); }

  unsigned outputs() const { return form.to_states ? unsigned(recipe->state_words) : 1; }
  unsigned inputs() const {
    return form.from_states ? unsigned(recipe->state_words) : recipe->input_nodes;
  }
};

/// Numbers behind inputs and outputs, in this order, all i64 but the start.
struct ReduceNumbers {
  enum {
    results,
    elements,
    chunk,
    count,
    lane_bits,  // 2^lane_bits lanes: counts are divided by shifts
    dims
  };  // then, in general form, kept extents and reduced extents; then the words of the start
};

}  // namespace krait::host
