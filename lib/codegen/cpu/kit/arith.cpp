// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/kit/arith.h"

#include <bit>
#include <cmath>
#include <numeric>

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/Support/SaveAndRestore.h>

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;
using llvm::Intrinsic::ID;
namespace In = llvm::Intrinsic;

unsigned Arithmetic::lanes_of(V x) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  return vector ? vector->getNumElements() : 0;
}

llvm::Type* Arithmetic::scalar_type(Scalar s) const {
  if (s == Scalar::F32) return b_.getFloatTy();
  if (s == Scalar::F64) return b_.getDoubleTy();
  return b_.getIntNTy(ir::bits_of(s));  // f16 as its bits
}

llvm::Type* Arithmetic::type(Scalar s, unsigned lanes) const {
  llvm::Type* t = scalar_type(s);
  return lanes ? llvm::FixedVectorType::get(t, lanes) : t;
}

llvm::Type* Arithmetic::with_lanes(llvm::Type* scalar, V like) const {
  unsigned n = lanes_of(like);
  return n ? llvm::FixedVectorType::get(scalar, n) : scalar;
}

llvm::Constant* Arithmetic::constant(Scalar s, std::uint64_t bits) const {
  if (s == Scalar::F32)
    return llvm::ConstantFP::get(b_.getContext(),
                                 llvm::APFloat(std::bit_cast<float>(std::uint32_t(bits))));
  if (s == Scalar::F64)
    return llvm::ConstantFP::get(b_.getContext(), llvm::APFloat(std::bit_cast<double>(bits)));
  unsigned width = ir::bits_of(s);
  return llvm::ConstantInt::get(b_.getContext(), llvm::APInt(64, bits).trunc(width));
}

llvm::Value* Arithmetic::splat_int(V like, std::uint64_t value) const {
  unsigned width = like->getType()->getScalarSizeInBits();
  return llvm::ConstantInt::get(like->getType(), llvm::APInt(64, value).trunc(width));
}
llvm::Value* Arithmetic::number(V like, double value) const {
  return llvm::ConstantFP::get(like->getType(), value);
}

llvm::Value* Arithmetic::to_memory(V x, Scalar s) {
  return s == Scalar::Bool ? b_.CreateZExt(x, with_lanes(b_.getInt8Ty(), x)) : x;
}
llvm::Value* Arithmetic::from_memory(V x, Scalar s) {
  return s == Scalar::Bool ? b_.CreateICmpNE(x, llvm::Constant::getNullValue(x->getType())) : x;
}

llvm::Value* Arithmetic::bits_of(V x, Scalar s) {
  return s == Scalar::F16 ? x : b_.CreateBitCast(x, with_lanes(b_.getIntNTy(ir::bits_of(s)), x));
}

// ---- integers -----------------------------------------------------------------------------------

llvm::Value* Arithmetic::quotient(Scalar s, V x, V y) {
  bool sign = ir::is_signed_int(s);
  unsigned width = ir::bits_of(s);
  // x86 has no vector division of integers. A float quotient of whole numbers that both fit the
  // significand truncates to the exact quotient: x/y is at least 1/y away from the next whole
  // number when it is not one.
  const unsigned lanes = lanes_of(x);
  const bool one_divisor = lanes && !lanes_of(y);
  const auto all_lanes = [&](V v) { return b_.CreateVectorSplat(lanes, v); };
  if (!lanes || width == 64 || llvm::isa<llvm::Constant>(y)) {
    if (one_divisor) y = all_lanes(y);
    return sign ? b_.CreateSDiv(x, y) : b_.CreateUDiv(x, y);
  }
  const Scalar wide = width == 32 ? Scalar::F64 : Scalar::F32;
  const auto real = [&](V v) {
    llvm::Type* to = with_lanes(scalar_type(wide), v);
    return sign ? b_.CreateSIToFP(v, to) : b_.CreateUIToFP(v, to);
  };
  V fx = real(x), fy = real(y), q;
  if (one_divisor && machine_.fma) {
    // Times a reciprocal of twice the significand (emit/float_quotients.h): within one unit in the
    // last place, which is less than 1/y, and a whole number where the quotient is one.
    const V high = b_.CreateFDiv(number(fy, 1), fy);
    const V low = b_.CreateFMul(fma(wide, b_.CreateFNeg(high), fy, number(fy, 1)), high);
    q = fma(wide, fx, all_lanes(high), b_.CreateFMul(fx, all_lanes(low)));
  } else {
    q = b_.CreateFDiv(fx, one_divisor ? all_lanes(fy) : fy);
  }
  return sign ? b_.CreateFPToSI(q, x->getType()) : b_.CreateFPToUI(q, x->getType());
}

