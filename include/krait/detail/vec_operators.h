// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of kr::vec, and the functions of krait/math.h on it, component by component.
#pragma once

#include <krait/detail/vec_parts.h>
#include <krait/math_utilities.h>

namespace krait {

// Plain components are computed as C++ computes them: of two types they are converted without
// asking, and an overflow of signed ones is undefined.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
// Undefined below: one line per operator, for traced and plain operands in every order. Plain ones
// are taken by value, so that a lambda can use a constant without capturing it.
#define KRAIT_VEC_PAIR(name, expression)                                               \
  template <detail::traced_operand Left, detail::traced_operand Right>                 \
    requires detail::vec_operands<Left, Right>                                         \
  [[gnu::noinline, gnu::cold]] auto name(const Left& x, const Right& y) {              \
    detail::set_caller();                                                              \
    return detail::zip(x, y, [](const auto& a, const auto& b) { return expression; }); \
  }                                                                                    \
  template <detail::traced_operand Left, detail::plain_operand Right>                  \
    requires detail::vec_operands<Left, Right>                                         \
  [[gnu::noinline, gnu::cold]] auto name(const Left& x, Right y) {                     \
    detail::set_caller();                                                              \
    return detail::zip(x, y, [](const auto& a, const auto& b) { return expression; }); \
  }                                                                                    \
  template <detail::plain_operand Left, detail::traced_operand Right>                  \
    requires detail::vec_operands<Left, Right>                                         \
  [[gnu::noinline, gnu::cold]] auto name(Left x, const Right& y) {                     \
    detail::set_caller();                                                              \
    return detail::zip(x, y, [](const auto& a, const auto& b) { return expression; }); \
  }                                                                                    \
  template <detail::plain_operand Left, detail::plain_operand Right>                   \
    requires detail::vec_operands<Left, Right>                                         \
  auto name(Left x, Right y) {                                                         \
    return detail::zip(x, y, [](const auto& a, const auto& b) { return expression; }); \
  }
#define KRAIT_VEC_OPERATOR(symbol) KRAIT_VEC_PAIR(operator symbol, a symbol b)
#define KRAIT_VEC_COMPOUND(symbol, expression)                                                     \
  KRAIT_VEC_PAIR(operator symbol, expression)                                                      \
  template <class Type, int Size, detail::traced_operand Right>                                    \
  [[gnu::noinline, gnu::cold]] var<vec<Type, Size>>& operator symbol##=(var<vec<Type, Size>>& x,   \
                                                                        const Right& y) {          \
    detail::set_caller();                                                                          \
    return x = x symbol y;                                                                         \
  }                                                                                                \
  template <class Type, int Size, detail::plain_operand Right>                                     \
  [[gnu::noinline, gnu::cold]] var<vec<Type, Size>>& operator symbol##=(var<vec<Type, Size>>& x,   \
                                                                        Right y) {                 \
    detail::set_caller();                                                                          \
    return x = x symbol y;                                                                         \
  }                                                                                                \
  template <class Type, int Size, detail::traced_operand Right>                                    \
  [[gnu::noinline, gnu::cold]] value<vec<Type, Size>> operator symbol##=(ref<vec<Type, Size>>&& x, \
                                                                         const Right& y) {         \
    detail::set_caller();                                                                          \
    return static_cast<ref<vec<Type, Size>>&&>(x) = x symbol y;                                    \
  }                                                                                                \
  template <class Type, int Size, detail::plain_operand Right>                                     \
  [[gnu::noinline, gnu::cold]] value<vec<Type, Size>> operator symbol##=(ref<vec<Type, Size>>&& x, \
                                                                         Right y) {                \
    detail::set_caller();                                                                          \
    return static_cast<ref<vec<Type, Size>>&&>(x) = x symbol y;                                    \
  }                                                                                                \
  template <class Type, int Size, detail::plain_operand Right>                                     \
  constexpr vec<Type, Size>& operator symbol##=(vec<Type, Size>& x, Right y) {                     \
    const auto result = x symbol y;                                                                \
    for (int i = 0; i < Size; ++i) x[i] = static_cast<Type>(result[i]);                            \
    return x;                                                                                      \
  }
