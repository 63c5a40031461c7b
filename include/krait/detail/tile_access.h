// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's interface for krait/tile.h: tiles without their types. A tile is the mutable locals
// that a thread has of it, in the order of ir/tiles.h. A tile of one row has the elements of all
// columns that are not another lane's, one of one column those of the thread's rows.
#pragma once

#include <vector>

#include <krait/detail/emit.h>

namespace krait::detail {

struct tile_shape {
  scalar type = scalar::none;
  int rows = 0, columns = 0;
};
using tile_nodes = std::vector<node>;

/// Part of a view: the last two indices name its first row and column, those before name the
/// matrix.
struct tile_place {
  node view;
  node indices[max_rank];
  unsigned rank = 0;
  bool inside = false;  // the program promises that all of it is
  bool pieces = false;  // and that its rows are pieces of 16 bytes of the view's
  bool ends = false;    // `rows_end` stands in for the view's rows
  node rows_end{};
};

/// Locals that all have this value.
KRAIT_API tile_nodes make_tile(const tile_shape& shape, node value);
/// New locals with these values.
KRAIT_API tile_nodes copy_tile(const tile_shape& shape, const tile_nodes& from);
KRAIT_API void assign_tile(const tile_nodes& to, const tile_nodes& from);
/// The values of a tile, or of one of one row or column, for each element of another tile.
KRAIT_API tile_nodes spread_tile(const tile_shape& from, const tile_nodes& nodes,
                                 const tile_shape& to);
/// A value for each element from those of operands that were spread.
KRAIT_API tile_nodes map_tile(const tile_shape& result, function_ref<node(unsigned element)> value);
/// Row (0) or column (1) numbers of the elements, from 0.
KRAIT_API tile_nodes index_tile(const tile_shape& shape, int axis);

/// Elements outside the view are 0.
KRAIT_API tile_nodes load_tile(const tile_shape& shape, const tile_place& from);
/// Elements outside the view are not stored.
KRAIT_API void store_tile(const tile_shape& shape, const tile_nodes& nodes, const tile_place& to);

/// Along an axis, in one order on every target.
KRAIT_API tile_nodes reduce_tile(const tile_shape& shape, const tile_nodes& nodes, int axis,
                                 function_ref<node(node, node)> combine);
KRAIT_API tile_nodes scan_tile_along(const tile_shape& shape, const tile_nodes& nodes, int axis,
                                     function_ref<node(node, node)> combine);
KRAIT_API tile_nodes transpose_tile(const tile_shape& shape, const tile_nodes& nodes);

/// An array in shared memory for `count` tiles, as products take them.
KRAIT_API factor make_factor(const tile_shape& shape, int count);
/// Asynchronously, to tile number `index`.
KRAIT_API void fetch_factor(const tile_shape& shape, const factor& to, node index,
                            const tile_place& from);
KRAIT_API void keep_factor(const tile_shape& shape, const factor& to, const tile_nodes& nodes);
/// The tile number `index`.
KRAIT_API factor factor_at(const tile_shape& shape, const factor& of, node index);

/// The loop of kr::pipelined: `fetch(step, slot)` begins the copies of a step, `body(step, slot)`
/// works with them.
KRAIT_API void pipeline(unsigned slots, bool overlapped, node steps,
                        function_ref<void(node step, node slot)> fetch,
                        function_ref<void(node step, node slot)> body, location where);
/// Whether products that are recorded now are those of an overlapped pipeline.
KRAIT_API bool in_overlapped_pipeline();
/// All threads arrive.
KRAIT_API void meet();

}  // namespace krait::detail
