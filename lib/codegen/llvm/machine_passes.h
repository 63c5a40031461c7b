// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's passes of a code generator as Krait runs them: without those that gain nothing, with a
// guard against a miscompilation of LLVM 22, and verified where a test asks for it.
#pragma once

#include <string>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>

namespace krait::codegen {

class MachinePasses final : public llvm::legacy::PassManager {
 public:
  /// `verified`: LLVM's machine verifier reads the code behind each pass. `left_out`: names of
  /// passes that do not run.
  explicit MachinePasses(bool verified, llvm::ArrayRef<llvm::StringRef> left_out = {})
      : verified_(verified), left_out_(left_out) {}
  void add(llvm::Pass* pass) override;
  /// Runs all of them. Throws Failure 2 with the verifier's words where it found broken code; the
  /// process can go on compiling.
  void generate(llvm::Module& module);

 private:
  bool verified_;
  bool selected_ = false;  // instructions are those of the machine from here on
  llvm::ArrayRef<llvm::StringRef> left_out_;
  std::string wrong_;
};

}  // namespace krait::codegen
