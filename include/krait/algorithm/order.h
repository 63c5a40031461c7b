// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More of NumPy's functions of sorted elements: running extremes, partitions, orders by several
// keys, bins, and what kr::unique counts.
//   auto order = kr::lexsort(first_name, last_name);   // the last key counts most
//   auto [values, counts] = kr::unique_counts(x);
//   auto counts = kr::bincount(indices);
#pragma once

#include <krait/algorithm/detail/axes.h>
#include <krait/algorithm/detail/numbers.h>
#include <krait/algorithm/scan.h>
#include <krait/algorithm/search.h>
#include <krait/algorithm/select.h>

namespace krait {
namespace detail {

/// Throws error{usage} for a number below 0.
KRAIT_API void check_counted(std::int64_t least);
/// The numbers 0 to n - 1.
KRAIT_API array<std::int64_t> numbers_below(std::int64_t n, const device& on);
/// Whether bins ascend, else they descend. Throws error{usage} if they do neither.
KRAIT_API bool bins_ascend(std::int64_t rising, std::int64_t falling, std::int64_t bins);

template <bool Largest>
struct running_extreme {
  template <class Type>
  auto operator()(const Type& x, const Type& y) const {
    static_assert(!complex_number<held_t<Type>>,
                  "krait: complex numbers have no order: take kr::abs(z) or kr::real(z)");
    if constexpr (is_float_v<held_t<Type>>) {
      if constexpr (Largest) return maximum(x, y);
      else return minimum(x, y);
    } else {
      if constexpr (Largest) return krait::max(x, y);
      else return krait::min(x, y);
    }
  }
};

/// Bins for sorted integers, at least so many.
template <class Elem>
std::int64_t bins_of(const array<Elem, 1>& sorted, std::int64_t least) {
  if (sorted.size() == 0) return least;
  check_counted(std::int64_t(Elem(sorted(0))));
  const std::int64_t most = std::int64_t(Elem(sorted(-1))) + 1;
  return most > least ? most : least;
}
/// Keys that are all of the same type and extents, the last one counting most.
template <class First, class... Rest>
auto lexsorted(const First& first, const Rest&... rest) {
  auto order = argsort(first);
  const auto by = [&](const auto& key) {
    const auto next = argsort(gather(key, order));
    order = gather(order, next);
  };
  (by(rest), ...);
  return order;
}

}  // namespace detail

/// The largest element so far, as numpy.maximum.accumulate; NaN stays. Options as for kr::cumsum.
/// \code
/// auto peaks = kr::cummax(x);
/// \endcode
template <class Elem, int Rank, detail::scan_option... Options>
auto cummax(const array<Elem, Rank>& x, const Options&... options) {
  return detail::scan_by(x, false, detail::running_extreme<true>(), options...);
}
/// The smallest element so far, as numpy.minimum.accumulate.
template <class Elem, int Rank, detail::scan_option... Options>
auto cummin(const array<Elem, Rank>& x, const Options&... options) {
  return detail::scan_by(x, false, detail::running_extreme<false>(), options...);
}

/// The elements such that the kth one is in its sorted place, as numpy.partition; here all are
/// sorted.
/// Options as for kr::sort.
/// \code
/// auto first = kr::partition(x, 3);
/// \endcode
template <detail::sortable Elem, int Rank, std::integral Place, detail::sort_option... Options>
auto partition(const array<Elem, Rank>& x, Place, const Options&... options) {
  return sort(x, options...);
}
/// The positions of kr::partition's elements, as numpy.argpartition.
template <detail::sortable Elem, int Rank, std::integral Place, detail::sort_option... Options>
auto argpartition(const array<Elem, Rank>& x, Place, const Options&... options) {
  return argsort(x, options...);
}
/// The order of elements by several keys, as numpy.lexsort: the last key counts most.
/// Keys have one dimension and may have several types.
/// \code
/// auto order = kr::lexsort(y, x);
/// \endcode
template <class First, class... Rest>
  requires(detail::is_device_array<First>::value && (detail::is_device_array<Rest>::value && ...))
auto lexsort(const First& first, const Rest&... rest) {
  static_assert(First::rank == 1 && ((Rest::rank == 1) && ...),
                "krait: the keys of lexsort must have one dimension");
  return detail::lexsorted(first, rest...);
}

/// How often each integer from 0 on occurs, as numpy.bincount; int64.
/// The result has `least` elements or more. Throws error{usage} for a negative number; the call
/// waits.
/// \code
/// auto counts = kr::bincount(indices);
/// \endcode
template <std::integral Elem, int Rank>
auto bincount(const array<Elem, Rank>& x, std::int64_t least = 0) {
  static_assert(Rank == 1, "krait: bincount takes one dimension, as in NumPy: x.reshape(-1)");
  const auto sorted = sort(x);
  const std::int64_t bins = detail::bins_of(sorted, least);
  const auto numbers = detail::numbers_below(bins, x.device());
  const auto ends = searchsorted(sorted, numbers, side::right);
  auto counts = ends.copy();
  if (bins > 1) counts(range(1, bins)) -= ends(range(0, bins - 1));
  return counts;
}
/// The sums of the weights of each integer; in their type, integers in double.
template <std::integral Elem, class Weight>
auto bincount(const array<Elem, 1>& x, const array<Weight, 1>& weights, std::int64_t least = 0) {
  using number = detail::mean_type<std::remove_const_t<Weight>>;
  const auto sorted = sort_by_key(x, detail::as_type<number>(weights));
  const std::int64_t bins = detail::bins_of(sorted.keys, least);
  const auto offsets = searchsorted(sorted.keys, detail::numbers_below(bins + 1, x.device()));
  return segmented_reduce(
      sorted.values, offsets, [](auto p, auto q) { return p + q; }, number(0));
}
/// The bin of each element, int64, as numpy.digitize: how many edges are not above it; in the shape
/// of x.
/// Edges ascend or descend. If `right` is true, an edge belongs to the bin below it.
/// \code
/// auto bins = kr::digitize(x, y);
/// \endcode
template <class Elem, int Rank, class Edge>
auto digitize(const array<Elem, Rank>& x, const array<Edge, 1>& edges, bool right = false) {
  const std::int64_t n = edges.size(), pairs = n < 2 ? 0 : n - 1;
  const auto lower = edges(range(0, pairs)), upper = edges(range(n - pairs, n));
  const bool ascend = detail::bins_ascend(krait::count_nonzero(upper >= lower),
                                          krait::count_nonzero(upper <= lower), n);
  const side by = right ? side::left : side::right;
  if (ascend) return searchsorted(edges, x, by);
  auto places = searchsorted(edges.flip().copy(), x, by);
  places = eval(n - places);
  return places;
}
/// The bin of one number.
template <detail::host_number Number, class Edge>
std::int64_t digitize(const Number& x, const array<Edge, 1>& edges, bool right = false) {
  return digitize(detail::alone(x, edges.device()), edges, right)(0);
}

/// The different elements, sorted, and how often each occurs, int64.
/// \code
/// auto [values, counts] = kr::unique_counts(x);
/// \endcode
template <detail::sortable Elem, int Rank>
auto unique_counts(const array<Elem, Rank>& x) {
  struct counted {
    array<std::remove_const_t<Elem>> values;
    array<std::int64_t> counts;
  };
  auto runs = run_length_encode(sort(detail::flat(x)));
  return counted{std::move(runs.values), std::move(runs.lengths)};
}
/// The different elements, sorted, and for each element of x the place of its value, int64, in the
/// shape of x.
/// \code
/// auto [values, inverse] = kr::unique_inverse(x);
/// \endcode
template <detail::sortable Elem, int Rank>
auto unique_inverse(const array<Elem, Rank>& x) {
  struct placed {
    array<std::remove_const_t<Elem>> values;
    array<std::int64_t, Rank> inverse;
  };
  auto values = unique(x);
  auto places = searchsorted(values, x);
  return placed{std::move(values), std::move(places)};
}
/// The different elements, sorted, the place of the first of each in C order, the place of each
/// element's value in the shape of x, and how often each occurs.
/// \code
/// auto [values, indices, inverse, counts] = kr::unique_all(x);
/// \endcode
template <detail::sortable Elem, int Rank>
auto unique_all(const array<Elem, Rank>& x) {
  struct described {
    array<std::remove_const_t<Elem>> values;
    array<std::int64_t> indices;
    array<std::int64_t, Rank> inverse;
    array<std::int64_t> counts;
  };
  auto counted = unique_counts(x);
  const auto elements = detail::flat(x);
  auto first = gather(argsort(elements), searchsorted(sort(elements), counted.values));
  auto inverse = searchsorted(counted.values, x);
  return described{std::move(counted.values), std::move(first), std::move(inverse),
                   std::move(counted.counts)};
}

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(cummax, cummin, argpartition, lexsort, bincount, digitize, unique_counts,
                        unique_inverse, unique_all)
KRAIT_TAKES_LISTS(digitize)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
