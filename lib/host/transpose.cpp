// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between arrays whose neighbours in memory differ, as of a transposed matrix to one in C order: by tiles in a block's shared memory, so that
// reads and writes both run along memory.
#include "host/transpose.h"

#include <cstdlib>
#include <utility>

#include "host/memory.h"
#include "krait/array.h"
#include "krait/warp.h"
#include "krait/control.h"
#include "krait/index.h"
#include "krait/kernel.h"
#include "krait/memory.h"

namespace krait::host {
namespace {

using detail::layout;

constexpr int tile = 32, tile_rows = 8;
constexpr std::int64_t least_extent = 8;

/// The dimension of the smallest step.
int fastest(const layout& of) {
  int found = -1;
  for (int d = 0; d < of.rank; ++d) {
    if (of.extents[d] == 1 || of.strides[d] == 0) continue;
    if (found < 0 || std::abs(of.strides[d]) <= std::abs(of.strides[found])) found = d;
  }
  return found;
}

/// As six dimensions, of which the last two are the ones that tiles have.
template <class Word>
array<Word, 6> arranged(const detail::elements& e, Tiling tiling, std::size_t which) {
  const layout& of = *e.at;
  const auto words = std::int64_t(e.element_bytes / sizeof(Word));
  layout to;
  to.rank = 6, to.offset = of.offset * words + std::int64_t(which);
  for (int d = 0; d < 6; ++d) to.extents[d] = 1;
  const auto set = [&](int as, int d) { to.extents[as] = of.extents[d], to.strides[as] = of.strides[d] * words; };
  int next = 0;
  for (int d = 0; d < of.rank; ++d)
    if (d != tiling.read && d != tiling.written) set(next++, d);
  set(4, tiling.written), set(5, tiling.read);
  detail::share(e.memory);
  return {to, detail::memory_share(e.memory), e.memory->device};
}

template <class Word>
void copy_words(const detail::elements& to, const detail::elements& from, Tiling tiling) {
  static auto& copy = *new auto(kernel(
      [](view<const Word, 6> in, view<Word, 6> out) {
        auto kept = shared<Word, tile, tile + 1>();
        const value<int> tx = cast<int>(thread_idx().x), ty = cast<int>(thread_idx().y);
        const value<std::int64_t> high = out.extent(4), wide = out.extent(5), columns = (wide + (tile - 1)) / tile,
                                  rows = (high + (tile - 1)) / tile, block = block_idx().x;
        const value<std::int64_t> x0 = block % columns * tile, y0 = block / columns % rows * tile, rest = block / columns / rows;
        const value<std::int64_t> d = rest % out.extent(3), rest3 = rest / out.extent(3), c = rest3 % out.extent(2),
                                  rest2 = rest3 / out.extent(2), b = rest2 % out.extent(1), a = rest2 / out.extent(1);
        for (int k = 0; k < tile; k += tile_rows)
          if_(y0 + ty + k < high && x0 + tx < wide, [&] { kept(ty + k, tx) = in(a, b, c, d, y0 + ty + k, x0 + tx); });
        syncthreads();
        for (int k = 0; k < tile; k += tile_rows)
          if_(y0 + tx < high && x0 + ty + k < wide, [&] { out(a, b, c, d, y0 + tx, x0 + ty + k) = kept(tx, ty + k); });
      },
      {.name = "array_transpose"}));
  for (std::size_t which = 0; which < to.element_bytes / sizeof(Word); ++which) {
    auto out = arranged<Word>(to, tiling, which);
    const array<const Word, 6> in = arranged<Word>(from, tiling, which).share();
    const std::int64_t tiles = (out.extent(4) + tile - 1) / tile * ((out.extent(5) + tile - 1) / tile);
    copy.launch({tiles * (out.size() / (out.extent(4) * out.extent(5))), {tile, tile_rows}}, in, out);
  }
}

}  // namespace

Tiling tiling_of(const layout& to, const layout& from) {
  const Tiling t{fastest(from), fastest(to)};
  const bool pays = t.read >= 0 && t.written >= 0 && t.read != t.written && to.extents[t.read] >= least_extent &&
                    to.extents[t.written] >= least_extent;
  return pays ? t : Tiling{};
}

void copy_by_tiles(const detail::elements& to, const detail::elements& from, Tiling tiling, std::size_t word) {
  switch (word) {
    case 8: return copy_words<std::uint64_t>(to, from, tiling);
    case 4: return copy_words<std::uint32_t>(to, from, tiling);
    case 2: return copy_words<std::uint16_t>(to, from, tiling);
    default: return copy_words<std::uint8_t>(to, from, tiling);
  }
}

}  // namespace krait::host
