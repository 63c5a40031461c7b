// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differences, gradients, interpolation and integrals of samples, as in NumPy:
//   auto steps = kr::diff(x);
//   auto slope = kr::gradient(y, 0.1f);
//   auto at = kr::interp(x, knots, values);
#pragma once

#include <krait/algorithm/detail/axes.h>
#include <krait/algorithm/detail/erased.h>
#include <krait/algorithm/detail/numbers.h>
#include <krait/algorithm/reduce.h>

namespace krait {
namespace detail {

/// Elements are float or double, all of one type. `coordinates` has one per index along the axis,
/// or one distance for all. Throws error{usage} for fewer than two elements.
KRAIT_API void gradient_into(const any_array& x, int axis, const any_array& coordinates,
                             const any_array& out);
/// Throws error{usage} for no points, and for other than one value per point.
KRAIT_API void interpolate_into(const any_array& x, const any_array& points,
                                const any_array& values, const double* left, const double* right,
                                const any_array& out);
KRAIT_API void check_differences(std::int64_t count);

template <class Elem, int Rank>
array<const Elem, Rank> part_along(const array<Elem, Rank>& x, int axis, std::int64_t first,
                                   std::int64_t last) {
  slice_item items[Rank];
  items[axis].first = {first, slice_item::number}, items[axis].last = {last, slice_item::number};
  return view_at(slice(layout_of(x), items, Rank), x);
}
template <class Elem>
struct difference_of {
  template <class Type>
  auto operator()(const Type& x, const Type& y) const {
    if constexpr (std::is_same_v<Elem, bool>) return x != y;
    else return cast_element<Elem>(x - y);
  }
};

template <class Elem, int Rank, class Point, class Value>
auto interpolated(const array<Elem, Rank>& x, const array<Point, 1>& points,
                  const array<Value, 1>& values, const double* left, const double* right) {
  using number = sampled_t<Elem, Point, Value>;
  array<number, Rank> out(x.extents(), x.device());
  interpolate_into(erased(as_type<number>(x)), erased(as_type<number>(points)),
                   erased(as_type<number>(values)), left, right, erased(out));
  return out;
}

}  // namespace detail

/// The differences of neighbours along the last axis or kr::axis(k), taken n times, as numpy.diff.
/// Of bool it is whether they differ.
/// \code
/// auto steps = kr::diff(x);
/// auto second = kr::diff(a, 2, kr::axis(0));
/// \endcode
template <class Elem, int Rank, detail::word_option... Options>
auto diff(const array<Elem, Rank>& x, std::int64_t n = 1, const Options&... options) {
  using elem = std::remove_const_t<Elem>;
  detail::check_differences(n);
  const int axis = detail::checked_axis(detail::axis_in(-1, options...), Rank);
  array<elem, Rank> now(detail::view_at(detail::layout_of(x), x));
  if (n == 0) return now.copy();
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t length = now.extent(axis);
    array<elem, Rank> next = detail::make_expression<detail::difference_of<elem>>(
        detail::part_along(now, axis, length > 0 ? 1 : 0, length),
        detail::part_along(now, axis, 0, length > 0 ? length - 1 : 0));
    now = std::move(next);
  }
  return now;
}
template <class Elem, int Rank, int Count>
auto diff(const array<Elem, Rank>& x, const detail::axis_list<Count>& axis) {
  return diff(x, 1, axis);
}
/// The slope of samples along the last axis or kr::axis(k), by central differences inside and
/// one-sided ones at both ends, as numpy.gradient.
/// Samples have equal distances, or an array of coordinates. Floats keep their type, integers give
/// double.
/// \code
/// auto slope = kr::gradient(y, 0.1f);
/// auto uneven = kr::gradient(y, x);
/// \endcode
template <class Elem, int Rank, class Spacing = float, detail::word_option... Options>
  requires(!detail::named_option<Spacing> && !detail::deferred<Spacing>)
