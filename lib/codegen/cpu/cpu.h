// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "codegen/target.h"
#include "ir/ir.h"

namespace krait::codegen::cpu {

/// Compiles a verified module. Throws Failure.
Reply compile(const ir::Module& module, const Target& target, Emit emit);

}  // namespace krait::codegen::cpu
