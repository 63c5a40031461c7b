// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// log, log2, log10, log1p: x = 2^e m with m in [2/3, 4/3), so that f = m - 1 is exact and e is 0
// near 1; then a polynomial in f. Subnormal numbers, zero, negative numbers, infinity and NaN take
// a rare path.
#pragma once

#include "math/coefficients.h"
#include "math/primitives.h"

namespace krait::math {

/// e as a Real and f = m - 1.
template <class Real>
struct LogParts {
  Real e, f;
};

/// Not a positive normal number.
template <class Real>
Bool<Real> not_normal_positive(const Unsigned<Real>& x) {
  using Form = Format<Real>;
  return x - Unsigned<Real>(Form::smallest_normal) >=
         Unsigned<Real>(PlainUnsigned<Real>(Form::infinity - Form::smallest_normal));
}

/// A small integer as a Real.
template <class Real>
Real small_integer(const Int<Real>& n) {
  if constexpr (is_single<Real>) {
    return cast<float>(n);
  } else {  // few machines convert 64-bit integers in one step
    const double magic = Format<Real>::magic;
    return from_bits<Real>(as_unsigned<Real>(n) +
                           Unsigned<Real>(std::bit_cast<std::uint64_t>(magic))) -
           Real(magic);
  }
}

/// The exponent of the number with those bits, counted from [least, 2 least).
template <class Real>
Int<Real> log_exponent(const Unsigned<Real>& x, Scalar<Real> least = Scalar<Real>(2.0 / 3.0)) {
  return as_signed<Real>(x - Unsigned<Real>(std::bit_cast<PlainUnsigned<Real>>(least))) >>
         Format<Real>::mantissa;
}

/// The bits of x > 0; of subnormal x with an exponent field below 0.
template <class Real>
Unsigned<Real> normalised_bits(const Real& x) {
  using Form = Format<Real>;
  const Real up = x * Real(Scalar<Real>(Form::smallest_normal));
  const Unsigned<Real> low =
      bits(up) - Unsigned<Real>(PlainUnsigned<Real>(Form::mantissa) << Form::mantissa);
  return select(x < from_bits<Real>(Unsigned<Real>(Form::smallest_normal)), low, bits(x));
}

/// Of the positive number with those bits (normalised_bits).
template <class Real>
LogParts<Real> log_parts(const Unsigned<Real>& u, Scalar<Real> least = Scalar<Real>(2.0 / 3.0)) {
  const Int<Real> e = log_exponent<Real>(u, least);
  const Real m = from_bits<Real>(u - (as_unsigned<Real>(e) << Format<Real>::mantissa));
  return {small_integer<Real>(e), m - constant<Real>(1)};
}

/// Puts in what a logarithm gives for 0 (-inf), negative numbers (NaN), infinity and NaN.
template <class Real>
Real log_rare(const Real& x, const Real& result) {
  const Real zero = constant<Real>(0);
  const Real finite = select(x < infinity<Real>(), result, x);
  return select(x == zero, -infinity<Real>(), select(x < zero, not_a_number<Real>(), finite));
}

/// Core for positive normal numbers; other arguments are normalised first, in a function of that
/// name.
template <class Real, class Core>
Real log_with(const Real& x, const char* rare, const Core& core) {
  Var<Real> result = core(bits(x));
  when(not_normal_positive<Real>(bits(x)), [&] {
    result = rarely<Real>(
        rare, [core](const Real& y) { return log_rare(y, core(normalised_bits(y))); }, x);
  });
  return Real(result);
}

/// log of the positive number with those bits. In double precision ln 2 as one number errs by a
/// quarter of an ULP at most.
template <class Real>
Real log_core(const Unsigned<Real>& u) {
  using F = Scalar<Real>;
  const LogParts<Real> parts = log_parts<Real>(u);
  const Real f = parts.f, square = f * f;
  const Real low = is_single<Real> ? fma(parts.e, Real(ln2<F>[1]), f) : f;
  const Real tail = fma(square, horner_by_halves<log_q<F>>(f, square), low);
  return fma(parts.e, Real(ln2<F>[0]), tail);
}

template <class Real>
Real log2_core(const Unsigned<Real>& u) {
  using F = Scalar<Real>;
  const LogParts<Real> parts = log_parts<Real>(u);
  const Real f = parts.f, square = f * f;
  const Real low = fma(square, horner_by_halves<log2_q<F>>(f, square), f * Real(log2_e<F>[1]));
  return parts.e + fma(f, Real(log2_e<F>[0]), low);
}

/// The interval begins above 2/3, so that what cancels leaves 1/8 or more, and not a number just
/// below with a smaller ULP. In double precision that spares the low parts of the constants, 2^-55
/// and less beside the high ones.
template <class Real>
Real log10_core(const Unsigned<Real>& u) {
  using F = Scalar<Real>;
  const LogParts<Real> parts = log_parts<Real>(u, F(0x1.557p-1));
  const Real e = parts.e, f = parts.f, square = f * f, q = horner_by_halves<log10_q<F>>(f, square);
  const Real low = [&]() -> Real {
    if constexpr (is_single<Real>)
      return fma(square, q, fma(f, Real(log10_e<F>[1]), e * Real(log10_2<F>[1])));
    else return square * q;
  }();
  return fma(e, Real(log10_2<F>[0]), fma(f, Real(log10_e<F>[0]), low));
}

template <class Real>
Real log(const Real& x) {
  return log_with(x, "log_rare", [](const Unsigned<Real>& u) { return log_core<Real>(u); });
}

template <class Real>
Real log2(const Real& x) {
  return log_with(x, "log2_rare", [](const Unsigned<Real>& u) { return log2_core<Real>(u); });
}

template <class Real>
Real log10(const Real& x) {
  return log_with(x, "log10_rare", [](const Unsigned<Real>& u) { return log10_core<Real>(u); });
}

/// log(1 + x) for x > -1 up to 2^(bias - 2), u = 1 + x as rounded; +0 for -0. With u's exponent e,
/// 2^-e (1 + x) - 1 is one fused operation on x itself, and nothing of x is lost.
template <class Real>
Real log1p_core(const Real& x, const Real& u) {
  using F = Scalar<Real>;
  const Int<Real> e = log_exponent<Real>(bits(u));
  const Real scale = from_bits<Real>(Unsigned<Real>(Format<Real>::one) -
                                     (as_unsigned<Real>(e) << Format<Real>::mantissa));
  const Real f = fma(x, scale, scale - constant<Real>(1)), square = f * f;
  const Real n = small_integer<Real>(e);
  const Real tail = fma(square, horner_by_halves<log_q<F>>(f, square), fma(n, Real(ln2<F>[1]), f));
  return fma(n, Real(ln2<F>[0]), tail);
}

/// log(x) + more ln 2 for x >= 2^60 (single) or 2^90, infinity and NaN.
template <class Real>
Real log_huge(const Real& x, int more) {
  const Real scaled = x * constant<Real>(0x1p-32);
  const Real finite =
      log1p_core(scaled, scaled) + constant<Real>((32 + more) * 0.69314718055994530942);
  return select(x < infinity<Real>(), finite, x);
}

template <class Real>
Real log1p(const Real& x) {
  using Form = Format<Real>;
  const Real u = constant<Real>(1) + x;
  Var<Real> result = copysign(log1p_core(x, u), x);
  // up to 2^(bias - 2)
  constexpr PlainUnsigned<Real> ordinary = Form::infinity - Form::smallest_normal * 4;
  when(bits(u) - Unsigned<Real>(Form::smallest_normal) >= Unsigned<Real>(ordinary), [&] {
    result = rarely<Real>(
        "log1p_rare", [](const Real& y) { return log_rare(y, log_huge(y, 0)); }, u);
  });
  return Real(result);
}

}  // namespace krait::math
