// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are called are functions of the module, one for each choice of arrays that one is
// given: those are variables of the module, to which WGSL has no pointers.
#pragma once

#include "codegen/wgsl/frame.h"

namespace krait::codegen::wgsl {

class Calls : public Part {
 public:
  explicit Calls(Frame& frame) : Part(frame) {}
  void call(const ir::Inst& i);
  /// The head of the function that is lowered.
  void begin(const Instance& instance);
  /// Its end.
  void give_results(const ir::Inst& yield);

 private:
  std::string result_type(const ir::Function& f, const std::string& name) const;
  std::string name_;
};

}  // namespace krait::codegen::wgsl
