// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point operations with the results that the interpreter gives: what drivers round or order differently (notes of
// trials in docs/code-generation.md) is written out.
#include <fmt/core.h>

#include "codegen/spirv/emitter.h"

namespace krait::codegen::spirv {

using spv::Op;

Id Emitter::float_compare(ir::Op o, Id x, Id y) {
  const Op which = o == ir::Op::Eq   ? Op::OpFOrdEqual
                   : o == ir::Op::Ne ? Op::OpFUnordNotEqual
                   : o == ir::Op::Lt ? Op::OpFOrdLessThan
                   : o == ir::Op::Le ? Op::OpFOrdLessThanEqual
                   : o == ir::Op::Gt ? Op::OpFOrdGreaterThan
                                     : Op::OpFOrdGreaterThanEqual;
  return op(which, Scalar::Bool, {x, y});
}

// By bits: drivers may assume that numbers are finite.
Id Emitter::is_nan(Scalar s, Id x) {
  const FloatFormat f = format_of(s);
  const Scalar u = bits_type(s);
  Id magnitude = op(Op::OpBitwiseAnd, u, {bits(u, s, x), constant(u, f.sign() - 1)});
  return op(Op::OpUGreaterThan, Scalar::Bool, {magnitude, constant(u, f.infinity())});
}

Id Emitter::is_inf(Scalar s, Id x) {
  const FloatFormat f = format_of(s);
  const Scalar u = bits_type(s);
  Id magnitude = op(Op::OpBitwiseAnd, u, {bits(u, s, x), constant(u, f.sign() - 1)});
  return op(Op::OpIEqual, Scalar::Bool, {magnitude, constant(u, f.infinity())});
}

Id Emitter::copysign(Scalar s, Id x, Id y) {
  const FloatFormat f = format_of(s);
  const Scalar u = bits_type(s);
  Id magnitude = op(Op::OpBitwiseAnd, u, {bits(u, s, x), constant(u, f.sign() - 1)});
  Id sign = op(Op::OpBitwiseAnd, u, {bits(u, s, y), constant(u, f.sign())});
  return bits(s, u, op(Op::OpBitwiseOr, u, {magnitude, sign}));
}

// Mesa drops FAbs of what it knows not to be negative, which leaves the sign of sqrt(-0).
Id Emitter::float_abs(Scalar s, Id x) {
  if (fast || !has(Feature::Hide0)) return ext(GLSLstd450FAbs, s, {x});
  const Scalar u = bits_type(s);
  return bits(s, u, op(Op::OpBitwiseAnd, u, {bits(u, s, x), constant(u, format_of(s).sign() - 1)}));
}

/// x where y is a NaN or x comes first; -0 comes before +0.
Id Emitter::float_min_max(bool minimum, Scalar s, Id x, Id y) {
  if (fast) return ext(minimum ? GLSLstd450NMin : GLSLstd450NMax, s, {x, y});
  const Scalar u = bits_type(s);
  // With equal operands only the zeros differ, and there the sign bit of x decides.
  Id sign = op(Op::OpBitwiseAnd, u, {bits(u, s, x), constant(u, format_of(s).sign())});
  Id x_signed = op(Op::OpINotEqual, Scalar::Bool, {sign, constant(u, 0)});
  Id on_equal = both(float_compare(ir::Op::Eq, x, y), minimum ? x_signed : negate(x_signed));
  Id first = either(float_compare(minimum ? ir::Op::Lt : ir::Op::Gt, x, y), on_equal);
  return select(s, either(first, is_nan(s, y)), x, y);
}

// Division and roots through a type with at least 2p + 2 digits round as if once (Figueroa 1995).
Id Emitter::divide(Scalar s, Id x, Id y) {
  if (fast) {
    Id quotient = op(Op::OpFDiv, s, {x, y});
    if (kernel())
      m.head.decorate(quotient, spv::Decoration::FPFastMathMode, {std::uint32_t(spv::FPFastMathModeMask::AllowRecip)});
    return quotient;
  }
  if (s == Scalar::F16) {
    Id wide = divide(Scalar::F32, cast(Scalar::F32, s, x), cast(Scalar::F32, s, y));
    return narrow_float(s, Scalar::F32, wide);
  }
  if (s == Scalar::F32 && !has(Feature::Div32)) return divide_f32(x, y);
  return exact(Op::OpFDiv, s, {x, y});
}

Id Emitter::sqrt(Scalar s, Id x) {
  if (fast) return ext(GLSLstd450Sqrt, s, {x});
  if (s == Scalar::F16) return narrow_float(s, Scalar::F32, sqrt(Scalar::F32, cast(Scalar::F32, s, x)));
  if (s == Scalar::F32 && !has(Feature::Sqrt32)) return sqrt_f32(x);
  return ext(GLSLstd450Sqrt, s, {x});
}

/// Sum and its rounding error (Knuth).
std::pair<Id, Id> Emitter::two_sum(Scalar s, Id x, Id y) {
  Id sum = exact(Op::OpFAdd, s, {x, y});
  Id y_part = exact(Op::OpFSub, s, {sum, x});
  Id x_part = exact(Op::OpFSub, s, {sum, y_part});
  Id error = exact(Op::OpFAdd, s, {exact(Op::OpFSub, s, {x, x_part}), exact(Op::OpFSub, s, {y, y_part})});
  return {sum, error};
}

/// Product of f64 and its rounding error (Veltkamp, Dekker); exact while nothing over- or underflows.
std::pair<Id, Id> Emitter::two_product(Id x, Id y) {
  const Scalar s = Scalar::F64;
  Id splitter = constant(s, 0x41a0000002000000);  // 2^27 + 1
  auto split = [&](Id v) {
    Id scaled = exact(Op::OpFMul, s, {splitter, v});
    Id high = exact(Op::OpFSub, s, {scaled, exact(Op::OpFSub, s, {scaled, v})});
    return std::pair(high, exact(Op::OpFSub, s, {v, high}));
  };
  auto [xh, xl] = split(x);
  auto [yh, yl] = split(y);
  Id product = exact(Op::OpFMul, s, {x, y});
  Id rest = exact(Op::OpFSub, s, {exact(Op::OpFMul, s, {xh, yh}), product});
  rest = exact(Op::OpFAdd, s, {rest, exact(Op::OpFMul, s, {xh, yl})});
  rest = exact(Op::OpFAdd, s, {rest, exact(Op::OpFMul, s, {xl, yh})});
  return {product, exact(Op::OpFAdd, s, {rest, exact(Op::OpFMul, s, {xl, yl})})};
}

/// A rounded sum made odd where it is inexact, so that one more rounding gives what a single one would (Boldo and Melquiond,
/// "Emulation of FMA and correctly rounded sums", 2008).
Id Emitter::odd(Scalar s, Id sum, Id error) {
  const Scalar u = bits_type(s);
  Id pattern = bits(u, s, sum), zero = constant(s, 0), one = constant(u, 1);
  Id even = op(Op::OpIEqual, Scalar::Bool, {op(Op::OpBitwiseAnd, u, {pattern, one}), constant(u, 0)});
  Id inexact = op(Op::OpFOrdNotEqual, Scalar::Bool, {error, zero});
  Id outwards =
      op(Op::OpLogicalEqual, Scalar::Bool, {float_compare(ir::Op::Gt, error, zero), float_compare(ir::Op::Gt, sum, zero)});
  Id step = select(u, outwards, one, constant(u, ~std::uint64_t(0)));
  Id moved = op(Op::OpIAdd, u, {pattern, step});
  return bits(s, u, select(u, both(even, inexact), moved, pattern));
}

Id Emitter::fma_f16(Id x, Id y, Id z) {
  // The product is exact in f32.
  Id product = exact(Op::OpFMul, Scalar::F32, {cast(Scalar::F32, Scalar::F16, x), cast(Scalar::F32, Scalar::F16, y)});
  auto [sum, error] = two_sum(Scalar::F32, product, cast(Scalar::F32, Scalar::F16, z));
  return narrow_float(Scalar::F16, Scalar::F32, odd(Scalar::F32, sum, error));
}

Id Emitter::fma_f32(Id x, Id y, Id z) {
  // The product is exact in f64, and no sum of it and an f32 overflows there.
  Id product = exact(Op::OpFMul, Scalar::F64, {cast(Scalar::F64, Scalar::F32, x), cast(Scalar::F64, Scalar::F32, y)});
  auto [sum, error] = two_sum(Scalar::F64, product, cast(Scalar::F64, Scalar::F32, z));
  return narrow_float(Scalar::F32, Scalar::F64, odd(Scalar::F64, sum, error));
}

Id Emitter::fma(Scalar s, Id x, Id y, Id z) {
  if (fast || has(s == Scalar::F16 ? Feature::Fma16 : s == Scalar::F32 ? Feature::Fma32 : Feature::Fma64))
    return ext(GLSLstd450Fma, s, {x, y, z});
  if (s == Scalar::F16) return fma_f16(x, y, z);
  if (s == Scalar::F64) return fma_f64(x, y, z);
  if (!has(Feature::F64))
    unsupported(fmt::format(
        "{}: fused multiply-add on f32 needs the device feature \"fma32\" or \"f64\"; use fp mode strict or fast", where));
  return has(Feature::Nfma32) ? fma_where_normal(x, y, z) : fma_f32(x, y, z);
}

Id Emitter::fma_normal(Id x, Id y, Id z) { return fuses_f32() ? ext(GLSLstd450Fma, Scalar::F32, {x, y, z}) : fma_f32(x, y, z); }

}  // namespace krait::codegen::spirv
