// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a module for spirv.
#include "codegen/spirv/spirv.h"

namespace krait::codegen::spirv {

Reply compile(const ir::Module&, const Target&, Emit) { unsupported("this build has no spirv code generator"); }

}  // namespace krait::codegen::spirv
