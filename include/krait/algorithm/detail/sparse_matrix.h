// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all formats of sparse matrices share: the arrays as the library takes them, and how rows are
// shared out among blocks of threads.
#pragma once

#include <krait/algorithm/detail/einstein_sum.h>
#include <krait/algorithm/detail/form.h>
#include <krait/expression.h>

namespace krait {

template <detail::plain Elem, class Index = std::int32_t>
class csr_matrix;
template <detail::plain Elem, class Index = std::int32_t>
class coo_matrix;
template <detail::plain Elem, class Index = std::int32_t>
class ell_matrix;
template <detail::plain Elem, class Index = std::int32_t>
class bsr_matrix;

namespace detail {

enum class sparse_format : unsigned char { csr, coo, ell, bsr };

/// A matrix whose types are known at run time.
struct erased_sparse {
  sparse_format format;
  shape<2> extents, block;
  any_array rows;             // of each element, of a COO matrix
  any_array indptr, indices;  // an ELL matrix has no indptr, and its indices two dimensions
  any_array data;             // one dimension
  // Of products (lib/algorithms/sparse/parts.h).
  any_array parts, medium_rows, long_rows;
  std::int64_t elements;  // that are stored
  std::int64_t longest;   // row: entries of indices
  std::int64_t partials;  // sums of parts of rows
};

/// A matrix of a format from its arrays, whose indices it reads; `rows`: indptr, or the rows of
/// elements. Indices become numbers of type `index`. Throws error{usage} where they are no matrix.
KRAIT_API erased_sparse make_sparse(sparse_format format, const any_array& rows,
                                    const any_array& indices, const any_array& data,
                                    const shape<2>& extents, const element_type* index);
/// The elements of a dense matrix that are not 0.
KRAIT_API erased_sparse sparse_of_dense(const any_array& dense, const element_type* index);
/// In another format.
KRAIT_API erased_sparse converted_sparse(const erased_sparse& from, sparse_format to,
                                         const shape<2>& block = {1, 1});
KRAIT_API void sparse_to_dense(const erased_sparse& from, const any_array& to);

/// Throws error{usage} where the operand has another number of rows than the matrix columns.
KRAIT_API void check_sparse_operand(std::int64_t columns, std::int64_t rows);
/// The product with a vector or a matrix, computed in `word`.
KRAIT_API void sparse_product(const erased_sparse& a, const any_array& x, const element_type* word,
                              const any_array& to);
/// Throws error{usage} for a product whose places do not fit 63 bits.
KRAIT_API void check_sparse_product(std::int64_t rows, std::int64_t columns);
/// The product of two CSR matrices: its elements have type `out`, its indices type `index`.
KRAIT_API erased_sparse csr_multiply(const erased_sparse& a, const erased_sparse& b,
                                     const element_type* word, const element_type* out,
                                     const element_type* index);

/// As int32 or int64.
template <std::integral Given, int Rank>
any_array sparse_indices(const array<Given, Rank>& x) {
  using number = std::remove_const_t<Given>;
  if constexpr (std::is_same_v<number, std::int32_t> || std::is_same_v<number, std::int64_t>)
    return erased(x);
  else return erased(array<std::int64_t, Rank>(cast<std::int64_t>(x)));
}
/// The indices that a matrix has which is made from arrays of these.
template <class Given>
using sparse_index_of = std::conditional_t<std::is_same_v<std::remove_const_t<Given>, std::int64_t>,
                                           std::int64_t, std::int32_t>;

/// What the formats have in common.
template <class Elem, class Index>
class sparse_matrix {
  static_assert(std::is_same_v<Index, std::int32_t> || std::is_same_v<Index, std::int64_t>,
                "krait: the indices of a sparse matrix must be std::int32_t or std::int64_t");

 public:
  /// The number of rows (d = 0) or columns (d = 1).
  std::int64_t extent(int d) const { return parts_.extents[d]; }
  /// The number of stored elements, zeros among them.
  std::int64_t nnz() const { return parts_.elements; }
  /// In compressed rows; elements keep their order.
  csr_matrix<Elem, Index> to_csr() const {
    return csr_matrix<Elem, Index>(converted_sparse(parts_, sparse_format::csr));
  }
  /// With a row and a column for each element.
  coo_matrix<Elem, Index> to_coo() const {
    return coo_matrix<Elem, Index>(converted_sparse(parts_, sparse_format::coo));
  }
  /// With as many slots as the longest row has elements.
  ell_matrix<Elem, Index> to_ell() const {
    return ell_matrix<Elem, Index>(converted_sparse(parts_, sparse_format::ell));
  }
  /// In blocks of that shape, each with an element that is stored; elements of one place add up.
  /// Throws error{usage} if the blocks do not fill the matrix.
  bsr_matrix<Elem, Index> to_bsr(shape<2> block) const {
    return bsr_matrix<Elem, Index>(converted_sparse(parts_, sparse_format::bsr, block));
  }
  /// With all zeros; elements of one place add up.
  array<Elem, 2> to_dense() const {
    array<Elem, 2> made(parts_.extents, device_from(parts_.data.on));
    sparse_to_dense(parts_, erased(made));
    return made;
  }

  friend const erased_sparse& erased(const sparse_matrix& a) { return a.parts_; }

 protected:
  explicit sparse_matrix(erased_sparse parts) : parts_(std::move(parts)) {}
  template <int Rank = 1>
  array<const Index, Rank> index_array(const any_array& x) const {
    return typed<const Index, Rank>(x);
  }
  template <int Rank>
  array<const Elem, Rank> elements(const shape<Rank>& extents) const {
    return with_extents(typed<const Elem, 1>(parts_.data), extents);
  }
  erased_sparse parts_;
};

}  // namespace detail
}  // namespace krait
