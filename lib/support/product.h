// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of extents, strides, grids and blocks. Who calls chooses the factors freely, so a
// product may not fit 64 bits: it is clipped here, and a comparison with a limit inside of the
// range is right whatever the factors are.
#pragma once

#include <cstdint>
#include <limits>

namespace krait::support {

/// a · b, or the end of the range of 64 bits that it lies beyond.
constexpr std::int64_t clipped_product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (!__builtin_mul_overflow(a, b, &out)) return out;
  return (a < 0) == (b < 0) ? std::numeric_limits<std::int64_t>::max()
                            : std::numeric_limits<std::int64_t>::min();
}
template <class... More>
constexpr std::int64_t clipped_product(std::int64_t a, std::int64_t b, More... more) {
  return clipped_product(clipped_product(a, b), more...);
}
/// a + b, likewise.
constexpr std::int64_t clipped_sum(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (!__builtin_add_overflow(a, b, &out)) return out;
  return a < 0 ? std::numeric_limits<std::int64_t>::min()
               : std::numeric_limits<std::int64_t>::max();
}

/// The elements of an array and the threads of a launch that there are at most: room for 64-bit
/// sums of two.
inline constexpr std::int64_t most_elements = std::int64_t(1) << 62;
/// Threads of a block in a kernel's text at most: more than any device has.
inline constexpr std::int64_t most_block_threads = std::int64_t(1) << 20;

}  // namespace krait::support
