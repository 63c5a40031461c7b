// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Means, variances and standard deviations of arrays and expressions.
#pragma once

#include <krait/algorithm/reduce.h>

namespace krait {
namespace detail {

template <class Elem>
struct mean_of : summing<sum_type<mean_type<Elem>>> {
  using result = mean_type<Elem>;
  using sum = sum_type<result>;
  static constexpr const char* name = "mean";
  static auto enter(const value<Elem>& x, const value<std::int64_t>&) {
    return std::tuple{cast<sum>(x)};
  }
  static auto finish(const typename mean_of::state& s, const value<std::int64_t>& count) {
    return value<result>(cast<result>(mean_of::total(s) / cast<sum>(count)));
  }
};
/// The same where a mask says which elements count: their number is reduced with them.
template <class Elem>
struct masked_mean_of {
  using result = mean_type<Elem>;
  using sum = sum_type<result>;
  using exact = exact_sum<sum>;
  using element = std::tuple<value<sum>, value<std::int64_t>>;
  // the sum, the number, what the sum lost
  using state = std::tuple<value<sum>, value<std::int64_t>, value<sum>>;
  static constexpr const char* name = "mean";
  static constexpr bool needs_elements = false;
  static constexpr std::tuple<sum, std::int64_t, sum> zero{};
  static element enter(const value<Elem>& x, const value<std::int64_t>&) {
    return {cast<sum>(x), value<std::int64_t>(1)};
  }
  static element join(const element& x, const element& y) {
    return {std::get<0>(x) + std::get<0>(y), std::get<1>(x) + std::get<1>(y)};
  }
  static state absorb(const state& s, const element& x) {
    const auto [all, lost] = exact::absorb({std::get<0>(s), std::get<2>(s)}, {std::get<0>(x)});
    return {all, std::get<1>(s) + std::get<1>(x), lost};
  }
  static state combine(const state& x, const state& y) {
    const auto [all, lost] =
        exact::combine({std::get<0>(x), std::get<2>(x)}, {std::get<0>(y), std::get<2>(y)});
    return {all, std::get<1>(x) + std::get<1>(y), lost};
  }
  static auto finish(const state& s, const value<std::int64_t>&) {
    return value<result>(
        cast<result>(exact::total({std::get<0>(s), std::get<2>(s)}) / cast<sum>(std::get<1>(s))));
  }
};
/// The sum of squares about the mean, from the differences of elements to an approximate mean: the
/// squares minus the part that the differences' own mean adds. Both sums keep their rounding
/// errors, so the result is accurate to about the last bit for all elements.
template <class Real>
struct squares_of {
  using result = Real;
  using exact = exact_sum<Real>;
  using element = std::tuple<value<Real>, value<Real>>;
  // the sums, what each lost
  using state = std::tuple<value<Real>, value<Real>, value<Real>, value<Real>>;
  static constexpr const char* name = "var";
  static constexpr bool needs_elements = false;
  static constexpr std::tuple<Real, Real, Real, Real> zero{};
  static element enter(const value<Real>& x, const value<std::int64_t>&) { return {x, x * x}; }
  static element join(const element& x, const element& y) {
    return {std::get<0>(x) + std::get<0>(y), std::get<1>(x) + std::get<1>(y)};
  }
  static state absorb(const state& s, const element& x) {
    const auto [all, lost] = exact::absorb({std::get<0>(s), std::get<2>(s)}, {std::get<0>(x)});
    const auto [squares, squares_lost] =
        exact::absorb({std::get<1>(s), std::get<3>(s)}, {std::get<1>(x)});
    return {all, squares, lost, squares_lost};
  }
  static state combine(const state& x, const state& y) {
    const auto [all, lost] =
        exact::combine({std::get<0>(x), std::get<2>(x)}, {std::get<0>(y), std::get<2>(y)});
    const auto [squares, squares_lost] =
        exact::combine({std::get<1>(x), std::get<3>(x)}, {std::get<1>(y), std::get<3>(y)});
    return {all, squares, lost, squares_lost};
  }
  static auto finish(const state& s, const value<std::int64_t>& count) {
    const value<Real> all = exact::total({std::get<0>(s), std::get<2>(s)}),
                      squares = exact::total({std::get<1>(s), std::get<3>(s)});
    const value<Real> of_mean = all * all / cast<Real>(count);
    return value<Real>(select(count == 0, squares, squares - of_mean));
  }
};
/// The same where a mask says which elements count: their number is reduced with them.
template <class Real>
struct masked_squares_of {
  using result = Real;
  using squares = squares_of<Real>;
  using element = std::tuple<value<Real>, value<Real>, value<std::int64_t>>;
  using state = std::tuple<value<Real>, value<Real>, value<std::int64_t>, value<Real>, value<Real>>;
  static constexpr const char* name = "var";
  static constexpr bool needs_elements = false;
  static constexpr std::tuple<Real, Real, std::int64_t, Real, Real> zero{};
  static element enter(const value<Real>& x, const value<std::int64_t>&) {
    return {x, x * x, value<std::int64_t>(1)};
  }
  static element join(const element& x, const element& y) {
    return {std::get<0>(x) + std::get<0>(y), std::get<1>(x) + std::get<1>(y),
            std::get<2>(x) + std::get<2>(y)};
  }
  static state absorb(const state& s, const element& x) {
    return with_number(squares::absorb(sums(s), {std::get<0>(x), std::get<1>(x)}),
                       std::get<2>(s) + std::get<2>(x));
  }
  static state combine(const state& x, const state& y) {
    return with_number(squares::combine(sums(x), sums(y)), std::get<2>(x) + std::get<2>(y));
  }
  static auto finish(const state& s, const value<std::int64_t>&) {
    return squares::finish(sums(s), std::get<2>(s));
  }

