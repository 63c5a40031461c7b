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
array<bool> marks_of_members(const array<const Elem>& x, const array<const Elem>& sorted,
                             bool others) {
  static auto& find = lasting(kernel(
      [](view<const Elem> from, view<const Elem> in, view<bool> mark, value<bool> inverted) {
        for (auto i : grid_stride(from.size())) {
          const value<Elem> own = from[i];
          const value<std::int64_t> at = place_in<Elem>(in, own, false);
          var<bool> there = false;
          if_(at < in.size(), [&] { there = same_key<Elem>(own, value<Elem>(in[at])); });
          mark[i] = there != inverted;
        }
      },
      {.name = "mark_members"}));
  array<bool> marks(x.extents(), x.device());
  if (x.size() > 0) find.forall(x.size())(x, sorted, marks, others);
  return marks;
}
template <class Elem>
array<Elem> members(const array<const Elem>& x, const array<const Elem>& sorted, bool others) {
  const array<bool> marks = marks_of_members<Elem>(x, sorted, others);
  const array<std::int64_t> upto = cumsum(marks);
  return compacted<Elem>(x, marks, upto, last_of(upto), false);
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
  using element = std::remove_const_t<Elem>;
  return detail::give_result(detail::output_in(options...),
                             detail::marks_of_members<element>(x.share(), sort(of).share(), false));
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
  using element = std::remove_const_t<Elem>;
  return detail::members<element>(unique(x).share(), sort(y).share(), false);
}
/// The different elements of x that are not in y, sorted, as numpy.setdiff1d.
/// \code
/// auto only_x = kr::setdiff1d(x, y);
/// \endcode
template <class Elem, class Other>
  requires detail::one_key<Elem, Other>
auto setdiff1d(const array<Elem, 1>& x, const array<Other, 1>& y) {
  using element = std::remove_const_t<Elem>;
  return detail::members<element>(unique(x).share(), sort(y).share(), true);
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
