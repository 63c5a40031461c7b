// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions in sorted arrays, and elements by their positions.
//   auto at = kr::searchsorted(edges, x, kr::side::right);
//   auto chosen = kr::gather(x, places);
#pragma once

#include <krait/algorithm/detail/form.h>
#include <krait/algorithm/detail/numbers.h>

namespace krait {

/// Whether kr::searchsorted gives the position before (`left`) or after (`right`) equal elements.
enum class side : unsigned char { left, right };

namespace detail {

// Of one dimension each; `to` is not empty.
KRAIT_API void search_sorted(const any_array& sorted, const any_array& x, bool right,
                             const any_array& to);
KRAIT_API void gather_elements(const any_array& x, const any_array& places, const any_array& to);
KRAIT_API void scatter_elements(const any_array& x, const any_array& places, const any_array& to);

}  // namespace detail

/// The position, int64, of each x in a sorted array, as numpy.searchsorted, in the shape of x.
/// `sorted` is in the order of kr::sort. Elements of two types are compared in their common type.
/// kr::into(y) takes the result.
/// \code
/// auto positions = kr::searchsorted(x, y, kr::side::right);
/// \endcode
template <class Elem, class Other, int Rank, detail::into_option... Options>
auto searchsorted(const array<Elem, 1>& sorted, const array<Other, Rank>& x,
                  side where = side::left, const Options&... options) {
  using key = detail::sorted_t<Elem, Other>;
  auto out = detail::result_in<std::int64_t, Rank>(detail::output_in(options...),
                                                   detail::dense(x.extents().extents, Rank, false),
                                                   x.device(), sorted, x);
  if (x.size() > 0)
    detail::search_sorted(detail::erased(detail::as_type<key>(sorted)),
                          detail::erased(detail::as_type<key>(detail::flat(x))),
                          where == side::right,
                          detail::erased(detail::with_extents(out.to, shape<1>(x.size()))));
  return out.give();
}

/// The position of one number.
/// \code
/// const auto first = kr::searchsorted(x, 0.5);
/// \endcode
template <class Elem, detail::host_number Number>
std::int64_t searchsorted(const array<Elem, 1>& sorted, const Number& x, side where = side::left) {
  return searchsorted(sorted, detail::alone(x, sorted.device()), where)(0);
}

/// Gathers elements: out(i) = x(places(i)), in the shape of the places.
/// Places must be within x; KRAIT_CHECK=1 reports others. kr::into(y) takes the result.
/// \code
/// auto chosen = kr::gather(x, indices);
/// \endcode
template <class Elem, std::integral Place, int Rank, detail::into_option... Options>
auto gather(const array<Elem, 1>& x, const array<Place, Rank>& places, const Options&... options) {
  using element = std::remove_const_t<Elem>;
  auto out = detail::result_in<element, Rank>(detail::output_in(options...),
                                              detail::dense(places.extents().extents, Rank, false),
                                              x.device(), x, places);
  if (places.size() > 0)
    detail::gather_elements(detail::erased(x), detail::erased(detail::flat(places)),
                            detail::erased(detail::with_extents(out.to, shape<1>(places.size()))));
  return out.give();
}
/// Scatters elements: to(places(i)) = x(i), with places within `to`.
/// If a place occurs twice, one of its elements stays. A source that overlaps `to` is copied first.
/// Throws error{usage} if elements of `to` share memory.
/// \code
/// kr::scatter(y, indices, x);
/// \endcode
template <detail::whole_array Source, detail::whole_array Places, class Elem>
void scatter(const Source& x, const Places& places, array<Elem, 1>& to) {
  const auto from = detail::as_type<Elem>(detail::flat(detail::evaluated(x)));
  const auto at = detail::flat(detail::evaluated(places));
  static_assert(std::is_integral_v<typename decltype(at.share())::value_type>,
                "krait: the places of scatter must be integers");
  detail::check_same_shape(at.extents().extents, from.extents().extents, 1, "scatter");
  if (from.size() == 0) return;
  const detail::layout written = detail::layout_of(to);
  detail::check_apart(written, "scatter");
  const detail::elements out{detail::memory_of(to), &written, sizeof(Elem)};
  const auto apart = [&](const auto& read) {
    return detail::erased(detail::reads_from(out, read) ? read.copy().share() : read.share());
  };
  detail::scatter_elements(apart(from), apart(at), detail::erased(to));
}

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(searchsorted, gather)
KRAIT_TAKES_LISTS(searchsorted, gather)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
