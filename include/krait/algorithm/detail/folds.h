// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds whose operation the library knows, as reducers: many threads share the elements of a
// result.
#pragma once

#include <krait/algorithm/detail/recipe.h>

namespace krait::detail {

template <class State>
struct fold_by_add : summing<std::conditional_t<is_float_v<State>, sum_type<State>, State>> {
  using result = State;
  static constexpr const char* name = "add";
  static auto enter(const value<State>& x, const value<std::int64_t>&) {
    return typename fold_by_add::element{
        cast<typename std::tuple_element_t<0, typename fold_by_add::element>::traced_type>(x)};
  }
  static auto finish(const typename fold_by_add::state& s, const value<std::int64_t>&) {
    return value<State>(cast<State>(fold_by_add::total(s)));
  }
};

/// Of one word, combined by an operator.
template <class State, class Word, class Combine>
struct fold_by : one_word<Word>, one_kind<fold_by<State, Word, Combine>> {
  using state = std::tuple<value<Word>>;
  using result = State;
  static constexpr const char* name = Combine::name;
  static constexpr bool needs_elements = Combine::needs_elements;
  static constexpr std::tuple<Word> zero{Combine::template neutral<Word>()};
  static state enter(const value<State>& x, const value<std::int64_t>&) { return {cast<Word>(x)}; }
  static state combine(const state& x, const state& y) {
    return {cast<Word>(Combine::apply(std::get<0>(x), std::get<0>(y)))};
  }
  static auto finish(const state& s, const value<std::int64_t>&) {
    return value<State>(cast<State>(std::get<0>(s)));
  }
};
// Undefined below.
#define KRAIT_FOLD(what, numpy_name, needs, neutral_word, operation) \
  struct what##_operator {                                           \
    static constexpr const char* name = numpy_name;                  \
    static constexpr bool needs_elements = needs;                    \
    template <class Word>                                            \
    static constexpr Word neutral() {                                \
      return neutral_word;                                           \
    }                                                                \
    template <class Value>                                           \
    static auto apply(const Value& x, const Value& y) {              \
      return operation;                                              \
    }                                                                \
  };                                                                 \
  template <class State>                                             \
  struct fold_by_##what                                              \
      : fold_by<State, std::conditional_t<is_narrow_v<State>, float, State>, what##_operator> {};

/// NaN loses against numbers in kr::min and kr::max, so it is what changes nothing.
template <class Word>
constexpr Word unordered_or(combine by) {
  if constexpr (is_float_v<Word>) return Word(__builtin_nanf(""));
  else return neutral_of<Word>(by);
}
KRAIT_FOLD(multiply, "multiply", false, Word(1), x* y)
KRAIT_FOLD(min, "minimum", true, unordered_or<Word>(krait::combine::min), krait::min(x, y))
KRAIT_FOLD(max, "maximum", true, unordered_or<Word>(krait::combine::max), krait::max(x, y))
KRAIT_FOLD(and, "bitwise_and", false, neutral_of<Word>(krait::combine::and_), x& y)
KRAIT_FOLD(or, "bitwise_or", false, Word(0), x | y)
KRAIT_FOLD(xor, "bitwise_xor", false, Word(0), x ^ y)
#undef KRAIT_FOLD

}  // namespace krait::detail
