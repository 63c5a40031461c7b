// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A SPIR-V module under construction: one word list a section, types and constants made once each, the entry point's body, which
// is appended in order, and functions that are called. Knows the binary form and nothing of Krait's IR.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

namespace krait::codegen::spirv {

using Id = std::uint32_t;
using Words = std::vector<std::uint32_t>;

/// What takes the module: Vulkan (SPIR-V 1.5) or OpenCL (1.0, which all its drivers and translators read).
enum class Dialect : std::uint8_t { Shader, Kernel };

/// A string as SPIR-V packs it: NUL-terminated, padded to words.
Words literal_string(std::string_view text);

class Module {
 public:
  explicit Module(Dialect dialect) : dialect_(dialect) {}
  Dialect dialect() const { return dialect_; }
  Id new_id() { return next_id_++; }

  void capability(spv::Capability c) { capabilities_.insert(std::uint32_t(c)); }
  void extension(std::string_view name);
  Id extended();  // the instruction set GLSL.std.450, in the kernel dialect OpenCL.std
  void memory_model(spv::AddressingModel a, spv::MemoryModel m) { addressing_ = a, memory_ = m; }
  void execution_mode(spv::ExecutionMode mode, std::initializer_list<std::uint32_t> operands = {});

  Id string(std::string_view text);
  void name(Id id, std::string_view text);
  void decorate(Id id, spv::Decoration d, std::initializer_list<std::uint32_t> operands = {});
  void decorate_member(Id id, std::uint32_t member, spv::Decoration d, std::initializer_list<std::uint32_t> operands = {});

  Id void_type() { return unique(spv::Op::OpTypeVoid, {}); }
  Id bool_type() { return unique(spv::Op::OpTypeBool, {}); }
  /// Signedness is always 0: instructions say how they read their operands.
  Id int_type(unsigned bits);
  Id float_type(unsigned bits);
  Id vector_type(Id element, unsigned count) { return unique(spv::Op::OpTypeVector, {element, count}); }
  Id struct_type(std::initializer_list<Id> members) { return unique(spv::Op::OpTypeStruct, members); }
  Id struct_type(std::span<const Id> members) { return unique(spv::Op::OpTypeStruct, members); }
  Id array_type(Id element, Id length) { return unique(spv::Op::OpTypeArray, {element, length}); }
  /// An array with a layout, which must not be shared with one that has none.
  Id strided_array_type(Id element, Id length, unsigned stride);
  Id pointer_type(spv::StorageClass s, Id pointee) { return unique(spv::Op::OpTypePointer, {std::uint32_t(s), pointee}); }

  Id constant(Id type, unsigned bits, std::uint64_t value);
  Id constant_u32(std::uint32_t value) { return constant(int_type(32), 32, value); }
  Id constant_bool(bool value);
  Id null(Id type) { return unique_typed(spv::Op::OpConstantNull, type, {}); }
  Id spec_constant(std::uint32_t spec_id, std::uint32_t value);
  Id spec_bool(std::uint32_t spec_id);
  Id spec_op(Id type, spv::Op op, std::initializer_list<Id> operands);
  Id spec_composite(Id type, std::initializer_list<Id> members);

  /// A variable outside of functions; it joins the entry point's interface.
  Id global_variable(spv::StorageClass s, Id type);
  Id builtin(spv::BuiltIn which, Id type);
  /// A variable of the function.
  Id local_variable(Id type, Id initial = 0);

  /// Appends to the function's body. With a result type the id of the result comes back.
  Id emit(spv::Op op, Id type, std::span<const std::uint32_t> operands);
  Id emit(spv::Op op, Id type, std::initializer_list<std::uint32_t> operands) {
    return emit(op, type, std::span(operands.begin(), operands.size()));
  }
  void emit_as(Id result, spv::Op op, Id type, std::span<const std::uint32_t> operands);
  void emit_void(spv::Op op, std::initializer_list<std::uint32_t> operands);
  void emit_void(spv::Op op, std::span<const std::uint32_t> operands);

  /// A function that is called: until end_function all that is emitted is its body. `parameters` holds types, and ids afterwards.
  Id begin_function(Id result, std::vector<Id>& parameters);
  void end_function();

  /// A parameter of the entry point, which kernels have.
  Id entry_parameter(Id type);
  Id entry() const { return entry_; }

  /// Label of the block that the body starts in.
  Id first_block() const { return first_block_; }

  /// All words; the body must be closed (no OpFunctionEnd needed).
  Words finish(std::string_view kernel_name, std::string_view entry_name);

 private:
  Id unique(spv::Op op, std::initializer_list<std::uint32_t> operands) {
    return unique(op, std::span(operands.begin(), operands.size()));
  }
  Id unique(spv::Op op, std::span<const std::uint32_t> operands);
  Id unique_typed(spv::Op op, Id type, std::span<const std::uint32_t> operands);

  Dialect dialect_;
  Id next_id_ = 1;
  spv::AddressingModel addressing_ = spv::AddressingModel::PhysicalStorageBuffer64;
  spv::MemoryModel memory_ = spv::MemoryModel::GLSL450;
  std::set<std::uint32_t> capabilities_;
  std::set<std::string_view> extension_names_;
  Words extensions_, imports_, modes_, strings_, names_, annotations_, types_, variables_, body_, functions_;
  Words interface_;
  Words parameter_types_, parameters_;  // of the entry point
  std::map<Words, Id> known_;
  std::map<std::uint32_t, Id> builtins_;
  Id extended_ = 0, entry_ = new_id(), first_block_ = new_id();
  struct Suspended {  // the entry point, while a function is made
    Words variables, body;
    Id first_block;
  } suspended_{};
};

}  // namespace krait::codegen::spirv