KRAIT_VEC_COMPOUND(+, a + b)
KRAIT_VEC_COMPOUND(-, a - b)
KRAIT_VEC_COMPOUND(*, detail::product(a, b))
KRAIT_VEC_COMPOUND(/, a / b)
KRAIT_VEC_COMPOUND(%, a % b)
KRAIT_VEC_COMPOUND(&, a& b)
KRAIT_VEC_COMPOUND(|, a | b)
KRAIT_VEC_COMPOUND(^, a ^ b)
KRAIT_VEC_COMPOUND(<<, a << b)
KRAIT_VEC_COMPOUND(>>, a >> b)
KRAIT_VEC_OPERATOR(==)
KRAIT_VEC_OPERATOR(!=)
KRAIT_VEC_OPERATOR(<)
KRAIT_VEC_OPERATOR(<=)
KRAIT_VEC_OPERATOR(>)
KRAIT_VEC_OPERATOR(>=)
#undef KRAIT_VEC_OPERATOR
#undef KRAIT_VEC_COMPOUND

#define KRAIT_VEC_UNARY(symbol)                                 \
  template <detail::any_vec Vector>                             \
  auto operator symbol(const Vector& v) {                       \
    return detail::each_component<detail::size_of_vec<Vector>>( \
        [&](auto i) { return symbol detail::spread<i>(v); });   \
  }
KRAIT_VEC_UNARY(+)
KRAIT_VEC_UNARY(-)
KRAIT_VEC_UNARY(~)
KRAIT_VEC_UNARY(!)
#undef KRAIT_VEC_UNARY

// Undefined below: the functions of krait/math.h, component by component.
#define KRAIT_VEC_FUNCTION1(function)                                   \
  template <detail::any_vec Vector>                                     \
  auto function(const Vector& v) {                                      \
    return detail::each_component<detail::size_of_vec<Vector>>(         \
        [&](auto i) { return krait::function(detail::spread<i>(v)); }); \
  }
#define KRAIT_VEC_FUNCTION2(function) KRAIT_VEC_PAIR(function, krait::function(a, b))
// clang-format off
KRAIT_VEC_FUNCTION1(sqrt) KRAIT_VEC_FUNCTION1(floor) KRAIT_VEC_FUNCTION1(ceil) KRAIT_VEC_FUNCTION1(trunc)
KRAIT_VEC_FUNCTION1(rint) KRAIT_VEC_FUNCTION1(round) KRAIT_VEC_FUNCTION1(isnan) KRAIT_VEC_FUNCTION1(isinf)
KRAIT_VEC_FUNCTION1(isfinite) KRAIT_VEC_FUNCTION1(abs)
KRAIT_VEC_FUNCTION1(exp) KRAIT_VEC_FUNCTION1(exp2) KRAIT_VEC_FUNCTION1(exp10) KRAIT_VEC_FUNCTION1(expm1)
KRAIT_VEC_FUNCTION1(log) KRAIT_VEC_FUNCTION1(log2) KRAIT_VEC_FUNCTION1(log10) KRAIT_VEC_FUNCTION1(log1p)
KRAIT_VEC_FUNCTION1(sin) KRAIT_VEC_FUNCTION1(cos) KRAIT_VEC_FUNCTION1(tan)
KRAIT_VEC_FUNCTION1(asin) KRAIT_VEC_FUNCTION1(acos) KRAIT_VEC_FUNCTION1(atan)
KRAIT_VEC_FUNCTION1(sinh) KRAIT_VEC_FUNCTION1(cosh) KRAIT_VEC_FUNCTION1(tanh)
KRAIT_VEC_FUNCTION1(erf) KRAIT_VEC_FUNCTION1(rsqrt) KRAIT_VEC_FUNCTION1(cbrt)
KRAIT_VEC_FUNCTION2(min) KRAIT_VEC_FUNCTION2(max) KRAIT_VEC_FUNCTION2(pow) KRAIT_VEC_FUNCTION2(atan2)
KRAIT_VEC_FUNCTION2(fmod) KRAIT_VEC_FUNCTION2(copysign)
// clang-format on
#undef KRAIT_VEC_FUNCTION1
#undef KRAIT_VEC_FUNCTION2
#undef KRAIT_VEC_PAIR
#pragma GCC diagnostic pop

}  // namespace krait
