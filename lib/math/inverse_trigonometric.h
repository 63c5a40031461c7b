// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atan, atan2, asin, acos. The arc tangent's argument is turned into [0, 1] by one division or
// reciprocal; arc sines above 1/2 go through asin x = pi/2 - 2 asin sqrt((1 - x) / 2).
#pragma once

#include "math/coefficients.h"
#include "math/primitives.h"

namespace krait::math {

/// atan t for |t| <= 1.
template <class Real>
Real atan_core(const Real& t) {
  const Real z = t * t;
  return fma(t * z, horner<atan_q<Scalar<Real>>>(z), t);
}

/// pi/2 - angle where `turned`.
template <class Real>
Real complement(const Bool<Real>& turned, const Real& angle) {
  using F = Scalar<Real>;
  return select(turned, Real(half_pi<F>[0]) - (angle - Real(half_pi<F>[1])), angle);
}

template <class Real>
Real atan(const Real& x) {
  const Real size = abs(x), one = constant<Real>(1);
  const Bool<Real> turned = size > one;
  // Where a target's reciprocal of double precision is approximate, infinity has none.
  const Real denominator =
      is_single<Real> ? size
                      : select(size < constant<Real>(0x1p100), size, constant<Real>(0x1p100));
  const Real t = select(turned, reciprocal(denominator), size);
  return copysign(complement(turned, atan_core(t)), x);
}

template <class Real>
Real atan2(const Real& y, const Real& x) {
  using F = Scalar<Real>;
  const Real height = abs(y), width = abs(x);
  const Bool<Real> turned = height > width;
  const Real small = select(turned, width, height), large = select(turned, height, width);
  Var<Real> ratio = small / large;
  when(isnan(Real(ratio)), [&] {  // 0/0, inf/inf, or a NaN operand
    const Real equal = select(large == constant<Real>(0), constant<Real>(0), constant<Real>(1));
    ratio = select(small == large, equal, x + y);
  });
  const Real angle = complement(turned, atan_core(Real(ratio)));
  const Bool<Real> left = as_signed<Real>(bits(x)) < Int<Real>(PlainInt<Real>(0));
  return copysign(select(left, Real(pi<F>[0]) - (angle - Real(pi<F>[1])), angle), y);
}

/// head + tail is asin |x|, or where `large` asin sqrt((1 - |x|) / 2), |x| > 1/2.
template <class Real>
struct ArcSine {
  Bool<Real> large;
  Real head, tail;
};
template <class Real>
ArcSine<Real> arc_sine(const Real& size) {
  const Bool<Real> large = size > constant<Real>(0.5);
  const Real z = select(large, fma(size, constant<Real>(-0.5), constant<Real>(0.5)), size * size);
  const Real s = select(large, sqrt(z), size);
  return {large, s, (s * z) * horner<asin_q<Scalar<Real>>>(z)};
}

template <class Real>
Real asin(const Real& x) {
  using F = Scalar<Real>;
  const ArcSine<Real> arc = arc_sine(abs(x));
  const Real minus_two = constant<Real>(-2), quarter(half_pi<F>[0]);
  const Real high = fma(arc.head, minus_two, quarter),
             lost = fma(arc.head, minus_two, quarter - high);
  const Real turned = high + (fma(arc.tail, minus_two, Real(half_pi<F>[1])) + lost);
  return copysign(select(arc.large, turned, arc.head + arc.tail), x);
}

template <class Real>
Real acos(const Real& x) {
  using F = Scalar<Real>;
  const ArcSine<Real> arc = arc_sine(abs(x));
  const Real angle = copysign(arc.head + arc.tail, x);
  const Real twice = angle + angle;
  const Real negative = Real(pi<F>[0]) + (twice + Real(pi<F>[1]));
  const Real small = Real(half_pi<F>[0]) - (angle - Real(half_pi<F>[1]));
  return select(arc.large, select(x < constant<Real>(0), negative, twice), small);
}

}  // namespace krait::math