llvm::Value* Arithmetic::divide(Op op, Scalar s, V x, V y) {
  // What all lanes are divided by is one number.
  if (V one = lanes_of(y) && !llvm::isa<llvm::Constant>(y) ? llvm::getSplatValue(y) : nullptr)
    y = one;
  V zero = splat_int(x, 0);
  V by_zero = b_.CreateICmpEQ(y, splat_int(y, 0)), special = by_zero;
  V by_minus_one = nullptr;
  if (ir::is_signed_int(s)) {
    by_minus_one = b_.CreateICmpEQ(y, splat_int(y, ~std::uint64_t(0)));
    special = b_.CreateOr(by_zero, by_minus_one);
  }
  V safe = b_.CreateSelect(special, splat_int(y, 1), y);
  V q = quotient(s, x, safe);
  if (op == Op::Rem) {
    const bool one_divisor = lanes_of(x) && !lanes_of(safe);
    V all = one_divisor ? b_.CreateVectorSplat(lanes_of(x), safe) : safe;
    V r = b_.CreateSub(x, b_.CreateMul(q, all));
    return b_.CreateSelect(special, zero, r);
  }
  if (by_minus_one) q = b_.CreateSelect(by_minus_one, b_.CreateNeg(x), q);
  return b_.CreateSelect(by_zero, zero, q);
}

llvm::Value* Arithmetic::multiply_high(Scalar s, V x, V y) {
  bool sign = ir::is_signed_int(s);
  if (ir::bits_of(s) < 64 || !lanes_of(x)) return Numeric::multiply_high(s, x, y);
  // Four products of 32-bit halves (Knuth's algorithm M); the signed result takes the other factor
  // off for each negative one.
  V mask = splat_int(x, 0xffffffff), shift = splat_int(x, 32);
  V xl = b_.CreateAnd(x, mask), xh = b_.CreateLShr(x, shift), yl = b_.CreateAnd(y, mask),
    yh = b_.CreateLShr(y, shift);
  V low = b_.CreateMul(xl, yl), m1 = b_.CreateMul(xh, yl), m2 = b_.CreateMul(xl, yh),
    high = b_.CreateMul(xh, yh);
  V t = b_.CreateAdd(m1, b_.CreateLShr(low, shift));
  V u = b_.CreateAdd(m2, b_.CreateAnd(t, mask));
  V r = b_.CreateAdd(b_.CreateAdd(high, b_.CreateLShr(t, shift)), b_.CreateLShr(u, shift));
  if (sign) {
    V top = splat_int(x, 63);
    r = b_.CreateSub(r, b_.CreateAnd(b_.CreateAShr(x, top), y));
    r = b_.CreateSub(r, b_.CreateAnd(b_.CreateAShr(y, top), x));
  }
  return r;
}

// ---- floats -------------------------------------------------------------------------------------

// Without the conversion instructions: F. Giesen, "half to float done quick" and "float to half,
// fast3_rtne" (public domain).
llvm::Value* Arithmetic::f32_from_f16(V x) {
  llvm::Type* real = with_lanes(b_.getFloatTy(), x);
  if (machine_.f16c)
    return b_.CreateFPExt(b_.CreateBitCast(x, with_lanes(b_.getHalfTy(), x)), real);
  V h = b_.CreateZExt(x, with_lanes(b_.getInt32Ty(), x));
  V o = b_.CreateShl(b_.CreateAnd(h, splat_int(h, 0x7fff)), splat_int(h, 13));
  V exponent = b_.CreateAnd(o, splat_int(h, 0x0f800000));
  o = b_.CreateAdd(o, splat_int(h, std::uint64_t(127 - 15) << 23));
  V special = b_.CreateAdd(o, splat_int(h, std::uint64_t(128 - 16) << 23));
  V small = b_.CreateBitCast(b_.CreateAdd(o, splat_int(h, 1 << 23)), real);
  small = b_.CreateBitCast(b_.CreateFSub(small, number(small, 0x1p-14)), h->getType());
  o = b_.CreateSelect(b_.CreateICmpEQ(exponent, splat_int(h, 0x0f800000)), special, o);
  o = b_.CreateSelect(b_.CreateICmpEQ(exponent, splat_int(h, 0)), small, o);
  V sign = b_.CreateShl(b_.CreateAnd(h, splat_int(h, 0x8000)), splat_int(h, 16));
  return b_.CreateBitCast(b_.CreateOr(o, sign), real);
}

