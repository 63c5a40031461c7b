// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From LLVM IR to machine code in one relocatable-free piece.
#pragma once

#include <string>

#include "codegen/cpu/plan/shape.h"
#include "codegen/llvm/machine.h"
#include "support/cpu_blob.h"

namespace krait::codegen::cpu {

BorrowedMachine borrow_machine(const Machine& on);
/// `small`: no array has 2^31 elements (ir::Facts).
void optimise(llvm::Module& module, llvm::TargetMachine& machine, const Shape& shape, bool small);
/// Takes apart gathers, scatters and masked accesses that are no instructions of the machine.
void scalarise_accesses(llvm::Module& module, const Shape& shape, llvm::TargetMachine& machine);
/// Replaces vector constants by loads; after optimise, which would put them back.
void load_constants(llvm::Module& module, const Shape& shape);
/// Whether instructions stay in the order of the lowering or LLVM's scheduler moves them. The
/// lowering goes from part to part with each operation, so that the parts' chains of operations run
/// side by side; the scheduler puts one behind the other to save registers, which takes a fifth
/// more time for all of a compilation. Where there are 16 registers that is worth it
/// (haversine 1.82 ms as lowered, 1.47 scheduled, Black-Scholes 3.20 and 2.94; ChaCha20 1.12
/// and 1.18), and of whole blocks always: a matrix product by tiles took 55 ms as lowered, 42
/// scheduled. With the 32 of AVX-512 haversine loses 8 %.
enum class Order : std::uint8_t { AsLowered, Scheduled };
/// An ELF object, or assembly text. `verified`: LLVM's machine verifier reads the code behind each
/// pass, and what it finds is Failure 2.
std::string generate(llvm::Module& module, llvm::TargetMachine& machine, Order order, bool assembly,
                     bool verified);
/// Lays the object's sections out behind each other, applies its relocations and tells where the
/// code begins. A symbol that is not in the object is Failure 1. Returns the image; with `debug`,
/// the object behind it, where it says what debuggers read: its sections' addresses are those from
/// the image's begin.
std::string link_image(const std::string& object, CpuCode& own, bool debug);

}  // namespace krait::codegen::cpu
