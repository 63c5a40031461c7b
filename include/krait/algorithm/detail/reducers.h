// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operation of each reduction on elements, and its conversion to a recipe of the library.
#pragma once

#include <krait/detail/operands.h>
#include <krait/detail/reduction.h>
#include <krait/math.h>
#include <krait/math_utilities.h>
#include <krait/warp.h>

namespace krait::detail {

/// NumPy's type of sums and products.
template <class Elem>
using sum_type =
    std::conditional_t<is_float_v<Elem>, std::conditional_t<sizeof(Elem) <= 4, float, double>,
                       std::conditional_t<std::is_signed_v<Elem> || std::is_same_v<Elem, bool>,
                                          std::int64_t, std::uint64_t>>;
/// Comparisons of bool are those of 0 and 1.
template <class Elem>
using ordered_type = std::conditional_t<std::is_same_v<Elem, bool>, unsigned char, Elem>;
template <class Elem>
using mean_type = std::conditional_t<is_float_v<Elem>, Elem, double>;

/// A reducer has the types of its words, and functions on tuples of their values: `enter(value,
/// number)` gives an element, and `finish(state, count)` the result. Its join, absorb and combine
/// are those of reduction_recipe. `zero` is the identity of the state.
template <class Word>
struct one_word {
  using element = std::tuple<value<Word>>;
  using state = element;
  using state_types = std::tuple<Word>;
  static constexpr bool needs_elements = false;
  template <class Number>
  static std::tuple<Word> start(Number x) {
    return {convert_plain<Word>(x)};
  }
};
template <class Self>
struct one_kind {  // of words
  template <class Words>
  static Words join(const Words& x, const Words& y) {
    return Self::combine(x, y);
  }
  template <class Words>
  static Words absorb(const Words& x, const Words& y) {
    return Self::combine(x, y);
  }
};

/// Sums of floats: a few elements are added in pairs, and what a longer sum loses is kept beside it
/// (Knuth's two-sum).
template <class Real>
struct exact_sum {
  using element = std::tuple<value<Real>>;
  using state = std::tuple<value<Real>, value<Real>>;
  using state_types = std::tuple<Real, Real>;
  static constexpr bool needs_elements = false;
  static constexpr state_types zero{Real(0), Real(0)};
  template <class Number>
  static state_types start(Number x) {
    return {convert_plain<Real>(x), Real(0)};
  }
  static element join(const element& x, const element& y) {
    return {std::get<0>(x) + std::get<0>(y)};
  }
  static state absorb(const state& s, const element& x) {
    const value<Real> a = std::get<0>(s), b = std::get<0>(x), sum = a + b, part = sum - a;
    return {sum, std::get<1>(s) + ((a - (sum - part)) + (b - part))};
  }
  static state combine(const state& x, const state& y) {
    const state sum = absorb(x, {std::get<0>(y)});
    return {std::get<0>(sum), std::get<1>(sum) + std::get<1>(y)};
  }
  /// The rounding error of an infinity is not a number.
  static value<Real> total(const state& s) {
    const value<Real> all = std::get<0>(s) + std::get<1>(s);
    return select(isfinite(std::get<1>(s)), all, std::get<0>(s));
  }
};
template <class Integer>
struct wrapping_sum : one_word<Integer>, one_kind<wrapping_sum<Integer>> {
  using state = std::tuple<value<Integer>>;
  static constexpr std::tuple<Integer> zero{Integer(0)};
  static state combine(const state& x, const state& y) { return {std::get<0>(x) + std::get<0>(y)}; }
  static value<Integer> total(const state& s) { return std::get<0>(s); }
};
template <class Sum>
using summing = std::conditional_t<is_float_v<Sum>, exact_sum<Sum>, wrapping_sum<Sum>>;

template <class Elem>
struct sum_of : summing<sum_type<Elem>> {
  using result = std::conditional_t<is_float_v<Elem>, Elem, sum_type<Elem>>;
  static constexpr const char* name = "add";
  static auto enter(const value<Elem>& x, const value<std::int64_t>&) {
    return std::tuple{cast<sum_type<Elem>>(x)};
  }
  static auto finish(const typename sum_of::state& s, const value<std::int64_t>&) {
    return value<result>(cast<result>(sum_of::total(s)));
  }
};
template <class Elem>
struct norm_of : summing<sum_type<mean_type<Elem>>> {
  using result = mean_type<Elem>;
  using sum = sum_type<result>;
  static constexpr const char* name = "norm";
  static auto enter(const value<Elem>& x, const value<std::int64_t>&) {
    const value<sum> own = cast<sum>(x);
    return std::tuple{value<sum>(own * own)};
  }
  static auto finish(const typename norm_of::state& s, const value<std::int64_t>&) {
    return value<result>(cast<result>(sqrt(norm_of::total(s))));
  }
};
template <class Elem>
struct product_of : one_word<sum_type<Elem>>, one_kind<product_of<Elem>> {
  using sum = sum_type<Elem>;
  using state = std::tuple<value<sum>>;
  using result = std::conditional_t<is_float_v<Elem>, Elem, sum>;
  static constexpr const char* name = "multiply";
  static constexpr std::tuple<sum> zero{sum(1)};
  static state enter(const value<Elem>& x, const value<std::int64_t>&) { return {cast<sum>(x)}; }
  static state combine(const state& x, const state& y) { return {std::get<0>(x) * std::get<0>(y)}; }
  static auto finish(const state& s, const value<std::int64_t>&) {
    return value<result>(cast<result>(std::get<0>(s)));
  }
};
template <class Elem>
struct count_of : wrapping_sum<std::int64_t> {
  using result = std::int64_t;
  static constexpr const char* name = "count_nonzero";
  static state enter(const value<Elem>& x, const value<std::int64_t>&) {
    return {cast<std::int64_t>(x != Elem(0))};
  }
  static auto finish(const state& s, const value<std::int64_t>&) { return total(s); }
};

/// Of smallest and largest.
template <class Elem, bool Largest>
struct extreme : one_word<ordered_type<Elem>>, one_kind<extreme<Elem, Largest>> {
  using word = ordered_type<Elem>;
  using state = std::tuple<value<word>>;
  using result = Elem;
  static constexpr const char* name = Largest ? "maximum" : "minimum";
  static constexpr bool needs_elements = true;
  static constexpr std::tuple<word> zero{
      neutral_of<word>(Largest ? krait::combine::max : krait::combine::min)};
  static state enter(const value<Elem>& x, const value<std::int64_t>&) { return {cast<word>(x)}; }
  static state combine(const state& x, const state& y) {
    const value<word> a = std::get<0>(x), b = std::get<0>(y);
    if constexpr (is_float_v<word>) return {cast<word>(Largest ? maximum(a, b) : minimum(a, b))};
    else return {cast<word>(Largest ? krait::max(a, b) : krait::min(a, b))};
  }
  static auto finish(const state& s, const value<std::int64_t>&) {
    return value<result>(cast<result>(std::get<0>(s)));
  }
};
template <class Elem>
struct smallest_of : extreme<Elem, false> {};
template <class Elem>
struct largest_of : extreme<Elem, true> {};

/// The place of an extreme: the first of equal ones, and of NaN, which is more extreme than all.
template <class Elem, bool Largest>
struct place_of_extreme : one_kind<place_of_extreme<Elem, Largest>> {
  using word = ordered_type<Elem>;
  using element = std::tuple<value<word>, value<std::int64_t>>;
  using state = element;
  using state_types = std::tuple<word, std::int64_t>;
  using result = std::int64_t;
  static constexpr const char* name = Largest ? "argmax" : "argmin";
  static constexpr bool needs_elements = true, numbers = true;
  static constexpr state_types zero{
      neutral_of<word>(Largest ? krait::combine::max : krait::combine::min),
      neutral_of<std::int64_t>(krait::combine::min)};
  static state enter(const value<Elem>& x, const value<std::int64_t>& number) {
    return {cast<word>(x), number};
  }
  static state combine(const state& x, const state& y) {
    const value<word> a = std::get<0>(x), b = std::get<0>(y);
    const value<std::int64_t> i = std::get<1>(x), j = std::get<1>(y);
    const value<bool> before = i < j;
    const value<bool> first = Largest ? a > b : a < b, same = a == b;
    if constexpr (is_float_v<word>) {
      const value<bool> nan = a != a, other_nan = b != b;
      const auto either = (same | (nan & other_nan)) != 0;
      const auto extreme = ((nan & !other_nan) | (first & !other_nan)) != 0;
      const auto wins = (extreme | (either & before)) != 0;
      return {select(wins, a, b), select(wins, i, j)};
    } else {
      const auto wins = (first | (same & before)) != 0;
      return {select(wins, a, b), select(wins, i, j)};
    }
  }
  static auto finish(const state& s, const value<std::int64_t>&) {
    const value<std::int64_t> found = std::get<1>(s);
    // a mask took none
    return value<std::int64_t>(select(found == std::get<1>(zero), std::int64_t(-1), found));
  }
};
template <class Elem>
struct place_of_smallest : place_of_extreme<Elem, false> {};
template <class Elem>
struct place_of_largest : place_of_extreme<Elem, true> {};

template <class Elem, bool All>
struct truth : one_word<unsigned>, one_kind<truth<Elem, All>> {
  using state = std::tuple<value<unsigned>>;
  using result = bool;
  static constexpr const char* name = All ? "logical_and" : "logical_or";
  static constexpr std::tuple<unsigned> zero{All ? 1u : 0u};
  static state enter(const value<Elem>& x, const value<std::int64_t>&) {
    return {cast<unsigned>(x != Elem(0))};
  }
  static state combine(const state& x, const state& y) {
    if constexpr (All) return {std::get<0>(x) & std::get<0>(y)};
    else return {std::get<0>(x) | std::get<0>(y)};
  }
  static auto finish(const state& s, const value<std::int64_t>&) {
    return value<bool>(std::get<0>(s) != 0u);
  }
};
template <class Elem>
struct whether_any : truth<Elem, false> {};
template <class Elem>
struct whether_all : truth<Elem, true> {};

}  // namespace krait::detail
