// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrices in compressed rows (CSR), and their products with vectors and matrices.
//   const kr::csr_matrix<float> a(indptr, indices, data, {rows, columns});
//   kr::array<float> y = kr::matmul(a, x);
#pragma once

#include <krait/algorithm/detail/einstein_sum.h>
#include <krait/algorithm/detail/form.h>
#include <krait/algorithm/indexing.h>
#include <krait/algorithm/select.h>
#include <krait/expression.h>

namespace krait {
namespace detail {

/// Throws error{usage} if the arrays on the host do not form a matrix of this shape.
KRAIT_API void check_csr(const std::int64_t* indptr, std::int64_t indptr_size,
                         const std::int64_t* indices, std::int64_t indices_size,
                         std::int64_t data_size, std::int64_t rows, std::int64_t columns);
/// Throws error{usage} where the operand has another number of rows than the matrix columns.
KRAIT_API void check_sparse_operand(std::int64_t columns, std::int64_t rows);

/// Throws error{usage} for a product whose places do not fit 63 bits.
KRAIT_API void check_sparse_product(std::int64_t rows, std::int64_t columns);
struct known_csr {};

struct erased_csr {
  any_array indptr, indices, data;
};
/// Products are computed in `word`. `to` has elements, and the dimensions of x.
KRAIT_API void csr_product(const erased_csr& a, const any_array& x, const element_type* word,
                           const any_array& to);
/// The product of two matrices in parts: the elements' products, sorted by their place, row *
/// columns + column, and the first one of each place; waits for their number.
struct csr_products {
  array<std::int64_t> at;
  memory_share values;
  array<std::int64_t> firsts;
};
KRAIT_API csr_products csr_multiply(const erased_csr& a, const erased_csr& b, std::int64_t columns,
                                    const element_type* word);
KRAIT_API void csr_add(const csr_products& products, std::int64_t columns, const element_type* word,
                       const array<std::int64_t>& indptr, const array<std::int64_t>& indices,
                       const any_array& data);

}  // namespace detail

/// A sparse matrix in compressed rows (CSR), as scipy.sparse.csr_array.
/// Row r has the elements data(k) in the columns indices(k), for k from indptr(r) to before
/// indptr(r + 1). Columns may have any order; equal ones add up. It shares the arrays' memory.
/// \code
/// const kr::csr_matrix<float> m(indptr, columns, x, {100, 100});
/// kr::array<float> product = kr::matmul(m, y);
/// \endcode
template <detail::plain Elem>
class csr_matrix {
 public:
  /// Makes a matrix from its arrays, reads indptr and indices, and waits for them.
  /// Throws error{usage} if they do not form a matrix of this shape.
  csr_matrix(const array<std::int64_t>& indptr, const array<std::int64_t>& indices,
             const array<Elem>& data, shape<2> extents)
      : indptr_(indptr.share()), indices_(indices.share()), data_(data.share()), extents_(extents) {
    const auto starts = indptr.to_host(), columns = indices.to_host();
    detail::check_csr(starts.data(), indptr.size(), columns.data(), indices.size(), data.size(),
                      extents[0], extents[1]);
  }
  /// Makes a matrix from indices of another type, which are copied as int64.
  template <std::integral Index>
  csr_matrix(const array<Index>& indptr, const array<Index>& indices, const array<Elem>& data,
             shape<2> extents)
      : csr_matrix(array<std::int64_t>(cast<std::int64_t>(indptr)),
                   array<std::int64_t>(cast<std::int64_t>(indices)), data, extents) {}
  /// Makes a matrix from arrays that are known to be valid; used by the library.
  csr_matrix(detail::known_csr, array<const std::int64_t> indptr, array<const std::int64_t> indices,
             array<const Elem> data, shape<2> extents)
      : indptr_(std::move(indptr)),
        indices_(std::move(indices)),
        data_(std::move(data)),
        extents_(extents) {}
  /// The number of rows (d = 0) or columns (d = 1).
  std::int64_t extent(int d) const { return extents_[d]; }
  /// The offset of each row's elements, and their number at the end.
  const array<const std::int64_t>& indptr() const { return indptr_; }
  /// The column of each element.
  const array<const std::int64_t>& indices() const { return indices_; }
  /// The elements.
  const array<const Elem>& data() const { return data_; }

 private:
  array<const std::int64_t> indptr_, indices_;
  array<const Elem> data_;
  shape<2> extents_;
};

namespace detail {

template <class Elem>
erased_csr erased_of(const csr_matrix<Elem>& a) {
  return {erased(a.indptr()), erased(a.indices()), erased(a.data())};
}
template <class Elem, class Other, int Rank, class... Options>
auto csr_times(const csr_matrix<Elem>& a, const array<Other, Rank>& x, const shape<Rank>& extents,
               const Options&... options) {
  using out = typename common_number<Elem, std::remove_const_t<Other>>::type;
  auto y = result_in<out, Rank>(output_in(options...), dense(extents.extents, Rank, false),
                                x.device(), a.indptr(), a.indices(), a.data(), x);
  if (y.to.size() > 0)
    csr_product(erased_of(a), erased(x), element_type_of<product_word<out>>(), erased(y.to));
  return y.give();
}

}  // namespace detail

/// The product of a sparse matrix and a vector, in their common type, with one thread per row.
/// kr::into(y) takes the dense result. Throws error{usage} for extents that differ.
template <class Elem, class Other, detail::into_option... Options>
auto matmul(const csr_matrix<Elem>& a, const array<Other, 1>& x, const Options&... options) {
  detail::check_sparse_operand(a.extent(1), x.extent(0));
  return detail::csr_times(a, x, shape<1>(a.extent(0)), options...);
}
/// The product of a sparse and a dense matrix, in their common type.
template <class Elem, class Other, detail::into_option... Options>
auto matmul(const csr_matrix<Elem>& a, const array<Other, 2>& b, const Options&... options) {
  detail::check_sparse_operand(a.extent(1), b.extent(0));
  return detail::csr_times(a, b, shape<2>(a.extent(0), b.extent(1)), options...);
}
/// The product of two sparse matrices, in their common type.
/// Products are sorted by position and added in the order of a's elements. Columns of the result's
/// rows ascend; sums that are 0 stay. It waits for the number of elements.
template <class Left, class Right>
auto matmul(const csr_matrix<Left>& a, const csr_matrix<Right>& b) {
  using out = typename detail::common_number<Left, Right>::type;
  using word = detail::product_word<out>;
  detail::check_sparse_operand(a.extent(1), b.extent(0));
  detail::check_sparse_product(a.extent(0), b.extent(1));
  const detail::csr_products products = detail::csr_multiply(
      detail::erased_of(a), detail::erased_of(b), b.extent(1), detail::element_type_of<word>());
  const device on = a.data().device();
  array<std::int64_t> indptr(shape<1>(a.extent(0) + 1), on), indices(products.firsts.extents(), on);
  array<out> data(products.firsts.extents(), on);
  detail::csr_add(products, b.extent(1), detail::element_type_of<word>(), indptr, indices,
                  detail::erased(data));
  return csr_matrix<out>(detail::known_csr(), indptr.share(), indices.share(), data.share(),
                         {a.extent(0), b.extent(1)});
}

}  // namespace krait
