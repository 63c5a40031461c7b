// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>

#include "ir/ir.h"

namespace krait::ir {

void Facts::set_block(std::int64_t x, std::int64_t y, std::int64_t z) {
  constexpr std::int64_t longest = 16;
  whole_rows = x % Brick::threads == 0;
  one_row = y == 1 && z == 1;
  brick = {};
  if (x < 1 || x > longest || y < 1) return;
  brick.x = std::uint8_t(x);
  brick.y = std::uint8_t(
      std::min(std::bit_ceil(std::uint64_t(y)), std::uint64_t(Brick::threads / brick.width())));
  brick.whole = y % brick.y == 0 && z % brick.z() == 0;
}

Facts Facts::of_block() const {
  Facts f;
  f.whole_rows = whole_rows, f.one_row = one_row, f.brick = brick;
  return f;
}

unsigned Brick::width() const { return std::bit_ceil(unsigned(x)); }

}  // namespace krait::ir
