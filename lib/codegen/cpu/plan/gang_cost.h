// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// About how many cycles a thread takes as a lane of vectors, and as scalar code: what lanes in step
// lose where they diverge, and where their elements lie apart.
#pragma once

#include "codegen/cpu/plan/shape.h"
#include "ir/calls.h"
#include "ir/ir.h"

namespace krait::codegen::cpu {

struct GangCost {
  double lane = 0, scalar = 0;  // cycles of a thread
  bool diverges = false;        // where data say so
};

/// `active`: lanes of the gang that have a thread.
GangCost cost_of(const ir::Module& module, const Traits& traits, const Shape& shape,
                 unsigned active);

}  // namespace krait::codegen::cpu
