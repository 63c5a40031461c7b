// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantiles of sorted elements, and covariances.
#include "krait/algorithm/statistics.h"

#include <cmath>
#include <limits>
#include <string_view>

#include "algorithms/record/kernels.h"
#include "krait/algorithm/matmul.h"
#include "support/error.h"

namespace krait::host {
namespace {

/// The elements of a row that a quantile lies between, and how far it is from the first.
struct Between {
  std::int64_t first, second;
  double part;
};
Between between(std::int64_t count, double q, std::string_view method) {
  if (!(q >= 0 && q <= 1))
    support::fail_usage("quantiles must be in the range [0, 1], percentiles in [0, 100]");
  const double at = q * double(count - 1), below = std::floor(at);
  const auto first = std::int64_t(below), second = std::min(first + 1, count - 1);
  if (method == "linear") return {first, second, at - below};
  if (method == "lower") return {first, first, 0};
  const bool between_two = at > below;
  if (method == "higher")
    return between_two ? Between{second, second, 0} : Between{first, first, 0};
  if (method == "midpoint") return {first, between_two ? second : first, between_two ? 0.5 : 0};
  if (method == "nearest") {
    const auto nearest = std::int64_t(std::nearbyint(at));  // ties to even
    return {nearest, nearest, 0};
  }
  support::fail_usage("quantile: method '{}' is none of linear, lower, higher, midpoint, nearest",
                      method);
}

template <class Real>
void pick(const any_array& sorted, const Between& at, const any_array& to) {
  const ElementType* const type = type_of<Real>();
  const int rank = sorted.at.rank;
  kernel_of(
      "quantile", {type, unsigned(rank)},
      {in(type, rank), out(type, rank), number(), number(), number<Real>(), number()},
      [rank](const Parameters& p) {
        const ElementView from = p.array(0), made = p.array(1);
        const Index length = from.extent(rank - 1);
        for (auto i : grid_stride(made.size())) {
          auto place = unflatten(i, made);
          const auto read = [&](const Index& k) {
            place[std::size_t(rank) - 1] = node_of(k);
            return Element(from.at(place.data(), rank)).template as<Real>();
          };
          const value<Real> a = read(p.number(2)), b = read(p.number(3)),
                            last = read(Index(length - 1)), t = p.template number<Real>(4);
          // As NumPy has it: exact at both ends, and monotonic.
          const value<Real> step = b - a;
          const value<Real> between(select(t >= Real(0.5), b - step * (Real(1) - t), a + step * t));
          const value<Real> exact(select(p.number(5) == 0, a, between));
          place[std::size_t(rank) - 1] = node_of(Index(std::int64_t(0)));
          made.at(place.data(), rank) = Element(value<Real>(select(last != last, last, exact)));
        }
      },
      {.fp = fp::strict})
      .forall(to.size(), sorted, to, at.first, at.second, Real(at.part),
              std::int64_t(at.part != 0));
}
any_array with_last(const any_array& x, int axis) {
  return {x.type, detail::axis_last(x.at, axis), x.memory, x.on};
}

template <class Real>
void covariance(const any_array& given, Real divisor, bool scaled, const any_array& to) {
  const array<const Real, 2> rows = detail::typed<const Real, 2>(given);
  array<Real, 2> out = detail::typed<Real, 2>(to);
  const array<Real, 2> centred = rows - krait::mean(rows, krait::axis(1), keepdims);
  // NumPy warns of a divisor that is not above 0, and divides by 0.
  matmul(centred, centred.transpose(), into(out));
  out *= Real(1) / std::max(divisor, Real(0));
  if (!scaled) return;
  const array<Real> deviations = sqrt(out.diagonal());
  out /= deviations(all, newaxis);
  out /= deviations(newaxis);
  out = minimum(maximum(out, Real(-1)), Real(1));
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

using namespace krait::host;

void quantile_into(const any_array& sorted, int axis, double q, const char* method,
                   const any_array& to) {
  const any_array from = with_last(sorted, axis), result = with_last(to, axis);
  const std::int64_t count = from.extent(from.at.rank - 1);
  if (result.size() == 0) return;
  if (count == 0) {
    if (from.type->whole == scalar::f64)
      detail::typed<double, 1>(reshaped(result, {result.size()}))
          .fill(std::numeric_limits<double>::quiet_NaN());
    else
      detail::typed<float, 1>(reshaped(result, {result.size()}))
          .fill(std::numeric_limits<float>::quiet_NaN());
    return;
  }
  const Between at = between(count, q, method);
  if (from.type->whole == scalar::f64) pick<double>(from, at, result);
  else pick<float>(from, at, result);
}

void covariance_into(const any_array& rows, double divisor, bool scaled, const any_array& to) {
  const any_array &given = rows, &result = to;
  if (result.size() == 0) return;
  if (given.type->whole == scalar::f64) covariance<double>(given, divisor, scaled, result);
  else covariance<float>(given, float(divisor), scaled, result);
}

}  // namespace krait::detail
