// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/share_arithmetic.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/Hashing.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

#include "support/tuning/gpu.h"

namespace krait::codegen {
namespace {

using llvm::Instruction;

/// Instructions that take a cycle or two, cannot trap, and whose result nobody reads where the
/// branch is not taken. Steps by a constant stay with the access, which holds them.
bool is_cheap(const Instruction& i) {
  if (const auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(&i))
    return !step->hasAllConstantIndices();
  if (!i.getType()->isIntegerTy(32) && !i.getType()->isIntegerTy(64)) return false;
  switch (i.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::Shl:
    case Instruction::SExt:
    case Instruction::ZExt:
    case Instruction::Trunc: return true;
    default: return false;
  }
}

/// Instructions that compute the same.
struct Same {
  static Instruction* getEmptyKey() { return llvm::DenseMapInfo<Instruction*>::getEmptyKey(); }
  static Instruction* getTombstoneKey() {
    return llvm::DenseMapInfo<Instruction*>::getTombstoneKey();
  }
  static unsigned getHashValue(const Instruction* i) {
    return unsigned(
        llvm::hash_combine(i->getOpcode(), i->getType(),
                           llvm::hash_combine_range(i->value_op_begin(), i->value_op_end())));
  }
  static bool isEqual(const Instruction* a, const Instruction* b) {
    const auto special = [](const Instruction* i) {
      return i == getEmptyKey() || i == getTombstoneKey();
    };
    if (special(a) || special(b)) return a == b;
    return a->isIdenticalToWhenDefined(b);
  }
};

using Group = llvm::SmallVector<Instruction*, 4>;

/// In the order of the function, so that the result is the same each time.
llvm::SmallVector<Group> groups_of(llvm::Function& function) {
  llvm::SmallVector<Group> groups;
  llvm::DenseMap<Instruction*, std::size_t, Same> numbers;
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function))
    for (Instruction& i : *block) {
      if (!is_cheap(i)) continue;
      const auto [at, is_new] = numbers.try_emplace(&i, groups.size());
      if (is_new) groups.emplace_back();
      groups[at->second].push_back(&i);
    }
  return groups;
}

/// One round: what has its operands before the branches moves there.
bool share(llvm::Function& function, const llvm::DominatorTree& tree) {
  bool changed = false;
  for (const Group& group : groups_of(function)) {
    Instruction* first = group.front();
    llvm::BasicBlock* before = first->getParent();
    for (Instruction* i : group) before = tree.findNearestCommonDominator(before, i->getParent());
    if (before == first->getParent()) continue;
    Instruction* end = before->getTerminator();
    const auto known = [&](const llvm::Use& use) {
      const auto* made = llvm::dyn_cast<Instruction>(use.get());
      return !made || tree.dominates(made, end);
    };
    if (!llvm::all_of(first->operands(), known)) continue;
    first->moveBefore(end->getIterator());
    first->dropPoisonGeneratingFlags();
    for (Instruction* i : llvm::drop_begin(group)) {
      i->replaceAllUsesWith(first);
      i->eraseFromParent();
    }
    changed = true;
  }
  return changed;
}

}  // namespace

llvm::PreservedAnalyses ShareArithmetic::run(llvm::Function& function,
                                             llvm::FunctionAnalysisManager& analyses) {
  if (function.size() < 3 || function.size() > tuning::gpu::most_shared_blocks)
    return llvm::PreservedAnalyses::all();
  const llvm::DominatorTree& tree = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  bool changed = false;
  for (unsigned round = 0; round < tuning::gpu::shared_rounds && share(function, tree); ++round)
    changed = true;
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace krait::codegen
