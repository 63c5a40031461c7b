// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pow, rsqrt, cbrt, hypot. pow: by products for small whole and half exponents (products.h), else
// log2 |x| as a sum of two numbers, by s = (m - 1) / (m + 1) and a series in s^2 whose first terms
// are carried in two parts, then y log2 |x| in two parts, then 2 to that. Error terms come from fma
// (Dekker; Muller, "Elementary Functions").
#pragma once

#include "math/exponential.h"
#include "math/logarithm.h"
#include "math/products.h"

namespace krait::math {

/// log2 of the positive number with those bits (normalised_bits).
template <class Real>
Pair<Real> log2_pair(const Unsigned<Real>& u) {
  using F = Scalar<Real>;
  constexpr PlainUnsigned<Real> sqrt_half =
      std::bit_cast<PlainUnsigned<Real>>(F(0.70710678118654752));
  const Int<Real> exponent =
      as_signed<Real>(u - Unsigned<Real>(sqrt_half)) >> Format<Real>::mantissa;
  const Real m = from_bits<Real>(u - (as_unsigned<Real>(exponent) << Format<Real>::mantissa));
  const Real e = small_integer<Real>(exponent), one = constant<Real>(1), two = constant<Real>(2);
  const Real f = m - one, inverse = reciprocal(m + one), s = f * inverse;
  const Real s_low = fma(-s, f, fma(s, -two, f)) * inverse;  // f - 2 s is exact: 2 s is near f
  const Real z = s * s, z_low = fma(s, s, -z);
  const Real k(pow_k<F>[0]);
  // e + (s + s_low) (k + p + rest), where p has s without s_low
  const auto sum = [&](const Real& p, const auto& rest) {
    const Real g = k + p, high = fma(s, g, e);
    return Pair<Real>{high,
                      fma(s_low, fma(p, two, g), fma(s, rest((k - g) + p), fma(s, g, e - high)))};
  };
  // y log2 x is below 2^7, and needs three bits less than in double precision
  if constexpr (is_single<Real>) {
    const Real q = horner<pow_p<F>, 1>(z);
    return sum(fma(q, z, Real(pow_p<F>[0])), [&](const Real& lost) { return fma(z_low, q, lost); });
  } else {
    const Real c0(pow_c0<F>[0]), w = horner<pow_w<F>>(z), q = c0 + w, q_low = (c0 - q) + w,
                                 p = z * q;
    const Real p_low = fma(z_low, q, fma(z, q_low, fma(z, q, -p)));
    return sum(p, [&](const Real& lost) { return lost + (p_low + Real(pow_k<F>[1])); });
  }
}

/// 2^(high + low), |low| small beside 1, for |high| below 2^(mantissa - 1); infinity and 0 come out
/// by themselves.
template <class Real>
Real exp2_sum(const Pair<Real>& x) {
  using F = Scalar<Real>;
  using Form = Format<Real>;
  const Real magic(Form::magic);
  const Real shifted = x.high + magic;
  const Real r = (x.high - (shifted - magic)) + x.low;
  const Real p = fma(horner<exp2_q<F>>(r), r, constant<Real>(1));
  // 2^n in two factors: of n, between the ends of the range and beyond, the half and the rest.
  constexpr PlainInt<Real> zero =
      // nothing of it, nor of its half, outlives the shifts
      std::bit_cast<PlainInt<Real>>(Form::magic);
  const Int<Real> n = as_signed<Real>(bits(shifted));
  const Int<Real> top(PlainInt<Real>(zero + Form::bias + 9)),
      bottom(PlainInt<Real>(zero - Form::bias - Form::mantissa - 10));
  const Int<Real> below = select(n > top, top, n), m = select(below < bottom, bottom, below),
                  half = m >> 1;
  const Real first = from_bits<Real>(bits(p) + (as_unsigned<Real>(half) << Form::mantissa));
  return first * from_bits<Real>((as_unsigned<Real>(m - half) << Form::mantissa) +
                                 Unsigned<Real>(Form::one));
}

/// y log2 x of the number x with those bits (normalised_bits), zero, infinity and NaN aside.
template <class Real>
Pair<Real> log2_of_power(const Unsigned<Real>& x, const Real& y) {
  const Pair<Real> log = log2_pair<Real>(x);
  const Real high = y * log.high;
  return {high, fma(y, log.low, fma(y, log.high, -high))};
}

/// For all x and y (C, Annex F). `size` is |x|^y where x is neither zero nor infinite, and y is
/// finite.
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

/// Signs and special values around 2^log2_size(|x|'s bits (normalised_bits), y). The path of the
/// special ones has that name.
template <class Real, class Log2Size>
Real pow_with(const Real& x, const Real& y, const char* rare, const Log2Size& log2_size) {
  using F = Scalar<Real>;
  const Real ax = abs(x), magic(Format<Real>::magic);
  const Real size = exp2_sum(log2_size(bits(ax), y));
  // For negative x: the result has a sign where y is odd, and there is none where y is not whole.
  const Real shifted = y + magic;
  const Unsigned<Real> sign = bits(x) & (bits(shifted) << int(sizeof(F) * 8 - 1));
  const Bool<Real> undefined = both(x < constant<Real>(0), (shifted - magic) != y);
  Var<Real> result = select(undefined, not_a_number<Real>(), from_bits<Real>(bits(size) | sign));
  // times log2 x within the range of exp2_sum
  const Real large = constant<Real>(is_single<Real> ? 0x1p15 : 0x1p40);
  when(either(not_normal_positive<Real>(bits(ax)), negate(abs(y) < large)), [&] {
    result = rarely<Real>(
        rare,
        [log2_size](const Real& a, const Real& b) {
          const Pair<Real> log = log2_size(normalised_bits(Real(abs(a))), b);
          const Real end = constant<Real>(is_single<Real> ? 160 : 1100);
          const Real none = constant<Real>(0),
                     extreme = select(log.high > none, infinity<Real>(), none);
          return pow_special(a, b, Real(select(abs(log.high) < end, exp2_sum(log), extreme)));
        },
        x, y);
  });
  return Real(result);
}

/// By products where y takes them: a function of their own, since a constant y needs none of this.
template <class Real, class General>
Real pow_by_exponent(const Real& x, const Real& y, const char* name,
                     Real (*products)(const Real&, const Real&), const General& general) {
  Var<Real> result = y;
  when(
      takes_products(y), [&] { result = apart<Real>(name, products, x, y); },
      [&] { result = general(); });
  return Real(result);
}

template <class Real>
Real pow(const Real& x, const Real& y) {
  return pow_by_exponent(x, y, "pow_products", pow_products<Real>, [&] {
    return pow_with(x, y, "pow_rare",
                    [](const Unsigned<Real>& u, const Real& b) { return log2_of_power(u, b); });
  });
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

/// The cube root of a, 2^-60 (single) or 2^-900 to infinity: fourth-order iterations for a^(-1/3),
/// which need no division, then one Newton step on the cube root itself. What the step corrects by
/// is normal.
template <class Real>
Real cbrt_core(const Real& a) {
  const Real one = constant<Real>(1), third = constant<Real>(1.0 / 3.0);
  Var<Real> r = cbrt_seed<Real>(bits(a));
  for (int i = 0; i < (is_single<Real> ? 1 : 2); ++i) {
    const Real now(r), e = fma(-(now * now), now * a, one);
    r = fma(now * e, fma(fma(e, constant<Real>(14.0 / 81.0), constant<Real>(2.0 / 9.0)), e, third),
            now);
  }
  const Real inverse(r), square = inverse * inverse, y = square * a;
  return fma(fma(-(y * y), y, a), square * third, y);
}

template <class Real>
Real cbrt(const Real& x) {
  using Form = Format<Real>;
  const Real size = abs(x);
  constexpr PlainUnsigned<Real> least =
      std::bit_cast<PlainUnsigned<Real>>(Scalar<Real>(is_single<Real> ? 0x1p-60 : 0x1p-900));
  Var<Real> result = cbrt_core(size);
  when(bits(size) - Unsigned<Real>(least) >=
           Unsigned<Real>(PlainUnsigned<Real>(Form::infinity - least)),
       [&] {
         result = rarely<Real>(
             "cbrt_rare",
             [](const Real& a) {  // zero, infinity and NaN are their own roots
               const Real up = constant<Real>(is_single<Real> ? 0x1p60 : 0x1p180),
                          down = constant<Real>(is_single<Real> ? 0x1p-20 : 0x1p-60);
               const Real root = cbrt_core(Real(a * up)) * down;
               return select(both(a > constant<Real>(0), a < infinity<Real>()), root, a);
             },
             size);
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
  constexpr F low = is_single<Real> ? 0x1p-50f : F(0x1p-450),
              high = is_single<Real> ? 0x1p62f : F(0x1p510);
  when(negate(both(a > Real(low), a < Real(high))), [&] {
    constexpr F up = is_single<Real> ? 0x1p100f : F(0x1p600),
                down = is_single<Real> ? 0x1p-70f : F(0x1p-520);
    const Bool<Real> large = a > constant<Real>(1);
    const Real scale = select(large, Real(down), Real(up));
    const Real sa = a * scale, sb = b * scale;
    const Real value =
        sqrt(fma(sa, sa, sb * sb)) * select(large, Real(F(1) / down), Real(F(1) / up));
    const Bool<Real> infinite = either(ax == infinity<Real>(), ay == infinity<Real>());
    result = select(infinite, infinity<Real>(), value);
  });
  return Real(result);
}

}  // namespace krait::math
