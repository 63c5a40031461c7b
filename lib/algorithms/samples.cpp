// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients and interpolation of samples, and the checks of small functions on whole arrays.
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "algorithms/record/kernels.h"
#include "devices/layout.h"
#include "krait/algorithm/detail/form.h"
#include "krait/algorithm/differences.h"
#include "krait/algorithm/order.h"
#include "krait/algorithm/products.h"
#include "support/error.h"

namespace krait::host {
namespace {

/// As NumPy computes them; `even`: coordinates has the one distance.
template <class Real>
void gradient(const any_array& x, const any_array& coordinates, bool even, const any_array& to) {
  const ElementType* const type = type_of<Real>();
  const int rank = x.at.rank;
  kernel_of(
      "gradient", {type, unsigned(2 * rank + even)}, {in(type, rank), in(type), out(type, rank)},
      [rank, even](const Parameters& p) {
        const ElementView from = p.array(0), made = p.array(2);
        const auto places = p.array<const Real>(1);
        const Index last = Index(from.extent(rank - 1) - 1);
        for (auto i : grid_stride(made.size())) {
          auto at = unflatten(i, made);
          const std::size_t along = std::size_t(rank) - 1;
          const Index k(at[along]);
          const auto read = [&](const Index& where) {
            auto place = at;
            place[along] = node_of(where);
            return Element(from.at(place.data(), rank)).template as<Real>();
          };
          const Index before(select(k == 0, k, k - 1)), after(select(k == last, k, k + 1));
          const value<Real> low = read(before), here = read(k), high = read(after);
          if (even) {
            const value<Real> h = places[0];
            const value<Real> inside = (high - low) / (h * Real(2)), ends = (high - low) / h;
            made.at(at.data(), rank) =
                Element(value<Real>(select((k == 0) | (k == last), ends, inside)));
          } else {
            const value<Real> left = places[k] - places[before], right = places[after] - places[k];
            const value<Real> a = -right / (left * (left + right)),
                              b = (right - left) / (left * right),
                              c = left / (right * (left + right));
            const value<Real> inside = a * low + b * here + c * high,
                              ends = (high - low) / (left + right);
            made.at(at.data(), rank) =
                Element(value<Real>(select((k == 0) | (k == last), ends, inside)));
          }
        }
      },
      {.fp = fp::strict})
      .forall(to.size(), x, coordinates, to);
}

template <class Real>
void interpolate(const any_array& x, const any_array& points, const any_array& values,
                 const double* left, const double* right, const any_array& to) {
  const ElementType* const type = type_of<Real>();
  const int rank = x.at.rank;
  kernel_of(
      "interp", {type, unsigned(rank)},
      {in(type, rank), in(type), in(type), out(type, rank), number<Real>(), number<Real>(),
       number<int>()},
      [rank](const Parameters& p) {
        const ElementView from = p.array(0), knots = p.array(1), made = p.array(3);
        const auto at_points = p.array<const Real>(1), known = p.array<const Real>(2);
        for (auto i : grid_stride(made.size())) {
          const auto at = unflatten(i, made);
          const value<Real> v = Element(from.at(at.data(), rank)).template as<Real>();
          const Index last = Index(at_points.size() - 1);
          const Index right_of = place_in(knots, Element(v), true);
          const Index j(min(max(right_of - 1, std::int64_t(0)), max(last - 1, std::int64_t(0))));
          const Index next(min(j + 1, last));
          const value<Real> x0 = at_points[j], x1 = at_points[next], y0 = known[j],
                            y1 = known[next];
          const value<Real> slope = (y1 - y0) / (x1 - x0);
          // From the other end, too, where the first is not a number, as NumPy does.
          const value<Real> first = slope * (v - x0) + y0, second = slope * (v - x1) + y1;
          const value<Real> other(select((second != second) & (y0 == y1), y0, second));
          const value<Real> between(select(first != first, other, first));
          const value<Real> begin = at_points[0], end = at_points[last];
          const value<int> given = p.template number<int>(6);
          const value<Real> below(select((given & 1) != 0, p.template number<Real>(4), known[0])),
              above(select((given & 2) != 0, p.template number<Real>(5), known[last]));
          value<Real> made_of(select(v == x1, y1, between));
          const value<Real> exact(select(v == x0, y0, made_of));
          const value<Real> low(select(v < begin, below, exact));
          const value<Real> high(select(v > end, above, low));
          made.at(at.data(), rank) = Element(value<Real>(select((v != v) & (last > 0), v, high)));
        }
      },
      {.fp = fp::strict})
      .forall(to.size(), x, points, values, to, Real(left ? *left : 0), Real(right ? *right : 0),
              int(left != nullptr) + 2 * int(right != nullptr));
}
any_array with_last(const any_array& x, int axis) {
  return {x.type, detail::axis_last(x.at, axis), x.memory, x.on};
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

using namespace krait::host;

void check_differences(std::int64_t count) {
  if (count < 0) support::fail_usage("diff: order must be non-negative but got {}", count);
}
void gradient_into(const any_array& x, int axis, const any_array& coordinates,
                   const any_array& to) {
  const any_array from = with_last(x, axis), result = with_last(to, axis), places = coordinates;
  const std::int64_t count = from.extent(from.at.rank - 1);
  if (count < 2)
    support::fail_usage(
        "Shape of array too small to calculate a numerical gradient, at least 2 elements are "
        "required along axis {}, not {}",
        axis, count);
  const bool even = places.size() == 1;
  if (!even && places.size() != count)
    support::fail_usage("gradient: there are {} coordinates for {} elements along axis {}",
                        places.size(), count, axis);
  if (result.size() == 0) return;
  if (from.type->whole == scalar::f64) gradient<double>(from, places, even, result);
  else gradient<float>(from, places, even, result);
}
void interpolate_into(const any_array& x, const any_array& points, const any_array& values,
                      const double* left, const double* right, const any_array& to) {
  const any_array &from = x, &at = points, &known = values, &result = to;
  if (at.size() == 0) support::fail_usage("interp: array of sample points is empty");
  if (at.size() != known.size())
    support::fail_usage("interp: fp and xp are not of the same length: {} and {}", known.size(),
                        at.size());
  if (result.size() == 0) return;
  if (from.type->whole == scalar::f64) interpolate<double>(from, at, known, left, right, result);
  else interpolate<float>(from, at, known, left, right, result);
}

void check_counted(std::int64_t least) {
  if (least < 0)
    support::fail_usage("bincount: first argument must have no negative elements, not {}", least);
}
array<std::int64_t> numbers_below(std::int64_t n, const device& on) {
  array<std::int64_t> made(shape<1>(n), on);
  if (n > 0)
    kernel_of("numbers_below", {}, {out<std::int64_t>()}, [](const Parameters& p) {
      const auto to = p.array<std::int64_t>(0);
      for (auto i : grid_stride(to.size())) to[i] = i;
    }).forall(n, made);
  return made;
}
bool bins_ascend(std::int64_t rising, std::int64_t falling, std::int64_t bins) {
  if (bins < 2 || rising == bins - 1) return true;
  if (falling != bins - 1)
    support::fail_usage("digitize: bins must be monotonically increasing or decreasing");
  return false;
}

layout with_axes(const layout& of, const std::int64_t* axes, int count, bool last) {
  std::int64_t order[max_rank], named[max_rank];
  bool taken[max_rank]{};
  for (int i = 0; i < count; ++i) {
    named[i] = axis_of(axes[i], of.rank);
    if (taken[named[i]]) support::fail_usage("repeated axis: {} is given twice", axes[i]);
    taken[named[i]] = true;
  }
  int next = last ? of.rank - count : 0;
  for (int i = 0; i < count; ++i) order[next++] = named[i];
  next = last ? 0 : count;
  for (int d = 0; d < of.rank; ++d)
    if (!taken[d]) order[next++] = d;
  return permute(of, order, of.rank);
}
void check_tensordot(const layout& x, const layout& y, int count) {
  for (int i = 0; i < count; ++i)
    if (x.extents[x.rank - count + i] != y.extents[i])
      support::fail_usage("tensordot: shape-mismatch for sum: extents {} and {}",
                          x.extents[x.rank - count + i], y.extents[i]);
}
void check_cross(const layout& x, const layout& y) {
  if (!std::equal(x.extents, x.extents + x.rank, y.extents) || x.extents[x.rank - 1] != 3)
    support::fail_usage(
        "cross: needs two arrays of one shape whose last extent is 3, not {} and {}",
        shape_text(x.extents, x.rank), shape_text(y.extents, y.rank));
}

}  // namespace krait::detail
