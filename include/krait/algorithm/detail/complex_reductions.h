// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of complex numbers: each part of the result is a reduction of real numbers.
#pragma once

#include <krait/algorithm/detail/recipe.h>
#include <krait/algorithm/detail/result.h>
#include <krait/expression.h>

namespace krait::detail {

template <int Part>
struct part_elements {
  template <class Type>
  auto operator()(const Type& z) const {
    if constexpr (Part == 0) return z.real();
    else return z.imag();
  }
};
/// Re and Im as a complex number of this type.
template <class Number>
struct number_of_parts {
  template <class Real>
  auto operator()(const Real& re, const Real& im) const {
    return value<Number>(re, im);
  }
};

/// The product of complex numbers, and of it the real or the imaginary part.
template <int Part>
struct part_of_product {
  template <class Elem>
  struct of {
    using real = typename Elem::value_type;
    using result = real;
    using element = std::tuple<value<real>, value<real>>;
    using state = element;
    static constexpr const char* name = "multiply";
    static constexpr bool needs_elements = false;
    static constexpr std::tuple<real, real> zero{real(1), real(0)};
    template <class Number>
    static std::tuple<real, real> start(const Number& x) {
      if constexpr (complex_number<Number>) return {real(x.real()), real(x.imag())};
      else return {convert_plain<real>(x), real(0)};
    }
    static element enter(const value<Elem>& z, const value<std::int64_t>&) {
      return {z.real(), z.imag()};
    }
    static state combine(const state& x, const state& y) {
      const auto& [a, b] = x;
      const auto& [c, d] = y;
      return {a * c - b * d, a * d + b * c};
    }
    static element join(const element& x, const element& y) { return combine(x, y); }
    static state absorb(const state& x, const element& y) { return combine(x, y); }
    static auto finish(const state& s, const value<std::int64_t>&) {
      return value<real>(std::get<Part>(s));
    }
  };
};

/// reduce(Part, options…) gives a part's result; both as numbers of type Elem, in an array or in
/// the array that kr::into names.
template <class Elem, class Reduce, class... Options>
auto reduce_both_parts(const Reduce& reduce, const Options&... options) {
  const auto re = reduce(std::integral_constant<int, 0>(), without_output(options)...);
  const auto im = reduce(std::integral_constant<int, 1>(), without_output(options)...);
  if constexpr (plain<std::remove_const_t<decltype(re)>>) {
    static_assert(
        (outputs_in<Options> + ... + 0) == 0,
        "krait: a reduction to one number returns it: with into(), add kr::axis or kr::keepdims");
    return Elem(re, im);
  } else {
    constexpr int rank = std::remove_cvref_t<decltype(re)>::rank;
    auto out = result_in<Elem, rank>(output_in<0>(options...),
                                     dense(re.extents().extents, rank, false), re.device());
    make_expression<number_of_parts<Elem>>(re, im).into(out.to);
    return out.give();
  }
}
/// A real result of those of both parts, by Function.
template <class Function, class Number, class... Options>
auto real_result(const Number& first, const Number& second, const Options&... options) {
  if constexpr (plain<Number>) {
    return Function::plain(first, second);
  } else {
    using real = typename Number::value_type;
    auto out = result_in<real, Number::rank>(output_in<0>(options...),
                                             dense(first.extents().extents, Number::rank, false),
                                             first.device());
    make_expression<Function>(first, second).into(out.to);
    return out.give();
  }
}

}  // namespace krait::detail
