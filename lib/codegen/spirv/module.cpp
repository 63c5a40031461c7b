// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binary form of SPIR-V: sections in the order that the specification asks for (2.4), instructions as length and opcode.
#include "codegen/spirv/module.h"

#include <string>

namespace krait::codegen::spirv {

namespace {

void append(Words& out, spv::Op op, std::span<const std::uint32_t> a, std::span<const std::uint32_t> b = {}) {
  out.push_back(std::uint32_t(a.size() + b.size() + 1) << 16 | std::uint32_t(op));
  out.insert(out.end(), a.begin(), a.end());
  out.insert(out.end(), b.begin(), b.end());
}
void append(Words& out, spv::Op op, std::initializer_list<std::uint32_t> a, std::span<const std::uint32_t> b = {}) {
  append(out, op, std::span(a.begin(), a.size()), b);
}
std::span<const std::uint32_t> list(std::initializer_list<std::uint32_t> a) { return {a.begin(), a.size()}; }

}  // namespace

Words literal_string(std::string_view text) {
  Words out(text.size() / 4 + 1, 0);
  for (std::size_t i = 0; i < text.size(); ++i) out[i / 4] |= std::uint32_t(static_cast<unsigned char>(text[i])) << (i % 4 * 8);
  return out;
}

void Module::extension(std::string_view name) {
  if (extension_names_.insert(name).second) append(extensions_, spv::Op::OpExtension, {}, literal_string(name));
}

Id Module::extended() {
  if (!extended_) {
    extended_ = new_id();
    append(imports_, spv::Op::OpExtInstImport, {extended_},
           literal_string(dialect_ == Dialect::Kernel ? "OpenCL.std" : "GLSL.std.450"));
  }
  return extended_;
}

void Module::execution_mode(spv::ExecutionMode mode, std::initializer_list<std::uint32_t> operands) {
  append(modes_, spv::Op::OpExecutionMode, {entry_, std::uint32_t(mode)}, list(operands));
}

Id Module::string(std::string_view text) {
  Id id = new_id();
  append(strings_, spv::Op::OpString, {id}, literal_string(text));
  return id;
}

void Module::name(Id id, std::string_view text) { append(names_, spv::Op::OpName, {id}, literal_string(text)); }

void Module::decorate(Id id, spv::Decoration d, std::initializer_list<std::uint32_t> operands) {
  append(annotations_, spv::Op::OpDecorate, {id, std::uint32_t(d)}, list(operands));
}

void Module::decorate_member(Id id, std::uint32_t member, spv::Decoration d, std::initializer_list<std::uint32_t> operands) {
  append(annotations_, spv::Op::OpMemberDecorate, {id, member, std::uint32_t(d)}, list(operands));
}

Id Module::unique(spv::Op op, std::span<const std::uint32_t> operands) {
  Words key{std::uint32_t(op)};
  key.insert(key.end(), operands.begin(), operands.end());
  auto [at, fresh] = known_.try_emplace(std::move(key), next_id_);
  if (fresh) append(types_, op, {new_id()}, operands);
  return at->second;
}

Id Module::unique_typed(spv::Op op, Id type, std::span<const std::uint32_t> operands) {
  Words key{std::uint32_t(op), type};
  key.insert(key.end(), operands.begin(), operands.end());
  auto [at, fresh] = known_.try_emplace(std::move(key), next_id_);
  if (fresh) append(types_, op, {type, new_id()}, operands);
  return at->second;
}

Id Module::int_type(unsigned bits) {
  if (bits == 8) capability(spv::Capability::Int8);
  if (bits == 16) capability(spv::Capability::Int16);
  if (bits == 64) capability(spv::Capability::Int64);
  return unique(spv::Op::OpTypeInt, {bits, 0});
}

Id Module::float_type(unsigned bits) {
  if (bits == 16) capability(spv::Capability::Float16);
  if (bits == 64) capability(spv::Capability::Float64);
  return unique(spv::Op::OpTypeFloat, {bits});
}

Id Module::strided_array_type(Id element, Id length, unsigned stride) {
  Id id = new_id();
  append(types_, spv::Op::OpTypeArray, {id, element, length});
  decorate(id, spv::Decoration::ArrayStride, {stride});
  return id;
}

Id Module::constant(Id type, unsigned bits, std::uint64_t value) {
  if (bits == 64) {
    const std::uint32_t words[] = {std::uint32_t(value), std::uint32_t(value >> 32)};
    return unique_typed(spv::Op::OpConstant, type, words);
  }
  const std::uint32_t word = bits == 32 ? std::uint32_t(value) : std::uint32_t(value) & ((1u << bits) - 1);
  return unique_typed(spv::Op::OpConstant, type, std::span(&word, 1));
}

Id Module::constant_bool(bool value) {
  return unique_typed(value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, bool_type(), {});
}

Id Module::spec_constant(std::uint32_t spec_id, std::uint32_t value) {
  Id type = int_type(32), id = new_id();
  append(types_, spv::Op::OpSpecConstant, {type, id, value});
  decorate(id, spv::Decoration::SpecId, {spec_id});
  return id;
}

Id Module::spec_bool(std::uint32_t spec_id) {
  Id type = bool_type(), id = new_id();
  append(types_, spv::Op::OpSpecConstantFalse, {type, id});
  decorate(id, spv::Decoration::SpecId, {spec_id});
  return id;
}

Id Module::spec_op(Id type, spv::Op op, std::initializer_list<Id> operands) {
  Id id = new_id();
  append(types_, spv::Op::OpSpecConstantOp, {type, id, std::uint32_t(op)}, list(operands));
  return id;
}

Id Module::spec_composite(Id type, std::initializer_list<Id> members) {
  Id id = new_id();
  append(types_, spv::Op::OpSpecConstantComposite, {type, id}, list(members));
  return id;
}

Id Module::global_variable(spv::StorageClass s, Id type) {
  Id pointer = pointer_type(s, type), id = new_id();
  append(types_, spv::Op::OpVariable, {pointer, id, std::uint32_t(s)});
  if (dialect_ == Dialect::Shader || s == spv::StorageClass::Input)
    interface_.push_back(id);  // before SPIR-V 1.4 what comes from outside
  return id;
}

Id Module::builtin(spv::BuiltIn which, Id type) {
  auto [at, fresh] = builtins_.try_emplace(std::uint32_t(which), 0);
  if (fresh) {
    at->second = global_variable(spv::StorageClass::Input, type);
    decorate(at->second, spv::Decoration::BuiltIn, {std::uint32_t(which)});
  }
  return at->second;
}

Id Module::local_variable(Id type, Id initial) {
  Id pointer = pointer_type(spv::StorageClass::Function, type), id = new_id();
  const auto storage = std::uint32_t(spv::StorageClass::Function);
  if (initial) {
    append(variables_, spv::Op::OpVariable, {pointer, id, storage, initial});
  } else {
    append(variables_, spv::Op::OpVariable, {pointer, id, storage});
  }
  return id;
}

void Module::emit_as(Id result, spv::Op op, Id type, std::span<const std::uint32_t> operands) {
  append(body_, op, {type, result}, operands);
}

Id Module::emit(spv::Op op, Id type, std::span<const std::uint32_t> operands) {
  Id id = new_id();
  emit_as(id, op, type, operands);
  return id;
}

void Module::emit_void(spv::Op op, std::span<const std::uint32_t> operands) { append(body_, op, operands); }
void Module::emit_void(spv::Op op, std::initializer_list<std::uint32_t> operands) { append(body_, op, list(operands)); }

Id Module::begin_function(Id result, std::vector<Id>& parameters) {
  Words operands{result};
  operands.insert(operands.end(), parameters.begin(), parameters.end());
  const Id type = unique(spv::Op::OpTypeFunction, operands), function = new_id();
  suspended_ = {std::move(variables_), std::move(body_), first_block_};
  variables_.clear(), body_.clear();
  first_block_ = new_id();
  append(functions_, spv::Op::OpFunction, {result, function, 0, type});
  for (Id& p : parameters) {
    const Id parameter = new_id();
    append(functions_, spv::Op::OpFunctionParameter, {p, parameter});
    p = parameter;
  }
  return function;
}

void Module::end_function() {
  append(functions_, spv::Op::OpLabel, {first_block_});
  functions_.insert(functions_.end(), variables_.begin(), variables_.end());
  functions_.insert(functions_.end(), body_.begin(), body_.end());
  append(functions_, spv::Op::OpFunctionEnd, {});
  variables_ = std::move(suspended_.variables), body_ = std::move(suspended_.body), first_block_ = suspended_.first_block;
}

Id Module::entry_parameter(Id type) {
  parameter_types_.push_back(type);
  parameters_.push_back(new_id());
  return parameters_.back();
}

Words Module::finish(std::string_view kernel_name, std::string_view entry_name) {
  // Translators call the function by its name, not by the entry point's.
  if (!kernel_name.empty()) name(entry_, dialect_ == Dialect::Kernel ? entry_name : kernel_name);
  Id none = void_type();
  Words types{none};
  types.insert(types.end(), parameter_types_.begin(), parameter_types_.end());
  Id signature = unique(spv::Op::OpTypeFunction, types);

  const bool kernel = dialect_ == Dialect::Kernel;
  Words out{spv::MagicNumber, kernel ? 0x00010000u : 0x00010500u, 0, 0, 0};
  for (std::uint32_t c : capabilities_) append(out, spv::Op::OpCapability, {c});
  auto add = [&](const Words& section) { out.insert(out.end(), section.begin(), section.end()); };
  add(extensions_);
  add(imports_);
  append(out, spv::Op::OpMemoryModel, {std::uint32_t(addressing_), std::uint32_t(memory_)});
  Words entry{std::uint32_t(kernel ? spv::ExecutionModel::Kernel : spv::ExecutionModel::GLCompute), entry_};
  const Words called = literal_string(entry_name);
  entry.insert(entry.end(), called.begin(), called.end());
  append(out, spv::Op::OpEntryPoint, entry, interface_);
  add(modes_);
  add(strings_);
  add(names_);
  add(annotations_);
  add(types_);
  append(out, spv::Op::OpFunction, {none, entry_, 0, signature});
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    append(out, spv::Op::OpFunctionParameter, {parameter_types_[p], parameters_[p]});
  append(out, spv::Op::OpLabel, {first_block_});
  add(variables_);
  add(body_);
  append(out, spv::Op::OpFunctionEnd, {});
  add(functions_);
  out[3] = next_id_;
  return out;
}

}  // namespace krait::codegen::spirv
