// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of rearrange.h: copies between views, which the library makes whatever the type.
#pragma once

#include <utility>

#include <krait/algorithm/detail/axes.h>
#include <krait/algorithm/detail/indexing.h>
#include <krait/algorithm/detail/numbers.h>
#include <krait/algorithm/detail/result.h>
#include <krait/algorithm/reduce.h>

namespace krait::detail {

/// Extents of arrays one after another along an axis, which is made positive.
KRAIT_API void join_shape(const layout* parts, int count, std::int64_t& axis,
                          std::int64_t* extents);
KRAIT_API void check_split(std::int64_t extent, std::int64_t parts);
/// What numpy.rot90 makes of a layout.
KRAIT_API layout turned(const layout& of, std::int64_t times, std::int64_t first,
                        std::int64_t second);
/// Each of `extent` indices `times` times, or as often as its count.
KRAIT_API array<std::int64_t> repeated_indices(std::int64_t extent, std::int64_t times,
                                               const device& on);
KRAIT_API array<std::int64_t> repeated_indices(std::int64_t extent, const any_array& counts);
/// Fills `out`, whose extents are multiples, with x.
KRAIT_API void tile_into(const any_array& x, const any_array& out);
/// By a distance along each axis.
KRAIT_API void roll_into(const any_array& x, const std::int64_t* distances, const any_array& out);
/// Throws error{usage} for a mode that is none, and for widths below 0.
KRAIT_API void padded_shape(const layout& of, const std::int64_t (*widths)[2], const char* mode,
                            std::int64_t* extents);
/// The border, too, but of mode "constant", for which it is filled before.
KRAIT_API void pad_into(const any_array& x, const std::int64_t (*widths)[2], const char* mode,
                        const any_array& out);
KRAIT_API void triangle_into(const any_array& x, std::int64_t k, bool lower, const any_array& out);
/// Along an axis: out(…, i, …) = x(…, indices(…, i, …), …); x and out have the same rank.
KRAIT_API void take_along(const any_array& x, const any_array& indices, int axis,
                          const any_array& out);
KRAIT_API void put_along(const any_array& x, const any_array& indices, int axis,
                         const any_array& values);
/// Of x and indices, but along the axis; that of the indices stays. Throws error{usage}.
KRAIT_API void along_shape(const layout& x, const layout& indices, int axis, std::int64_t* extents);

template <class Argument>
auto only_array(const Argument& x) {
  if constexpr (is_device_array<Argument>::value) {
    return std::tuple<const Argument&>(x);
  } else {
    static_assert(word_option<Argument>,
                  "krait: arrays are put together with arrays and expressions: copy a container of "
                  "the host by kr::to_device");
    return std::tuple<>();
  }
}
/// use(arrays…) of the arguments that are no options.
template <class Use, class... Args>
auto with_arrays(const Use& use, const Args&... args) {
  return std::apply(use, std::tuple_cat(only_array(args)...));
}
template <class Elem, int Rank>
auto with_new_axis(const array<Elem, Rank>& x, std::int64_t axis) {
  static_assert(Rank < max_rank, "krait: an array has at most 6 dimensions");
  layout at = layout_of(x);
  for (int d = Rank; d > axis; --d)
    at.extents[d] = at.extents[d - 1], at.strides[d] = at.strides[d - 1];
  at.extents[axis] = 1, at.strides[axis] = 0, at.rank = Rank + 1;
  return array<const Elem, Rank + 1>(view_at(at, x));
}
/// With dimensions of extent 1 before its own.
template <class Elem, int Rank, int To>
array<const Elem, To> views_of(const array<Elem, Rank>& x, const shape<To>& extents) {
  layout at;
  at.rank = To, at.offset = layout_of(x).offset;
  for (int d = 0; d < To; ++d)
    at.extents[d] = extents[d], at.strides[d] = d < To - Rank ? 0 : x.stride(d - (To - Rank));
  return view_at(at, x);
}

template <class Elem, class Part, int Rank>
void place_part(array<Elem, Rank>& out, std::int64_t axis, std::int64_t& first,
                const array<Part, Rank>& part) {
  layout at = layout_of(out);
  at.extents[axis] = part.extent(int(axis)), at.offset += first * at.strides[axis];
  first += part.extent(int(axis));
  array<Elem, Rank> to(view_at(at, out));
  if constexpr (std::is_same_v<std::remove_const_t<Part>, Elem>) to.copy_from(part);
  else make_expression<cast_elements<Elem>>(part).into(to);
}
template <class Output, class First, int Rank, class... More>
auto concatenated(Output given, std::int64_t axis, const array<First, Rank>& first,
                  const More&... more) {
  static_assert(((More::rank == Rank) && ...),
                "krait: all the arrays must have the same number of dimensions");
  using elem = common_of_numbers<First, typename More::element_type...>;
  const layout at[] = {layout_of(first), layout_of(more)...};
  std::int64_t extents[Rank];
  join_shape(at, 1 + int(sizeof...(More)), axis, extents);
  auto out =
      result_in<elem, Rank>(given, dense(extents, Rank, false), first.device(), first, more...);
  std::int64_t next = 0;
  place_part(out.to, axis, next, first);
  (place_part(out.to, axis, next, more), ...);
  return out.give();
}
/// A container of the host that has arrays.
template <class Type>
concept array_container =
    !is_device_array<Type>::value && !deferred<Type> && requires(const Type& c) {
      requires is_device_array<std::remove_cvref_t<decltype(*c.begin())>>::value;
      c.size(), c.end();
    };
template <class Type>
concept joinable = is_device_array<Type>::value || array_container<Type>;
template <class Type>
inline constexpr int joined_rank =
    std::remove_cvref_t<decltype(*std::declval<Type&>().begin())>::rank;
template <class Type>
  requires is_device_array<Type>::value
inline constexpr int joined_rank<Type> = Type::rank;
/// The same of the arrays in a container; as(array) is a view of each that is used.
template <class Output, class Container, class As>
auto concatenated_all(Output given, std::int64_t axis, const Container& arrays, const As& as) {
  using part = decltype(as(*arrays.begin()));
  using elem = std::remove_const_t<typename part::element_type>;
  host_array<layout> at(arrays.size());
  layout* next = at.data();
  for (const auto& each : arrays) *next++ = layout_of(as(each));
  shape<part::rank> extents;
  join_shape(at.data(), int(at.size()), axis, extents.extents);
  array<elem, part::rank> out(extents, (*arrays.begin()).device());
  std::int64_t first = 0;
  for (const auto& each : arrays) {
    check_input(each, out.device());
    place_part(out, axis, first, as(each));
  }
  return give_result(given, std::move(out));
}
/// Arrays to name by `auto [a, b] =`. A std::array would cost more lines than the rest.
template <class Array, std::size_t Count>
struct split_arrays {
  Array at[Count];

