// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views of kr::array: arrays of other extents and strides that share its memory. Those of a const
// array are arrays of const elements.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <krait/detail/access.h>
#include <krait/host_array.h>
#include <krait/slice.h>

namespace krait {

template <class Elem, int Rank = 1>
class array;
template <class Elem>
class array_element;
template <class Elem, int Rank>
class array_row;

namespace detail {

/// The result of a(which), for an array or an expression of indices or of bool; in
/// krait/algorithm/indexing.h.
template <class Array, class Which>
struct selector;
template <class Which>
concept selecting = requires { Which::rank; };
/// Types only: the arguments of a(…), of which some are arrays of indices or masks.
template <class... Items>
struct item_list {};
template <class... Items>
concept mixed_items = sizeof...(Items) > 1 && (selecting<Items> || ...) &&
                      ((selecting<Items> || sliceable<Items>)&&...);

template <class Array>
using element_through =
    std::conditional_t<std::is_const_v<Array>, const typename Array::element_type,
                       typename Array::element_type>;

/// A container of the host whose elements lie in a row.
template <class Type>
concept contiguous_container = requires(const Type& c) { c.data(), c.size(); };
/// One that has elements of its own, and copies given ones.
template <class Type>
concept owning_container = requires {
  typename Type::allocator_type;
  requires std::constructible_from<Type, const typename Type::value_type*,
                                   const typename Type::value_type*>;
};

/// What iteration gives: an element, or a row that can be assigned to.
template <class View>
struct iterated {
  using type = View;
};
template <class Elem, int Rank>
struct iterated<array<Elem, Rank>> {
  using type = array_row<Elem, Rank>;
};
/// What `for (auto row : a)` goes by.
template <class Array>
class row_iterator {
 public:
  using value_type = typename iterated<decltype(std::declval<Array&>()(std::int64_t()))>::type;
  using difference_type = std::ptrdiff_t;

  row_iterator() = default;
  row_iterator(Array& of, std::int64_t at) : of_(&of), at_(at) {}
  value_type operator*() const { return value_type((*of_)(at_)); }
  row_iterator& operator++() {
    ++at_;
    return *this;
  }
  row_iterator operator++(int) {
    row_iterator before = *this;
    ++at_;
    return before;
  }
  friend bool operator==(const row_iterator&, const row_iterator&) = default;
  friend difference_type operator-(const row_iterator& x, const row_iterator& y) {
    return static_cast<difference_type>(x.at_ - y.at_);
  }

 private:
  Array* of_ = nullptr;
  std::int64_t at_ = 0;
};

/// True; does not compile for elements that cannot be written.
template <class Elem>
constexpr bool writable() {
  static_assert(
      !std::is_const_v<Elem>,
      "krait: these elements cannot be written: they repeat, or they are of a const array or an "
      "expression; `kr::array y = x` makes an array of an expression x");
  return !std::is_const_v<Elem>;
}

struct views {
  template <int Rank, class Array>
  static auto make(Array& of, const layout& at) {
    static_assert(Rank >= 1, "an array has at least one dimension");
    static_assert(Rank <= max_rank, "an array has at most 6 dimensions");
    return array<element_through<Array>, Rank>(view_at(at, of));
  }

  template <class Array, class... Items>
  static auto slice(Array& of, const Items&... items) {
    constexpr int taken = ((is_new_axis<Items> ? 0 : 1) + ... + 0),
                  indices = ((is_index<Items> ? 1 : 0) + ... + 0);
    static_assert(taken <= Array::rank, "too many indices for array: it has fewer dimensions");
    const slice_item list[] = {item_of(items)...};
    const layout at = detail::slice(layout_of(of), list, sizeof...(Items));
    if constexpr (indices == sizeof...(Items) && indices == Array::rank)
      return array_element<element_through<Array>>(
          array<element_through<Array>, 1>(view_at(at, of)));
    else return make<Array::rank - indices + int(sizeof...(Items)) - taken>(of, at);
  }
  /// The same elements in C order: shared where strides can say that, else copied.
  template <int Rank, class Array>
  static auto reshape(Array& of, const shape<Rank>& extents) {
    layout to;
    if (detail::reshape(layout_of(of), extents.extents, Rank, to)) return make<Rank>(of, to);
    array<typename Array::value_type, Array::rank> copied = of.copy();
    detail::reshape(layout_of(copied), extents.extents, Rank, to);
    return access::make<array<element_through<Array>, Rank>>(to, access::memory(copied),
                                                             access::on(copied));
  }
  template <class Array, class... Axes>
  static auto permute(Array& of, Axes... axes) {
    static_assert(sizeof...(Axes) == Array::rank,
                  "axes don't match array: give each dimension once");
    const std::int64_t list[] = {static_cast<std::int64_t>(axes)...};
    return make<Array::rank>(of, detail::permute(layout_of(of), list, sizeof...(Axes)));
  }
  template <class Array>
  static auto transpose(Array& of) {
    std::int64_t list[Array::rank];
    for (int d = 0; d < Array::rank; ++d) list[d] = Array::rank - 1 - d;
    return make<Array::rank>(of, detail::permute(layout_of(of), list, Array::rank));
  }
  template <class Array, class... Axes>
  static auto flip(Array& of, Axes... axes) {
    const std::int64_t list[] = {static_cast<std::int64_t>(axes)..., 0};
    if constexpr (sizeof...(Axes) > 0)
      return make<Array::rank>(of, detail::flip(layout_of(of), list, sizeof...(Axes)));
    std::int64_t every[Array::rank];
    for (int d = 0; d < Array::rank; ++d) every[d] = d;
    return make<Array::rank>(of, detail::flip(layout_of(of), every, Array::rank));
  }
  template <class Array, class... Axes>
  static auto squeeze(Array& of, Axes... axes) {
    const std::int64_t list[] = {static_cast<std::int64_t>(axes)...};
    return make<Array::rank - int(sizeof...(Axes))>(
        of, detail::squeeze(layout_of(of), list, sizeof...(Axes)));
  }
  /// One element may be many, so none can be written.
  template <int Rank, class Array>
  static auto broadcast_to(const Array& of, const shape<Rank>& extents) {
    return make<Rank>(of, detail::broadcast_to(layout_of(of), extents.extents, Rank));
  }
  template <class Array>
  static auto diagonal(Array& of, std::int64_t offset, std::int64_t axis1, std::int64_t axis2) {
    static_assert(Array::rank >= 2, "diag requires an array of at least two dimensions");
    return make<Array::rank - 1>(of, detail::diagonal(layout_of(of), offset, axis1, axis2));
  }
};

}  // namespace detail
}  // namespace krait
