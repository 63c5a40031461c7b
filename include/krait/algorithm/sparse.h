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

/// The sum of a row's elements times those of a column.
template <class Word, class Elem, class At>
value<Word> row_times(const view<const std::int64_t>& indptr,
                      const view<const std::int64_t>& indices, const view<const Elem>& data,
                      const value<std::int64_t>& row, const At& at) {
  var<Word> sum = Word(0);
  for (auto k : range(value<std::int64_t>(indptr[row]), value<std::int64_t>(indptr[row + 1])))
    sum += cast<Word>(value<Elem>(data[k])) * cast<Word>(at(value<std::int64_t>(indices[k])));
  return value<Word>(sum);
}

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

/// The product of a sparse matrix and a vector, in their common type, with one thread per row.
/// kr::into(y) takes the dense result. Throws error{usage} for extents that differ.
template <class Elem, class Other, detail::into_option... Options>
auto matmul(const csr_matrix<Elem>& a, const array<Other, 1>& x, const Options&... options) {
  using right = std::remove_const_t<Other>;
  using out = typename detail::common_number<Elem, right>::type;
  using word = detail::product_word<out>;
  static auto& multiply = lasting(kernel(
      [](view<const std::int64_t> indptr, view<const std::int64_t> indices, view<const Elem> data,
         view<const right> from, view<out> to) {
        for (auto row : grid_stride(to.size()))
          to[row] = detail::leave_word<out>(detail::row_times<word, Elem>(
              indptr, indices, data, row,
              [&](const value<std::int64_t>& column) { return value<right>(from[column]); }));
      },
      {.name = "csr_vector"}));
  detail::check_sparse_operand(a.extent(1), x.extent(0));
  auto y = detail::result_in<out, 1>(detail::output_in(options...),
                                     detail::dense(shape<1>(a.extent(0)).extents, 1, false),
                                     x.device(), a.indptr(), a.indices(), a.data(), x);
  if (y.to.size() > 0) multiply.forall(y.to.size())(a.indptr(), a.indices(), a.data(), x, y.to);
  return y.give();
}
/// The product of a sparse and a dense matrix, in their common type.
template <class Elem, class Other, detail::into_option... Options>
auto matmul(const csr_matrix<Elem>& a, const array<Other, 2>& b, const Options&... options) {
  using right = std::remove_const_t<Other>;
  using out = typename detail::common_number<Elem, right>::type;
  using word = detail::product_word<out>;
  static auto& multiply = lasting(kernel(
      [](view<const std::int64_t> indptr, view<const std::int64_t> indices, view<const Elem> data,
         view<const right, 2> from, view<out, 2> to) {
        for (auto i : grid_stride(to.size())) {
          const value<std::int64_t> row = i / to.extent(1), own = i % to.extent(1);
          to(row, own) = detail::leave_word<out>(detail::row_times<word, Elem>(
              indptr, indices, data, row,
              [&](const value<std::int64_t>& column) { return value<right>(from(column, own)); }));
        }
      },
      {.name = "csr_matrix"}));
  detail::check_sparse_operand(a.extent(1), b.extent(0));
  auto y =
      detail::result_in<out, 2>(detail::output_in(options...),
                                detail::dense(shape<2>(a.extent(0), b.extent(1)).extents, 2, false),
                                b.device(), a.indptr(), a.indices(), a.data(), b);
  if (y.to.size() > 0) multiply.forall(y.to.size())(a.indptr(), a.indices(), a.data(), b, y.to);
  return y.give();
}

