// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Medians, quantiles, weighted means, covariances, and reductions without NaN, as in NumPy:
//   float middle = kr::median(x);
//   auto high = kr::percentile(a, 90, kr::axis(0));
//   auto total = kr::nansum(x);
#pragma once

#include <krait/algorithm/detail/folds.h>
#include <krait/algorithm/detail/axes.h>
#include <krait/algorithm/detail/numbers.h>
#include <krait/algorithm/reduce.h>
#include <krait/algorithm/sort.h>

namespace krait {
namespace detail {

/// Throws error{usage} for another method than NumPy's linear, lower, higher, midpoint and nearest.
/// `sorted` is sorted along the axis, which `out` has with extent 1. Elements are float or double.
KRAIT_API void quantile_into(const any_array& sorted, int axis, double q, const char* method,
                             const any_array& out);
/// Of rows of float or double; `scaled`: the coefficients of correlation.
KRAIT_API void covariance_into(const any_array& rows, double divisor, bool scaled,
                               const any_array& out);

inline const char* method_in() { return "linear"; }
template <class First, class... Rest>
const char* method_in(const First& first, const Rest&... rest) {
  if constexpr (std::is_convertible_v<const First&, const char*>) return first;
  else return method_in(rest...);
}
template <class Option>
inline constexpr bool is_quantile_option =
    axes_in<Option> == 1 || std::is_same_v<Option, keepdims_type> ||
    std::is_convertible_v<const Option&, const char*>;
/// One quantile of sorted elements, with the axis of extent 1.
template <class Number, int Rank>
array<Number, Rank> quantile_of(const array<Number, Rank>& sorted, int axis, double q,
                                const char* method) {
  shape<Rank> extents = sorted.extents();
  extents.extents[axis] = 1;
  array<Number, Rank> out(extents, sorted.device());
  quantile_into(erased(sorted), axis, q, method, erased(out));
  return out;
}
template <class Number, int Rank>
array<Number, Rank - 1> without_axis(const array<Number, Rank>& x, int axis) {
  const std::int64_t gone[] = {axis};
  return view_at(squeeze(layout_of(x), gone, 1), x);
}
template <class Elem, int Rank, class... Options>
auto one_quantile(const array<Elem, Rank>& x, double q, const Options&... options) {
  using number = sampled_t<Elem>;
  constexpr bool along = (axes_in<Options> + ... + 0) == 1,
                 keeps = (std::is_same_v<Options, keepdims_type> || ...);
  if constexpr (along || Rank == 1) {
    const int axis = checked_axis(axis_in(0, options...), Rank);
    const auto sorted = sort(as_type<number>(x), axis_list<1>(axis));
    auto out = quantile_of(sorted, axis, q, method_in(options...));
    if constexpr (keeps) return out;
    else if constexpr (Rank == 1) return static_cast<number>(out(0));
    else return without_axis(out, axis);
  } else {
    const number made = one_quantile(x.share().reshape(-1), q, method_in(options...));
    if constexpr (keeps) {
      shape<Rank> ones;
      for (auto& extent : ones.extents) extent = 1;
      array<number, Rank> out(ones, x.device());
      out.fill(made);
      return out;
    } else {
      return made;
    }
  }
}
/// One quantile after the other, along a new first dimension.
template <class Elem, int Rank, class Q, class... Options>
auto many_quantiles(const array<Elem, Rank>& x, const array<Q, 1>& qs, double scale,
                    const Options&... options) {
  using number = sampled_t<Elem>;
  const host_array<std::remove_const_t<Q>> at = qs.to_host();
  constexpr bool along = (axes_in<Options> + ... + 0) == 1,
                 keeps = (std::is_same_v<Options, keepdims_type> || ...);
  if constexpr (!along && Rank > 1) {
    static_assert(!keeps, "krait: several quantiles of all elements have one dimension");
    return many_quantiles(x.share().reshape(-1), qs, scale, options...);
  } else {
    const int axis = checked_axis(axis_in(0, options...), Rank);
    const auto sorted = sort(as_type<number>(x), axis_list<1>(axis));
    shape<Rank + 1> extents;
    extents.extents[0] = std::int64_t(at.size());
    for (int d = 0; d < Rank; ++d) extents.extents[d + 1] = d == axis ? 1 : x.extent(d);
    array<number, Rank + 1> out(extents, x.device());
    for (std::size_t i = 0; i < at.size(); ++i)
      out(std::int64_t(i))
          .copy_from(quantile_of(sorted, axis, double(at[i]) * scale, method_in(options...)));
    if constexpr (keeps) return out;
    else return without_axis(out, axis + 1);
  }
}
template <class Elem, int Rank, class Q, class... Options>
auto quantiles(const array<Elem, Rank>& x, const Q& q, double scale, const Options&... options) {
  static_assert((is_quantile_option<Options> && ...),
                "krait: options of quantiles are kr::axis(k), kr::keepdims and a method's name");
  if constexpr (plain<Q>) return one_quantile(x, double(q) * scale, options...);
  else return many_quantiles(x, q, scale, options...);
}

struct first_of_two {
  template <class First, class Second>
  auto operator()(const First& x, const Second&) const {
    return x;
  }
};
struct number_given {
  template <class Type>
  auto operator()(const Type& x) const {
    if constexpr (is_float_v<held_t<Type>>) return !isnan(x);
    else return value<bool>(true);
  }
};
template <class Type>
auto given_numbers(const Type& x) {
  static_assert(!complex_number<element_in<Type>>,
                "krait: functions without NaN take real numbers: kr::real(z) or kr::imag(z)");
  return krait::where(make_expression<number_given>(x));
}

}  // namespace detail

/// The q-th quantile, 0 to 1, of all elements or along kr::axis(k), as numpy.quantile.
/// q is a number, or an array, which makes a new first dimension. Between two elements
/// the result is interpolated; "lower", "higher", "midpoint" or "nearest" after the options says
/// another method. NaN if an element is NaN. Floats keep their type, narrow ones give float,
/// integers double. Options are kr::axis and kr::keepdims. Throws error{usage} for q outside of 0
/// to 1.
/// \code
/// auto middle = kr::quantile(a, 0.5, kr::axis(0));
/// \endcode
template <class Elem, int Rank, class Q, class... Options>
  requires(!detail::some_deferred<Q, Options...>)
auto quantile(const array<Elem, Rank>& x, const Q& q, const Options&... options) {
  return detail::quantiles(x, q, 1.0, options...);
}
/// The same with q from 0 to 100.
/// \code
/// float high = kr::percentile(x, 95);
/// \endcode
template <class Elem, int Rank, class Q, class... Options>
  requires(!detail::some_deferred<Q, Options...>)
auto percentile(const array<Elem, Rank>& x, const Q& q, const Options&... options) {
  return detail::quantiles(x, q, 0.01, options...);
}
/// The median, the mean of the middle two of an even number of elements; options of kr::quantile.
/// \code
/// auto medians = kr::median(a, kr::axis(1));
/// \endcode
template <class Elem, int Rank, class... Options>
  requires(!detail::some_deferred<Options...>)
auto median(const array<Elem, Rank>& x, const Options&... options) {
  return detail::quantiles(x, 0.5, 1.0, options..., "midpoint");
}
/// The largest element minus the smallest, as numpy.ptp; options as for kr::sum.
/// \code
/// float spread = kr::ptp(x);
/// \endcode
template <detail::whole_array Type, detail::reduction_option... Options>
auto ptp(const Type& x, const Options&... options) {
  const auto most = detail::reduce_numbers<detail::largest_of>(x, options...),
             least = detail::reduce_numbers<detail::smallest_of>(x, options...);
  if constexpr (detail::plain<std::remove_const_t<decltype(most)>>)
    return detail::element_in<Type>(most - least);
  else return eval(most - least);
}

/// The mean with weights, as numpy.average; options as for kr::mean.
/// Weights broadcast to the elements. Integers are computed in double.
/// \code
/// float mean = kr::average(x, y);
/// \endcode
template <class Elem, int Rank, class Weight, int WeightRank, detail::reduction_option... Options>
auto average(const array<Elem, Rank>& x, const array<Weight, WeightRank>& weights,
             const Options&... options) {
  using number = detail::mean_type<detail::common_of_numbers<Elem, Weight>>;
  constexpr bool along = (detail::axes_in<Options> + ... + 0) == 1;
  if constexpr (along && WeightRank == 1 && Rank > 1) {
    const int axis = detail::checked_axis(detail::axis_in(0, options...), Rank);
    detail::layout at = detail::layout_of(weights);
    at.rank = Rank;
    for (int d = 0; d < Rank; ++d)
      at.extents[d] = d == axis ? weights.extent(0) : 1,
      at.strides[d] = d == axis ? weights.stride(0) : 0;
    return average(x, array<const Weight, Rank>(detail::view_at(at, weights)), options...);
  } else {
    const auto numbers = detail::make_expression<detail::cast_elements<number>>(x);
    const auto own = detail::make_expression<detail::cast_elements<number>>(weights);
    // Of all elements, also where they repeat.
    const auto weight_sum =
        krait::sum(detail::make_expression<detail::first_of_two>(own, numbers), options...);
    const auto total = krait::sum(numbers * own, options...);
    if constexpr (detail::plain<std::remove_const_t<decltype(total)>>)
      return number(total / weight_sum);
    else return eval(total / weight_sum);
  }
}
/// The mean without weights.
template <class Elem, int Rank, detail::reduction_option... Options>
auto average(const array<Elem, Rank>& x, const Options&... options) {
  return mean(x, options...);
}

namespace detail {
/// Two variables as the rows of a matrix.
template <class Left, class Right>
auto as_rows(const array<Left, 1>& x, const array<Right, 1>& y, const char* function) {
  using number = sampled_t<Left, Right>;
  check_same_shape(y.extents().extents, x.extents().extents, 1, function);
  array<number, 2> rows(shape<2>(2, x.size()), x.device());
  rows(0) = make_expression<cast_elements<number>>(x);
  rows(1) = make_expression<cast_elements<number>>(y);
  return rows;
}
}  // namespace detail

/// The covariances of the rows of a matrix, as numpy.cov: (rows, rows). A row is a variable; two
/// vectors are two rows.
/// It divides by the number of columns minus kr::ddof, which is 1 unless given. Integers are
/// computed in double.
/// \code
/// auto c = kr::cov(a);
/// \endcode
template <class Elem>
auto cov(const array<Elem, 2>& x, detail::ddof_type less = {1}) {
  using number = detail::sampled_t<Elem>;
  const auto rows = detail::as_type<number>(x);
  array<number, 2> out(shape<2>(x.extent(0), x.extent(0)), x.device());
  detail::covariance_into(detail::erased(rows), double(x.extent(1) - less.value), false,
                          detail::erased(out));
  return out;
}
template <class Left, class Right>
auto cov(const array<Left, 1>& x, const array<Right, 1>& y, detail::ddof_type less = {1}) {
  return cov(detail::as_rows(x, y, "cov"), less);
}
/// The coefficients of correlation of the rows of a matrix, or of two vectors, as numpy.corrcoef.
/// \code
/// auto c = kr::corrcoef(a);
/// \endcode
template <class Elem>
auto corrcoef(const array<Elem, 2>& x) {
  using number = detail::sampled_t<Elem>;
  const auto rows = detail::as_type<number>(x);
  array<number, 2> out(shape<2>(x.extent(0), x.extent(0)), x.device());
  detail::covariance_into(detail::erased(rows), double(x.extent(1) - 1), true, detail::erased(out));
  return out;
}
template <class Left, class Right>
auto corrcoef(const array<Left, 1>& x, const array<Right, 1>& y) {
  return corrcoef(detail::as_rows(x, y, "corrcoef"));
}

// Undefined below.
#define KRAIT_WITHOUT_NAN(function, of, option)                  \
  template <detail::whole_array Type, detail::option... Options> \
  auto function(const Type& x, const Options&... options) {      \
    return of(x, detail::given_numbers(x), options...);          \
  }
#define KRAIT_EXTREME_WITHOUT_NAN(function, fold)                          \
  template <detail::whole_array Type, detail::reduction_option... Options> \
  auto function(const Type& x, const Options&... options) {                \
    static_cast<void>(sizeof(decltype(detail::given_numbers(x))));         \
    return detail::reduce_whole<detail::fold>(x, options...);              \
  }

/// The sum of the elements that are not NaN; options as for kr::sum but kr::where.
/// \code
/// float total = kr::nansum(x);
/// \endcode
KRAIT_WITHOUT_NAN(nansum, sum, reduction_option)
/// The product of the elements that are not NaN.
KRAIT_WITHOUT_NAN(nanprod, prod, reduction_option)
/// The mean of the elements that are not NaN; NaN without any.
KRAIT_WITHOUT_NAN(nanmean, mean, reduction_option)
/// The variance of the elements that are not NaN; options as for kr::variance.
KRAIT_WITHOUT_NAN(nanvar, variance, spread_option)
/// The standard deviation of the elements that are not NaN.
KRAIT_WITHOUT_NAN(nanstd, stddev, spread_option)
/// The smallest element that is not NaN; NaN if all are.
KRAIT_EXTREME_WITHOUT_NAN(nanmin, fold_by_min)
/// The largest element that is not NaN; NaN if all are.
KRAIT_EXTREME_WITHOUT_NAN(nanmax, fold_by_max)
#undef KRAIT_WITHOUT_NAN
#undef KRAIT_EXTREME_WITHOUT_NAN

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(quantile, percentile, median, average, cov, corrcoef)
KRAIT_TAKES_LISTS(quantile, percentile, average, cov, corrcoef)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
