// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions on traced and on plain values. Plain values give the result of a kernel in strict mode.
// The exact functions are written here; the mathematical ones use the same source as the device
// (lib/math).
#pragma once

#include <krait/detail/plain_real.h>
#include <krait/detail/standard_names.h>

namespace krait {
namespace detail {

template <class Type>
constexpr int plain_popcount(Type x) {
  return __builtin_popcountll(bits_of(x));
}
template <class Type>
constexpr int plain_clz(Type x) {
  return x == 0 ? 8 * static_cast<int>(sizeof(Type))
                : __builtin_clzll(bits_of(x)) - (64 - 8 * static_cast<int>(sizeof(Type)));
}
template <class Type>
constexpr int plain_ctz(Type x) {
  return x == 0 ? 8 * static_cast<int>(sizeof(Type)) : __builtin_ctzll(bits_of(x));
}
template <class Type>
constexpr Type plain_byte_swap(Type x) {
  return from_bits<Type>(__builtin_bswap64(bits_of(x)) >> (64 - 8 * sizeof(Type)));
}
template <class Type>
constexpr Type plain_bit_reverse(Type x) {
  std::uint64_t bits = bits_of(x), reversed = 0;
  for (unsigned i = 0; i < 8 * sizeof(Type); ++i, bits >>= 1) reversed = reversed << 1 | (bits & 1);
  return from_bits<Type>(reversed);
}
template <class Type>
constexpr Type plain_mul_hi(Type x, Type y) {
  __extension__ using signed_wide = __int128;
  __extension__ using unsigned_wide = unsigned __int128;
  using wide = std::conditional_t<std::is_signed_v<Type>, signed_wide, unsigned_wide>;
  return static_cast<Type>(static_cast<wide>(x) * static_cast<wide>(y) >> (8 * sizeof(Type)));
}

/// x ± y, or the nearest number of the type where that overflows.
template <class Type>
constexpr Type plain_add_sat(Type x, Type y) {
  Type sum{};
  if (!__builtin_add_overflow(x, y, &sum)) return sum;
  const auto ones =
      from_bits<Type>(~std::uint64_t{0} >> (64 - 8 * sizeof(Type) + std::is_signed_v<Type>));
  return x < 0 ? static_cast<Type>(~ones) : ones;
}
template <class Type>
constexpr Type plain_sub_sat(Type x, Type y) {
  Type difference{};
  if (!__builtin_sub_overflow(x, y, &difference)) return difference;
  if constexpr (!std::is_signed_v<Type>) return 0;
  const auto largest = from_bits<Type>(~std::uint64_t{0} >> (64 - 8 * sizeof(Type) + 1));
  return x < 0 ? static_cast<Type>(~largest) : largest;
}

template <class Type>
using float_of = std::conditional_t<is_narrow_v<Type>, float, Type>;
template <class Left, class Right>
using choice_of = choice_t<storage_type_t<Left>, storage_type_t<Right>>;
template <class Left, class Right>
using real_of = real_t<arith_t<storage_type_t<Left>, storage_type_t<Right>>>;
template <class Type>
struct integer_operand {
  static constexpr bool fits = std::is_integral_v<Type> && !std::is_same_v<Type, bool>;
  static_assert(
      fits,
      "krait: this function takes integers, not bools or floats: convert with kr::cast<unsigned>(v)");
  using type = std::conditional_t<fits, Type, int>;
};
template <class Type>
using integer_t = typename integer_operand<Type>::type;
template <class Left, class Right>
using integer_of = integer_t<arith_t<storage_type_t<Left>, storage_type_t<Right>>>;
template <class Left, class Right>
using integer_choice_of = integer_t<choice_of<Left, Right>>;

// The mathematical functions of plain values, for float and double, which the library has
// (lib/math).
#define KRAIT_PLAIN_FUNCTION1(function)     \
  KRAIT_API float math_##function(float x); \
  KRAIT_API double math_##function(double x);
#define KRAIT_PLAIN_FUNCTION2(function)              \
  KRAIT_API float math_##function(float x, float y); \
  KRAIT_API double math_##function(double x, double y);
#define KRAIT_MATH(Name, text, arity, doc) KRAIT_PLAIN_FUNCTION##arity(text)
#include <krait/ops.def>
#undef KRAIT_PLAIN_FUNCTION1
#undef KRAIT_PLAIN_FUNCTION2

}  // namespace detail

// Undefined below. One argument: `type` of it is the type that computes; `plain_body` is an
// expression of `plain_x`.
#define KRAIT_FUNCTION1(function, name, type, result, plain_body)                  \
  template <detail::traced Type, detail::never... Own>                             \
  [[gnu::noinline, gnu::cold]] auto function(const Type& x, Own...) {              \
    detail::set_caller();                                                          \
    using computed = detail::type<typename Type::traced_type>;                     \
    return value<result>(                                                          \
        detail::apply(detail::op::name, detail::scalar_of<computed>, node_of(x))); \
  }                                                                                \
  template <detail::plain Type, detail::never... Own>                              \
  auto function(Type x, Own...) {                                                  \
    using computed = detail::type<Type>;                                           \
    using wide [[maybe_unused]] = detail::float_of<computed>;                      \
    const auto plain_x = static_cast<computed>(x);                                 \
    return static_cast<result>(plain_body);                                        \
  }
// Two arguments, one of them traced or both plain.
#define KRAIT_FUNCTION2(function, name, type, plain_body)                                      \
  template <detail::traced Left, detail::traced Right, detail::never... Own>                   \
  [[gnu::noinline, gnu::cold]] auto function(const Left& x, const Right& y, Own...) {          \
    detail::set_caller();                                                                      \
    using computed = detail::type<Left, Right>;                                                \
    return value<computed>(                                                                    \
        detail::apply(detail::op::name, detail::scalar_of<computed>, node_of(x), node_of(y))); \
  }                                                                                            \
  template <detail::traced Left, detail::plain Right, detail::never... Own>                    \
  [[gnu::noinline, gnu::cold]] auto function(const Left& x, Right y, Own...) {                 \
    detail::set_caller();                                                                      \
    using computed = detail::type<Left, Right>;                                                \
    return value<computed>(detail::apply(detail::op::name, detail::scalar_of<computed>,        \
                                         node_of(x), detail::plain_node<computed>(y)));        \
  }                                                                                            \
  template <detail::plain Left, detail::traced Right, detail::never... Own>                    \
  [[gnu::noinline, gnu::cold]] auto function(Left x, const Right& y, Own...) {                 \
    detail::set_caller();                                                                      \
    using computed = detail::type<Left, Right>;                                                \
    return value<computed>(detail::apply(detail::op::name, detail::scalar_of<computed>,        \
                                         detail::plain_node<computed>(x), node_of(y)));        \
  }                                                                                            \
  template <detail::plain Left, detail::plain Right, detail::never... Own>                     \
  auto function(Left x, Right y, Own...) {                                                     \
    using computed = detail::type<Left, Right>;                                                \
    using wide [[maybe_unused]] = detail::float_of<computed>;                                  \
    const auto plain_x = static_cast<computed>(x);                                             \
    const auto plain_y = static_cast<computed>(y);                                             \
    return static_cast<computed>(plain_body);                                                  \
  }
#define KRAIT_MATH_FUNCTION1(function, name)        \
  KRAIT_FUNCTION1(function, name, real_t, computed, \
                  detail::math_##function(static_cast<wide>(plain_x)))
#define KRAIT_MATH_FUNCTION2(function, name) \
  KRAIT_FUNCTION2(function, name, real_of,   \
                  detail::math_##function(static_cast<wide>(plain_x), static_cast<wide>(plain_y)))
#define KRAIT_ROUNDING(function, name)              \
  KRAIT_FUNCTION1(function, name, real_t, computed, \
                  detail::plain_##function(static_cast<wide>(plain_x)))

// Floating point; integers are converted to double, as in C++.
/// The square root of x, correctly rounded except in fast mode; NaN for x below 0.
/// \code
/// y[i] = kr::sqrt(x[i]);
/// \endcode
KRAIT_ROUNDING(sqrt, Sqrt)
/// The largest integer that is not above x, as a float.
/// \code
/// y[i] = x[i] - kr::floor(x[i]);
/// \endcode
KRAIT_ROUNDING(floor, Floor)
/// The smallest integer that is not below x, as a float.
KRAIT_ROUNDING(ceil, Ceil)
/// x without its fraction: rounded towards 0, as a float.
KRAIT_ROUNDING(trunc, Trunc)
/// The nearest integer to x, as a float; halves are rounded to the even neighbour.
KRAIT_ROUNDING(rint, Rint)
/// Tests whether x is a NaN, in fast mode too; gives bool.
/// \code
/// y[i] = kr::select(kr::isnan(x[i]), 0.0f, x[i]);
/// \endcode
KRAIT_FUNCTION1(isnan, Isnan, real_t, bool, detail::is_nan(plain_x))
/// Tests whether x is an infinity, in fast mode too; gives bool.
KRAIT_FUNCTION1(isinf, Isinf, real_t, bool, detail::plain_isinf(plain_x))
/// |x| with the sign of y.
/// \code
/// y[i] = kr::copysign(1.0f, x[i]);
/// \endcode
KRAIT_FUNCTION2(copysign, Copysign, real_of, detail::plain_copysign(plain_x, plain_y))
// Mathematical functions; docs/numbers.md has their bounds.
/// e to the power x. docs/numbers.md has the error bounds of this and the next functions.
/// \code
/// y[i] = kr::exp(-x[i] * x[i]);
/// \endcode
KRAIT_MATH_FUNCTION1(exp, Exp)
/// 2 to the power x.
KRAIT_MATH_FUNCTION1(exp2, Exp2)
/// 10 to the power x.
KRAIT_MATH_FUNCTION1(exp10, Exp10)
/// exp(x) - 1, accurate near 0.
KRAIT_MATH_FUNCTION1(expm1, Expm1)
/// The natural logarithm of x; -infinity for 0, NaN below 0.
/// \code
/// y[i] = kr::log(x[i]);
/// \endcode
KRAIT_MATH_FUNCTION1(log, Log)
/// The logarithm of x to base 2.
KRAIT_MATH_FUNCTION1(log2, Log2)
/// The logarithm of x to base 10.
KRAIT_MATH_FUNCTION1(log10, Log10)
/// The natural logarithm of 1 + x, accurate near 0.
KRAIT_MATH_FUNCTION1(log1p, Log1p)
/// The sine of x, in radians; x may have any size.
/// \code
/// y[i] = kr::sin(x[i]);
/// \endcode
KRAIT_MATH_FUNCTION1(sin, Sin)
/// The cosine of x, in radians; x may have any size.
KRAIT_MATH_FUNCTION1(cos, Cos)
/// The tangent of x, in radians; x may have any size.
KRAIT_MATH_FUNCTION1(tan, Tan)
/// The sine of pi * x: x counts half turns.
KRAIT_MATH_FUNCTION1(sinpi, Sinpi)
/// The cosine of pi * x: x counts half turns.
KRAIT_MATH_FUNCTION1(cospi, Cospi)
/// The tangent of pi * x: x counts half turns.
KRAIT_MATH_FUNCTION1(tanpi, Tanpi)
/// The arc sine of x, in radians from -pi/2 to pi/2; NaN outside [-1, 1].
KRAIT_MATH_FUNCTION1(asin, Asin)
/// The arc cosine of x, in radians from 0 to pi; NaN outside [-1, 1].
KRAIT_MATH_FUNCTION1(acos, Acos)
/// The arc tangent of x, in radians from -pi/2 to pi/2.
KRAIT_MATH_FUNCTION1(atan, Atan)
/// The hyperbolic sine of x.
KRAIT_MATH_FUNCTION1(sinh, Sinh)
/// The hyperbolic cosine of x.
KRAIT_MATH_FUNCTION1(cosh, Cosh)
/// The hyperbolic tangent of x.
KRAIT_MATH_FUNCTION1(tanh, Tanh)
/// The inverse hyperbolic sine of x.
KRAIT_MATH_FUNCTION1(asinh, Asinh)
/// The inverse hyperbolic cosine of x; NaN below 1.
KRAIT_MATH_FUNCTION1(acosh, Acosh)
/// The inverse hyperbolic tangent of x; NaN outside [-1, 1].
KRAIT_MATH_FUNCTION1(atanh, Atanh)
/// The error function of x.
KRAIT_MATH_FUNCTION1(erf, Erf)
/// The complementary error function, 1 - erf(x), accurate for large x.
KRAIT_MATH_FUNCTION1(erfc, Erfc)
/// The inverse of the error function: erf(erfinv(x)) is x, for x in [-1, 1].
KRAIT_MATH_FUNCTION1(erfinv, Erfinv)
/// The gamma function of x.
KRAIT_MATH_FUNCTION1(tgamma, Tgamma)
/// The natural logarithm of |tgamma(x)|.
KRAIT_MATH_FUNCTION1(lgamma, Lgamma)
/// 1 / sqrt(x).
/// \code
/// y[i] = x[i] * kr::rsqrt(x[i]);
/// \endcode
KRAIT_MATH_FUNCTION1(rsqrt, Rsqrt)
/// The cube root of x.
KRAIT_MATH_FUNCTION1(cbrt, Cbrt)
/// x to the power y: by products where y is whole or a half and at most 16 in size.
/// \code
/// y[i] = kr::pow(x[i], 1.5f);
/// \endcode
KRAIT_MATH_FUNCTION2(pow, Pow)
/// The angle of the point (y, x), in radians from -pi to pi; the first argument is y.
/// \code
/// auto angle = kr::atan2(y[i], x[i]);
/// \endcode
KRAIT_MATH_FUNCTION2(atan2, Atan2)
/// sqrt(x * x + y * y), without overflow in between.
/// \code
/// y[i] = kr::hypot(x[i], y[i]);
/// \endcode
KRAIT_MATH_FUNCTION2(hypot, Hypot)
/// The remainder x - n * y with n = x / y truncated, exact; it has the sign of x.
/// \code
/// y[i] = kr::fmod(x[i], 360.0f);
/// \endcode
KRAIT_MATH_FUNCTION2(fmod, Fmod)
/// The remainder x - n * y with n = x / y rounded to the nearest integer, ties to even; exact.
KRAIT_MATH_FUNCTION2(remainder, Remainder)

// Any number. min and max are minimumNumber and maximumNumber: a NaN loses, -0 < +0. Of bools they
// are `and` and `or`.
/// |x|, in the promoted type of x; the smallest signed integer stays itself.
/// \code
/// y[i] = kr::abs(x[i]);
/// \endcode
KRAIT_FUNCTION1(abs, Abs, promote_t, computed, detail::plain_abs(plain_x))
/// The smaller of two numbers, in the type of `c ? x : y`.
/// A NaN is dropped (kr::minimum keeps it), and -0 counts as less than 0. For bools it is "and".
/// \code
/// y[i] = kr::min(x[i], 1.0f);
/// \endcode
KRAIT_FUNCTION2(min, Min, choice_of, detail::plain_min(plain_x, plain_y))
/// The larger of two numbers, in the type of `c ? x : y`.
/// A NaN is dropped (kr::maximum keeps it), and -0 counts as less than 0. For bools it is "or".
/// \code
/// y[i] = kr::max(x[i], 0.0f);
/// \endcode
KRAIT_FUNCTION2(max, Max, choice_of, detail::plain_max(plain_x, plain_y))

// Integers, in the width of their type.
/// The number of one bits of the integer x, in the width of its type, as int.
/// \code
/// total += kr::popcount(p[i]);
/// \endcode
KRAIT_FUNCTION1(popcount, Popcount, integer_t, int, detail::plain_popcount(plain_x))
/// The number of zero bits above the highest one bit, as int; the width of the type for 0.
KRAIT_FUNCTION1(clz, Clz, integer_t, int, detail::plain_clz(plain_x))
/// The number of zero bits below the lowest one bit, as int; the width of the type for 0.
KRAIT_FUNCTION1(ctz, Ctz, integer_t, int, detail::plain_ctz(plain_x))
/// The bits of the integer x in reverse order.
KRAIT_FUNCTION1(bit_reverse, Bitrev, integer_t, computed, detail::plain_bit_reverse(plain_x))
/// The bytes of the integer x in reverse order.
KRAIT_FUNCTION1(byte_swap, Bswap, integer_t, computed, detail::plain_byte_swap(plain_x))
// In the type of `c ? x : y`: two operands of one small type keep it.
/// The upper half of the product of two integers, which is computed in twice their width.
/// \code
/// auto high = kr::mul_hi(p[i], q[i]);
/// \endcode
KRAIT_FUNCTION2(mul_hi, MulHi, integer_choice_of, detail::plain_mul_hi(plain_x, plain_y))
// Saturating.
/// x + y of integers; on overflow the nearest number that the type holds.
/// \code
/// counts[i] = kr::add_sat(counts[i], 1);
/// \endcode
KRAIT_FUNCTION2(add_sat, AddSat, integer_choice_of, detail::plain_add_sat(plain_x, plain_y))
/// x - y of integers; on overflow the nearest number that the type holds.
KRAIT_FUNCTION2(sub_sat, SubSat, integer_choice_of, detail::plain_sub_sat(plain_x, plain_y))

#undef KRAIT_FUNCTION1
#undef KRAIT_FUNCTION2
#undef KRAIT_MATH_FUNCTION1
#undef KRAIT_MATH_FUNCTION2
#undef KRAIT_ROUNDING

namespace detail {
template <class First, class Second, class Third>
using real3_of =
    real_t<arith_t<arith_t<storage_type_t<First>, storage_type_t<Second>>, storage_type_t<Third>>>;
}  // namespace detail

/// x * y + z, rounded once.
/// Operands are numbers or traced values; the result has their common floating-point type. The
/// array form is in krait/expression.h.
/// \code
/// y[i] = kr::fma(x[i], 2.0f, y[i]);
/// \endcode
template <detail::operand_type First, detail::operand_type Second, detail::operand_type Third>
[[gnu::noinline, gnu::cold]] auto fma(First x, Second y, Third z) {
  detail::set_caller();
  using computed = detail::real3_of<First, Second, Third>;
  const value<computed> factor(x), other(y), sum(z);
  return value<computed>(detail::apply(detail::op::Fma, detail::scalar_of<computed>,
                                       node_of(factor), node_of(other), node_of(sum)));
}
template <detail::plain First, detail::plain Second, detail::plain Third>
auto fma(First x, Second y, Third z) {
  using computed = detail::real3_of<First, Second, Third>;
  return detail::plain_fma(static_cast<computed>(x), static_cast<computed>(y),
                           static_cast<computed>(z));
}

/// The nearest integer to x, as a float; halves are rounded away from zero.
template <detail::operand_type Type>
auto round(const Type& x) {
  using computed = detail::real_t<detail::storage_type_t<Type>>;
  using kept = std::conditional_t<detail::traced<Type>, value<computed>, computed>;
  // Exact: x - trunc(x) is, and so is adding 1 where it is at least a half.
  const kept given(cast<computed>(x)), whole(trunc(given)), rest(abs(given - whole)),
      above(whole + copysign(computed(1), given));
  const computed half(0.5f);
  if constexpr (detail::traced<Type>) {
    const value<bool> up = rest >= half;
    constexpr detail::scalar type = detail::scalar_of<computed>;
    return copysign(
        kept(detail::apply(detail::op::Select, type, node_of(up), node_of(above), node_of(whole))),
        given);
  } else {
    return copysign(rest >= half ? above : whole, given);
  }
}

}  // namespace krait
