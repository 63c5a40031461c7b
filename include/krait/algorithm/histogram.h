// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of elements in each bin.
//   auto counts = kr::histogram(x, 64);  // bins of one width, from the least element to the largest
//   auto inner = kr::histogram(x, 64, 0.0, 1.0);     // from 0 to 1
//   auto uneven = kr::histogram(x, edges);           // bin b is from edges(b) up to edges(b + 1)
#pragma once

#include <krait/algorithm/detail/form.h>
#include <krait/algorithm/detail/numbers.h>
#include <krait/algorithm/reduce.h>

namespace krait {
namespace detail {

KRAIT_API void check_bins(std::int64_t bins, double low, double high);
KRAIT_API void check_edges(std::int64_t edges);
/// Tells of edges that decrease; on a GPU later.
KRAIT_API void check_order_of_edges(const any_array& edges);
/// Counts elements in bins between edges, or without edges in bins of equal width.
KRAIT_API void count_in_bins(const any_array& x, const any_array* edges, double low, double high,
                             const any_array& counts);

template <class Output, class... Inputs>
auto histogram_of(const any_array& x, const any_array* edges, std::int64_t bins, double low,
                  double high, const device& on, Output output, const Inputs&... inputs) {
  auto out = result_in<std::int64_t, 1>(output, dense(&bins, 1, false), on, inputs...);
  count_in_bins(x, edges, low, high, erased(out.to));
  return out.give();
}

}  // namespace detail

/// Counts elements in `bins` bins of equal width from low to high, as numpy.histogram; int64.
/// Arrays have any shape. A bin includes its lower edge, the last one both. Elements outside and
/// NaN are not counted. The device must have double. Throws error{usage} for no bins, and for
/// bounds that are not finite or not in order. kr::into(y) takes the counts.
/// \code
/// auto counts = kr::histogram(x, 64, 0.0, 1.0);
/// \endcode
template <detail::sortable Elem, int Rank, detail::into_option... Options>
auto histogram(const array<Elem, Rank>& x, std::int64_t bins, double low, double high,
               const Options&... options) {
  detail::check_bins(bins, low, high);
  return detail::histogram_of(detail::erased(detail::flat(x)), nullptr, bins, low, high, x.device(),
                              detail::output_in(options...), x);
}
/// The same from the least element to the largest, or from 0 to 1 without elements; waits for them.
/// Throws error{usage} if they are not finite.
/// \code
/// auto counts = kr::histogram(x, 64);
/// \endcode
template <detail::sortable Elem, int Rank, std::integral Bins, detail::into_option... Options>
auto histogram(const array<Elem, Rank>& x, Bins bins, const Options&... options) {
  double low = x.size() > 0 ? double(krait::min(x)) : 0,
         high = x.size() > 0 ? double(krait::max(x)) : 1;
  if (low == high) low -= 0.5, high += 0.5;
  return histogram(x, std::int64_t(bins), low, high, options...);
}
/// Counts elements in bins given by their edges: bin b is from edges(b) up to edges(b + 1).
/// Elements and edges of two types are compared in their common type.
/// Throws error{usage} for fewer than two edges, and for edges that fall or are NaN; on a GPU the
/// next call that waits throws that.
template <class Elem, int Rank, class Other, detail::into_option... Options>
auto histogram(const array<Elem, Rank>& x, const array<Other, 1>& edges,
               const Options&... options) {
  using number = detail::sorted_t<Elem, Other>;
  const auto bounds = detail::as_type<number>(edges);
  const detail::any_array at = detail::erased(bounds);
  detail::check_edges(edges.size());
  detail::check_order_of_edges(at);
  return detail::histogram_of(detail::erased(detail::as_type<number>(detail::flat(x))), &at,
                              edges.size() - 1, 0, 0, x.device(), detail::output_in(options...), x,
                              edges);
}

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(histogram)
KRAIT_TAKES_LISTS(histogram)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
