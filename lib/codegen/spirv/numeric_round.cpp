// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Correctly rounded f32 division and square root where the driver's are only near (Vulkan asks 2.5 ULP of a division and 2 ULP of
// InverseSqrt). Operands of ordinary size take the driver's estimate and corrections by fused multiply-adds (Markstein,
// "Computation of elementary functions on the IBM RISC System/6000 processor", 1990; Cornea, Harrison and Tang, "Scientific
// Computing on Itanium-based Systems", 2002): tests/vulkan/rounding.cpp holds the sequences to the correct result from every
// estimate within 3 ULP. The rest goes through f64 where that rounds correctly, else through integers.
#include "codegen/spirv/emitter.h"

namespace krait::codegen::spirv {

using spv::Op;

namespace {

constexpr auto f = Scalar::F32;
constexpr auto u = Scalar::U32;
constexpr auto wide = Scalar::U64;
constexpr std::uint64_t infinity = 0x7f800000, quiet_nan = 0x7fc00000, hidden = 0x00800000, sign_bit = 0x80000000;
constexpr std::uint64_t one = 0x3f800000, half = 0x3f000000;

}  // namespace

Id Emitter::divide_f32(Id x, Id y) {
  const bool by_double = has(Feature::F64) && has(Feature::Div64);
  const auto slow = [&] { return by_double ? divide_by_f64(x, y) : divide_by_integers(x, y); };
  if (!fuses_f32() && (by_double || !has(Feature::F64))) return slow();
  // Exponents from -62 to 62: neither the quotient nor a residual leaves the normal numbers. Divisors within 8 ULP of a power of
  // two from below have reciprocals so near to the middle of two floats that one correction is not enough.
  const auto ordinary = [&](Id v) {
    Id doubled = op(Op::OpShiftLeftLogical, u, {bits(u, f, v), u32(1)});
    return op(Op::OpULessThan, Scalar::Bool, {op(Op::OpISub, u, {doubled, u32((127u - 62) << 24)}), u32(125u << 24)});
  };
  Id ones = u32(0x007ffff8);
  Id plain = op(Op::OpINotEqual, Scalar::Bool, {op(Op::OpBitwiseAnd, u, {bits(u, f, y), ones}), ones});
  return either_way(
      f, both(both(ordinary(x), ordinary(y)), plain), [&] { return divide_by_fma(x, y); }, slow);
}

Id Emitter::divide_by_fma(Id x, Id y) {
  const auto fused = [&](Id a, Id b, Id c) { return fma_normal(a, b, c); };
  Id minus_y = exact(Op::OpFNegate, f, {y});
  Id estimate = exact(Op::OpFDiv, f, {constant(f, one), y});
  Id inverse = fused(fused(minus_y, estimate, constant(f, one)), estimate, estimate);
  Id quotient = exact(Op::OpFMul, f, {x, inverse});
  return fused(fused(minus_y, quotient, x), inverse, quotient);
}

Id Emitter::reciprocal_f32(Id y) {
  Id estimate = exact(Op::OpFDiv, f, {constant(f, one), y});
  if (has(Feature::Div32)) return estimate;
  if (!fuses_f32()) return divide_f32(constant(f, one), y);
  Id missed = fma_normal(exact(Op::OpFNegate, f, {y}), estimate, constant(f, one));
  return fma_normal(missed, estimate, estimate);
}

Id Emitter::divide_by_f64(Id x, Id y) {
  const Scalar d = Scalar::F64;
  return narrow_float(f, d, exact(Op::OpFDiv, d, {cast(d, f, x), cast(d, f, y)}));
}

/// A number's digits with the leading one at bit 23, and its biased exponent as if it were normal.
std::pair<Id, Id> Emitter::digits_f32(Id magnitude) {
  Id field = op(Op::OpShiftRightLogical, u, {magnitude, u32(23)});
  Id digits = op(Op::OpBitwiseAnd, u, {magnitude, u32(hidden - 1)});
  Id subnormal = op(Op::OpIEqual, Scalar::Bool, {field, u32(0)});
  Id shift = op(Op::OpISub, u, {u32(23), highest_bit(u, op(Op::OpBitwiseOr, u, {digits, u32(1)}))});
  Id shifted = op(Op::OpShiftLeftLogical, u, {digits, op(Op::OpBitwiseAnd, u, {shift, u32(31)})});
  return {select(u, subnormal, shifted, op(Op::OpBitwiseOr, u, {digits, u32(hidden)})),
          select(u, subnormal, op(Op::OpISub, u, {u32(1), shift}), field)};
}

/// Digits with three more places, the last of them odd where more follow, to nearest even.
Id Emitter::rounded_digits(Id digits) {
  Id kept = op(Op::OpShiftRightLogical, u, {digits, u32(3)});
  Id up = op(Op::OpIAdd, u, {op(Op::OpBitwiseAnd, u, {kept, u32(1)}), u32(3)});
  return op(Op::OpShiftRightLogical, u, {op(Op::OpIAdd, u, {digits, up}), u32(3)});
}

Id Emitter::divide_by_integers(Id x, Id y) {
  const auto equal = [&](Id a, std::uint64_t b) { return op(Op::OpIEqual, Scalar::Bool, {a, u32(std::uint32_t(b))}); };
  const auto less = [&](Id a, Id b) { return op(Op::OpSLessThan, Scalar::Bool, {a, b}); };
  Id bx = bits(u, f, x), by = bits(u, f, y);
  Id sign = op(Op::OpBitwiseAnd, u, {op(Op::OpBitwiseXor, u, {bx, by}), u32(sign_bit)});
  Id ax = op(Op::OpBitwiseAnd, u, {bx, u32(sign_bit - 1)}), ay = op(Op::OpBitwiseAnd, u, {by, u32(sign_bit - 1)});
  auto [mx, ex] = digits_f32(ax);
  auto [my, ey] = digits_f32(ay);
  // 26 or 27 bits of quotient, of which the last tells of a remainder.
  Id numerator = op(Op::OpShiftLeftLogical, wide, {resize(wide, u, mx), u32(26)}), divisor = resize(wide, u, my);
  Id whole = op(Op::OpUDiv, wide, {numerator, select(wide, equal(ay, 0), constant(wide, 1), divisor)});
  Id rest = op(Op::OpINotEqual, Scalar::Bool, {op(Op::OpIMul, wide, {whole, divisor}), numerator});
  Id q = resize(u, wide, whole);
  Id small = op(Op::OpULessThan, Scalar::Bool, {q, u32(1u << 26)});
  q = select(u, small, op(Op::OpShiftLeftLogical, u, {q, u32(1)}), q);
  q = op(Op::OpBitwiseOr, u, {q, select(u, rest, u32(1), u32(0))});
  Id exponent = op(Op::OpIAdd, u, {op(Op::OpISub, u, {ex, ey}), select(u, small, u32(126), u32(127))});
  // Below the normal numbers digits move out to the right, the last place still telling of them.
  Id low = less(exponent, u32(1));
  Id far = op(Op::OpISub, u, {u32(1), exponent});
  far = select(u, low, select(u, less(far, u32(27)), far, u32(27)), u32(0));
  Id kept = op(Op::OpShiftRightLogical, u, {q, far});
  Id lost = op(Op::OpINotEqual, Scalar::Bool, {op(Op::OpShiftLeftLogical, u, {kept, far}), q});
  kept = op(Op::OpBitwiseOr, u, {kept, select(u, lost, u32(1), u32(0))});
  // The leading one adds the missing one to the exponent, and a carry out of the digits another.
  Id below = op(Op::OpISub, u, {select(u, low, u32(1), exponent), u32(1)});
  Id result = op(Op::OpIAdd, u, {op(Op::OpShiftLeftLogical, u, {below, u32(23)}), rounded_digits(kept)});
  result = select(u, less(u32(254), exponent), u32(infinity), result);
  result = select(u, either(equal(ax, infinity), equal(ay, 0)), u32(infinity), result);
  result = select(u, either(equal(ax, 0), equal(ay, infinity)), u32(0), result);
  Id nan = either(either(is_nan(f, x), is_nan(f, y)),
                  either(both(equal(ax, 0), equal(ay, 0)), both(equal(ax, infinity), equal(ay, infinity))));
  return bits(f, u, select(u, nan, u32(quiet_nan), op(Op::OpBitwiseOr, u, {result, sign})));
}

Id Emitter::sqrt_f32(Id x) {
  const bool by_double = has(Feature::F64) && has(Feature::Sqrt64);
  const auto slow = [&] { return by_double ? sqrt_by_f64(x) : sqrt_by_integers(x); };
  if (!fuses_f32() && (by_double || !has(Feature::F64))) return slow();
  // From 2^-62 to the largest number: no residual leaves the normal numbers.
  Id above = op(Op::OpISub, u, {bits(u, f, x), u32((127u - 62) << 23)});
  Id ordinary = op(Op::OpULessThan, Scalar::Bool, {above, u32((127u + 1 + 62) << 23)});
  return either_way(
      f, ordinary, [&] { return sqrt_by_fma(x); }, slow);
}

Id Emitter::sqrt_by_fma(Id x) {
  const auto fused = [&](Id a, Id b, Id c) { return fma_normal(a, b, c); };
  Id estimate = ext(GLSLstd450InverseSqrt, f, {x});
  Id root = exact(Op::OpFMul, f, {x, estimate}), half_inverse = exact(Op::OpFMul, f, {constant(f, half), estimate});
  Id error = fused(exact(Op::OpFNegate, f, {root}), half_inverse, constant(f, half));
  root = fused(root, error, root);
  half_inverse = fused(half_inverse, error, half_inverse);
  Id rest = fused(exact(Op::OpFNegate, f, {root}), root, x);
  return fused(rest, half_inverse, root);
}

Id Emitter::sqrt_by_f64(Id x) {
  const Scalar d = Scalar::F64;
  return narrow_float(f, d, ext(GLSLstd450Sqrt, d, {cast(d, f, x)}));
}

Id Emitter::sqrt_by_integers(Id x) {
  Id pattern = bits(u, f, x);
  auto [digits, field] = digits_f32(op(Op::OpBitwiseAnd, u, {pattern, u32(sign_bit - 1)}));
  // An odd exponent gives one place to the digits; then the radicand has 50 to 52 bits and its root 26.
  Id odd_exponent = op(Op::OpBitwiseAnd, u, {op(Op::OpIAdd, u, {field, u32(1)}), u32(1)});
  Id even_field = op(Op::OpISub, u, {field, odd_exponent});
  Id radicand = resize(wide, u, op(Op::OpShiftLeftLogical, u, {digits, odd_exponent}));
  radicand = op(Op::OpShiftLeftLogical, wide, {radicand, u32(27)});
  // The driver's root is near enough that one step of Newton's method is right or one too large.
  Id near = op(Op::OpConvertFToU, u, {ext(GLSLstd450Sqrt, f, {op(Op::OpConvertUToF, f, {radicand})})});
  Id root = resize(wide, u, near);
  root = op(Op::OpShiftRightLogical, wide, {op(Op::OpIAdd, wide, {root, op(Op::OpUDiv, wide, {radicand, root})}), u32(1)});
  Id square = op(Op::OpIMul, wide, {root, root});
  Id large = op(Op::OpUGreaterThan, Scalar::Bool, {square, radicand});
  Id rest = op(Op::OpINotEqual, Scalar::Bool, {square, radicand});
  Id places = op(Op::OpISub, u, {resize(u, wide, root), select(u, large, u32(1), u32(0))});
  places = op(Op::OpBitwiseOr, u, {op(Op::OpShiftLeftLogical, u, {places, u32(1)}), select(u, rest, u32(1), u32(0))});
  // (field - 127) / 2 + 127, less the one that the leading digit adds.
  Id exponent = op(Op::OpShiftRightArithmetic, u, {op(Op::OpIAdd, u, {even_field, u32(125)}), u32(1)});
  Id result = op(Op::OpIAdd, u, {op(Op::OpShiftLeftLogical, u, {exponent, u32(23)}), rounded_digits(places)});
  // Zeros, infinity and NaN are their own roots; other negative numbers have none.
  Id itself = either(op(Op::OpIEqual, Scalar::Bool, {op(Op::OpShiftLeftLogical, u, {pattern, u32(1)}), u32(0)}),
                     op(Op::OpIEqual, Scalar::Bool, {pattern, u32(infinity)}));
  Id none = op(Op::OpUGreaterThan, Scalar::Bool, {pattern, u32(infinity)});
  return bits(f, u, select(u, itself, pattern, select(u, none, u32(quiet_nan), result)));
}

/// InverseSqrt is within 2 ULP by Vulkan's own rule; what the rule says nothing of are subnormal numbers and zeros.
Id Emitter::rsqrt_f32(Id x) {
  const auto estimate = [&](Id v) { return ext(GLSLstd450InverseSqrt, f, {v}); };
  if (fast || has(Feature::Rsqrt32)) return estimate(x);
  Id pattern = bits(u, f, x);
  Id normal = op(Op::OpULessThan, Scalar::Bool, {op(Op::OpISub, u, {pattern, u32(hidden)}), u32(infinity - hidden)});
  const auto slow = [&] {
    // A subnormal number's bits count units of 2^-149; doubled, they have a root of a power of two.
    Id subnormal = op(Op::OpULessThan, Scalar::Bool, {op(Op::OpISub, u, {pattern, u32(1)}), u32(hidden - 1)});
    Id doubled = op(Op::OpShiftLeftLogical, u, {pattern, u32(1)});
    Id inverse = estimate(select(f, subnormal, op(Op::OpConvertUToF, f, {doubled}), x));
    Id scaled = exact(Op::OpFMul, f, {inverse, constant(f, std::uint64_t(127 + 75) << 23)});
    Id pole = bits(f, u, op(Op::OpBitwiseOr, u, {pattern, u32(infinity)}));
    Id is_zero = op(Op::OpIEqual, Scalar::Bool, {doubled, u32(0)});
    // Drivers that flush give -infinity for a negative subnormal number.
    Id negative = op(Op::OpUGreaterThan, Scalar::Bool, {pattern, u32(sign_bit)});
    Id root = select(f, subnormal, scaled, select(f, negative, constant(f, quiet_nan), inverse));
    return select(f, is_zero, pole, root);
  };
  return either_way(
      f, normal, [&] { return estimate(x); }, slow);
}

/// Where Fma is fused but flushes subnormals: normal operands and results are right, all others go through f64.
Id Emitter::fma_where_normal(Id x, Id y, Id z) {
  Id fused = ext(GLSLstd450Fma, f, {x, y, z});
  const auto magnitude = [&](Id v) { return ext(GLSLstd450FAbs, f, {v}); };
  const auto smaller = [&](Id a, Id b) { return ext(GLSLstd450NMin, f, {a, b}); };
  Id least = smaller(smaller(magnitude(x), magnitude(y)), smaller(magnitude(z), magnitude(fused)));
  Id normal = op(Op::OpFOrdGreaterThanEqual, Scalar::Bool, {least, constant(f, hidden)});
  return either_way(
      f, normal, [&] { return fused; }, [&] { return fma_f32(x, y, z); });
}

// ---- whole numbers

Id Emitter::whole(ir::Op o, Scalar s, Id x) {
  if ((s == Scalar::F64 && !has(Feature::Whole64)) || (s != Scalar::F16 && has(Feature::RintFaults)))
    return whole_by_sums(o, s, x);
  return ext(o == ir::Op::Floor   ? GLSLstd450Floor
             : o == ir::Op::Ceil  ? GLSLstd450Ceil
             : o == ir::Op::Trunc ? GLSLstd450Trunc
                                  : GLSLstd450RoundEven,
             s, {x});
}

/// Magnitudes below 2^52 (f32: 2^23) are rounded to even by adding and taking off that number; one step corrects the direction. Others are whole.
Id Emitter::whole_by_sums(ir::Op o, Scalar s, Id x) {
  const bool wide = s == Scalar::F64;
  const Scalar u = wide ? Scalar::U64 : Scalar::U32;
  Id size = bits(s, u, op(Op::OpBitwiseAnd, u, {bits(u, s, x), constant(u, ~format_of(s).sign())}));
  Id limit = constant(s, wide ? 0x4330000000000000 : 0x4b000000), one = constant(s, wide ? 0x3ff0000000000000 : 0x3f800000);
  const auto exactly = [&](Op what, Id a, Id b) {  // in fast mode too
    return exact(what, s, {a, b});
  };
  Id near = exactly(Op::OpFSub, exactly(Op::OpFAdd, size, limit), limit);
  if (o == ir::Op::Trunc) near = select(s, float_compare(ir::Op::Gt, near, size), exactly(Op::OpFSub, near, one), near);
  near = copysign(s, near, x);
  if (o == ir::Op::Floor) near = select(s, float_compare(ir::Op::Gt, near, x), exactly(Op::OpFSub, near, one), near);
  if (o == ir::Op::Ceil) near = select(s, float_compare(ir::Op::Lt, near, x), exactly(Op::OpFAdd, near, one), near);
  return select(s, float_compare(ir::Op::Lt, size, limit), copysign(s, near, x), x);
}

}  // namespace krait::codegen::spirv
