// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a module for cpu.
#include "codegen/cpu/cpu.h"

namespace krait::codegen::cpu {

Reply compile(const ir::Module&, const Target&, Emit) { unsupported("this build has no cpu code generator"); }

}  // namespace krait::codegen::cpu
