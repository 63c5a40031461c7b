// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer operations. Vulkan defines bit counts and reversals on 32 bits alone, and leaves
// remainders of negative numbers, division by zero and overlong shifts undefined: wider and
// narrower types are composed, and operands are guarded.
#include "codegen/spirv/memory/hiding.h"
#include "codegen/spirv/numeric/parts.h"

namespace krait::codegen::spirv {

using spv::Op;

namespace {

std::pair<Id, Id> halves(Emitter& e, Id x) {
  Id low = e.op(Op::OpUConvert, Scalar::U32, {x});
  Id high = e.op(Op::OpUConvert, Scalar::U32,
                 {e.op(Op::OpShiftRightLogical, Scalar::U64, {x, e.u32(32)})});
  return {low, high};
}

Id joined(Emitter& e, Id low, Id high) {
  Id upper = e.op(Op::OpShiftLeftLogical, Scalar::U64,
                  {e.op(Op::OpUConvert, Scalar::U64, {high}), e.u32(32)});
  return e.op(Op::OpBitwiseOr, Scalar::U64, {upper, e.op(Op::OpUConvert, Scalar::U64, {low})});
}

}  // namespace

Id widened(Emitter& e, Scalar s, Scalar& wide, Id x) {
  wide = ir::is_signed_int(s) ? Scalar::I32 : Scalar::U32;
  return e.resize(wide, s, x);
}

Id int_div(Emitter& e, Scalar s, Id x, Id y, const std::uint64_t* known) {
  if (ir::bits_of(s) < 32) {
    Scalar wide;
    Id a = widened(e, s, wide, x), b = widened(e, s, wide, y);
    return e.op(Op::OpUConvert, s, {int_div(e, wide, a, b, nullptr)});
  }
  if (ir::bits_of(s) == 64 && e.has(Feature::Quot64)) return quotient(e, s, x, y, known);
  const Op divide = ir::is_signed_int(s) ? Op::OpSDiv : Op::OpUDiv;
  const std::uint64_t ones = ir::bits_of(s) == 64 ? ~std::uint64_t(0) : 0xffffffff;
  if (known && *known != 0 && *known != ones) return e.op(divide, s, {x, y});
  Id zero = e.constant(s, 0), by_zero = e.op(Op::OpIEqual, Scalar::Bool, {y, zero}),
     unsafe = by_zero;
  if (ir::is_signed_int(s)) {
    Id lowest = e.constant(s, std::uint64_t(1) << (ir::bits_of(s) - 1));
    Id overflow = e.both(e.op(Op::OpIEqual, Scalar::Bool, {x, lowest}),
                         e.op(Op::OpIEqual, Scalar::Bool, {y, e.constant(s, ones)}));
    unsafe = e.either(by_zero, overflow);
  }
  Id safe = e.select(s, unsafe, e.constant(s, 1), y);  // MIN / 1 is MIN, the value of MIN / -1
  return e.select(s, by_zero, zero, e.op(divide, s, {x, safe}));
}

Id int_rem(Emitter& e, Scalar s, Id x, Id y, const std::uint64_t* known) {
  // x - (x / y) · y; OpSRem is undefined for negative operands in Vulkan. x / 0 is 0 here, which
  // would leave x.
  Id quotient = int_div(e, s, x, y, known);
  Id rest = e.op(Op::OpISub, s, {x, e.op(Op::OpIMul, s, {quotient, y})});
  if (known && *known != 0) return rest;
  Id zero = e.constant(s, 0);
  return e.select(s, e.op(Op::OpIEqual, Scalar::Bool, {y, zero}), zero, rest);
}

Id shift(Emitter& e, bool left, Scalar s, Id x, Scalar count_type, Id count,
         const std::uint64_t* known) {
  const unsigned width = ir::bits_of(s);
  Id n = known ? e.u32(std::uint32_t(*known & (width - 1)))
               : e.op(Op::OpBitwiseAnd, Scalar::U32,
                      {e.resize(Scalar::U32, count_type, count), e.u32(width - 1)});
  if (width < 32) {
    Scalar wide;
    Id a = widened(e, s, wide, x);
    return e.op(Op::OpUConvert, s, {shift(e, left, wide, a, Scalar::U32, n, nullptr)});
  }
  const Op o = left                   ? Op::OpShiftLeftLogical
               : ir::is_signed_int(s) ? Op::OpShiftRightArithmetic
                                      : Op::OpShiftRightLogical;
  return e.op(o, s, {x, n});
}

namespace {

/// Signed comparison of 64 bits where an operand is an extended i32. Mesa 22.3 gets it wrong where
/// the other operand is or becomes a constant (nir_opt_algebraic narrows the comparison); 32 bits
/// are cheaper on every GPU anyway.
Id compare_extended(Emitter& e, ir::Op o, Id x, Id y) {
  if (Id a = e.as_i32(x), b = e.as_i32(y); a && b) return int_compare(e, o, Scalar::I32, a, b);
  Id top = e.constant(Scalar::U64, std::uint64_t(1) << 63);
  return int_compare(e, o, Scalar::U64, e.op(Op::OpBitwiseXor, Scalar::U64, {x, top}),
                     e.op(Op::OpBitwiseXor, Scalar::U64, {y, top}));
}

}  // namespace

Id int_compare(Emitter& e, ir::Op o, Scalar s, Id x, Id y) {
  if (s == Scalar::I64 && (e.is_extended(x) || e.is_extended(y)))
    return compare_extended(e, o, x, y);
  const bool sign = ir::is_signed_int(s);
  if (o == ir::Op::Eq) return e.op(Op::OpIEqual, Scalar::Bool, {x, y});
  if (o == ir::Op::Ne) return e.op(Op::OpINotEqual, Scalar::Bool, {x, y});
  if (o == ir::Op::Lt) return e.op(sign ? Op::OpSLessThan : Op::OpULessThan, Scalar::Bool, {x, y});
  if (o == ir::Op::Le)
    return e.op(sign ? Op::OpSLessThanEqual : Op::OpULessThanEqual, Scalar::Bool, {x, y});
  if (o == ir::Op::Gt)
    return e.op(sign ? Op::OpSGreaterThan : Op::OpUGreaterThan, Scalar::Bool, {x, y});
  return e.op(sign ? Op::OpSGreaterThanEqual : Op::OpUGreaterThanEqual, Scalar::Bool, {x, y});
}

Id int_neg(Emitter& e, Scalar s, Id x) {
  if (ir::bits_of(s) >= 32 || !e.has(Feature::Neg16)) return e.op(Op::OpSNegate, s, {x});
  return e.op(
      Op::OpUConvert, s,
      {unknown(e, Scalar::I32, e.op(Op::OpSNegate, Scalar::I32, {e.resize(Scalar::I32, s, x)}))});
}

Id int_abs(Emitter& e, Scalar s, Id x) {
  if (!ir::is_signed_int(s)) return x;
  return e.select(s, int_compare(e, ir::Op::Lt, s, x, e.constant(s, 0)), int_neg(e, s, x), x);
}

Id int_min_max(Emitter& e, bool minimum, Scalar s, Id x, Id y) {
  return e.select(s, int_compare(e, minimum ? ir::Op::Lt : ir::Op::Gt, s, x, y), x, y);
}

Id popcount(Emitter& e, Scalar s, Id x) {
  // NVIDIA's driver (580) forgets extensions, this one's or the kernel's own, and counts what is in
  // front of the number.
  const auto count = [&](Id word) {
    return e.op(Op::OpBitCount, Scalar::I32,
                {e.has(Feature::Count16) ? unknown(e, Scalar::U32, word) : word});
  };
  if (ir::bits_of(s) != 64) return count(e.resize(Scalar::U32, ir::to_unsigned(s), x));
  auto [low, high] = halves(e, x);
  return e.op(Op::OpIAdd, Scalar::I32, {count(low), count(high)});
}

Id clz(Emitter& e, Scalar s, Id x) {
  if (ir::bits_of(s) == 64) {
    auto [low, high] = halves(e, x);
    Id in_low = e.op(Op::OpIAdd, Scalar::I32, {clz(e, Scalar::U32, low), e.u32(32)});
    return e.select(Scalar::I32, e.op(Op::OpIEqual, Scalar::Bool, {high, e.u32(0)}), in_low,
                    clz(e, Scalar::U32, high));
  }
  // FindUMsb gives -1 for 0, and the width less one less that is the width.
  Id top = e.highest_bit(Scalar::I32, e.resize(Scalar::U32, ir::to_unsigned(s), x));
  return e.op(Op::OpISub, Scalar::I32, {e.u32(ir::bits_of(s) - 1), top});
}

Id ctz(Emitter& e, Scalar s, Id x) {
  if (ir::bits_of(s) == 64) {
    auto [low, high] = halves(e, x);
    Id in_high = e.op(Op::OpIAdd, Scalar::I32, {ctz(e, Scalar::U32, high), e.u32(32)});
    return e.select(Scalar::I32, e.op(Op::OpIEqual, Scalar::Bool, {low, e.u32(0)}), in_high,
                    ctz(e, Scalar::U32, low));
  }
  Id wide = e.resize(Scalar::U32, ir::to_unsigned(s), x);
  // A number and its negative share the lowest bit that is set, and no other.
  Id first = e.kernel() ? e.highest_bit(Scalar::I32,
                                        e.op(Op::OpBitwiseAnd, Scalar::U32,
                                             {wide, e.op(Op::OpSNegate, Scalar::U32, {wide})}))
                        : e.ext(GLSLstd450FindILsb, Scalar::I32, {wide});
  return e.select(Scalar::I32, e.op(Op::OpIEqual, Scalar::Bool, {wide, e.u32(0)}),
                  e.u32(ir::bits_of(s)), first);
}

namespace {

/// Of a u32. Kernels have no instruction for it: neighbours change places, then pairs, nibbles and
/// bytes.
Id reversed_bits(Emitter& e, Id x) {
  const Scalar u = Scalar::U32;
  if (!e.kernel()) return e.op(Op::OpBitReverse, u, {x});
  for (const auto& [distance, mask] :
       {std::pair(1u, 0x55555555u), {2u, 0x33333333u}, {4u, 0x0f0f0f0fu}, {8u, 0x00ff00ffu}}) {
    Id right = e.op(Op::OpBitwiseAnd, u,
                    {e.op(Op::OpShiftRightLogical, u, {x, e.u32(distance)}), e.u32(mask)});
    Id left = e.op(Op::OpShiftLeftLogical, u,
                   {e.op(Op::OpBitwiseAnd, u, {x, e.u32(mask)}), e.u32(distance)});
    x = e.op(Op::OpBitwiseOr, u, {left, right});
  }
  return e.op(Op::OpBitwiseOr, u,
              {e.op(Op::OpShiftLeftLogical, u, {x, e.u32(16)}),
               e.op(Op::OpShiftRightLogical, u, {x, e.u32(16)})});
}

}  // namespace

Id bit_reverse(Emitter& e, Scalar s, Id x) {
  if (ir::bits_of(s) == 64) {
    auto [low, high] = halves(e, x);
    return joined(e, reversed_bits(e, high), reversed_bits(e, low));
  }
  if (ir::bits_of(s) == 32) return e.bits(s, Scalar::U32, reversed_bits(e, x));
  Id reversed = reversed_bits(e, e.resize(Scalar::U32, ir::to_unsigned(s), x));
  return e.op(Op::OpUConvert, s,
              {e.op(Op::OpShiftRightLogical, Scalar::U32, {reversed, e.u32(32 - ir::bits_of(s))})});
}

Id byte_swap(Emitter& e, Scalar s, Id x) {
  if (ir::bits_of(s) == 8) return x;
  if (ir::bits_of(s) == 64) {
    auto [low, high] = halves(e, x);
    return joined(e, byte_swap(e, Scalar::U32, high), byte_swap(e, Scalar::U32, low));
  }
  if (ir::bits_of(s) == 16) {
    // Twice side by side, and eight bits on: not shifts, which feature swap16 is about.
    Id twice = e.op(Op::OpIMul, Scalar::U32, {e.resize(Scalar::U32, Scalar::U16, x), e.u32(65537)});
    return e.op(Op::OpUConvert, s, {e.op(Op::OpShiftRightLogical, Scalar::U32, {twice, e.u32(8)})});
  }
  // Byte by byte: where the bytes of each half changed places first, the upper one a zero, swap16
  // would be about them.
  auto left = [&](unsigned n) { return e.op(Op::OpShiftLeftLogical, s, {x, e.u32(n)}); };
  auto right = [&](unsigned n) { return e.op(Op::OpShiftRightLogical, s, {x, e.u32(n)}); };
  Id outer = e.op(Op::OpBitwiseOr, s, {left(24), right(24)});
  Id third = e.op(Op::OpBitwiseAnd, s, {left(8), e.u32(0x00ff0000)}),
     second = e.op(Op::OpBitwiseAnd, s, {right(8), e.u32(0x0000ff00)});
  return e.op(Op::OpBitwiseOr, s, {outer, e.op(Op::OpBitwiseOr, s, {third, second})});
}

Id mul_hi(Emitter& e, Scalar s, Id x, Id y) {
  const bool sign = ir::is_signed_int(s);
  if (ir::bits_of(s) < 64) {
    const Scalar wide = ir::bits_of(s) == 32 ? (sign ? Scalar::I64 : Scalar::U64)
                                             : (sign ? Scalar::I32 : Scalar::U32);
    Id product = e.op(Op::OpIMul, wide, {e.resize(wide, s, x), e.resize(wide, s, y)});
    return e.op(Op::OpUConvert, s,
                {e.op(Op::OpShiftRightLogical, wide, {product, e.u32(ir::bits_of(s))})});
  }
  auto [xl, xh] = halves(e, x);
  auto [yl, yh] = halves(e, y);
  const Scalar w = Scalar::U64;
  auto product = [&](Id a, Id b) {
    return e.op(Op::OpIMul, w, {e.op(Op::OpUConvert, w, {a}), e.op(Op::OpUConvert, w, {b})});
  };
  auto upper = [&](Id a) { return e.op(Op::OpShiftRightLogical, w, {a, e.u32(32)}); };
  auto lower = [&](Id a) { return e.op(Op::OpBitwiseAnd, w, {a, e.constant(w, 0xffffffff)}); };
  auto add = [&](Id a, Id b) { return e.op(Op::OpIAdd, w, {a, b}); };
  Id low = product(xl, yl), cross1 = product(xl, yh), cross2 = product(xh, yl);
  Id middle = add(add(upper(low), lower(cross1)), lower(cross2));
  Id high = add(add(product(xh, yh), upper(cross1)), add(upper(cross2), upper(middle)));
  if (!sign) return high;
  // A negative factor was read 2^64 too large.
  Id zero = e.constant(s, 0);
  Id fix_y = e.select(s, int_compare(e, ir::Op::Lt, s, x, zero), y, zero);
  Id fix_x = e.select(s, int_compare(e, ir::Op::Lt, s, y, zero), x, zero);
  return e.op(Op::OpISub, s, {e.op(Op::OpISub, s, {high, fix_y}), fix_x});
}

}  // namespace krait::codegen::spirv
