// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles as what each thread does: recorded in the language itself.
#include "krait/detail/tile_access.h"

#include <algorithm>
#include <utility>

#include "ir/tiles.h"
#include "krait/control.h"
#include "krait/index.h"
#include "krait/warp.h"
#include "trace/recorder.h"

namespace krait::detail {
namespace {

using ir::SharedTile;
using ir::ThreadTile;
using number = value<std::int32_t>;
using index = value<std::int64_t>;

/// Where the thread's elements lie.
struct Layout {
  explicit Layout(const tile_shape& shape) {
    const unsigned threads = threads_of_block();
    // Of one row or column: as if the other extent were the least, with all warps below each other.
    const std::int64_t rows =
        shape.rows > 1 ? shape.rows : ThreadTile::block_rows * (threads / ThreadTile::warp);
    const std::int64_t columns =
        shape.columns > 1 ? shape.columns : most_across(rows, threads) * ThreadTile::block_columns;
    if (const auto fits = ThreadTile::of(rows, columns, threads)) {
      tile = *fits;
      return;
    }
    ir::Product p;
    p.rows = rows, p.columns = columns, p.left = p.right = ir::Scalar::F32, p.depth = 8;
    trace::recorder().found.misuse(p.misfit(threads));
    tile = {ThreadTile::block_rows, ThreadTile::block_columns, 1, 1};
  }
  static std::int64_t most_across(std::int64_t rows, unsigned threads) {
    std::int64_t down = threads / ThreadTile::warp, across = 1;
    while (down > 1 && rows % (down * ThreadTile::block_rows) != 0) down /= 2, across *= 2;
    return across;
  }

