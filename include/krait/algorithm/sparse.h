// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrices in four formats, and their products with vectors and matrices: compressed rows
// (CSR), rows and columns of elements (COO), rows of one length (ELL), and blocks (BSR).
//   const kr::csr_matrix<float> a(indptr, indices, data, {rows, columns});
//   kr::array<float> y = kr::matmul(a, x);
//   auto blocks = a.to_bsr({3, 3});
#pragma once

#include <krait/algorithm/detail/sparse_matrix.h>

namespace krait {

// Matrices share the memory of their arrays. Indices are read and checked when a matrix is made,
// and how its products share out the rows is computed then; so indices must not change later, but
// data may. Indices of another type than the matrix's are copied. Index is std::int32_t, or
// std::int64_t for matrices that need it. The constructors throw error{usage} for arrays that are
// no matrix of this shape.

/// A sparse matrix in compressed rows (CSR), as scipy.sparse.csr_array.
/// Row r has the elements data(k) in the columns indices(k), for k from indptr(r) to before
/// indptr(r + 1). Columns may have any order; equal ones add up.
/// \code
/// const kr::csr_matrix<float> m(indptr, columns, x, {100, 100});
/// kr::array<float> product = kr::matmul(m, y);
/// \endcode
template <detail::plain Elem, class Index>
class csr_matrix : public detail::sparse_matrix<Elem, Index> {
  using base = detail::sparse_matrix<Elem, Index>;

 public:
  /// Makes a matrix from its arrays, reads indptr and indices, and waits for them.
  template <std::integral Given>
  csr_matrix(const array<Given>& indptr, const array<Given>& indices, const array<Elem>& data,
             shape<2> extents)
      : base(detail::make_sparse(detail::sparse_format::csr, detail::sparse_indices(indptr),
                                 detail::sparse_indices(indices), detail::erased(data), extents,
                                 detail::element_type_of<Index>())) {}
  /// The elements of a dense matrix that are not 0; waits for their number.
  explicit csr_matrix(const array<Elem, 2>& dense)
      : base(detail::sparse_of_dense(detail::erased(dense), detail::element_type_of<Index>())) {}
  /// Used by the library.
  explicit csr_matrix(detail::erased_sparse parts) : base(std::move(parts)) {}
  /// The offset of each row's elements, and their number at the end.
  array<const Index> indptr() const { return this->index_array(this->parts_.indptr); }
  /// The column of each element.
  array<const Index> indices() const { return this->index_array(this->parts_.indices); }
  /// The elements.
  array<const Elem> data() const { return detail::typed<const Elem, 1>(this->parts_.data); }
};
template <std::integral Given, class Elem>
csr_matrix(const array<Given>&, const array<Given>&, const array<Elem>&, shape<2>)
    -> csr_matrix<Elem, detail::sparse_index_of<Given>>;

/// A sparse matrix as elements with their rows and columns (COO), as scipy.sparse.coo_array.
/// Elements of one place add up. Elements in order of their rows share the arrays' memory; others
/// are sorted by row when the matrix is made, and are its own.
/// \code
/// const kr::coo_matrix<float, std::int64_t> m(indices, columns, x, {100, 100});
/// \endcode
template <detail::plain Elem, class Index>
class coo_matrix : public detail::sparse_matrix<Elem, Index> {
  using base = detail::sparse_matrix<Elem, Index>;

 public:
  /// Makes a matrix from its arrays, reads rows and columns, and waits for them.
  template <std::integral Given>
  coo_matrix(const array<Given>& row, const array<Given>& col, const array<Elem>& data,
             shape<2> extents)
      : base(detail::make_sparse(detail::sparse_format::coo, detail::sparse_indices(row),
                                 detail::sparse_indices(col), detail::erased(data), extents,
                                 detail::element_type_of<Index>())) {}
  /// The elements of a dense matrix that are not 0; waits for their number.
  explicit coo_matrix(const array<Elem, 2>& dense)
      : coo_matrix(csr_matrix<Elem, Index>(dense).to_coo()) {}
  /// Used by the library.
  explicit coo_matrix(detail::erased_sparse parts) : base(std::move(parts)) {}
  /// The row of each element; they ascend.
  array<const Index> row() const { return this->index_array(this->parts_.rows); }
  /// The column of each element.
  array<const Index> col() const { return this->index_array(this->parts_.indices); }
  /// The elements.
  array<const Elem> data() const { return detail::typed<const Elem, 1>(this->parts_.data); }
};
template <std::integral Given, class Elem>
coo_matrix(const array<Given>&, const array<Given>&, const array<Elem>&, shape<2>)
    -> coo_matrix<Elem, detail::sparse_index_of<Given>>;

/// A sparse matrix with the same number of slots in each row (ELL).
/// Slot s of row r has data(s, r) in the column indices(s, r), or nothing where that is -1. The
/// arrays have shape (slots, rows), so that neighbours in memory belong to neighbouring rows.
/// \code
/// auto m = kr::csr_matrix<float>(indptr, columns, x, {100, 100}).to_ell();
/// \endcode
template <detail::plain Elem, class Index>
class ell_matrix : public detail::sparse_matrix<Elem, Index> {
  using base = detail::sparse_matrix<Elem, Index>;

