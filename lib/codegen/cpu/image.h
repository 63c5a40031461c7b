// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From LLVM IR to machine code in one relocatable-free piece.
#pragma once

#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "codegen/cpu/shape.h"
#include "support/cpu_blob.h"

namespace krait::codegen::cpu {

std::unique_ptr<llvm::TargetMachine> make_target_machine(const Shape& shape);
void optimise(llvm::Module& module, llvm::TargetMachine& machine);
/// An ELF object, or assembly text.
std::string generate(llvm::Module& module, llvm::TargetMachine& machine, bool assembly);
/// Lays the object's sections out behind each other, applies its relocations and fills in the header's offsets. A symbol that is
/// not in the object is Failure 1. Returns header and image.
std::string link_image(const std::string& object, CpuBlobHeader header);

}  // namespace krait::codegen::cpu
