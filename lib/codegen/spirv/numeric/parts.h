// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of numeric.h share.
#pragma once

#include <utility>

#include "codegen/spirv/numeric/numeric.h"

namespace krait::codegen::spirv {

/// IEEE layout of a float type.
struct FloatFormat {
  unsigned bits, fraction_bits;
  std::uint64_t sign() const { return std::uint64_t(1) << (bits - 1); }
  std::uint64_t infinity() const {
    return (sign() - 1) & ~((std::uint64_t(1) << fraction_bits) - 1);
  }
};
inline FloatFormat format_of(Scalar s) { return {ir::bits_of(s), ir::info(s).fraction}; }

/// 8- and 16-bit operands of operations that exist on 32 bits only; `wide` becomes that type.
Id widened(Emitter& e, Scalar s, Scalar& wide, Id x);
/// x / y without the driver's division: numeric_quotient.cpp.
Id quotient(Emitter& e, Scalar s, Id x, Id y, const std::uint64_t* known_divisor);

/// Rounded to a smaller type.
Id narrow_float(Emitter& e, Scalar to, Scalar from, Id x);
/// Sum and its rounding error (Knuth).
std::pair<Id, Id> two_sum(Emitter& e, Scalar s, Id x, Id y);
/// Product of f64 and its rounding error (Veltkamp, Dekker); exact while nothing over- or
/// underflows.
std::pair<Id, Id> two_product(Emitter& e, Id x, Id y);
/// A rounded sum made odd where it is inexact, so that one more rounding gives what a single one
/// would (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
Id odd(Emitter& e, Scalar s, Id sum, Id error);

/// Where the device has no fused instruction: f32 by f64; f64 by error-free transforms
/// (numeric_fma.cpp).
Id fma_f32(Emitter& e, Id x, Id y, Id z);
Id fma_f64(Emitter& e, Id x, Id y, Id z);
/// Of operands whose result is known to be zero or normal, as they are.
Id fma_normal(Emitter& e, Id x, Id y, Id z);

// numeric_round.cpp: correctly rounded where the driver's own are only near
Id divide_f32(Emitter& e, Id x, Id y);
Id sqrt_f32(Emitter& e, Id x);
/// Where Fma is fused but flushes subnormals: normal operands and results are right, all others go
/// through f64.
Id fma_where_normal(Emitter& e, Id x, Id y, Id z);

}  // namespace krait::codegen::spirv
