// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers, scatters and masked rows for which the machine has no instruction or a slow one, lane by
// lane. LLVM's own replacement branches around every lane, and a kernel of 1,000 operations with
// 100 gathers became 5,000 blocks, which took two seconds to compile. Here lanes that are not
// active get an address of their own instead, zeros to read and a place on the stack to write. Rows
// of bytes and halves under a mask are gathered as words.
//
// AMD's gather of AVX2 takes 5.0 ns for 8 lanes, loads and inserts 4.2 (Zen 3, in the first cache).
// Under a mask it is taken all the same: the choice of addresses would make of one node of
// instruction selection fifty. Quick code always takes it.
#include <optional>
#include <string>
#include <vector>

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include "codegen/cpu/image/image.h"

namespace krait::codegen::cpu {
namespace {

using V = llvm::Value*;

struct Access {
  llvm::IntrinsicInst* call;
  V value = nullptr;  // stored
  V pointers, mask;
  V passed = nullptr;  // what inactive lanes get
  llvm::FixedVectorType* type;
  llvm::Align align;
};

class Scalariser {
 public:
  Scalariser(llvm::Function& f, const llvm::TargetTransformInfo& target, const Machine& machine)
      : f_(f), target_(target), machine_(machine), b_(f.getContext()) {}

  void run() {
    std::vector<llvm::IntrinsicInst*> calls;
    for (llvm::BasicBlock& block : f_)
      for (llvm::Instruction& i : block)
        if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) calls.push_back(call);
    bool kept = false;
    for (llvm::IntrinsicInst* call : calls) {
      const std::optional<Access> a = find(*call);
      if (!a) continue;
      const bool keeps = call->getIntrinsicID() == llvm::Intrinsic::masked_gather &&
                         machine_.gathers(a->type->getScalarSizeInBits()) &&
                         (machine_.quick || !is_all(a->mask));
      kept = kept || keeps;
      if (!keeps) replace(*a);
    }
    if (kept) add_feature("+fast-gather");
  }

 private:
  /// An access that the machine cannot do at once.
  std::optional<Access> find(llvm::IntrinsicInst& call) const {
    const bool writes = call.getType()->isVoidTy();
    const unsigned place = writes ? 1 : 0;
    const auto access = [&]() -> Access {
      auto* type = llvm::cast<llvm::FixedVectorType>(writes ? call.getArgOperand(0)->getType()
                                                            : call.getType());
      return {&call,
              writes ? call.getArgOperand(0) : nullptr,
              call.getArgOperand(place),
              call.getArgOperand(place + 1),
              writes ? nullptr : call.getArgOperand(2),
              type,
              call.getParamAlign(place).valueOrOne()};
    };
    const auto unless = [](bool legal, const Access& a) -> std::optional<Access> {
      if (legal) return {};
      return a;
    };
    switch (call.getIntrinsicID()) {
      case llvm::Intrinsic::masked_gather: {
        const Access a = access();
        return unless(target_.isLegalMaskedGather(a.type, a.align) &&
                          !target_.forceScalarizeMaskedGather(a.type, a.align),
                      a);
      }
      case llvm::Intrinsic::masked_scatter: {
        const Access a = access();
        return unless(target_.isLegalMaskedScatter(a.type, a.align) &&
                          !target_.forceScalarizeMaskedScatter(a.type, a.align),
                      a);
      }
      case llvm::Intrinsic::masked_load: {
        const Access a = access();
        return unless(target_.isLegalMaskedLoad(a.type, a.align, 0), a);
      }
      case llvm::Intrinsic::masked_store: {
        // LLVM 22 stores one lane that a constant mask has as wide as it was before a truncation:
        // over what lies behind it.
        const Access a = access();
        return unless(target_.isLegalMaskedStore(a.type, a.align, 0) &&
                          !(a.type->getScalarSizeInBits() < 32 && only_lane(a)),
                      a);
      }
      default: return {};
    }
  }

  void replace(const Access& a) {
    b_.SetInsertPoint(a.call);
    if (const std::optional<unsigned> lane = a.value ? only_lane(a) : std::nullopt) {
      const V at = lane_address(addresses(a, a.type->getNumElements()), *lane);
      b_.CreateAlignedStore(b_.CreateExtractElement(a.value, *lane), at, a.align)
          ->setAAMetadata(a.call->getAAMetadata());
      a.call->eraseFromParent();
      return;
    }
    if (load_words(a)) return;
    const unsigned lanes = a.type->getNumElements();
    llvm::Type* element = a.type->getElementType();
    const bool all = is_all(a.mask);
    V pointers = addresses(a, lanes);
    if (!all)
      pointers = b_.CreateSelect(a.mask, pointers, b_.CreateVectorSplat(lanes, own_place(a)));
    V result = llvm::PoisonValue::get(a.type);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const V at = lane_address(pointers, lane);
      llvm::Instruction* access = nullptr;
      if (a.value) {
        access = b_.CreateAlignedStore(b_.CreateExtractElement(a.value, lane), at, a.align);
      } else {
        access = b_.CreateAlignedLoad(element, at, a.align);
        result = b_.CreateInsertElement(result, access, lane);
      }
      access->setAAMetadata(a.call->getAAMetadata());
    }
    if (!a.value) {
      auto* passed = llvm::dyn_cast<llvm::Constant>(a.passed);
      if (!all && !(passed && (passed->isNullValue() || llvm::isa<llvm::UndefValue>(passed))))
        result = b_.CreateSelect(a.mask, result, a.passed);
      a.call->replaceAllUsesWith(result);
    }
    a.call->eraseFromParent();
  }

