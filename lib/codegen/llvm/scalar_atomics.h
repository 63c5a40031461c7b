// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics. What the target lacks, or does with other rounding, is a compare-and-swap loop.
#pragma once

#include "codegen/llvm/scalar.h"

namespace krait::codegen::scalar {

class Memory;

class Atomics : public Part {
 public:
  Atomics(Code& code, Target& target, Memory& memory)
      : Part(code), target_(target), memory_(memory) {}
  void lower(const ir::Inst& inst);

 private:
  llvm::Value* emit(const ir::Inst& inst);
  llvm::Value* updated(ir::Op op, llvm::Value* x, llvm::Value* operand, ir::Scalar s);
  llvm::Value* compare_and_swap(const ir::Inst& inst, llvm::Value* pointer, llvm::Value* expected,
                                llvm::Value* desired, llvm::SyncScope::ID scope);
  llvm::Value* by_loop(const ir::Inst& inst, llvm::Value* pointer, llvm::Value* operand,
                       ir::Scalar s, llvm::SyncScope::ID scope);

  Target& target_;
  Memory& memory_;
};

}  // namespace krait::codegen::scalar
