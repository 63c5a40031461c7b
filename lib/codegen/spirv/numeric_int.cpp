// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer operations. Vulkan defines bit counts and reversals on 32 bits alone, and leaves remainders of negative numbers,
// division by zero and overlong shifts undefined: wider and narrower types are composed, and operands are guarded.
#include "codegen/spirv/emitter.h"

namespace krait::codegen::spirv {

using spv::Op;

/// 8- and 16-bit operands of operations that exist on 32 bits only.
Id Emitter::widened(Scalar s, Scalar& wide, Id x) {
  wide = ir::is_signed_int(s) ? Scalar::I32 : Scalar::U32;
  return resize(wide, s, x);
}

std::pair<Id, Id> Emitter::halves(Id x) {
  Id low = op(Op::OpUConvert, Scalar::U32, {x});
  Id high = op(Op::OpUConvert, Scalar::U32, {op(Op::OpShiftRightLogical, Scalar::U64, {x, u32(32)})});
  return {low, high};
}

Id Emitter::joined(Id low, Id high) {
  Id upper = op(Op::OpShiftLeftLogical, Scalar::U64, {op(Op::OpUConvert, Scalar::U64, {high}), u32(32)});
  return op(Op::OpBitwiseOr, Scalar::U64, {upper, op(Op::OpUConvert, Scalar::U64, {low})});
}

Id Emitter::int_div(Scalar s, Id x, Id y, const std::uint64_t* known) {
  if (ir::bits_of(s) < 32) {
    Scalar wide;
    Id a = widened(s, wide, x), b = widened(s, wide, y);
    return op(Op::OpUConvert, s, {int_div(wide, a, b, nullptr)});
  }
  if (ir::bits_of(s) == 64 && has(Feature::Quot64)) return quotient(s, x, y, known);
  const Op divide = ir::is_signed_int(s) ? Op::OpSDiv : Op::OpUDiv;
  const std::uint64_t ones = ir::bits_of(s) == 64 ? ~std::uint64_t(0) : 0xffffffff;
  if (known && *known != 0 && *known != ones) return op(divide, s, {x, y});
  Id zero = constant(s, 0), by_zero = op(Op::OpIEqual, Scalar::Bool, {y, zero}), unsafe = by_zero;
  if (ir::is_signed_int(s)) {
    Id lowest = constant(s, std::uint64_t(1) << (ir::bits_of(s) - 1));
    Id overflow = both(op(Op::OpIEqual, Scalar::Bool, {x, lowest}), op(Op::OpIEqual, Scalar::Bool, {y, constant(s, ones)}));
    unsafe = either(by_zero, overflow);
  }
  Id safe = select(s, unsafe, constant(s, 1), y);  // MIN / 1 is MIN, the value of MIN / -1
  return select(s, by_zero, zero, op(divide, s, {x, safe}));
}

Id Emitter::int_rem(Scalar s, Id x, Id y, const std::uint64_t* known) {
  // x - (x / y) · y; OpSRem is undefined for negative operands in Vulkan. x / 0 is 0 here, which would leave x.
  Id quotient = int_div(s, x, y, known);
  Id rest = op(Op::OpISub, s, {x, op(Op::OpIMul, s, {quotient, y})});
  if (known && *known != 0) return rest;
  Id zero = constant(s, 0);
  return select(s, op(Op::OpIEqual, Scalar::Bool, {y, zero}), zero, rest);
}

Id Emitter::shift(bool left, Scalar s, Id x, Scalar count_type, Id count, const std::uint64_t* known) {
  const unsigned width = ir::bits_of(s);
  Id n = known ? u32(std::uint32_t(*known & (width - 1)))
               : op(Op::OpBitwiseAnd, Scalar::U32, {resize(Scalar::U32, count_type, count), u32(width - 1)});
  if (width < 32) {
    Scalar wide;
    Id a = widened(s, wide, x);
    return op(Op::OpUConvert, s, {shift(left, wide, a, Scalar::U32, n, nullptr)});
  }
  const Op o = left ? Op::OpShiftLeftLogical : ir::is_signed_int(s) ? Op::OpShiftRightArithmetic : Op::OpShiftRightLogical;
  return op(o, s, {x, n});
}

/// Signed comparison of 64 bits where an operand is an extended i32. Mesa 22.3 gets it wrong where the other operand is or
/// becomes a constant (nir_opt_algebraic narrows the comparison); 32 bits are cheaper on every GPU anyway.
Id Emitter::compare_extended(ir::Op o, Id x, Id y) {
  auto narrow_of = [&](Id v) -> Id {
    if (auto e = extended_.find(v); e != extended_.end()) return e->second;
    auto c = constants64_.find(v);
    if (c == constants64_.end() || c->second != std::int32_t(c->second)) return 0;
    return constant(Scalar::I32, std::uint32_t(c->second));
  };
  if (Id a = narrow_of(x), b = narrow_of(y); a && b) return int_compare(o, Scalar::I32, a, b);
  Id top = constant(Scalar::U64, std::uint64_t(1) << 63);
  return int_compare(o, Scalar::U64, op(Op::OpBitwiseXor, Scalar::U64, {x, top}), op(Op::OpBitwiseXor, Scalar::U64, {y, top}));
}

Id Emitter::int_compare(ir::Op o, Scalar s, Id x, Id y) {
  if (s == Scalar::I64 && (extended_.contains(x) || extended_.contains(y))) return compare_extended(o, x, y);
  const bool sign = ir::is_signed_int(s);
  if (o == ir::Op::Eq) return op(Op::OpIEqual, Scalar::Bool, {x, y});
  if (o == ir::Op::Ne) return op(Op::OpINotEqual, Scalar::Bool, {x, y});
  if (o == ir::Op::Lt) return op(sign ? Op::OpSLessThan : Op::OpULessThan, Scalar::Bool, {x, y});
  if (o == ir::Op::Le) return op(sign ? Op::OpSLessThanEqual : Op::OpULessThanEqual, Scalar::Bool, {x, y});
  if (o == ir::Op::Gt) return op(sign ? Op::OpSGreaterThan : Op::OpUGreaterThan, Scalar::Bool, {x, y});
  return op(sign ? Op::OpSGreaterThanEqual : Op::OpUGreaterThanEqual, Scalar::Bool, {x, y});
}

Id Emitter::int_neg(Scalar s, Id x) {
  if (ir::bits_of(s) >= 32 || !has(Feature::Neg16)) return op(Op::OpSNegate, s, {x});
  return op(Op::OpUConvert, s, {unknown(Scalar::I32, op(Op::OpSNegate, Scalar::I32, {resize(Scalar::I32, s, x)}))});
}

Id Emitter::int_abs(Scalar s, Id x) {
  if (!ir::is_signed_int(s)) return x;
  return select(s, int_compare(ir::Op::Lt, s, x, constant(s, 0)), int_neg(s, x), x);
}

Id Emitter::int_min_max(bool minimum, Scalar s, Id x, Id y) {
  return select(s, int_compare(minimum ? ir::Op::Lt : ir::Op::Gt, s, x, y), x, y);
}

Id Emitter::popcount(Scalar s, Id x) {
  // NVIDIA's driver (580) forgets extensions, this one's or the kernel's own, and counts what is in front of the number.
  const auto count = [&](Id word) {
    return op(Op::OpBitCount, Scalar::I32, {has(Feature::Count16) ? unknown(Scalar::U32, word) : word});
  };
  if (ir::bits_of(s) != 64) return count(resize(Scalar::U32, ir::to_unsigned(s), x));
  auto [low, high] = halves(x);
  return op(Op::OpIAdd, Scalar::I32, {count(low), count(high)});
}

Id Emitter::clz(Scalar s, Id x) {
  if (ir::bits_of(s) == 64) {
    auto [low, high] = halves(x);
    Id in_low = op(Op::OpIAdd, Scalar::I32, {clz(Scalar::U32, low), u32(32)});
    return select(Scalar::I32, op(Op::OpIEqual, Scalar::Bool, {high, u32(0)}), in_low, clz(Scalar::U32, high));
  }
  // FindUMsb gives -1 for 0, and the width less one less that is the width.
  Id top = highest_bit(Scalar::I32, resize(Scalar::U32, ir::to_unsigned(s), x));
  return op(Op::OpISub, Scalar::I32, {u32(ir::bits_of(s) - 1), top});
}

Id Emitter::ctz(Scalar s, Id x) {
  if (ir::bits_of(s) == 64) {
    auto [low, high] = halves(x);
    Id in_high = op(Op::OpIAdd, Scalar::I32, {ctz(Scalar::U32, high), u32(32)});
    return select(Scalar::I32, op(Op::OpIEqual, Scalar::Bool, {low, u32(0)}), in_high, ctz(Scalar::U32, low));
  }
  Id wide = resize(Scalar::U32, ir::to_unsigned(s), x);
  // A number and its negative share the lowest bit that is set, and no other.
  Id first = kernel()
                 ? highest_bit(Scalar::I32, op(Op::OpBitwiseAnd, Scalar::U32, {wide, op(Op::OpSNegate, Scalar::U32, {wide})}))
                 : ext(GLSLstd450FindILsb, Scalar::I32, {wide});
  return select(Scalar::I32, op(Op::OpIEqual, Scalar::Bool, {wide, u32(0)}), u32(ir::bits_of(s)), first);
}

/// Of a u32. Kernels have no instruction for it: neighbours change places, then pairs, nibbles and bytes.
Id Emitter::reversed_bits(Id x) {
  const Scalar u = Scalar::U32;
  if (!kernel()) return op(Op::OpBitReverse, u, {x});
  for (const auto& [distance, mask] : {std::pair(1u, 0x55555555u), {2u, 0x33333333u}, {4u, 0x0f0f0f0fu}, {8u, 0x00ff00ffu}}) {
    Id right = op(Op::OpBitwiseAnd, u, {op(Op::OpShiftRightLogical, u, {x, u32(distance)}), u32(mask)});
    Id left = op(Op::OpShiftLeftLogical, u, {op(Op::OpBitwiseAnd, u, {x, u32(mask)}), u32(distance)});
    x = op(Op::OpBitwiseOr, u, {left, right});
  }
  return op(Op::OpBitwiseOr, u, {op(Op::OpShiftLeftLogical, u, {x, u32(16)}), op(Op::OpShiftRightLogical, u, {x, u32(16)})});
}

Id Emitter::bit_reverse(Scalar s, Id x) {
  if (ir::bits_of(s) == 64) {
    auto [low, high] = halves(x);
    return joined(reversed_bits(high), reversed_bits(low));
  }
  if (ir::bits_of(s) == 32) return bits(s, Scalar::U32, reversed_bits(x));
  Id reversed = reversed_bits(resize(Scalar::U32, ir::to_unsigned(s), x));
  return op(Op::OpUConvert, s, {op(Op::OpShiftRightLogical, Scalar::U32, {reversed, u32(32 - ir::bits_of(s))})});
}

Id Emitter::byte_swap(Scalar s, Id x) {
  if (ir::bits_of(s) == 8) return x;
  if (ir::bits_of(s) == 64) {
    auto [low, high] = halves(x);
    return joined(byte_swap(Scalar::U32, high), byte_swap(Scalar::U32, low));
  }
  if (ir::bits_of(s) == 16) {
    // Twice side by side, and eight bits on: not shifts, which feature swap16 is about.
    Id twice = op(Op::OpIMul, Scalar::U32, {resize(Scalar::U32, Scalar::U16, x), u32(65537)});
    return op(Op::OpUConvert, s, {op(Op::OpShiftRightLogical, Scalar::U32, {twice, u32(8)})});
  }
  // Byte by byte: where the bytes of each half changed places first, the upper one a zero, swap16 would be about them.
  auto left = [&](unsigned n) { return op(Op::OpShiftLeftLogical, s, {x, u32(n)}); };
  auto right = [&](unsigned n) { return op(Op::OpShiftRightLogical, s, {x, u32(n)}); };
  Id outer = op(Op::OpBitwiseOr, s, {left(24), right(24)});
  Id third = op(Op::OpBitwiseAnd, s, {left(8), u32(0x00ff0000)}), second = op(Op::OpBitwiseAnd, s, {right(8), u32(0x0000ff00)});
  return op(Op::OpBitwiseOr, s, {outer, op(Op::OpBitwiseOr, s, {third, second})});
}

Id Emitter::mul_hi(Scalar s, Id x, Id y) {
  const bool sign = ir::is_signed_int(s);
  if (ir::bits_of(s) < 64) {
    const Scalar wide = ir::bits_of(s) == 32 ? (sign ? Scalar::I64 : Scalar::U64) : (sign ? Scalar::I32 : Scalar::U32);
    Id product = op(Op::OpIMul, wide, {resize(wide, s, x), resize(wide, s, y)});
    return op(Op::OpUConvert, s, {op(Op::OpShiftRightLogical, wide, {product, u32(ir::bits_of(s))})});
  }
  auto [xl, xh] = halves(x);
  auto [yl, yh] = halves(y);
  const Scalar w = Scalar::U64;
  auto product = [&](Id a, Id b) { return op(Op::OpIMul, w, {op(Op::OpUConvert, w, {a}), op(Op::OpUConvert, w, {b})}); };
  auto upper = [&](Id a) { return op(Op::OpShiftRightLogical, w, {a, u32(32)}); };
  auto lower = [&](Id a) { return op(Op::OpBitwiseAnd, w, {a, constant(w, 0xffffffff)}); };
  auto add = [&](Id a, Id b) { return op(Op::OpIAdd, w, {a, b}); };
  Id low = product(xl, yl), cross1 = product(xl, yh), cross2 = product(xh, yl);
  Id middle = add(add(upper(low), lower(cross1)), lower(cross2));
  Id high = add(add(product(xh, yh), upper(cross1)), add(upper(cross2), upper(middle)));
  if (!sign) return high;
  // A negative factor was read 2^64 too large.
  Id zero = constant(s, 0);
  Id fix_y = select(s, int_compare(ir::Op::Lt, s, x, zero), y, zero);
  Id fix_x = select(s, int_compare(ir::Op::Lt, s, y, zero), x, zero);
  return op(Op::OpISub, s, {op(Op::OpISub, s, {high, fix_y}), fix_x});
}

}  // namespace krait::codegen::spirv
