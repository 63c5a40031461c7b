// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point operations with the results that the interpreter gives: what drivers round or
// order differently (notes of trials in docs/code-generation.md) is written out.
#include <fmt/core.h>

#include "codegen/spirv/numeric/parts.h"

namespace krait::codegen::spirv {

using spv::Op;

Id float_compare(Emitter& e, ir::Op o, Id x, Id y) {
  const Op which = o == ir::Op::Eq   ? Op::OpFOrdEqual
                   : o == ir::Op::Ne ? Op::OpFUnordNotEqual
                   : o == ir::Op::Lt ? Op::OpFOrdLessThan
                   : o == ir::Op::Le ? Op::OpFOrdLessThanEqual
                   : o == ir::Op::Gt ? Op::OpFOrdGreaterThan
                                     : Op::OpFOrdGreaterThanEqual;
  return e.op(which, Scalar::Bool, {x, y});
}

// By bits: drivers may assume that numbers are finite.
Id is_nan(Emitter& e, Scalar s, Id x) {
  const FloatFormat f = format_of(s);
  const Scalar u = bits_type(s);
  Id magnitude = e.op(Op::OpBitwiseAnd, u, {e.bits(u, s, x), e.constant(u, f.sign() - 1)});
  return e.op(Op::OpUGreaterThan, Scalar::Bool, {magnitude, e.constant(u, f.infinity())});
}

Id is_inf(Emitter& e, Scalar s, Id x) {
  const FloatFormat f = format_of(s);
  const Scalar u = bits_type(s);
  Id magnitude = e.op(Op::OpBitwiseAnd, u, {e.bits(u, s, x), e.constant(u, f.sign() - 1)});
  return e.op(Op::OpIEqual, Scalar::Bool, {magnitude, e.constant(u, f.infinity())});
}

Id copysign(Emitter& e, Scalar s, Id x, Id y) {
  const FloatFormat f = format_of(s);
  const Scalar u = bits_type(s);
  Id magnitude = e.op(Op::OpBitwiseAnd, u, {e.bits(u, s, x), e.constant(u, f.sign() - 1)});
  Id sign = e.op(Op::OpBitwiseAnd, u, {e.bits(u, s, y), e.constant(u, f.sign())});
  return e.bits(s, u, e.op(Op::OpBitwiseOr, u, {magnitude, sign}));
}

// Mesa drops FAbs of what it knows not to be negative, which leaves the sign of sqrt(-0).
Id float_abs(Emitter& e, Scalar s, Id x) {
  if (e.fast || !e.has(Feature::Hide0)) return e.ext(GLSLstd450FAbs, s, {x});
  const Scalar u = bits_type(s);
  return e.bits(
      s, u, e.op(Op::OpBitwiseAnd, u, {e.bits(u, s, x), e.constant(u, format_of(s).sign() - 1)}));
}

/// x where y is a NaN or x comes first; -0 comes before +0.
Id float_min_max(Emitter& e, bool minimum, Scalar s, Id x, Id y) {
  if (e.fast || (s == Scalar::F32 && e.has(Feature::Order32)))
    return e.ext(minimum ? GLSLstd450NMin : GLSLstd450NMax, s, {x, y});
  const Scalar u = bits_type(s);
  // With equal operands only the zeros differ, and there the sign bit of x decides.
  Id sign = e.op(Op::OpBitwiseAnd, u, {e.bits(u, s, x), e.constant(u, format_of(s).sign())});
  Id x_signed = e.op(Op::OpINotEqual, Scalar::Bool, {sign, e.constant(u, 0)});
  Id on_equal = e.both(float_compare(e, ir::Op::Eq, x, y), minimum ? x_signed : e.negate(x_signed));
  Id first = e.either(float_compare(e, minimum ? ir::Op::Lt : ir::Op::Gt, x, y), on_equal);
  return e.select(s, e.either(first, is_nan(e, s, y)), x, y);
}

// Division and roots through a type with at least 2p + 2 digits round as if once (Figueroa 1995).
Id divide(Emitter& e, Scalar s, Id x, Id y) {
  if (e.fast) {
    Id quotient = e.op(Op::OpFDiv, s, {x, y});
    if (e.kernel())
      e.m.head.decorate(quotient, spv::Decoration::FPFastMathMode,
                        {std::uint32_t(spv::FPFastMathModeMask::AllowRecip)});
    return quotient;
  }
  if (s == Scalar::F16) {
    Id wide = divide(e, Scalar::F32, cast(e, Scalar::F32, s, x), cast(e, Scalar::F32, s, y));
    return narrow_float(e, s, Scalar::F32, wide);
  }
  if (s == Scalar::F32 && !e.has(Feature::Div32)) return divide_f32(e, x, y);
  return e.exact(Op::OpFDiv, s, {x, y});
}

Id sqrt(Emitter& e, Scalar s, Id x) {
  if (e.fast) return e.ext(GLSLstd450Sqrt, s, {x});
  if (s == Scalar::F16)
    return narrow_float(e, s, Scalar::F32, sqrt(e, Scalar::F32, cast(e, Scalar::F32, s, x)));
  if (s == Scalar::F32 && !e.has(Feature::Sqrt32)) return sqrt_f32(e, x);
  return e.ext(GLSLstd450Sqrt, s, {x});
}

std::pair<Id, Id> two_sum(Emitter& e, Scalar s, Id x, Id y) {
  Id sum = e.exact(Op::OpFAdd, s, {x, y});
  Id y_part = e.exact(Op::OpFSub, s, {sum, x});
  Id x_part = e.exact(Op::OpFSub, s, {sum, y_part});
  Id error = e.exact(Op::OpFAdd, s,
                     {e.exact(Op::OpFSub, s, {x, x_part}), e.exact(Op::OpFSub, s, {y, y_part})});
  return {sum, error};
}

std::pair<Id, Id> two_product(Emitter& e, Id x, Id y) {
  const Scalar s = Scalar::F64;
  Id splitter = e.constant(s, 0x41a0000002000000);  // 2^27 + 1
  auto split = [&](Id v) {
    Id scaled = e.exact(Op::OpFMul, s, {splitter, v});
    Id high = e.exact(Op::OpFSub, s, {scaled, e.exact(Op::OpFSub, s, {scaled, v})});
    return std::pair(high, e.exact(Op::OpFSub, s, {v, high}));
  };
  auto [xh, xl] = split(x);
  auto [yh, yl] = split(y);
  Id product = e.exact(Op::OpFMul, s, {x, y});
  Id rest = e.exact(Op::OpFSub, s, {e.exact(Op::OpFMul, s, {xh, yh}), product});
  rest = e.exact(Op::OpFAdd, s, {rest, e.exact(Op::OpFMul, s, {xh, yl})});
  rest = e.exact(Op::OpFAdd, s, {rest, e.exact(Op::OpFMul, s, {xl, yh})});
  return {product, e.exact(Op::OpFAdd, s, {rest, e.exact(Op::OpFMul, s, {xl, yl})})};
}

Id odd(Emitter& e, Scalar s, Id sum, Id error) {
  const Scalar u = bits_type(s);
  Id pattern = e.bits(u, s, sum), zero = e.constant(s, 0), one = e.constant(u, 1);
  Id even = e.op(Op::OpIEqual, Scalar::Bool,
                 {e.op(Op::OpBitwiseAnd, u, {pattern, one}), e.constant(u, 0)});
  Id inexact = e.op(Op::OpFOrdNotEqual, Scalar::Bool, {error, zero});
  Id outwards =
      e.op(Op::OpLogicalEqual, Scalar::Bool,
           {float_compare(e, ir::Op::Gt, error, zero), float_compare(e, ir::Op::Gt, sum, zero)});
  Id step = e.select(u, outwards, one, e.constant(u, ~std::uint64_t(0)));
  Id moved = e.op(Op::OpIAdd, u, {pattern, step});
  return e.bits(s, u, e.select(u, e.both(even, inexact), moved, pattern));
}

namespace {

Id fma_f16(Emitter& e, Id x, Id y, Id z) {
  // The product is exact in f32.
  Id product =
      e.exact(Op::OpFMul, Scalar::F32,
              {cast(e, Scalar::F32, Scalar::F16, x), cast(e, Scalar::F32, Scalar::F16, y)});
  auto [sum, error] = two_sum(e, Scalar::F32, product, cast(e, Scalar::F32, Scalar::F16, z));
  return narrow_float(e, Scalar::F16, Scalar::F32, odd(e, Scalar::F32, sum, error));
}

}  // namespace

Id fma_f32(Emitter& e, Id x, Id y, Id z) {
  // The product is exact in f64, and no sum of it and an f32 overflows there.
  Id product =
      e.exact(Op::OpFMul, Scalar::F64,
              {cast(e, Scalar::F64, Scalar::F32, x), cast(e, Scalar::F64, Scalar::F32, y)});
  auto [sum, error] = two_sum(e, Scalar::F64, product, cast(e, Scalar::F64, Scalar::F32, z));
  return narrow_float(e, Scalar::F32, Scalar::F64, odd(e, Scalar::F64, sum, error));
}

Id fma(Emitter& e, Scalar s, Id x, Id y, Id z) {
  // LLVM knows no sums of fma
  if (e.any_order) return e.exact(Op::OpFAdd, s, {e.exact(Op::OpFMul, s, {x, y}), z});
  if (e.fast || e.has(s == Scalar::F16   ? Feature::Fma16
                      : s == Scalar::F32 ? Feature::Fma32
                                         : Feature::Fma64))
    return e.ext(GLSLstd450Fma, s, {x, y, z});
  if (s == Scalar::F16) return fma_f16(e, x, y, z);
  if (s == Scalar::F64) return fma_f64(e, x, y, z);
  if (!e.has(Feature::F64))
    unsupported(
        fmt::format("{}: fused multiply-add on f32 needs the device feature \"fma32\" or \"f64\"; "
                    "use fp mode strict or fast",
                    e.where));
  return e.has(Feature::Nfma32) ? fma_where_normal(e, x, y, z) : fma_f32(e, x, y, z);
}

Id fma_normal(Emitter& e, Id x, Id y, Id z) {
  return e.fuses_f32() ? e.ext(GLSLstd450Fma, Scalar::F32, {x, y, z}) : fma_f32(e, x, y, z);
}

}  // namespace krait::codegen::spirv
