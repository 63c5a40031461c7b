// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace krait::codegen {

/// Indices that grow by the same step in each trip of a loop become numbers of 64 bits before the
/// loop. In 32 bits they may wrap around for all that LLVM knows, so that each trip would multiply
/// and widen them anew. Of arrays below 2^31 elements no two elements have indices that are equal
/// but for a wrap: where each trip accesses one, the sum of 64 bits is the index.
struct WidenSteps : llvm::PassInfoMixin<WidenSteps> {
  static constexpr const char* pipeline_name = "widen-steps";
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace krait::codegen