  ThreadTile tile;
};

number thread() {
  const auto& block = trace::recorder().functions.kernel().block;
  node n = node_of(cast<std::int32_t>(thread_idx().x));
  if (block[1] > 1)
    n = node_of(number(n) + cast<std::int32_t>(thread_idx().y) * std::int32_t(block[0]));
  if (block[2] > 1)
    n = node_of(number(n) + cast<std::int32_t>(thread_idx().z) * std::int32_t(block[0] * block[1]));
  return number(n);
}

/// The thread's place among the warps of a tile, and the first of its rows and columns.
struct Own {
  explicit Own(const ThreadTile& t)
      : number_(thread()),
        lane(number_ % ThreadTile::warp),
        down(number_ / ThreadTile::warp % std::int32_t(t.down)),
        across(number_ / ThreadTile::warp / std::int32_t(t.down)),
        row(down * std::int32_t(ThreadTile::block_rows) + lane / 4),
        column(across * std::int32_t(t.columns / t.across) + lane % 4 * 2) {}
  number number_, lane, down, across, row, column;
};

/// Elements of a thread: rows and columns that it has.
struct Extent {
  std::int64_t rows, columns;
};
Extent own_extent(const tile_shape& s, const ThreadTile& t) {
  return {s.rows > 1 ? t.row_blocks() * 2 : 1, s.columns == 1 ? 1
                                               : s.rows > 1   ? t.column_blocks() * 2
                                                              : s.columns / 4};
}
std::size_t count_of(const tile_shape& s, const ThreadTile& t) {
  const Extent e = own_extent(s, t);
  return std::size_t(e.rows * e.columns);
}
/// The element of a row and a column number.
std::size_t entry(const tile_shape& s, const ThreadTile& t, std::int64_t r, std::int64_t c) {
  if (s.rows > 1 && s.columns > 1) return std::size_t(t.element(r, c));
  return std::size_t(s.rows > 1 ? r : c);
}
/// Calls `visit(element, row number, column number)` for each, row by row.
template <class Visit>
void for_each(const tile_shape& s, const ThreadTile& t, Visit&& visit) {
  const Extent e = own_extent(s, t);
  for (std::int64_t r = 0; r < e.rows; ++r)
    for (std::int64_t c = 0; c < e.columns; ++c) visit(entry(s, t, r, c), r, c);
}

number row_of(const tile_shape& s, const ThreadTile& t, const Own& own, std::int64_t r) {
  return s.rows > 1 ? own.row + std::int32_t(t.fixed_row(r)) : number(0);
}
number column_of(const tile_shape& s, const Own& own, std::int64_t c) {
  if (s.columns == 1) return number(0);
  const std::int32_t fixed = std::int32_t(ThreadTile::fixed_column(c));
  return s.rows > 1 ? own.column + fixed : own.lane % 4 * 2 + fixed;
}

node zero(scalar type) { return literal(type, 0); }

place at(const tile_place& p, const index& row, const index& column) {
  place out{p.view, {}, p.rank, 0, scalar::none};
  for (unsigned d = 0; d < p.rank; ++d) out.indices[d] = p.indices[d];
  out.indices[p.rank - 2] = node_of(row), out.indices[p.rank - 1] = node_of(column);
  return out;
}
index first_row(const tile_place& p) { return index(convert(scalar::i64, p.indices[p.rank - 2])); }
index first_column(const tile_place& p) {
  return index(convert(scalar::i64, p.indices[p.rank - 1]));
}
index rows_of(const tile_place& p) {
  const index all(extent(p.view, p.rank - 2));
  return p.ends ? min(all, index(p.rows_end)) : all;
}
index columns_of(const tile_place& p) { return index(extent(p.view, p.rank - 1)); }

value<bool> is_inside(const tile_shape& s, const tile_place& p) {
  return first_row(p) >= 0 && first_column(p) >= 0 && first_row(p) + s.rows <= rows_of(p) &&
         first_column(p) + s.columns <= columns_of(p);
}
value<bool> is_within(const index& i, const index& extent) {
  return value<std::uint64_t>(i) < value<std::uint64_t>(extent);  // a negative index is a large one
}

/// Calls `access(element, row, column)` for the elements that are in the view: for whole tiles
/// without a test for each.
template <class Access>
void for_each_inside(const tile_shape& s, const tile_place& p, Access&& access) {
  const Layout layout(s);
  const Own own(layout.tile);
  const index row = first_row(p), column = first_column(p);
  const auto all = [&](bool tested) {
    for_each(s, layout.tile, [&](std::size_t e, std::int64_t r, std::int64_t c) {
      const index i = row + row_of(s, layout.tile, own, r), j = column + column_of(s, own, c);
      if (!tested) return access(e, i, j);
      if_(is_within(i, rows_of(p)) && is_within(j, columns_of(p)), [&] { access(e, i, j); });
    });
  };
  if (p.inside && !trace::recorder().function().checked) return all(false);
  if_(is_inside(s, p), [&] { all(false); }).else_([&] { all(true); });
}

/// An array of the block without the order of products.
node plain_array(scalar type, std::int64_t rows, std::int64_t columns) {
  const std::int64_t extents[] = {rows, columns};
  return make_array(op::Shared, type, ir::size_of(ir::Scalar(type)), extents, 2);
}
place in_plain(node array, const number& row, const number& column) {
  return {array, {node_of(index(row)), node_of(index(column))}, 2, 0, scalar::none};
}

number place_of(const SharedTile& t, const number& row, const number& column) {
  const std::int32_t strip = std::int32_t(t.strip()), piece = std::int32_t(t.piece());
  return (column / strip * std::int32_t(t.rows) + row) * strip +
         (((column % strip) / piece) ^ (row % std::int32_t(ir::pieces_of_strip))) * piece +
         column % piece;
}
SharedTile shared_tile(const tile_shape& s) {
  return {s.rows, s.columns, ir::size_of(ir::Scalar(s.type))};
}

thread_local bool overlapped_pipeline = false;

}  // namespace

// ---- values -------------------------------------------------------------------------------------

tile_nodes make_tile(const tile_shape& shape, node x) {
  tile_nodes made(count_of(shape, Layout(shape).tile));
  for (node& n : made) n = make_slot(shape.type, x);
  return made;
}
tile_nodes copy_tile(const tile_shape& shape, const tile_nodes& from) {
  tile_nodes made;
  for (const node n : from) made.push_back(make_slot(shape.type, n));
  return made;
}
void assign_tile(const tile_nodes& to, const tile_nodes& from) {
  for (std::size_t e = 0; e < to.size() && e < from.size(); ++e) assign(to[e], from[e]);
}

tile_nodes spread_tile(const tile_shape& from, const tile_nodes& nodes, const tile_shape& to) {
  const Layout layout(to);
  const ThreadTile& t = layout.tile;
  tile_nodes spread(count_of(to, t));
  // Whoever has a part of the columns of a row that all have picks it.
  const bool picks = from.rows == 1 && to.rows > 1 && from.columns > 1 && t.across > 1;
  for_each(to, t, [&](std::size_t e, std::int64_t r, std::int64_t c) {
    const std::int64_t row = from.rows > 1 ? r : 0, column = from.columns > 1 ? c : 0;
    if (!picks) {
      spread[e] = from.rows > 1 && from.columns > 1
                      ? nodes[e]
                      : nodes[std::size_t(from.rows > 1 ? row : column)];
      return;
    }
    const std::int64_t part = t.column_blocks() * 2;
    node x = nodes[std::size_t(c)];
    const Own own(t);
    for (std::int64_t a = 1; a < t.across; ++a)
      x = apply(op::Select, from.type, node_of(own.across == std::int32_t(a)),
                nodes[std::size_t(a * part + c)], x);
    spread[e] = x;
  });
  return spread;
}

tile_nodes map_tile(const tile_shape& result, function_ref<node(unsigned)> value) {
  tile_nodes made(count_of(result, Layout(result).tile));
  for (std::size_t e = 0; e < made.size(); ++e)
    made[e] = make_slot(result.type, value(unsigned(e)));
  return made;
}

tile_nodes index_tile(const tile_shape& shape, int axis) {
  const Layout layout(shape);
  const Own own(layout.tile);
  tile_nodes made(count_of(shape, layout.tile));
  for_each(shape, layout.tile, [&](std::size_t e, std::int64_t r, std::int64_t c) {
    made[e] = make_slot(shape.type, node_of(axis == 0 ? row_of(shape, layout.tile, own, r)
                                                      : column_of(shape, own, c)));
  });
  return made;
}

// ---- memory -------------------------------------------------------------------------------------

tile_nodes load_tile(const tile_shape& shape, const tile_place& from) {
  const tile_nodes made = make_tile(shape, zero(shape.type));
  for_each_inside(shape, from, [&](std::size_t e, const index& i, const index& j) {
    place element = at(from, i, j);
    assign(made[e], load(element));
  });
  return made;
}

/// In pieces of 16 bytes, which each warp puts together in shared memory: 16 rows and a strip of
/// columns at a time.
void store_pieces(const tile_shape& shape, const tile_nodes& nodes, const tile_place& to,
                  std::int64_t width) {
  const Layout layout(shape);
  const ThreadTile& t = layout.tile;
  const Own own(t);
  const std::int64_t size = ir::size_of(ir::Scalar(shape.type)), piece = ir::piece_bytes / size,
                     warps = t.down * t.across;
  const std::int64_t pitch = width + piece;  // a piece more: fewer lanes meet in a bank
  const std::int64_t extents[] = {warps * ThreadTile::block_rows * pitch};
  const node strips = make_array(op::Shared, shape.type, std::size_t(size), extents, 1);
  const number first =
      own.number_ / ThreadTile::warp * std::int32_t(ThreadTile::block_rows * pitch);
  const auto in_strip = [&](const number& row, const number& column) {
    return first + row * std::int32_t(pitch) + column;
  };
  const index row = first_row(to), column = first_column(to);
  const auto pieces = std::int32_t(width / piece), lanes = std::int32_t(ThreadTile::warp),
             lines = std::int32_t(ThreadTile::block_rows);
  const value<bool> whole =
      column % piece == 0 && columns_of(to) % piece == 0 && is_inside(shape, to);
  for (std::int64_t i = 0; i < t.row_blocks(); ++i)
    for (std::int64_t q = 0; q < t.columns / t.across; q += width) {
      syncthreads();
      for (std::int64_t h = 0; h < 2; ++h)
        for (std::int64_t c = 0; c < width / 4; ++c) {
          const number at_row = own.lane / 4 + std::int32_t(8 * h),
                       at_column = own.lane % 4 * 2 + std::int32_t(ThreadTile::fixed_column(c));
          store({strips, {node_of(index(in_strip(at_row, at_column)))}, 1, 0, scalar::none},
                nodes[std::size_t(t.element(2 * i + h, q / ThreadTile::block_columns * 2 + c))]);
        }
      syncthreads();
      const index first_of_strip = row + (own.down * lines + std::int32_t(t.fixed_row(2 * i))),
                  column_of_strip =
                      column + (own.across * std::int32_t(t.columns / t.across) + std::int32_t(q));
      if_(whole, [&] {
        for (std::int32_t p = 0; p < lines * pieces; p += lanes) {
          const number r = (own.lane + p) / pieces,
                       c = (own.lane + p) % pieces * std::int32_t(piece);
          copy_back(at(to, first_of_strip + r, column_of_strip + c), strips,
                    node_of(in_strip(r, c)), unsigned(piece));
        }
      }).else_([&] {
        for (auto e : range(own.lane, number(lines * std::int32_t(width)), number(lanes))) {
          const number r = e / std::int32_t(width), c = e % std::int32_t(width);
          const index line = first_of_strip + r, place_in = column_of_strip + c;
          place from{strips, {node_of(index(in_strip(r, c)))}, 1, 0, scalar::none};
          if_(is_within(line, rows_of(to)) && is_within(place_in, columns_of(to)),
              [&] { store(at(to, line, place_in), load(from)); });
        }
      });
    }
}

/// Columns of a strip; 0: the tile is not stored in pieces.
std::int64_t strip_width(const tile_shape& shape, const tile_place& to) {
  const ir::ValueId view = trace::recorder().resolve(to.view);
  if (view == ir::none || trace::recorder().function().type_of(view).space != ir::Space::Global)
    return 0;
  const ThreadTile t = Layout(shape).tile;
  const std::int64_t size = ir::size_of(ir::Scalar(shape.type)), own = t.columns / t.across;
  if (ir::Scalar(shape.type) == ir::Scalar::Bool) return 0;
  for (std::int64_t width = ir::strip_bytes / size; width * size >= ir::piece_bytes; width /= 2)
    if (width % ThreadTile::block_columns == 0 && own % width == 0 &&
        ThreadTile::block_rows * width * size % (ThreadTile::warp * ir::piece_bytes) == 0)
      return width;
  return 0;
}

/// Of a tile of one row or column the warps and lanes that have the same elements store them once.
void store_tile(const tile_shape& shape, const tile_nodes& nodes, const tile_place& to) {
  const auto all = [&] {
    for_each_inside(shape, to, [&](std::size_t e, const index& i, const index& j) {
      store(at(to, i, j), nodes[e]);
    });
  };
  if (shape.rows > 1 && shape.columns > 1) {
    const std::int64_t width = strip_width(shape, to);
    if (width == 0) return all();
    tile_nodes converted;  // what is stored has the view's type
    for (const node n : nodes) converted.push_back(convert(shape.type, n));
    return store_pieces(shape, converted, to, width);
  }
  const Own own(Layout(shape).tile);
  const value<bool> first = shape.rows > 1      ? own.lane % 4 == 0 && own.across == 0
                            : shape.columns > 1 ? own.number_ < 4
                                                : own.number_ == 0;
  if_(first, all);
}

// ---- along an axis ------------------------------------------------------------------------------

tile_nodes reduce_tile(const tile_shape& shape, const tile_nodes& nodes, int axis,
                       function_ref<node(node, node)> combine) {
  if ((axis == 0 ? shape.rows : shape.columns) == 1) return copy_tile(shape, nodes);
  const Layout layout(shape);
  const ThreadTile& t = layout.tile;
  const Own own(t);
  const Extent extent = own_extent(shape, t);
  const tile_shape result{shape.type, axis == 0 ? 1 : shape.rows, axis == 1 ? 1 : shape.columns};
  if (axis == 1) {
    tile_nodes sums;
    for (std::int64_t r = 0; r < extent.rows; ++r) {
      node sum = nodes[entry(shape, t, r, 0)];
      for (std::int64_t c = 1; c < extent.columns; ++c)
        sum = combine(sum, nodes[entry(shape, t, r, c)]);
      for (const int distance : {1, 2}) {  // the four lanes of a row
        const node other = apply(op::Shuffle, shape.type, sum, node_of(lane_id() ^ distance));
        // The lower lane's is the left operand, so that all lanes have the same bits.
        const value<bool> lower = (own.lane & distance) == 0;
        sum = combine(apply(op::Select, shape.type, node_of(lower), sum, other),
                      apply(op::Select, shape.type, node_of(lower), other, sum));
      }
      sums.push_back(sum);
    }
    if (shape.rows == 1 || t.across == 1) return copy_tile(result, sums);
    const node parts = plain_array(shape.type, t.across, shape.rows);
    if_(own.lane % 4 == 0, [&] {
      for (std::int64_t r = 0; r < extent.rows; ++r)
        store(in_plain(parts, own.across, row_of(shape, t, own, r)), sums[std::size_t(r)]);
    });
    syncthreads();
    for (std::int64_t r = 0; r < extent.rows; ++r)
      for (std::int64_t a = 0; a < t.across; ++a) {
        place from = in_plain(parts, number(std::int32_t(a)), row_of(shape, t, own, r));
        node& sum = sums[std::size_t(r)];
        sum = a ? combine(sum, load(from)) : load(from);
      }
    syncthreads();
    return copy_tile(result, sums);
  }
  // Each group of lanes with the same rows writes its part of every column.
  const std::int32_t groups = std::int32_t(t.down * 8);
  const node parts = plain_array(shape.type, groups, shape.columns == 1 ? 1 : shape.columns);
  const number group = own.down * 8 + own.lane / 4;
  const auto write = [&] {
    for (std::int64_t c = 0; c < extent.columns; ++c) {
      node sum = nodes[entry(shape, t, 0, c)];
      for (std::int64_t r = 1; r < extent.rows; ++r)
        sum = combine(sum, nodes[entry(shape, t, r, c)]);
      store(in_plain(parts, group, column_of(shape, own, c)), sum);
    }
  };
  if (shape.columns == 1) if_(own.lane % 4 == 0 && own.across == 0, write);
  else write();
  syncthreads();
  tile_nodes sums;
  const std::int64_t columns = own_extent(result, t).columns;
  for (std::int64_t c = 0; c < columns; ++c) {
    node sum{};
    for (std::int32_t g = 0; g < groups; ++g) {
      place from = in_plain(parts, number(g), column_of(result, own, c));
      sum = g ? combine(sum, load(from)) : load(from);
    }
    sums.push_back(sum);
  }
  syncthreads();
  return copy_tile(result, sums);
}

/// Element by element along each line, a line a thread.
tile_nodes scan_tile_along(const tile_shape& shape, const tile_nodes& nodes, int axis,
                           function_ref<node(node, node)> combine) {
  const node lines = plain_array(shape.type, shape.rows, shape.columns);
  const tile_place whole{lines, {node_of(std::int64_t(0)), node_of(std::int64_t(0))}, 2, true};
  store_tile(shape, nodes, whole);
  syncthreads();
  const std::int32_t length = axis == 0 ? shape.rows : shape.columns,
                     count = axis == 0 ? shape.columns : shape.rows;
  for (auto line : range(thread(), number(count), number(std::int32_t(threads_of_block())))) {
    const auto place_at = [&](const number& i) {
      return axis == 0 ? in_plain(lines, i, line) : in_plain(lines, line, i);
    };
    place first = place_at(number(0));
    const node sum = make_slot(shape.type, load(first));
    for (auto i : range(number(1), number(length))) {
      place next = place_at(i);
      assign(sum, combine(sum, load(next)));
      store(place_at(i), sum);
    }
  }
  syncthreads();
  const tile_nodes made = load_tile(shape, whole);
  syncthreads();
  return made;
}

tile_nodes transpose_tile(const tile_shape& shape, const tile_nodes& nodes) {
  const tile_shape turned{shape.type, shape.columns, shape.rows};
  // a column more: fewer threads meet in a bank
  const node lines = plain_array(shape.type, shape.columns, shape.rows + 1);
  const Layout layout(shape);
  const Own own(layout.tile);
  for_each(shape, layout.tile, [&](std::size_t e, std::int64_t r, std::int64_t c) {
    store(in_plain(lines, column_of(shape, own, c), row_of(shape, layout.tile, own, r)), nodes[e]);
  });
  syncthreads();
  const tile_nodes made =
      load_tile(turned, {lines, {node_of(std::int64_t(0)), node_of(std::int64_t(0))}, 2, true});
  syncthreads();
  return made;
}

// ---- products -----------------------------------------------------------------------------------

factor make_factor(const tile_shape& shape, int count) {
  const std::int64_t extents[] = {shared_tile(shape).size() * count};
  return {make_array(op::Shared, shape.type, ir::size_of(ir::Scalar(shape.type)), extents, 1),
          node_of(0), shape.type, false};
}
factor factor_at(const tile_shape& shape, const factor& of, node which) {
  factor out = of;
  out.offset =
      node_of(number(convert(scalar::i32, which)) * std::int32_t(shared_tile(shape).size()));
  return out;
}

void fetch_factor(const tile_shape& shape, const factor& to, node number_of_tile,
                  const tile_place& from) {
  place first{from.view, {}, from.rank, 0, scalar::none};
  std::copy_n(from.indices, from.rank, first.indices);
  const bool inside = from.inside && !trace::recorder().function().checked;
  copy_tile(factor_at(shape, to, number_of_tile), first, shape.rows, shape.columns, inside,
            inside && from.pieces);
}

void keep_factor(const tile_shape& shape, const factor& to, const tile_nodes& nodes) {
  const Layout layout(shape);
  const Own own(layout.tile);
  const number offset(to.offset);
  for_each(shape, layout.tile, [&](std::size_t e, std::int64_t r, std::int64_t c) {
    const number i = offset + place_of(shared_tile(shape), row_of(shape, layout.tile, own, r),
                                       column_of(shape, own, c));
    store({to.array, {node_of(index(i))}, 1, 0, scalar::none}, nodes[e]);
  });
}

/// Copies run `ahead` steps before the work. Where products overlap, a step's tiles are still read
/// while the next step begins.
void pipeline(unsigned slots, bool overlapped, node steps, function_ref<void(node, node)> fetch,
              function_ref<void(node, node)> body, location where) {
  const std::int64_t count = slots, ahead = count - (overlapped ? 2 : 1);
  const index all(convert(scalar::i64, steps));
  const auto begin = [&](const index& step) {
    if_(step < all, [&] { fetch(node_of(step), node_of(cast<std::int32_t>(step % count))); });
    end_copies();
  };
  for (auto step : range(std::int64_t(0), index(ahead), where)) begin(step);
  const bool outer = std::exchange(overlapped_pipeline, overlapped);
  for (auto step : range(std::int64_t(0), all, where)) {
    wait_for_copies(unsigned(ahead - 1));
    syncthreads();
    if (!overlapped) begin(step + ahead);
    body(node_of(step), node_of(cast<std::int32_t>(step % count)));
    if (overlapped) begin(step + ahead);  // behind the product, which begins at once
  }
  overlapped_pipeline = outer;
  wait_for_copies(0);
  syncthreads();
}

bool in_overlapped_pipeline() { return overlapped_pipeline; }
void meet() { syncthreads(); }

}  // namespace krait::detail
