// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions: one rounding to nearest even; float to integer saturates and maps NaN to 0.
#include "codegen/spirv/memory/hiding.h"
#include "codegen/spirv/numeric/parts.h"

namespace krait::codegen::spirv {

using spv::Op;

namespace {

/// The bits of ±2^exponent.
std::uint64_t power_of_two(Scalar s, unsigned exponent, bool negative) {
  const FloatFormat f = format_of(s);
  const std::uint64_t bias = (std::uint64_t(1) << (f.bits - f.fraction_bits - 2)) - 1;
  return (bias + exponent) << f.fraction_bits | (negative ? f.sign() : 0);
}

Id float_to_int(Emitter& e, Scalar to, Scalar from, Id x) {
  if (from == Scalar::F16) return float_to_int(e, to, Scalar::F32, cast(e, Scalar::F32, from, x));
  const unsigned width = ir::bits_of(to);
  const bool sign = ir::is_signed_int(to);
  const Scalar wide = width == 64 ? to : Scalar::I32;
  // 8 and 16 bits go through i32, whose range holds theirs.
  const bool narrow = width < 32;
  Id plain = e.op(sign || narrow ? Op::OpConvertFToS : Op::OpConvertFToU, wide, {x});
  const unsigned digits = sign ? width - 1 : width;
  Id high = e.constant(from, power_of_two(from, digits, false));
  const std::uint64_t highest = digits == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << digits) - 1;
  Id low = sign ? e.constant(from, power_of_two(from, digits, true)) : e.constant(from, 0);
  const std::uint64_t lowest = sign ? ~std::uint64_t(0) << digits : 0;
  Id r = e.select(wide, float_compare(e, ir::Op::Ge, x, high), e.constant(wide, highest), plain);
  r = e.select(wide, float_compare(e, ir::Op::Le, x, low), e.constant(wide, lowest), r);
  r = e.select(wide, is_nan(e, from, x), e.constant(wide, 0), r);
  return narrow ? e.op(Op::OpUConvert, to, {r}) : r;
}

Id int_to_float(Emitter& e, Scalar to, Scalar from, Id x) {
  const bool sign = ir::is_signed_int(from);
  if (ir::bits_of(from) < 32) {
    Scalar wide;
    Id w = widened(e, from, wide, x);
    return int_to_float(e, to, wide, w);
  }
  if (to == Scalar::F16) {
    // Clamped to where f32 is exact; beyond 65,520 f16 is infinite.
    Id limit = e.constant(from, 1 << 17);
    Id clamped = int_min_max(e, true, from, x, limit);
    if (sign)
      clamped = int_min_max(e, false, from, clamped, e.constant(from, ~std::uint64_t(0) << 17));
    return narrow_float(e, to, Scalar::F32, int_to_float(e, Scalar::F32, from, clamped));
  }
  return e.op(sign ? Op::OpConvertSToF : Op::OpConvertUToF, to, {x});
}

}  // namespace

Id narrow_float(Emitter& e, Scalar to, Scalar from, Id x) {
  if (to == Scalar::F16 && from == Scalar::F64) {
    // f32 made odd where it is inexact; then f16 rounds as if once.
    Id middle = e.op(Op::OpFConvert, Scalar::F32, {x});
    Id error = e.exact(Op::OpFSub, from, {x, e.op(Op::OpFConvert, from, {middle})});
    const Scalar u = Scalar::U32;
    Id pattern = e.bits(u, Scalar::F32, middle), zero = e.constant(from, 0);
    Id even = e.op(Op::OpIEqual, Scalar::Bool,
                   {e.op(Op::OpBitwiseAnd, u, {pattern, e.u32(1)}), e.u32(0)});
    // An infinity out of a finite number stays one: f16 overflows long before.
    Id inexact = e.both(e.op(Op::OpFOrdNotEqual, Scalar::Bool, {error, zero}),
                        e.negate(is_inf(e, Scalar::F32, middle)));
    Id outwards =
        e.op(Op::OpLogicalEqual, Scalar::Bool,
             {float_compare(e, ir::Op::Gt, error, zero), float_compare(e, ir::Op::Gt, x, zero)});
    Id moved = e.op(Op::OpIAdd, u, {pattern, e.select(u, outwards, e.u32(1), e.u32(0xffffffff))});
    // A zero out of a tiny number must not step to a NaN of all ones; f16 rounds it to zero anyway.
    Id tiny = e.op(Op::OpIEqual, Scalar::Bool,
                   {e.op(Op::OpBitwiseAnd, u, {pattern, e.u32(0x7fffffff)}), e.u32(0)});
    Id made_odd = e.select(u, e.both(e.both(even, inexact), e.negate(tiny)), moved, pattern);
    return narrow_float(e, to, Scalar::F32, e.bits(Scalar::F32, u, made_odd));
  }
  if (to == Scalar::F16 && !e.fast && e.has(Feature::Round16)) {
    Id rounded = e.bits(Scalar::U16, to, e.op(Op::OpFConvert, to, {x}));
    return e.bits(to, Scalar::U16,
                  e.op(Op::OpBitwiseXor, Scalar::U16, {rounded, e.hidden_zero(Scalar::U16)}));
  }
  const Id rounded = e.op(Op::OpFConvert, to, {x});
  return e.has(Feature::Round32) ? opaque(e, to, rounded) : rounded;
}

Id cast(Emitter& e, Scalar to, Scalar from, Id x) {
  if (to == from) return x;
  if (to == Scalar::Bool) {
    if (ir::is_float(from)) return float_compare(e, ir::Op::Ne, x, e.constant(from, 0));
    return e.op(Op::OpINotEqual, Scalar::Bool, {x, e.constant(from, 0)});
  }
  if (from == Scalar::Bool) {
    const std::uint64_t one = ir::is_float(to) ? power_of_two(to, 0, false) : 1;
    return e.select(to, x, e.constant(to, one), e.constant(to, 0));
  }
  if (ir::is_float(from)) {
    if (!ir::is_float(to)) return float_to_int(e, to, from, x);
    return ir::size_of(to) > ir::size_of(from) ? e.op(Op::OpFConvert, to, {x})
                                               : narrow_float(e, to, from, x);
  }
  return ir::is_float(to) ? int_to_float(e, to, from, x) : e.resize(to, from, x);
}

}  // namespace krait::codegen::spirv