namespace detail {

/// The products of two sparse matrices' elements, an element of the left one after the other: where
/// each is, row * columns + column, and what.
template <class Out, class Left, class Right>
auto products_of(const csr_matrix<Left>& a, const csr_matrix<Right>& b) {
  using word = product_word<Out>;
  using places = view<const std::int64_t>;
  struct products {
    array<std::int64_t> at;
    array<word> values;
  };
  static auto& count = lasting(kernel(
      [](places indptr, places indices, places others, view<std::int64_t> rows,
         view<std::int64_t> lengths) {
        for (auto k : grid_stride(indices.size())) {
          rows[k] = place_in<std::int64_t>(indptr, value<std::int64_t>(k), true) - 1;
          const value<std::int64_t> row = indices[k];
          lengths[k] = others[row + 1] - others[row];
        }
      },
      {.name = "csr_count"}));
  static auto& expand = lasting(kernel(
      [](places rows, places indices, view<const Left> data, places ends, places indptr,
         places columns, view<const Right> others, value<std::int64_t> width, view<std::int64_t> at,
         view<word> values) {
        for (auto p : grid_stride(at.size())) {
          const value<std::int64_t> k = place_in<std::int64_t>(ends, value<std::int64_t>(p), true);
          // the products of k from this one on
          const value<std::int64_t> row = indices[k], behind = ends[k] - p;
          const value<std::int64_t> j = indptr[row + 1] - behind;
          at[p] = rows[k] * width + columns[j];
          values[p] = cast<word>(value<Left>(data[k])) * cast<word>(value<Right>(others[j]));
        }
      },
      {.name = "csr_expand"}));
  const device on = a.data().device();
  const std::int64_t elements = a.data().size();
  array<std::int64_t> rows(shape<1>(elements), on), lengths(shape<1>(elements), on);
  if (elements > 0) count.forall(elements)(a.indptr(), a.indices(), b.indptr(), rows, lengths);
  const array<std::int64_t> ends = cumsum(lengths);
  const std::int64_t all_products = last_of(ends);
  products made{array<std::int64_t>(shape<1>(all_products), on),
                array<word>(shape<1>(all_products), on)};
  if (all_products > 0)
    expand.forall(all_products)(rows, a.indices(), a.data(), ends, b.indptr(), b.indices(),
                                b.data(), b.extent(1), made.at, made.values);
  return made;
}

}  // namespace detail

/// The product of two sparse matrices, in their common type.
/// Products are sorted by position and added in the order of a's elements. Columns of the result's
/// rows ascend; sums that are 0 stay. It waits for the number of elements.
template <class Left, class Right>
auto matmul(const csr_matrix<Left>& a, const csr_matrix<Right>& b) {
  using out = typename detail::common_number<Left, Right>::type;
  using word = detail::product_word<out>;
  detail::check_sparse_operand(a.extent(1), b.extent(0));
  detail::check_sparse_product(a.extent(0), b.extent(1));
  static auto& add = lasting(kernel(
      [](view<const std::int64_t> at, view<const word> values, view<const std::int64_t> firsts,
         value<std::int64_t> width, view<std::int64_t> indices, view<out> data) {
        for (auto i : grid_stride(firsts.size())) {
          const value<std::int64_t> first = firsts[i];
          const auto last = select(
              i + 1 < firsts.size(), [&] { return firsts[i + 1]; }, at.size());
          var<word> sum = values[first];
          for (auto k : range(first + 1, last)) sum += values[k];
          indices[i] = at[first] % width;
          data[i] = detail::leave_word<out>(value<word>(sum));
        }
      },
      {.name = "csr_add"}));
  static auto& begin = lasting(kernel(
      [](view<const std::int64_t> at, view<const std::int64_t> firsts, value<std::int64_t> width,
         view<std::int64_t> indptr) {
        for (auto row : grid_stride(indptr.size())) {
          var<std::int64_t> low = std::int64_t(0), high = firsts.size();
          while_([&] { return low < high; },
                 [&] {
                   const value<std::int64_t> half = low + (high - low) / 2;
                   if_(at[firsts[half]] < row * width, [&] { low = half + 1; }).else_([&] {
                     high = half;
                   });
                 });
          indptr[row] = low;
        }
      },
      {.name = "csr_begin"}));
  const auto products = detail::products_of<out>(a, b);
  const auto [at, values] = sort_by_key(products.at, products.values);
  const auto firsts = detail::places_of(detail::marks_of_heads<std::int64_t>(at.share()));
  const device on = at.device();
  array<std::int64_t> indptr(shape<1>(a.extent(0) + 1), on), indices(firsts.extents(), on);
  array<out> data(firsts.extents(), on);
  if (firsts.size() > 0) add.forall(firsts.size())(at, values, firsts, b.extent(1), indices, data);
  begin.forall(indptr.size())(at, firsts, b.extent(1), indptr);
  return csr_matrix<out>(detail::known_csr(), indptr.share(), indices.share(), data.share(),
                         {a.extent(0), b.extent(1)});
}

}  // namespace krait
