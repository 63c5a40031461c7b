// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stable sorts: of numbers by radix, and of any type by a comparison.
//   auto sorted = kr::sort(x);                             // along the last axis; NaN last
//   auto places = kr::argsort(x, kr::descending);
//   auto [keys, values] = kr::sort_by_key(k, v);
//   auto by_mass = kr::sort(particles, [](auto a, auto b) { return a[&particle::mass] < b[&particle::mass]; });
#pragma once

#include <krait/algorithm/detail/keys.h>

namespace krait {
namespace detail {

struct descending_type {};
template <class Option>
inline constexpr bool is_sort_option =
    axes_in<Option> == 1 || outputs_in<Option> > 0 || std::is_same_v<Option, descending_type>;
template <class Option>
concept sort_option = is_sort_option<std::remove_cvref_t<Option>>;

/// The axis and order that the options name; by default the last axis.
struct sort_choice {
  std::int64_t axis = -1;
  bool descends = false;

  template <class... Options>
  explicit sort_choice(const Options&... options) {
    (take(options), ...);
  }
  void take(const axis_list<1>& axis_option) { axis = axis_option.at[0]; }
  void take(descending_type) { descends = true; }
  template <class... Outputs>
  void take(const into_type<Outputs...>&) {}
};

/// A result of x's extents, whose memory has the axis contiguous, and its rows along the axis.
template <class Elem, int Rank, class Output = std::nullptr_t>
struct rows_of_new {
  template <class Like, class... Inputs>
  rows_of_new(const array<Like, Rank>& like, std::int64_t axis, Output output = nullptr,
              const Inputs&... inputs)
      : made(result_in<Elem, Rank>(
            output, axis_back(dense(axis_last(like.at(), axis).extents, Rank, false), axis),
            like.device(), inputs...)) {
    const std::int64_t length = axis_last(like.at(), axis).extents[Rank - 1];
    rows = as_rows(made.to, length > 0 ? like.size() / length : 0, length);
  }
  auto take() { return made.give(); }

