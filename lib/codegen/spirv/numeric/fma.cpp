// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fused multiply-add of f64 where the device has none: error-free transforms (Veltkamp, Dekker,
// Knuth) and one rounding to odd (Boldo and Melquiond 2008), with the operands scaled so that
// nothing over- or underflows on the way. The same bits as a fused instruction for all operands.
#include "codegen/spirv/numeric/parts.h"

namespace krait::codegen::spirv {
namespace {

constexpr std::uint64_t power(int exponent) { return std::uint64_t(1023 + exponent) << 52; }

constexpr auto s = Scalar::F64, u = Scalar::U64, i = Scalar::I32, flag = Scalar::Bool;

using spv::Op;

Id exponent_field(Emitter& e, Id pattern) {
  Id field = e.op(Op::OpBitwiseAnd, u,
                  {e.op(Op::OpShiftRightLogical, u, {pattern, e.u32(52)}), e.constant(u, 0x7ff)});
  return e.op(Op::OpUConvert, i, {field});
}

/// A finite number's exponent field as if it were normal, at most 0 for subnormals, and the number
/// with that exponent's digits.
std::pair<Id, Id> normalised(Emitter& e, Id x) {
  Id subnormal = e.op(Op::OpIEqual, flag, {exponent_field(e, e.bits(u, s, x)), e.u32(0)});
  Id scaled = e.select(s, subnormal, e.exact(Op::OpFMul, s, {x, e.constant(s, power(54))}), x);
  Id pattern = e.bits(u, s, scaled);
  Id exponent = e.op(Op::OpISub, i,
                     {exponent_field(e, pattern), e.select(i, subnormal, e.u32(54), e.u32(0))});
  return {exponent, pattern};
}

Id with_exponent_field(Emitter& e, Id pattern, Id field) {
  Id digits = e.op(Op::OpBitwiseAnd, u, {pattern, e.constant(u, 0x800fffffffffffff)});
  return e.bits(s, u,
                e.op(Op::OpBitwiseOr, u,
                     {digits, e.op(Op::OpShiftLeftLogical, u,
                                   {e.op(Op::OpUConvert, u, {field}), e.u32(52)})}));
}

/// vh + w rounded once to a multiple of 2^126 (a subnormal's last place, scaled by 2^1200): added
/// to 2^178 of its sign, which the rounded sum has, it has that last place. Again Boldo and
/// Melquiond's sum of three.
Id round_to_subnormal(Emitter& e, Id vh, Id w, Id rounded) {
  Id magnet = copysign(e, s, e.constant(s, power(178)), rounded);
  auto [ah, al] = two_sum(e, s, magnet, vh);
  auto [low, error] = two_sum(e, s, al, w);
  Id sum = e.exact(Op::OpFAdd, s, {ah, odd(e, s, low, error)});
  return copysign(e, s, e.exact(Op::OpFSub, s, {sum, magnet}), rounded);
}

}  // namespace

Id fma_f64(Emitter& e, Id x, Id y, Id z) {
  auto less = [&](Id a, std::uint32_t b) { return e.op(Op::OpSLessThan, flag, {a, e.u32(b)}); };
  auto greater = [&](Id a, std::uint32_t b) {
    return e.op(Op::OpSGreaterThan, flag, {a, e.u32(b)});
  };
  auto [ex, xb] = normalised(e, x);
  auto [ey, yb] = normalised(e, y);
  Id ez = exponent_field(e, e.bits(u, s, z)), zero = e.constant(s, 0);
  // The product's exponent, biased twice, decides about a factor 2^k for product and z: 2^-200,
  // 2^1200 or 1.
  Id exponent = e.op(Op::OpIAdd, i, {ex, ey});
  // A large addend needs room above too, unless the product is below its last place.
  Id large =
      e.either(greater(exponent, 2046 + 1000), e.both(greater(ez, 2000), greater(exponent, 2046)));
  Id small = less(exponent, 2046 - 900);
  auto by_size = [&](Scalar t, Id of_large, Id of_small, Id otherwise) {
    return e.select(t, large, of_large, e.select(t, small, of_small, otherwise));
  };
  Id total = e.op(Op::OpIAdd, i,
                  {exponent, by_size(i, e.u32(std::uint32_t(-200)), e.u32(1200), e.u32(0))});
  Id half = e.op(Op::OpShiftRightArithmetic, i, {total, e.u32(1)});
  Id xs = with_exponent_field(e, xb, half),
     ys = with_exponent_field(e, yb, e.op(Op::OpISub, i, {total, half}));
  Id root =
      by_size(s, e.constant(s, power(-100)), e.constant(s, power(600)), e.constant(s, power(0)));
  Id zs = e.exact(Op::OpFMul, s, {e.exact(Op::OpFMul, s, {z, root}), root});
  // Far below a large product only z's sign counts; far above a small one z is the result.
  Id negligible = e.both(large, e.both(less(ez, 300), float_compare(e, ir::Op::Ne, z, zero)));
  zs = e.select(s, negligible, copysign(e, s, e.constant(s, power(-800)), z), zs);
  Id dominant = e.both(small, e.op(Op::OpLogicalNot, flag, {less(ez, 323)}));

  auto [uh, ul] = two_product(e, xs, ys);
  auto [th, tl] = two_sum(e, s, zs, ul);
  auto [vh, vl] = two_sum(e, s, uh, th);
  auto [low, error] = two_sum(e, s, tl, vl);
  Id w = odd(e, s, low, error);
  Id rounded = e.exact(Op::OpFAdd, s, {vh, w});
  Id tiny = e.both(small, float_compare(e, ir::Op::Le, e.ext(GLSLstd450FAbs, s, {rounded}),
                                        e.constant(s, power(178))));
  Id r = e.select(s, tiny, round_to_subnormal(e, vh, w, rounded), rounded);
  Id back =
      by_size(s, e.constant(s, power(100)), e.constant(s, power(-600)), e.constant(s, power(0)));
  r = e.exact(Op::OpFMul, s, {e.exact(Op::OpFMul, s, {r, back}), back});

  // Zeros, infinities, NaNs, and products that overflow whatever is added.
  Id factors_finite = e.both(less(ex, 0x7ff), less(ey, 0x7ff)), z_finite = less(ez, 0x7ff);
  Id product =
      e.select(s, e.both(factors_finite, e.negate(z_finite)), zero, e.exact(Op::OpFMul, s, {x, y}));
  Id plain = e.exact(Op::OpFAdd, s, {product, z});
  Id nonzero = e.both(float_compare(e, ir::Op::Ne, x, zero), float_compare(e, ir::Op::Ne, y, zero));
  Id usable =
      e.both(e.both(factors_finite, z_finite), e.both(nonzero, less(exponent, 2046 + 1030)));
  return e.select(s, usable, e.select(s, dominant, z, r), plain);
}

}  // namespace krait::codegen::spirv
