// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects elements of arrays, in C order: by a condition, without repetition, the largest; and
// works on segments.
//   auto positive = kr::copy_if(x, [](auto v) { return v > 0; });
//   auto [values, lengths] = kr::run_length_encode(x);
//   auto sums = kr::segmented_reduce(x, offsets, [](auto a, auto b) { return a + b; }, 0.0f);
#pragma once

#include <krait/algorithm/detail/numbers.h>
#include <krait/algorithm/detail/select_kernels.h>
#include <krait/algorithm/search.h>
#include <krait/algorithm/sort.h>
#include <krait/expression.h>

namespace krait {
namespace detail {

template <class Elem, class Predicate>
chosen_elements chosen_where(const array<Elem, 1>& x, const Predicate& predicate) {
  return recorded_function<Predicate, bool, std::remove_const_t<Elem>, 1>::with(
      predicate, [&](const element_function& f) { return chosen_by(f, erased(x)); });
}

}  // namespace detail

/// The elements for which a predicate holds, in their order; waits for their number.
/// The predicate is a lambda on a value of kernels. Throws error{device} if memory is short, as all
/// functions here.
/// \code
/// auto positive = kr::copy_if(x, [](auto v) { return v > 0; });
/// \endcode
template <class Elem, int Rank, class Predicate>
auto copy_if(const array<Elem, Rank>& x, const Predicate& predicate) {
  using element = std::remove_const_t<Elem>;
  return detail::recorded_function<Predicate, bool, element, 1>::with(
      predicate, [&](const detail::element_function& f) {
        return detail::typed<element, 1>(detail::kept_by(f, detail::erased(detail::flat(x))));
      });
}

/// The elements for which a predicate holds, then the others, each in their order, and the first
/// count.
/// \code
/// auto [parts, count] = kr::partition(x, [](auto v) { return v > 0; });
/// \endcode
template <class Elem, class Predicate>
  requires(!std::integral<Predicate>)  // a number: as NumPy has it, in order.h
auto partition(const array<Elem, 1>& x, const Predicate& predicate) {
  struct parts {
    array<std::remove_const_t<Elem>> elements;
    std::int64_t count;
  };
  const auto chosen = detail::chosen_where(x, predicate);
  return parts{detail::compacted(x, chosen, true), chosen.count};
}

/// Encodes runs of equal neighbours: the value and the length, int64, of each run.
/// All NaN are equal.
/// \code
/// auto [values, lengths] = kr::run_length_encode(x);
/// \endcode
template <detail::sortable Elem>
auto run_length_encode(const array<Elem, 1>& x) {
  struct runs {
    array<std::remove_const_t<Elem>> values;
    array<std::int64_t> lengths;
  };
  const auto heads = detail::heads_of_runs(detail::erased(x));
  return runs{detail::compacted(x, heads), detail::lengths_of_runs(heads)};
}

/// The different elements of an array of any shape, sorted, as numpy.unique; all NaN are equal.
/// \code
/// auto different = kr::unique(x);
/// \endcode
template <detail::sortable Elem, int Rank>
auto unique(const array<Elem, Rank>& x) {
  return detail::typed<std::remove_const_t<Elem>, 1>(
      detail::kept_heads(detail::erased(sort(detail::flat(x)))));
}

namespace detail {

template <class Elem, int Rank>
struct largest_elements {
  array<Elem, Rank> values;
  array<std::int64_t, Rank> places;
};

}  // namespace detail

/// The k largest elements along the last axis or kr::axis(a), and their positions, int64.
/// They are sorted, the largest first, the first of equal ones first; NaN comes last. If there are
/// fewer than k elements, all are given.
/// \code
/// auto [values, positions] = kr::top_k(x, 10);
/// \endcode
template <detail::sortable Elem, int Rank, detail::sort_option... Options>
auto top_k(const array<Elem, Rank>& x, std::int64_t k, const Options&... options) {
  const detail::sort_choice as(options..., descending);
  if (k < 0) detail::refuse_top(k);
  using element = std::remove_const_t<Elem>;
  const detail::placed_elements first =
      detail::first_along(detail::order_of<element>(as.descends), detail::erased(x), as.axis, k);
  auto values = detail::typed<element, Rank>(first.values);
  auto places = detail::typed<std::int64_t, Rank>(first.places);
  if constexpr ((detail::outputs_in<Options> + ... + 0) == 0) {
    return detail::largest_elements<element, Rank>{std::move(values), std::move(places)};
  } else {
    const auto* const values_given = detail::output_in<0, 2>(options...);
    const auto* const places_given = detail::output_in<1, 2>(options...);
    detail::check_apart_outputs(values_given, places_given);
    detail::give_result(values_given, std::move(values)),
        detail::give_result(places_given, std::move(places));
  }
}

/// An inclusive scan of each segment of x by an associative operator.
/// Segment s has the elements from offsets(s) to before offsets(s + 1). Offsets never fall and are
/// within x; others are an error{usage}, on a GPU of the next call that waits. kr::into(y) takes
/// the result, also below.
/// \code
/// const auto plus = [](auto p, auto q) { return p + q; };
/// auto sums = kr::segmented_scan(x, offsets, plus);
/// \endcode
template <detail::sortable Elem, std::integral Offset, class Function,
          detail::into_option... Options>
auto segmented_scan(const array<Elem, 1>& x, const array<Offset, 1>& offsets,
                    const Function& function, const Options&... options) {
  using element = std::remove_const_t<Elem>;
  auto out = detail::result_in<element, 1>(detail::output_in(options...),
                                           detail::dense(x.extents().extents, 1, false), x.device(),
                                           x, offsets);
  detail::recorded_function<Function, element, element, 2>::with(
      function, [&](const detail::element_function& f) {
        detail::scan_segments(detail::erased(x), detail::as_type<std::int64_t>(offsets), f,
                              detail::erased(out.to));
      });
  return out.give();
}
/// Reduces each segment: out(s) = initial op the elements of segment s.
/// An empty segment gives `initial`. Offsets as for kr::segmented_scan.
/// \code
/// auto sums = kr::segmented_reduce(x, offsets, [](auto p, auto q) { return p + q; }, 0.0f);
/// \endcode
template <detail::sortable Elem, std::integral Offset, class Function,
          detail::into_option... Options>
auto segmented_reduce(const array<Elem, 1>& x, const array<Offset, 1>& offsets,
                      const Function& function, std::remove_const_t<Elem> initial,
                      const Options&... options) {
  using element = std::remove_const_t<Elem>;
  const shape<1> segments(offsets.size() > 0 ? offsets.size() - 1 : 0);
  auto out = detail::result_in<element, 1>(detail::output_in(options...),
                                           detail::dense(segments.extents, 1, false), x.device(), x,
                                           offsets);
  detail::recorded_function<Function, element, element, 2>::with(
      function, [&](const detail::element_function& f) {
        detail::reduce_segments(detail::erased(x), detail::as_type<std::int64_t>(offsets), f,
                                &initial, detail::erased(out.to));
      });
  return out.give();
}

/// Sorts each segment by itself, stable, as kr::sort.
/// Offsets as for kr::segmented_scan. Throws error{usage} for 2^32 elements or more.
/// \code
/// auto sorted = kr::segmented_sort(x, offsets);
/// \endcode
template <detail::sortable Elem, std::integral Offset, detail::into_option... Options>
auto segmented_sort(const array<Elem, 1>& x, const array<Offset, 1>& of_segments,
                    const Options&... options) {
  const auto offsets = detail::as_type<std::int64_t>(of_segments);
  detail::check_given<std::remove_const_t<Elem>, 1>(detail::output_in(options...),
                                                    detail::layout_of(x), x.device());
  detail::check_segments(offsets, x.size());
  using key = std::remove_const_t<Elem>;
  const detail::algorithm_device how = detail::algorithm_device_of(x.device());
  if (const std::int64_t longest = detail::longest_segment(how, detail::erased(x), offsets)) {
    auto sorted = detail::result_along<key>(x, 0, detail::output_in(options...), x, offsets);
    detail::sort_segments(how, detail::order_of<key>(false), detail::erased(x),
                          detail::erased(sorted.to), offsets, longest);
    return sorted.give();
  }
  const array<std::int64_t> places = argsort(x);
  const array<std::int64_t> segments = searchsorted(offsets, places, side::right);
  const auto moved = sort_by_key(segments, places);
  return gather(x, moved.values, options...);
}

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(copy_if, partition, run_length_encode, unique, top_k, segmented_scan,
                        segmented_reduce, segmented_sort)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
