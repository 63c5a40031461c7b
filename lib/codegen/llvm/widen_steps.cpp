// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/widen_steps.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "support/tuning/cpu.h"

namespace krait::codegen {
namespace {

using llvm::Instruction;

/// What an index is used for.
struct Uses {
  bool accesses_only = true;  // for nothing but addresses of what is loaded and stored
  bool each_trip = false;     // for one access at least, each trip
};

/// Addresses are the index times a factor and a sum that stay the same: two numbers that wrap
/// around together would tell nothing of either.
void follow(const Instruction& index, const llvm::Loop& loop, const llvm::DominatorTree& tree,
            Uses& uses) {
  for (const llvm::Use& use : index.uses()) {
    const auto& user = *llvm::cast<Instruction>(use.getUser());
    const unsigned opcode = user.getOpcode();
    const bool address = opcode == Instruction::GetElementPtr || opcode == Instruction::Add ||
                         opcode == Instruction::Mul || opcode == Instruction::Shl;
    if (address && !user.getType()->isVectorTy() &&
        llvm::all_of(user.operands(), [&](const llvm::Use& other) {
          return &other == &use || loop.isLoopInvariant(other.get());
        })) {
      follow(user, loop, tree, uses);
    } else if (llvm::getLoadStorePointerOperand(&user) == &index) {
      uses.each_trip = uses.each_trip || tree.dominates(user.getParent(), loop.getLoopLatch());
    } else if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&user);
               !call || (call->getIntrinsicID() != llvm::Intrinsic::masked_load &&
                         call->getIntrinsicID() != llvm::Intrinsic::masked_store)) {
      uses.accesses_only = false;
    }
    if (!uses.accesses_only) return;
  }
}

/// Indices of the loop's own blocks, of 32 bits, that are widened in each trip.
llvm::SmallVector<Instruction*> indices_of(const llvm::Loop& loop, const llvm::LoopInfo& loops) {
  llvm::SmallVector<Instruction*> found;
  for (llvm::BasicBlock* block : loop.blocks()) {
    if (loops.getLoopFor(block) != &loop) continue;
    for (Instruction& i : *block)
      if ((llvm::isa<llvm::SExtInst>(i) || (llvm::isa<llvm::ZExtInst>(i) && i.hasNonNeg())) &&
          i.getType()->isIntegerTy(64) && i.getOperand(0)->getType()->isIntegerTy(32))
        found.push_back(&i);
  }
  return found;
}

/// Where a loop's first trip has an index, before the loop. Null where it takes more to compute it
/// than sums, products and casts.
class First {
 public:
  explicit First(const llvm::Loop& loop) : loop_(loop) {}
  llvm::Value* of(llvm::Value* v) {
    auto* i = llvm::dyn_cast<Instruction>(v);
    if (!i || !loop_.contains(i)) return v;
    if (const auto known = known_.find(i); known != known_.end()) return known->second;
    if (auto* carried = llvm::dyn_cast<llvm::PHINode>(i))
      return carried->getParent() == loop_.getHeader()
                 ? carried->getIncomingValueForBlock(loop_.getLoopPreheader())
                 : nullptr;
    switch (i->getOpcode()) {
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Mul:
      case Instruction::Shl:
      case Instruction::Or:
      case Instruction::Trunc:
      case Instruction::SExt:
      case Instruction::ZExt: break;
      default: return nullptr;
    }
    llvm::SmallVector<llvm::Value*, 2> operands;
    for (llvm::Value* operand : i->operands()) {
      operands.push_back(of(operand));
      if (!operands.back()) return nullptr;
    }
    Instruction* copy = i->clone();
    copy->dropPoisonGeneratingFlags();
    for (unsigned k = 0; k < operands.size(); ++k) copy->setOperand(k, operands[k]);
    copy->insertBefore(loop_.getLoopPreheader()->getTerminator()->getIterator());
    known_[i] = copy;
    return copy;
  }

 private:
  const llvm::Loop& loop_;
  llvm::DenseMap<Instruction*, llvm::Value*> known_;
};

/// Indices that grow by the same step, and how far they are from the first one in each trip: an
/// access's displacement.
struct Sum {
  const llvm::SCEVAddRecExpr* narrow;
  llvm::SmallVector<std::pair<Instruction*, std::int64_t>, 4> indices;
};

class Widening {
 public:
  Widening(llvm::Loop& loop, llvm::ScalarEvolution& evolution)
      : loop_(loop), evolution_(evolution), first_(loop), expander_(evolution, "step") {}

  void add(Instruction& index) {
    const auto* narrow =
        llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(index.getOperand(0)));
    if (!narrow || narrow->getLoop() != &loop_ || !narrow->isAffine()) return;
    const llvm::SCEV* step = narrow->getStepRecurrence(evolution_);
    if (!expander_.isSafeToExpand(step)) return;
    for (Sum& sum : sums_) {
      if (sum.narrow->getStepRecurrence(evolution_) != step) continue;
      if (const auto* distance = llvm::dyn_cast<llvm::SCEVConstant>(
              evolution_.getMinusSCEV(narrow->getStart(), sum.narrow->getStart())))
        return sum.indices.emplace_back(&index, distance->getAPInt().getSExtValue()), void();
    }
    sums_.push_back({narrow, {{&index, 0}}});
  }

  bool run() {
    bool changes = false;
    if (sums_.size() > tuning::cpu::widened_sums) return false;
    for (const Sum& sum : sums_) changes |= widen(sum);
    return changes;
  }

 private:
  bool widen(const Sum& sum) {
    llvm::BasicBlock *before = loop_.getLoopPreheader(), *end = loop_.getLoopLatch();
    Instruction& leader = *sum.indices.front().first;
    llvm::Value* first = first_.of(leader.getOperand(0));
    if (!first) return false;
    const llvm::SCEV* step = sum.narrow->getStepRecurrence(evolution_);
    llvm::Type* type = leader.getType();
    llvm::IRBuilder<> b(before->getTerminator());
    first = b.CreateSExt(first, type);
    llvm::Value* by = b.CreateSExt(
        expander_.expandCodeFor(step, step->getType(), before->getTerminator()->getIterator()),
        type);
    b.SetInsertPoint(loop_.getHeader(), loop_.getHeader()->begin());
    llvm::PHINode* value = b.CreatePHI(type, 2, "index");
    b.SetInsertPoint(end->getTerminator());
    value->addIncoming(first, before);
    value->addIncoming(b.CreateAdd(value, by), end);
    for (const auto& [index, distance] : sum.indices) {
      b.SetInsertPoint(index);
      index->replaceAllUsesWith(b.CreateAdd(value, b.getInt64(std::uint64_t(distance))));
      index->eraseFromParent();
    }
    return true;
  }

  llvm::Loop& loop_;
  llvm::ScalarEvolution& evolution_;
  First first_;
  llvm::SCEVExpander expander_;
  llvm::SmallVector<Sum> sums_;
};

}  // namespace

llvm::PreservedAnalyses WidenSteps::run(llvm::Function& function,
                                        llvm::FunctionAnalysisManager& analyses) {
  const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  const auto& tree = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  bool changes = false;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->getLoopLatch() || !loop->getLoopPreheader()) continue;
    Widening widening(*loop, evolution);
    for (Instruction* index : indices_of(*loop, loops)) {
      Uses uses;
      follow(*index, *loop, tree, uses);
      if (uses.accesses_only && uses.each_trip) widening.add(*index);
    }
    changes |= widening.run();
  }
  if (!changes) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace krait::codegen
