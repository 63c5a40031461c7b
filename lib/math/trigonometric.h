// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sin, cos, tan and sinpi, cospi, tanpi. |x| is reduced to r in [-pi/4, pi/4] and a quadrant: up to
// reduction_limit as Cody and Waite do with pi/2 in three parts, above it, in a rare path, as Payne
// and Hanek do with the bits of 2/pi that matter.
#pragma once

#include <array>
#include <tuple>
#include <utility>

#include "math/coefficients.h"
#include "math/primitives.h"

namespace krait::math {

template <class Real>
struct Angle {
  Real r;
  Unsigned<Real> quadrant;  // its two low bits
};

/// Below it n = rint(x 2/pi) is right to a small part of 1, and n pi/2 is close enough with three
/// parts.
template <class Real>
inline constexpr Scalar<Real> reduction_limit = is_single<Real> ? 1e5f : Scalar<Real>(1e9);

/// For 0 <= x < reduction_limit. x - n pi/2[0] is exact.
template <class Real>
Angle<Real> reduce_near(const Real& x) {
  using F = Scalar<Real>;
  const Real magic(Format<Real>::magic);
  const Real shifted = fma(x, Real(two_over_pi<F>[0]), magic);
  const Real n = shifted - magic;
  const Real r =
      fma(n, Real(-half_pi<F>[2]), fma(n, Real(-half_pi<F>[1]), fma(n, Real(-half_pi<F>[0]), x)));
  return {r, bits(shifted)};
}

/// The words from the ones that k's bits up to Level choose on: four more than those bits can skip.
template <class Real, int Level, std::size_t Count>
auto choose_words(const std::array<Unsigned<Real>, Count>& words, const Unsigned<Real>& k) {
  using Word = Unsigned<Real>;
  constexpr std::size_t step = std::size_t(1) << Level, left = Count < step + 3 ? Count : step + 3;
  const Bool<Real> skip = (k & Word(PlainUnsigned<Real>(step))) != Word(PlainUnsigned<Real>(0));
  const auto chosen = [&]<std::size_t... At>(std::index_sequence<At...>) {
    const auto one = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
      if constexpr (I + step < Count) return Word(select(skip, words[I + step], words[I]));
      else return words[I];
    };
    return std::array<Word, left>{one(std::integral_constant<std::size_t, At>{})...};
  }(std::make_index_sequence<left>{});
  if constexpr (Level == 0) return chosen;
  else return choose_words<Real, Level - 1>(chosen, k);
}

/// Words k … k + 3 of 2/pi, chosen by selects, for a kernel has no tables.
template <class Real>
std::array<Unsigned<Real>, 4> words_at(const Unsigned<Real>& k) {
  constexpr auto& plain = two_over_pi_words<Scalar<Real>>;
  const auto words = [&]<std::size_t... At>(std::index_sequence<At...>) {
    return std::array<Unsigned<Real>, sizeof...(At)>{
        Unsigned<Real>(PlainUnsigned<Real>(plain[At]))...};
  }(std::make_index_sequence<std::size(plain)>{});
  return choose_words < Real, is_single<Real> ? 2 : 4 > (words, k);
}

