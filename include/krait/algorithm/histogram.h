// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of elements in each bin.
//   auto counts = kr::histogram(x, 64, 0.0, 1.0);    // 64 bins of one width
//   auto uneven = kr::histogram(x, edges);           // bin b is from edges(b) up to edges(b + 1)
#pragma once

#include <krait/algorithm/detail/form.h>
#include <krait/expression.h>

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
/// A bin includes its lower edge, the last one both. Elements outside and NaN are not counted. The
/// device must have double. Throws error{usage} for no bins, and for bounds that are not finite or
/// not in order. kr::into(y) takes the counts.
/// \code
/// auto counts = kr::histogram(x, 64, 0.0, 1.0);
/// \endcode
template <detail::plain Elem, detail::into_option... Options>
auto histogram(const array<Elem, 1>& x, std::int64_t bins, double low, double high,
               const Options&... options) {
  detail::check_bins(bins, low, high);
  return detail::histogram_of(detail::erased(x), nullptr, bins, low, high, x.device(),
                              detail::output_in(options...), x);
}
/// Counts elements in bins given by their edges: bin b is from edges(b) up to edges(b + 1).
/// Throws error{usage} for fewer than two edges, and for edges that fall or are NaN; on a GPU the
/// next call that waits throws that.
template <detail::plain Elem, detail::plain Other, detail::into_option... Options>
  requires std::is_same_v<std::remove_const_t<Elem>, std::remove_const_t<Other>>
auto histogram(const array<Elem, 1>& x, const array<Other, 1>& edges, const Options&... options) {
  const detail::any_array at = detail::erased(edges);
  detail::check_edges(edges.size());
  detail::check_order_of_edges(at);
  return detail::histogram_of(detail::erased(x), &at, edges.size() - 1, 0, 0, x.device(),
                              detail::output_in(options...), x, edges);
}

}  // namespace krait

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
namespace krait {
KRAIT_TAKES_EXPRESSIONS(histogram)
}  // namespace krait
#undef KRAIT_TAKES_EXPRESSIONS
