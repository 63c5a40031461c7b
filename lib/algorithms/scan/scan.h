// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans over rows of elements, for any operator: nothing needs an identity or swaps operands.
#pragma once

#include "algorithms/record/kernels.h"
#include "algorithms/tuning.h"
#include "krait/algorithm/scan.h"

namespace krait::host {

/// The types and properties of a scan's kernels.
struct Scan {
  const ElementType *from = nullptr, *to = nullptr;
  bool exclusive = false, starts = false;
  detail::scan_operator by = detail::scan_operator::function;
  detail::element_function function{nullptr, nullptr, &own_kernels()};
  const ElementType* in_segments = nullptr;  // of the user's elements, where elements know segments

  Scan() = default;
  explicit Scan(const detail::scan_recipe& recipe);
  Element of(const Element& x, const Element& y) const;
  Element enter(const Place& x) const { return x.get().as(to); }
  /// Whether a CPU has vectors for the operator.
  bool by_vectors() const {
    return by == detail::scan_operator::sum && to->whole != scalar::none && to->bytes >= 4;
  }
  /// Of these kernels.
  template <class Body>
  const Kernel& kernel(const char* name, std::initializer_list<Parameter> parameters,
                       const Body& body, unsigned form = 0) const {
    return kernel_of(*function.kernels, name,
                     {from, to, form << 4 | exclusive << 3 | starts << 2 | unsigned(by)},
                     parameters, body);
  }
};

/// The function on elements of a user's type and a number that is 1 where a segment begins
/// (segments.cpp).
Element joined_in_segments(const Scan& scan, const Element& first, const Element& second);

/// parts(row, c) = what chunk c makes, of all but the last; blocks of one thread.
const Kernel& chunk_parts(const Scan& scan);
/// The same chunks scanned, by one thread each. A row has a part for all chunks but the last.
const Kernel& chunk_scan(const Scan& scan);
/// As these two, for blocks of one warp, which takes 32 neighbours per iteration.
const Kernel& vector_parts(const Scan& scan);
const Kernel& vector_scan(const Scan& scan);
/// Blocks that walk through their chunks by tiles. `writes`: the scan, where a row has `before` for
/// each chunk, what the chunks before it make; otherwise parts(row, c), what chunk c makes.
const Kernel& block_scan(const Scan& scan, bool writes);

/// Elements of a tile.
std::int64_t look_back_tile(const ElementType* type);
/// A scan in one pass, by looking back: Merrill and Garland, "Single-pass parallel prefix scan with
/// decoupled look-back" (2016). Blocks of 256 take tiles in the order of a ticket, the last word of
/// `states`; all words are 0 before.
const Kernel& look_back_scan(const Scan& scan);
/// Whether a message of a tile has room for its value beside the state.
bool look_back_in_word(const ElementType* type);

/// Scans rows: `x` and `to` are (rows, length), `to` contiguous, neither empty. `initial` is an
/// element of the results' type.
void scan_rows(const Scan& scan, any_array x, any_array to, const void* initial,
               const detail::algorithm_device& how);

/// In kernels: this block's row and the part of it that is its chunk; blocks are numbered by row,
/// then by chunk of the row.
struct RowChunk {
  Index row, chunk, begin, end;
};
RowChunk own_row_chunk(const Index& length, const Index& chunk, const Index& chunks);

}  // namespace krait::host