llvm::Value* Arithmetic::f16_from_f32(V x) {
  llvm::Type* result = with_lanes(b_.getInt16Ty(), x);
  if (machine_.f16c)
    return b_.CreateBitCast(b_.CreateFPTrunc(x, with_lanes(b_.getHalfTy(), x)), result);
  V u = bits_of(x, Scalar::F32);
  V magnitude = b_.CreateAnd(u, splat_int(u, 0x7fffffff));
  V sign = b_.CreateAnd(b_.CreateLShr(u, splat_int(u, 16)), splat_int(u, 0x8000));
  V is_nan = b_.CreateICmpUGT(magnitude, splat_int(u, 0x7f800000));
  V huge = b_.CreateSelect(is_nan, splat_int(u, 0x7e00), splat_int(u, 0x7c00));
  V small = b_.CreateFAdd(b_.CreateBitCast(magnitude, x->getType()), number(x, 0.5));
  small = b_.CreateSub(b_.CreateBitCast(small, u->getType()), splat_int(u, 0x3f000000));
  V odd = b_.CreateAnd(b_.CreateLShr(magnitude, splat_int(u, 13)), splat_int(u, 1));
  V normal = b_.CreateAdd(magnitude, splat_int(u, 0xc8000fff));  // rebias the exponent, round
  normal = b_.CreateLShr(b_.CreateAdd(normal, odd), splat_int(u, 13));
  V r = b_.CreateSelect(b_.CreateICmpULT(magnitude, splat_int(u, 0x38800000)), small, normal);
  r = b_.CreateSelect(b_.CreateICmpUGE(magnitude, splat_int(u, 0x47800000)), huge, r);
  return b_.CreateTrunc(b_.CreateOr(r, sign), result);
}

// Rounds to odd into f32 first, which keeps what the second rounding has to know (Boldo and
// Melquiond, 2008).
llvm::Value* Arithmetic::f16_from_f64(V x) {
  V f = b_.CreateFPTrunc(x, with_lanes(b_.getFloatTy(), x));
  V back = b_.CreateFPExt(f, x->getType());
  V inexact = b_.CreateFCmpONE(back, x);
  V above = b_.CreateFCmpOGT(b_.CreateUnaryIntrinsic(In::fabs, back),
                             b_.CreateUnaryIntrinsic(In::fabs, x));
  V u = bits_of(f, Scalar::F32);
  u = b_.CreateSub(u, b_.CreateZExt(above, u->getType()));
  u = b_.CreateOr(u, b_.CreateZExt(inexact, u->getType()));
  return f16_from_f32(b_.CreateBitCast(u, f->getType()));
}

llvm::Value* Arithmetic::range(bool min, Scalar s, std::array<V, 2> x,
                               std::array<bool, 2> signals) {
  const unsigned n = lanes_of(x[0]), bits = x[0]->getType()->getScalarSizeInBits();
  constexpr unsigned least = 128, most = 512;  // bits of a register
  if (machine_.level < CpuLevel::Avx512 || n * bits < least) return nullptr;
  if (n * bits > most) {
    llvm::SmallVector<int, 64> all(n);
    std::iota(all.begin(), all.end(), 0);
    const llvm::ArrayRef<int> lanes(all);
    const auto half = [&](llvm::ArrayRef<int> part) {
      return range(min, s, {b_.CreateShuffleVector(x[0], part), b_.CreateShuffleVector(x[1], part)},
                   signals);
    };
    return b_.CreateShuffleVector(half(lanes.take_front(n / 2)), half(lanes.drop_front(n / 2)),
                                  lanes);
  }
  for (unsigned i = 0; i < 2; ++i)
    if (signals[i]) x[i] = b_.CreateUnaryIntrinsic(In::canonicalize, x[i]);
  const bool single = s == Scalar::F32;
  const ID id =
      n * bits == most
          ? (single ? In::x86_avx512_mask_range_ps_512 : In::x86_avx512_mask_range_pd_512)
      : n * bits == 256
          ? (single ? In::x86_avx512_mask_range_ps_256 : In::x86_avx512_mask_range_pd_256)
          : (single ? In::x86_avx512_mask_range_ps_128 : In::x86_avx512_mask_range_pd_128);
  // the smaller or the larger number, with its own sign
  llvm::SmallVector<V, 6> operands{x[0], x[1], b_.getInt32(min ? 4 : 5),
                                   llvm::Constant::getNullValue(x[0]->getType()),
                                   llvm::Constant::getAllOnesValue(b_.getIntNTy(std::max(n, 8u)))};
  if (n * bits == most) operands.push_back(b_.getInt32(4));  // rounds as ever
  return b_.CreateIntrinsic(id, {}, operands);
}

