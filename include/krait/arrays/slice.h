// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a slice: `a(2, kr::all)`, `a(kr::range(1, kr::end - 1), kr::newaxis)`. As in
// NumPy, negative numbers count from the end, and ranges are cut to the extent.
#pragma once

#include <concepts>
#include <type_traits>

#include <krait/control.h>
#include <krait/detail/all.h>
#include <krait/detail/layout.h>

namespace krait {
namespace detail {

/// kr::end, and a distance from it.
struct end_position {
  std::int64_t at = 0;
  template <host_integer Number>
  friend constexpr end_position operator-(end_position e, Number n) {
    return {e.at - static_cast<std::int64_t>(n)};
  }
  template <host_integer Number>
  friend constexpr end_position operator+(end_position e, Number n) {
    return {e.at + static_cast<std::int64_t>(n)};
  }
};
struct none_type {};
struct newaxis_type {};

constexpr slice_item::bound bound_of(end_position e) { return {e.at, slice_item::from_end}; }
constexpr slice_item::bound bound_of(none_type) { return {}; }
/// A number beyond 63 bits is after every element: as a negative number it would count from the
/// end.
template <std::integral Number>
constexpr slice_item::bound bound_of(Number n) {
  if constexpr (std::is_unsigned_v<Number> && sizeof(Number) >= sizeof(std::int64_t)) {
    if (n > static_cast<Number>(INT64_MAX)) return {INT64_MAX, slice_item::number};
  }
  return {static_cast<std::int64_t>(n), slice_item::number};
}

/// A bound that only a slice has.
template <class Type>
concept slice_word = std::is_same_v<Type, end_position> || std::is_same_v<Type, none_type>;
template <class Type>
concept slice_bound = slice_word<Type> || host_integer<Type>;
template <unread_number Number>
  requires host_integer<Number>
slice_item::bound bound_of(const Number& n) {
  return bound_of(as_number(n));
}

constexpr slice_item item_of(all_type) { return {}; }
constexpr slice_item item_of(newaxis_type) { return {slice_item::new_axis, {}, {}, 1}; }
constexpr slice_item item_of(end_position e) { return {slice_item::index, bound_of(e), {}, 1}; }
template <std::integral Number>
constexpr slice_item item_of(Number n) {
  return {slice_item::index, bound_of(n), {}, 1};
}
template <unread_number Number>
  requires host_integer<Number>
slice_item item_of(const Number& n) {
  return item_of(as_number(n));
}
template <class Type, class Step>
constexpr slice_item item_of(const plain_range<Type, Step>& r) {
  return {slice_item::range, r.first(), r.last(), static_cast<std::int64_t>(r.step())};
}

/// Of a range with such a word: as of its number, or int.
template <class Bound>
using counted_as = std::conditional_t<slice_word<Bound>, int, number_t<Bound>>;
template <class First, class Last>
using sliced_as = typename range_of<counted_as<First>, counted_as<Last>>::type;

/// The types that a(…) accepts.
template <class Item>
concept sliceable = requires(const Item& item) { item_of(item); };
template <class Item>
inline constexpr bool is_index = host_integer<Item> || std::is_same_v<Item, end_position>;
template <class Item>
inline constexpr bool is_new_axis = std::is_same_v<Item, newaxis_type>;

}  // namespace detail

/// The position after the last element in a slice; `kr::end - 1` is the last element.
/// \code
/// auto inner = x(kr::range(1, kr::end - 1));
/// \endcode
inline constexpr detail::end_position end{};
/// A bound of a slice that is left out, as in NumPy's `a[::-1]`.
/// \code
/// auto backwards = x(kr::range(kr::none, kr::none, -1));
/// \endcode
inline constexpr detail::none_type none{};
/// A new dimension of extent 1 in a slice.
/// \code
/// auto column = x(kr::all, kr::newaxis);
/// \endcode
inline constexpr detail::newaxis_type newaxis{};

/// A part of a dimension: from `first` to before `last`, in steps that may be negative.
/// \code
/// auto even = x(kr::range(0, kr::end, 2));
/// \endcode
template <detail::slice_bound First, detail::slice_bound Last>
  requires(detail::slice_word<First> || detail::slice_word<Last>)
constexpr auto range(First first, Last last, detail::location where = detail::location::here()) {
  using type = detail::sliced_as<First, Last>;
  return detail::plain_range<type, type>(detail::bound_of(first), detail::bound_of(last), type{1},
                                         where);
}
template <detail::slice_bound First, detail::slice_bound Last, detail::host_integer Step>
  requires(detail::slice_word<First> || detail::slice_word<Last>)
constexpr auto range(First first, Last last, Step step,
                     detail::location where = detail::location::here()) {
  return detail::plain_range<detail::sliced_as<First, Last>, detail::number_t<Step>>(
      detail::bound_of(first), detail::bound_of(last), detail::as_number(step), where);
}

}  // namespace krait
