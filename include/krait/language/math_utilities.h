// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions composed of others: classification, parts of floating-point numbers, angles, and a few
// more. All take traced and plain values. Integers are converted to double, as in C++. Included by
// krait.h.
#pragma once

#include <krait/detail/scientific.h>

namespace krait {
namespace detail {
template <class Left, class Right>
concept both_integers =
    std::is_integral_v<storage_type_t<Left>> && std::is_integral_v<storage_type_t<Right>>;
}  // namespace detail

/// The two results of kr::sincos.
template <class Float>
struct sincos_result {
  /// The sine.
  Float sin;
  /// The cosine.
  Float cos;
};
/// The two results of kr::modf: x is their sum, and both have its sign.
template <class Float>
struct modf_result {
  /// The fraction.
  Float fraction;
  /// The integer part, as a float.
  Float whole;
};
/// The two results of kr::frexp: x is fraction * 2^exponent.
template <class Float, class Integer>
struct frexp_result {
  /// Its magnitude is in [1/2, 1); 0, infinities and NaN stay as they are.
  Float fraction;
  /// The power of two, as int.
  Integer exponent;
};

/// Tests whether x is neither an infinity nor a NaN; gives bool.
/// \code
/// kr::check(kr::isfinite(x[i]), "x[{}] is not finite", i);
/// \endcode
template <detail::operand_type Type, detail::never... Own>
auto isfinite(const Type& x, Own...) {
  using kept = detail::kept_real<Type>;
  return abs(detail::as_real<kept>(x)) <
         kept(detail::real_t<detail::storage_type_t<Type>>(__builtin_huge_valf()));
}
/// Tests whether x is finite, not 0 and not subnormal; a narrow float counts as float.
template <detail::operand_type Type, detail::never... Own>
auto isnormal(const Type& x, Own...) {
  using float_type = detail::float_of<detail::real_t<detail::storage_type_t<Type>>>;
  using kept = detail::kept_as<Type, float_type>;
  const kept size = abs(detail::as_real<kept>(x));
  const auto large = size >= kept(detail::format<float_type>::smallest_normal);
  const auto finite = size < kept(detail::format<float_type>::infinity);
  return large && finite;
}
/// Tests the sign bit of x; -0 and NaN have one, too.
template <detail::operand_type Type, detail::never... Own>
auto signbit(const Type& x, Own...) {
  using real = detail::real_t<detail::storage_type_t<Type>>;
  using wide = std::conditional_t<sizeof(real) == 4, std::int32_t, std::int64_t>;
  using integer = std::conditional_t<sizeof(real) == 2, std::int16_t, wide>;
  return bitcast<integer>(detail::as_real<detail::kept_real<Type>>(x)) < integer(0);
}

/// x - y if that is positive, else 0.
template <detail::operand_type Left, detail::operand_type Right, detail::never... Own>
auto fdim(const Left& x, const Right& y, Own...) {
  using kept = detail::kept_real2<Left, Right>;
  const kept a(detail::as_real<kept>(x)), b(detail::as_real<kept>(y));
  return detail::choose(a <= b, kept(detail::real_of<Left, Right>(0)), kept(a - b));
}
namespace detail {
/// One of two numbers, or NaN if either is a NaN. Integers stay integers.
template <class Left, class Right, class Choose>
auto keeping_nan(const Left& x, const Right& y, const Choose& one_of) {
  if constexpr (both_integers<Left, Right>) {
    return one_of(x, y);
  } else {
    using kept = kept_real2<Left, Right>;
    const kept a(as_real<kept>(x)), b(as_real<kept>(y));
    return choose(isnan(a), a, choose(isnan(b), b, kept(one_of(a, b))));
  }
}
}  // namespace detail

/// The smaller number, or NaN if either is a NaN; kr::min drops NaN instead.
/// Integers stay integers.
template <detail::operand_type Left, detail::operand_type Right, detail::never... Own>
auto minimum(const Left& x, const Right& y, Own...) {
  return detail::keeping_nan(x, y, [](const auto& a, const auto& b) { return min(a, b); });
}
/// The larger number, or NaN if either is a NaN; kr::max drops NaN instead.
/// Integers stay integers.
/// \code
/// y[i] = kr::maximum(x[i], 0.0f);   // keeps a NaN
/// \endcode
template <detail::operand_type Left, detail::operand_type Right, detail::never... Own>
auto maximum(const Left& x, const Right& y, Own...) {
  return detail::keeping_nan(x, y, [](const auto& a, const auto& b) { return max(a, b); });
}

/// Converts an angle from radians to degrees.
template <detail::operand_type Type, detail::never... Own>
auto degrees(const Type& x, Own...) {
  using kept = detail::kept_real<Type>;
  return kept(detail::product(detail::as_real<kept>(x),
                              detail::real_t<detail::storage_type_t<Type>>(57.295779513082320877)));
}
/// Converts an angle from degrees to radians.
/// \code
/// y[i] = kr::sin(kr::radians(x[i]));
/// \endcode
template <detail::operand_type Type, detail::never... Own>
auto radians(const Type& x, Own...) {
  using kept = detail::kept_real<Type>;
  return kept(
      detail::product(detail::as_real<kept>(x),
                      detail::real_t<detail::storage_type_t<Type>>(0.017453292519943295769)));
}

/// Sine and cosine of x, in radians; they share the reduction of the argument and the polynomials,
/// as kr::sin(x) beside kr::cos(x) do.
/// \code
/// auto [s, c] = kr::sincos(x[i]);
/// \endcode
template <detail::operand_type Type, detail::never... Own>
auto sincos(const Type& x, Own...) {
  using kept = detail::kept_real<Type>;
  const kept given(detail::as_real<kept>(x));
  return sincos_result<kept>{sin(given), cos(given)};
}
/// Splits x into its fraction and its integer part; both have the sign of x.
/// \code
/// auto [fraction, whole] = kr::modf(x[i]);
/// \endcode
template <detail::operand_type Type, detail::never... Own>
auto modf(const Type& x, Own...) {
  using kept = detail::kept_real<Type>;
  const kept given(detail::as_real<kept>(x)), whole(trunc(given));
  const kept zero(detail::real_t<detail::storage_type_t<Type>>(0));
  return modf_result<kept>{copysign(detail::choose(isinf(given), zero, kept(given - whole)), given),
                           whole};
}
/// Splits x into fraction * 2^exponent, with |fraction| in [1/2, 1).
/// For 0, infinities and NaN the fraction is x and the exponent is 0.
/// \code
/// auto [fraction, exponent] = kr::frexp(x[i]);
/// \endcode
template <detail::operand_type Type, detail::never... Own>
auto frexp(const Type& x, Own...) {
  using real = detail::float_of<detail::real_t<detail::storage_type_t<Type>>>;
  using kept = detail::kept_as<Type, real>;
  using integer = detail::kept_as<Type, int>;
  const kept given(detail::as_real<kept>(x));
  const detail::scientific<Type, real> parts(given);
  const auto finite = isfinite(given);
  // named, so that it is not recorded as the guarded side of &&
  const auto not_zero = given != kept(real(0));
  const auto ordinary = finite && not_zero;
  const kept fraction(bitcast<real>(parts.significand_bits) * real(0.5f));
  return frexp_result<kept, integer>{
      detail::choose(ordinary, fraction, given),
      detail::choose(ordinary, integer(cast<int>(parts.exponent + 1)), integer(0))};
}
/// The exponent of x as an int, like C's ilogb.
/// It is the smallest int for 0 and NaN, and the largest for infinities.
template <detail::operand_type Type, detail::never... Own>
auto ilogb(const Type& x, Own...) {
  using real = detail::float_of<detail::real_t<detail::storage_type_t<Type>>>;
  using kept = detail::kept_as<Type, real>;
  using integer = detail::kept_as<Type, int>;
  constexpr int largest = 0x7fffffff;
  const kept given(detail::as_real<kept>(x));
  const detail::scientific<Type, real> parts(given);
  const integer ordinary(cast<int>(parts.exponent));
  const integer infinite = detail::choose(isinf(given), integer(largest), ordinary);
  const auto zero = given == kept(real(0));
  const auto not_a_number = isnan(given);
  const auto no_exponent = zero || not_a_number;
  return detail::choose(no_exponent, integer(-largest - 1), infinite);
}
/// The exponent of x as a float; -infinity for 0.
template <detail::operand_type Type, detail::never... Own>
auto logb(const Type& x, Own...) {
  using real = detail::float_of<detail::real_t<detail::storage_type_t<Type>>>;
  using kept = detail::kept_as<Type, real>;
  const kept given(detail::as_real<kept>(x));
  const detail::scientific<Type, real> parts(given);
  const kept ordinary(cast<real>(parts.exponent));
  const kept finite = detail::choose(isfinite(given), ordinary, kept(given * given));
  return detail::choose(given == kept(real(0)), kept(-detail::format<real>::infinity), finite);
}
/// x * 2^n for an integer n, rounded once.
/// \code
/// y[i] = kr::ldexp(x[i], n);
/// \endcode
template <detail::operand_type Type, detail::operand_type Count, detail::never... Own>
auto ldexp(const Type& x, const Count& n, Own...) {
  static_assert(std::is_integral_v<detail::storage_type_t<Count>>,
                "krait: the exponent of ldexp must be an integer");
  using real = detail::float_of<detail::real_t<detail::storage_type_t<Type>>>;
  constexpr bool is_traced = detail::traced<Type> || detail::traced<Count>;
  using kept = std::conditional_t<is_traced, value<real>, real>;
  using integer = std::conditional_t<is_traced, value<int>, int>;
  using form = detail::format<real>;
  // Two steps bring n into the range of one power; going down they leave room for all digits, so
  // that only the last one rounds.
  constexpr int up = form::bias, down = form::bias - 1 - form::digits;
  const auto step = [](const kept& y, const integer& left) {
    const auto more = left > integer(up), less = left < integer(-(form::bias - 1));
    const kept factor = detail::choose(
        more, kept(form::power(up)), detail::choose(less, kept(form::power(-down)), kept(real(1))));
    const integer taken =
        detail::choose(more, integer(up), detail::choose(less, integer(-down), integer(0)));
    return frexp_result<kept, integer>{kept(y * factor), integer(left - taken)};
  };
  const auto first = step(detail::as_real<kept>(x), integer(n));
  const auto second = step(first.fraction, first.exponent);
  const integer last = max(min(second.exponent, integer(form::bias)), integer(1 - form::bias));
  const auto field = cast<typename form::integer>(last) + typename form::integer(form::bias);
  return kept(detail::product(second.fraction, bitcast<real>(field << form::stored)));
}
/// The neighbour of x in the direction of y.
template <detail::operand_type Left, detail::operand_type Right, detail::never... Own>
auto nextafter(const Left& x, const Right& y, Own...) {
  using real = detail::float_of<detail::real_of<Left, Right>>;
  constexpr bool is_traced = detail::traced<Left> || detail::traced<Right>;
  using kept = std::conditional_t<is_traced, value<real>, real>;
  using bits = std::make_unsigned_t<typename detail::format<real>::integer>;
  using integer = std::conditional_t<is_traced, value<bits>, bits>;
  const kept a(detail::as_real<kept>(x)), b(detail::as_real<kept>(y)), zero(real(0));
  const integer step = detail::choose((b > a) == (a > zero), integer(bits(1)), integer(bits(-1)));
  const kept moved(bitcast<real>(integer(bitcast<bits>(a) + step)));
  const kept least = copysign(kept(detail::from_bits<real>(1)), b);
  const kept next = detail::choose(a == b, b, detail::choose(a == zero, least, moved));
  const kept sum(a + b);
  return detail::choose(isnan(a), sum, detail::choose(isnan(b), sum, next));
}

/// 1 / cbrt(x)
template <detail::operand_type Type, detail::never... Own>
auto rcbrt(const Type& x, Own...) {
  using kept = detail::kept_real<Type>;
  return kept(kept(detail::real_t<detail::storage_type_t<Type>>(1)) /
              cbrt(detail::as_real<kept>(x)));
}
/// x to an integer power: by repeated squaring where n is plain, as pow where it is traced.
/// \code
/// y[i] = kr::powi(x[i], 3);
/// \endcode
template <detail::operand_type Type, detail::operand_type Count, detail::never... Own>
auto powi(const Type& x, const Count& n, Own...) {
  static_assert(std::is_integral_v<detail::storage_type_t<Count>>,
                "krait: the exponent of powi must be an integer");
  using real = detail::real_t<detail::storage_type_t<Type>>;
  if constexpr (detail::traced<Count>) {
    return pow(cast<real>(x), cast<real>(n));
  } else {
    using kept = detail::kept_real<Type>;
    auto rest = static_cast<unsigned long long>(n < 0 ? -static_cast<long long>(n)
                                                      : static_cast<long long>(n));
    const auto power = [](const auto& self, const kept& base, unsigned long long exponent) -> kept {
      if (exponent == 0) return kept(real(1));
      if (exponent == 1) return base;
      const kept half = self(self, kept(detail::product(base, base)), exponent / 2);
      return exponent % 2 ? kept(detail::product(half, base)) : half;
    };
    const kept result = power(power, detail::as_real<kept>(x), rest);
    return n < 0 ? kept(kept(real(1)) / result) : result;
  }
}

}  // namespace krait
