// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of two sparse matrices: all products of elements are sorted by their place.
#include <limits>

#include "algorithms/sparse/parts.h"
#include "krait/algorithm/indexing.h"
#include "krait/algorithm/select.h"
#include "krait/algorithm/sort.h"
#include "krait/math.h"
#include "support/error.h"
#include "support/product.h"

namespace krait::host {
namespace {

/// The products of two sparse matrices' elements, an element of the left one after the other: where
/// each is, row * columns + column, and what.
struct Products {
  array<std::int64_t> at;
  any_array values;
};
Products products_of(const erased_sparse& left, const erased_sparse& right,
                     const ElementType* word) {
  const any_array indptr = as_long(left.indptr), indices = as_long(left.indices),
                  begins = as_long(right.indptr), columns_of = as_long(right.indices);
  const any_array &data = left.data, &others = right.data;
  const std::int64_t columns = right.extents[1];
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
                  row_of[k] = place_above(own, k) - 1;
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
                const Index i = place_above(end_of, k);
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

void check_sparse_product(std::int64_t rows, std::int64_t columns) {
  if (support::clipped_product(rows, columns) == std::numeric_limits<std::int64_t>::max())
    support::fail_usage("matmul: a product of {} rows and {} columns has more than 2^63 - 1 places",
                        rows, columns);
}

erased_sparse csr_multiply(const erased_sparse& a, const erased_sparse& b, const element_type* word,
                           const element_type* out, const element_type* index) {
  const std::int64_t rows = a.extents[0], columns = b.extents[1];
  check_sparse_product(rows, columns);
  const Products products = products_of(a, b, word);
  const auto sorted_by = [&]<class Word>(Word) {
    const auto [at, values] = sort_by_key(products.at, typed<Word, 1>(products.values));
    return std::pair(erased(at),
                     any_array{word, layout_of(values), access::memory(values), a.data.on});
  };
  const auto [places_of_all, values] =
      word->bytes == 4 ? sorted_by(std::uint32_t()) : sorted_by(std::uint64_t());
  const auto at = typed<const std::int64_t, 1>(places_of_all);
  const array<std::int64_t> firsts = places_of(erased(marks_of_heads(erased(at))));
  const any_array places = new_array(type_of<std::int64_t>(), {firsts.size()}, a.data.on),
                  data = new_array(out, {firsts.size()}, a.data.on);
  if (firsts.size() > 0)
    kernel_of("csr_add", {values.type, out},
              {in<std::int64_t>(), in(values.type), in<std::int64_t>(), host::out<std::int64_t>(),
               host::out(out)},
              [](const Parameters& p) {
                const auto from_at = p.array<const std::int64_t>(0),
                           begins = p.array<const std::int64_t>(2);
                const ElementView from = p.array(1), sums = p.array(4);
                const auto place_of = p.array<std::int64_t>(3);
                for (auto i : grid_stride(begins.size())) {
                  const Index first = begins[i];
                  const auto last = select(
                      i + 1 < begins.size(), [&] { return begins[i + 1]; }, from_at.size());
                  Variable sum(from(first).get());
                  for (auto k : range(first + 1, last)) sum.add(from(k));
                  place_of[i] = from_at[first];
                  sums(i) = total_as(sums.type(), sum);
                }
              })
        .forall(firsts.size(), at, values, firsts, places, data);
  return csr_of_places(places, data, {rows, columns}, index);
}

}  // namespace krait::detail