  result<Elem, Rank, Output> made;
  array<Elem, 2> rows;
};

template <class Elem, class Output, class Like, int Rank, class... Inputs>
rows_of_new<Elem, Rank, Output> new_rows(Output output, const array<Like, Rank>& like,
                                         std::int64_t axis, const Inputs&... inputs) {
  return {like, axis, output, inputs...};
}

/// Sorts keys along an axis into these rows; `values` and `moved` are sort_rows'.
template <class Key, int Rank>
void sort_into(const array<const Key, Rank>& keys, const sort_choice& as,
               const array<Key, 2>& sorted, const word_rows* values, const word_rows* moved) {
  if (keys.size() > 0)
    sort_rows(keys.device(), algorithm_device_of(keys.device()), order_of<Key>(as.descends),
              words_of_rows(rows_along(keys, as.axis)), words_of_rows(sorted), values, moved);
}
/// The sorted keys, and the places that they had in their rows.
template <class Key, int Rank>
array<Key, Rank> sort_with_places(const array<const Key, Rank>& keys, const sort_choice& as,
                                  const array<unsigned, 2>& places) {
  rows_of_new<Key, Rank> sorted(keys, as.axis);
  const word_rows to = words_of_rows(places);
  sort_into(keys, as, sorted.rows, nullptr, &to);
  return sorted.take();
}

}  // namespace detail

/// The option of a sort for the largest element first; equal elements keep their order, NaN stays
/// last.
inline constexpr detail::descending_type descending{};

/// Sorts the elements along the last axis or kr::axis(k), stable, into a new array.
/// -0 and 0 are equal, NaN is last. Options are kr::axis, kr::descending and kr::into(y). The axis
/// is contiguous in the result. Throws error{usage} for an invalid axis, error{device} if memory is
/// short.
/// \code
/// auto sorted = kr::sort(x);
/// auto falling = kr::sort(a, kr::axis(0), kr::descending);
/// \endcode
template <detail::plain Elem, int Rank, detail::sort_option... Options>
auto sort(const array<Elem, Rank>& x, const Options&... options) {
  using key = std::remove_const_t<Elem>;
  const detail::sort_choice as(options...);
  auto sorted = detail::new_rows<key>(detail::output_in(options...), x, as.axis, x);
  detail::sort_into<key, Rank>(x.share(), as, sorted.rows, nullptr, nullptr);
  return sorted.take();
}

/// The positions along the axis, int64, of the elements in sorted order.
/// x[argsort(x)] is sorted. Options as for kr::sort. Throws error{usage} for 2^32 elements or more
/// along the axis.
/// \code
/// auto order = kr::argsort(x, kr::descending);
/// \endcode
template <detail::plain Elem, int Rank, detail::sort_option... Options>
auto argsort(const array<Elem, Rank>& x, const Options&... options) {
  using key = std::remove_const_t<Elem>;
  const detail::sort_choice as(options...);
  detail::rows_of_new<unsigned, Rank> places(x, as.axis);
  (void)detail::sort_with_places<key, Rank>(x.share(), as, places.rows);
  auto wide = detail::new_rows<std::int64_t>(detail::output_in(options...), x, as.axis);
  if (x.size() > 0) wide.rows(all, all) = places.rows;
  return wide.take();
}

/// Sorts keys and reorders values of the same extents with them; gives both.
/// Values are numbers or structs. Options as for kr::sort.
/// \code
/// auto [keys, values] = kr::sort_by_key(x, y);
/// \endcode
template <detail::plain Key, class Value, int Rank, detail::sort_option... Options>
auto sort_by_key(const array<Key, Rank>& keys, const array<Value, Rank>& values,
                 const Options&... options) {
  using key = std::remove_const_t<Key>;
  using element = std::remove_const_t<Value>;
  struct sorted {
    array<key, Rank> keys;
    array<element, Rank> values;
  };
  detail::check_same_shape(values.extents().extents, keys.extents().extents, Rank, "sort_by_key");
  const detail::sort_choice as(options...);
  const auto keys_given = detail::output_in<0, 2>(options...);
  const auto values_given = detail::output_in<1, 2>(options...);
  detail::check_apart_outputs(keys_given, values_given);
  auto in_order = detail::new_rows<key>(keys_given, keys, as.axis, keys, values);
  auto moved = detail::new_rows<element>(values_given, keys, as.axis, keys, values);
  const array<const element, 2> from = detail::rows_along(values, as.axis);
  if constexpr (sizeof(element) == 4 && alignof(element) == 4) {
    const detail::word_rows carried = detail::words_of_rows(from),
                            to = detail::words_of_rows(moved.rows);
    detail::sort_into<key, Rank>(keys.share(), as, in_order.rows, &carried, &to);
  } else {
    detail::rows_of_new<unsigned, Rank> places(keys, as.axis);
    const detail::word_rows to = detail::words_of_rows(places.rows);
    detail::sort_into<key, Rank>(keys.share(), as, in_order.rows, nullptr, &to);
    detail::gather_rows(detail::erased(from), detail::erased(places.rows),
                        detail::erased(moved.rows));
  }
  if constexpr (std::is_null_pointer_v<std::remove_const_t<decltype(keys_given)>>) {
    return sorted{in_order.take(), moved.take()};
  } else {
    in_order.take(), moved.take();
  }
}

/// Sorts numbers or structs by a comparison of two values, stable, as std::stable_sort.
/// It is a merge sort along the last axis or kr::axis(k); options and errors as for kr::sort.
/// \code
/// auto by_size = kr::sort(x, [](auto p, auto q) { return kr::abs(p) < kr::abs(q); });
/// \endcode
template <class Elem, int Rank, class Before, detail::sort_option... Options>
  requires(!detail::sort_option<Before>)
auto sort(const array<Elem, Rank>& x, const Before& before, const Options&... options) {
  using element = std::remove_const_t<Elem>;
  const detail::sort_choice as(options...);
  auto sorted = detail::new_rows<element>(detail::output_in(options...), x, as.axis, x);
  if (x.size() > 0)
    detail::recorded_function<Before, bool, element, 2>::with(
        before, [&](const detail::element_function& f) {
          detail::merge_sort(detail::erased(x), as.axis, detail::erased(sorted.rows), f,
                             as.descends, detail::algorithm_device_of(x.device()));
        });
  return sorted.take();
}

}  // namespace krait
