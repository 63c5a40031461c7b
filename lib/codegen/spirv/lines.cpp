// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/lines.h"

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace krait::codegen::spirv {
namespace {

/// Where a function begins: its first line that is known.
ir::Location first_line(const ir::Function& f) {
  for (const ir::Location& at : f.locations)
    if (at.line) return at;
  return {};
}

/// Empty where there is none, or more than one instruction holds.
std::string text_of(const std::string& file) {
  constexpr std::streamoff most = 4 * 0xfff0;  // an instruction has 16 bits of length, in words
  std::error_code wrong;
  // a pipe would wait for its writer
  if (!std::filesystem::is_regular_file(file, wrong)) return {};
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in || in.tellg() <= 0 || in.tellg() > most) return {};
  in.seekg(0);
  std::string text(std::istreambuf_iterator<char>(in), {});
  return text.find(char(0)) == text.npos ? text : std::string();
}

}  // namespace

Id Lines::global(std::uint32_t instruction, std::initializer_list<Id> operands) {
  return e_.m.globals.extended(e_.m.head.debug_info(), instruction, operands);
}

void Lines::local(std::uint32_t instruction, std::initializer_list<Id> operands) {
  Words all{e_.m.head.debug_info(), instruction};
  all.insert(all.end(), operands);
  e_.m.code.emit(spv::Op::OpExtInst, e_.m.globals.void_type(), all);
}

Id Lines::source(const std::string& file) {
  const auto [at, fresh] = unit_.sources.try_emplace(file, 0);
  if (!fresh) return at->second;
  const Id name = e_.m.head.string(file);
  const std::string text = text_of(file);
  at->second = text.empty() ? global(NonSemanticShaderDebugInfo100DebugSource, {name})
                            : global(NonSemanticShaderDebugInfo100DebugSource,
                                     {name, e_.m.head.string(text)});
  return at->second;
}

void Lines::begin() {
  if (!describes()) return;
  const ir::Location kernel = first_line(unit_.module.kernel()), own = first_line(f_);
  constexpr std::uint32_t version = 100, dwarf = 4;
  const Id none = e_.u32(0), line = e_.u32(own.line), name = e_.m.head.string(f_.name);
  const Id unit = global(NonSemanticShaderDebugInfo100DebugCompilationUnit,
                         {e_.u32(version), e_.u32(dwarf), source(kernel.file),
                          e_.u32(std::uint32_t(spv::SourceLanguage::Unknown))});
  const Id type =
      global(NonSemanticShaderDebugInfo100DebugTypeFunction, {none, e_.m.globals.void_type()});
  function_ = global(NonSemanticShaderDebugInfo100DebugFunction,
                     {name, type, source(own.file), line, none, unit, name,
                      e_.u32(NonSemanticShaderDebugInfo100FlagIsDefinition), line});
  local(NonSemanticShaderDebugInfo100DebugFunctionDefinition,
        {function_, f_.called ? unit_.functions[number_] : e_.m.head.entry()});
}

void Lines::at(const ir::Location& place) {
  if (!unit_.debug || place.line == 0) return;
  const bool same_block = block_ == e_.blocks.block();
  if (same_block && last_ == &place) return;
  e_.m.code.emit_void(spv::Op::OpLine, {e_.m.head.string(place.file), place.line, 0});
  if (function_) {
    if (!same_block) local(NonSemanticShaderDebugInfo100DebugScope, {function_});
    const Id line = e_.u32(place.line), none = e_.u32(0);
    local(NonSemanticShaderDebugInfo100DebugLine, {source(place.file), line, line, none, none});
  }
  block_ = e_.blocks.block(), last_ = &place;
}

}  // namespace krait::codegen::spirv
