// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch passes to a kernel, in the words of the IR.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ir/ir.h"

namespace krait::ir {

/// One argument of a launch: a scalar's bits, or an array.
struct Argument {
  std::uint64_t bits = 0;
  std::byte* data = nullptr;
  std::array<std::int64_t, max_rank> extents{};
  std::array<std::int64_t, max_rank> strides{};  // in elements
};

/// Blocks of a launch that may meet at barriers of the grid.
inline constexpr std::int64_t most_together = 1024;

struct Launch {
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1};
  int warp_size = 32;
};

}  // namespace krait::ir
