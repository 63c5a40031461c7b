// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stable sorts: of numbers by radix, and of any type by a comparison.
//   auto sorted = kr::sort(x);                             // along the last axis; NaN last
//   auto places = kr::argsort(x, kr::descending);
//   auto [keys, values] = kr::sort_by_key(k, v);
//   auto lighter = [](auto a, auto b) { return a[&particle::mass] < b[&particle::mass]; };
//   auto by_mass = kr::sort(particles, lighter);
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

/// A result of x's extents, whose memory has the axis contiguous.
template <class Elem, class Like, int Rank, class Output, class... Inputs>
auto result_along(const array<Like, Rank>& like, std::int64_t axis, Output output,
                  const Inputs&... inputs) {
  return result_in<Elem, Rank>(
      output, axis_back(dense(axis_last(layout_of(like), axis).extents, Rank, false), axis),
      like.device(), inputs...);
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
template <detail::sortable Elem, int Rank, detail::sort_option... Options>
auto sort(const array<Elem, Rank>& x, const Options&... options) {
  using key = std::remove_const_t<Elem>;
  const detail::sort_choice as(options...);
  auto sorted = detail::result_along<key>(x, as.axis, detail::output_in(options...), x);
  const detail::any_array to = detail::erased(sorted.to);
  detail::sort_along(detail::order_of<key>(as.descends), detail::erased(x), as.axis, &to, nullptr,
                     nullptr);
  return sorted.give();
}

/// The positions along the axis, int64, of the elements in sorted order.
/// x[argsort(x)] is sorted. Options as for kr::sort. Throws error{usage} for 2^32 elements or more
/// along the axis.
/// \code
/// auto order = kr::argsort(x, kr::descending);
/// \endcode
template <detail::sortable Elem, int Rank, detail::sort_option... Options>
auto argsort(const array<Elem, Rank>& x, const Options&... options) {
  using key = std::remove_const_t<Elem>;
  const detail::sort_choice as(options...);
  auto places = detail::result_along<std::int64_t>(x, as.axis, detail::output_in(options...));
  const detail::any_array to = detail::erased(places.to);
  detail::sort_along(detail::order_of<key>(as.descends), detail::erased(x), as.axis, nullptr,
                     nullptr, &to);
  return places.give();
}

/// Sorts keys and reorders values of the same extents with them; gives both.
/// Values are numbers or structs. Options as for kr::sort.
/// \code
/// auto [keys, values] = kr::sort_by_key(x, y);
/// \endcode
template <detail::sortable Key, class Value, int Rank, detail::sort_option... Options>
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
  auto in_order = detail::result_along<key>(keys, as.axis, keys_given, keys, values);
  auto moved = detail::result_along<element>(keys, as.axis, values_given, keys, values);
  const detail::any_array from = detail::erased(values), to = detail::erased(in_order.to),
                          moved_to = detail::erased(moved.to);
  detail::sort_along(detail::order_of<key>(as.descends), detail::erased(keys), as.axis, &to, &from,
                     &moved_to);
  if constexpr (std::is_null_pointer_v<std::remove_const_t<decltype(keys_given)>>) {
    return sorted{in_order.give(), moved.give()};
  } else {
    in_order.give(), moved.give();
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
  auto sorted = detail::result_along<element>(x, as.axis, detail::output_in(options...), x);
  if (x.size() > 0)
    detail::recorded_function<Before, bool, element, 2>::with(
        before, [&](const detail::element_function& f) {
          detail::merge_sort(detail::erased(x), as.axis, detail::erased(sorted.to), f, as.descends,
                             detail::algorithm_device_of(x.device()));
        });
  return sorted.give();
}

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(sort, argsort, sort_by_key)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