/// x86's own min and max give the second operand where one is a NaN, and of two zeros.
llvm::Value* Arithmetic::float_min_max(bool min, Scalar s, V x, V y) {
  std::array<passes::FloatFacts, 2> facts = facts_;
  const auto own = [&](V u, V v) {
    return b_.CreateSelect(min ? b_.CreateFCmpOLT(u, v) : b_.CreateFCmpOGT(u, v), u, v);
  };
  const auto constant_of = [](V v) -> const llvm::APFloat* {
    auto* c = llvm::dyn_cast<llvm::Constant>(v);
    if (c && c->getType()->isVectorTy()) c = c->getSplatValue();
    auto* fp = llvm::dyn_cast_or_null<llvm::ConstantFP>(c);
    return fp ? &fp->getValueAPF() : nullptr;
  };
  const std::array<V, 2> given{x, y};
  for (unsigned i = 0; i < 2; ++i)
    if (const llvm::APFloat* c = constant_of(given[i]); c && !c->isNaN()) {
      const double value = s == Scalar::F32 ? double(c->convertToFloat()) : c->convertToDouble();
      facts[i] = {false, false, value == 0 && std::signbit(value), value, value};
    }
  const auto is_minus_zero = [](const passes::FloatFacts& k) {
    return k.minus_zero && k.low == 0 && k.high == 0;
  };
  const auto &a = facts[0], &b = facts[1];
  const bool zeros = a.zero() && b.zero() && (a.minus_zero || b.minus_zero);
  // whether the operand is right for both zeros
  const auto wins_tie = [&](const passes::FloatFacts& k) {
    return !zeros || (min ? is_minus_zero(k) : !k.minus_zero);
  };
  if (!b.nan && (fast_ || wins_tie(b))) return own(x, y);
  if (!a.nan && (fast_ || wins_tie(a))) return own(y, x);
  if (V r = range(min, s, {x, y}, {a.signals && !fast_, b.signals && !fast_})) return r;
  if (fast_) return own(x, y);
  const auto join = [&](V u, V v) {  // of equal numbers, zeros among them
    V bits = min ? b_.CreateOr(bits_of(u, s), bits_of(v, s))
                 : b_.CreateAnd(bits_of(u, s), bits_of(v, s));
    return b_.CreateBitCast(bits, x->getType());
  };
  if (!a.nan && !b.nan) return join(own(x, y), own(y, x));
  if (!a.nan) std::swap(x, y);
  V r = own(x, y);
  if (zeros) {  // r is y where both are equal; masks are cheaper there than a select
    V u = bits_of(x, s), v = bits_of(r, s);
    const auto mask = [&](V condition) { return b_.CreateSExt(condition, u->getType()); };
    v = min ? b_.CreateOr(v, b_.CreateAnd(mask(b_.CreateFCmpOEQ(x, y)), u))
            : b_.CreateAnd(v, b_.CreateOr(mask(b_.CreateFCmpUNE(x, y)), u));
    r = b_.CreateBitCast(v, x->getType());
  }
  return a.nan && b.nan ? b_.CreateSelect(b_.CreateFCmpUNO(y, y), x, r) : r;
}

