// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays put together, taken apart, repeated, moved and padded, as in NumPy:
//   auto all = kr::concatenate(x, y, kr::axis(1));
//   auto [left, right] = kr::split<2>(x);
//   auto framed = kr::pad(x, 1, "reflect");
// Elements of several types have their common type. Negative axes count from the last.
#pragma once

#include <krait/algorithm/detail/rearranging.h>

namespace krait {

/// Arrays one after another along an axis, by default the first, as numpy.concatenate.
/// They are arguments, or the elements of a container of the host, as of stack, hstack and vstack.
/// The other extents must be equal. Options after the arrays are kr::axis and kr::into. Throws
/// error{usage} for extents that differ.
/// \code
/// auto both = kr::concatenate(x, y);
/// auto wide = kr::concatenate(a, b, kr::axis(1));
/// \endcode
template <detail::joinable First, class... More>
  requires(!detail::some_deferred<More...>)
auto concatenate(const First& first, const More&... more) {
  const std::int64_t axis = detail::axis_in(0, more...);
  if constexpr (detail::array_container<First>)
    return detail::concatenated_all(detail::output_in(more...), axis, first,
                                    [](const auto& each) { return each.share(); });
  else
    return detail::with_arrays(
        [&](const auto&... arrays) {
          return detail::concatenated(detail::output_in(more...), axis, arrays...);
        },
        first, more...);
}
/// Arrays of one shape along a new axis, by default the first, as numpy.stack.
/// \code
/// auto rows = kr::stack(x, y);
/// auto columns = kr::stack(x, y, kr::axis(-1));
/// \endcode
template <detail::joinable First, class... More>
  requires(!detail::some_deferred<More...>)
auto stack(const First& first, const More&... more) {
  const std::int64_t axis =
      detail::checked_axis(detail::axis_in(0, more...), detail::joined_rank<First> + 1);
  if constexpr (detail::array_container<First>)
    return detail::concatenated_all(detail::output_in(more...), axis, first, [&](const auto& each) {
      return detail::with_new_axis(each, axis);
    });
  else
    return detail::with_arrays(
        [&](const auto&... arrays) {
          return detail::concatenated(detail::output_in(more...), axis,
                                      detail::with_new_axis(arrays, axis)...);
        },
        first, more...);
}
/// Arrays side by side, as numpy.hstack: along the second axis, vectors along their only one.
/// \code
/// auto wide = kr::hstack(a, b);
/// \endcode
template <detail::joinable First, class... More>
  requires(!detail::some_deferred<More...>)
auto hstack(const First& first, const More&... more) {
  return concatenate(first, more..., detail::axis_list<1>(detail::joined_rank<First> == 1 ? 0 : 1));
}
/// Arrays one below another, as numpy.vstack; vectors are rows.
/// \code
/// auto rows = kr::vstack(x, y);
/// \endcode
template <detail::joinable First, class... More>
  requires(!detail::some_deferred<More...>)
auto vstack(const First& first, const More&... more) {
  if constexpr (detail::joined_rank<First> == 1) return stack(first, more...);
  else return concatenate(first, more...);
}

/// Count views of equal extent along an axis, by default the first, as numpy.split.
/// Those of an array that is not const can be written. Throws error{usage} if the extent is not a
/// multiple of Count.
/// \code
/// auto [left, right] = kr::split<2>(a, kr::axis(1));
/// \endcode
template <int Count, class Array, detail::word_option... Options>
  requires detail::is_device_array<std::remove_reference_t<Array>>::value
auto split(Array&& x, const Options&... options) {
  static_assert(Count >= 1, "krait: split needs a number of parts");
  constexpr int rank = std::remove_reference_t<Array>::rank;
  const int along = detail::checked_axis(detail::axis_in(0, options...), rank);
  std::int64_t ends[Count];
  detail::check_split(x.extent(along), Count);
  for (int i = 0; i < Count; ++i) ends[i] = x.extent(along) / Count * (i + 1);
  return detail::parts_until(x, along, ends, std::make_index_sequence<Count>());
}
/// Views before and between these indices and after the last, as numpy.split.
/// \code
/// auto [head, middle, tail] = kr::split(x, {2, 5});
/// \endcode
template <class Array, std::integral Index, int Count, detail::word_option... Options>
  requires detail::is_device_array<std::remove_reference_t<Array>>::value
auto split(Array&& x, const Index (&at)[Count], const Options&... options) {
  constexpr int rank = std::remove_reference_t<Array>::rank;
  const int along = detail::checked_axis(detail::axis_in(0, options...), rank);
  std::int64_t ends[Count + 1];
  for (int i = 0; i < Count; ++i) ends[i] = std::int64_t(at[i]);
  ends[Count] = x.extent(along);
  return detail::parts_until(x, along, ends, std::make_index_sequence<Count + 1>());
}

/// Of expressions, too: of the array that they become.
template <int Count, detail::deferred Array, detail::word_option... Options>
auto split(const Array& x, const Options&... options) {
  return split<Count>(detail::as_argument(x), options...);
}
template <detail::deferred Array, std::integral Index, int Count, detail::word_option... Options>
auto split(const Array& x, const Index (&at)[Count], const Options&... options) {
  return split(detail::as_argument(x), at, options...);
}

/// Every element `times` times, one after another, as numpy.repeat.
/// Without kr::axis the elements are taken in C order. An array of counts has one per index along
/// the axis. Throws error{usage} for negative counts.
/// \code
/// auto twice = kr::repeat(x, 2);
/// auto rows = kr::repeat(a, kr::to_device({2, 0, 1}), kr::axis(0));
/// \endcode
template <class Elem, int Rank, class Times, detail::word_option... Options>
  requires(!detail::deferred<Times>)
auto repeat(const array<Elem, Rank>& x, const Times& times, const Options&... options) {
  constexpr bool along = (detail::axes_in<Options> + ... + 0) == 1;
  if constexpr (!along && Rank > 1) {
    return repeat(x.share().reshape(-1), times, options...);
  } else {
    const int axis = detail::checked_axis(detail::axis_in(0, options...), Rank);
    if constexpr (std::integral<Times>) {
      return detail::taken_along(
          x, detail::repeated_indices(x.extent(axis), std::int64_t(times), x.device()), axis,
          options...);
    } else {
      static_assert(Times::rank == 1, "krait: repeat takes a number, or one count per index");
      return detail::taken_along(x, detail::repeated_indices(x.extent(axis), detail::erased(times)),
                                 axis, options...);
    }
  }
}
/// The whole array again and again along its axes, as numpy.tile (kr::tile is a part of a matrix in
/// a kernel).
/// \code
/// auto board = kr::tiled(a, 4, 4);
/// \endcode
template <class Elem, int Rank, std::integral... Times>
  requires(sizeof...(Times) > 0)
auto tiled(const array<Elem, Rank>& x, Times... times) {
  constexpr int rank = detail::largest({Rank, int(sizeof...(Times))});
  std::int64_t counts[rank];
  for (std::int64_t& count : counts) count = 1;
  int next = rank - int(sizeof...(Times));
  ((counts[next++] = std::int64_t(times)), ...);
  shape<rank> extents;
  for (int d = 0; d < rank; ++d)
    extents.extents[d] = d < rank - Rank ? 1 : x.extent(d - (rank - Rank));
  const auto from = detail::views_of(x, extents);
  for (int d = 0; d < rank; ++d) extents.extents[d] *= counts[d];
  array<std::remove_const_t<Elem>, rank> out(extents, x.device());
  detail::tile_into(detail::erased(from), detail::erased(out));
  return out;
}

/// The elements moved by a distance, those that leave come in at the other end, as numpy.roll.
/// Without kr::axis they move in C order. Several axes take a distance in braces for each.
/// \code
/// auto next = kr::roll(x, 1);
/// auto moved = kr::roll(a, {1, -1}, kr::axis(0, 1));
/// \endcode
template <class Elem, int Rank, std::integral Distance, detail::word_option... Options>
auto roll(const array<Elem, Rank>& x, Distance distance, const Options&... options) {
  const std::int64_t one[] = {std::int64_t(distance)};
  return detail::rolled(x, one, options...);
}
template <class Elem, int Rank, std::integral Distance, int Count, detail::word_option... Options>
auto roll(const array<Elem, Rank>& x, const Distance (&distances)[Count],
          const Options&... options) {
  std::int64_t all_of[Count];
  for (int i = 0; i < Count; ++i) all_of[i] = std::int64_t(distances[i]);
  return detail::rolled(x, all_of, options...);
}

/// The array with a border of `width` elements on all sides, as numpy.pad.
/// Modes are "constant" (with `value`), "edge", "reflect" (without the edge itself), "symmetric"
/// (with it) and "wrap". Throws error{usage} for other modes, for negative widths and for a border
/// of an empty axis that needs its elements.
/// \code
/// auto framed = kr::pad(a, 1);
/// auto mirrored = kr::pad(a, {{2, 0}, {1, 1}}, "reflect");
/// \endcode
template <class Elem, int Rank>
auto pad(const array<Elem, Rank>& x, std::int64_t width, const char* mode = "constant",
         std::remove_const_t<Elem> value = {}) {
  std::int64_t widths[Rank][2];
  for (auto& each : widths) each[0] = each[1] = width;
  return detail::padded(x, widths, mode, value);
}
/// The same with a width before and one after, for all axes or for each of them.
template <class Elem, int Rank>
auto pad(const array<Elem, Rank>& x, const std::int64_t (&width)[2], const char* mode = "constant",
         std::remove_const_t<Elem> value = {}) {
  std::int64_t widths[Rank][2];
  for (auto& each : widths) each[0] = width[0], each[1] = width[1];
  return detail::padded(x, widths, mode, value);
}
template <class Elem, int Rank>
auto pad(const array<Elem, Rank>& x, const std::int64_t (&widths)[Rank][2],
         const char* mode = "constant", std::remove_const_t<Elem> value = {}) {
  return detail::padded(x, widths, mode, value);
}

/// A view that runs backwards along axes, or along all; that of an array that is not const can be
/// written.
/// \code
/// auto back = kr::flip(x);
/// \endcode
template <class Array, class... Axes>
  requires(detail::is_device_array<std::remove_reference_t<Array>>::value &&
           ((detail::axes_in<Axes> != 0) && ...))
auto flip(Array&& x, const Axes&... axes) {
  constexpr int rank = std::remove_reference_t<Array>::rank;
  const unsigned named = (detail::mask_of(axes, rank) | ... | 0);
  std::int64_t along[rank];
  int count = 0;
  for (int d = 0; d < rank; ++d)
    if (sizeof...(Axes) == 0 || (named >> d & 1)) along[count++] = d;
  return detail::views::make<rank>(x, detail::flip(detail::layout_of(x), along, count));
}
/// A view turned by `times` quarters from the first axis towards the second, as numpy.rot90.
/// That of an array that is not const can be written.
/// \code
/// auto turned = kr::rot90(a);
/// \endcode
template <class Array>
  requires detail::is_device_array<std::remove_reference_t<Array>>::value
auto rot90(Array&& x, std::int64_t times = 1, std::int64_t first = 0, std::int64_t second = 1) {
  constexpr int rank = std::remove_reference_t<Array>::rank;
  static_assert(rank >= 2, "krait: rot90 turns arrays of two dimensions or more");
  return detail::views::make<rank>(x, detail::turned(detail::layout_of(x), times, first, second));
}
/// The elements on and below the k-th diagonal of each matrix, others are 0, as numpy.tril.
/// \code
/// auto lower = kr::tril(a);
/// \endcode
template <class Elem, int Rank>
auto tril(const array<Elem, Rank>& x, std::int64_t k = 0) {
  return detail::triangle(x, k, true);
}
/// The elements on and above the k-th diagonal of each matrix, others are 0, as numpy.triu.
template <class Elem, int Rank>
auto triu(const array<Elem, Rank>& x, std::int64_t k = 0) {
  return detail::triangle(x, k, false);
}
/// The elements along an axis at the places that `indices` has, as numpy.take_along_axis.
/// Indices have the array's number of dimensions; other extents broadcast. Negative ones count
/// from the end. Throws error{usage} for an index out of bounds.
/// \code
/// auto most = kr::take_along_axis(a, kr::argmax(a, kr::axis(1), kr::keepdims), 1);
/// \endcode
template <class Elem, class Index, int Rank>
auto take_along_axis(const array<Elem, Rank>& x, const array<Index, Rank>& indices,
                     const detail::axis_list<1>& axis) {
  const int along = detail::checked_axis(axis.at[0], Rank);
  const auto at = detail::along_indices(x, indices, along);
  array<std::remove_const_t<Elem>, Rank> out(at.extents(), x.device());
  detail::take_along(detail::erased(x), detail::erased(at), along, detail::erased(out));
  return out;
}
/// Sets the elements along an axis at the places that `indices` has, as numpy.put_along_axis.
/// Values are a number or an array that broadcasts to the indices; of equal indices one value
/// stays. Throws error{usage} for an index out of bounds, before anything is written.
/// \code
/// kr::put_along_axis(a, kr::argmax(a, kr::axis(1), kr::keepdims), 0.0f, 1);
/// \endcode
template <class Elem, int Rank, detail::whole_array Indices, class Values>
void put_along_axis(array<Elem, Rank>& x, const Indices& indices, const Values& values,
                    const detail::axis_list<1>& axis) {
  const int along = detail::checked_axis(axis.at[0], Rank);
  const auto at = detail::along_indices(x, detail::evaluated(indices), along);
  array<Elem, Rank> given(at.extents(), x.device());
  detail::assign_elements(detail::all_tag(), given, values);
  detail::put_along(detail::erased(x), detail::erased(at), along, detail::erased(given));
}

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(concatenate, stack, hstack, vstack, repeat, tiled, roll, pad, flip, rot90,
                        tril, triu, take_along_axis)
KRAIT_TAKES_LISTS(repeat)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
