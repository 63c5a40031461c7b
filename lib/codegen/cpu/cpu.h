// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "codegen/hints.h"
#include "codegen/raw.h"
#include "codegen/reply.h"
#include "ir/ir.h"
#include "support/target.h"

namespace krait::codegen::cpu {

/// Compiles a verified module. Throws Failure. Adds to `hints`, which may be null. `verified`:
/// LLVM's machine verifier reads the code behind each pass.
Reply compile(const ir::Module& module, const support::CpuTarget& target, Emit emit, Hints* hints,
              bool verified);

/// LLVM IR that is given, of one thread. Throws Failure.
Reply compile_raw(const ir::Module& module, const support::CpuTarget& target, const RawText& raw,
                  Emit emit, bool verified);

}  // namespace krait::codegen::cpu
