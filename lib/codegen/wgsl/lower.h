// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a kernel and the functions that it calls, and writes their WGSL. The parts: frame.h the
// module, a function and its values, expr.h what a value is, uses.h what is done with arrays ·
// control.h regions, straight.h instructions without regions · numeric.h arithmetic, helpers.def
// the functions that WGSL lacks · variables.h, memory.h, atomics.h · sync.h, warp.h · calls.h ·
// arguments.h, positions.h what a kernel finds.
#pragma once

#include <string>

#include "ir/ir.h"
#include "support/blobs/envelope.h"
#include "support/target.h"
#include "support/blobs/webgpu.h"

namespace krait::codegen::wgsl {

/// The module's text. Tells `envelope` the shared memory, and `own` all of its.
std::string lower_module(const ir::Module& module, const support::WebGpuTarget& target,
                         support::Envelope& envelope, support::WebGpuCode& own);

}  // namespace krait::codegen::wgsl
