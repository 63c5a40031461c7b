// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp, exp2, exp10, expm1: argument reduction of Cody and Waite (x = n ln 2 + r, ln 2 in two
// parts), a polynomial in r, and the power of two put into the exponent field. Results near
// overflow and below the normal range take a rare path.
#pragma once

#include "math/coefficients.h"
#include "math/primitives.h"

namespace krait::math {

/// Where the polynomial's result times 2^n is normal: sizes of log2 of the result below this.
template <class Real>
inline constexpr int safe_exponent = Format<Real>::bias - 2;

/// p * 2^n for p in [1/2, 2]; n are the low bits of `shifted`, and the result is normal.
template <class Real>
Real scale_fast(const Real& p, const Real& shifted) {
  return from_bits<Real>(bits(p) + (bits(shifted) << Format<Real>::mantissa));
}

/// p * 2^n for every n that occurs (sizes below twice the exponent range), rounded once.
template <class Real>
Real scale_safe(const Real& p, const Real& shifted) {
  using Form = Format<Real>;
  const Int<Real> n = as_signed<Real>(
      bits(shifted) - Unsigned<Real>(std::bit_cast<PlainUnsigned<Real>>(Form::magic)));
  const Int<Real> half = n >> 1;
  const auto power = [](const Int<Real>& k) {
    return from_bits<Real>((as_unsigned<Real>(k) << Form::mantissa) + Unsigned<Real>(Form::one));
  };
  return (p * power(half)) * power(n - half);
}

/// The result where x is large: p 2^n near the ends, infinity above `top`, 0 below `bottom`; NaN
/// stays.
template <class Real>
Real exp_rare(const Real& x, const Real& p, const Real& shifted, Scalar<Real> bottom,
              Scalar<Real> top) {
  const Real scaled = scale_safe(p, shifted);
  const Real high = select(x > Real(top), infinity<Real>(), scaled);
  return select(x < Real(bottom), constant<Real>(0), high);
}

template <class Real>
Real exp(const Real& x) {
  using F = Scalar<Real>;
  const Real magic(Format<Real>::magic);
  const Real shifted = fma(x, Real(log2_e<F>[0]), magic);
  const Real n = shifted - magic;
  const Real r = fma(n, Real(-ln2<F>[1]), fma(n, Real(-ln2<F>[0]), x));
  const Real one = constant<Real>(1);
  const Real p = fma(fma(horner<exp_q<F>>(r), r, one), r, one);
  Var<Real> result = scale_fast(p, shifted);
  when(negate(abs(x) < constant<Real>(safe_exponent<Real> * 0.6931)), [&] {
    result =
        exp_rare(x, p, shifted, F(is_single<Real> ? -104 : -746), F(is_single<Real> ? 89 : 710));
  });
  return Real(result);
}

template <class Real>
Real exp2(const Real& x) {
  using F = Scalar<Real>;
  const Real magic(Format<Real>::magic);
  const Real shifted = x + magic;
  const Real r = x - (shifted - magic);
  const Real p = fma(horner<exp2_q<F>>(r), r, constant<Real>(1));
  Var<Real> result = scale_fast(p, shifted);
  when(negate(abs(x) < constant<Real>(safe_exponent<Real>)), [&] {
    result =
        exp_rare(x, p, shifted, F(is_single<Real> ? -151 : -1076), F(is_single<Real> ? 129 : 1025));
  });
  return Real(result);
}

template <class Real>
Real exp10(const Real& x) {
  using F = Scalar<Real>;
  const Real magic(Format<Real>::magic);
  const Real shifted = fma(x, Real(log2_10<F>[0]), magic);
  const Real n = shifted - magic;
  const Real r = fma(n, Real(-log10_2<F>[1]), fma(n, Real(-log10_2<F>[0]), x));
  const Real p = fma(horner<exp10_q<F>>(r), r, constant<Real>(1));
  Var<Real> result = scale_fast(p, shifted);
  when(negate(abs(x) < constant<Real>(safe_exponent<Real> * 0.30102)), [&] {
    result =
        exp_rare(x, p, shifted, F(is_single<Real> ? -46 : -324.5), F(is_single<Real> ? 39 : 309));
  });
  return Real(result);
}

/// e^x - 1 for |x| < safe_exponent ln 2, +0 for -0. e^r - 1 = p, so that 2^n e^r - 1 = 2^n p + (2^n
/// - 1).
template <class Real>
Real expm1_core(const Real& x) {
  using F = Scalar<Real>;
  const Real magic(Format<Real>::magic);
  const Real shifted = fma(x, Real(log2_e<F>[0]), magic);
  const Real n = shifted - magic;
  const Real r = fma(n, Real(-ln2<F>[1]), fma(n, Real(-ln2<F>[0]), x));
  const Real p = fma(r * r, horner<expm1_q<F>>(r), r);
  const Real power = scale_fast(constant<Real>(1), shifted);
  return fma(power, p, power - constant<Real>(1));
}

template <class Real>
Real expm1(const Real& x) {
  Var<Real> result = copysign(expm1_core(x), x);
  when(negate(abs(x) < constant<Real>(safe_exponent<Real> * 0.6931)), [&] {
    // traced: the operation exp, expanded later
    result = select(x < constant<Real>(0), constant<Real>(-1), exp(x));
  });
  return Real(result);
}

}  // namespace krait::math
