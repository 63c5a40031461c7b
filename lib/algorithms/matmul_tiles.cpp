// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices on GPUs: a block keeps tiles of both operands in shared memory, and a thread
// has some sums in registers. Large ones are read in packs of 16 bytes, the next tiles while the
// present ones are multiplied; operands whose rows are not made of packs are copied before.
#include <algorithm>

#include "algorithms/products.h"
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

void record_registers(const RegisterForm& f, const RecordedEnding& ending, const node* parameters) {
  const int pack = f.pack(), depth = f.depth(), rows = f.rows(), columns = f.columns(),
            packs_deep = depth / pack, packs_wide = columns / pack,
            lefts = rows * packs_deep / tile_threads, stored = f.packs ? pack : 1;
  const Packs x{f.word, pack, parameters[0]}, y{f.word, pack, parameters[1]},
      packed_out{f.out, pack, parameters[2]};
  const Elements out{f.out, parameters[2]};
  const node* const operands = parameters + 3;
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

  const Elements left = shared_elements(f.word, {2, depth, rows + pack}),
                 right = shared_elements(f.word, {2, depth, columns});
  const value<int> deep = thread % packs_deep, row = thread / packs_deep,
                   wide = thread % packs_wide, k = thread / packs_wide;
  const Index right_pack = krait::min(first_column / pack + wide, y.extent(2) - 1);
  // The next tiles are read before the barrier, which holds the loads in their place.
  std::vector<Number> read_left, read_right;
  const auto read = [&](const Index& step) {
    read_left.clear();
    for (int e = 0; e < lefts; ++e) {
      const Index from = krait::min(first_row + row + e * (tile_threads / packs_deep), m - 1);
      for (const Number& one : x.at(batch, from, step * packs_deep + deep))
        read_left.push_back(one);
    }
    read_right = y.at(batch, step * depth + k, right_pack);
  };
  const std::vector<Local> next_left = locals(f.word, lefts * pack),
                           next_right = locals(f.word, pack);
  const auto keep = [&] {
    for (std::size_t i = 0; i < next_left.size(); ++i) next_left[i].set(read_left[i]);
    for (std::size_t i = 0; i < next_right.size(); ++i) next_right[i].set(read_right[i]);
  };
  const std::vector<Local> sums = locals(f.word, f.own_rows * f.own_columns);
  read(Index(std::int64_t(0)));
  keep();
  for (auto step : range(std::int64_t(0), steps)) {
    const value<int> half = cast<int>(step % 2);
    read(krait::min(step + 1, steps - 1));
    for (int e = 0; e < lefts; ++e)
      for (int j = 0; j < pack; ++j)
        left.store(next_left[std::size_t(e * pack + j)].get(), half, deep * pack + j,
                   row + e * (tile_threads / packs_deep));
    for (int j = 0; j < pack; ++j)
      right.store(next_right[std::size_t(j)].get(), half, k, wide * pack + j);
    syncthreads();
    keep();
    // Written out, all reads would be moved before all products, for which the registers of two
    // blocks are not enough.
    for (auto d : range(depth)) {
      std::vector<Number> a, b;
      for (int i = 0; i < f.own_rows; ++i) a.push_back(left.at(half, d, own_row + place(i)));
      for (int i = 0; i < f.own_columns; ++i) b.push_back(right.at(half, d, own_column + place(i)));
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
          const Number sum = sums[std::size_t(i * f.own_columns + j + s)].get();
          return ending.of(sum, batch, to_row, Index(column + s), operands);
        };
        if (!f.packs) {
          out.store(ended(0), batch, to_row, column);
        } else {
          const std::vector<Local> whole = locals(f.out, stored);
          for (int s = 0; s < stored; ++s) whole[std::size_t(s)].set(ended(s));
          packed_out.store(whole, batch, to_row, column / stored);
        }
      });
    }
}

const LibraryKernel& register_kernel(const RegisterForm& f, const product_ending& ending) {
  static const char maker = 0;
  return kernel_of(
      ending, {&maker, {int(f.word), int(f.out), f.packs, f.own_rows, f.own_columns}}, [&] {
        const auto packs = [&](bool writable) {
          return view_parameter(scalar::none, 3, writable, 16);
        };
        std::vector parameters{packs(false), packs(false),
                               f.packs ? packs(true) : view_parameter(f.out, 3, true)};
        const RecordedEnding ended(ending, f.out);
        ended.add_parameters(parameters);
        return LibraryKernel::make(
            options{.name = "matmul_registers", .block = {tile_threads, 1, 1}, .min_blocks = 2},
            parameters, [f, ended](const node* nodes) { record_registers(f, ended, nodes); });
      });
}

/// x with zeros after its rows and columns.
void record_padded(scalar from, scalar word, const node* parameters) {
  const Elements x{from, parameters[0]}, out{word, parameters[1]};
  const Index columns = out.extent(2), rows = out.extent(1);
  const Index size = out.extent(0) * out.extent(1) * out.extent(2);
  for (auto i : grid_stride(size)) {
    const Index column = i % columns, line = i / columns, row = line % rows, batch = line / rows;
    out.store(choose(
                  row < x.extent(1) && column < x.extent(2), word,
                  [&] { return convert(word, x.at(batch, row, column)); }, zero_of(word)),
              batch, row, column);
  }
}

