// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// About how many operations a thread runs, for decisions that a wrong guess does not make wrong: a loop counts as 16 trips.
#pragma once

#include "ir/ir.h"

namespace krait::ir {

/// Of a region, with all that it calls; a million at most.
unsigned weight(const Module& m, const Function& f, RegionId region);

/// Of the kernel, where a trip of grid_stride loops counts once: `strides` says whether there are any.
double weight(const Module& m, bool& strides);

}  // namespace krait::ir
