// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers a kernel to LLVM IR as SPMD on SIMD. The emitter's parts: code.h the function and its
// blocks, values.h what values become (lowered.h), lanes.h masks, loop_slots.h memory before
// mem2reg, each_lane.h loops over lanes · control.h regions, branches.h, loops.h · pure.h,
// lane_bounds.h arithmetic · addresses.h, memory.h, row_accesses.h, members.h,
// atomics.h · warp.h · call.h · arguments.h, positions.h, gangs.h, row_gangs.h,
// blocks.h, fissioned.h the launch around the gangs. idioms.def has the parts that
// recognise a form.
#pragma once

#include "codegen/cpu/kit/code.h"

namespace krait::codegen::cpu {

/// Adds @entry and, for Range, @extent.
void emit_kernel(const Task& task);
/// A function that is called in one way.
Functions::Made emit_called(const Task& task, const Functions::Way& way);

}  // namespace krait::codegen::cpu