llvm::Value* Arithmetic::fma(Scalar s, V x, V y, V z) {
  if (machine_.fma) return b_.CreateIntrinsic(In::fma, {x->getType()}, {x, y, z});
  llvm::Type* element = scalar_type(s);
  auto* function = llvm::FunctionType::get(element, {element, element, element}, false);
  V pointer = helper_(s == Scalar::F32 ? CpuHelper::FmaF32 : CpuHelper::FmaF64);
  unsigned n = lanes_of(x);
  if (!n) return b_.CreateCall(function, pointer, {x, y, z});
  V r = llvm::PoisonValue::get(x->getType());
  for (unsigned i = 0; i < n; ++i) {
    auto lane = [&](V v) { return b_.CreateExtractElement(v, std::uint64_t(i)); };
    r = b_.CreateInsertElement(r, b_.CreateCall(function, pointer, {lane(x), lane(y), lane(z)}),
                               std::uint64_t(i));
  }
  return r;
}

llvm::Value* Arithmetic::half(Op op, Scalar result, std::span<V const> x) {
  const auto magnitude = [&] { return b_.CreateAnd(x[0], splat_int(x[0], 0x7fff)); };
  switch (op) {
    case Op::Neg: return b_.CreateXor(x[0], splat_int(x[0], 0x8000));
    case Op::Abs: return magnitude();
    case Op::Copysign: return b_.CreateOr(magnitude(), b_.CreateAnd(x[1], splat_int(x[1], 0x8000)));
    case Op::Isnan: return b_.CreateICmpUGT(magnitude(), splat_int(x[0], 0x7c00));
    case Op::Isinf: return b_.CreateICmpEQ(magnitude(), splat_int(x[0], 0x7c00));
    // exact in f64, or rounded there without harm (lib/ir/op_semantics.h has the proof)
    case Op::Fma: {
      llvm::SmallVector<V, 3> wide;
      for (V v : x)
        wide.push_back(b_.CreateFPExt(f32_from_f16(v), with_lanes(b_.getDoubleTy(), v)));
      return f16_from_f64(b_.CreateFAdd(b_.CreateFMul(wide[0], wide[1]), wide[2]));
    }
    default: return through_float(op, result, x);
  }
}

/// f32 within 1 ULP in native mode. AVX-512 estimates 14 bits; a step of third order, y + y·e·(1/2
/// + 3/8·e) with e = 1 - x·y², does the rest. Where e is a NaN (0, infinity, negative numbers) the
/// estimate is the exact answer.
llvm::Value* Arithmetic::reciprocal_root(V x, bool fast) {
  unsigned n = lanes_of(x);
  if (fast && machine_.fma && (n == 4 || n == 8)) {  // 12 bits and a step of Newton
    V y = b_.CreateIntrinsic(n == 8 ? In::x86_avx_rsqrt_ps_256 : In::x86_sse_rsqrt_ps, {}, {x});
    V e = fma(Scalar::F32, b_.CreateFNeg(b_.CreateFMul(x, y)), y, number(x, 1.0));
    return fma(Scalar::F32, b_.CreateFMul(y, number(x, 0.5)), e, y);
  }
  if (machine_.level < CpuLevel::Avx512 || n < 4)
    return b_.CreateFDiv(number(x, 1.0), b_.CreateUnaryIntrinsic(In::sqrt, x));
  ID id = n == 16  ? In::x86_avx512_rsqrt14_ps_512
          : n == 8 ? In::x86_avx512_rsqrt14_ps_256
                   : In::x86_avx512_rsqrt14_ps_128;
  V all = llvm::Constant::getAllOnesValue(b_.getIntNTy(n == 16 ? 16 : 8));
  V y = b_.CreateIntrinsic(id, {}, {x, llvm::Constant::getNullValue(x->getType()), all});
  V e = fma(Scalar::F32, b_.CreateFNeg(b_.CreateFMul(x, y)), y, number(x, 1.0));
  V r = fma(Scalar::F32, b_.CreateFMul(y, e), fma(Scalar::F32, e, number(x, 0.375), number(x, 0.5)),
            y);
  return b_.CreateSelect(b_.CreateFCmpUNO(e, e), y, r);
}

// ---- conversion ---------------------------------------------------------------------------------

