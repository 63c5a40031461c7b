// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/module/head.h"

namespace krait::codegen::spirv {

void Head::extension(std::string_view name) {
  if (extension_names_.insert(name).second)
    append(extensions_, spv::Op::OpExtension, {}, literal_string(name));
}

Id Head::extended() {
  if (!extended_) {
    extended_ = ids_.next();
    append(imports_, spv::Op::OpExtInstImport, {extended_},
           literal_string(dialect_ == Dialect::Kernel ? "OpenCL.std" : "GLSL.std.450"));
  }
  return extended_;
}

void Head::execution_mode(spv::ExecutionMode mode, std::initializer_list<std::uint32_t> operands) {
  append(modes_, spv::Op::OpExecutionMode, {entry_, std::uint32_t(mode)}, list(operands));
}

Id Head::debug_info() {
  if (!debug_info_) {
    extension("SPV_KHR_non_semantic_info");
    debug_info_ = ids_.next();
    append(imports_, spv::Op::OpExtInstImport, {debug_info_},
           literal_string("NonSemantic.Shader.DebugInfo.100"));
  }
  return debug_info_;
}

Id Head::string(std::string_view text) {
  const auto [at, fresh] = known_strings_.try_emplace(std::string(text), 0);
  if (fresh) append(strings_, spv::Op::OpString, {at->second = ids_.next()}, literal_string(text));
  return at->second;
}

void Head::name(Id id, std::string_view text) {
  append(names_, spv::Op::OpName, {id}, literal_string(text));
}

void Head::decorate(Id id, spv::Decoration d, std::initializer_list<std::uint32_t> operands) {
  append(annotations_, spv::Op::OpDecorate, {id, std::uint32_t(d)}, list(operands));
}

void Head::decorate_member(Id id, std::uint32_t member, spv::Decoration d,
                           std::initializer_list<std::uint32_t> operands) {
  append(annotations_, spv::Op::OpMemberDecorate, {id, member, std::uint32_t(d)}, list(operands));
}

void Head::write(Words& out, std::string_view entry_name, const Words& interface) const {
  for (const std::uint32_t c : capabilities_) append(out, spv::Op::OpCapability, {c});
  const auto add = [&](const Words& section) {
    out.insert(out.end(), section.begin(), section.end());
  };
  add(extensions_);
  add(imports_);
  append(out, spv::Op::OpMemoryModel, {std::uint32_t(addressing_), std::uint32_t(memory_)});
  const auto model =
      dialect_ == Dialect::Kernel ? spv::ExecutionModel::Kernel : spv::ExecutionModel::GLCompute;
  Words entry{std::uint32_t(model), entry_};
  const Words called = literal_string(entry_name);
  entry.insert(entry.end(), called.begin(), called.end());
  append(out, spv::Op::OpEntryPoint, entry, interface);
  add(modes_);
  add(strings_);
  add(names_);
  add(annotations_);
}

}  // namespace krait::codegen::spirv
