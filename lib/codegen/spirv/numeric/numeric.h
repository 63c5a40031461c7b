// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one operation of the IR on scalars means in SPIR-V, with the numbers of docs/numbers.md.
// Where the device has no instruction with that meaning, sequences stand for it, some with blocks
// of their own.
#pragma once

#include "codegen/powers.h"
#include "codegen/spirv/kit/emitter.h"

namespace krait::codegen::spirv {

// ---- numeric_int.cpp
Id int_div(Emitter& e, Scalar s, Id x, Id y, const std::uint64_t* known_divisor);
Id int_rem(Emitter& e, Scalar s, Id x, Id y, const std::uint64_t* known_divisor);
Id shift(Emitter& e, bool left, Scalar s, Id x, Scalar count_type, Id count,
         const std::uint64_t* known_count);
Id int_compare(Emitter& e, ir::Op o, Scalar s, Id x, Id y);
Id int_neg(Emitter& e, Scalar s, Id x);
Id int_abs(Emitter& e, Scalar s, Id x);
Id int_min_max(Emitter& e, bool minimum, Scalar s, Id x, Id y);
Id popcount(Emitter& e, Scalar s, Id x);
Id clz(Emitter& e, Scalar s, Id x);
Id ctz(Emitter& e, Scalar s, Id x);
Id bit_reverse(Emitter& e, Scalar s, Id x);
Id byte_swap(Emitter& e, Scalar s, Id x);
Id mul_hi(Emitter& e, Scalar s, Id x, Id y);

// ---- numeric_float.cpp
Id float_compare(Emitter& e, ir::Op o, Id x, Id y);
Id is_nan(Emitter& e, Scalar s, Id x);
Id is_inf(Emitter& e, Scalar s, Id x);
Id copysign(Emitter& e, Scalar s, Id x, Id y);
Id float_abs(Emitter& e, Scalar s, Id x);
Id float_min_max(Emitter& e, bool minimum, Scalar s, Id x, Id y);
Id divide(Emitter& e, Scalar s, Id x, Id y);
Id sqrt(Emitter& e, Scalar s, Id x);
Id fma(Emitter& e, Scalar s, Id x, Id y, Id z);

// ---- numeric_round.cpp
Id rsqrt_f32(Emitter& e, Id x);
/// b^x, by the device's Exp2.
Id power_f32(Emitter& e, Id x, SplitLogarithm b);
/// 1 / y within one ULP where both are normal.
Id reciprocal_f32(Emitter& e, Id y);

// ---- numeric_whole.cpp
/// floor, ceil, trunc and rint.
Id whole(Emitter& e, ir::Op o, Scalar s, Id x);

// ---- numeric_cast.cpp
Id cast(Emitter& e, Scalar to, Scalar from, Id x);

}  // namespace krait::codegen::spirv