  const Array& operator[](std::size_t i) const { return at[i]; }
  Array& operator[](std::size_t i) { return at[i]; }
  const Array* begin() const { return at; }
  const Array* end() const { return at + Count; }
  Array* begin() { return at; }
  Array* end() { return at + Count; }
  static constexpr std::size_t size() { return Count; }
  template <std::size_t I>
  const Array& get() const& {
    return at[I];
  }
  template <std::size_t I>
  Array& get() & {
    return at[I];
  }
  template <std::size_t I>
  Array&& get() && {
    return std::move(at[I]);
  }
};
template <class Array, int Count, std::size_t... Index>
auto parts_until(Array& x, int along, const std::int64_t (&ends)[Count],
                 std::index_sequence<Index...>) {
  using part_type = array<element_through<Array>, Array::rank>;
  const auto part = [&](std::size_t i) {
    slice_item items[Array::rank];
    items[along].first = {i == 0 ? 0 : ends[i - 1], slice_item::number};
    items[along].last = {ends[i], slice_item::number};
    return part_type(view_at(slice(layout_of(x), items, Array::rank), x));
  };
  return split_arrays<part_type, Count>{part(Index)...};
}
template <class Elem, int Rank, class... Options>
auto taken_along(const array<Elem, Rank>& x, const array<std::int64_t>& indices, int axis,
                 const Options&... options) {
  shape<Rank> extents = x.extents();
  extents.extents[axis] = indices.size();
  auto out = result_in<std::remove_const_t<Elem>, Rank>(
      output_in(options...), dense(extents.extents, Rank, false), x.device(), x);
  take_rows(erased(x), indices, axis, erased(out.to));
  return out.give();
}
template <class Option, int Count>
void add_distances(const Option& option, const std::int64_t (&distances)[Count], int rank,
                   std::int64_t* to) {
  if constexpr (axes_in<Option> > 0) {
    static_assert(axes_in<Option> == Count || Count == 1,
                  "krait: roll takes one distance, or one for each axis");
    const axis_list axes(option);
    for (int i = 0; i < axes_in<Option>; ++i)
      to[checked_axis(axes.at[i], rank)] += distances[Count == 1 ? 0 : i];
  }
}
template <class Elem, int Rank, int Count, class... Options>
auto rolled(const array<Elem, Rank>& x, const std::int64_t (&distances)[Count],
            const Options&... options) {
  auto out = result_in<std::remove_const_t<Elem>, Rank>(
      output_in(options...), dense(x.extents().extents, Rank, false), x.device(), x);
  if constexpr ((axes_in<Options> + ... + 0) == 0) {
    static_assert(Count == 1, "krait: roll by several distances needs kr::axis with as many axes");
    const auto flat = with_extents(out.to, shape<1>(x.size()));
    roll_into(erased(x.share().reshape(-1)), distances, erased(flat));
  } else {
    std::int64_t by[Rank]{};
    (add_distances(options, distances, Rank, by), ...);
    roll_into(erased(x), by, erased(out.to));
  }
  return out.give();
}
template <class Elem, int Rank>
auto padded(const array<Elem, Rank>& x, const std::int64_t (&widths)[Rank][2], const char* mode,
            const std::remove_const_t<Elem>& value) {
  shape<Rank> extents;
  padded_shape(layout_of(x), widths, mode, extents.extents);
  array<std::remove_const_t<Elem>, Rank> out(extents, x.device());
  if (mode[0] == 'c') out.fill(value);
  pad_into(erased(x), widths, mode, erased(out));
  return out;
}
template <class Elem, int Rank>
auto triangle(const array<Elem, Rank>& x, std::int64_t k, bool lower) {
  static_assert(Rank >= 2, "krait: triangles are of matrices: arrays of two dimensions or more");
  array<std::remove_const_t<Elem>, Rank> out(x.extents(), x.device());
  triangle_into(erased(x), k, lower, erased(out));
  return out;
}
/// The indices counted from the first, with the extents of the result.
template <class Elem, class Index, int Rank>
array<const std::int64_t, Rank> along_indices(const array<Elem, Rank>& x,
                                              const array<Index, Rank>& indices, int along) {
  std::int64_t extents[Rank];
  along_shape(layout_of(x), layout_of(indices), along, extents);
  const auto checked = checked_indices(indices.share().reshape(-1), x.extent(along), along);
  shape<Rank> own = indices.extents();
  const auto made = with_extents(checked, own);
  return view_at(broadcast_to(layout_of(made), extents, Rank), made);
}

}  // namespace krait::detail

template <class Array, std::size_t Count>
struct std::tuple_size<krait::detail::split_arrays<Array, Count>>
    : std::integral_constant<std::size_t, Count> {};
template <std::size_t I, class Array, std::size_t Count>
struct std::tuple_element<I, krait::detail::split_arrays<Array, Count>> {
  using type = Array;
};
