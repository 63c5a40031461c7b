// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the rows of a sparse matrix are shared out among blocks of threads. A part is several rows
// with few elements, or one row or some of it; it is found once, when the matrix is made.
#pragma once

#include "algorithms/record/kernels.h"
#include "krait/algorithm/detail/sparse_matrix.h"

namespace krait::host {

using detail::erased_sparse;
using detail::sparse_format;

/// A part's numbers are its first row (of blocks, if there are), its first entry of the indices,
/// and how its rows are added up, and its first place among the rows of medium length. It ends
/// where the next one begins.
constexpr std::int64_t part_numbers = 4;
/// `how`: a number n >= 0 for 2^n threads a row; else one row that all threads add up.
constexpr std::int64_t whole_row = -1;
/// -2 - n: some of a row, as partial sum n.
constexpr std::int64_t first_partial = -2;

/// How a device multiplies: threads of a block, elements of a part at most, those of a row that all
/// threads add up at least, those that a warp adds up at least (0: none), loads of a thread that
/// are under way together, products that it reads together, and whether shared memory has banks.
struct SparseForm {
  std::int64_t threads, tile, alone, medium;
  int loads, added;
  bool has_banks;
};
const SparseForm& sparse_form_of(const erased_sparse& a);

/// Makes `parts`, and `long_rows`: the rows of several parts, and the first partial sum of each.
/// `begins` is indptr on the host.
template <class Number>
void share_out(erased_sparse& matrix, const Number* begins, std::int64_t rows);

/// The numbers of blocks' shapes, which kernels have as constants.
struct BlockShape {
  std::int64_t rows, columns;
  explicit BlockShape(const erased_sparse& of) : rows(of.block[0]), columns(of.block[1]) {}
  std::int64_t size() const { return rows * columns; }
};

/// A new array from numbers of the host, as int32 or int64.
any_array index_array(const std::int64_t* numbers, std::int64_t count, const ElementType* type,
                      void* on);

/// The elements at these places, an array of int64.
any_array elements_at(const any_array& x, const any_array& places);
/// As numbers of int64: shared where they are.
any_array as_long(const any_array& indices);
/// In a kernel: the first place of ascending numbers of int64 whose number is above x.
Index place_above(const view<const std::int64_t>& numbers, const Index& x);
/// A CSR matrix from ascending places, row * columns + column, an array of int64.
erased_sparse csr_of_places(const any_array& places, const any_array& data, const shape<2>& extents,
                            const ElementType* index);

/// A part in a kernel.
struct RecordedPart {
  Index row, rows, entry, entries, how, medium, medium_end;
  RecordedPart(const ElementView& parts, const Index& part);
};
/// A number of an array of indices.
inline Index index_in(const ElementView& indices, const Index& at) {
  return indices(at).get().as<std::int64_t>();
}
inline Element times(const ElementType* word, const Element& x, const Element& y) {
  return compute(op::Mul, x.as(word), y.as(word));
}

/// Products with matrices (dense_products.cpp), and those of the rows in slots.
void multiply_matrix(const erased_sparse& a, const any_array& x, const ElementType* word,
                     const any_array& to);
/// Adds the partial sums of long rows: (partial sums, rows of a block, columns).
void add_partials(const erased_sparse& a, const any_array& partials, const any_array& to);
/// Partial sums of as many columns, or none that is read.
any_array new_partials(const erased_sparse& a, const ElementType* word, std::int64_t columns);

}  // namespace krait::host
