// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's target machines and optimisation passes, as both targets that LLVM serves use them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace krait::codegen {

/// A target machine, borrowed: making one and its tables of features takes as long as compiling a
/// small kernel.
class BorrowedMachine {
 public:
  /// `key` says all that `make` depends on.
  BorrowedMachine(std::string key,
                  const std::function<std::unique_ptr<llvm::TargetMachine>()>& make);
  ~BorrowedMachine();
  BorrowedMachine(const BorrowedMachine&) = delete;
  BorrowedMachine& operator=(const BorrowedMachine&) = delete;
  llvm::TargetMachine& operator*() const { return *machine_; }
  llvm::TargetMachine* operator->() const { return machine_.get(); }

 private:
  std::string key_;
  std::unique_ptr<llvm::TargetMachine> machine_;
};

enum class Rare { Included, LeftOut };

/// Runs a pipeline of function passes, in the text form of LLVM's `opt`, over the module's
/// functions, those marked cold included or not.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, const char* pipeline, Rare rare);

}  // namespace krait::codegen
