// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are called are functions of the module. A view goes as its address, extents and,
// where they do not follow from the extents, strides; several results as a structure.
#pragma once

#include "codegen/spirv/kit/frame.h"

namespace krait::codegen::spirv {

class Arguments;

class Calls : public Part {
 public:
  Calls(Frame& frame, Arguments& arguments)
      : Part(frame), number_(frame.number), arguments_(arguments) {}
  /// Begins the function that is lowered, with its parameters.
  void begin();
  void call(const ir::Inst& i);
  /// The end of that function.
  void give_results(const ir::Inst& yield);

 private:
  std::vector<Id> passed_types(const ir::Type& t);
  Id result_type(const ir::Function& f);
  void bind_parameters(const std::vector<Id>& ids);

  std::size_t number_;  // of the function in the module
  Arguments& arguments_;
};

}  // namespace krait::codegen::spirv
