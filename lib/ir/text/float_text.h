// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point constants as text, exact for every bit pattern.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/types.h"

namespace krait::ir {

/// Appends `0x1.8p+1`, `-inf`, `nan` (positive, quiet, payload zero), or `bits(0x…)` for every
/// other NaN.
void append_float(std::string& out, Scalar s, std::uint64_t bits);

/// Bits of a hexadecimal float that is exact in `s`, or of a decimal one (f32 and f64, rounded to
/// nearest), `nan`, `inf`, with an optional minus sign. Returns null, or what is wrong with it.
const char* parse_float(std::string_view text, Scalar s, std::uint64_t& bits);

}  // namespace krait::ir