auto gradient(const array<Elem, Rank>& y, const Spacing& spacing = Spacing(1),
              const Options&... options) {
  using number = detail::sampled_t<Elem>;
  const int axis = detail::checked_axis(detail::axis_in(-1, options...), Rank);
  const auto coordinates = [&] {
    if constexpr (detail::plain<Spacing>) {
      array<number, 1> one(shape<1>(1), y.device());
      one.fill(number(spacing));
      return one.share();
    } else {
      return detail::as_type<number>(spacing);
    }
  }();
  array<number, Rank> out(y.extents(), y.device());
  detail::gradient_into(detail::erased(detail::as_type<number>(y)), axis,
                        detail::erased(coordinates), detail::erased(out));
  return out;
}
/// With distance 1.
template <class Elem, int Rank>
auto gradient(const array<Elem, Rank>& y, const detail::axis_list<1>& axis) {
  return gradient(y, 1.0f, axis);
}
/// The value at each x of the line through ascending points, as numpy.interp.
/// Outside of the points it is the first or the last value, or `left` and `right` where they are
/// given. Floats keep their type, integers give double.
/// \code
/// auto between = kr::interp(x, x, y);
/// \endcode
template <class Elem, int Rank, class Point, class Value>
auto interp(const array<Elem, Rank>& x, const array<Point, 1>& points,
            const array<Value, 1>& values) {
  return detail::interpolated(x, points, values, nullptr, nullptr);
}
template <class Elem, int Rank, class Point, class Value>
auto interp(const array<Elem, Rank>& x, const array<Point, 1>& points,
            const array<Value, 1>& values, double left, double right) {
  return detail::interpolated(x, points, values, &left, &right);
}
/// The value at one x.
template <detail::host_number Number, class Point, class Value, class... Ends>
auto interp(const Number& x, const array<Point, 1>& points, const array<Value, 1>& values,
            const Ends&... ends) {
  const auto one = interp(detail::alone(x, points.device()), points, values, ends...);
  return detail::as_number(one(0));
}
namespace detail {
/// The elements along an axis but the first one, or but the last one.
template <class Number, class Elem, int Rank>
auto without_end(const array<Elem, Rank>& x, int axis, bool last) {
  const std::int64_t n = x.extent(axis), most = n > 0 ? 1 : 0;
  return make_expression<cast_elements<Number>>(
      part_along(x, axis, last ? 0 : most, last ? n - most : n));
}
/// The sums of the means of neighbours times these widths.
template <class Number, class Elem, int Rank, class Widths>
auto trapezoids(const array<Elem, Rank>& y, int axis, const Widths& widths) {
  return krait::sum(
      (without_end<Number>(y, axis, false) + without_end<Number>(y, axis, true)) * widths,
      axis_list<1>(axis));
}
}  // namespace detail

/// The integral of samples along the last axis, or kr::axis(k), by the trapezoidal rule, as
/// numpy.trapezoid.
/// The samples have a distance, or coordinates, one for each along that axis. Throws error{usage}
/// for another number of coordinates.
/// \code
/// float area = kr::trapezoid(y, 0.1f);
/// \endcode
template <class Elem, int Rank, detail::word_option... Options>
auto trapezoid(const array<Elem, Rank>& y, double distance = 1, const Options&... options) {
  using number = detail::sampled_t<Elem>;
  const int axis = detail::checked_axis(detail::axis_in(-1, options...), Rank);
  return detail::trapezoids<number>(y, axis, number(distance / 2));
}
template <class Elem, int Rank, class Point, detail::word_option... Options>
auto trapezoid(const array<Elem, Rank>& y, const array<Point, 1>& points,
               const Options&... options) {
  using number = detail::sampled_t<Elem, Point>;
  const int axis = detail::checked_axis(detail::axis_in(-1, options...), Rank);
  const std::int64_t samples[] = {y.extent(axis)};
  detail::check_same_shape(points.extents().extents, samples, 1, "trapezoid");
  const auto widths = eval((detail::without_end<number>(points, 0, false) -
                            detail::without_end<number>(points, 0, true)) *
                           number(0.5));
  // One for each along the axis.
  detail::layout at = detail::layout_of(widths);
  at.rank = Rank;
  for (int d = 0; d < Rank; ++d)
    at.extents[d] = d == axis ? widths.extent(0) : 1, at.strides[d] = d == axis;
  return detail::trapezoids<number>(y, axis,
                                    array<const number, Rank>(detail::view_at(at, widths)));
}
template <class Elem, int Rank>
auto trapezoid(const array<Elem, Rank>& y, const detail::axis_list<1>& axis) {
  return trapezoid(y, 1, axis);
}

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(diff, gradient, interp, trapezoid)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
