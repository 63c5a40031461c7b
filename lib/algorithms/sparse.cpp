// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of sparse matrices.
#include "krait/algorithm/sparse.h"

#include <limits>

#include "algorithms/record/kernels.h"
#include "krait/math.h"
#include "support/error.h"
#include "support/product.h"

namespace krait::host {
namespace {

using Places = view<const std::int64_t>;

/// The first place of the ascending numbers whose number is above x.
Index place_after(const Places& numbers, const Index& x) {
  return place_in({type_of<std::int64_t>(), node_of(numbers)}, x, true);
}
Element times(const ElementType* word, const Element& x, const Element& y) {
  return compute(op::Mul, x.as(word), y.as(word));
}

/// The products of two sparse matrices' elements, an element of the left one after the other: where
/// each is, row * columns + column, and what.
struct Products {
  array<std::int64_t> at;
  any_array values;
};
Products products_of(const detail::erased_csr& left, const detail::erased_csr& right,
                     std::int64_t columns, const ElementType* word) {
  const auto& [indptr, indices, data] = left;
  const auto& [begins, columns_of, others] = right;
  const device on = detail::device_from(data.on);
  const std::int64_t elements = data.size();
  array<std::int64_t> rows(shape<1>(elements), on), lengths(shape<1>(elements), on);
  if (elements > 0)
    kernel_of("csr_count", {},
              {in<std::int64_t>(), in<std::int64_t>(), in<std::int64_t>(), out<std::int64_t>(),
               out<std::int64_t>()},
              [](const Parameters& p) {
                const auto own = p.array<const std::int64_t>(0),
                           which = p.array<const std::int64_t>(1),
                           other = p.array<const std::int64_t>(2);
                const auto row_of = p.array<std::int64_t>(3), length_of = p.array<std::int64_t>(4);
                for (auto k : grid_stride(which.size())) {
                  row_of[k] = place_after(own, k) - 1;
                  const Index row = which[k];
                  length_of[k] = other[row + 1] - other[row];
                }
              })
        .forall(elements, indptr, indices, begins, rows, lengths);
  const array<std::int64_t> ends = cumsum(lengths);
  const std::int64_t all = ends.size() > 0 ? std::int64_t(ends(-1)) : 0;
  Products made{array<std::int64_t>(shape<1>(all), on), new_array(word, {all}, data.on)};
  if (all == 0) return made;
  kernel_of("csr_expand", {data.type, others.type, word},
            {in<std::int64_t>(), in<std::int64_t>(), in(data.type), in<std::int64_t>(),
             in<std::int64_t>(), in<std::int64_t>(), in(others.type), number(), out<std::int64_t>(),
             out(word)},
            [word](const Parameters& p) {
              const auto row_of = p.array<const std::int64_t>(0),
                         which = p.array<const std::int64_t>(1),
                         end_of = p.array<const std::int64_t>(3),
                         begin_of = p.array<const std::int64_t>(4),
                         column_of = p.array<const std::int64_t>(5);
              const ElementView x = p.array(2), y = p.array(6), values = p.array(9);
              const auto at = p.array<std::int64_t>(8);
              for (auto k : grid_stride(at.size())) {
                const Index i = place_after(end_of, k);
                // the products of i from this one on
                const Index row = which[i], behind = end_of[i] - k;
                const Index j = begin_of[row + 1] - behind;
                at[k] = row_of[i] * p.number(7) + column_of[j];
                values(k) = times(word, x(i), y(j));
              }
            })
      .forall(all, rows, indices, data, ends, begins, columns_of, others, columns, made.at,
              made.values);
  return made;
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

using namespace krait::host;

void csr_product(const erased_csr& a, const any_array& operand, const element_type* word,
                 const any_array& result) {
  const any_array& data = a.data;
  const int rank = result.at.rank;
  kernel_of(rank == 1 ? "csr_vector" : "csr_matrix",
            {data.type, operand.type, result.type, word, rank},
            {in<std::int64_t>(), in<std::int64_t>(), in(data.type), in(operand.type, rank),
             out(result.type, rank)},
            [word, rank](const Parameters& p) {
              const auto indptr = p.array<const std::int64_t>(0),
                         indices = p.array<const std::int64_t>(1);
              const ElementView elements = p.array(2), from = p.array(3), out = p.array(4);
              // The sum of a row's elements times those of a column.
              const auto row_times = [&](const Index& row, const auto& element_of) {
                Variable sum(zero_of(word));
                for (auto k : range(Index(indptr[row]), Index(indptr[row + 1])))
                  sum.add(times(word, elements(k), element_of(Index(indices[k]))));
                return total_as(out.type(), sum);
              };
              for (auto i : grid_stride(out.size())) {
                if (rank == 1) {
                  out(i) = row_times(i, [&](const Index& column) { return from(column).get(); });
                } else {
                  const Index row = i / out.extent(1), own = i % out.extent(1);
                  out(row, own) =
                      row_times(row, [&](const Index& column) { return from(column, own).get(); });
                }
              }
            })
      .forall(result.size(), a.indptr, a.indices, data, operand, result);
}

csr_products csr_multiply(const erased_csr& a, const erased_csr& b, std::int64_t columns,
                          const element_type* word) {
  const Products products = products_of(a, b, columns, word);
  const auto sorted_by = [&]<class Word>(Word) -> csr_products {
    auto [at, values] = sort_by_key(products.at, typed<Word, 1>(products.values));
    auto firsts = places_of(erased(marks_of_heads(erased(at))));
    return {std::move(at), access::memory(values), std::move(firsts)};
  };
  return word->bytes == 4 ? sorted_by(std::uint32_t()) : sorted_by(std::uint64_t());
}

void csr_add(const csr_products& products, std::int64_t columns, const element_type* word,
             const array<std::int64_t>& indptr, const array<std::int64_t>& indices,
             const any_array& data) {
  const any_array values{word, layout_of(products.at), products.values, data.on};
  if (products.firsts.size() > 0)
    kernel_of("csr_add", {values.type, data.type},
              {in<std::int64_t>(), in(values.type), in<std::int64_t>(), number(),
               out<std::int64_t>(), out(data.type)},
              [](const Parameters& p) {
                const auto at = p.array<const std::int64_t>(0),
                           firsts = p.array<const std::int64_t>(2);
                const ElementView from = p.array(1), sums = p.array(5);
                const auto column_of = p.array<std::int64_t>(4);
                for (auto i : grid_stride(firsts.size())) {
                  const Index first = firsts[i];
                  const auto last = select(
                      i + 1 < firsts.size(), [&] { return firsts[i + 1]; }, at.size());
                  Variable sum(from(first).get());
                  for (auto k : range(first + 1, last)) sum.add(from(k));
                  column_of[i] = at[first] % p.number(3);
                  sums(i) = total_as(sums.type(), sum);
                }
              })
        .forall(products.firsts.size(), products.at, values, products.firsts, columns, indices,
                data);
  kernel_of(
      "csr_begin", {}, {in<std::int64_t>(), in<std::int64_t>(), number(), out<std::int64_t>()},
      [](const Parameters& p) {
        const auto at = p.array<const std::int64_t>(0), firsts = p.array<const std::int64_t>(1);
        const auto begin_of = p.array<std::int64_t>(3);
        for (auto row : grid_stride(begin_of.size())) {
          var<std::int64_t> low = std::int64_t(0), high = firsts.size();
          while_([&] { return low < high; },
                 [&] {
                   const Index half = low + (high - low) / 2;
                   if_(at[firsts[half]] < row * p.number(2), [&] { low = half + 1; }).else_([&] {
                     high = half;
                   });
                 });
          begin_of[row] = low;
        }
      })
      .forall(indptr.size(), products.at, products.firsts, columns, indptr);
}

void check_csr(const std::int64_t* indptr, std::int64_t indptr_size, const std::int64_t* indices,
               std::int64_t indices_size, std::int64_t data_size, std::int64_t rows,
               std::int64_t columns) {
  if (rows < 0 || columns < 0)
    support::fail_usage("csr_matrix: negative dimensions are not allowed: ({},{})", rows, columns);
  if (indptr_size != rows + 1)
    support::fail_usage("csr_matrix: indptr has {} elements; a matrix of {} rows needs {}",
                        indptr_size, rows, rows + 1);
  if (indices_size != data_size)
    support::fail_usage(
        "csr_matrix: there are {} indices and {} elements of data; each element has one index",
        indices_size, data_size);
  if (indptr[0] != 0 || indptr[rows] != data_size)
    support::fail_usage(
        "csr_matrix: indptr goes from {} to {}; it must go from 0 to the number of elements, {}",
        indptr[0], indptr[rows], data_size);
  for (std::int64_t r = 0; r < rows; ++r)
    if (indptr[r + 1] < indptr[r])
      support::fail_usage("csr_matrix: indptr({}) is {} and indptr({}) is {}; it must not decrease",
                          r, indptr[r], r + 1, indptr[r + 1]);
  for (std::int64_t k = 0; k < indices_size; ++k)
    if (indices[k] < 0 || indices[k] >= columns)
      support::fail_usage(
          "csr_matrix: indices({}) is {}, which is out of range for {} columns, counted from 0", k,
          indices[k], columns);
}
void check_sparse_operand(std::int64_t columns, std::int64_t rows) {
  if (columns != rows)
    support::fail_usage(
        "matmul: the sparse matrix has {} columns and the other operand {} rows: "
        "they must be equal",
        columns, rows);
}
void check_sparse_product(std::int64_t rows, std::int64_t columns) {
  if (support::clipped_product(rows, columns) == std::numeric_limits<std::int64_t>::max())
    support::fail_usage("matmul: a product of {} rows and {} columns has more than 2^63 - 1 places",
                        rows, columns);
}

}  // namespace krait::detail
