// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While a recording is prepared, an instruction's place is the number of its spot (trace/spots.h),
// which becomes a line when somebody reads it.
#pragma once

#include <cstdint>

namespace krait::ir {

/// Of Inst::loc: the rest is no index into Function::locations, but a spot's number.
inline constexpr std::uint32_t is_spot = std::uint32_t(1) << 31;

}  // namespace krait::ir