llvm::Value* Arithmetic::truncated(V x) {
  const unsigned n = lanes_of(x), bits = x->getType()->getScalarSizeInBits();
  const unsigned whole = (machine_.level == CpuLevel::Avx512 ? 512
                          : machine_.level >= CpuLevel::Avx2 ? 256
                                                             : 128) /
                         bits;
  if (n > whole) {
    llvm::SmallVector<int, 64> all(n);
    std::iota(all.begin(), all.end(), 0);
    const llvm::ArrayRef<int> lanes(all);
    V low = truncated(b_.CreateShuffleVector(x, lanes.take_front(n / 2)));
    V high = low ? truncated(b_.CreateShuffleVector(x, lanes.drop_front(n / 2))) : nullptr;
    return high ? b_.CreateShuffleVector(low, high, lanes) : nullptr;
  }
  llvm::Type* to = with_lanes(b_.getInt32Ty(), x);
  const auto masked = [&](ID id) {
    return b_.CreateIntrinsic(id, {},
                              {x, llvm::Constant::getNullValue(to),
                               llvm::Constant::getAllOnesValue(b_.getIntNTy(n)), b_.getInt32(4)});
  };
  if (bits == 32 && n == 4) return b_.CreateIntrinsic(In::x86_sse2_cvttps2dq, {}, {x});
  if (bits == 32 && n == 8) return b_.CreateIntrinsic(In::x86_avx_cvtt_ps2dq_256, {}, {x});
  if (bits == 32 && n == 16) return masked(In::x86_avx512_mask_cvttps2dq_512);
  if (bits == 64 && n == 4) return b_.CreateIntrinsic(In::x86_avx_cvtt_pd2dq_256, {}, {x});
  if (bits == 64 && n == 8) return masked(In::x86_avx512_mask_cvttpd2dq_512);
  return nullptr;
}

llvm::Value* Arithmetic::truncated_to_wide(V x) {
  const unsigned n = lanes_of(x), bits = x->getType()->getScalarSizeInBits();
  if (machine_.level < CpuLevel::Avx512 || bits != 64 || (n != 2 && n != 4 && n != 8))
    return nullptr;
  llvm::SmallVector<V, 4> operands{x, llvm::Constant::getNullValue(with_lanes(b_.getInt64Ty(), x)),
                                   llvm::Constant::getAllOnesValue(b_.getInt8Ty())};
  if (n == 8) operands.push_back(b_.getInt32(4));
  return b_.CreateIntrinsic(n == 8   ? ID(In::x86_avx512_mask_cvttpd2qq_512)
                            : n == 4 ? ID(In::x86_avx512_mask_cvttpd2qq_256)
                                     : ID(In::x86_avx512_mask_cvttpd2qq_128),
                            {}, operands);
}

llvm::Value* Arithmetic::saturate(V x, Scalar to) {
  const unsigned width = ir::bits_of(to);
  const bool sign = ir::is_signed_int(to);
  const double high = std::ldexp(1.0, int(width) - int(sign)),
               low = sign ? -std::ldexp(1.0, int(width) - 1) : 0.0;
  const passes::FloatFacts& facts = facts_[0];
  llvm::Type* whole = with_lanes(b_.getIntNTy(width), x);
  // what the conversion to i32 takes: an end that i32 does not have is no float's
  constexpr double end = 0x1p31, below_end = 0x1.fffffffffffffp30;
  if (facts.inside(std::max(low, -end), std::min(std::nextafter(high, 0.0), below_end)))
    if (V i = truncated(x))
      return sign ? b_.CreateSExtOrTrunc(i, whole) : b_.CreateZExtOrTrunc(i, whole);
  // through i32, whose conversion the machine has, from floats that hold both ends
  if (width < 32) {
    // a NaN becomes the lower end
    V i = b_.CreateSelect(b_.CreateFCmpOGT(x, number(x, low)), x, number(x, low));
    i = b_.CreateSelect(b_.CreateFCmpOLT(i, number(x, high - 1)), i, number(x, high - 1));
    i = b_.CreateFPToSI(i, with_lanes(b_.getInt32Ty(), x));
    if (sign && facts.nan)
      i = b_.CreateSelect(b_.CreateFCmpUNO(x, x), llvm::Constant::getNullValue(i->getType()), i);
    return b_.CreateTrunc(i, with_lanes(b_.getIntNTy(width), x));
  }
  // Both conversions give the lower end for all that is not inside. f64 has i32's upper end.
  if (sign && width == 32 && x->getType()->getScalarSizeInBits() == 64) {
    V number_of = x;
    if (facts.nan) number_of = b_.CreateSelect(b_.CreateFCmpORD(x, x), x, number(x, 0.0));
    if (facts.high >= high)
      number_of = b_.CreateSelect(b_.CreateFCmpOLT(number_of, number(x, high - 1)), number_of,
                                  number(x, high - 1));
    if (V i = truncated(number_of)) return i;
  }
  if (sign) {
    if (V i = width == 32 ? truncated(x) : truncated_to_wide(x)) {
      const llvm::APInt top = llvm::APInt::getSignedMaxValue(width);
      if (facts.high >= high)
        i = b_.CreateSelect(b_.CreateFCmpOGE(x, number(x, high)),
                            llvm::ConstantInt::get(whole, top), i);
      return facts.nan
                 ? b_.CreateSelect(b_.CreateFCmpORD(x, x), i, llvm::Constant::getNullValue(whole))
                 : i;
    }
  }
  V inside =
      b_.CreateAnd(b_.CreateFCmpOGT(x, number(x, low)), b_.CreateFCmpOLT(x, number(x, high)));
  V safe = b_.CreateSelect(inside, x, number(x, 0.0));
  V i = sign ? b_.CreateFPToSI(safe, whole) : b_.CreateFPToUI(safe, whole);
  const llvm::APInt top =
      sign ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width);
  i = b_.CreateSelect(b_.CreateFCmpOGE(x, number(x, high)), llvm::ConstantInt::get(whole, top), i);
  if (sign)
    i = b_.CreateSelect(b_.CreateFCmpOLE(x, number(x, low)),
                        llvm::ConstantInt::get(whole, llvm::APInt::getSignedMinValue(width)), i);
  return i;
}

