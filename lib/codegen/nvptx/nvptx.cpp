// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a module for nvptx.
#include "codegen/nvptx/nvptx.h"

namespace krait::codegen::nvptx {

Reply compile(const ir::Module&, const Target&, Emit) { unsupported("this build has no nvptx code generator"); }

}  // namespace krait::codegen::nvptx
