// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of the grid that are cut to the threads which do something.
//
// Most kernels are `if (i > 0 && i < n - 1 && ...) { ... }`. In a row of the grid such a condition
// is numbers that the whole row shares, and bounds of x. So it is tested once a row: the gangs run
// from the first thread that goes inside to the last one, and nothing of the test is left inside.
// They still begin at multiples of their size, so the first one may be partial, too: from the first
// thread on, columns of arrays would take two cache lines a gang (Gram-Schmidt: 1.25 of the time).
#pragma once

#include <optional>
#include <vector>

#include "ir/ir.h"

namespace krait::codegen::cpu {

/// A kernel's body that is pure but for what lies under its guards.
struct GuardedRow {
  struct Bound {
    ir::ValueId limit;  // x is on one side of it, as its type orders numbers
    bool below, equal;  // x < limit; also x == limit
  };
  std::vector<Bound> bounds;
  std::vector<ir::ValueId> conditions;        // that the whole row shares
  std::vector<ir::InstId> of_row, of_thread;  // the pure instructions around what is guarded
  ir::InstId guard = ir::none;                // the innermost
  ir::RegionId guarded = ir::none;
  bool cuts_begin() const;
};

/// None where the body has no such guard, or does more outside of it.
std::optional<GuardedRow> find_guarded_row(const ir::Function& f);

}  // namespace krait::codegen::cpu
