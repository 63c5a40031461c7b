// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a kernel and the functions that it calls, and emits their SPIR-V. The parts of the
// lowering: frame.h the function and its values, uses.h how it uses its arrays · control.h regions,
// straight.h instructions without regions · pure.h arithmetic · variables.h, memory.h, atomics.h ·
// sync.h, warp.h · calls.h · arguments.h, positions.h what a kernel finds at its start.
#pragma once

#include <vector>

#include "codegen/spirv/module/words.h"
#include "ir/ir.h"
#include "support/blobs/envelope.h"
#include "support/blobs/opencl.h"
#include "support/blobs/spirv.h"
#include "support/target.h"

namespace krait::codegen::spirv {

/// The module's words. Tells `envelope` the shared memory, and `own` all of its.
Words lower_module(const ir::Module& module, const support::SpirvTarget& target,
                   support::Envelope& envelope, support::SpirvCode& own);
/// The same for OpenCL, with where the kernel's parameters come from.
Words lower_kernel(const ir::Module& module, const support::SpirvTarget& target,
                   support::Envelope& envelope, support::OpenClCode& own,
                   std::vector<support::OpenClParameter>& parameters);

}  // namespace krait::codegen::spirv