 public:
  /// Makes a matrix from its arrays, reads the indices, and waits for them.
  template <std::integral Given>
  ell_matrix(const array<Given, 2>& indices, const array<Elem, 2>& data, shape<2> extents)
      : base(detail::make_sparse(detail::sparse_format::ell, {}, detail::sparse_indices(indices),
                                 detail::erased(data), extents, detail::element_type_of<Index>())) {
  }
  /// The elements of a dense matrix that are not 0; waits for their number.
  explicit ell_matrix(const array<Elem, 2>& dense)
      : ell_matrix(csr_matrix<Elem, Index>(dense).to_ell()) {}
  /// Used by the library.
  explicit ell_matrix(detail::erased_sparse parts) : base(std::move(parts)) {}
  /// The column of each slot, or -1.
  array<const Index, 2> indices() const {
    return this->template index_array<2>(this->parts_.indices);
  }
  /// The element of each slot.
  array<const Elem, 2> data() const { return this->template elements<2>(indices().extents()); }
};
template <std::integral Given, class Elem>
ell_matrix(const array<Given, 2>&, const array<Elem, 2>&, shape<2>)
    -> ell_matrix<Elem, detail::sparse_index_of<Given>>;

/// A sparse matrix of small dense blocks in compressed rows (BSR), as scipy.sparse.bsr_array.
/// Row r of blocks has the blocks data(k, i, j) in the columns of blocks indices(k), for k from
/// indptr(r) to before indptr(r + 1). Their shape divides the matrix's.
/// \code
/// auto m = kr::csr_matrix<float>(indptr, columns, x, {99, 99}).to_bsr({3, 3});
/// \endcode
template <detail::plain Elem, class Index>
class bsr_matrix : public detail::sparse_matrix<Elem, Index> {
  using base = detail::sparse_matrix<Elem, Index>;

 public:
  /// Makes a matrix from its arrays, reads indptr and indices, and waits for them.
  template <std::integral Given>
  bsr_matrix(const array<Given>& indptr, const array<Given>& indices, const array<Elem, 3>& data,
             shape<2> extents)
      : base(detail::make_sparse(detail::sparse_format::bsr, detail::sparse_indices(indptr),
                                 detail::sparse_indices(indices), detail::erased(data), extents,
                                 detail::element_type_of<Index>())) {}
  /// The blocks of a dense matrix with an element that is not 0; waits for their number.
  bsr_matrix(const array<Elem, 2>& dense, shape<2> block)
      : bsr_matrix(csr_matrix<Elem, Index>(dense).to_bsr(block)) {}
  /// Used by the library.
  explicit bsr_matrix(detail::erased_sparse parts) : base(std::move(parts)) {}
  /// The number of rows (d = 0) or columns (d = 1) of a block.
  std::int64_t block_extent(int d) const { return this->parts_.block[d]; }
  /// The offset of each row's blocks, and their number at the end.
  array<const Index> indptr() const { return this->index_array(this->parts_.indptr); }
  /// The column of each block, counted in blocks.
  array<const Index> indices() const { return this->index_array(this->parts_.indices); }
  /// The elements, of shape (blocks, rows of a block, columns of a block).
  array<const Elem, 3> data() const {
    return this->template elements<3>(
        {this->parts_.indices.size(), block_extent(0), block_extent(1)});
  }
};
template <std::integral Given, class Elem>
bsr_matrix(const array<Given>&, const array<Given>&, const array<Elem, 3>&, shape<2>)
    -> bsr_matrix<Elem, detail::sparse_index_of<Given>>;

/// The product of a sparse matrix and a dense vector or matrix, in their common type.
/// Equal calls give equal bits. kr::into(y) takes the dense result. Throws error{usage} for extents
/// that differ.
/// \code
/// kr::array<float> y = kr::matmul(kr::csr_matrix<float>(a), x);
/// \endcode
template <class Elem, class Index, class Other, int Rank, detail::into_option... Options>
  requires(Rank == 1 || Rank == 2)
auto matmul(const detail::sparse_matrix<Elem, Index>& a, const array<Other, Rank>& x,
            const Options&... options) {
  using out = typename detail::common_number<Elem, std::remove_const_t<Other>>::type;
  detail::check_sparse_operand(a.extent(1), x.extent(0));
  std::int64_t extents[2] = {a.extent(0), 1};
  if constexpr (Rank == 2) extents[1] = x.extent(1);
  const detail::erased_sparse& matrix = erased(a);
  auto y = detail::result_in<out, Rank>(detail::output_in(options...),
                                        detail::dense(extents, Rank, false), x.device(),
                                        detail::typed<const Elem, 1>(matrix.data), x);
  if (y.to.size() > 0)
    detail::sparse_product(matrix, detail::erased(x),
                           detail::element_type_of<detail::product_word<out>>(),
                           detail::erased(y.to));
  return y.give();
}
/// The product of two sparse matrices in compressed rows, in their common type.
/// Products are sorted by position and added in the order of a's elements. Columns of the result's
/// rows ascend; sums that are 0 stay. It waits for the number of elements.
template <class Left, class Index, class Right, class Other>
auto matmul(const csr_matrix<Left, Index>& a, const csr_matrix<Right, Other>& b) {
  using out = typename detail::common_number<Left, Right>::type;
  using index = std::conditional_t<(sizeof(Index) < sizeof(Other)), Other, Index>;
  detail::check_sparse_operand(a.extent(1), b.extent(0));
  return csr_matrix<out, index>(detail::csr_multiply(
      erased(a), erased(b), detail::element_type_of<detail::product_word<out>>(),
      detail::element_type_of<out>(), detail::element_type_of<index>()));
}

}  // namespace krait
