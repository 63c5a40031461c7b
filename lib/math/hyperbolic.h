// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sinh, cosh, tanh by e^x - 1; asinh, acosh, atanh by log(1 + x).
#pragma once

#include "math/exponential.h"
#include "math/logarithm.h"

namespace krait::math {

/// e^x / 2 for x >= 0 as p 2^n, n the low bits of `shifted`.
template <class Real>
struct HalfExp {
  Real p, shifted;
};
template <class Real>
HalfExp<Real> half_exp(const Real& x) {
  using F = Scalar<Real>;
  const Real magic(Format<Real>::magic), one = constant<Real>(1);
  const Real shifted = fma(x, Real(log2_e<F>[0]), magic), n = shifted - magic;
  const Real r = fma(n, Real(-ln2<F>[1]), fma(n, Real(-ln2<F>[0]), x));
  const Unsigned<Real> less = bits(shifted) - Unsigned<Real>(PlainUnsigned<Real>(1));
  return {fma(fma(horner<exp_q<F>>(r), r, one), r, one), from_bits<Real>(less)};
}
/// e^x / 2 for large x, up to infinity, and NaN.
template <class Real>
Real half_exp_rare(const Real& x) {
  return rarely<Real>(
      "half_exp",
      [](const Real& y) {
        const HalfExp<Real> e = half_exp(y);
        return select(y > constant<Real>(is_single<Real> ? 90 : 711), infinity<Real>(),
                      scale_safe(e.p, e.shifted));
      },
      x);
}
template <class Real>
Bool<Real> exp_is_large(const Real& size) {
  return negate(size < constant<Real>(safe_exponent<Real> * 0.6931));
}

template <class Real>
Real sinh(const Real& x) {
  const Real size = abs(x);
  const Real e = expm1_core(size);
  Var<Real> result = constant<Real>(0.5) * fma(e, reciprocal(e + constant<Real>(1)), e);
  when(exp_is_large(size), [&] { result = half_exp_rare(size); });
  return copysign(Real(result), x);
}

template <class Real>
Real cosh(const Real& x) {
  const Real size = abs(x);
  const HalfExp<Real> half = half_exp(size);
  const Real h = scale_fast(half.p, half.shifted);
  Var<Real> result = fma(constant<Real>(0.25), reciprocal(h), h);
  when(exp_is_large(size), [&] { result = half_exp_rare(size); });
  return Real(result);
}

template <class Real>
Real tanh(const Real& x) {
  // tanh is 1 from here on
  const Real size = abs(x), end = constant<Real>(is_single<Real> ? 10 : 20);
  const Real clamped = select(size > end, end, size);
  const Real e = expm1_core(clamped + clamped);
  return copysign(e / (e + constant<Real>(2)), x);
}

/// Above it the square would overflow, and log(2 x) is the result.
template <class Real>
inline constexpr Scalar<Real> square_limit = is_single<Real> ? 0x1p60f : Scalar<Real>(0x1p500);

/// log(2 x), for x beyond the limit.
template <class Real>
Real log_twice(const Real& x) {
  return rarely<Real>(
      "log_twice", [](const Real& y) { return log_huge(y, 1); }, x);
}

template <class Real>
Real asinh(const Real& x) {
  const Real size = abs(x), one = constant<Real>(1), square = size * size;
  const Real w = fma(square, reciprocal(one + square_root(fma(size, size, one))), size);
  Var<Real> result = log1p_core(w, one + w);
  when(negate(size < Real(square_limit<Real>)), [&] { result = log_twice(size); });
  return copysign(Real(result), x);
}

template <class Real>
Real acosh(const Real& x) {
  using Form = Format<Real>;
  const Real one = constant<Real>(1), t = x - one;
  const Real w = t + square_root(fma(t, t, t + t));
  Var<Real> result = log1p_core(w, one + w);
  constexpr PlainUnsigned<Real> ordinary =
      std::bit_cast<PlainUnsigned<Real>>(square_limit<Real>) - Form::one;  // 1 up to the limit
  when(bits(x) - Unsigned<Real>(Form::one) >= Unsigned<Real>(ordinary), [&] {
    result = rarely<Real>(
        "acosh_rare",
        [](const Real& y) {
          return select(y < constant<Real>(1), not_a_number<Real>(), log_huge(y, 1));
        },
        x);
  });
  return Real(result);
}

template <class Real>
Real atanh(const Real& x) {
  const Real size = abs(x), one = constant<Real>(1), twice = size + size;
  const Real w = fma(twice * size, reciprocal(one - size), twice);
  Var<Real> result = constant<Real>(0.5) * log1p_core(w, one + w);
  when(negate(size < one), [&] {
    result = rarely<Real>(
        "atanh_rare",
        [](const Real& y) {
          return select(y == constant<Real>(1), infinity<Real>(), not_a_number<Real>());
        },
        size);
  });
  return copysign(Real(result), x);
}

}  // namespace krait::math