/// For reduction_limit <= x < infinity: the product of x and the bits of 2/pi around the point,
/// modulo 4, in integers.
template <class Real>
Angle<Real> reduce_far(const Real& x) {
  using F = Scalar<Real>;
  using Form = Format<Real>;
  using Word = Unsigned<Real>;
  constexpr int width = sizeof(F) * 8, log_width = is_single<Real> ? 5 : 6;
  const auto word = [](std::uint64_t plain) { return Word(PlainUnsigned<Real>(plain)); };
  const Word u = bits(x);
  const Word mantissa = (u & word(Form::mantissa_mask)) | word(Form::smallest_normal);
  // x = mantissa 2^E, E = exponent field - bias - mantissa bits. Bits of 2/pi above 2^(2 - E) give
  // multiples of 4; there is one word of zeros before them.
  const Word offset = (u >> Form::mantissa) - word(Form::bias + Form::mantissa + 2 - width);
  const std::array<Word, 4> w = words_at<Real>(offset >> log_width);
  const Word left = offset & word(width - 1), right = word(width - 1) - left;
  const auto window = [&](int i) { return (w[i] << left) | ((w[i + 1] >> 1) >> right); };
  const Word w1 = window(1);
  const Word middle_part = mul_hi(mantissa, window(2));
  const Word middle = mantissa * w1 + middle_part;
  const Word carry = select(middle < middle_part, word(1), word(0));
  const Word high = mantissa * window(0) + mul_hi(mantissa, w1) + carry;
  // high:middle in units of 4 / 2^(2 width): two bits of quadrant, then the fraction, taken as
  // signed.
  const Word quadrant = (high >> (width - 2)) + ((high >> (width - 3)) & word(1));
  const Int<Real> top = as_signed<Real>((high << 2) | (middle >> (width - 2)));
  constexpr F unit = F(is_single<Real> ? 0x1p-32 : 0x1p-64);
  const Real head = cast<F>(top);
  const Int<Real> rest = top - cast<PlainInt<Real>>(head);
  const Real tail = fma(cast<F>(middle << 2), Real(unit), cast<F>(rest)) * Real(unit);
  const Real fraction = head * Real(unit);
  const Real half_pi0(half_pi<F>[0]);
  return {fma(fraction, half_pi0, fma(fraction, Real(half_pi<F>[1]), tail * half_pi0)), quadrant};
}

template <class Real>
Bool<Real> odd_quadrant(const Unsigned<Real>& quadrant) {
  return (quadrant & Unsigned<Real>(PlainUnsigned<Real>(1))) !=
         Unsigned<Real>(PlainUnsigned<Real>(0));
}
/// In the place of the sign bit: set in quadrants 2 and 3. What the other bits are is left open.
template <class Real>
Unsigned<Real> quadrant_bit(const Unsigned<Real>& quadrant) {
  return quadrant << int(sizeof(Scalar<Real>) * 8 - 2);
}
template <class Real>
Unsigned<Real> sign_of(const Real& x) {
  return bits(x) & Unsigned<Real>(Format<Real>::sign);
}

/// sin(r + quadrant pi/2), its sign flipped by the sign bit of `flip`. Both polynomials are
/// computed: that takes no more operations than choosing the coefficients of one, and fewer
/// registers.
template <class Real>
Real sine_of(const Angle<Real>& angle, const Unsigned<Real>& flip) {
  using F = Scalar<Real>;
  const Real z = angle.r * angle.r;
  const Real sine = fma(angle.r * z, horner<sin_q<F>>(z), angle.r);
  const Real cosine = fma(z, horner<cos_q<F>>(z), constant<Real>(1));
  const Real value = select(odd_quadrant<Real>(angle.quadrant), cosine, sine);
  return from_bits<Real>(bits(value) ^ ((quadrant_bit<Real>(angle.quadrant) ^ flip) &
                                        Unsigned<Real>(Format<Real>::sign)));
}

template <class Real>
Unsigned<Real> next_quadrant(const Unsigned<Real>& quadrant) {
  return quadrant + Unsigned<Real>(PlainUnsigned<Real>(1));
}

/// reduce_far where x is finite, else a NaN.
template <class Real>
Angle<Real> far_angle(const Real& x) {
  const Angle<Real> angle = reduce_far(x);
  return {select(x < infinity<Real>(), angle.r, x - x), angle.quadrant};
}