 private:
  static typename squares::state sums(const state& s) {
    return {std::get<0>(s), std::get<1>(s), std::get<3>(s), std::get<4>(s)};
  }
  static state with_number(const typename squares::state& s, const value<std::int64_t>& number) {
    return {std::get<0>(s), std::get<1>(s), number, std::get<2>(s), std::get<3>(s)};
  }
};
/// The variance of as many elements, or its root.
template <class Number, bool Root>
struct of_population {
  template <class Real>
  struct spread : squares_of<Real> {
    using result = Number;
    static auto finish(const typename spread::state& s, const value<std::int64_t>& count) {
      const auto variance = squares_of<Real>::finish(s, count) / cast<Real>(count);
      if constexpr (Root) return value<Number>(cast<Number>(sqrt(variance)));
      else return value<Number>(cast<Number>(variance));
    }
  };
};
template <class Elem>
struct number_of : wrapping_sum<std::int64_t> {  // of the elements
  using result = std::int64_t;
  static constexpr const char* name = "var";
  static state enter(const value<Elem>&, const value<std::int64_t>&) {
    return {value<std::int64_t>(1)};
  }
  static auto finish(const state& s, const value<std::int64_t>&) { return total(s); }
};

template <class Option>
inline constexpr bool is_mask = false;
template <class Mask>
inline constexpr bool is_mask<where_type<Mask>> = true;

template <class Real>
struct deviation_of_element {
  template <class Elem, class Mean>
  auto operator()(const Elem& x, const Mean& mean) const {
    return value<Real>(cast<Real>(x) - cast<Real>(mean));
  }
};
/// squares / (count - ddof), or its root.
template <class Result, bool Root>
struct spread_of {
  template <class Squares, class Count, class Ddof>
  auto operator()(const Squares& squares, const Count& count, const Ddof& ddof) const {
    using real = held_t<Squares>;
    const auto rest = count - ddof;
    const auto variance = squares / cast<real>(select(rest > 0, rest, rest - rest));
    if constexpr (Root) return value<Result>(cast<Result>(sqrt(variance)));
    else return value<Result>(cast<Result>(variance));
  }
};

template <class Type, class... Options>
auto mean_whole(const Type& x, const Options&... options) {
  if constexpr (complex_number<element_in<Type>>)
    return reduce_both_parts<element_in<Type>>(
        [&]<int Part>(std::integral_constant<int, Part>, const auto&... rest) {
          return mean_whole(make_expression<part_elements<Part>>(x), part_of_option<Part>(rest)...);
        },
        options...);
  else if constexpr ((is_mask<Options> || ...)) return reduce_whole<masked_mean_of>(x, options...);
  else return reduce_whole<mean_of>(x, options...);
}
/// The centre of the squares: the mean, or for a long row the mean of 64 elements of each 4,096. It
/// is within nine standard deviations of the row's mean for all elements: by Cauchy and Schwarz,
/// the root of the ratio of all elements to the sampled ones. This costs the sums, which keep their
/// rounding errors, six bits at most.
template <class Type, class... Options>
auto near_mean(const Type& x, const Options&... options) {
  if constexpr (is_device_array<Type>::value && !(is_mask<Options> || ...)) {
    constexpr std::int64_t run = 64, step = 4096;
    if constexpr (Type::rank == 1)
      if (x.size() >= 16 * step) {
        const auto rows = x.share()(range(0, x.size() / step * step)).reshape(-1, step);
        return mean_whole(mean_whole(rows(all, range(0, run)), axis(1)), axis(0), keepdims);
      }
  }
  return mean_whole(x, without_output(options)..., keepdims);
}
/// How many elements each of the results is of; `any` is one of them, or an array of them.
template <class Type, class Any, class... Options>
auto counted_for(const Type& x, const Any& any, const Options&... options) {
  if constexpr (is_device_array<Type>::value && !(is_mask<Options> || ...)) {
    if constexpr (plain<Any>) return x.size();
    else return any.size() > 0 ? x.size() / any.size() : 0;
  } else {
    return reduce_whole<number_of>(x, without_output(options)...);
  }
}
template <bool Masked, class Source, class... Options>
auto squares_whole(const Source& differences, const Options&... options) {
  if constexpr (Masked)
    return reduce_whole<masked_squares_of>(differences, without_output(options)...);
  else return reduce_whole<squares_of>(differences, without_output(options)...);
}
struct ddof_type {
  std::int64_t value;
};
template <class Option>
concept spread_option = reduction_option<Option> || std::is_same_v<Option, ddof_type>;
template <class Option>
std::int64_t ddof_in(const Option& option) {
  if constexpr (std::is_same_v<Option, ddof_type>) return option.value;
  else return 0;
}
/// Of complex numbers: the variances of both parts together, or its root.
template <bool Root>
struct spread_of_parts {
  template <class Real>
  auto operator()(const Real& re, const Real& im) const {
    if constexpr (Root) return sqrt(re + im);
    else return re + im;
  }
  template <class Real>
  static Real plain(Real re, Real im) {
    return Root ? Real(__builtin_sqrt(re + im)) : re + im;
  }
};
template <bool Root, class Type, class... Options>
  requires complex_number<element_in<Type>>
auto spread_whole(const Type& x, const Options&... options) {
  return real_result<spread_of_parts<Root>>(
      spread_whole<false>(make_expression<part_elements<0>>(x), without_output(options)...),
      spread_whole<false>(make_expression<part_elements<1>>(x), without_output(options)...),
      options...);
}
template <bool Root, class Type, class... Options>
  requires(!complex_number<element_in<Type>>)
auto spread_whole(const Type& x, const Options&... options) {
  const std::int64_t ddof = (ddof_in(options) + ... + 0);
  using number = mean_type<operand_element<decltype(make_operand(x))>>;
  using real = sum_type<number>;
  constexpr bool masked = (is_mask<Options> || ...);
  const auto mean = near_mean(x, options...);
  const auto differences = make_expression<deviation_of_element<real>>(x, mean);
  if constexpr (!masked)
    if (ddof == 0)
      return reduce_whole<of_population<number, Root>::template spread>(differences, options...);
  const auto squares = squares_whole<masked>(differences, options...);
  const auto count = counted_for(x, squares, options...);
  if constexpr (plain<std::remove_const_t<decltype(squares)>>) {
    const real variance = squares / real(count > ddof ? count - ddof : 0);
    return number(Root ? __builtin_sqrt(variance) : variance);
  } else {
    constexpr int rank = std::remove_cvref_t<decltype(squares)>::rank;
    auto out = result_in<number, rank>(
        output_in<0>(options...), dense(squares.extents().extents, rank, false), squares.device());
    make_expression<spread_of<number, Root>>(squares, count, ddof).into(out.to);
    return out.give();
  }
}

}  // namespace detail

/// The mean of the elements, for integers a double; NaN without elements.
/// Options are those of kr::sum. With kr::where it is the mean of the chosen elements.
/// \code
/// float m = kr::mean(x);
/// \endcode
template <detail::whole_array Type, detail::reduction_option... Options>
auto mean(const Type& x, const Options&... options) {
  return detail::mean_whole(x, options...);
}
/// The delta degrees of freedom: kr::variance and kr::stddev divide by the count minus this number.
/// \code
/// float s = kr::stddev(x, kr::ddof(1));
/// \endcode
inline detail::ddof_type ddof(std::int64_t count) { return {count}; }
/// The variance of the elements, NumPy's var, in the type of the mean.
/// It is the sum of squares about the mean divided by the count minus kr::ddof; infinity or NaN if
/// that is not positive. It takes two passes and is accurate to about the last bit. Long rows take
/// one pass, about the mean of a sample of 64 in 4,096 elements; unlike samples may cost six bits.
/// \code
/// float v = kr::variance(x);
/// \endcode
template <detail::whole_array Type, detail::spread_option... Options>
auto variance(const Type& x, const Options&... options) {
  return detail::spread_whole<false>(x, options...);
}
/// The standard deviation, the square root of kr::variance.
/// \code
/// kr::array<float> spread = kr::stddev(a, kr::axis(0), kr::ddof(1));
/// \endcode
template <detail::whole_array Type, detail::spread_option... Options>
auto stddev(const Type& x, const Options&... options) {
  return detail::spread_whole<true>(x, options...);
}

#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_AXES(mean, variance, stddev)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
