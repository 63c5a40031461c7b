// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices on GPUs: a block keeps tiles of both operands in shared memory, and a thread
// has some sums in registers. Large ones are read in packs of 16 bytes, the next tiles while the
// present ones are multiplied; operands whose rows are not made of packs are copied before.
#include <algorithm>

#include "algorithms/matmul/products.h"
#include "algorithms/tuning.h"
#include "devices/layout.h"

namespace krait::host {
namespace {

int pack_size(scalar word) { return 16 / int(bytes_of(word)); }

/// A block has a tile of the result. Its threads have own_rows by own_columns elements of it, in
/// separate groups of neighbours, so that the threads of a warp read shared memory side by side.
/// The left tile is kept transposed. There are two copies of both tiles: one is multiplied while
/// the other is written, so that a step takes one barrier. Missing rows and columns of the last
/// tiles are read as the last existing one. Results are stored one by one, or in packs.
struct RegisterForm {
  scalar word, out;
  bool packs;
  int own_rows, own_columns;

  int pack() const { return pack_size(word); }
  /// Elements of a row that a block keeps at a time: each thread reads a pack of the right tile.
  int depth() const { return tile_threads * pack() / (tile_side * own_columns); }
  int rows() const { return tile_side * own_rows; }
  int columns() const { return tile_side * own_columns; }
};

void record_registers(const RegisterForm& f, const RecordedEnding& ending, const Parameters& p) {
  const int pack = f.pack(), depth = f.depth(), rows = f.rows(), columns = f.columns(),
            packs_deep = depth / pack, packs_wide = columns / pack,
            lefts = rows * packs_deep / tile_threads, stored = f.packs ? pack : 1;
  const ElementView x = p.array(0), y = p.array(1), out = p.array(2);
  const Index m = out.extent(1), n = out.extent(2) * stored, steps = x.extent(2) / packs_deep;
  const Index across = (n + (columns - 1)) / columns, down = (m + (rows - 1)) / rows,
              all = across * down;
  const Index block = block_idx().x, batch = block / all, tile = block % all,
              grouped = tile_group * across, top = tile / grouped * tile_group,
              high = krait::min(down - top, std::int64_t(tile_group)),
              first_row = (top + tile % grouped % high) * rows,
              first_column = tile % grouped / high * columns;
  const value<int> thread = cast<int>(thread_idx().x), lane = thread % 32, warp = thread / 32;
  const value<int> own_row = (warp / 2 * 4 + lane / 8) * pack,
                   own_column = (warp % 2 * 8 + lane % 8) * pack;
  // of an own row or column
  const auto place = [&](int i) { return i % pack + i / pack * (tile_side * pack); };

  const ElementView left = shared_elements(f.word, {2, depth, rows + pack}),
                    right = shared_elements(f.word, {2, depth, columns});
  const value<int> deep = thread % packs_deep, row = thread / packs_deep,
                   wide = thread % packs_wide, k = thread / packs_wide;
  const Index right_pack = krait::min(first_column / pack + wide, y.extent(2) - 1);
  // The next tiles are read before the barrier, which holds the loads in their place.
  std::vector<Element> read_left, read_right;
  const auto append = [&](std::vector<Element>& to, const Element& read) {
    for (int i = 0; i < pack; ++i) to.push_back(read.part(std::size_t(i)));
  };
  const auto read = [&](const Index& step) {
    read_left.clear(), read_right.clear();
    for (int e = 0; e < lefts; ++e) {
      const Index from = krait::min(first_row + row + e * (tile_threads / packs_deep), m - 1);
      append(read_left, x(batch, from, step * packs_deep + deep));
    }
    append(read_right, y(batch, step * depth + k, right_pack));
  };
  std::vector<Variable> next_left = variables(f.word, lefts * pack),
                        next_right = variables(f.word, pack);
  const auto keep = [&] {
    for (std::size_t i = 0; i < next_left.size(); ++i) next_left[i] = read_left[i];
    for (std::size_t i = 0; i < next_right.size(); ++i) next_right[i] = read_right[i];
  };
  std::vector<Variable> sums = variables(f.word, f.own_rows * f.own_columns);
  read(Index(std::int64_t(0)));
  keep();
  for (auto step : range(std::int64_t(0), steps)) {
    const value<int> half = cast<int>(step % 2);
    read(krait::min(step + 1, steps - 1));
    for (int e = 0; e < lefts; ++e)
      for (int j = 0; j < pack; ++j)
        left(half, deep * pack + j, row + e * (tile_threads / packs_deep)) =
            next_left[std::size_t(e * pack + j)];
    for (int j = 0; j < pack; ++j) right(half, k, wide * pack + j) = next_right[std::size_t(j)];
    syncthreads();
    keep();
    // Written out, all reads would be moved before all products, for which the registers of two
    // blocks are not enough.
    for (auto d : range(depth)) {
      std::vector<Element> a, b;
      for (int i = 0; i < f.own_rows; ++i) a.push_back(left(half, d, own_row + place(i)));
      for (int i = 0; i < f.own_columns; ++i) b.push_back(right(half, d, own_column + place(i)));
      for (int i = 0; i < f.own_rows; ++i)
        for (int j = 0; j < f.own_columns; ++j)
          sums[std::size_t(i * f.own_columns + j)].add(a[std::size_t(i)] * b[std::size_t(j)]);
    }
  }
  for (int i = 0; i < f.own_rows; ++i)
    for (int j = 0; j < f.own_columns; j += stored) {
      const Index to_row = first_row + own_row + place(i),
                  column = first_column + own_column + place(j);
      if_(to_row < m && column < n, [&] {
        const auto ended = [&](int s) {
          return ending.of(sums[std::size_t(i * f.own_columns + j + s)], batch, to_row,
                           Index(column + s), p.others());
        };
        if (!f.packs) {
          out(batch, to_row, column) = ended(0);
        } else {
          std::vector<node> all;
          for (int s = 0; s < stored; ++s) all.push_back(ended(s).only());
          out(batch, to_row, column / stored) = Element(out.type(), std::move(all));
        }
      });
    }
}

const Kernel& register_kernel(const RegisterForm& f, const product_ending& ending) {
  const Parameter packs = in(pack_of(f.word), 3),
                  stored = f.packs ? out(pack_of(f.out), 3) : out(f.out, 3);
  return kernel_of(
      ending, f.out, "matmul_registers", {f.word, f.out, f.packs, f.own_rows, f.own_columns},
      {packs, packs, stored},
      [f](const Parameters& p, const RecordedEnding& ended) { record_registers(f, ended, p); },
      {.block = {tile_threads, 1, 1}, .min_blocks = 2});
}

/// x with zeros after its rows and columns.
void record_padded(const Parameters& p) {
  const ElementView x = p.array(0), out = p.array(1);
  const scalar word = out.type()->whole;
  const Index columns = out.extent(2), rows = out.extent(1);
  const Index size = out.extent(0) * out.extent(1) * out.extent(2);
  for (auto i : grid_stride(size)) {
    const Index column = i % columns, line = i / columns, row = line % rows, batch = line / rows;
    out(batch, row, column) = choose(
        row < x.extent(1) && column < x.extent(2), word,
        [&] { return x(batch, row, column).get().as(word); }, zero_of(word));
  }
}

/// Elements of an array whose rows are made of packs, as packs.
any_array as_packs(const any_array& x) {
  const int pack = pack_size(x.type->whole);
  any_array packs = x;
  packs.type = pack_of(x.type->whole);
  packs.at.offset /= pack;
  for (int d = 0; d < 3; ++d)
    packs.at.extents[d] /= d == 2 ? pack : 1, packs.at.strides[d] /= d == 2 ? 1 : pack;
  return packs;
}
bool has_packs(const any_array& x, scalar word, std::int64_t rows, std::int64_t columns) {
  if (x.type->whole != word) return false;
  const int pack = pack_size(word);
  const detail::layout& at = x.at;
  return at.extents[1] % rows == 0 && at.extents[2] % columns == 0 && at.strides[2] == 1 &&
         at.strides[1] % pack == 0 && at.strides[0] % pack == 0 && at.offset % pack == 0 &&
         address_of(x) % 16 == 0;
}
any_array padded_copy(const any_array& x, scalar word, std::int64_t rows, std::int64_t columns) {
  // A matrix that repeats is copied once.
  const bool repeats = x.at.strides[0] == 0;
  any_array given = x;
  if (repeats) given.at.extents[0] = std::min<std::int64_t>(x.at.extents[0], 1);
  any_array made =
      new_array(word,
                {repeats ? 1 : x.at.extents[0], divided_up(x.at.extents[1], rows) * rows,
                 divided_up(x.at.extents[2], columns) * columns},
                x.on);
  copy_padded(given, made);
  made.at.extents[0] = x.at.extents[0];
  if (repeats) made.at.strides[0] = 0;
  return made;
}
/// x in packs, with so many rows and columns or a multiple of it: as it is, or a copy.
any_array packs_of(const any_array& x, scalar word, std::int64_t rows, std::int64_t columns) {
  return as_packs(has_packs(x, word, rows, columns) ? x : padded_copy(x, word, rows, columns));
}

/// For small results: any operands, without copies. A thread has `own` by `own` elements of the
/// block's tile, of which shared memory has `depth` elements of each row at a time.
struct TileForm {
  scalar left, right, out, word;
};
void record_tiles(const TileForm& f, const RecordedEnding& ending, const Parameters& p) {
  constexpr int own = small_tile_own, deep = small_tile_depth, side = tile_side * own;
  const ElementView x = p.array(0), y = p.array(1), out = p.array(2);
  const Index m = out.extent(1), n = out.extent(2), depth = x.extent(2);
  const Index tiles = (n + (side - 1)) / side, all = (m + (side - 1)) / side * tiles;
  const Index block = block_idx().x, batch = block / all, first_row = block % all / tiles * side,
              first_column = block % tiles * side;
  const value<int> thread = cast<int>(thread_idx().x), own_row = thread / tile_side * 4,
                   own_column = thread % tile_side * 4;
  const ElementView left = shared_elements(f.word, {deep, side + 4}),
                    right = shared_elements(f.word, {deep, side});
  std::vector<Variable> sums = variables(f.word, own * own);
  // of an own row or column
  const auto place = [](int i) { return i % 4 + i / 4 * (tile_side * 4); };
  for (auto from : range(std::int64_t(0), depth, std::int64_t(deep))) {
    for (int e = 0; e < side * deep / tile_threads; ++e) {
      const value<int> i = thread + e * tile_threads;
      const value<int> k = i % deep, row = i / deep, l = i / side, column = i % side;
      left(k, row) = choose(
          first_row + row < m && from + k < depth, f.word,
          [&] { return x(batch, first_row + row, from + k).get().as(f.word); }, zero_of(f.word));
      right(l, column) = choose(
          first_column + column < n && from + l < depth, f.word,
          [&] { return y(batch, from + l, first_column + column).get().as(f.word); },
          zero_of(f.word));
    }
    syncthreads();
    for (auto four : range(0, deep, 4))
      for (int k = 0; k < 4; ++k) {
        std::vector<Element> a, b;
        for (int i = 0; i < own; ++i) a.push_back(left(four + k, own_row + place(i)));
        for (int i = 0; i < own; ++i) b.push_back(right(four + k, own_column + place(i)));
        for (int i = 0; i < own; ++i)
          for (int j = 0; j < own; ++j)
            sums[std::size_t(i * own + j)].add(a[std::size_t(i)] * b[std::size_t(j)]);
      }
    syncthreads();
  }
  for (int i = 0; i < own; ++i)
    for (int j = 0; j < own; ++j) {
      const Index row = first_row + own_row + place(i),
                  column = first_column + own_column + place(j);
      if_(row < m && column < n, [&] {
        out(batch, row, column) =
            ending.of(sums[std::size_t(i * own + j)], batch, row, column, p.others());
      });
    }
}

}  // namespace

void copy_padded(const any_array& x, const any_array& to) {
  kernel_of("matmul_packs", {x.type, to.type}, {in(x.type, 3), out(to.type, 3)},
            [](const Parameters& p) { record_padded(p); })
      .launch({divided_up(to.size(), copied_elements * tile_threads), tile_threads}, x, to);
}

void multiply_in_registers(const Product& p, int own_rows, int own_columns) {
  RegisterForm f{p.word, p.out.type->whole, false, own_rows, own_columns};
  const any_array left = packs_of(p.x, p.word, 1, f.depth()),
                  right = packs_of(p.y, p.word, f.depth(), f.pack());
  const std::int64_t m = p.out.at.extents[1], n = p.out.at.extents[2];
  f.packs = p.word == f.out && n % f.pack() == 0 && p.out.at.offset % f.pack() == 0;
  register_kernel(f, p.ending)
      .launch({p.out.at.extents[0] * divided_up(m, f.rows()) * divided_up(n, f.columns()),
               tile_threads},
              left, right, f.packs ? as_packs(p.out) : p.out, operands_of(p.ending));
}

void multiply_tiles(const Product& p) {
  const std::int64_t batch = p.out.at.extents[0], m = p.out.at.extents[1], n = p.out.at.extents[2];
  const auto fills = [&](std::int64_t rows, std::int64_t columns) {
    return p.x.at.extents[2] > 0 &&
           batch * divided_up(m, rows * tile_side) * divided_up(n, columns * tile_side) >=
               blocks_that_fill;
  };
  // 8 by 8 sums of 64 bits would not fit into registers.
  if (bytes_of(p.word) == 4 && fills(8, 8)) return multiply_in_registers(p, 8, 8);
  if (fills(8, 4)) return multiply_in_registers(p, 8, 4);
  if (fills(4, 4)) return multiply_in_registers(p, 4, 4);
  const TileForm f{p.x.type->whole, p.y.type->whole, p.out.type->whole, p.word};
  constexpr int side = small_tile_own * tile_side;
  kernel_of(p.ending, f.out, "matmul_tiles", {f.left, f.right, f.out, f.word},
            {in(f.left, 3), in(f.right, 3), out(f.out, 3)},
            [f](const Parameters& q, const RecordedEnding& ended) { record_tiles(f, ended, q); })
      .launch({batch * divided_up(m, side) * divided_up(n, side), tile_threads}, p.x, p.y, p.out,
              operands_of(p.ending));
}

}  // namespace krait::host
