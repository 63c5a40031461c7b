// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions in sorted arrays, and elements by their positions.
//   auto at = kr::searchsorted(edges, x, kr::side::right);
//   auto chosen = kr::gather(x, places);
#pragma once

#include <krait/algorithm/detail/form.h>

namespace krait {

/// Whether kr::searchsorted gives the position before (`left`) or after (`right`) equal elements.
enum class side : unsigned char { left, right };

namespace detail {

/// In the order of sorts: NaN is last.
template <plain Elem>
value<bool> key_before(const value<Elem>& x, const value<Elem>& y) {
  if constexpr (is_float_v<Elem>) return (x < y) || (x == x && y != y);
  else return x < y;
}
template <plain Elem>
value<bool> same_key(const value<Elem>& x, const value<Elem>& y) {
  if constexpr (is_float_v<Elem>) return x == y || (x != x && y != y);
  else return x == y;
}

/// The first place of `sorted` where x may stand.
template <plain Elem>
value<std::int64_t> place_in(const view<const Elem>& sorted, const value<Elem>& x, bool right) {
  var<std::int64_t> low = std::int64_t(0), high = sorted.size();
  while_([&] { return low < high; },
         [&] {
           const value<std::int64_t> half = low + (high - low) / 2;
           const value<Elem> other = sorted[half];
           const value<bool> behind = right ? !key_before(x, other) : key_before(other, x);
           if_(behind, [&] { low = half + 1; }).else_([&] { high = half; });
         });
  return value<std::int64_t>(low);
}

}  // namespace detail

/// The position, int64, of each x in a sorted array, as numpy.searchsorted.
/// `sorted` is in the order of kr::sort. kr::into(y) takes the result.
/// \code
/// auto positions = kr::searchsorted(x, y, kr::side::right);
/// \endcode
template <detail::plain Elem, detail::plain Other, detail::into_option... Options>
  requires std::is_same_v<std::remove_const_t<Elem>, std::remove_const_t<Other>>
auto searchsorted(const array<Elem, 1>& sorted, const array<Other, 1>& x, side where = side::left,
                  const Options&... options) {
  using element = std::remove_const_t<Elem>;
  static const auto make = [](bool right) {
    return kernel(
        [right](view<const element> in, view<const element> from, view<std::int64_t> to) {
          for (auto i : grid_stride(from.size()))
            to[i] = detail::place_in<element>(in, value<element>(from[i]), right);
        },
        {.name = "searchsorted"});
  };
  static auto& left = lasting(make(false));
  static auto& right = lasting(make(true));
  auto out = detail::result_in<std::int64_t, 1>(detail::output_in(options...),
                                                detail::dense(x.extents().extents, 1, false),
                                                x.device(), sorted, x);
  if (x.size() > 0) (where == side::left ? left : right).forall(x.size())(sorted, x, out.to);
  return out.give();
}

/// Gathers elements: out(i) = x(places(i)).
/// Places must be within x; KRAIT_CHECK=1 reports others. kr::into(y) takes the result.
/// \code
/// auto chosen = kr::gather(x, indices);
/// \endcode
template <class Elem, std::integral Place, detail::into_option... Options>
auto gather(const array<Elem, 1>& x, const array<Place, 1>& places, const Options&... options) {
  using element = std::remove_const_t<Elem>;
  static auto& fetch = lasting(kernel(
      [](view<const element> from, view<const std::remove_const_t<Place>> at, view<element> to) {
        for (auto i : grid_stride(at.size())) to[i] = value<element>(from[at[i]]);
      },
      {.name = "gather"}));
  auto out = detail::result_in<element, 1>(detail::output_in(options...),
                                           detail::dense(places.extents().extents, 1, false),
                                           x.device(), x, places);
  if (places.size() > 0) fetch.forall(places.size())(x, places, out.to);
  return out.give();
}
/// Scatters elements: to(places(i)) = x(i), with places within `to`.
/// If a place occurs twice, one of its elements stays. A source that overlaps `to` is copied first.
/// Throws error{usage} if elements of `to` share memory.
/// \code
/// kr::scatter(y, indices, x);
/// \endcode
template <class Elem, std::integral Place>
void scatter(const array<Elem, 1>& x, const array<Place, 1>& places,
             array<std::remove_const_t<Elem>, 1>& to) {
  using element = std::remove_const_t<Elem>;
  detail::check_same_shape(places.extents().extents, x.extents().extents, 1, "scatter");
  static auto& put = lasting(kernel(
      [](view<const element> from, view<const std::remove_const_t<Place>> at, view<element> out) {
        for (auto i : grid_stride(at.size())) out[at[i]] = value<element>(from[i]);
      },
      {.name = "scatter"}));
  if (x.size() == 0) return;
  const detail::layout written = to.at(), read = x.at(), by = places.at();
  detail::check_apart(written, "scatter");
  const detail::elements out{to.memory(), &written, sizeof(element)};
  if (detail::may_meet({x.memory(), &read, sizeof(element)}, out))
    return scatter(x.copy(), places, to);
  if (detail::may_meet({places.memory(), &by, sizeof(Place)}, out))
    return scatter(x, places.copy(), to);
  put.forall(x.size())(x, places, to);
}

}  // namespace krait
