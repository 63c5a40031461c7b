// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is equal in a gang of lanes, and which jumps take only some of them:
// passes/analysis/uniformity.h, told how the threads lie on lanes.
#pragma once

#include <vector>

#include "codegen/cpu/plan/lane_forms.h"
#include "codegen/cpu/plan/shape.h"
#include "ir/calls.h"
#include "ir/ir.h"
#include "passes/analysis/uniformity.h"

namespace krait::codegen::cpu {

/// Of lanes: a warp is the gang.
struct Divergence : passes::Uniformity {
  LaneForms forms;
};

/// thread_idx.x, in a type that holds it, and where rows are whole warps the place in the grid:
/// both are multiples of the gang's size where a gang begins. None where v is neither.
ir::ValueId place_in_row(const ir::Function& f, ir::ValueId v);
/// `parameters`: of a function that is called, what its parameters are; else they are equal in the
/// block.
Divergence find_divergence(const ir::Function& f, const ir::Calls& calls, const Shape& shape,
                           ir::InstId range_loop,
                           const std::vector<passes::Uniform>& parameters = {});

}  // namespace krait::codegen::cpu
