// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tgamma and lgamma. Below 6 the recurrence leads to [5/4, 9/4), where a polynomial in t = x - 2
// holds; above it Stirling's formula with a minimax correction, for tgamma with log2 x in two parts
// (as in pow). Arguments below -1/2 by reflection: gamma(-y) = -pi / (y sin(pi y) gamma(y)).
#pragma once

#include "math/power.h"
#include "math/trigonometric.h"

namespace krait::math {

/// gamma(x) = gamma(2 + t) * product, or / product where `divide`.
template <class Real>
struct Recurrence {
  Real t, product;
  Bool<Real> divide;
};
/// For -1/2 < x < 6; what it gives elsewhere is not used.
template <class Real>
Recurrence<Real> recurrence(const Real& x) {
  const Real one = constant<Real>(1), zero = constant<Real>(0);
  const Real steps = floor(x - constant<Real>(1.25));  // above 0: down to 2 + t, below 0: up
  const Real low = select(steps < constant<Real>(-1), x * (x + one), x);
  const auto factor = [&](int j) {
    return select(steps >= constant<Real>(j), x - constant<Real>(j), one);
  };
  const Real high = (factor(1) * factor(2)) * (factor(3) * factor(4));
  const Bool<Real> divide = steps < zero;
  return {x - (steps + constant<Real>(2)), select(divide, low, high), divide};
}

/// sum in two parts of log2 gamma(x), x >= 6.
template <class Real>
Pair<Real> log2_gamma(const Real& x) {
  using F = Scalar<Real>;
  const Pair<Real> log = log2_pair<Real>(bits(x));
  const Real inverse = reciprocal(x);
  const Real correction = inverse * horner<stirling_q<F>>(inverse * inverse);
  const Real a = x - constant<Real>(0.5), log2e(log2_e<F>[0]);
  const Real p = a * log.high, p_low = fma(a, log.high, -p) + a * log.low;
  const Real q = x * log2e, q_low = fma(x, log2e, -q) + x * Real(log2_e<F>[1]);
  const Real high = p - q;
  const Real low =
      (((p - high) - q) + (p_low - q_low)) + fma(correction, log2e, Real(gamma_c<F>[0]));
  return {high, low};
}

/// y sin(pi y), for y > 0; NaN for whole y.
template <class Real>
Real times_sine(const Real& y) {
  using F = Scalar<Real>;
  const Real magic(Format<Real>::magic);
  const Real turn = fma(floor(y * constant<Real>(0.5)), constant<Real>(-2), y);  // y modulo 2
  const Real shifted = turn + magic, f = turn - (shifted - magic), z = f * f;
  const Real angle = f * Real(pi<F>[0]),
             lost = fma(f, Real(pi<F>[1]), fma(f, Real(pi<F>[0]), -angle));
  const Real s = y * (angle + fma(f * z, horner<sinpi_q<F>>(z), lost));
  const Real turned = from_bits<Real>(bits(s) ^ (bits(shifted) << int(sizeof(F) * 8 - 1)));
  return select(f == constant<Real>(0), not_a_number<Real>(), turned);
}

template <class Real>
Real tgamma(const Real& x) {
  using F = Scalar<Real>;
  const Real one = constant<Real>(1), size = abs(x);
  const Bool<Real> negative = x <= constant<Real>(-0.5);
  const Real y = select(negative, size, x);
  const Real end = constant<Real>(is_single<Real> ? 50 : 190);
  const Recurrence<Real> r = recurrence(y);
  const Real base = fma(r.t, horner<gamma_q<F>>(r.t), one);
  // a subnormal product has a finite reciprocal, which may not be asked for
  const Real four = constant<Real>(4);
  Var<Real> result = base * select(r.divide, reciprocal(r.product * four) * four, r.product);
  Var<Real> mirror = one;
  when(negative, [&] {
    const Real below = times_sine(size), above(-pi<F>[0]);
    mirror = above * reciprocal(below);
    result = above * reciprocal(below * Real(result));
  });
  // Beyond `end` the power of two overflows, or the result becomes 0; for -infinity `mirror` is a
  // NaN.
  when(negate(y < constant<Real>(6)), [&] {
    const Pair<Real> log = log2_gamma(select(y > end, end, y));
    const Real high = select(negative, -log.high, log.high),
               low = select(negative, -log.low, log.low);
    const Real magic(Format<Real>::magic);
    const Real shifted = (high + low) + magic;
    const Real rest = (high - (shifted - magic)) + low;
    const Real p = fma(horner<exp2_q<F>>(rest), rest, one);
    result = scale_safe(p * Real(mirror), shifted);
  });
  return Real(result);
}

/// log |gamma(y)| for y > -1/2.
template <class Real>
Real lgamma_positive(const Real& y) {
  using F = Scalar<Real>;
  const Real six = constant<Real>(6), one = constant<Real>(1);
  const Bool<Real> small = y < six;
  const Recurrence<Real> r = recurrence(select(small, y, six));
  const Real log = math::log(select(small, abs(r.product), y));
  const Real near = fma(r.t, horner<lgamma_q<F>>(r.t), select(r.divide, -log, log));
  const Real inverse = one / y;
  const Real correction =
      fma(inverse, horner<stirling_q<F>>(inverse * inverse), Real(gamma_c<F>[1]));
  const Real far = fma(y - constant<Real>(0.5), log - one, correction);
  return select(small, near, far);
}

template <class Real>
Real lgamma(const Real& x) {
  const Real size = abs(x);
  const Bool<Real> negative = x <= constant<Real>(-0.5);
  Var<Real> result = lgamma_positive(select(negative, size, x));
  when(negative, [&] {
    const Real s = abs(sine_of(reduce_half_turns(size), Unsigned<Real>(PlainUnsigned<Real>(0))));
    const Real mirrored =
        log_core<Real>(bits(Real(Real(pi<Scalar<Real>>[0]) / (size * s)))) - Real(result);
    const Bool<Real> pole = either(s == constant<Real>(0), size == infinity<Real>());
    result = select(pole, infinity<Real>(), mirrored);
  });
  return Real(result);
}

}  // namespace krait::math
