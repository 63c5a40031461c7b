// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cheaper bodies for the fast mode (docs/numbers.md has their errors). sin and cos: one polynomial
// on [-pi/2, pi/2] and pi in two parts; pow: plain products, or 2^(y log2 |x|) in plain precision.
#pragma once

#include "math/power.h"
#include "math/trigonometric.h"

namespace krait::math {

/// (-1)^n sin(x - turns pi); n are the low bits of `shifted`.
template <class Real>
Real sine_of_half_turns(const Real& x, const Real& turns, const Real& shifted) {
  using F = Scalar<Real>;
  const Real r = fma(turns, Real(-pi<F>[1]), fma(turns, Real(-pi<F>[0]), x)), z = r * r;
  const Real value = fma(r * z, horner<sin_wide_q<F>>(z), r);
  return from_bits<Real>(bits(value) ^ (bits(shifted) << int(sizeof(F) * 8 - 1)));
}

template <class Real>
Real sin_fast(const Real& x) {
  const Real magic(Format<Real>::magic), size = abs(x);
  const Real shifted = fma(x, Real(one_over_pi<Scalar<Real>>[0]), magic);
  Var<Real> result = sine_of_half_turns(x, Real(shifted - magic), shifted);
  when(negate(size < Real(reduction_limit<Real>)), [&] {
    result = rarely<Real>(
        "sin_far", [](const Real& y) { return sine_of(far_angle(abs(y)), bits(y)); }, x);
  });
  return Real(result);
}

template <class Real>
Real cos_fast(const Real& x) {
  const Real magic(Format<Real>::magic), size = abs(x), half = constant<Real>(0.5);
  const Real shifted = fma(x, Real(one_over_pi<Scalar<Real>>[0]), half) + magic;
  Var<Real> result = sine_of_half_turns(x, Real((shifted - magic) - half), shifted);
  when(negate(size < Real(reduction_limit<Real>)), [&] {
    result = rarely<Real>(
        "cos_far",
        [](const Real& y) {
          const Angle<Real> angle = far_angle(abs(y));
          return sine_of(Angle<Real>{angle.r, next_quadrant<Real>(angle.quadrant)},
                         Unsigned<Real>(PlainUnsigned<Real>(0)));
        },
        x);
  });
  return Real(result);
}

template <class Real>
Real pow_fast(const Real& x, const Real& y) {
  using F = Scalar<Real>;
  return pow_by_exponent(x, y, "pow_products_fast", pow_products_fast<Real>, [&] {
    return pow_with(x, y, "pow_fast_rare", [](const Unsigned<Real>& u, const Real& b) {
      const LogParts<Real> parts = log_parts<Real>(u);
      const Real f = parts.f;
      const Real log = fma(f * f, horner<log2_q<F>>(f), fma(f, Real(log2_e<F>[0]), parts.e));
      return Pair<Real>{b * log, constant<Real>(0)};
    });
  });
}

}  // namespace krait::math
