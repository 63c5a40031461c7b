// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions: one rounding to nearest even; float to integer saturates and maps NaN to 0.
#include "codegen/spirv/emitter.h"

namespace krait::codegen::spirv {

using spv::Op;

namespace {

/// The bits of ±2^exponent.
std::uint64_t power_of_two(Scalar s, unsigned exponent, bool negative) {
  const FloatFormat f = format_of(s);
  const std::uint64_t bias = (std::uint64_t(1) << (f.bits - f.fraction_bits - 2)) - 1;
  return (bias + exponent) << f.fraction_bits | (negative ? f.sign() : 0);
}

}  // namespace

Id Emitter::float_to_int(Scalar to, Scalar from, Id x) {
  if (from == Scalar::F16) return float_to_int(to, Scalar::F32, cast(Scalar::F32, from, x));
  const unsigned width = ir::bits_of(to);
  const bool sign = ir::is_signed_int(to);
  const Scalar wide = width == 64 ? to : Scalar::I32;
  // 8 and 16 bits go through i32, whose range holds theirs.
  const bool narrow = width < 32;
  Id plain = op(sign || narrow ? Op::OpConvertFToS : Op::OpConvertFToU, wide, {x});
  const unsigned digits = sign ? width - 1 : width;
  Id high = constant(from, power_of_two(from, digits, false));
  const std::uint64_t highest = digits == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << digits) - 1;
  Id low = sign ? constant(from, power_of_two(from, digits, true)) : constant(from, 0);
  const std::uint64_t lowest = sign ? ~std::uint64_t(0) << digits : 0;
  Id r = select(wide, float_compare(ir::Op::Ge, x, high), constant(wide, highest), plain);
  r = select(wide, float_compare(ir::Op::Le, x, low), constant(wide, lowest), r);
  r = select(wide, is_nan(from, x), constant(wide, 0), r);
  return narrow ? op(Op::OpUConvert, to, {r}) : r;
}

Id Emitter::int_to_float(Scalar to, Scalar from, Id x) {
  const bool sign = ir::is_signed_int(from);
  if (ir::bits_of(from) < 32) {
    Scalar wide;
    Id w = widened(from, wide, x);
    return int_to_float(to, wide, w);
  }
  if (to == Scalar::F16) {
    // Clamped to where f32 is exact; beyond 65,520 f16 is infinite.
    Id limit = constant(from, 1 << 17);
    Id clamped = int_min_max(true, from, x, limit);
    if (sign) clamped = int_min_max(false, from, clamped, constant(from, ~std::uint64_t(0) << 17));
    return narrow_float(to, Scalar::F32, int_to_float(Scalar::F32, from, clamped));
  }
  return op(sign ? Op::OpConvertSToF : Op::OpConvertUToF, to, {x});
}

Id Emitter::narrow_float(Scalar to, Scalar from, Id x) {
  if (to == Scalar::F16 && from == Scalar::F64) {
    // f32 made odd where it is inexact; then f16 rounds as if once.
    Id middle = op(Op::OpFConvert, Scalar::F32, {x});
    Id error = exact(Op::OpFSub, from, {x, op(Op::OpFConvert, from, {middle})});
    const Scalar u = Scalar::U32;
    Id pattern = bits(u, Scalar::F32, middle), zero = constant(from, 0);
    Id even = op(Op::OpIEqual, Scalar::Bool, {op(Op::OpBitwiseAnd, u, {pattern, u32(1)}), u32(0)});
    // An infinity out of a finite number stays one: f16 overflows long before.
    Id inexact = both(op(Op::OpFOrdNotEqual, Scalar::Bool, {error, zero}), negate(is_inf(Scalar::F32, middle)));
    Id outwards =
        op(Op::OpLogicalEqual, Scalar::Bool, {float_compare(ir::Op::Gt, error, zero), float_compare(ir::Op::Gt, x, zero)});
    Id moved = op(Op::OpIAdd, u, {pattern, select(u, outwards, u32(1), u32(0xffffffff))});
    // A zero out of a tiny number must not step to a NaN of all ones; f16 rounds it to zero anyway.
    Id tiny = op(Op::OpIEqual, Scalar::Bool, {op(Op::OpBitwiseAnd, u, {pattern, u32(0x7fffffff)}), u32(0)});
    Id made_odd = select(u, both(both(even, inexact), negate(tiny)), moved, pattern);
    return narrow_float(to, Scalar::F32, bits(Scalar::F32, u, made_odd));
  }
  if (to == Scalar::F16 && !fast && has(Feature::Round16)) {
    Id rounded = bits(Scalar::U16, to, op(Op::OpFConvert, to, {x}));
    return bits(to, Scalar::U16, op(Op::OpBitwiseXor, Scalar::U16, {rounded, hidden_zero(Scalar::U16)}));
  }
  const Id rounded = op(Op::OpFConvert, to, {x});
  return has(Feature::Round32) ? opaque(to, rounded) : rounded;
}

Id Emitter::cast(Scalar to, Scalar from, Id x) {
  if (to == from) return x;
  if (to == Scalar::Bool) {
    if (ir::is_float(from)) return float_compare(ir::Op::Ne, x, constant(from, 0));
    return op(Op::OpINotEqual, Scalar::Bool, {x, constant(from, 0)});
  }
  if (from == Scalar::Bool) {
    const std::uint64_t one = ir::is_float(to) ? power_of_two(to, 0, false) : 1;
    return select(to, x, constant(to, one), constant(to, 0));
  }
  if (ir::is_float(from)) {
    if (!ir::is_float(to)) return float_to_int(to, from, x);
    return ir::size_of(to) > ir::size_of(from) ? op(Op::OpFConvert, to, {x}) : narrow_float(to, from, x);
  }
  return ir::is_float(to) ? int_to_float(to, from, x) : resize(to, from, x);
}

}  // namespace krait::codegen::spirv
