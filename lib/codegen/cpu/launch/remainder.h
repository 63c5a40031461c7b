// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rest of a range, fewer elements than a gang has lanes, without code of its own: it runs on
// copies of its elements.
#pragma once

#include <vector>

#include "codegen/cpu/kit/part.h"

namespace llvm {
class PHINode;
}

namespace krait::codegen::cpu {

class Gangs;

/// An array whose elements the rest of a range takes from, and puts back through, a copy.
struct RemainderArray {
  ir::ValueId array = ir::none;
  ir::Scalar scalar{};
  bool read = false;  // or not written by every element
  bool written = false;
};

class Remainder : public Part {
 public:
  Remainder(const Common& common, Gangs& gangs) : Part(common), gangs_(gangs) {}
  /// Empty where the rest needs code of its own.
  std::vector<RemainderArray> remainder_arrays() const;
  /// Gangs over [begin, end): whole ones on the arrays, then one on copies, by the same code.
  void emit_gangs_and_copies(V begin, V end, const std::vector<RemainderArray>& arrays,
                             llvm::function_ref<void(V)> place);

 private:
  /// An array, and the copy of its last elements.
  struct Home {
    V array, copy;
    llvm::Type* type;
    llvm::PHINode* now;
  };
  std::vector<Home> make_copies(const std::vector<RemainderArray>& arrays);

  Gangs& gangs_;
};

}  // namespace krait::codegen::cpu
