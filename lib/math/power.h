// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pow, rsqrt, cbrt, hypot. pow: log2 |x| as a sum of two numbers, by s = (m - 1) / (m + 1) and a series in s^2 whose first two
// terms are carried in two parts, then y log2 |x| in two parts, then 2 to that. One path for both types; error terms come from
// fma (Dekker; Muller, "Elementary Functions").
#pragma once

#include "math/exponential.h"
#include "math/logarithm.h"

namespace krait::math {

/// high + low, |low| far below |high|.
template <class Real>
struct Pair {
  Real high, low;
};

/// log2 of the positive number with those bits (normalised_bits).
template <class Real>
Pair<Real> log2_pair(const Unsigned<Real>& u) {
  using F = Scalar<Real>;
  constexpr PlainUnsigned<Real> sqrt_half = std::bit_cast<PlainUnsigned<Real>>(F(0.70710678118654752));
  const Int<Real> exponent = as_signed<Real>(u - Unsigned<Real>(sqrt_half)) >> Format<Real>::mantissa;
  const Real m = from_bits<Real>(u - (as_unsigned<Real>(exponent) << Format<Real>::mantissa));
  const Real e = small_integer<Real>(exponent), one = constant<Real>(1);
  const Real f = m - one, inverse = reciprocal(m + one), s = f * inverse, twice = s + s;
  const Real s_low = fma(-s, f, f - twice) * inverse;  // f - 2 s is exact: 2 s is near f
  const Real z = s * s, z_low = fma(twice, s_low, fma(s, s, -z));
  const Real c0(pow_c0<F>[0]), k(pow_k<F>[0]);
  const Real w = horner<pow_w<F>>(z);
  const Real q = c0 + w, q_low = (c0 - q) + w;
  const Real p = z * q, p_low = fma(z_low, q, fma(z, q_low, fma(z, q, -p)));
  const Real g = k + p, g_low = ((k - g) + p) + (p_low + Real(pow_k<F>[1]));
  const Real t = s * g, t_low = fma(s_low, g, fma(s, g_low, fma(s, g, -t)));
  const Real high = e + t;
  return {high, ((e - high) + t) + t_low};
}

/// 2^(high + low), |low| small beside 1.
template <class Real>
Real exp2_sum(const Real& high, const Real& low) {
  using F = Scalar<Real>;
  const Real magic(Format<Real>::magic);
  const Real shifted = high + magic;
  const Real r = (high - (shifted - magic)) + low;
  const Real p = fma(horner<exp2_q<F>>(r), r, constant<Real>(1));
  Var<Real> result = scale_fast(p, shifted);
  when(negate(abs(high) < constant<Real>(safe_exponent<Real>)), [&] {
    result = exp_rare(high, p, shifted, F(is_single<Real> ? -151 : -1076), F(is_single<Real> ? 129 : 1025));
  });
  return Real(result);
}

/// |x|^y of numbers with those bits (normalised_bits), zero, infinity and NaN aside.
template <class Real>
Real power_of_size(const Unsigned<Real>& x, const Real& y) {
  const Pair<Real> log = log2_pair<Real>(x);
  const Real high = y * log.high, low = fma(y, log.low, fma(y, log.high, -high));
  return exp2_sum(high, low);
}

/// For negative x: the result has a sign where y is odd, and there is none where y is not whole.
template <class Real>
Real power_of_negative(const Real& y, const Real& size) {
  const Real half = y * constant<Real>(0.5);
  const Real with_sign = select(rint(half) != half, -size, size);
  return select(rint(y) == y, with_sign, not_a_number<Real>());
}

/// Where x is zero, subnormal, infinite or NaN, or y is infinite or NaN (C, Annex F). `size` is |x|^y of ordinary numbers.
template <class Real>
Real pow_special(const Real& x, const Real& y, const Real& size) {
  const Real zero = constant<Real>(0), one = constant<Real>(1), inf = infinity<Real>();
  const Real ax = abs(x), ay = abs(y), half = y * constant<Real>(0.5);
  const Bool<Real> whole = rint(y) == y, odd = both(whole, rint(half) != half);
  const Bool<Real> grows = either(both(ax > one, y > zero), both(ax < one, y < zero));
  const Bool<Real> extreme = either(either(ax == zero, ax == inf), ay == inf);
  const Real magnitude = select(extreme, select(grows, inf, zero), size);
  const Real with_sign = select(odd, copysign(magnitude, x), magnitude);
  const Bool<Real> undefined = both(both(x < zero, ax < inf), negate(whole));
  const Real value = select(undefined, not_a_number<Real>(), with_sign);
  const Real checked = select(either(isnan(x), isnan(y)), x + y, value);
  const Bool<Real> is_one = either(either(x == one, y == zero), both(ax == one, ay == inf));
  return select(is_one, one, checked);
}

/// Signs and special values around `power` of |x|'s bits (normalised_bits).
template <class Real, class Power>
Real pow_with(const Real& x, const Real& y, const Power& power) {
  const Real ax = abs(x);
  const Bool<Real> special = either(not_normal_positive<Real>(bits(ax)), negate(abs(y) < infinity<Real>()));
  VarUnsigned<Real> u = bits(ax);
  when(special, [&] { u = normalised_bits(ax); });
  const Real size = power(Unsigned<Real>(u));
  Var<Real> result = size;
  when(x < constant<Real>(0), [&] { result = power_of_negative(y, size); });
  when(special, [&] { result = pow_special(x, y, size); });
  return Real(result);
}

template <class Real>
Real pow(const Real& x, const Real& y) {
  return pow_with(x, y, [&](const Unsigned<Real>& u) { return power_of_size(u, y); });
}

template <class Real>
Real rsqrt(const Real& x) {
  return constant<Real>(1) / sqrt(x);
}

/// a^(-1/3) to some 5 %: the bits of a divided by 3.
template <class Real>
Real cbrt_seed(const Unsigned<Real>& a) {
  using Word = Unsigned<Real>;
  if constexpr (is_single<Real>) {
    return from_bits<Real>(Word(0x54a21d2au) - mul_hi(a, Word(0x55555556u)));
  } else {
    const Word third = ((a >> 32) * Word(std::uint64_t(0x55555556u))) >> 32;
    return from_bits<Real>(Word(std::uint64_t(0x553ef0ff289dd796u)) - (third << 32));
  }
}

/// The cube root of a, 2^-60 (single) or 2^-900 to infinity: fourth-order iterations for a^(-1/3), which need no division, then one
/// Newton step on the cube root itself. What the step corrects by is normal.
template <class Real>
Real cbrt_core(const Real& a) {
  const Real one = constant<Real>(1), third = constant<Real>(1.0 / 3.0);
  Var<Real> r = cbrt_seed<Real>(bits(a));
  for (int i = 0; i < (is_single<Real> ? 1 : 2); ++i) {
    const Real now(r), e = fma(-(now * now), now * a, one);
    r = fma(now * e, fma(fma(e, constant<Real>(14.0 / 81.0), constant<Real>(2.0 / 9.0)), e, third), now);
  }
  const Real inverse(r), square = inverse * inverse, y = square * a;
  return fma(fma(-(y * y), y, a), square * third, y);
}

template <class Real>
Real cbrt(const Real& x) {
  using Form = Format<Real>;
  const Real size = abs(x);
  constexpr PlainUnsigned<Real> least = std::bit_cast<PlainUnsigned<Real>>(Scalar<Real>(is_single<Real> ? 0x1p-60 : 0x1p-900));
  Var<Real> result = cbrt_core(size);
  when(bits(size) - Unsigned<Real>(least) >= Unsigned<Real>(PlainUnsigned<Real>(Form::infinity - least)), [&] {
    result = rarely<Real>("cbrt_rare", [](const Real& a) {  // zero, infinity and NaN are their own roots
      const Real up = constant<Real>(is_single<Real> ? 0x1p60 : 0x1p180), down = constant<Real>(is_single<Real> ? 0x1p-20 : 0x1p-60);
      const Real root = cbrt_core(Real(a * up)) * down;
      return select(both(a > constant<Real>(0), a < infinity<Real>()), root, a);
    }, size);
  });
  return copysign(Real(result), x);
}

template <class Real>
Real hypot(const Real& x, const Real& y) {
  using F = Scalar<Real>;
  const Real ax = abs(x), ay = abs(y);
  const Bool<Real> swap = ax < ay;
  const Real a = select(swap, ay, ax), b = select(swap, ax, ay);
  Var<Real> result = sqrt(fma(a, a, b * b));
  constexpr F low = is_single<Real> ? 0x1p-50f : F(0x1p-450), high = is_single<Real> ? 0x1p62f : F(0x1p510);
  when(negate(both(a > Real(low), a < Real(high))), [&] {
    constexpr F up = is_single<Real> ? 0x1p100f : F(0x1p600), down = is_single<Real> ? 0x1p-70f : F(0x1p-520);
    const Bool<Real> large = a > constant<Real>(1);
    const Real scale = select(large, Real(down), Real(up));
    const Real sa = a * scale, sb = b * scale;
    const Real value = sqrt(fma(sa, sa, sb * sb)) * select(large, Real(F(1) / down), Real(F(1) / up));
    const Bool<Real> infinite = either(ax == infinity<Real>(), ay == infinity<Real>());
    result = select(infinite, infinity<Real>(), value);
  });
  return Real(result);
}

}  // namespace krait::math
