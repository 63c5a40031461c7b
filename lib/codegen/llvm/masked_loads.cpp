// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/masked_loads.h"

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

}  // namespace

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
