// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/module/globals.h"

namespace krait::codegen::spirv {

Id Globals::unique(spv::Op op, std::span<const std::uint32_t> operands) {
  Words key{std::uint32_t(op)};
  key.insert(key.end(), operands.begin(), operands.end());
  auto [at, fresh] = known_.try_emplace(std::move(key), 0);
  if (fresh) append(words_, op, {at->second = ids_.next()}, operands);
  return at->second;
}

Id Globals::unique_typed(spv::Op op, Id type, std::span<const std::uint32_t> operands) {
  Words key{std::uint32_t(op), type};
  key.insert(key.end(), operands.begin(), operands.end());
  auto [at, fresh] = known_.try_emplace(std::move(key), 0);
  if (fresh) append(words_, op, {type, at->second = ids_.next()}, operands);
  return at->second;
}

Id Globals::int_type(unsigned bits) {
  if (bits == 8) head_.capability(spv::Capability::Int8);
  if (bits == 16) head_.capability(spv::Capability::Int16);
  if (bits == 64) head_.capability(spv::Capability::Int64);
  return unique(spv::Op::OpTypeInt, list({bits, 0}));
}

Id Globals::float_type(unsigned bits) {
  if (bits == 16) head_.capability(spv::Capability::Float16);
  if (bits == 64) head_.capability(spv::Capability::Float64);
  return unique(spv::Op::OpTypeFloat, list({bits}));
}

Id Globals::strided_array_type(Id element, Id length, unsigned stride) {
  Id id = ids_.next();
  append(words_, spv::Op::OpTypeArray, {id, element, length});
  head_.decorate(id, spv::Decoration::ArrayStride, {stride});
  return id;
}

Id Globals::constant(Id type, unsigned bits, std::uint64_t value) {
  if (bits == 64) {
    const std::uint32_t words[] = {std::uint32_t(value), std::uint32_t(value >> 32)};
    return unique_typed(spv::Op::OpConstant, type, words);
  }
  const std::uint32_t word =
      bits == 32 ? std::uint32_t(value) : std::uint32_t(value) & ((1u << bits) - 1);
  return unique_typed(spv::Op::OpConstant, type, std::span(&word, 1));
}

Id Globals::constant_bool(bool value) {
  return unique_typed(value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, bool_type(), {});
}

Id Globals::spec_constant(std::uint32_t spec_id, std::uint32_t value) {
  Id type = int_type(32), id = ids_.next();
  append(words_, spv::Op::OpSpecConstant, {type, id, value});
  head_.decorate(id, spv::Decoration::SpecId, {spec_id});
  return id;
}

Id Globals::spec_bool(std::uint32_t spec_id) {
  Id type = bool_type(), id = ids_.next();
  place_of_spec_bool_ = words_.size();
  append(words_, spv::Op::OpSpecConstantFalse, {type, id});
  head_.decorate(id, spv::Decoration::SpecId, {spec_id});
  return id;
}

Id Globals::spec_op(Id type, spv::Op op, std::initializer_list<Id> operands) {
  Id id = ids_.next();
  append(words_, spv::Op::OpSpecConstantOp, {type, id, std::uint32_t(op)}, list(operands));
  return id;
}

Id Globals::spec_composite(Id type, std::initializer_list<Id> members) {
  Id id = ids_.next();
  append(words_, spv::Op::OpSpecConstantComposite, {type, id}, list(members));
  return id;
}

Id Globals::extended(Id set, std::uint32_t instruction, std::initializer_list<Id> operands) {
  Words all{set, instruction};
  all.insert(all.end(), operands);
  return unique_typed(spv::Op::OpExtInst, void_type(), all);
}

Id Globals::variable(spv::StorageClass s, Id type) {
  Id pointer = pointer_type(s, type), id = ids_.next();
  append(words_, spv::Op::OpVariable, {pointer, id, std::uint32_t(s)});
  if (dialect_ == Dialect::Shader || s == spv::StorageClass::Input)
    interface_.push_back(id);  // before SPIR-V 1.4 what comes from outside
  return id;
}

Id Globals::builtin(spv::BuiltIn which, Id type) {
  auto [at, fresh] = builtins_.try_emplace(std::uint32_t(which), 0);
  if (fresh) {
    at->second = variable(spv::StorageClass::Input, type);
    head_.decorate(at->second, spv::Decoration::BuiltIn, {std::uint32_t(which)});
  }
  return at->second;
}

}  // namespace krait::codegen::spirv
