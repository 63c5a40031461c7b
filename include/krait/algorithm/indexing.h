// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that an array of indices or of bool names, as in NumPy:
//   kr::array<float> some = a(indices);         // or kr::take(a, indices, axis); indices below 0 count from the end
//   kr::array<float> above = a(a > 0.0f);       // or kr::compress(a > 0.0f, a); in C order
//   a(indices) = 1.0f, a(a < 0.0f) = 0.0f;      // where indices are equal, the last value stays
//   kr::array<float> z = kr::where(a > 0.0f, a, -1.0f);
// An index out of bounds is an error in NumPy's words, before anything is written.
#pragma once

#include <krait/algorithm/detail/selection.h>

namespace krait {

/// From x where the mask is not 0, else from y: an expression. Shapes broadcast; x and y may be numbers.
template <detail::whole_array Mask, class Yes, class No>
auto where(Mask&& mask, Yes&& x, No&& y) {
  return detail::make_expression<detail::chosen_element>(std::forward<Mask>(mask), std::forward<Yes>(x), std::forward<No>(y));
}

/// The elements at these indices along an axis, which becomes the indices' dimensions: of shape (…, indices' shape, …). kr::into(y) takes them.
template <class Elem, int Rank, class Index, int IndexRank, detail::into_option... Options>
auto take(const array<Elem, Rank>& x, const array<Index, IndexRank>& indices, std::int64_t axis = 0, const Options&... options) {
  constexpr int rank = Rank - 1 + IndexRank;
  const int along = detail::first_axis(detail::axes_mask(&axis, 1, Rank));
  const auto checked = detail::checked_indices(indices.reshape(-1), x.extent(along), along);
  shape<rank> extents;
  for (int d = 0; d < rank; ++d)
    extents.extents[d] = d < along               ? x.extent(d)
                         : d < along + IndexRank ? indices.extent(d - along)
                                                 : x.extent(d - IndexRank + 1);
  auto out = detail::result_in<std::remove_const_t<Elem>, rank>(detail::output_in(options...),
                                                                detail::dense(extents.extents, rank, false), x.device(), x);
  shape<Rank> rows = x.extents();
  rows.extents[along] = checked.size();
  detail::take_rows(x, checked, along, detail::with_extents(out.to, rows));
  return out.give();
}

/// x's elements in C order at these indices become the values, a number or as many elements as indices.
template <class Elem, int Rank, class Index, class Values>
void put(array<Elem, Rank>& x, const array<Index, 1>& indices, const Values& values) {
  const auto at = detail::checked_indices(indices, x.size(), 0);
  detail::put_flat(x, at, values);
}

/// The numbers, in C order, of the elements that are not 0. Waits for their count.
template <detail::whole_array Mask>
array<std::int64_t, 1> flatnonzero(const Mask& mask) {
  return detail::places_of(detail::as_mask(mask));
}
/// The elements where the mask, of the array's shape, is not 0, in C order.
template <detail::whole_array Mask, class Elem, int Rank>
array<std::remove_const_t<Elem>, 1> compress(const Mask& mask, const array<Elem, Rank>& x) {
  const auto chosen = detail::as_mask(mask);
  detail::check_mask(chosen.extents(), x.extents());
  return detail::take_flat(x, detail::places_of(chosen));
}

}  // namespace krait
