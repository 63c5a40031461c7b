// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace krait::codegen {

/// Arithmetic of addresses that several branches have in common is computed once, before them:
/// where guards stand around each access of a stencil, no branch dominates another, and each would
/// begin anew. Afterwards early-cse finds the rest.
struct ShareArithmetic : llvm::PassInfoMixin<ShareArithmetic> {
  static constexpr const char* pipeline_name = "share-arithmetic";
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace krait::codegen
