// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fused multiply-add of f64 where the device has none: error-free transforms (Veltkamp, Dekker, Knuth) and one rounding to odd
// (Boldo and Melquiond 2008), with the operands scaled so that nothing over- or underflows on the way. The same bits as a fused
// instruction for all operands.
#include "codegen/spirv/emitter.h"

namespace krait::codegen::spirv {
namespace {

constexpr std::uint64_t power(int exponent) { return std::uint64_t(1023 + exponent) << 52; }

constexpr auto s = Scalar::F64, u = Scalar::U64, i = Scalar::I32, flag = Scalar::Bool;

}  // namespace

using spv::Op;

/// A finite number's exponent field as if it were normal, at most 0 for subnormals, and the number with that exponent's digits.
std::pair<Id, Id> Emitter::normalised(Id x) {
  Id subnormal = op(Op::OpIEqual, flag, {exponent_field(bits(u, s, x)), u32(0)});
  Id scaled = select(s, subnormal, exact(Op::OpFMul, s, {x, constant(s, power(54))}), x);
  Id pattern = bits(u, s, scaled);
  Id exponent = op(Op::OpISub, i, {exponent_field(pattern), select(i, subnormal, u32(54), u32(0))});
  return {exponent, pattern};
}

Id Emitter::exponent_field(Id pattern) {
  Id field = op(Op::OpBitwiseAnd, u, {op(Op::OpShiftRightLogical, u, {pattern, u32(52)}), constant(u, 0x7ff)});
  return op(Op::OpUConvert, i, {field});
}

Id Emitter::with_exponent_field(Id pattern, Id field) {
  Id digits = op(Op::OpBitwiseAnd, u, {pattern, constant(u, 0x800fffffffffffff)});
  return bits(s, u, op(Op::OpBitwiseOr, u, {digits, op(Op::OpShiftLeftLogical, u, {op(Op::OpUConvert, u, {field}), u32(52)})}));
}

/// vh + w rounded once to a multiple of 2^126 (a subnormal's last place, scaled by 2^1200): added to 2^178 of its sign, which the
/// rounded sum has, it has that last place. Again Boldo and Melquiond's sum of three.
Id Emitter::round_to_subnormal(Id vh, Id w, Id rounded) {
  Id magnet = copysign(s, constant(s, power(178)), rounded);
  auto [ah, al] = two_sum(s, magnet, vh);
  auto [low, error] = two_sum(s, al, w);
  Id sum = exact(Op::OpFAdd, s, {ah, odd(s, low, error)});
  return copysign(s, exact(Op::OpFSub, s, {sum, magnet}), rounded);
}

Id Emitter::fma_f64(Id x, Id y, Id z) {
  auto less = [&](Id a, std::uint32_t b) { return op(Op::OpSLessThan, flag, {a, u32(b)}); };
  auto greater = [&](Id a, std::uint32_t b) { return op(Op::OpSGreaterThan, flag, {a, u32(b)}); };
  auto [ex, xb] = normalised(x);
  auto [ey, yb] = normalised(y);
  Id ez = exponent_field(bits(u, s, z)), zero = constant(s, 0);
  // The product's exponent, biased twice, decides about a factor 2^k for product and z: 2^-200, 2^1200 or 1.
  Id e = op(Op::OpIAdd, i, {ex, ey});
  // A large addend needs room above too, unless the product is below its last place.
  Id large = either(greater(e, 2046 + 1000), both(greater(ez, 2000), greater(e, 2046)));
  Id small = less(e, 2046 - 900);
  auto by_size = [&](Scalar t, Id of_large, Id of_small, Id otherwise) {
    return select(t, large, of_large, select(t, small, of_small, otherwise));
  };
  Id total = op(Op::OpIAdd, i, {e, by_size(i, u32(std::uint32_t(-200)), u32(1200), u32(0))});
  Id half = op(Op::OpShiftRightArithmetic, i, {total, u32(1)});
  Id xs = with_exponent_field(xb, half), ys = with_exponent_field(yb, op(Op::OpISub, i, {total, half}));
  Id root = by_size(s, constant(s, power(-100)), constant(s, power(600)), constant(s, power(0)));
  Id zs = exact(Op::OpFMul, s, {exact(Op::OpFMul, s, {z, root}), root});
  // Far below a large product only z's sign counts; far above a small one z is the result.
  Id negligible = both(large, both(less(ez, 300), float_compare(ir::Op::Ne, z, zero)));
  zs = select(s, negligible, copysign(s, constant(s, power(-800)), z), zs);
  Id dominant = both(small, op(Op::OpLogicalNot, flag, {less(ez, 323)}));

  auto [uh, ul] = two_product(xs, ys);
  auto [th, tl] = two_sum(s, zs, ul);
  auto [vh, vl] = two_sum(s, uh, th);
  auto [low, error] = two_sum(s, tl, vl);
  Id w = odd(s, low, error);
  Id rounded = exact(Op::OpFAdd, s, {vh, w});
  Id tiny = both(small, float_compare(ir::Op::Le, ext(GLSLstd450FAbs, s, {rounded}), constant(s, power(178))));
  Id r = select(s, tiny, round_to_subnormal(vh, w, rounded), rounded);
  Id back = by_size(s, constant(s, power(100)), constant(s, power(-600)), constant(s, power(0)));
  r = exact(Op::OpFMul, s, {exact(Op::OpFMul, s, {r, back}), back});

  // Zeros, infinities, NaNs, and products that overflow whatever is added.
  Id factors_finite = both(less(ex, 0x7ff), less(ey, 0x7ff)), z_finite = less(ez, 0x7ff);
  Id product = select(s, both(factors_finite, negate(z_finite)), zero, exact(Op::OpFMul, s, {x, y}));
  Id plain = exact(Op::OpFAdd, s, {product, z});
  Id nonzero = both(float_compare(ir::Op::Ne, x, zero), float_compare(ir::Op::Ne, y, zero));
  Id usable = both(both(factors_finite, z_finite), both(nonzero, less(e, 2046 + 1030)));
  return select(s, usable, select(s, dominant, z, r), plain);
}

}  // namespace krait::codegen::spirv
