// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are called, whose parameters and results are scalars. A view goes as its address,
// extents and, where they do not follow from the extents, strides.
#pragma once

#include <vector>

#include "codegen/llvm/scalar.h"

namespace krait::codegen::scalar {

class Calls : public Part {
 public:
  Calls(Code& code, Target& target) : Part(code), target_(target) {}
  /// Makes the function that is lowered.
  void create();
  /// Gives its parameters their values and arrays.
  void bind();
  void lower(const ir::Inst& call);
  /// The end of that function.
  void give_results(const ir::Inst& yield);

 private:
  std::vector<llvm::Type*> passed_types(const ir::Type& t) const;
  llvm::Type* result_type() const;

  Target& target_;
};

}  // namespace krait::codegen::scalar
