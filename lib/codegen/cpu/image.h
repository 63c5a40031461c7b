// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From LLVM IR to machine code in one relocatable-free piece.
#pragma once

#include <memory>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "codegen/cpu/shape.h"
#include "support/cpu_blob.h"

namespace krait::codegen::cpu {

/// A target machine, borrowed: making one and its tables of features takes as long as compiling a small kernel.
class BorrowedMachine {
 public:
  explicit BorrowedMachine(const Shape& shape);
  ~BorrowedMachine();
  BorrowedMachine(const BorrowedMachine&) = delete;
  BorrowedMachine& operator=(const BorrowedMachine&) = delete;
  llvm::TargetMachine& operator*() const { return *machine_; }
  llvm::TargetMachine* operator->() const { return machine_.get(); }

 private:
  std::string key_;
  std::unique_ptr<llvm::TargetMachine> machine_;
};

void optimise(llvm::Module& module, llvm::TargetMachine& machine);
/// Replaces vector constants by loads; after optimise, which would put them back.
void load_constants(llvm::Module& module, const Shape& shape);
/// An ELF object, or assembly text.
std::string generate(llvm::Module& module, llvm::TargetMachine& machine, bool assembly);
/// Lays the object's sections out behind each other, applies its relocations and fills in the header's offsets. A symbol that is
/// not in the object is Failure 1. Returns header and image.
std::string link_image(const std::string& object, CpuBlobHeader header);

}  // namespace krait::codegen::cpu
