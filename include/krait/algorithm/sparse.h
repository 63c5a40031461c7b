// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrices in compressed rows (CSR), and their products with vectors and matrices.
//   const kr::csr_matrix<float> a(indptr, indices, data, {rows, columns});
//   kr::array<float> y = kr::matmul(a, x);
#pragma once

#include <krait/algorithm/detail/matmul_kernels.h>

namespace krait {
namespace detail {

/// Throws error{usage} where the arrays are no matrix of so many rows and columns. Of the host.
KRAIT_API void check_csr(const std::int64_t* indptr, std::int64_t indptr_size, const std::int64_t* indices,
                         std::int64_t indices_size, std::int64_t data_size, std::int64_t rows, std::int64_t columns);
/// Throws error{usage} where the operand has another number of rows than the matrix columns.
KRAIT_API void check_sparse_operand(std::int64_t columns, std::int64_t rows);

/// The sum of a row's elements times those of a column.
template <class Word, class Elem, class At>
value<Word> row_times(const view<const std::int64_t>& indptr, const view<const std::int64_t>& indices,
                      const view<const Elem>& data, const value<std::int64_t>& row, const At& at) {
  var<Word> sum = Word(0);
  for (auto k : range(value<std::int64_t>(indptr[row]), value<std::int64_t>(indptr[row + 1])))
    sum += cast<Word>(value<Elem>(data[k])) * cast<Word>(at(value<std::int64_t>(indices[k])));
  return value<Word>(sum);
}

}  // namespace detail

/// A matrix whose row r has the elements data(k) in the columns indices(k), for k from indptr(r) to before indptr(r + 1), as
/// scipy.sparse.csr_array's. Columns of a row may be in any order; those that are equal add up. It shares the arrays' memory.
template <detail::plain Elem>
class csr_matrix {
 public:
  /// Reads indptr and indices, and waits for them. Throws error{usage} where they are no matrix of this shape.
  csr_matrix(const array<std::int64_t>& indptr, const array<std::int64_t>& indices, const array<Elem>& data, shape<2> extents)
      : indptr_(indptr.share()), indices_(indices.share()), data_(data.share()), extents_(extents) {
    const auto starts = indptr.to_host(), columns = indices.to_host();
    detail::check_csr(starts.data(), indptr.size(), columns.data(), indices.size(), data.size(), extents[0], extents[1]);
  }
  std::int64_t extent(int d) const { return extents_[d]; }
  const array<const std::int64_t>& indptr() const { return indptr_; }
  const array<const std::int64_t>& indices() const { return indices_; }
  const array<const Elem>& data() const { return data_; }

 private:
  array<const std::int64_t> indptr_, indices_;
  array<const Elem> data_;
  shape<2> extents_;
};

/// a @ x of a sparse matrix and a vector, in the operands' common type; a thread has a row. Throws error{usage} for extents that
/// differ.
template <class Elem, class Other>
auto matmul(const csr_matrix<Elem>& a, const array<Other, 1>& x) {
  using right = std::remove_const_t<Other>;
  using out = typename detail::common_number<Elem, right>::type;
  using word = detail::product_word<out>;
  static auto& multiply = *new auto(kernel(
      [](view<const std::int64_t> indptr, view<const std::int64_t> indices, view<const Elem> data, view<const right> from,
         view<out> to) {
        for (auto row : grid_stride(to.size()))
          to[row] = detail::leave_word<out>(detail::row_times<word, Elem>(
              indptr, indices, data, row, [&](const value<std::int64_t>& column) { return value<right>(from[column]); }));
      },
      {.name = "csr_vector"}));
  detail::check_sparse_operand(a.extent(1), x.extent(0));
  array<out> y(shape<1>(a.extent(0)), x.device());
  if (y.size() > 0) multiply.forall(y.size())(a.indptr(), a.indices(), a.data(), x, y);
  return y;
}
/// a @ b of a sparse matrix and a dense one.
template <class Elem, class Other>
auto matmul(const csr_matrix<Elem>& a, const array<Other, 2>& b) {
  using right = std::remove_const_t<Other>;
  using out = typename detail::common_number<Elem, right>::type;
  using word = detail::product_word<out>;
  static auto& multiply = *new auto(kernel(
      [](view<const std::int64_t> indptr, view<const std::int64_t> indices, view<const Elem> data, view<const right, 2> from,
         view<out, 2> to) {
        for (auto i : grid_stride(to.size())) {
          const value<std::int64_t> row = i / to.extent(1), own = i % to.extent(1);
          to(row, own) = detail::leave_word<out>(detail::row_times<word, Elem>(
              indptr, indices, data, row, [&](const value<std::int64_t>& column) { return value<right>(from(column, own)); }));
        }
      },
      {.name = "csr_matrix"}));
  detail::check_sparse_operand(a.extent(1), b.extent(0));
  array<out, 2> y(shape<2>(a.extent(0), b.extent(1)), b.device());
  if (y.size() > 0) multiply.forall(y.size())(a.indptr(), a.indices(), a.data(), b, y);
  return y;
}

}  // namespace krait
