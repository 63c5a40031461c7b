// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector constants of arithmetic as loads. Instruction selection takes a constant vector apart,
// tries its negation and puts it together again at every use and in each of its rounds, which is a
// tenth of all compile time in code made of polynomials; behind a load a constant is opaque. The
// constants that are used most stay in registers from the function's entry on; the others are
// operands in memory, which cost nothing. Both are decided here, so the code generator's own
// hoisting of constants, which fills all registers and then spills, is switched off (image.cpp): a
// quarter of the compile time, and code that runs as fast or faster.
#include <algorithm>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

#include "codegen/cpu/image/image.h"
#include "support/tuning/cpu.h"

namespace krait::codegen::cpu {
namespace {

/// A comparison whose constant is one of the values that it chooses from: together they are one
/// instruction.
bool is_half_of_minimum(const llvm::Instruction& compare) {
  for (const llvm::User* user : compare.users())
    if (llvm::isa<llvm::SelectInst>(user))
      for (const llvm::Use& chosen : user->operands())
        for (const llvm::Use& compared : compare.operands())
          if (llvm::isa<llvm::Constant>(chosen) && chosen.get() == compared.get()) return true;
  return false;
}

/// Arithmetic whose constants the machine has no better form for: shift counts are immediates,
/// divisors become products.
bool takes_loaded_constants(const llvm::Instruction& i) {
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i))
    return call->getIntrinsicID() == llvm::Intrinsic::fma;
  if (llvm::isa<llvm::CmpInst>(i)) return !is_half_of_minimum(i);
  switch (i.getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::And:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor: return true;
    default: return llvm::isa<llvm::BinaryOperator>(i) && i.getType()->isFPOrFPVectorTy();
  }
}

bool is_loadable(const llvm::Value* v) {
  const auto* c = llvm::dyn_cast<llvm::Constant>(v);
  if (!c || !c->getType()->isVectorTy() || c->isNullValue() || c->isNegativeZeroValue() ||
      c->isAllOnesValue())
    return false;
  const llvm::Type* element = c->getType()->getScalarType();
  if (!element->isFloatTy() && !element->isDoubleTy() && !element->isIntegerTy(32) &&
      !element->isIntegerTy(64))
    return false;
  return llvm::isa<llvm::ConstantDataVector>(c) || llvm::isa<llvm::ConstantFP>(c) ||
         llvm::isa<llvm::ConstantInt>(c);
}

class Loader {
 public:
  explicit Loader(llvm::Module& module) : module_(module) {}

  llvm::Value* load(llvm::Constant* c, llvm::BasicBlock::iterator before) {
    const llvm::Align align(c->getType()->getPrimitiveSizeInBits() / 8);
    auto* memory = new llvm::GlobalVariable(module_, c->getType(), true,
                                            llvm::GlobalValue::PrivateLinkage, c, "constant");
    memory->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    memory->setAlignment(align);
    auto* load = new llvm::LoadInst(c->getType(), memory, "", false, align, before);
    load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                      llvm::MDNode::get(module_.getContext(), {}));
    return load;
  }

 private:
  llvm::Module& module_;
};

void load_constants(llvm::Function& f, Loader& loader, unsigned registers) {
  std::vector<llvm::Use*> uses;
  llvm::MapVector<llvm::Constant*, unsigned> counts;
  for (llvm::BasicBlock& block : f)
    for (llvm::Instruction& i : block) {
      if (!takes_loaded_constants(i)) continue;
      for (llvm::Use& use : i.operands()) {
        if (!is_loadable(use.get())) continue;
        uses.push_back(&use);
        ++counts[llvm::cast<llvm::Constant>(use.get())];
      }
    }
  auto by_count = counts.takeVector();
  std::stable_sort(by_count.begin(), by_count.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (by_count.size() > registers) by_count.resize(registers);
  llvm::DenseMap<llvm::Constant*, llvm::Value*> held;
  for (const auto& [c, count] : by_count)
    held[c] = loader.load(c, f.getEntryBlock().getFirstInsertionPt());
  for (llvm::Use* use : uses) {
    auto* c = llvm::cast<llvm::Constant>(use->get());
    llvm::Value* in_register = held.lookup(c);
    use->set(in_register
                 ? in_register
                 : loader.load(c, llvm::cast<llvm::Instruction>(use->getUser())->getIterator()));
  }
}

}  // namespace

void load_constants(llvm::Module& module, const Shape& shape) {
  Loader loader(module);
  const unsigned in_registers = shape.machine.level == CpuLevel::Avx512
                                    ? tuning::cpu::constants_of_32
                                    : tuning::cpu::constants_of_16;
  for (llvm::Function& f : module)
    if (!f.isDeclaration()) load_constants(f, loader, in_registers);
}

}  // namespace krait::codegen::cpu