  /// A row of narrow elements under a mask: a gather of the words of 4 bytes that they lie in, none
  /// of which is in two pages. What it reads beside the elements is dropped. False where that is no
  /// such row.
  bool load_words(const Access& a) {
    const unsigned bits = a.type->getScalarSizeInBits(), lanes = a.type->getNumElements();
    auto* passed = a.value ? nullptr : llvm::dyn_cast<llvm::Constant>(a.passed);
    if (!passed || !passed->isNullValue() || a.pointers->getType()->isVectorTy() ||
        (bits != 8 && bits != 16) || a.align.value() * 8 < bits || is_all(a.mask) ||
        !machine_.gathers(32))
      return false;
    const auto all_of = [&](std::uint32_t n) {
      return b_.CreateVectorSplat(lanes, b_.getInt32(n));
    };
    std::vector<llvm::Constant*> steps;
    for (unsigned lane = 0; lane < lanes; ++lane) steps.push_back(b_.getInt32(lane * bits / 8));
    const V at = b_.CreatePtrToInt(a.pointers, b_.getInt64Ty());
    const V first =
        b_.CreateIntrinsic(llvm::Intrinsic::ptrmask, {a.pointers->getType(), b_.getInt64Ty()},
                           {a.pointers, b_.getInt64(~std::uint64_t(3))});
    const V before =
        b_.CreateVectorSplat(lanes, b_.CreateAnd(b_.CreateTrunc(at, b_.getInt32Ty()), 3));
    // in bytes from the first word
    const V places = b_.CreateAdd(before, llvm::ConstantVector::get(steps));
    auto* type = llvm::FixedVectorType::get(b_.getInt32Ty(), lanes);
    V words = b_.CreateMaskedGather(
        type, b_.CreateGEP(b_.getInt8Ty(), first, b_.CreateAnd(places, all_of(~3u))),
        llvm::Align(4), a.mask, llvm::Constant::getNullValue(type));
    words = b_.CreateLShr(words, b_.CreateShl(b_.CreateAnd(places, all_of(3)), all_of(3)));
    const V elements = b_.CreateTrunc(words, llvm::FixedVectorType::get(b_.getIntNTy(bits), lanes));
    a.call->replaceAllUsesWith(b_.CreateBitCast(elements, a.type));
    a.call->eraseFromParent();
    add_feature("+fast-gather");
    return true;
  }

  void add_feature(const char* feature) {
    const std::string had = f_.getFnAttribute("target-features").getValueAsString().str();
    f_.addFnAttr("target-features", had.empty() ? feature : had + "," + feature);
  }

  static bool is_all(V mask) {
    auto* c = llvm::dyn_cast<llvm::Constant>(mask);
    return c && c->isAllOnesValue();
  }

  /// The one lane of a constant mask.
  static std::optional<unsigned> only_lane(const Access& a) {
    auto* mask = llvm::dyn_cast<llvm::Constant>(a.mask);
    std::optional<unsigned> only;
    for (unsigned lane = 0; mask && lane < a.type->getNumElements(); ++lane) {
      const llvm::Constant* one = mask->getAggregateElement(lane);
      if (one && one->isNullValue()) continue;
      if (only || !one || !one->isOneValue()) return {};
      only = lane;
    }
    return only;
  }

  V addresses(const Access& a, unsigned lanes) {
    if (a.pointers->getType()->isVectorTy()) return a.pointers;
    std::vector<llvm::Constant*> numbers;
    for (unsigned lane = 0; lane < lanes; ++lane) numbers.push_back(b_.getInt64(lane));
    return b_.CreateGEP(a.type->getElementType(), a.pointers, llvm::ConstantVector::get(numbers));
  }

  V lane_address(V pointers, unsigned lane) {
    // Of a base and an index a lane, in the bits that it had before it was widened: half the
    // vectors, or an eighth of them.
    auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(pointers);
    if (!gep || gep->getNumIndices() != 1 || gep->getPointerOperand()->getType()->isVectorTy())
      return b_.CreateExtractElement(pointers, lane);
    V index = gep->getOperand(1);
    const bool has_sign = llvm::isa<llvm::SExtInst>(index),
               wider = has_sign || llvm::isa<llvm::ZExtInst>(index);
    V one = b_.CreateExtractElement(
        wider ? llvm::cast<llvm::CastInst>(index)->getOperand(0) : index, lane);
    if (wider)
      one = has_sign ? b_.CreateSExt(one, b_.getInt64Ty()) : b_.CreateZExt(one, b_.getInt64Ty());
    return b_.CreateGEP(gep->getSourceElementType(), gep->getPointerOperand(), one);
  }

  /// Where lanes read or write that are not active.
  V own_place(const Access& a) {
    llvm::Type* type = b_.getInt64Ty();
    if (a.value) {
      if (!written_) {
        llvm::IRBuilder<> top(&f_.getEntryBlock(), f_.getEntryBlock().getFirstInsertionPt());
        written_ = top.CreateAlloca(type, nullptr, "nowhere");
      }
      return written_;
    }
    llvm::Module& m = *f_.getParent();
    llvm::GlobalVariable* zero = m.getNamedGlobal("zero");
    if (!zero) {
      zero = new llvm::GlobalVariable(m, type, true, llvm::GlobalValue::PrivateLinkage,
                                      b_.getInt64(0), "zero");
      zero->setAlignment(llvm::Align(8));
    }
    return zero;
  }

  llvm::Function& f_;
  const llvm::TargetTransformInfo& target_;
  const Machine& machine_;
  llvm::IRBuilder<> b_;
  V written_ = nullptr;
};

}  // namespace

void scalarise_accesses(llvm::Module& module, const Shape& shape, llvm::TargetMachine& machine) {
  for (llvm::Function& f : module)
    if (!f.isDeclaration()) Scalariser(f, machine.getTargetTransformInfo(f), shape.machine).run();
}

}  // namespace krait::codegen::cpu
