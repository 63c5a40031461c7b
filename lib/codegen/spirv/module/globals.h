// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a SPIR-V module declares outside of functions: types and constants, which are made once
// each, and variables.
#pragma once

#include <map>
#include <optional>

#include "codegen/spirv/module/head.h"

namespace krait::codegen::spirv {

class Globals {
 public:
  Globals(Dialect dialect, Ids& ids, Head& head) : dialect_(dialect), ids_(ids), head_(head) {}
  Globals(const Globals&) = delete;

  Id void_type() { return unique(spv::Op::OpTypeVoid, {}); }
  Id bool_type() { return unique(spv::Op::OpTypeBool, {}); }
  /// Signedness is always 0: instructions say how they read their operands.
  Id int_type(unsigned bits);
  Id float_type(unsigned bits);
  /// Of another encoding than IEEE 754's.
  Id encoded_float_type(unsigned bits, std::uint32_t encoding) {
    return unique(spv::Op::OpTypeFloat, list({bits, encoding}));
  }
  /// Of an extension.
  Id type(spv::Op op, std::span<const std::uint32_t> operands) { return unique(op, operands); }
  Id vector_type(Id element, unsigned count) {
    return unique(spv::Op::OpTypeVector, list({element, count}));
  }
  Id struct_type(std::span<const Id> members) { return unique(spv::Op::OpTypeStruct, members); }
  Id array_type(Id element, Id length) {
    return unique(spv::Op::OpTypeArray, list({element, length}));
  }
  /// An array with a layout, which must not be shared with one that has none.
  Id strided_array_type(Id element, Id length, unsigned stride);
  Id pointer_type(spv::StorageClass s, Id pointee) {
    return unique(spv::Op::OpTypePointer, list({std::uint32_t(s), pointee}));
  }
  /// The result's type, then the parameters'.
  Id function_type(std::span<const Id> types) { return unique(spv::Op::OpTypeFunction, types); }

  Id constant(Id type, unsigned bits, std::uint64_t value);
  Id constant_u32(std::uint32_t value) { return constant(int_type(32), 32, value); }
  Id constant_bool(bool value);
  Id null(Id type) { return unique_typed(spv::Op::OpConstantNull, type, {}); }
  Id spec_constant(std::uint32_t spec_id, std::uint32_t value);
  Id spec_bool(std::uint32_t spec_id);
  /// Where the last one begins among words().
  std::optional<std::size_t> place_of_spec_bool() const { return place_of_spec_bool_; }
  Id spec_op(Id type, spv::Op op, std::initializer_list<Id> operands);
  Id spec_composite(Id type, std::initializer_list<Id> members);

  /// An instruction of a set, for the same operands one, without a type.
  Id extended(Id set, std::uint32_t instruction, std::initializer_list<Id> operands);

  /// A variable outside of functions; it joins the entry point's interface.
  Id variable(spv::StorageClass s, Id type);
  Id builtin(spv::BuiltIn which, Id type);

  const Words& words() const { return words_; }
  const Words& interface() const { return interface_; }

 private:
  Id unique(spv::Op op, std::span<const std::uint32_t> operands);
  Id unique_typed(spv::Op op, Id type, std::span<const std::uint32_t> operands);

  Dialect dialect_;
  Ids& ids_;
  Head& head_;
  Words words_, interface_;
  std::optional<std::size_t> place_of_spec_bool_;
  std::map<Words, Id> known_;
  std::map<std::uint32_t, Id> builtins_;
};

}  // namespace krait::codegen::spirv
