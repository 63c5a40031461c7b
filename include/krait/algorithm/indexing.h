// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements selected by an array of indices or of bool, as in NumPy:
//   // or kr::take(a, indices, axis); indices below 0 count from the end
//   kr::array<float> some = a(indices);
//   kr::array<float> above = a(a > 0.0f);       // or kr::compress(a > 0.0f, a); in C order
//   a(indices) = 1.0f, a(a < 0.0f) = 0.0f;      // where indices are equal, the last value stays
//   kr::array<float> z = kr::where(a > 0.0f, a, -1.0f);
// An index out of bounds is an error in NumPy's words, before anything is written.
#pragma once

#include <krait/algorithm/detail/numbers.h>
#include <krait/algorithm/detail/selection.h>

namespace krait {

/// Chooses from x where the mask is not 0, else from y: an expression.
/// Shapes broadcast; x and y may be numbers.
/// \code
/// kr::array<float> z = kr::where(x > 0.0f, x, -1.0f);
/// \endcode
template <detail::whole_array Mask, class Yes, class No>
auto where(Mask&& mask, Yes&& x, No&& y) {
  return detail::make_expression<detail::chosen_element>(std::forward<Mask>(mask),
                                                         std::forward<Yes>(x), std::forward<No>(y));
}

/// Elements at these indices along an axis, as numpy.take; the axis becomes the indices'
/// dimensions.
/// Negative indices count from the end. kr::into(y) takes the result. Throws error{usage} for an
/// index out of bounds.
/// \code
/// auto some = kr::take(x, indices);
/// \endcode
template <class Elem, int Rank, class Index, int IndexRank, detail::into_option... Options>
auto take(const array<Elem, Rank>& x, const array<Index, IndexRank>& indices,
          const detail::axis_list<1>& axis = 0, const Options&... options) {
  constexpr int rank = Rank - 1 + IndexRank;
  const int along = detail::first_axis(detail::axes_mask(axis.at, 1, Rank));
  const auto checked = detail::checked_indices(indices.reshape(-1), x.extent(along), along);
  shape<rank> extents;
  for (int d = 0; d < rank; ++d)
    extents.extents[d] = d < along               ? x.extent(d)
                         : d < along + IndexRank ? indices.extent(d - along)
                                                 : x.extent(d - IndexRank + 1);
  auto out = detail::result_in<std::remove_const_t<Elem>, rank>(
      detail::output_in(options...), detail::dense(extents.extents, rank, false), x.device(), x);
  shape<Rank> rows = x.extents();
  rows.extents[along] = checked.size();
  detail::take_rows(detail::erased(x), checked, along,
                    detail::erased(detail::with_extents(out.to, rows)));
  return out.give();
}

/// Sets the elements at these indices, in C order, to values: a number, or one element per index.
/// \code
/// kr::put(x, indices, 0.0f);
/// \endcode
template <class Elem, int Rank, detail::whole_array Indices, class Values>
void put(array<Elem, Rank>& x, const Indices& indices, const Values& values) {
  const auto at = detail::checked_indices(detail::flat(detail::evaluated(indices)), x.size(), 0);
  detail::put_values(x, at, values);
}

/// The indices, in C order, of the elements that are not 0; waits for their number.
/// \code
/// auto negative = kr::flatnonzero(x < 0.0f);
/// \endcode
template <detail::whole_array Mask>
array<std::int64_t, 1> flatnonzero(const Mask& mask) {
  return detail::places_of(detail::erased(detail::as_mask(mask)));
}
/// The elements where the mask is not 0, in C order; the mask has the array's shape.
/// \code
/// auto positive = kr::compress(x > 0.0f, x);
/// \endcode
template <detail::whole_array Mask, detail::whole_array Type>
auto compress(const Mask& mask, const Type& x) {
  const auto chosen = detail::as_mask(mask);
  const auto& from = detail::evaluated(x);
  detail::check_mask(chosen.extents(), from.extents());
  return detail::taken(from, detail::places_of(detail::erased(chosen)));
}

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(take)
KRAIT_TAKES_LISTS(take)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
