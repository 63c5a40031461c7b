// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/emit/float_quotients.h"

#include <numeric>

#include <llvm/IR/IRBuilder.h>

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

namespace {

/// Quotients from 2^-half to 2^half, divisors from 2^-quarter to 2^quarter: x is a normal number,
/// x - q*y a multiple of the least subnormal one, so it is exact. What x*l may lose below that is
/// nothing beside q.
struct Format {
  unsigned bits, fraction, bias, half, quarter;
};
constexpr Format f32{32, 23, 127, 64, 32}, f64{64, 52, 1023, 512, 256};

}  // namespace

/// Vectors of a register each are put together before the lanes are asked.
V FloatQuotients::every_lane_below_zero(V numbers) {
  constexpr unsigned native = 512;
  auto* type = llvm::cast<llvm::FixedVectorType>(numbers->getType());
  unsigned lanes = type->getNumElements();
  for (; lanes * type->getScalarSizeInBits() > native; lanes /= 2) {
    std::vector<int> low(lanes / 2), high(lanes / 2);
    std::iota(low.begin(), low.end(), 0), std::iota(high.begin(), high.end(), int(lanes / 2));
    numbers =
        b_.CreateAnd(b_.CreateShuffleVector(numbers, low), b_.CreateShuffleVector(numbers, high));
  }
  const V below = b_.CreateICmpSLT(numbers, llvm::Constant::getNullValue(numbers->getType()));
  const V word = b_.CreateBitCast(below, b_.getIntNTy(lanes));
  return b_.CreateICmpEQ(word, llvm::Constant::getAllOnesValue(word->getType()));
}

bool FloatQuotients::emit(const ir::Inst& inst) {
  const Scalar s = inst.type.scalar;
  if (inst.op != Op::Div || (s != Scalar::F32 && s != Scalar::F64) ||
      shape_.machine.level != CpuLevel::Avx512 || shape_.machine.quick || shape_.lanes < 8 ||
      f_.fp == ir::FpMode::Fast || !values_.uniform(inst.operands[1]) ||
      values_.uniform(inst.operands[0]))
    return false;
  const Format& format = s == Scalar::F32 ? f32 : f64;
  llvm::Type* word = b_.getIntNTy(format.bits);
  const auto number = [&](std::uint64_t n) { return llvm::ConstantInt::get(word, n); };
  const auto doubled = [&](V float_bits) { return b_.CreateAdd(float_bits, float_bits); };
  const auto exponent = [&](unsigned e) { return std::uint64_t(e) << (format.fraction + 1); };
  const auto fma = [&](V x, V y, V z) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
  };

  // Of the divisor.
  const V y = values_.scalar(inst.operands[1]), y_bits = b_.CreateBitCast(y, word);
  const V usable = b_.CreateICmpULT(
      b_.CreateSub(doubled(y_bits), number(exponent(format.bias - format.quarter))),
      number(exponent(2 * format.quarter)));
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(usable); known && known->isZero())
    return false;
  const V high = b_.CreateFDiv(llvm::ConstantFP::get(y->getType(), 1.0), y);
  const V low =
      b_.CreateFMul(fma(b_.CreateFNeg(high), y, llvm::ConstantFP::get(y->getType(), 1.0)), high);
  // What +0 is right for: no number is a NaN of these bits.
  const V zero = b_.CreateSelect(b_.CreateICmpSGT(y_bits, number(0)), number(0),
                                 llvm::Constant::getAllOnesValue(word));

  // Of the lanes.
  const V h = values_.splat(high), l = values_.splat(low), by = values_.splat(y);
  const V from = values_.splat(
      number((std::uint64_t(1) << (format.bits - 1)) - exponent(format.bias - format.half)));
  llvm::Type* words = llvm::FixedVectorType::get(word, shape_.lanes);
  Few<V> x, quick;
  V normal = nullptr;
  for (unsigned p = 0; p < shape_.parts; ++p) {
    x.push_back(values_.part(inst.operands[0], p));
    const V near = fma(x[p], h, b_.CreateFMul(x[p], l));
    quick.push_back(fma(fma(b_.CreateFNeg(near), by, x[p]), h, near));
    const V within = b_.CreateAdd(doubled(b_.CreateBitCast(quick[p], words)), from);
    const V none = b_.CreateICmpEQ(b_.CreateBitCast(x[p], words), values_.splat(zero));
    const V right = b_.CreateOr(within, b_.CreateSExt(none, words));
    normal = normal ? b_.CreateAnd(normal, right) : right;
  }
  const Block other = code_.new_block("divide"), next = code_.new_block("divided");
  const V all = b_.CreateAnd(usable, every_lane_below_zero(normal));
  const Block end = b_.GetInsertBlock();
  b_.CreateCondBr(all, next, other, branch_weights(code_.c, ir::Expected::Likely));
  code_.start(other);
  Few<V> slow;
  for (unsigned p = 0; p < shape_.parts; ++p) slow.push_back(b_.CreateFDiv(x[p], by));
  const Block divided = b_.GetInsertBlock();
  code_.branch_to(next);
  code_.start(next);
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p) {
    llvm::PHINode* q = b_.CreatePHI(quick[p]->getType(), 2);
    q->addIncoming(quick[p], end), q->addIncoming(slow[p], divided);
    r.v.push_back(q);
  }
  values_.set(inst.results[0], std::move(r));
  return true;
}

}  // namespace krait::codegen::cpu