llvm::Value* Arithmetic::cast_half(V x, Scalar from, Scalar to) {
  if (from == Scalar::F16) {
    if (to == Scalar::Bool)
      return b_.CreateICmpNE(b_.CreateAnd(x, splat_int(x, 0x7fff)), splat_int(x, 0));
    return cast(f32_from_f16(x), Scalar::F32, to);
  }
  if (from == Scalar::F32) return f16_from_f32(x);
  if (from == Scalar::F64) return f16_from_f64(x);
  // i8 and i16 are exact in f32, i32 in f64; an i64 that is not exact there is far above the
  // largest f16.
  const Scalar through = ir::bits_of(from) <= 16 ? Scalar::F32 : Scalar::F64;
  return cast_half(cast(x, from, through), through, to);
}

// ---- sums of products ---------------------------------------------------------------------------

llvm::Value* Arithmetic::dot_bytes(Op op, Scalar s, std::span<V const> x) {
  const unsigned lanes = lanes_of(x[0]);
  const bool mixed = op == Op::DotMixed, left_signed = !mixed && ir::is_signed_int(s),
             right_signed = mixed || ir::is_signed_int(s);
  const auto as = [&](V v, unsigned bits) {
    return b_.CreateBitCast(v, llvm::FixedVectorType::get(b_.getIntNTy(bits), lanes * 32 / bits));
  };
  if (lanes == 4 || lanes == 8 || lanes == 16) {
    if (machine_.dots_bytes(lanes)) {
      // The instruction has unsigned bytes times signed ones: a signed x is 128 less than its bits
      // with the sign turned, an unsigned y 128 more.
      const ID instruction = lanes == 16  ? ID(In::x86_avx512_vpdpbusd_512)
                             : lanes == 8 ? ID(In::x86_avx512_vpdpbusd_256)
                                          : ID(In::x86_avx512_vpdpbusd_128);
      const auto dot = [&](V z, V left, V right) {
        return b_.CreateIntrinsic(instruction, {z, as(left, 8), as(right, 8)});
      };
      const auto turned = [&](V v) { return b_.CreateXor(v, splat_int(v, 0x80808080)); };
      V none = splat_int(x[0], 0);
      if (left_signed)
        return b_.CreateSub(dot(x[2], turned(x[0]), x[1]),
                            dot(none, splat_int(x[0], 0x80808080), x[1]));
      if (right_signed) return dot(x[2], x[0], x[1]);
      return b_.CreateAdd(dot(x[2], x[0], turned(x[1])),
                          b_.CreateShl(dot(none, x[0], splat_int(x[0], 0x40404040)), 1));
    }
    if (machine_.level >= (lanes == 16  ? CpuLevel::Avx512
                           : lanes == 8 ? CpuLevel::Avx2
                                        : CpuLevel::Sse42)) {
      // Pairs of words of 16 bits, of the even bytes and of the odd ones.
      const ID instruction = lanes == 16  ? ID(In::x86_avx512_pmaddw_d_512)
                             : lanes == 8 ? ID(In::x86_avx2_pmadd_wd)
                                          : ID(In::x86_sse2_pmadd_wd);
      const auto words = [&](V v, bool odd, bool is_signed) -> V {
        V all = as(v, 16);
        if (is_signed) return b_.CreateAShr(odd ? all : b_.CreateShl(all, 8), 8);
        return odd ? b_.CreateLShr(all, 8) : b_.CreateAnd(all, splat_int(all, 0xff));
      };
      V sum = x[2];
      for (const bool odd : {false, true})
        sum = b_.CreateAdd(sum, b_.CreateIntrinsic(instruction, {words(x[0], odd, left_signed),
                                                                 words(x[1], odd, right_signed)}));
      return sum;
    }
  }
  const auto byte = [&](V v, unsigned i, bool is_signed) {
    if (!is_signed) return b_.CreateAnd(b_.CreateLShr(v, 8 * i), splat_int(v, 0xff));
    return b_.CreateAShr(b_.CreateShl(v, 24 - 8 * i), 24);
  };
  V sum = x[2];
  for (unsigned i = 0; i < 4; ++i)
    sum = b_.CreateAdd(sum, b_.CreateMul(byte(x[0], i, left_signed), byte(x[1], i, right_signed)));
  return sum;
}

