// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// erf, erfc and erfinv. erf: 1 - (1 - h)^8, h a polynomial, in single precision x + x Q(x^2) up to
// 1 and 1 - 2^-t beyond. erfc: exp(-x^2) r Q(r), r = 1 / (2 + |x|), where x^2 is taken with its
// rounding error, and that of r, which may be approximate, goes into the exponent too. erfinv: x
// times a polynomial in log(1 - x^2), in the root of its size for the tails (the variables are
// Giles's, "Approximating the erfinv function").
#pragma once

#include <array>

#include "math/exponential.h"
#include "math/logarithm.h"

namespace krait::math {

/// 2^x where the result is normal.
template <class Real>
Real exp2_core(const Real& x) {
  const Real magic(Format<Real>::magic);
  const Real shifted = x + magic;
  const Real r = x - (shifted - magic);
  return scale_fast(fma(horner<exp2_q<Scalar<Real>>>(r), r, constant<Real>(1)), shifted);
}

/// In single precision two short polynomials side by side. In double one for 8 h, h = 1 - (erfc
/// |x|)^(1/8), from which three squarings lead to 1 - (1 - h)^8: half of the operations of an
/// exponential. Near zero each sum's large term comes in last.
template <class Real>
Real erf(const Real& x) {
  using F = Scalar<Real>;
  const Real size = abs(x), one = constant<Real>(1);
  const Real end = constant<Real>(is_single<Real> ? 3.95 : 5.93);  // erf is 1 from here on
  const Real a = select(size > end, end, size);                    // a NaN stays
  if constexpr (is_single<Real>) {
    const Real near = fma(size, horner<erf_q<F>>(size * size), size);
    // a NaN takes `near`
    return copysign(select(size >= one, one - exp2_core(horner<erf_tail<F>>(a)), near), x);
  } else {
    const Real c(erf_c<F>[0]), rest = a * horner_by_halves<erf_p<F>>(a, Real(a * a)),
                               h8 = fma(a, c, rest);
    const Real q =
        fma(fma(h8, constant<Real>(0x1p-11), constant<Real>(-0x1p-6)), h8, constant<Real>(0.1875));
    const Real twice = fma(a, c, fma(-(h8 * h8), q, rest));  // 2 (1 - (1 - h)^4) = 8 h - (8 h)^2 q
    return copysign(fma(constant<Real>(-0.25) * twice, twice, twice), x);
  }
}

/// 2^(n + lift) is normal for every n that occurs in erfc, and its product with 2^-lift of what it
/// scales rounds once.
template <class F>
inline constexpr int erfc_lift = std::same_as<F, float> ? 64 : 128;
template <class F>
inline constexpr auto erfc_q_lowered = [] {
  std::array<F, std::size(erfc_q<F>)> q{};
  for (std::size_t i = 0; i < q.size(); ++i)
    q[i] = erfc_q<F>[i] * (std::same_as<F, float> ? F(0x1p-64) : F(0x1p-128));
  return q;
}();

template <class Real>
Real erfc(const Real& x) {
  using F = Scalar<Real>;
  const Real one = constant<Real>(1), two = constant<Real>(2);
  const Real end = constant<Real>(is_single<Real> ? 10.1 : 27.3);  // erfc is 0 from here on
  const Real size = abs(x), a = select(size > end, end, size);
  const Real d = a + two, r = reciprocal(d);
  const Real missed = fma(-r, a - (d - two), fma(-r, d, one));  // 1 - r (2 + a)
  const Real square = a * a, square_low = fma(a, a, -square);
  const Real magic = constant<Real>(Format<Real>::magic + (Format<Real>::bias + erfc_lift<F>));
  const Real shifted = fma(square, Real(-log2_e<F>[0]), magic), n = shifted - magic;
  const Real u = fma(n, Real(-ln2<F>[1]), fma(n, Real(-ln2<F>[0]), -square) - square_low);
  const Real slope = fma(r, constant<Real>(2.52), one);  // of log(r Q) by `missed`
  // `missed` is late, and in the two largest terms of the exponential it is in time.
  const Real v = fma(missed, slope, u), power = fma(fma(horner<exp_q<F>>(u), v, one), v, one);
  const Real shift = constant<Real>(is_single<Real> ? 0 : 0.25);

  const Real value = power * (r * horner<erfc_q_lowered<F>>(is_single<Real> ? r : r - shift));
  const Real result = value * from_bits<Real>(bits(shifted) << Format<Real>::mantissa);
  // -0 as +0 gives 1
  return select(as_signed<Real>(bits(x)) < Int<Real>(PlainInt<Real>(0)), two - result, result);
}

/// log x for positive normal x, within an absolute error of 2^-23 (single) or 2^-53 beside 1: 2
/// atanh s, s = (m - 1) / (m + 1).
template <class Real>
Real log_near(const Real& x) {
  using F = Scalar<Real>;
  const Int<Real> e = log_exponent<Real>(bits(x));
  const Unsigned<Real> field = as_unsigned<Real>(e) << Format<Real>::mantissa;
  const Real m = from_bits<Real>(bits(x) - field), one = constant<Real>(1);
  const Real s = (m - one) * reciprocal(m + one), p = s * horner<log_w<F>>(s * s);
  if constexpr (is_single<Real>)
    // e 2^23: no shift back
    return fma(cast<float>(as_signed<Real>(field)), Real(ln2<F>[0] * 0x1p-23f), p);
  else return fma(small_integer<Real>(e), Real(ln2<F>[0]), p);
}

/// erfinv x / x for w = -log(1 - x^2) > 6.
template <class Real>
Real erfinv_tail(const Real& w) {
  using F = Scalar<Real>;
  const Real root = sqrt(w), far = horner<erfinv_far<F>>(root - constant<Real>(3.25));
  if constexpr (is_single<Real>) return far;
  else
    return select(w > constant<Real>(16), horner<erfinv_farther<F>>(root - constant<Real>(5)), far);
}

template <class Real>
Real erfinv(const Real& x) {
  const Real zero = constant<Real>(0), u = fma(-x, x, constant<Real>(1)), log = log_near(u);
  Var<Real> factor = horner<erfinv_near<Scalar<Real>>>(log);
  when(negate(u > constant<Real>(0.00247875)), [&] {  // e^-6
    const Real tail = rarely<Real>(
        "erfinv_tail", [](const Real& y) { return erfinv_tail(Real(-y)); }, log);
    const Real edge = select(u == zero, infinity<Real>(), not_a_number<Real>());
    factor = select(u > zero, tail, edge);
  });
  return x * Real(factor);
}

}  // namespace krait::math
