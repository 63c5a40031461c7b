// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a SPIR-V module: the entry point's body, which is appended in order, and
// functions that are called.
#pragma once

#include "codegen/spirv/module/globals.h"

namespace krait::codegen::spirv {

class Code {
 public:
  Code(Ids& ids, Globals& globals) : ids_(ids), globals_(globals), first_block_(ids.next()) {}
  Code(const Code&) = delete;

  /// Appends to the function's body. With a result type the id of the result comes back.
  Id emit(spv::Op op, Id type, std::span<const std::uint32_t> operands);
  Id emit(spv::Op op, Id type, std::initializer_list<std::uint32_t> operands) {
    return emit(op, type, list(operands));
  }
  void emit_as(Id result, spv::Op op, Id type, std::span<const std::uint32_t> operands);
  void emit_void(spv::Op op, std::initializer_list<std::uint32_t> operands);
  void emit_void(spv::Op op, std::span<const std::uint32_t> operands);
  /// A variable of the function.
  Id local_variable(Id type, Id initial = 0);
  /// Label of the block that the body starts in.
  Id first_block() const { return first_block_; }

  /// A function that is called: until end_function all that is emitted is its body. `parameters`
  /// holds types, and ids afterwards.
  Id begin_function(Id result, std::vector<Id>& parameters);
  void end_function();

  /// A parameter of the entry point, which kernels have.
  Id entry_parameter(Id type);
  /// The entry point's, once it has all its parameters.
  Id entry_type();

  /// All functions, the entry point first; its body must be closed (no OpFunctionEnd needed).
  void write(Words& out, Id entry, Id entry_type) const;

 private:
  Ids& ids_;
  Globals& globals_;
  Id first_block_;
  Words variables_, body_, functions_;
  Words parameter_types_, parameters_;  // of the entry point
  struct Suspended {                    // the entry point, while a function is made
    Words variables, body;
    Id first_block;
  } suspended_{};
};

}  // namespace krait::codegen::spirv
