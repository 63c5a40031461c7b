// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A guard against a miscompilation of LLVM 22.
#pragma once

#include <llvm/IR/PassInstrumentation.h>

namespace krait::codegen {

/// Pipelines of passes with these callbacks leave masked loads in front of the stores behind them.
/// To be given to the PassBuilder.
void keep_masked_loads(llvm::PassInstrumentationCallbacks& callbacks);

}  // namespace krait::codegen
