// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The user's lines, for debuggers and profilers: OpLine, and where the device takes them the
// instructions of NonSemantic.Shader.DebugInfo.100 with the text of the files that can be read.
// Neither changes what the code does.
#pragma once

#include "codegen/spirv/kit/frame.h"

namespace krait::codegen::spirv {

class Lines : public Part {
 public:
  explicit Lines(Frame& frame) : Part(frame), number_(frame.number) {}

  /// In the function's first block, before all others.
  void begin();
  /// What is emitted from here to the end of the block is of this line.
  void at(const ir::Location& place);

 private:
  bool describes() const { return unit_.debug && e_.has(Feature::DebugInfo) && !e_.kernel(); }
  /// Outside of functions, or in one.
  Id global(std::uint32_t instruction, std::initializer_list<Id> operands);
  void local(std::uint32_t instruction, std::initializer_list<Id> operands);
  Id source(const std::string& file);

  const std::size_t number_;
  Id function_ = 0;  // the set's
  Id block_ = 0;     // of the last line
  const ir::Location* last_ = nullptr;
};

}  // namespace krait::codegen::spirv
