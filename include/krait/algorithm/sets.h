// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays as sets, with NumPy's names: of any shape, and of two types in the common one. All NaN are
// equal.
//   auto both = kr::intersect1d(x, y);
#pragma once

#include <krait/algorithm/detail/numbers.h>
#include <krait/algorithm/select.h>

namespace krait {
namespace detail {

/// Calls f of both as one-dimensional arrays of their common type.
template <class Left, int LeftRank, class Right, int RightRank, class Function>
auto of_sets(const array<Left, LeftRank>& x, const array<Right, RightRank>& y, const Function& f) {
  using key = sorted_t<Left, Right>;
  return f(as_type<key>(flat(x)), as_type<key>(flat(y)));
}
/// The different elements of x that are in y, or are not.
template <class Left, int LeftRank, class Right, int RightRank>
auto members(const array<Left, LeftRank>& x, const array<Right, RightRank>& y, bool others) {
  const auto different = unique(x);
  return compacted(different, of_sets(different, y, [&](const auto& each, const auto& in) {
                     return chosen_members(erased(each), erased(sort(in)), others);
                   }));
}
template <class Elem>
auto joined(const array<Elem>& x, const array<Elem>& y) {
  array<std::remove_const_t<Elem>> out(shape<1>(x.size() + y.size()), x.device());
  out(range(0, x.size())) = x;
  out(range(x.size(), end)) = y;
  return out;
}

}  // namespace detail

/// Tests whether each element of x is an element of `of`: bools in the shape of x, as numpy.isin.
/// \code
/// auto known = kr::isin(x, y);
/// \endcode
template <class Left, int Rank, class Right, int OtherRank, detail::into_option... Options>
auto isin(const array<Left, Rank>& x, const array<Right, OtherRank>& of,
          const Options&... options) {
  const auto marks = detail::of_sets(x, of, [](const auto& each, const auto& in) {
    return detail::marks_of_members(detail::erased(each), detail::erased(sort(in)), false);
  });
  return detail::give_result(detail::output_in(options...),
                             detail::with_extents(marks, x.extents()));
}
/// Tests whether one number is.
template <detail::host_number Number, class Right, int Rank>
bool isin(const Number& x, const array<Right, Rank>& of) {
  return isin(detail::alone(x, of.device()), of)(0);
}
/// The different elements of x and y together, sorted, as numpy.union1d.
/// \code
/// auto all_of_both = kr::union1d(x, y);
/// \endcode
template <class Left, int LeftRank, class Right, int RightRank>
auto union1d(const array<Left, LeftRank>& x, const array<Right, RightRank>& y) {
  return detail::of_sets(x, y,
                         [](const auto& a, const auto& b) { return unique(detail::joined(a, b)); });
}
/// The different elements that x and y have in common, sorted, as numpy.intersect1d.
/// \code
/// auto both = kr::intersect1d(x, y);
/// \endcode
template <class Left, int LeftRank, class Right, int RightRank>
auto intersect1d(const array<Left, LeftRank>& x, const array<Right, RightRank>& y) {
  return detail::of_sets(x, y,
                         [](const auto& a, const auto& b) { return detail::members(a, b, false); });
}
/// The different elements of x that are not in y, sorted, as numpy.setdiff1d; of x's type.
/// \code
/// auto only_x = kr::setdiff1d(x, y);
/// \endcode
template <class Left, int LeftRank, class Right, int RightRank>
auto setdiff1d(const array<Left, LeftRank>& x, const array<Right, RightRank>& y) {
  return detail::members(x, y, true);
}
/// The different elements that are in exactly one of x and y, sorted, as numpy.setxor1d.
/// \code
/// auto not_in_both = kr::setxor1d(x, y);
/// \endcode
template <class Left, int LeftRank, class Right, int RightRank>
auto setxor1d(const array<Left, LeftRank>& x, const array<Right, RightRank>& y) {
  return detail::of_sets(x, y, [](const auto& a, const auto& b) {
    return sort(detail::joined(detail::members(a, b, true), detail::members(b, a, true)));
  });
}

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(isin, union1d, intersect1d, setdiff1d, setxor1d)
KRAIT_TAKES_LISTS(isin, union1d, intersect1d, setdiff1d, setxor1d)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
