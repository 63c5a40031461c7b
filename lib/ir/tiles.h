// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How tiles lie: in shared memory, and among the threads of a block. Both are the same on every
// target, so that code around a product need not know what computes it; they are those that
// NVIDIA's tensor cores take (PTX ISA, mma and wgmma: fragments, 128-byte swizzle).
//
// In shared memory a tile of R rows is cut into strips of 128 bytes of its columns, one strip
// behind the other, each R rows of 128 bytes. A row's pieces of 16 bytes change places: piece p of
// row r lies at place p xor (r mod 8), so that neither rows nor columns of pieces meet in a bank. R
// is a multiple of 8. Where no code but copies and products knows a tile's place
// (passes/tiles/pad_tiles.cpp), targets that read whole rows have padded tiles: rows of 144 bytes,
// whose pieces stay where they are.
//
// Among threads a tile of M rows and N columns is cut into blocks of 16 rows. The block's warps of
// 32 threads stand in `down` rows and `across` columns: warp w has row w mod down and column w /
// down. Those below each other take turns at the blocks of 16 rows, those beside each other have a
// part of the columns. In a block of 16 rows and 8 columns lane l has the elements of rows l / 4
// and l / 4 + 8, columns 2 (l mod 4) and the next.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ir/ir.h"

namespace krait::ir {

/// Bytes of a strip's row, and of the pieces that change places.
inline constexpr unsigned strip_bytes = 128, piece_bytes = 16,
                          pieces_of_strip = strip_bytes / piece_bytes;

/// A tile in shared memory.
struct SharedTile {
  std::int64_t rows = 0, columns = 0;
  unsigned elem_bytes = 1;
  bool padded = false;

  std::int64_t strip() const { return strip_bytes / elem_bytes; }  // columns of it
  std::int64_t piece() const { return piece_bytes / elem_bytes; }
  /// Elements from a row of a strip to the next.
  std::int64_t pitch() const { return strip() + (padded ? piece() : 0); }
  /// Elements of the array that it takes.
  std::int64_t size() const { return (columns + strip() - 1) / strip() * rows * pitch(); }
  /// The element's index in the array.
  std::int64_t place(std::int64_t row, std::int64_t column) const {
    const std::int64_t in_strip = column % strip(), turned = padded ? 0 : row % pieces_of_strip;
    return (column / strip() * rows + row) * pitch() + (in_strip / piece() ^ turned) * piece() +
           in_strip % piece();
  }
};

/// A tile among the threads of a block.
struct ThreadTile {
  static constexpr unsigned warp = 32, block_rows = 16, block_columns = 8;
  std::int64_t rows = 0, columns = 0;
  std::int64_t down = 0, across = 0;  // warps

  /// None: such a block cannot hold such a tile.
  static std::optional<ThreadTile> of(std::int64_t rows, std::int64_t columns,
                                      std::int64_t threads);

  std::int64_t row_blocks() const { return rows / (block_rows * down); }             // of a warp
  std::int64_t column_blocks() const { return columns / (block_columns * across); }  // of a warp
  /// Of a thread.
  std::int64_t elements() const { return row_blocks() * column_blocks() * 4; }

  /// Element number e of a thread: number `row_of` of its rows, and `column_of` of its columns.
  /// Numbers go by blocks of 16 rows, in these by blocks of 8 columns, in these by rows.
  std::int64_t row_of(std::int64_t e) const { return e / (column_blocks() * 4) * 2 + e / 2 % 2; }
  std::int64_t column_of(std::int64_t e) const { return e / 4 % column_blocks() * 2 + e % 2; }
  std::int64_t element(std::int64_t row, std::int64_t column) const {
    return (row / 2 * column_blocks() + column / 2) * 4 + row % 2 * 2 + column % 2;
  }
  /// What thread `thread` adds to `fixed_row` of its row number r.
  std::int64_t row(std::int64_t thread, std::int64_t r) const {
    return thread / warp % down * block_rows + thread % warp / 4 + fixed_row(r);
  }
  std::int64_t fixed_row(std::int64_t r) const { return r / 2 * block_rows * down + r % 2 * 8; }
  std::int64_t column(std::int64_t thread, std::int64_t c) const {
    return thread / warp / down * (columns / across) + thread % 4 * 2 + fixed_column(c);
  }
  static std::int64_t fixed_column(std::int64_t c) { return c / 2 * block_columns + c % 2; }
};

/// The attribute of a product.
struct Product {
  std::int64_t rows = 0, columns = 0, depth = 0;
  Scalar left{}, right{};
  bool left_transposed = false, right_transposed = false;  // lie in memory as their transposes
  // both tiles stay as they are until the next product of the block has begun
  bool overlapped = false;
  bool left_padded = false, right_padded = false;

  explicit Product(const Inst& inst);
  Product() = default;
  std::vector<std::int64_t> list() const;

