// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays made from their indices, and geometric sequences, as in NumPy:
//   auto table = kr::fromfunction<float>([](auto i, auto j) { return i + j; }, {4, 4});
//   auto decades = kr::logspace(0, 3, 4);              // 1, 10, 100, 1000
#pragma once

#include <krait/creation.h>
#include <krait/expression.h>

namespace krait {
namespace detail {

/// base^first to base^last, and from first to last, at equal ratios, as NumPy computes them.
KRAIT_API void fill_powers(double first, double last, double base, bool with_last, double* out,
                           std::int64_t count);
KRAIT_API void fill_ratios(double first, double last, bool with_last, double* out,
                           std::int64_t count);
template <class Elem, class Fill>
array<Elem, 1> host_filled(std::int64_t count, const device& on, const Fill& fill) {
  array<Elem, 1> out(shape<1>(count), on);
  host_array<double> points(static_cast<std::size_t>(count));
  fill(points.data());
  host_array<Elem> converted(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) converted[i] = convert_plain<Elem>(points[i]);
  if (count > 0) out.copy_from(converted);
  return out;
}
/// A view of the indices along one dimension, for all others.
template <int Rank>
array<const std::int64_t, Rank> index_along(const array<std::int64_t, 1>& numbers, int d,
                                            const shape<Rank>& extents) {
  layout at;
  at.rank = Rank;
  for (int e = 0; e < Rank; ++e) at.extents[e] = extents[e], at.strides[e] = e == d ? 1 : 0;
  return view_at(at, numbers);
}
template <class Function>
struct from_indices {
  template <class... Index>
  auto operator()(const Index&... at) const {
    return Function()(at...);
  }
};

}  // namespace detail

/// `count` numbers at equal ratios, from base to the power `first` to base to the power `last`.
/// \code
/// auto decades = kr::logspace(0, 3, 4);
/// \endcode
template <detail::plain Elem = double>
array<Elem, 1> logspace(double first, double last, std::int64_t count = 50, bool with_last = true,
                        double base = 10, device on = device()) {
  return detail::host_filled<Elem>(
      count, on, [&](double* to) { detail::fill_powers(first, last, base, with_last, to, count); });
}
/// `count` numbers at equal ratios, from first to last, as numpy.geomspace.
/// Throws error{usage} for 0 and for ends of different signs.
/// \code
/// auto octaves = kr::geomspace(110, 880, 4);
/// \endcode
template <detail::plain Elem = double>
array<Elem, 1> geomspace(double first, double last, std::int64_t count = 50, bool with_last = true,
                         device on = device()) {
  return detail::host_filled<Elem>(
      count, on, [&](double* to) { detail::fill_ratios(first, last, with_last, to, count); });
}
/// The indices of each element: along the first dimension those of each dimension, as
/// numpy.indices.
/// \code
/// auto at = kr::indices({2, 3});                     // of shape (2, 2, 3)
/// \endcode
template <int Rank>
array<std::int64_t, Rank + 1> indices(const shape<Rank>& extents, const device& on = device()) {
  shape<Rank + 1> all_of;
  all_of.extents[0] = Rank;
  for (int d = 0; d < Rank; ++d) all_of.extents[d + 1] = extents[d];
  array<std::int64_t, Rank + 1> out(all_of, on);
  for (int d = 0; d < Rank; ++d)
    out(std::int64_t(d))
        .copy_from(detail::index_along(arange<std::int64_t>(extents[d], on), d, extents));
  return out;
}
template <std::integral Extent, int Rank>
auto indices(const Extent (&extents)[Rank], const device& on = device()) {
  return indices(detail::to_shape(extents), on);
}
/// f of the indices of each element, as numpy.fromfunction; f is a lambda on kernel values that
/// captures nothing.
/// \code
/// auto table = kr::fromfunction<float>([](auto i, auto j) { return i * j; }, {4, 4});
/// \endcode
template <class Elem, class Function, int Rank>
array<Elem, Rank> fromfunction(const Function&, const shape<Rank>& extents,
                               const device& on = device()) {
  static_assert(
      std::is_empty_v<Function> && std::is_default_constructible_v<Function>,
      "krait: the function of fromfunction must not capture anything: scale the result, or call a "
      "kr::vectorize, which may capture numbers, with kr::indices");
  array<Elem, Rank> out(extents, on);
  [&]<int... D>(std::integer_sequence<int, D...>) {
    detail::make_expression<detail::from_indices<Function>>(
        detail::index_along(arange<std::int64_t>(extents[D], on), D, extents)...)
        .into(out);
  }(std::make_integer_sequence<int, Rank>());
  return out;
}
template <class Elem, class Function, std::integral Extent, int Rank>
array<Elem, Rank> fromfunction(const Function& f, const Extent (&extents)[Rank],
                               const device& on = device()) {
  return fromfunction<Elem>(f, detail::to_shape(extents), on);
}

}  // namespace krait
