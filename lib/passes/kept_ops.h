// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations and functions that a target has instructions for, so that expand_ops and
// expand_math leave them.
#pragma once

#include "passes/passes.h"

namespace krait::passes {

using KeepsOp = bool (*)(const ir::Inst&);
KeepsOp kept_ops(const support::Target& target);
/// From math_targets.def.
ChooseExpansion kept_functions(const support::Target& target);

bool keeps_no_op(const ir::Inst& inst);
/// All but conversions that saturate: only some targets have an instruction for those, to floats of
/// 8 bits.
bool keeps_plain_ops(const ir::Inst& inst);
/// PTX from sm_89 on.
bool keeps_ops_of_ptx89(const ir::Inst& inst);

/// Whether the target is a processor's OpenCL driver, which computes functions one number at a
/// time.
bool is_processor_of_opencl(const support::Target& target);

}  // namespace krait::passes
