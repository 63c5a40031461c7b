// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quotients of 64-bit integers without the driver's division (feature quot64).
#include "codegen/spirv/numeric/parts.h"

namespace krait::codegen::spirv {

using spv::Op;

namespace {

constexpr Scalar w = Scalar::U64;

/// n / d for a d other than 0: 0 in what follows stands for the numbers before them.
///   X = 2^64 / d. An integer R <= X with a = X - R gives q = R·n / 2^64, rounded down, where
///   n / d - q < 1 + a.
/// Where d is known, R is X rounded down: a < 1, and q is at most 1 too small.
/// Else R begins as X (1 - e) in floats: conversion, division (2.5 ULP on Vulkan) and product err
/// by less than 2^-21 of it, the factor takes 2^-20, so 0 < e < 2^-19. Newton's step R + R (2^64 -
/// R d) / 2^64 leaves X (1 - e²) less a rounding below 1, hence a' < a² / X + 1: below 1.01 after
/// two steps for X >= 2, and q is at most 2 too small. X < 2 has quotients of 0 and 1.
Id quotient_u64(Emitter& e, Id n, Id d, const std::uint64_t* known) {
  const auto integers = [&](Op o, Id a, Id b) { return e.op(o, w, {a, b}); };
  const auto zero = [&] { return e.constant(w, 0); };
  Id inverse = 0;
  if (known) {
    // 2^64 - 1 for 1, whose quotients are 1 too small
    inverse = e.constant(w, ~std::uint64_t(0) / *known);
  } else {
    const Scalar f = Scalar::F32;
    Id reciprocal =
        e.op(Op::OpFDiv, f, {e.constant(f, 0x3f800000), e.op(Op::OpConvertUToF, f, {d})});
    // 2^64 (1 - 2^-20)
    inverse =
        e.op(Op::OpConvertFToU, w, {e.op(Op::OpFMul, f, {reciprocal, e.constant(f, 0x5f7ffff0)})});
    Id minus_d = integers(Op::OpISub, zero(), d);
    for (int step = 0; step < 2; ++step)
      inverse = integers(Op::OpIAdd, inverse,
                         mul_hi(e, w, inverse, integers(Op::OpIMul, minus_d, inverse)));
  }
  Id q = mul_hi(e, w, inverse, n), rest = integers(Op::OpISub, n, integers(Op::OpIMul, q, d));
  for (int step = known ? 1 : 0; step < 2; ++step) {
    Id more = e.op(Op::OpUGreaterThanEqual, Scalar::Bool, {rest, d});
    q = integers(Op::OpIAdd, q, e.select(w, more, e.constant(w, 1), zero()));
    if (step == 0) rest = integers(Op::OpISub, rest, e.select(w, more, d, zero()));
  }
  return q;
}

}  // namespace

/// x / y, 0 where y is 0, the least integer for that one by -1.
Id quotient(Emitter& e, Scalar s, Id x, Id y, const std::uint64_t* known) {
  const bool sign = ir::is_signed_int(s);
  if (known && *known == 0) return e.constant(s, 0);
  const auto negative = [&](Id v) {
    return e.op(Op::OpSLessThan, Scalar::Bool, {v, e.constant(s, 0)});
  };
  const auto magnitude = [&](Id v) {
    return e.bits(w, s, sign ? e.select(s, negative(v), e.op(Op::OpSNegate, s, {v}), v) : v);
  };
  Id n = magnitude(x), q = 0;
  if (known) {
    const bool below = sign && std::int64_t(*known) < 0;
    const std::uint64_t d = below ? std::uint64_t(0) - *known : *known;
    q = e.bits(s, w, quotient_u64(e, n, e.constant(w, d), &d));
    if (!sign) return q;
    return e.select(s, negative(x), below ? q : e.op(Op::OpSNegate, s, {q}),
                    below ? e.op(Op::OpSNegate, s, {q}) : q);
  }
  Id by_zero = e.op(Op::OpIEqual, Scalar::Bool, {y, e.constant(s, 0)});
  Id d = e.select(w, by_zero, e.constant(w, 1), magnitude(y));
  Id short_ones = e.op(Op::OpULessThan, Scalar::Bool,
                       {e.op(Op::OpBitwiseOr, w, {n, d}), e.constant(w, std::uint64_t(1) << 32)});
  const auto low = [&](Id v) { return e.op(Op::OpUConvert, Scalar::U32, {v}); };
  q = e.bits(
      s, w,
      e.blocks.either_way(
          e.type(w), short_ones,
          [&] {
            return e.op(Op::OpUConvert, w, {e.op(Op::OpUDiv, Scalar::U32, {low(n), low(d)})});
          },
          [&] { return quotient_u64(e, n, d, nullptr); }));
  if (sign)
    q = e.select(s, e.op(Op::OpLogicalNotEqual, Scalar::Bool, {negative(x), negative(y)}),
                 e.op(Op::OpSNegate, s, {q}), q);
  return e.select(s, by_zero, e.constant(s, 0), q);
}

}  // namespace krait::codegen::spirv
