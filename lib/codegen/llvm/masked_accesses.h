// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards against miscompilations of LLVM 22.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>

namespace krait::codegen {

/// Pipelines of passes with these callbacks leave masked loads in front of the stores behind them.
/// To be given to the PassBuilder.
void keep_masked_loads(llvm::PassInstrumentationCallbacks& callbacks);

/// Makes a store of one lane of each masked store whose mask is known to have no other. To be
/// called behind the last pass over the module.
void store_lone_lanes(llvm::Module& module);

}  // namespace krait::codegen
