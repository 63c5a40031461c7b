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

// Of one dimension each; `to` is not empty.
KRAIT_API void search_sorted(const any_array& sorted, const any_array& x, bool right,
                             const any_array& to);
KRAIT_API void gather_elements(const any_array& x, const any_array& places, const any_array& to);
KRAIT_API void scatter_elements(const any_array& x, const any_array& places, const any_array& to);

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
  auto out = detail::result_in<std::int64_t, 1>(detail::output_in(options...),
                                                detail::dense(x.extents().extents, 1, false),
                                                x.device(), sorted, x);
  if (x.size() > 0)
    detail::search_sorted(detail::erased(sorted), detail::erased(x), where == side::right,
                          detail::erased(out.to));
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
  auto out = detail::result_in<element, 1>(detail::output_in(options...),
                                           detail::dense(places.extents().extents, 1, false),
                                           x.device(), x, places);
  if (places.size() > 0)
    detail::gather_elements(detail::erased(x), detail::erased(places), detail::erased(out.to));
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
  if (x.size() == 0) return;
  const detail::layout written = detail::layout_of(to), read = detail::layout_of(x),
                       by = detail::layout_of(places);
  detail::check_apart(written, "scatter");
  const detail::elements out{detail::memory_of(to), &written, sizeof(element)};
  if (detail::may_meet({detail::memory_of(x), &read, sizeof(element)}, out))
    return scatter(x.copy(), places, to);
  if (detail::may_meet({detail::memory_of(places), &by, sizeof(Place)}, out))
    return scatter(x, places.copy(), to);
  detail::scatter_elements(detail::erased(x), detail::erased(places), detail::erased(to));
}

}  // namespace krait

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
namespace krait {
KRAIT_TAKES_EXPRESSIONS(searchsorted)
KRAIT_TAKES_EXPRESSIONS(gather)
KRAIT_TAKES_EXPRESSIONS(scatter)
}  // namespace krait
#undef KRAIT_TAKES_EXPRESSIONS
