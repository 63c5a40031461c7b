// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One compilation's LLVM state: context, module and what LLVM says about it; and source positions
// for the kernel's function.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "ir/ir.h"

namespace krait::codegen {

/// Registers the targets that the plug-in holds, once.
void initialise_llvm();

class Session {
 public:
  explicit Session(const std::string& name);
  llvm::LLVMContext& context() { return *context_; }
  llvm::Module& module() { return *module_; }

  /// Takes a module that others wrote, as text or bitcode. Throws Failure 1 with what LLVM's parser
  /// or verifier says of it.
  void read(std::string_view code);
  /// Throws Failure 2 with LLVM's verifier's text and the module's when the module is broken.
  void verify();
  /// Throws Failure 1 when LLVM reported an error; to be called after every stage.
  void check() const;
  const std::string& warnings() const { return warnings_; }
  std::string text() const;

 private:
  class Listener;
  std::string errors_, warnings_;
  std::unique_ptr<llvm::LLVMContext> context_;
  std::unique_ptr<llvm::Module> module_;
};

/// A symbol that every target takes: letters, digits and underscores, starting `krait_`.
std::string symbol_name(const std::string& kernel);

/// Gives instructions the user's source lines. Does nothing where the kernel carries none.
class DebugLines {
 public:
  using Kind = llvm::DICompileUnit::DebugEmissionKind;
  DebugLines(llvm::Module& module, llvm::Function& function, const ir::Function& kernel, Kind kind);
  /// The position of an instruction of the kernel; empty for 0.
  llvm::DebugLoc at(std::uint32_t location) const;
  /// A position in the function without a line, for calls: LLVM wants one where both functions have
  /// positions.
  llvm::DebugLoc anywhere() const;
  /// From here on code is lowered once more, or no longer: debuggers stop at a line in each copy of
  /// it.
  void begin_copy();
  void end_copy() { copy_ = nullptr; }
  /// For what else is told of the function; the scope is null where the kernel carries no lines.
  llvm::DIBuilder& builder() const { return *builder_; }
  llvm::DILocalScope* scope() const;
  /// To be called when the function is complete.
  void finish();

 private:
  const ir::Function& kernel_;
  std::unique_ptr<llvm::DIBuilder> builder_;
  llvm::DISubprogram* scope_ = nullptr;
  llvm::DILexicalBlock* copy_ = nullptr;
  unsigned copies_ = 0;
};

}  // namespace krait::codegen
