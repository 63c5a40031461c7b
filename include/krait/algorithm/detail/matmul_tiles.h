// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices on GPUs: a block keeps tiles of both operands in shared memory, and a thread
// has some sums in registers. Matrices have a first dimension more, that of the batch. Large ones
// are read in packs of 16 bytes, the next tiles while the present ones are multiplied; operands
// whose rows are not made of packs are copied before.
#pragma once

#include <krait/algorithm/detail/matmul_kernels.h>

namespace krait::detail {

inline constexpr int tile_threads = 256, tile_side = 16;  // threads of a block, in a square
/// Rows of tiles whose blocks run one after the other, column by column, so that their input is in
/// the cache. 4 to 16 are equal on an H100, and 1 is a tenth slower at 4,096 x 4,096 x 4,096
/// (bench_matmul).
inline constexpr int tile_group = 8;

template <class Word>
inline constexpr int pack_size = 16 / int(sizeof(Word));
template <class Word>
using word_pack = vec<Word, pack_size<Word>>;
/// Elements of a row that a block keeps at a time: each thread reads a pack of the right tile.
template <class Word, int Own>
inline constexpr int tile_depth = tile_threads * pack_size<Word> / (tile_side * Own);

/// A block has a tile of the result. Its threads have OwnRows by OwnColumns elements of it, in
/// separate groups of neighbours, so that the threads of a warp read shared memory side by side.
/// The left tile is kept transposed. There are two copies of both tiles: one is multiplied while
/// the other is written, so that a step takes one barrier. Missing rows and columns of the last
/// tiles are read as the last existing one. Stored is Out, or a pack of it.
template <class Word, class Out, class Stored, int OwnRows, int OwnColumns, class Function,
          class... More>
auto make_register_product(const Function& f) {
  static constexpr int pack = pack_size<Word>, depth = tile_depth<Word, OwnColumns>,
                       rows = tile_side * OwnRows, columns = tile_side * OwnColumns,
                       packs_deep = depth / pack, packs_wide = columns / pack,
                       lefts = rows * packs_deep / tile_threads;
  static_assert(depth * packs_wide == tile_threads && lefts >= 1);
  return kernel(
      [f](view<const word_pack<Word>, 3> x, view<const word_pack<Word>, 3> y, view<Stored, 3> out,
          ending_parameter<More>... more) {
        constexpr int stored = sizeof(Stored) / sizeof(Out);
        const value<std::int64_t> m = out.extent(1), n = out.extent(2) * stored,
                                  steps = x.extent(2) / packs_deep;
        const value<std::int64_t> across = (n + (columns - 1)) / columns,
                                  down = (m + (rows - 1)) / rows, all = across * down;
        const value<std::int64_t> block = block_idx().x, batch = block / all, tile = block % all,
                                  grouped = tile_group * across, top = tile / grouped * tile_group,
                                  high = krait::min(down - top, std::int64_t(tile_group)),
                                  first_row = (top + tile % grouped % high) * rows,
                                  first_column = tile % grouped / high * columns;
        const value<int> thread = cast<int>(thread_idx().x), lane = thread % 32, warp = thread / 32;
        const value<int> own_row = (warp / 2 * 4 + lane / 8) * pack,
                         own_column = (warp % 2 * 8 + lane % 8) * pack;
        // of an own row or column
        const auto place = [](int i) { return i % pack + i / pack * (tile_side * pack); };

        auto left = shared<Word, 2, depth, rows + pack>();
        auto right = shared<Word, 2, depth, columns>();
        const value<int> deep = thread % packs_deep, row = thread / packs_deep,
                         wide = thread % packs_wide, k = thread / packs_wide;
        const value<std::int64_t> right_pack =
            krait::min(first_column / pack + wide, y.extent(2) - 1);
        // The next tiles are read before the barrier, which holds the loads in their place.
        std::array<node, lefts * pack> read_left;
        std::array<node, pack> read_right;
        const auto read = [&](const value<std::int64_t>& step) {
          for (int e = 0; e < lefts; ++e) {
            const value<std::int64_t> from =
                krait::min(first_row + row + e * (tile_threads / packs_deep), m - 1);
            const auto four = x(batch, from, step * packs_deep + deep);
            for (int j = 0; j < pack; ++j)
              read_left[std::size_t(e * pack + j)] = node_of(value<Word>(four[j]));
          }
          const auto four = y(batch, step * depth + k, right_pack);
          for (int j = 0; j < pack; ++j) read_right[std::size_t(j)] = node_of(value<Word>(four[j]));
        };
        var<Word> next_left[lefts * pack], next_right[pack];
        const auto keep = [&] {
          for (int i = 0; i < lefts * pack; ++i)
            next_left[i] = value<Word>(read_left[std::size_t(i)]);
          for (int i = 0; i < pack; ++i) next_right[i] = value<Word>(read_right[std::size_t(i)]);
        };
        var<Word> sums[OwnRows * OwnColumns];
        read(value<std::int64_t>(std::int64_t(0)));
        keep();
        for (auto step : range(std::int64_t(0), steps)) {
          const value<int> half = cast<int>(step % 2);
          read(krait::min(step + 1, steps - 1));
          for (int e = 0; e < lefts; ++e)
            for (int j = 0; j < pack; ++j)
              left(half, deep * pack + j, row + e * (tile_threads / packs_deep)) =
                  next_left[e * pack + j];
          for (int j = 0; j < pack; ++j) right(half, k, wide * pack + j) = next_right[j];
          syncthreads();
          keep();
          const auto multiply = [&](const value<int>& d) {
            std::array<node, OwnRows> a;
            std::array<node, OwnColumns> b;
            for (int i = 0; i < OwnRows; ++i)
              a[std::size_t(i)] = node_of(value<Word>(left(half, d, own_row + place(i))));
            for (int i = 0; i < OwnColumns; ++i)
              b[std::size_t(i)] = node_of(value<Word>(right(half, d, own_column + place(i))));
            for (int i = 0; i < OwnRows; ++i)
              for (int j = 0; j < OwnColumns; ++j)
                sums[i * OwnColumns + j] +=
                    value<Word>(a[std::size_t(i)]) * value<Word>(b[std::size_t(j)]);
          };
          // Written out, all reads would be moved before all products, for which the registers of
          // two blocks are not enough.
          for (auto d : range(depth)) multiply(d);
        }
        for (int i = 0; i < OwnRows; ++i)
          for (int j = 0; j < OwnColumns; j += stored) {
            const value<std::int64_t> to_row = first_row + own_row + place(i),
                                      column = first_column + own_column + place(j);
            if_(to_row < m && column < n, [&] {
              const auto ended = [&](int s) {
                const value<Word> sum = sums[i * OwnColumns + j + s];
                return product_ending<Function, More...>::template of<Out, Word>(
                    f, sum, batch, to_row, column + s, more...);
              };
              if constexpr (stored == 1) {
                out(batch, to_row, column) = ended(0);
              } else {
                var<Stored> whole;
                for (int s = 0; s < stored; ++s) whole[s] = ended(s);
                out(batch, to_row, column / stored) = whole;
              }
            });
          }
      },
      {.name = "matmul_registers", .block = {tile_threads, 1, 1}, .min_blocks = 2});
}

/// x with zeros behind its rows and columns.
template <class Word, class Elem>
auto make_pack_copy() {
  return kernel(
      [](view<const Elem, 3> x, view<Word, 3> out) {
        const value<std::int64_t> columns = out.extent(2), rows = out.extent(1);
        for (auto i : grid_stride(out.size())) {
          const value<std::int64_t> column = i % columns, line = i / columns, row = line % rows,
                                    batch = line / rows;
          const auto inside = [&] { return cast<Word>(x(batch, row, column)); };
          out(batch, row, column) =
              select(row < x.extent(1) && column < x.extent(2), inside, value<Word>(Word(0)));
        }
      },
      {.name = "matmul_packs"});
}

/// Elements of an array whose rows are made of packs, as packs.
template <class Word>
array<const word_pack<Word>, 3> as_packs(const array<const Word, 3>& x) {
  constexpr int pack = pack_size<Word>;
  layout at = x.at();
  at.offset /= pack;
  for (int d = 0; d < 3; ++d)
    at.extents[d] /= d == 2 ? pack : 1, at.strides[d] /= d == 2 ? 1 : pack;
  return array<const word_pack<Word>, 3>(at, x.memory_owner(), handle_of(x.device()));
}
template <class Word, class Elem>
bool has_packs(const array<const Elem, 3>& x, std::int64_t rows, std::int64_t columns) {
  if constexpr (!std::is_same_v<Word, Elem>) return false;
  constexpr int pack = pack_size<Word>;
  return x.extent(1) % rows == 0 && x.extent(2) % columns == 0 && x.stride(2) == 1 &&
         x.stride(1) % pack == 0 && x.stride(0) % pack == 0 && x.at().offset % pack == 0 &&
         x.address() % 16 == 0;
}
/// x in packs, with so many rows and columns or a multiple of it: as it is, or a copy.
template <class Word, class Elem>
array<const word_pack<Word>, 3> packs_of(const array<const Elem, 3>& x, std::int64_t rows,
                                         std::int64_t columns) {
  if constexpr (std::is_same_v<Word, Elem>)
    if (has_packs<Word>(x, rows, columns)) return as_packs(x);
  static auto& copy = lasting(make_pack_copy<Word, Elem>());
  // A matrix that repeats is copied once.
  const bool repeats = x.stride(0) == 0;
  array<Word, 3> made({repeats ? 1 : x.extent(0), divided_up(x.extent(1), rows) * rows,
                       divided_up(x.extent(2), columns) * columns},
                      x.device());
  copy.launch({divided_up(made.size(), 4 * tile_threads), tile_threads},
              repeats ? x(range(0, 1)).share() : x.share(), made);
  layout at = made.at();
  at.extents[0] = x.extent(0);
  if (repeats) at.strides[0] = 0;
  return as_packs(array<const Word, 3>(at, made.memory_owner(), handle_of(made.device())));
}

template <class Types, int OwnRows, int OwnColumns, class Function = sum_alone, class... More>
void multiply_in_registers(const array<const typename Types::left, 3>& x,
                           const array<const typename Types::right, 3>& y,
                           array<typename Types::out, 3>& out,
                           const product_ending<Function, More...>& ending = {}) {
  using word = typename Types::word;
  using elem = typename Types::out;
  constexpr int pack = pack_size<word>, depth = tile_depth<word, OwnColumns>;
  const auto left = packs_of<word>(x, 1, depth), right = packs_of<word>(y, depth, pack);
  const std::int64_t m = out.extent(1), n = out.extent(2);
  const dims blocks =
      out.extent(0) * divided_up(m, tile_side * OwnRows) * divided_up(n, tile_side * OwnColumns);
  const auto run = [&]<class Stored>(array<Stored, 3>& to) {
    with_kernel(
        ending.f,
        [](const Function& f) {
          return make_register_product<word, elem, Stored, OwnRows, OwnColumns, Function, More...>(
              f);
        },
        [&](const auto& multiply) {
          ending.launch([&](const auto&... more) {
            multiply.launch({blocks, tile_threads}, left, right, to, more...);
          });
        });
  };
  if constexpr (std::is_same_v<word, elem>)
    if (n % pack == 0) {
      layout at = out.at();
      at.extents[2] /= pack, at.strides[0] /= pack, at.strides[1] /= pack;
      array<word_pack<word>, 3> packs(at, out.memory_owner(), handle_of(out.device()));
      return run(packs);
    }
  run(out);
}

/// For small results: any operands, without copies. A thread has Own by Own elements of the block's
/// tile.
template <class Types, int Own, int Depth, class Function, class... More>
auto make_tile_product(const Function& f) {
  using word = typename Types::word;
  static constexpr int side = tile_side * Own;
  return kernel(
      [f](view<const typename Types::left, 3> x, view<const typename Types::right, 3> y,
          view<typename Types::out, 3> out, ending_parameter<More>... more) {
        const value<std::int64_t> m = out.extent(1), n = out.extent(2), depth = x.extent(2);
        const value<std::int64_t> tiles = (n + (side - 1)) / side,
                                  all = (m + (side - 1)) / side * tiles;
        const value<std::int64_t> block = block_idx().x, batch = block / all,
                                  first_row = block % all / tiles * side,
                                  first_column = block % tiles * side;
        const value<int> thread = cast<int>(thread_idx().x), own_row = thread / tile_side * 4,
                         own_column = thread % tile_side * 4;
        auto left = shared<word, Depth, side + 4>();
        auto right = shared<word, Depth, side>();
        var<word> sums[Own * Own];
        // of an own row or column
        const auto place = [](int i) { return i % 4 + i / 4 * (tile_side * 4); };
        for (auto from : range(std::int64_t(0), depth, std::int64_t(Depth))) {
          for (int e = 0; e < side * Depth / tile_threads; ++e) {
            const value<int> i = thread + e * tile_threads;
            const value<int> k = i % Depth, row = i / Depth, l = i / side, column = i % side;
            left(k, row) = select(
                first_row + row < m && from + k < depth,
                [&] { return Types::enter(x(batch, first_row + row, from + k)); },
                value<word>(word(0)));
            right(l, column) = select(
                first_column + column < n && from + l < depth,
                [&] { return Types::enter(y(batch, from + l, first_column + column)); },
                value<word>(word(0)));
          }
          syncthreads();
          for (auto four : range(0, Depth, 4))
            for (int k = 0; k < 4; ++k) {
              std::array<node, Own> a, b;
              for (int i = 0; i < Own; ++i)
                a[std::size_t(i)] = node_of(value<word>(left(four + k, own_row + place(i))));
              for (int i = 0; i < Own; ++i)
                b[std::size_t(i)] = node_of(value<word>(right(four + k, own_column + place(i))));
              for (int i = 0; i < Own; ++i)
                for (int j = 0; j < Own; ++j)
                  sums[i * Own + j] +=
                      value<word>(a[std::size_t(i)]) * value<word>(b[std::size_t(j)]);
            }
          syncthreads();
        }
        for (int i = 0; i < Own; ++i)
          for (int j = 0; j < Own; ++j) {
            const value<std::int64_t> row = first_row + own_row + place(i),
                                      column = first_column + own_column + place(j);
            if_(row < m && column < n, [&] {
              out(batch, row, column) =
                  product_ending<Function, More...>::template of<typename Types::out, word>(
                      f, value<word>(sums[i * Own + j]), batch, row, column, more...);
            });
          }
      },
      {.name = "matmul_tiles"});
}

template <class Types, class Function = sum_alone, class... More>
void multiply_tiles(const array<const typename Types::left, 3>& x,
                    const array<const typename Types::right, 3>& y,
                    array<typename Types::out, 3>& out,
                    const product_ending<Function, More...>& ending = {}) {
  const std::int64_t batch = out.extent(0), m = out.extent(1), n = out.extent(2);
  const auto fills = [&](std::int64_t rows, std::int64_t columns) {  // a large GPU
    return x.extent(2) > 0 &&
           batch * divided_up(m, rows * tile_side) * divided_up(n, columns * tile_side) >= 128;
  };
  // 8 by 8 sums of 64 bits would not fit into registers.
  if constexpr (sizeof(typename Types::word) == 4)
    if (fills(8, 8)) return multiply_in_registers<Types, 8, 8>(x, y, out, ending);
  if (fills(8, 4)) return multiply_in_registers<Types, 8, 4>(x, y, out, ending);
  if (fills(4, 4)) return multiply_in_registers<Types, 4, 4>(x, y, out, ending);
  with_kernel(
      ending.f,
      [](const Function& f) { return make_tile_product<Types, 4, 16, Function, More...>(f); },
      [&](const auto& small) {
        ending.launch([&](const auto&... more) {
          small.launch(
              {batch * divided_up(m, 4 * tile_side) * divided_up(n, 4 * tile_side), tile_threads},
              x, y, out, more...);
        });
      });
}

}  // namespace krait::detail
