// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of arrays beside kr::matmul, as in NumPy:
//   auto table = kr::outer(x, y);
//   auto sums = kr::tensordot(a, b, kr::axis(1), kr::axis(0));
//   float all = kr::trace(a);
#pragma once

#include <krait/algorithm/detail/axes.h>
#include <krait/algorithm/matmul.h>

namespace krait {
namespace detail {

/// The other dimensions in their order, and those of a list, before or after them.
KRAIT_API layout with_axes(const layout& of, const std::int64_t* axes, int count, bool last);
/// Throws error{usage} unless the extents of the axes are equal.
KRAIT_API void check_tensordot(const layout& x, const layout& y, int count);
/// Throws error{usage} unless vectors have three elements.
KRAIT_API void check_cross(const layout& x, const layout& y);

template <class Elem, int Rank>
array<const Elem, Rank> with_layout(const array<Elem, Rank>& x, const layout& at) {
  return view_at(at, x);
}
template <int Count, class Left, int LeftRank, class Right, int RightRank>
auto tensordot_of(const array<Left, LeftRank>& x, const array<Right, RightRank>& y,
                  const std::int64_t* axes, const std::int64_t* others) {
  constexpr int rank = LeftRank + RightRank - 2 * Count;
  static_assert(Count <= LeftRank && Count <= RightRank,
                "krait: tensordot sums over more axes than an array has");
  static_assert(rank <= max_rank, "krait: the result of tensordot has more than 6 dimensions");
  const auto left = with_layout(x, with_axes(layout_of(x), axes, Count, true));
  const auto right = with_layout(y, with_axes(layout_of(y), others, Count, false));
  check_tensordot(layout_of(left), layout_of(right), Count);
  std::int64_t rows = 1, summed = 1, columns = 1, extents[rank > 0 ? rank : 1];
  for (int d = 0; d < LeftRank - Count; ++d) rows *= extents[d] = left.extent(d);
  for (int d = 0; d < Count; ++d) summed *= right.extent(d);
  for (int d = Count; d < RightRank; ++d)
    columns *= extents[LeftRank - Count + d - Count] = right.extent(d);
  const auto a = left.reshape(rows, summed);
  const auto b = right.reshape(summed, columns);
  if constexpr (rank == 0) {
    return matmul(a(0, all), b(all, 0));
  } else {
    const auto z = matmul(a, b);
    using elem = std::remove_const_t<typename std::remove_cvref_t<decltype(z)>::element_type>;
    return array<elem, rank>(view_at(dense(extents, rank, false), z));
  }
}
/// x(…, None, …, None) or x(None, …, None, …): its dimensions every second time.
template <class Elem, int Rank>
auto every_second(const array<Elem, Rank>& x, bool first) {
  static_assert(2 * Rank <= max_rank, "krait: kron takes arrays of up to three dimensions");
  layout at = layout_of(x);
  at.rank = 2 * Rank;
  for (int d = Rank; d-- > 0;) {
    const int own = 2 * d + (first ? 0 : 1), other = 2 * d + (first ? 1 : 0);
    at.extents[own] = x.extent(d), at.strides[own] = x.stride(d);
    at.extents[other] = 1, at.strides[other] = 0;
  }
  return array<const Elem, 2 * Rank>(view_at(at, x));
}
template <class Elem, int Rank>
auto component_along(const array<Elem, Rank>& x, std::int64_t i) {
  layout at = layout_of(x);
  at.offset += i * at.strides[Rank - 1], at.extents[Rank - 1] = 1;
  return array<Elem, Rank>(view_at(at, x));
}

}  // namespace detail

/// The sum of a diagonal of a matrix, or of the first two axes, as numpy.trace.
/// \code
/// float sum = kr::trace(a);
/// \endcode
template <class Elem, int Rank>
auto trace(const array<Elem, Rank>& a, std::int64_t offset = 0) {
  static_assert(Rank >= 2, "krait: trace takes arrays of two dimensions or more");
  if constexpr (Rank == 2) return sum(a.diagonal(offset));
  else return sum(a.diagonal(offset), axis(-1));
}
/// All products of an element of x and one of y, as numpy.outer; of more dimensions in C order.
/// \code
/// auto table = kr::outer(x, y);
/// \endcode
template <class Left, int LeftRank, class Right, int RightRank>
auto outer(const array<Left, LeftRank>& x, const array<Right, RightRank>& y) {
  using elem = detail::product_type<Left, Right>;
  const auto column = x.share().reshape(-1, 1);
  const auto row = y.share().reshape(1, -1);
  array<elem, 2> z = column * row;
  return z;
}
/// The sums of products over the last axes of both, as numpy.inner; a number of two vectors.
/// \code
/// float product = kr::inner(x, y);
/// \endcode
template <class Left, int LeftRank, class Right, int RightRank>
auto inner(const array<Left, LeftRank>& x, const array<Right, RightRank>& y) {
  const std::int64_t last[] = {LeftRank - 1}, other[] = {RightRank - 1};
  return detail::tensordot_of<1>(x, y, last, other);
}
/// The sums of products over the last Count axes of x and the first of y, as numpy.tensordot.
/// \code
/// auto z = kr::tensordot<1>(a, b);
/// \endcode
template <int Count = 2, class Left, int LeftRank, class Right, int RightRank>
auto tensordot(const array<Left, LeftRank>& x, const array<Right, RightRank>& y) {
  std::int64_t last[Count > 0 ? Count : 1], first[Count > 0 ? Count : 1];
  for (int i = 0; i < Count; ++i) last[i] = LeftRank - Count + i, first[i] = i;
  return detail::tensordot_of<Count>(x, y, last, first);
}
/// The same over the axes that are named.
/// \code
/// auto z = kr::tensordot(a, b, kr::axis(0, 1), kr::axis(1, 0));
/// \endcode
template <class Left, int LeftRank, class Right, int RightRank, int Count>
auto tensordot(const array<Left, LeftRank>& x, const array<Right, RightRank>& y,
               const detail::axis_list<Count>& of_x, const detail::axis_list<Count>& of_y) {
  return detail::tensordot_of<Count>(x, y, of_x.at, of_y.at);
}
/// The product of conjugated x and y over all elements, as numpy.vdot.
template <class Left, int LeftRank, class Right, int RightRank>
auto vdot(const array<Left, LeftRank>& x, const array<Right, RightRank>& y) {
  if constexpr (detail::complex_number<std::remove_const_t<Left>>)
    return sum(conj(x.share().reshape(-1)) * y.share().reshape(-1));
  else return dot(x.share().reshape(-1), y.share().reshape(-1));
}
/// The Kronecker product of arrays of one number of dimensions, as numpy.kron.
/// \code
/// auto blocks = kr::kron(kr::eye<float>(3), a);
/// \endcode
template <class Left, class Right, int Rank>
auto kron(const array<Left, Rank>& x, const array<Right, Rank>& y) {
  using elem = detail::product_type<Left, Right>;
  const array<elem, 2 * Rank> z = detail::every_second(x, true) * detail::every_second(y, false);
  shape<Rank> extents;
  for (int d = 0; d < Rank; ++d) extents.extents[d] = x.extent(d) * y.extent(d);
  return array<elem, Rank>(detail::view_at(detail::dense(extents.extents, Rank, false), z));
}
/// The cross products of vectors of three elements along the last axis, as numpy.cross.
/// \code
/// auto normals = kr::cross(a, b);
/// \endcode
template <class Left, class Right, int Rank>
auto cross(const array<Left, Rank>& x, const array<Right, Rank>& y) {
  using elem = detail::product_type<Left, Right>;
  detail::check_cross(detail::layout_of(x), detail::layout_of(y));
  array<elem, Rank> z(x.extents(), x.device());
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    auto to = detail::component_along(z, i);
    (detail::component_along(x, j) * detail::component_along(y, k) -
     detail::component_along(x, k) * detail::component_along(y, j))
        .into(to);
  }
  return z;
}

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(trace, outer, inner, tensordot, vdot, kron, cross)
KRAIT_TAKES_LISTS(outer, inner, vdot, kron, cross)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
