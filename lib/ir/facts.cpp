// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>

#include "ir/ir.h"

namespace krait::ir {

std::string_view name_of(Brick::Fill fill) {
  return fill == Brick::Fill::All ? "whole_bricks" : fill == Brick::Fill::Rows ? "brick_rows" : "bricks";
}

void Facts::set_block(std::int64_t x, std::int64_t y, std::int64_t z) {
  constexpr std::int64_t longest = 16, threads = 32;
  whole_rows = x % threads == 0;
  brick = {};
  if (x < 1 || x > longest || y < 1) return;
  brick.x = std::uint8_t(std::bit_ceil(std::uint64_t(x)));
  brick.y = std::uint8_t(std::min(std::bit_ceil(std::uint64_t(y)), std::uint64_t(threads / brick.x)));
  if (x != brick.x) return;
  brick.fill = y % brick.y == 0 && z % brick.z() == 0 ? Brick::Fill::All : Brick::Fill::Rows;
}

}  // namespace krait::ir
