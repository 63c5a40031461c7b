// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stable sorts of numbers by radix, and of anything by a comparison.
//   auto sorted = kr::sort(x);                             // along the last axis; NaN last
//   auto places = kr::argsort(x, kr::descending);
//   auto [keys, values] = kr::sort_by_key(k, v);
//   auto by_mass = kr::sort(particles, [](auto a, auto b) { return a[&particle::mass] < b[&particle::mass]; });
#pragma once

#include <krait/algorithm/detail/gather_kernels.h>
#include <krait/algorithm/detail/keys.h>
#include <krait/algorithm/detail/merge_kernels.h>

namespace krait {
namespace detail {

struct descending_type {};
template <class Option>
inline constexpr bool is_sort_option = axes_in<Option> == 1 || std::is_same_v<Option, descending_type>;
template <class Option>
concept sort_option = is_sort_option<std::remove_cvref_t<Option>>;

/// What options say: the axis, the last where none is named.
struct sort_choice {
  std::int64_t axis = -1;
  bool descends = false;

  template <class... Options>
  explicit sort_choice(const Options&... options) {
    (take(options), ...);
  }
  void take(const axis_list<1>& axis_option) { axis = axis_option.at[0]; }
  void take(descending_type) { descends = true; }
};

/// A new array of x's extents, whose memory has the axis contiguous, and its rows along the axis.
template <class Elem, int Rank>
struct rows_of_new {
  template <class Like>
  rows_of_new(const array<Like, Rank>& like, std::int64_t axis)
      : turned(axis_last(like.at(), axis)), memory(extents(), like.device()), axis_(axis) {
    const std::int64_t length = turned.extents[Rank - 1];
    const std::int64_t both[] = {length > 0 ? memory.size() / length : 0, length};
    rows = array<Elem, 2>(dense(both, 2, false), memory.memory_owner(), handle_of(like.device()));
  }
  array<Elem, Rank> take() const { return {axis_back(memory.at(), axis_), memory.memory_owner(), handle_of(memory.device())}; }

  shape<Rank> extents() const {
    shape<Rank> s;
    for (int d = 0; d < Rank; ++d) s.extents[d] = turned.extents[d];
    return s;
  }
  layout turned;
  array<Elem, Rank> memory;
  array<Elem, 2> rows;

 private:
  std::int64_t axis_;
};

/// Sorts keys along an axis; `values` and `moved` are sort_rows'.
template <class Key, int Rank>
array<Key, Rank> sort_keys(const array<const Key, Rank>& keys, const sort_choice& as, const word_rows* values,
                           const word_rows* moved) {
  const rows_of_new<Key, Rank> sorted(keys, as.axis);
  if (keys.size() > 0)
    sort_rows(keys.device(), algorithm_device_of(keys.device()), order_of<Key>(as.descends),
              words_of_rows(rows_along(keys, as.axis)), words_of_rows(sorted.rows), values, moved);
  return sorted.take();
}
/// The same, and the places that the keys had in their rows.
template <class Key, int Rank>
array<Key, Rank> sort_with_places(const array<const Key, Rank>& keys, const sort_choice& as, const array<unsigned, 2>& places) {
  const word_rows to = words_of_rows(places);
  return sort_keys(keys, as, nullptr, &to);
}

}  // namespace detail

/// Largest first. Equal elements keep their order, and NaN stays last.
inline constexpr detail::descending_type descending{};

/// The elements in ascending order along the last axis, or kr::axis(k), or with kr::descending. Stable; −0 and 0 are equal, NaN is last. The
/// result's memory has the axis contiguous. Throws error{usage} for an axis that x has not, error{device} where memory is short.
template <detail::plain Elem, int Rank, detail::sort_option... Options>
auto sort(const array<Elem, Rank>& x, const Options&... options) {
  using key = std::remove_const_t<Elem>;
  return detail::sort_keys<key, Rank>(x.share(), detail::sort_choice(options...), nullptr, nullptr);
}

/// The places, along the axis, of the elements in order: x[argsort(x)] is sorted. Options as sort's. Throws error{usage} from 2^32 elements
/// along the axis on.
template <detail::plain Elem, int Rank, detail::sort_option... Options>
array<std::int64_t, Rank> argsort(const array<Elem, Rank>& x, const Options&... options) {
  using key = std::remove_const_t<Elem>;
  const detail::sort_choice as(options...);
  detail::rows_of_new<unsigned, Rank> places(x, as.axis);
  (void)detail::sort_with_places<key, Rank>(x.share(), as, places.rows);
  detail::rows_of_new<std::int64_t, Rank> wide(x, as.axis);
  if (x.size() > 0) wide.rows(all, all) = places.rows;
  return wide.take();
}

/// Sorts keys, and the values of the same extents along with them: gives both. Values are numbers or structs.
template <detail::plain Key, class Value, int Rank, detail::sort_option... Options>
auto sort_by_key(const array<Key, Rank>& keys, const array<Value, Rank>& values, const Options&... options) {
  using key = std::remove_const_t<Key>;
  using element = std::remove_const_t<Value>;
  struct sorted {
    array<key, Rank> keys;
    array<element, Rank> values;
  };
  detail::check_same_shape(values.extents().extents, keys.extents().extents, Rank, "sort_by_key");
  const detail::sort_choice as(options...);
  detail::rows_of_new<element, Rank> moved(keys, as.axis);
  const array<const element, 2> from = detail::rows_along(values, as.axis);
  if constexpr (sizeof(element) == 4 && alignof(element) == 4) {
    const detail::word_rows carried = detail::words_of_rows(from), to = detail::words_of_rows(moved.rows);
    array<key, Rank> sorted_keys = detail::sort_keys<key, Rank>(keys.share(), as, &carried, &to);
    return sorted{std::move(sorted_keys), moved.take()};
  } else {
    detail::rows_of_new<unsigned, Rank> places(keys, as.axis);
    array<key, Rank> sorted_keys = detail::sort_with_places<key, Rank>(keys.share(), as, places.rows);
    detail::gather_rows<element, unsigned>(from, places.rows.share(), moved.rows);
    return sorted{std::move(sorted_keys), moved.take()};
  }
}

/// The elements, numbers or structs, in the order of `before`, a comparison of two values of kernels as std::stable_sort's: a merge sort
/// along the last axis, or kr::axis(k). Throws as sort.
template <class Elem, int Rank, class Before, detail::sort_option... Options>
requires(!detail::sort_option<Before>) auto sort(const array<Elem, Rank>& x, const Before& before, const Options&... options) {
  using element = std::remove_const_t<Elem>;
  const detail::sort_choice as(options...);
  detail::rows_of_new<element, Rank> sorted(x, as.axis);
  if (x.size() > 0)
    detail::merge_sort(detail::rows_along(x, as.axis), sorted.rows, before, as.descends, detail::algorithm_device_of(x.device()));
  return sorted.take();
}

}  // namespace krait
