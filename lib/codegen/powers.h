// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Powers of f32 on GPUs, whose instruction for 2^u errs least for u from 0 to 1. b^x = 2^n · 2^u
// for log2(b) = high + low: n is the floor of x·log2(b), kept within the exponents of normal
// numbers by a fused multiply-add whose result is clamped to [0, 1], and u what remains. The bits
// of n + 127, left in the mantissa by the addition of 1.5·2^23, become the exponent of 2^n by a
// shift. Where n was cut, u is large and 2^u takes the rest: subnormal results round once. The
// floor matters: on an H200 ex2.approx errs by at most 1.40 ULP on [0, 1) and by 2.06 below 0.
#pragma once

namespace krait::codegen {

/// log2(b), as a number of f32 whose product with another one is exact enough, and the rest of it.
struct SplitLogarithm {
  double high = 1, low = 0;
};
inline constexpr double log2_e = 0x1.71547652b82fep+0;
inline constexpr SplitLogarithm split_log2_e = {0x1.715476p+0, log2_e - 0x1.715476p+0};

// of f32: normal numbers have so many exponents, and so many of them are below that of 1
inline constexpr double normal_exponents = 253, exponents_below = 126;

/// b^x. `ops` has the target's operations on f32, with constants as doubles:
///   share(x, factor)       x·factor + exponents_below / normal_exponents, clamped to [0, 1]
///   floor(x, factor, sum)  x·factor + sum, rounded down
///   minus(x, c), negated(x), fma(x, factor, z), times(x, y)
///   scale(x)               the low bits of x, as an exponent
///   exp2(x)                the instruction
template <class V, class Ops>
V power_of(const Ops& ops, V x, SplitLogarithm b) {
  constexpr double magic = 0x1.8p+23, bias = 127;
  V share = ops.share(x, (b.high + b.low) / normal_exponents);
  V biased = ops.floor(share, normal_exponents, magic + 1);
  V n = ops.minus(biased, magic + bias);
  V u = ops.fma(x, b.high, ops.negated(n));
  if (b.low != 0) u = ops.fma(x, b.low, u);
  V scale = ops.scale(biased);
  return ops.times(ops.exp2(u), scale);
}

}  // namespace krait::codegen
