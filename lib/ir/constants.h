// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the bits of a constant mean.
#pragma once

#include <cstdint>

#include "ir/types.h"

namespace krait::ir {

/// As a number: sign-extended where the type is signed.
constexpr std::int64_t as_int(Scalar s, std::uint64_t bits) {
  const unsigned shift = 64 - bits_of(s);
  return is_signed_int(s) ? std::int64_t(bits << shift) >> shift : std::int64_t(bits);
}

}  // namespace krait::ir