/// Of |x|. Where that is not finite, r is a NaN.
template <class Real>
Angle<Real> reduce(const Real& size) {
  const Angle<Real> near = reduce_near(size);
  Var<Real> r = near.r;
  VarUnsigned<Real> quadrant = near.quadrant;
  when(negate(size < Real(reduction_limit<Real>)), [&] {
    const auto far = rarely<Real>(
        "reduce_far",
        [](const Real& y) {
          const Angle<Real> angle = far_angle(y);
          return std::tuple<Real, Unsigned<Real>>(angle.r, angle.quadrant);
        },
        size);
    r = std::get<0>(far);
    quadrant = std::get<1>(far);
  });
  return {Real(r), Unsigned<Real>(quadrant)};
}

template <class Real>
Real sin(const Real& x) {
  return sine_of(reduce(abs(x)), bits(x));
}

template <class Real>
Real cos(const Real& x) {
  const Angle<Real> angle = reduce(abs(x));
  return sine_of(Angle<Real>{angle.r, next_quadrant<Real>(angle.quadrant)},
                 Unsigned<Real>(PlainUnsigned<Real>(0)));
}

/// tan(r + quadrant pi/2) = t or -1 / t, its sign bit flipped by `flip`.
template <class Real>
Real tangent_of(const Angle<Real>& angle, const Unsigned<Real>& flip) {
  const Real z = angle.r * angle.r;
  const Real t = fma(angle.r * z, horner<tan_q<Scalar<Real>>>(z), angle.r);
  const Real value = select(odd_quadrant<Real>(angle.quadrant), -reciprocal(t), t);
  return from_bits<Real>(bits(value) ^ flip);
}

template <class Real>
Real tan(const Real& x) {
  const Real size = abs(x);
  if constexpr (is_single<Real>) {
    return tangent_of(reduce(size), sign_of(x));
  } else {  // the call comes last, so that little has to outlive it: 30 registers on CUDA for 38
    Var<Real> result = tangent_of(reduce_near(size), sign_of(x));
    when(negate(size < Real(reduction_limit<Real>)), [&] {
      result = rarely<Real>(
          "tan_far", [](const Real& y) { return tangent_of(far_angle(abs(y)), sign_of(y)); }, x);
    });
    return Real(result);
  }
}

/// |x| modulo 2 is n / 2 + r / pi, all of it exact but the last product.
template <class Real>
Angle<Real> reduce_half_turns(const Real& size) {
  using F = Scalar<Real>;
  const Real magic(Format<Real>::magic);
  const Real turn = fma(floor(size * constant<Real>(0.5)), constant<Real>(-2), size);
  const Real shifted = fma(turn, constant<Real>(2), magic);
  const Real fraction = fma(shifted - magic, constant<Real>(-0.5), turn);
  return {fma(fraction, Real(pi<F>[0]), fraction * Real(pi<F>[1])), bits(shifted)};
}

template <class Real>
Real sinpi(const Real& x) {
  const Real value = sine_of(reduce_half_turns(abs(x)), bits(x));
  return select(value == constant<Real>(0), copysign(constant<Real>(0), x), value);
}

template <class Real>
Real cospi(const Real& x) {
  const Angle<Real> angle = reduce_half_turns(abs(x));
  const Real value = sine_of(Angle<Real>{angle.r, next_quadrant<Real>(angle.quadrant)},
                             Unsigned<Real>(PlainUnsigned<Real>(0)));
  return select(value == constant<Real>(0), constant<Real>(0), value);
}

/// At multiples of 1/2 the sign is that of x, turned where the whole part is odd.
template <class Real>
Real tanpi(const Real& x) {
  const Angle<Real> angle = reduce_half_turns(abs(x));
  const Unsigned<Real> sign = sign_of(x);
  const Real size = select(odd_quadrant<Real>(angle.quadrant), infinity<Real>(), constant<Real>(0));
  const Unsigned<Real> turned =
      quadrant_bit<Real>(angle.quadrant) & Unsigned<Real>(Format<Real>::sign);
  const Real exact = from_bits<Real>(bits(size) | (turned ^ sign));
  return select(angle.r == constant<Real>(0), exact, tangent_of(angle, sign));
}

}  // namespace krait::math