llvm::Value* Arithmetic::dot_pairs(std::span<V const> x, bool rounds) {
  const unsigned lanes = lanes_of(x[0]);
  if (rounds && machine_.dots_pairs && (lanes == 4 || lanes == 8 || lanes == 16)) {
    const ID instruction = lanes == 16  ? ID(In::x86_avx512bf16_dpbf16ps_512)
                           : lanes == 8 ? ID(In::x86_avx512bf16_dpbf16ps_256)
                                        : ID(In::x86_avx512bf16_dpbf16ps_128);
    const auto pairs = [&](V v) {
      return b_.CreateBitCast(v, llvm::FixedVectorType::get(b_.getBFloatTy(), 2 * lanes));
    };
    return b_.CreateIntrinsic(instruction, {x[2], pairs(x[0]), pairs(x[1])});
  }
  V sum = x[2];
  for (const bool high : {false, true}) {
    const auto part = [&](V v) {
      V bits = high ? b_.CreateAnd(v, splat_int(v, 0xffff0000)) : b_.CreateShl(v, 16);
      return b_.CreateBitCast(bits, with_lanes(b_.getFloatTy(), v));
    };
    sum = fma(Scalar::F32, part(x[0]), part(x[1]), sum);
  }
  return sum;
}

std::array<passes::FloatFacts, 2> Arithmetic::facts_of(const ir::Inst& inst) const {
  std::array<passes::FloatFacts, 2> facts;
  for (std::size_t i = 0; i < std::min(facts.size(), inst.operands.size()); ++i)
    facts[i] = floats_.of(inst.operands[i]);
  return facts;
}

llvm::Value* Arithmetic::pure(const ir::Inst& inst, ir::FpMode mode, Scalar operand,
                              llvm::ArrayRef<V> x) {
  // Library bodies are inlined by now and rely on exact sums, so fast mode allows no reassociation
  // here.
  llvm::IRBuilderBase::FastMathFlagGuard guard(b_);
  const llvm::SaveAndRestore fast(fast_, inst.fast || mode == ir::FpMode::Fast);
  const llvm::SaveAndRestore facts(facts_, facts_of(inst));
  if (fast_) {
    llvm::FastMathFlags flags;
    flags.setAllowReciprocal();
    flags.setApproxFunc();
    b_.setFastMathFlags(flags);
  }
  const std::span<V const> operands(x.data(), x.size());
  if (inst.op == Op::DotBytes || inst.op == Op::DotMixed)
    return dot_bytes(inst.op, operand, operands);
  if (inst.op == Op::DotPairs) return dot_pairs(operands, fast_ || mode == ir::FpMode::Native);
  if (inst.op == Op::Rsqrt) return reciprocal_root(x[0], fast_);
  return emit(inst.op, inst.type.scalar, operand, operands);
}

}  // namespace krait::codegen::cpu
