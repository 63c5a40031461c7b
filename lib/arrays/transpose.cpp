// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between arrays whose neighbours in memory differ, as of a transposed matrix to one in C
// order: by tiles in a block's shared memory, so that reads and writes both run along memory.
#include "arrays/transpose.h"

#include <cstdlib>
#include <type_traits>
#include <utility>

#include "devices/layout.h"
#include "devices/memory.h"
#include "krait/algorithm/detail/form.h"
#include "krait/array.h"
#include "krait/warp.h"
#include "krait/control.h"
#include "krait/index.h"
#include "krait/kernel.h"
#include "krait/memory.h"
#include "krait/vec.h"

namespace krait::host {
namespace {

using detail::divided_up;
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

/// As so many dimensions, of which the last two are the ones that tiles have.
template <int Rank, class Word>
array<Word, Rank> arranged(const detail::elements& e, Tiling tiling, std::size_t which) {
  const layout& of = *e.at;
  const auto words = std::int64_t(e.element_bytes / sizeof(Word));
  layout to;
  to.rank = Rank, to.offset = of.offset * words + std::int64_t(which);
  for (int d = 0; d < Rank; ++d) to.extents[d] = 1;
  const auto set = [&](int as, int d) {
    to.extents[as] = of.extents[d], to.strides[as] = of.strides[d] * words;
  };
  int next = 0;
  for (int d = 0; d < of.rank; ++d)
    if (d != tiling.read && d != tiling.written && of.extents[d] > 1) set(next++, d);
  set(Rank - 2, tiling.written), set(Rank - 1, tiling.read);
  detail::share(e.memory);
  const detail::memory_share owner(e.memory);
  return detail::shared_view{to, owner, e.memory->device};
}

/// What a block does with its tile, whose first row and column these are of so many: `load` and
/// `store` have a row's and a column's number.
template <class Word, class Load, class Store>
void turn_tile(const value<std::int64_t>& y0, const value<std::int64_t>& x0,
               const value<std::int64_t>& high, const value<std::int64_t>& wide, const Load& load,
               const Store& store) {
  auto kept = shared<Word, tile, tile + 1>();
  const value<int> tx = cast<int>(thread_idx().x), ty = cast<int>(thread_idx().y);
  for (int k = 0; k < tile; k += tile_rows)
    if_(y0 + ty + k < high && x0 + tx < wide,
        [&] { kept(ty + k, tx) = load(y0 + ty + k, x0 + tx); });
  syncthreads();
  for (int k = 0; k < tile; k += tile_rows)
    if_(y0 + tx < high && x0 + ty + k < wide,
        [&] { store(y0 + tx, x0 + ty + k, kept(tx, ty + k)); });
}

/// One dimension beside the tiles' two: blocks know their tile without divisions, which were most
/// of the instructions.
template <class Word>
void copy_planes(const array<const Word, 3>& in, array<Word, 3>& out) {
  static auto& copy = *new auto(kernel(
      [](view<const Word, 3> from, view<Word, 3> to) {
        const value<std::int64_t> plane = block_idx().z;
        turn_tile<Word>(
            block_idx().y * tile, block_idx().x * tile, to.extent(1), to.extent(2),
            [&](const auto& y, const auto& x) { return from(plane, y, x); },
            [&](const auto& y, const auto& x, const auto& value) { to(plane, y, x) = value; });
      },
      {.name = "array_transpose"}));
  copy.launch({{divided_up(out.extent(2), tile), divided_up(out.extent(1), tile), out.extent(0)},
               {tile, tile_rows}},
              in, out);
}

template <class Word>
void copy_all(const array<const Word, 6>& in, array<Word, 6>& out) {
  static auto& copy = *new auto(kernel(
      [](view<const Word, 6> from, view<Word, 6> to) {
        const value<std::int64_t> high = to.extent(4), wide = to.extent(5),
                                  columns = (wide + (tile - 1)) / tile,
                                  rows = (high + (tile - 1)) / tile, block = block_idx().x;
        const value<std::int64_t> rest = block / columns / rows, d = rest % to.extent(3),
                                  rest3 = rest / to.extent(3), c = rest3 % to.extent(2),
                                  rest2 = rest3 / to.extent(2), b = rest2 % to.extent(1),
                                  a = rest2 / to.extent(1);
        turn_tile<Word>(
            block / columns % rows * tile, block % columns * tile, high, wide,
            [&](const auto& y, const auto& x) { return from(a, b, c, d, y, x); },
            [&](const auto& y, const auto& x, const auto& value) { to(a, b, c, d, y, x) = value; });
      },
      {.name = "array_transpose"}));
  const std::int64_t tiles = divided_up(out.extent(4), tile) * divided_up(out.extent(5), tile);
  copy.launch({tiles * (out.size() / (out.extent(4) * out.extent(5))), {tile, tile_rows}}, in, out);
}

template <class Word>
void copy_words(const detail::elements& to, const detail::elements& from, Tiling tiling) {
  constexpr std::int64_t most = 65535;  // of a grid's y and z on CUDA
  const layout& at = *to.at;
  int others = 0;
  for (int d = 0; d < at.rank; ++d)
    others += d != tiling.read && d != tiling.written && at.extents[d] > 1;
  const std::int64_t planes = size_of(at) / (at.extents[tiling.read] * at.extents[tiling.written]);
  const bool by_planes =
      others <= 1 && planes <= most && divided_up(at.extents[tiling.written], tile) <= most;
  for (std::size_t which = 0; which < to.element_bytes / sizeof(Word); ++which) {
    const auto copy = [&]<int Rank>(std::integral_constant<int, Rank>, const auto& by) {
      auto out = arranged<Rank, Word>(to, tiling, which);
      by(array<const Word, Rank>(arranged<Rank, Word>(from, tiling, which).share()), out);
    };
    if (by_planes) copy(std::integral_constant<int, 3>(), copy_planes<Word>);
    else copy(std::integral_constant<int, 6>(), copy_all<Word>);
  }
}

}  // namespace

Tiling tiling_of(const layout& to, const layout& from) {
  const Tiling t{fastest(from), fastest(to)};
  const bool pays = t.read >= 0 && t.written >= 0 && t.read != t.written &&
                    to.extents[t.read] >= least_extent && to.extents[t.written] >= least_extent;
  return pays ? t : Tiling{};
}

void copy_by_tiles(const detail::elements& to, const detail::elements& from, Tiling tiling,
                   std::size_t word) {
  using Pair = vec<std::uint64_t, 2>;
  constexpr auto aligned = [](const detail::elements& e) {
    return (e.memory->address + std::uint64_t(e.at->offset) * e.element_bytes) % sizeof(Pair) == 0;
  };
  // One pass instead of two, each of which would read and write half of every cache line.
  if (word == 8 && to.element_bytes == sizeof(Pair) && aligned(to) && aligned(from))
    return copy_words<Pair>(to, from, tiling);
  switch (word) {
    case 8: return copy_words<std::uint64_t>(to, from, tiling);
    case 4: return copy_words<std::uint32_t>(to, from, tiling);
    case 2: return copy_words<std::uint16_t>(to, from, tiling);
    default: return copy_words<std::uint8_t>(to, from, tiling);
  }
}

}  // namespace krait::host
