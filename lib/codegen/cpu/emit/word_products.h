// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of words (ir/tiles.h), which a block computes once: by the processor's tile registers
// (AMX), in a function of its own for each shape. It loads their configuration, and releases them
// before it returns. Where the system refuses them to the process, the function goes through rows
// of vectors.
#pragma once

#include "codegen/cpu/kit/part.h"

namespace krait::ir {
struct WordProduct;
}

namespace krait::codegen::cpu {

class Addresses;

class WordProducts : public Part {
 public:
  WordProducts(const Common& common, Addresses& addresses) : Part(common), addresses_(addresses) {}
  /// `scalar` gives an operand's value, which is the block's.
  void emit(const ir::Inst& inst, llvm::function_ref<V(ir::ValueId)> scalar);

 private:
  struct Parameters {
    V sums, left, right, words;
  };
  llvm::Function* function_of(const ir::Inst& inst);
  void emit_tiles(const ir::WordProduct& p, const Parameters& of);
  void emit_rows(const ir::WordProduct& p, const Parameters& of);
  V dot(const ir::WordProduct& p, V left, V right, V sums);

  Addresses& addresses_;
};

}  // namespace krait::codegen::cpu