  SharedTile left_tile() const {
    return left_transposed ? SharedTile{depth, rows, size_of(left), left_padded}
                           : SharedTile{rows, depth, size_of(left), left_padded};
  }
  SharedTile right_tile() const {
    return right_transposed ? SharedTile{columns, depth, size_of(right), right_padded}
                            : SharedTile{depth, columns, size_of(right), right_padded};
  }
  /// The place of an element of a factor.
  std::int64_t left_place(std::int64_t row, std::int64_t k) const {
    return left_transposed ? left_tile().place(k, row) : left_tile().place(row, k);
  }
  std::int64_t right_place(std::int64_t k, std::int64_t column) const {
    return right_transposed ? right_tile().place(column, k) : right_tile().place(k, column);
  }
  /// The type of the sums: i32 of integers of 8 bits, f64 of f64, else f32. Void: there is no
  /// product of these types.
  static Scalar sums_of(Scalar left, Scalar right);
  /// Depth is a multiple of this.
  static std::int64_t least_depth(Scalar factor) { return 32 / size_of(factor); }
  /// Empty, or what is wrong for a block of so many threads.
  std::string misfit(std::int64_t threads) const;
};

/// The attribute of a product of words, and its operands. Where the sums begin at an index of a
/// shared array, rows of columns; the left array has rows of words, in strips of 128 bytes; the
/// right one has rows of `columns` words, one for each step of k.
struct WordProduct {
  static constexpr std::size_t sums = 0, left_at = 2, right_at = 4, words = 6, numbers = 9;
  std::int64_t rows = 0, columns = 0;
  std::int64_t step = 0;  // the number of words is a multiple of it: 8 or 16
  Scalar left{}, right{};
  std::int64_t left_pitch = 0, left_strip = 0, right_pitch = 0;  // bytes
  bool fresh = false;  // sums begin at 0, not at what the array has

  WordProduct() = default;
  explicit WordProduct(const Inst& inst);
  std::vector<std::int64_t> list() const;

  /// Elements of a word.
  std::int64_t per_word() const { return 4 / size_of(left); }
  /// Bytes from where the factor begins.
  std::int64_t left_place(std::int64_t row, std::int64_t word) const {
    const std::int64_t byte = word * 4;
    return row * left_pitch + byte / strip_bytes * left_strip + byte % strip_bytes;
  }
  std::int64_t right_place(std::int64_t word, std::int64_t column) const {
    return word * right_pitch + column * 4;
  }
  /// Empty, or what is wrong.
  std::string misfit() const;
};

/// Products whose sums a loop carries from each to the next, and that nothing else reads there.
struct ProductChain {
  std::vector<InstId> products;
  std::vector<std::size_t> carried;  // by sum: which of the values that the loop carries
};
/// Of a for loop; empty, if it has none. `uses` as by use_counts.
ProductChain product_chain(const Function& f, const std::vector<std::uint32_t>& uses,
                           const Inst& loop);

/// The attribute and the operands of copy_tile.
struct TileCopy {
  static constexpr std::size_t shared = 0, offset = 1, view = 2, indices = 3;
  std::int64_t rows = 0, columns = 0;
  bool inside = false;  // the program promises that no element is outside of the view
  bool padded = false;  // the tile is
  bool pieces = false;  // the program promises that rows and first columns are pieces of the view's

  TileCopy() = default;
  explicit TileCopy(const Inst& inst)
      : rows(inst.list[0]),
        columns(inst.list[1]),
        inside(inst.list[2] & inside_bit),
        padded(inst.list[2] & padded_bit),
        pieces(inst.list[2] & pieces_bit) {}
  std::vector<std::int64_t> list() const {
    return {rows, columns,
            (inside ? inside_bit : 0) | (padded ? padded_bit : 0) | (pieces ? pieces_bit : 0)};
  }
  SharedTile tile(unsigned elem_bytes) const { return {rows, columns, elem_bytes, padded}; }
  static constexpr std::int64_t inside_bit = 1, padded_bit = 2, pieces_bit = 4, all_bits = 7;
};

/// Operands of product: where the sums begin. Behind them there may be the thread's elements of the
/// left factor; nothing is read of the left array then.
inline constexpr std::size_t product_lead = 4;
inline std::span<const ValueId> product_sums(const Inst& product) {
  return std::span(product.operands).subspan(product_lead, product.results.size());
}
inline std::span<const ValueId> left_values(const Inst& product) {
  return std::span(product.operands).subspan(product_lead + product.results.size());
}
/// Operands of copy_row and copy_back: where the view is, the shared array in front of its index,
/// the count, the first index of the view.
struct CopyOperands {
  std::size_t view, shared, count, indices;
};
constexpr CopyOperands copy_operands(Op op) {
  return op == Op::CopyBack ? CopyOperands{0, 1, 3, 4} : CopyOperands{3, 0, 2, 4};
}
constexpr bool is_copy(Op op) { return op == Op::CopyRow || op == Op::CopyBack; }

}  // namespace krait::ir
