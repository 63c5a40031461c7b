// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands before the types of a SPIR-V module: what it needs of whoever takes it, its entry
// point, names and decorations.
#pragma once

#include <map>
#include <set>
#include <string>

#include "codegen/spirv/module/words.h"

namespace krait::codegen::spirv {

class Head {
 public:
  Head(Dialect dialect, Ids& ids) : dialect_(dialect), ids_(ids), entry_(ids.next()) {}
  Head(const Head&) = delete;

  Id entry() const { return entry_; }
  void capability(spv::Capability c) { capabilities_.insert(std::uint32_t(c)); }
  void extension(std::string_view name);
  Id extended();    // the instruction set GLSL.std.450, in the kernel dialect OpenCL.std
  Id debug_info();  // the instruction set NonSemantic.Shader.DebugInfo.100
  void memory_model(spv::AddressingModel a, spv::MemoryModel m) { addressing_ = a, memory_ = m; }
  void execution_mode(spv::ExecutionMode mode, std::initializer_list<std::uint32_t> operands = {});

  /// One for each text.
  Id string(std::string_view text);
  void name(Id id, std::string_view text);
  void decorate(Id id, spv::Decoration d, std::initializer_list<std::uint32_t> operands = {});
  void decorate_member(Id id, std::uint32_t member, spv::Decoration d,
                       std::initializer_list<std::uint32_t> operands = {});

  /// `interface`: the variables that the entry point has to list.
  void write(Words& out, std::string_view entry_name, const Words& interface) const;

 private:
  Dialect dialect_;
  Ids& ids_;
  Id entry_, extended_ = 0, debug_info_ = 0;
  spv::AddressingModel addressing_ = spv::AddressingModel::PhysicalStorageBuffer64;
  spv::MemoryModel memory_ = spv::MemoryModel::GLSL450;
  std::set<std::uint32_t> capabilities_;
  std::set<std::string_view> extension_names_;
  std::map<std::string, Id> known_strings_;
  Words extensions_, imports_, modes_, strings_, names_, annotations_;
};

}  // namespace krait::codegen::spirv
