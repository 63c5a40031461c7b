// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fmod and remainder, exact. One truncated quotient, by a reciprocal, does where it is small; else,
// in a rare path, a loop takes some 20 (single) or 49 bits of the quotient a trip, from the top, as
// in long division.
#pragma once

#include "math/primitives.h"

namespace krait::math {

/// x - q y for q = x / y truncated, 0 <= x, quotient below 2^(mantissa - 1). The rounded quotient
/// may be one too large.
template <class Real>
Real short_remainder(const Real& x, const Real& y) {
  const Real r = fma(-trunc(x / y), y, x);
  return select(r < constant<Real>(0), r + y, r);
}

/// y times the power of two that brings it some `step` bits below x, or y itself where it is not
/// lower.
template <class Real>
Real lifted(const Real& x, const Real& y) {
  using Form = Format<Real>;
  constexpr int step = Form::mantissa - 3;
  const auto exponent = [](const Real& v) { return as_signed<Real>(bits(v) >> Form::mantissa); };
  const auto integer = [](int n) { return Int<Real>(PlainInt<Real>(n)); };
  constexpr int up = Form::mantissa + 1;
  const Bool<Real> tiny =
      y < from_bits<Real>(Unsigned<Real>(PlainUnsigned<Real>(Form::smallest_normal * (up + 1))));
  const Real normal = select(tiny, y * Real(Scalar<Real>(PlainUnsigned<Real>(1) << up)), y);
  const Int<Real> below =
      exponent(x) - exponent(normal) + select(tiny, integer(up - step), integer(-step));
  // two powers of two can do no more, and no more is needed
  const Int<Real> most = integer(2 * Form::bias - 1);
  // a subnormal x is near enough to any y
  const Bool<Real> needed = both(below > integer(0), exponent(x) > integer(0));
  const Int<Real> lift = select(needed, select(below > most, most, below), integer(0)),
                  half = lift >> 1;
  const auto power = [&](const Int<Real>& k) {
    return from_bits<Real>((as_unsigned<Real>(k) << Form::mantissa) + Unsigned<Real>(Form::one));
  };
  return (y * power(half)) * power(lift - half);
}

/// Of sizes, whatever the quotient; NaN for what has no remainder.
template <class Real>
Real long_remainder(const Real& x, const Real& y) {
  const Bool<Real> finite = both(x < infinity<Real>(), y < infinity<Real>());
  const Bool<Real> ordinary = both(finite, y > constant<Real>(0));
  Var<Real> left = x;
  repeat_while([&] { return both(Real(left) >= y, ordinary); },
               [&] { left = short_remainder(Real(left), lifted(Real(left), y)); });
  const Bool<Real> whole = both(x < infinity<Real>(), y == infinity<Real>());
  return select(ordinary, Real(left), select(whole, x, not_a_number<Real>()));
}

/// The quotient is made a little too large, by more than the reciprocal's error, so that it is the
/// right one or the next: what is left then has no more bits than y, and one addition mends it.
template <class Real>
Real fmod(const Real& x, const Real& y) {
  const Real ax = abs(x), ay = abs(y), limit = constant<Real>(is_single<Real> ? 0x1p18 : 0x1p47);
  const Real quotient =
      ax * (reciprocal(ay) * constant<Real>(is_single<Real> ? 1 + 0x1p-20 : 1 + 0x1p-49));
  const Real left = fma(-trunc(quotient), ay, ax);
  Var<Real> result = select(left < constant<Real>(0), left + ay, left);
  const Real largest(
      // its reciprocal is normal
      from_bits<Scalar<Real>>(Format<Real>::infinity - 3 * Format<Real>::smallest_normal));
  when(negate(both(quotient < limit, ay < largest)), [&] {
    result = rarely<Real>(
        "long_remainder", [](const Real& u, const Real& v) { return long_remainder(u, v); }, ax,
        ay);
  });
  return copysign(Real(result), x);
}

/// From the remainder by 2 |y| it shows whether the quotient is odd. Differences with |y| are
/// compared instead of halves, which may be inexact.
template <class Real>
Real remainder(const Real& x, const Real& y) {
  const Real ay = abs(y);
  const Real whole = math::fmod(abs(x), ay + ay);
  const Real once = whole - ay, twice = once - ay;
  const Real folded = select(once >= ay - once, twice, once);
  const Real r = select(whole > ay - whole, folded, whole);
  return from_bits<Real>(bits(r) ^ (bits(x) & Unsigned<Real>(Format<Real>::sign)));
}

}  // namespace krait::math
