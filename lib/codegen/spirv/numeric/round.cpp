// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Correctly rounded f32 division and square root where the driver's are only near (Vulkan asks 2.5
// ULP of a division and 2 ULP of InverseSqrt). Operands of ordinary size take the driver's estimate
// and corrections by fused multiply-adds (Markstein, "Computation of elementary functions on the
// IBM RISC System/6000 processor", 1990; Cornea, Harrison and Tang, "Scientific Computing on
// Itanium-based Systems", 2002): tests/vulkan/rounding.cpp holds the sequences to the correct
// result from every estimate within 3 ULP. The rest goes through f64 where that rounds correctly,
// else through integers.
#include <bit>

#include "codegen/spirv/numeric/parts.h"

namespace krait::codegen::spirv {

using spv::Op;

namespace {

constexpr auto f = Scalar::F32;
constexpr auto u = Scalar::U32;
constexpr auto wide = Scalar::U64;
constexpr std::uint64_t infinity = 0x7f800000, quiet_nan = 0x7fc00000, hidden = 0x00800000,
                        sign_bit = 0x80000000;
constexpr std::uint64_t one = 0x3f800000, half = 0x3f000000;

}  // namespace

namespace {

/// A number's digits with the leading one at bit 23, and its biased exponent as if it were normal.
std::pair<Id, Id> digits_f32(Emitter& e, Id magnitude) {
  Id field = e.op(Op::OpShiftRightLogical, u, {magnitude, e.u32(23)});
  Id digits = e.op(Op::OpBitwiseAnd, u, {magnitude, e.u32(hidden - 1)});
  Id subnormal = e.op(Op::OpIEqual, Scalar::Bool, {field, e.u32(0)});
  Id shift = e.op(Op::OpISub, u,
                  {e.u32(23), e.highest_bit(u, e.op(Op::OpBitwiseOr, u, {digits, e.u32(1)}))});
  Id shifted =
      e.op(Op::OpShiftLeftLogical, u, {digits, e.op(Op::OpBitwiseAnd, u, {shift, e.u32(31)})});
  return {e.select(u, subnormal, shifted, e.op(Op::OpBitwiseOr, u, {digits, e.u32(hidden)})),
          e.select(u, subnormal, e.op(Op::OpISub, u, {e.u32(1), shift}), field)};
}

/// Digits with three more places, the last of them odd where more follow, to nearest even.
Id rounded_digits(Emitter& e, Id digits) {
  Id kept = e.op(Op::OpShiftRightLogical, u, {digits, e.u32(3)});
  Id up = e.op(Op::OpIAdd, u, {e.op(Op::OpBitwiseAnd, u, {kept, e.u32(1)}), e.u32(3)});
  return e.op(Op::OpShiftRightLogical, u, {e.op(Op::OpIAdd, u, {digits, up}), e.u32(3)});
}

Id divide_by_fma(Emitter& e, Id x, Id y) {
  const auto fused = [&](Id a, Id b, Id c) { return fma_normal(e, a, b, c); };
  Id minus_y = e.exact(Op::OpFNegate, f, {y});
  Id estimate = e.exact(Op::OpFDiv, f, {e.constant(f, one), y});
  Id inverse = fused(fused(minus_y, estimate, e.constant(f, one)), estimate, estimate);
  Id quotient = e.exact(Op::OpFMul, f, {x, inverse});
  return fused(fused(minus_y, quotient, x), inverse, quotient);
}

Id divide_by_f64(Emitter& e, Id x, Id y) {
  const Scalar d = Scalar::F64;
  return narrow_float(e, f, d, e.exact(Op::OpFDiv, d, {cast(e, d, f, x), cast(e, d, f, y)}));
}

Id divide_by_integers(Emitter& e, Id x, Id y) {
  const auto equal = [&](Id a, std::uint64_t b) {
    return e.op(Op::OpIEqual, Scalar::Bool, {a, e.u32(std::uint32_t(b))});
  };
  const auto less = [&](Id a, Id b) { return e.op(Op::OpSLessThan, Scalar::Bool, {a, b}); };
  Id bx = e.bits(u, f, x), by = e.bits(u, f, y);
  Id sign = e.op(Op::OpBitwiseAnd, u, {e.op(Op::OpBitwiseXor, u, {bx, by}), e.u32(sign_bit)});
  Id ax = e.op(Op::OpBitwiseAnd, u, {bx, e.u32(sign_bit - 1)}),
     ay = e.op(Op::OpBitwiseAnd, u, {by, e.u32(sign_bit - 1)});
  auto [mx, ex] = digits_f32(e, ax);
  auto [my, ey] = digits_f32(e, ay);
  // 26 or 27 bits of quotient, of which the last tells of a remainder.
  Id numerator = e.op(Op::OpShiftLeftLogical, wide, {e.resize(wide, u, mx), e.u32(26)}),
     divisor = e.resize(wide, u, my);
  Id whole = e.op(Op::OpUDiv, wide,
                  {numerator, e.select(wide, equal(ay, 0), e.constant(wide, 1), divisor)});
  Id rest =
      e.op(Op::OpINotEqual, Scalar::Bool, {e.op(Op::OpIMul, wide, {whole, divisor}), numerator});
  Id q = e.resize(u, wide, whole);
  Id small = e.op(Op::OpULessThan, Scalar::Bool, {q, e.u32(1u << 26)});
  q = e.select(u, small, e.op(Op::OpShiftLeftLogical, u, {q, e.u32(1)}), q);
  q = e.op(Op::OpBitwiseOr, u, {q, e.select(u, rest, e.u32(1), e.u32(0))});
  Id exponent = e.op(Op::OpIAdd, u,
                     {e.op(Op::OpISub, u, {ex, ey}), e.select(u, small, e.u32(126), e.u32(127))});
  // Below the normal numbers digits move out to the right, the last place still telling of them.
  Id low = less(exponent, e.u32(1));
  Id far = e.op(Op::OpISub, u, {e.u32(1), exponent});
  far = e.select(u, low, e.select(u, less(far, e.u32(27)), far, e.u32(27)), e.u32(0));
  Id kept = e.op(Op::OpShiftRightLogical, u, {q, far});
  Id lost = e.op(Op::OpINotEqual, Scalar::Bool, {e.op(Op::OpShiftLeftLogical, u, {kept, far}), q});
  kept = e.op(Op::OpBitwiseOr, u, {kept, e.select(u, lost, e.u32(1), e.u32(0))});
  // The leading one adds the missing one to the exponent, and a carry out of the digits another.
  Id below = e.op(Op::OpISub, u, {e.select(u, low, e.u32(1), exponent), e.u32(1)});
  Id result = e.op(Op::OpIAdd, u,
                   {e.op(Op::OpShiftLeftLogical, u, {below, e.u32(23)}), rounded_digits(e, kept)});
  result = e.select(u, less(e.u32(254), exponent), e.u32(infinity), result);
  result = e.select(u, e.either(equal(ax, infinity), equal(ay, 0)), e.u32(infinity), result);
  result = e.select(u, e.either(equal(ax, 0), equal(ay, infinity)), e.u32(0), result);
  Id nan = e.either(e.either(is_nan(e, f, x), is_nan(e, f, y)),
                    e.either(e.both(equal(ax, 0), equal(ay, 0)),
                             e.both(equal(ax, infinity), equal(ay, infinity))));
  return e.bits(f, u, e.select(u, nan, e.u32(quiet_nan), e.op(Op::OpBitwiseOr, u, {result, sign})));
}

}  // namespace

Id divide_f32(Emitter& e, Id x, Id y) {
  const bool by_double = e.has(Feature::F64) && e.has(Feature::Div64);
  const auto slow = [&] {
    return by_double ? divide_by_f64(e, x, y) : divide_by_integers(e, x, y);
  };
  if (!e.fuses_f32() && (by_double || !e.has(Feature::F64))) return slow();
  // Exponents from -62 to 62: neither the quotient nor a residual leaves the normal numbers.
  // Divisors within 8 ULP of a power of two from below have reciprocals so near to the middle of
  // two floats that one correction is not enough.
  const auto ordinary = [&](Id v) {
    Id doubled = e.op(Op::OpShiftLeftLogical, u, {e.bits(u, f, v), e.u32(1)});
    return e.op(Op::OpULessThan, Scalar::Bool,
                {e.op(Op::OpISub, u, {doubled, e.u32((127u - 62) << 24)}), e.u32(125u << 24)});
  };
  Id ones = e.u32(0x007ffff8);
  Id plain = e.op(Op::OpINotEqual, Scalar::Bool,
                  {e.op(Op::OpBitwiseAnd, u, {e.bits(u, f, y), ones}), ones});
  return e.blocks.either_way(
      e.type(f), e.both(e.both(ordinary(x), ordinary(y)), plain),
      [&] { return divide_by_fma(e, x, y); }, slow);
}

Id reciprocal_f32(Emitter& e, Id y) {
  Id estimate = e.exact(Op::OpFDiv, f, {e.constant(f, one), y});
  if (e.has(Feature::Div32)) return estimate;
  if (!e.fuses_f32()) return divide_f32(e, e.constant(f, one), y);
  Id missed = fma_normal(e, e.exact(Op::OpFNegate, f, {y}), estimate, e.constant(f, one));
  return fma_normal(e, missed, estimate, estimate);
}

namespace {

Id sqrt_by_fma(Emitter& e, Id x) {
  const auto fused = [&](Id a, Id b, Id c) { return fma_normal(e, a, b, c); };
  Id estimate = e.ext(GLSLstd450InverseSqrt, f, {x});
  Id root = e.exact(Op::OpFMul, f, {x, estimate}),
     half_inverse = e.exact(Op::OpFMul, f, {e.constant(f, half), estimate});
  Id error = fused(e.exact(Op::OpFNegate, f, {root}), half_inverse, e.constant(f, half));
  root = fused(root, error, root);
  half_inverse = fused(half_inverse, error, half_inverse);
  Id rest = fused(e.exact(Op::OpFNegate, f, {root}), root, x);
  return fused(rest, half_inverse, root);
}

Id sqrt_by_f64(Emitter& e, Id x) {
  const Scalar d = Scalar::F64;
  return narrow_float(e, f, d, e.ext(GLSLstd450Sqrt, d, {cast(e, d, f, x)}));
}

Id sqrt_by_integers(Emitter& e, Id x) {
  Id pattern = e.bits(u, f, x);
  auto [digits, field] = digits_f32(e, e.op(Op::OpBitwiseAnd, u, {pattern, e.u32(sign_bit - 1)}));
  // An odd exponent gives one place to the digits; then the radicand has 50 to 52 bits and its
  // root 26.
  Id odd_exponent = e.op(Op::OpBitwiseAnd, u, {e.op(Op::OpIAdd, u, {field, e.u32(1)}), e.u32(1)});
  Id even_field = e.op(Op::OpISub, u, {field, odd_exponent});
  Id radicand = e.resize(wide, u, e.op(Op::OpShiftLeftLogical, u, {digits, odd_exponent}));
  radicand = e.op(Op::OpShiftLeftLogical, wide, {radicand, e.u32(27)});
  // The driver's root is near enough that one step of Newton's method is right or one too large.
  Id near = e.op(Op::OpConvertFToU, u,
                 {e.ext(GLSLstd450Sqrt, f, {e.op(Op::OpConvertUToF, f, {radicand})})});
  Id root = e.resize(wide, u, near);
  root = e.op(Op::OpShiftRightLogical, wide,
              {e.op(Op::OpIAdd, wide, {root, e.op(Op::OpUDiv, wide, {radicand, root})}), e.u32(1)});
  Id square = e.op(Op::OpIMul, wide, {root, root});
  Id large = e.op(Op::OpUGreaterThan, Scalar::Bool, {square, radicand});
  Id rest = e.op(Op::OpINotEqual, Scalar::Bool, {square, radicand});
  Id places =
      e.op(Op::OpISub, u, {e.resize(u, wide, root), e.select(u, large, e.u32(1), e.u32(0))});
  places = e.op(
      Op::OpBitwiseOr, u,
      {e.op(Op::OpShiftLeftLogical, u, {places, e.u32(1)}), e.select(u, rest, e.u32(1), e.u32(0))});
  // (field - 127) / 2 + 127, less the one that the leading digit adds.
  Id exponent = e.op(Op::OpShiftRightArithmetic, u,
                     {e.op(Op::OpIAdd, u, {even_field, e.u32(125)}), e.u32(1)});
  Id result =
      e.op(Op::OpIAdd, u,
           {e.op(Op::OpShiftLeftLogical, u, {exponent, e.u32(23)}), rounded_digits(e, places)});
  // Zeros, infinity and NaN are their own roots; other negative numbers have none.
  Id itself = e.either(e.op(Op::OpIEqual, Scalar::Bool,
                            {e.op(Op::OpShiftLeftLogical, u, {pattern, e.u32(1)}), e.u32(0)}),
                       e.op(Op::OpIEqual, Scalar::Bool, {pattern, e.u32(infinity)}));
  Id none = e.op(Op::OpUGreaterThan, Scalar::Bool, {pattern, e.u32(infinity)});
  return e.bits(f, u, e.select(u, itself, pattern, e.select(u, none, e.u32(quiet_nan), result)));
}

}  // namespace

Id sqrt_f32(Emitter& e, Id x) {
  const bool by_double = e.has(Feature::F64) && e.has(Feature::Sqrt64);
  const auto slow = [&] { return by_double ? sqrt_by_f64(e, x) : sqrt_by_integers(e, x); };
  if (!e.fuses_f32() && (by_double || !e.has(Feature::F64))) return slow();
  // From 2^-62 to the largest number: no residual leaves the normal numbers.
  Id above = e.op(Op::OpISub, u, {e.bits(u, f, x), e.u32((127u - 62) << 23)});
  Id ordinary = e.op(Op::OpULessThan, Scalar::Bool, {above, e.u32((127u + 1 + 62) << 23)});
  return e.blocks.either_way(
      e.type(f), ordinary, [&] { return sqrt_by_fma(e, x); }, slow);
}

/// InverseSqrt is within 2 ULP by Vulkan's own rule; what the rule says nothing of are subnormal
/// numbers and zeros.
Id rsqrt_f32(Emitter& e, Id x) {
  const auto estimate = [&](Id v) { return e.ext(GLSLstd450InverseSqrt, f, {v}); };
  if (e.fast || e.has(Feature::Rsqrt32)) return estimate(x);
  Id pattern = e.bits(u, f, x);
  Id normal = e.op(Op::OpULessThan, Scalar::Bool,
                   {e.op(Op::OpISub, u, {pattern, e.u32(hidden)}), e.u32(infinity - hidden)});
  const auto slow = [&] {
    // A subnormal number's bits count units of 2^-149; doubled, they have a root of a power of two.
    Id subnormal = e.op(Op::OpULessThan, Scalar::Bool,
                        {e.op(Op::OpISub, u, {pattern, e.u32(1)}), e.u32(hidden - 1)});
    Id doubled = e.op(Op::OpShiftLeftLogical, u, {pattern, e.u32(1)});
    Id inverse = estimate(e.select(f, subnormal, e.op(Op::OpConvertUToF, f, {doubled}), x));
    Id scaled = e.exact(Op::OpFMul, f, {inverse, e.constant(f, std::uint64_t(127 + 75) << 23)});
    Id pole = e.bits(f, u, e.op(Op::OpBitwiseOr, u, {pattern, e.u32(infinity)}));
    Id is_zero = e.op(Op::OpIEqual, Scalar::Bool, {doubled, e.u32(0)});
    // Drivers that flush give -infinity for a negative subnormal number.
    Id negative = e.op(Op::OpUGreaterThan, Scalar::Bool, {pattern, e.u32(sign_bit)});
    Id root =
        e.select(f, subnormal, scaled, e.select(f, negative, e.constant(f, quiet_nan), inverse));
    return e.select(f, is_zero, pole, root);
  };
  return e.blocks.either_way(
      e.type(f), normal, [&] { return estimate(x); }, slow);
}

/// b^x. Additions round to the nearest, so half of a step is taken off before the sum that PTX
/// rounds down.
Id power_f32(Emitter& e, Id x, SplitLogarithm b) {
  struct Ops {
    Emitter& e;
    Id number(double v) const { return e.constant(f, std::bit_cast<std::uint32_t>(float(v))); }
    Id sum(Id x, double factor, Id z) const {
      return e.ext(GLSLstd450Fma, f, {x, number(factor), z});
    }
    Id share(Id x, double factor) const {
      constexpr double below = (exponents_below - 0.5) / normal_exponents;
      return e.ext(GLSLstd450NClamp, f, {sum(x, factor, number(below)), number(0), number(1)});
    }
    Id floor(Id x, double factor, double plus) const { return sum(x, factor, number(plus)); }
    Id minus(Id x, double c) const { return e.exact(Op::OpFSub, f, {x, number(c)}); }
    Id negated(Id x) const { return e.exact(Op::OpFNegate, f, {x}); }
    Id fma(Id x, double factor, Id z) const { return sum(x, factor, z); }
    Id times(Id x, Id y) const { return e.exact(Op::OpFMul, f, {x, y}); }
    Id scale(Id x) const {
      return e.bits(f, u, e.op(Op::OpShiftLeftLogical, u, {e.bits(u, f, x), e.u32(23)}));
    }
    Id exp2(Id x) const { return e.ext(GLSLstd450Exp2, f, {x}); }
  };
  return power_of(Ops{e}, x, b);
}

Id fma_where_normal(Emitter& e, Id x, Id y, Id z) {
  Id fused = e.ext(GLSLstd450Fma, f, {x, y, z});
  const auto magnitude = [&](Id v) { return e.ext(GLSLstd450FAbs, f, {v}); };
  const auto smaller = [&](Id a, Id b) { return e.ext(GLSLstd450NMin, f, {a, b}); };
  Id least = smaller(smaller(magnitude(x), magnitude(y)), smaller(magnitude(z), magnitude(fused)));
  Id normal = e.op(Op::OpFOrdGreaterThanEqual, Scalar::Bool, {least, e.constant(f, hidden)});
  return e.blocks.either_way(
      e.type(f), normal, [&] { return fused; }, [&] { return fma_f32(e, x, y, z); });
}

}  // namespace krait::codegen::spirv
