// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/module/code.h"

namespace krait::codegen::spirv {

Id Code::local_variable(Id type, Id initial) {
  Id pointer = globals_.pointer_type(spv::StorageClass::Function, type), id = ids_.next();
  const auto storage = std::uint32_t(spv::StorageClass::Function);
  if (initial) {
    append(variables_, spv::Op::OpVariable, {pointer, id, storage, initial});
  } else {
    append(variables_, spv::Op::OpVariable, {pointer, id, storage});
  }
  return id;
}

void Code::emit_as(Id result, spv::Op op, Id type, std::span<const std::uint32_t> operands) {
  append(body_, op, {type, result}, operands);
}

Id Code::emit(spv::Op op, Id type, std::span<const std::uint32_t> operands) {
  Id id = ids_.next();
  emit_as(id, op, type, operands);
  return id;
}

void Code::emit_void(spv::Op op, std::span<const std::uint32_t> operands) {
  append(body_, op, operands);
}
void Code::emit_void(spv::Op op, std::initializer_list<std::uint32_t> operands) {
  append(body_, op, list(operands));
}

Id Code::begin_function(Id result, std::vector<Id>& parameters) {
  Words operands{result};
  operands.insert(operands.end(), parameters.begin(), parameters.end());
  const Id type = globals_.function_type(operands), function = ids_.next();
  suspended_ = {std::move(variables_), std::move(body_), first_block_};
  variables_.clear(), body_.clear();
  first_block_ = ids_.next();
  append(functions_, spv::Op::OpFunction, {result, function, 0, type});
  for (Id& p : parameters) {
    const Id parameter = ids_.next();
    append(functions_, spv::Op::OpFunctionParameter, {p, parameter});
    p = parameter;
  }
  return function;
}

void Code::end_function() {
  append(functions_, spv::Op::OpLabel, {first_block_});
  functions_.insert(functions_.end(), variables_.begin(), variables_.end());
  functions_.insert(functions_.end(), body_.begin(), body_.end());
  append(functions_, spv::Op::OpFunctionEnd, {});
  variables_ = std::move(suspended_.variables), body_ = std::move(suspended_.body),
  first_block_ = suspended_.first_block;
}

Id Code::entry_parameter(Id type) {
  parameter_types_.push_back(type);
  parameters_.push_back(ids_.next());
  return parameters_.back();
}

Id Code::entry_type() {
  Words types{globals_.void_type()};
  types.insert(types.end(), parameter_types_.begin(), parameter_types_.end());
  return globals_.function_type(types);
}

void Code::write(Words& out, Id entry, Id entry_type) const {
  const auto add = [&](const Words& section) {
    out.insert(out.end(), section.begin(), section.end());
  };
  append(out, spv::Op::OpFunction, {globals_.void_type(), entry, 0, entry_type});
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    append(out, spv::Op::OpFunctionParameter, {parameter_types_[p], parameters_[p]});
  append(out, spv::Op::OpLabel, {first_block_});
  add(variables_);
  add(body_);
  append(out, spv::Op::OpFunctionEnd, {});
  add(functions_);
}

}  // namespace krait::codegen::spirv
