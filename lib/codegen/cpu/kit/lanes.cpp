// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/kit/lanes.h"

#include <algorithm>

#include <llvm/IR/IRBuilder.h>

#include "codegen/reply.h"

namespace krait::codegen::cpu {

using ir::Scalar;

Lanes::Lanes(Code& code, Values& values)
    : code_(code), values_(values), b_(code.b), shape_(code.shape) {}

bool LaneState::are_one(const std::vector<unsigned>& together) {
  std::vector<bool> seen(together.size());
  for (const unsigned set : together) {
    if (set == never) continue;
    if (seen[set]) return false;
    seen[set] = true;
  }
  return !together.empty();
}

bool Lanes::one_lane() const { return code_.one_lane || are_one(together); }

V Lanes::no_lane() const { return llvm::Constant::getNullValue(values_.lane_type(Scalar::Bool)); }

V Lanes::every_lane() const {
  return llvm::Constant::getAllOnesValue(values_.lane_type(Scalar::Bool));
}

V Lanes::mask_part(const Mask& m, unsigned p) const { return m.all() ? every_lane() : m.parts[p]; }

Mask Lanes::both(const Mask& a, const Mask& b) {
  if (a.all()) return b;
  if (b.all()) return a;
  Mask r;
  for (unsigned p = 0; p < shape_.parts; ++p)
    r.parts.push_back(b_.CreateAnd(a.parts[p], b.parts[p]));
  return r;
}

Mask Lanes::others(const Mask& of, const Mask& part) {
  Mask r;
  for (unsigned p = 0; p < shape_.parts; ++p)
    r.parts.push_back(of.all() ? b_.CreateNot(part.parts[p])
                               : b_.CreateXor(of.parts[p], part.parts[p]));
  return r;
}

Mask Lanes::either(const Mask& a, const Mask& b) {
  if (a.all() || b.all()) return {};
  Mask r;
  for (unsigned p = 0; p < shape_.parts; ++p)
    r.parts.push_back(b_.CreateOr(a.parts[p], b.parts[p]));
  return r;
}

Mask Lanes::join_masks(llvm::ArrayRef<std::pair<Block, Mask>> edges) {
  bool same = true, all = true;
  for (auto& [block, mask] : edges) {
    same &= mask.parts == edges[0].second.parts;
    all &= mask.all();
  }
  if (same || all) return edges[0].second;
  Mask r;
  Block here = b_.GetInsertBlock();
  for (unsigned p = 0; p < shape_.parts; ++p) {
    b_.SetInsertPoint(here, here->begin());
    llvm::PHINode* phi = b_.CreatePHI(values_.lane_type(Scalar::Bool), unsigned(edges.size()));
    b_.SetInsertPoint(here);
    for (auto& [block, mask] : edges) phi->addIncoming(mask_part(mask, p), block);
    r.parts.push_back(phi);
  }
  return r;
}

V Lanes::mask_bits(V part) { return b_.CreateBitCast(part, b_.getIntNTy(shape_.lanes)); }

V Lanes::count(V part) {
  V bits = mask_bits(part);
  if (shape_.lanes < 32) bits = b_.CreateZExt(bits, b_.getInt32Ty());
  return b_.CreateZExtOrTrunc(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits),
                              b_.getInt32Ty());
}

bool Lanes::same(const Mask& a, const Mask& b) const {
  return a.parts.size() == b.parts.size() &&
         std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), [](V x, V y) {
           const auto* first = llvm::dyn_cast<llvm::Instruction>(x);
           const auto* second = llvm::dyn_cast<llvm::Instruction>(y);
           return x == y || (first && second && first->getOpcode() == llvm::Instruction::And &&
                             first->isIdenticalTo(second));
         });
}

V Lanes::any(const Mask& m) {
  if (m.all()) return b_.getTrue();
  V joined = m.parts[0];
  for (unsigned p = 1; p < shape_.parts; ++p) joined = b_.CreateOr(joined, m.parts[p]);
  return b_.CreateICmpNE(mask_bits(joined), b_.getIntN(shape_.lanes, 0));
}

V Lanes::every(const Mask& m) {
  if (m.all()) return b_.getTrue();
  const auto of_part = [&](unsigned p) {
    return full.all() ? m.parts[p] : b_.CreateOr(m.parts[p], b_.CreateNot(full.parts[p]));
  };
  V joined = of_part(0);
  for (unsigned p = 1; p < shape_.parts; ++p) joined = b_.CreateAnd(joined, of_part(p));
  return b_.CreateICmpEQ(mask_bits(joined),
                         llvm::ConstantInt::getAllOnesValue(b_.getIntNTy(shape_.lanes)));
}

V Lanes::lane_mask(unsigned p, V remaining) {
  return b_.CreateICmpSLT(values_.lane_numbers(b_.getInt32Ty(), 1, p * shape_.lanes),
                          values_.splat(b_.CreateTrunc(remaining, b_.getInt32Ty())));
}

/// The value of the first active lane.
V Lanes::first_active(ir::ValueId v) {
  if (values_.uniform(v)) return values_.scalar(v);
  if (active.all()) return b_.CreateExtractElement(values_.part(v, 0), std::uint64_t(0));
  V found = nullptr;
  for (unsigned p = shape_.parts; p-- > 0;) {
    V bits = mask_bits(active.parts[p]);
    V lane = b_.CreateIntrinsic(llvm::Intrinsic::cttz, {bits->getType()}, {bits, b_.getFalse()});
    V last = llvm::ConstantInt::get(bits->getType(), shape_.lanes - 1);
    lane = b_.CreateZExt(b_.CreateAnd(lane, last), b_.getInt64Ty());
    V x = b_.CreateExtractElement(values_.part(v, p), lane);
    V any_here = b_.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()));
    found = found ? b_.CreateSelect(any_here, x, found) : x;
  }
  return found;
}

/// The value of the last active lane, under a mask.
V Lanes::last_active(ir::ValueId v) {
  if (values_.uniform(v)) return values_.scalar(v);
  V found = nullptr;
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V bits = mask_bits(active.parts[p]);
    V behind = b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {bits->getType()}, {bits, b_.getFalse()});
    V last = llvm::ConstantInt::get(bits->getType(), shape_.lanes - 1);
    V lane = b_.CreateZExt(b_.CreateAnd(b_.CreateSub(last, behind), last), b_.getInt64Ty());
    V x = b_.CreateExtractElement(values_.part(v, p), lane);
    V any_here = b_.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()));
    found = found ? b_.CreateSelect(any_here, x, found) : x;
  }
  return found;
}

std::vector<V> Lanes::active_words() {
  constexpr unsigned bits = 64;
  std::vector<V> words((shape_.gang() + bits - 1) / bits, b_.getInt64(0));
  for (unsigned p = 0; p < shape_.parts; ++p) {
    const V part =
        b_.CreateZExt(mask_bits(active.all() ? every_lane() : active.parts[p]), b_.getInt64Ty());
    V& word = words[p * shape_.lanes / bits];
    word = b_.CreateOr(word, b_.CreateShl(part, std::uint64_t(p * shape_.lanes % bits)));
  }
  return words;
}

V Lanes::active_bits() {
  if (shape_.gang() > 64) defect("a gang of more lanes than a warp has");
  return active_words().front();
}

}  // namespace krait::codegen::cpu