/// Elements of an array whose rows are made of packs, as packs.
any_array as_packs(const any_array& x) {
  const int pack = pack_size(x.type);
  any_array packs = x;
  packs.type = scalar::none, packs.bytes = 16;
  packs.at.offset /= pack;
  for (int d = 0; d < 3; ++d)
    packs.at.extents[d] /= d == 2 ? pack : 1, packs.at.strides[d] /= d == 2 ? 1 : pack;
  return packs;
}
bool has_packs(const any_array& x, scalar word, std::int64_t rows, std::int64_t columns) {
  if (x.type != word) return false;
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
void record_tiles(const TileForm& f, const RecordedEnding& ending, const node* parameters) {
  constexpr int own = small_tile_own, deep = small_tile_depth, side = tile_side * own;
  const Elements x{f.left, parameters[0]}, y{f.right, parameters[1]}, out{f.out, parameters[2]};
  const node* const operands = parameters + 3;
  const Index m = out.extent(1), n = out.extent(2), depth = x.extent(2);
  const Index tiles = (n + (side - 1)) / side, all = (m + (side - 1)) / side * tiles;
  const Index block = block_idx().x, batch = block / all, first_row = block % all / tiles * side,
              first_column = block % tiles * side;
  const value<int> thread = cast<int>(thread_idx().x), own_row = thread / tile_side * 4,
                   own_column = thread % tile_side * 4;
  const Elements left = shared_elements(f.word, {deep, side + 4}),
                 right = shared_elements(f.word, {deep, side});
  const std::vector<Local> sums = locals(f.word, own * own);
  // of an own row or column
  const auto place = [](int i) { return i % 4 + i / 4 * (tile_side * 4); };
  for (auto from : range(std::int64_t(0), depth, std::int64_t(deep))) {
    for (int e = 0; e < side * deep / tile_threads; ++e) {
      const value<int> i = thread + e * tile_threads;
      const value<int> k = i % deep, row = i / deep, l = i / side, column = i % side;
      left.store(choose(
                     first_row + row < m && from + k < depth, f.word,
                     [&] { return convert(f.word, x.at(batch, first_row + row, from + k)); },
                     zero_of(f.word)),
                 k, row);
      right.store(choose(
                      first_column + column < n && from + l < depth, f.word,
                      [&] { return convert(f.word, y.at(batch, from + l, first_column + column)); },
                      zero_of(f.word)),
                  l, column);
    }
    syncthreads();
    for (auto four : range(0, deep, 4))
      for (int k = 0; k < 4; ++k) {
        std::vector<Number> a, b;
        for (int i = 0; i < own; ++i) a.push_back(left.at(four + k, own_row + place(i)));
        for (int i = 0; i < own; ++i) b.push_back(right.at(four + k, own_column + place(i)));
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
        out.store(ending.of(sums[std::size_t(i * own + j)].get(), batch, row, column, operands),
                  batch, row, column);
      });
    }
}

}  // namespace

void copy_padded(const any_array& x, const any_array& to) {
  static const char maker = 0;
  const scalar from = x.type, word = to.type;
  const LibraryKernel& copy = KernelStore::of_library().of({&maker, {int(from), int(word)}}, [&] {
    return LibraryKernel::make(
        options{.name = "matmul_packs"},
        std::vector{view_parameter(from, 3), view_parameter(word, 3, true)},
        [from, word](const node* nodes) { record_padded(from, word, nodes); });
  });
  copy.launch(divided_up(size_of(to.at), 4 * tile_threads), tile_threads,
              {array_argument(x), array_argument(to)});
}

void multiply_in_registers(const Product& p, int own_rows, int own_columns) {
  RegisterForm f{p.word, p.out.type, false, own_rows, own_columns};
  const any_array left = packs_of(p.x, p.word, 1, f.depth()),
                  right = packs_of(p.y, p.word, f.depth(), f.pack());
  const std::int64_t m = p.out.at.extents[1], n = p.out.at.extents[2];
  any_array out = p.out;
  if (p.word == p.out.type && n % f.pack() == 0 && out.at.offset % f.pack() == 0) {
    f.packs = true;
    out.type = scalar::none, out.bytes = 16, out.at.offset /= f.pack();
    out.at.extents[2] /= f.pack(), out.at.strides[0] /= f.pack(), out.at.strides[1] /= f.pack();
  }
  launch_ended(register_kernel(f, p.ending),
               p.out.at.extents[0] * divided_up(m, f.rows()) * divided_up(n, f.columns()),
               tile_threads, {array_argument(left), array_argument(right), array_argument(out)},
               p.ending);
}

void multiply_tiles(const Product& p) {
  static const char maker = 0;
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
  const TileForm f{p.x.type, p.y.type, p.out.type, p.word};
  const LibraryKernel& small =
      kernel_of(p.ending, {&maker, {int(f.left), int(f.right), int(f.out), int(f.word)}}, [&] {
        std::vector parameters{view_parameter(f.left, 3), view_parameter(f.right, 3),
                               view_parameter(f.out, 3, true)};
        const RecordedEnding ended(p.ending, f.out);
        ended.add_parameters(parameters);
        return LibraryKernel::make(
            options{.name = "matmul_tiles"}, parameters,
            [f, ended](const node* nodes) { record_tiles(f, ended, nodes); });
      });
  constexpr int side = small_tile_own * tile_side;
  launch_ended(small, batch * divided_up(m, side) * divided_up(n, side), tile_threads,
               {array_argument(p.x), array_argument(p.y), array_argument(p.out)}, p.ending);
}

}  // namespace krait::host
