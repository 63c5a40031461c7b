// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One-dimensional arrays as sets, with NumPy's names. All NaN are equal.
//   auto both = kr::intersect1d(x, y);
#pragma once

#include <krait/algorithm/select.h>

namespace krait {
namespace detail {

/// Those of x that are in `sorted`, or are not.
template <class Elem>
array<Elem> members(const array<Elem>& x, const array<Elem>& sorted, bool others) {
  return compacted(x, chosen_members(erased(x), erased(sorted), others));
}
template <class Elem>
array<Elem> joined(const array<const Elem>& x, const array<const Elem>& y) {
  array<Elem> out(shape<1>(x.size() + y.size()), x.device());
  out(range(0, x.size())) = x;
  out(range(x.size(), end)) = y;
  return out;
}
template <class Left, class Right>
concept one_key =
    plain<Left> && std::is_same_v<std::remove_const_t<Left>, std::remove_const_t<Right>>;

}  // namespace detail

/// Tests whether each element of x is an element of `of`: an array of bool, as numpy.isin.
/// \code
/// auto known = kr::isin(x, y);
/// \endcode
template <class Elem, class Other, detail::into_option... Options>
  requires detail::one_key<Elem, Other>
auto isin(const array<Elem, 1>& x, const array<Other, 1>& of, const Options&... options) {
  return detail::give_result(
      detail::output_in(options...),
      detail::marks_of_members(detail::erased(x), detail::erased(sort(of)), false));
}
/// The different elements of x and y together, sorted, as numpy.union1d.
/// \code
/// auto all_of_both = kr::union1d(x, y);
/// \endcode
template <class Elem, class Other>
  requires detail::one_key<Elem, Other>
auto union1d(const array<Elem, 1>& x, const array<Other, 1>& y) {
  using element = std::remove_const_t<Elem>;
  return unique(detail::joined<element>(x.share(), y.share()));
}
/// The different elements that x and y have in common, sorted, as numpy.intersect1d.
/// \code
/// auto both = kr::intersect1d(x, y);
/// \endcode
template <class Elem, class Other>
  requires detail::one_key<Elem, Other>
auto intersect1d(const array<Elem, 1>& x, const array<Other, 1>& y) {
  return detail::members(unique(x), sort(y), false);
}
/// The different elements of x that are not in y, sorted, as numpy.setdiff1d.
/// \code
/// auto only_x = kr::setdiff1d(x, y);
/// \endcode
template <class Elem, class Other>
  requires detail::one_key<Elem, Other>
auto setdiff1d(const array<Elem, 1>& x, const array<Other, 1>& y) {
  return detail::members(unique(x), sort(y), true);
}
/// The different elements that are in exactly one of x and y, sorted, as numpy.setxor1d.
/// \code
/// auto not_in_both = kr::setxor1d(x, y);
/// \endcode
template <class Elem, class Other>
  requires detail::one_key<Elem, Other>
auto setxor1d(const array<Elem, 1>& x, const array<Other, 1>& y) {
  using element = std::remove_const_t<Elem>;
  return sort(detail::joined<element>(setdiff1d(x, y).share(), setdiff1d(y, x).share()));
}

}  // namespace krait

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
namespace krait {
KRAIT_TAKES_EXPRESSIONS(isin)
KRAIT_TAKES_EXPRESSIONS(union1d)
KRAIT_TAKES_EXPRESSIONS(intersect1d)
KRAIT_TAKES_EXPRESSIONS(setdiff1d)
KRAIT_TAKES_EXPRESSIONS(setxor1d)
}  // namespace krait
#undef KRAIT_TAKES_EXPRESSIONS
