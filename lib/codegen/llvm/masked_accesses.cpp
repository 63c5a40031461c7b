// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/masked_accesses.h"

#include <optional>

#include <llvm/ADT/Any.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace krait::codegen {
namespace {

/// LLVM 22's instcombine makes one masked load of such a load and a choice by the same mask, where
/// the choice is: past stores (llvm-project issue 215453). It does not look through a freeze, for
/// which no instruction is made. Of LLVM 23 on it is repaired.
void freeze_masked_loads(llvm::Function& f) {
  llvm::SmallVector<llvm::IntrinsicInst*> loads;
  for (llvm::Function& declared : *f.getParent()) {
    if (declared.getIntrinsicID() != llvm::Intrinsic::masked_load) continue;
    for (llvm::User* user : declared.users())
      if (auto* load = llvm::dyn_cast<llvm::IntrinsicInst>(user); load && load->getFunction() == &f)
        loads.push_back(load);
  }
  for (llvm::IntrinsicInst* load : loads) {
    if (load->use_empty() || (load->hasOneUse() && llvm::isa<llvm::FreezeInst>(load->user_back())))
      continue;
    load->removeRetAttr(llvm::Attribute::NoUndef);  // with which a freeze goes
    auto* frozen = new llvm::FreezeInst(load, "", std::next(load->getIterator()));
    frozen->setDebugLoc(load->getDebugLoc());
    load->replaceUsesWithIf(frozen, [&](const llvm::Use& use) { return use.getUser() != frozen; });
  }
}

/// Of a constant mask with one lane that lane.
std::optional<unsigned> lone_lane(const llvm::Value* mask) {
  const auto* lanes = llvm::dyn_cast<llvm::Constant>(mask);
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (!lanes || !type) return {};
  std::optional<unsigned> lone;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    const llvm::Constant* one = lanes->getAggregateElement(lane);
    if (one && one->isNullValue()) continue;
    if (lone || !one || !one->isOneValue()) return {};
    lone = lane;
  }
  return lone;
}

}  // namespace

/// LLVM 22's instruction selection joins a truncation with such a store, and then stores the lane
/// as wide as it was before: over the element behind it (llvm-project issue 179489). Of LLVM 23 on
/// it is repaired.
void store_lone_lanes(llvm::Module& module) {
  for (llvm::Function& declared : module) {
    if (declared.getIntrinsicID() != llvm::Intrinsic::masked_store) continue;
    for (llvm::User* user : llvm::make_early_inc_range(declared.users())) {
      auto* store = llvm::cast<llvm::CallInst>(user);
      llvm::Value *row = store->getArgOperand(0), *to = store->getArgOperand(1);
      const auto lane = lone_lane(store->getArgOperand(store->arg_size() - 1));
      if (!lane || row->getType()->getScalarSizeInBits() % 8 != 0) continue;
      llvm::IRBuilder<> b(store);
      llvm::Type* element = row->getType()->getScalarType();
      const llvm::Align row_align = store->getParamAlign(1).valueOrOne();
      const std::uint64_t offset = *lane * module.getDataLayout().getTypeStoreSize(element);
      llvm::Instruction* one = b.CreateAlignedStore(b.CreateExtractElement(row, *lane),
                                                    b.CreatePtrAdd(to, b.getInt64(offset)),
                                                    llvm::commonAlignment(row_align, offset));
      one->copyMetadata(*store);
      store->eraseFromParent();
    }
  }
}

void keep_masked_loads(llvm::PassInstrumentationCallbacks& callbacks) {
  // In front of each instcombine: other passes make masked loads, too, as the vectoriser does of an
  // if.
  callbacks.registerBeforeNonSkippedPassCallback([](llvm::StringRef pass, const llvm::Any& code) {
    if (pass != "InstCombinePass") return;
    if (const auto* f = llvm::any_cast<const llvm::Function*>(&code))
      freeze_masked_loads(const_cast<llvm::Function&>(**f));
  });
}

}  // namespace krait::codegen
