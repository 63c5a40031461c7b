// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pow by products, for whole and half exponents of at most most_products: repeated squaring of a
// number and its error term (Dekker), and for halves the square root as a last factor. Negative
// exponents take the reciprocal first, so that nothing on the way leaves the range before the
// result does. The last step is a product or a sum, as an fma may flush subnormal numbers.
//
// The exponent is a value like any other here. Where it is a constant, folding leaves the products.
#pragma once

#include "math/primitives.h"

namespace krait::math {

/// A number and what it lacks, far less: high + low.
template <class Real>
struct Pair {
  Real high, low;
};

/// Four squarings at most: some 15 operations, where pow has 40 (f32) or 90 (f64).
inline constexpr int most_products = 16;

/// Twice the size of such an exponent, in the low bits.
template <class Real>
inline constexpr Scalar<Real> halves_magic = Format<Real>::magic / 2;

/// Whether pow(x, y) is computed by products, for any x. The same for constants as for numbers that
/// only the launch knows, so that these have the same bits.
template <class Real>
Bool<Real> takes_products(const Real& y) {
  const Real magic(halves_magic<Real>), shifted = y + magic;
  return both((shifted - magic) == y, abs(y) <= constant<Real>(most_products));
}

/// x y without error.
template <class Real>
Pair<Real> exact_product(const Real& x, const Real& y) {
  const Real product = x * y;
  return {product, fma(x, y, -product)};
}

/// The sum of both, or, where an overflow on the way left no number, the first.
template <class Real>
Real rounded(const Real& high, const Real& low) {
  const Real sum = high + low;
  return select(isnan(sum), high, sum);
}

/// x, or the largest number where that is infinite, for x of 0 and more: what it lacks is a
/// positive number then, or infinite, so that sums with it are no NaN.
template <class Real>
Real finite(const Real& x) {
  const Real most(std::numeric_limits<Scalar<Real>>::max());
  return select(x < most, x, most);
}

/// base to the power n, times `root` where `halved`; `twice` is 2 n (+ 1). n is 16 at most. The
/// base and the root are `high (1 + low)`, where `Exact` with no low worth a look.
///
/// x^(2 k) is the square of x^k, and x^(2 k + 1) is x^(2 k) x, where these powers are rounded once,
/// from a number and its error term: 0.5 + sqrt(2) and 1.5 units at most.
template <bool Exact, class Real>
Real power_by_products(const Pair<Real>& base, const Pair<Real>& root, const Unsigned<Real>& twice,
                       const Real& size) {
  using Word = Unsigned<Real>;
  const auto word = [](unsigned x) { return Word(PlainUnsigned<Real>(x)); };
  const auto odd = [&](const Word& x) { return (x & word(1)) == word(1); };
  const Word n = (twice >> 1) & word(31);
  const Bool<Real> halved = odd(twice), turns = odd(n >> 1);
  const Real positive = abs(base.high);
  Var<Real> high = positive, low = constant<Real>(0), result = constant<Real>(1);
  // Those of the base are exact, and low is nothing.
  const auto square = [&](const Bool<Real>& first) {
    const Real h(high), l(low), product = finite(Real(h * h));
    high = product;
    low = fma(h, h, -product);
    when(negate(first), [&] { low = fma(l + l, h, Real(low)); });
  };
  const auto times_base = [&] {
    const Real h(high), l(low), product = finite(Real(h * positive));
    high = product;
    low = fma(l, positive, fma(h, positive, -product));
  };
  /// The square, rounded once, times 1 + `more`; `first`: of the base.
  const auto rounded_square = [&](const Bool<Real>& first, const Real& more) {
    const Real h(high), l(low);
    Var<Real> rounded_once = h * h;
    if constexpr (Exact) when(negate(first), [&] { rounded_once = fma(h, h, (l + l) * h); });
    else rounded_once = fma(h, h, fma(h, more, l + l) * h);
    return Real(rounded_once);
  };
  // base^(n / 4), and base^(n / 2) where it is not enough
  for (int shift = 3; shift > 1; --shift) {
    const Word m = n >> shift;
    when(m > word(1), [&] {
      square(m < word(4));
      when(odd(m), times_base);
    });
  }
  const Bool<Real> odd_or_halved = either(halved, odd(n));
  when(both(n > word(3), either(odd_or_halved, turns)), [&] {
    square(n < word(8));
    when(both(turns, odd_or_halved), times_base);
  });
  const Real more_of_half = base.low * (size * constant<Real>(0.5));
  when(n == word(1), [&] { result = base.high; });
  when(both(n > word(1), negate(odd_or_halved)), [&] {
    Var<Real> once = base.high;
    when(
        turns,
        [&] {
          when(n > word(2), [&] {
            const Real h(high), l(low);
            once = fma(h, positive, (Exact ? l : fma(h, more_of_half, l)) * positive);
          });
        },
        [&] { once = rounded_square(n < word(8), more_of_half); });
    result = Real(once) * Real(once);
  });
  when(both(n > word(1), both(odd(n), negate(halved))), [&] {
    const Real once = rounded_square(n < word(4), base.low * size);
    Var<Real> even = once;
    // an error term that is beyond the range may have turned the sign
    when(Exact ? n > word(4) : n > word(0), [&] { even = abs(once); });
    result = Real(even) * base.high;
  });
  when(halved, [&] {
    when(n > word(1), [&] {
      square(n < word(4));
      when(odd(n), times_base);
    });
    result = root.high;
    when(n > word(0), [&] {
      const Real h(high), l(low);
      const Pair<Real> product = exact_product(h, root.high);
      const Real rest = fma(l, root.high, product.low);
      result = Exact ? product.high : Real(result);
      when(Exact ? n > word(1) : n > word(0), [&] {
        const Real more = fma(base.low, size - constant<Real>(0.5), root.low) * root.high;
        result = rounded(product.high, Exact ? rest : fma(h, more, rest));
      });
    });
  });
  return Real(result);
}

/// pow(x, y) where takes_products(y).
template <class Real>
Real pow_products(const Real& x, const Real& y) {
  using Word = Unsigned<Real>;
  const Real zero = constant<Real>(0), one = constant<Real>(1), inf = infinity<Real>();
  const Real size = abs(y);
  const Word twice = bits(Real(size + Real(halves_magic<Real>)));
  const Bool<Real> halved = (twice & Word(PlainUnsigned<Real>(1))) != Word(PlainUnsigned<Real>(0));
  // C: of -0 the root is 0, of -infinity it is infinity
  const Real root = select(x == -inf, inf, sqrt(x + zero));
  const Real base = select(halved, abs(x), x);
  Var<Real> result = one;
  when(y < zero, [&] {
    const auto inverse = [&](const Real& a) {
      const Real r = one / a;
      return Pair<Real>{r, fma(-r, a, one)};
    };
    const Pair<Real> inverted = inverse(base);
    const Real power = power_by_products<false>(inverted, inverse(root), twice, size);
    // Nothing is lacking of zero, infinity and NaN, nor where the reciprocal is beyond the range.
    // The square takes no error terms.
    const Bool<Real> plain = either(halved, size <= constant<Real>(2));
    const Bool<Real> odd = (twice & Word(PlainUnsigned<Real>(2))) != Word(PlainUnsigned<Real>(0));
    const Real extreme = select(odd, inverted.high, abs(inverted.high));
    result = select(either(plain, abs(inverted.low) < one), power, extreme);
  });
  when(y > zero, [&] {
    result = power_by_products<true>(Pair<Real>{base, zero}, Pair<Real>{root, zero}, twice, size);
  });
  return Real(result);
}

/// The same for the fast mode, without error terms: within |y| + 2 ULP.
template <class Real>
Real pow_products_fast(const Real& x, const Real& y) {
  using Word = Unsigned<Real>;
  const auto word = [](unsigned w) { return Word(PlainUnsigned<Real>(w)); };
  const Word twice = bits(Real(abs(y) + Real(halves_magic<Real>)));
  const auto bit = [&](int i) { return ((twice >> i) & word(1)) == word(1); };
  Var<Real> power = constant<Real>(1);
  for (int i = 5; i > 0; --i) {
    const Word m = (twice >> i) & word(31);
    when(m > word(1), [&] { power = Real(power) * Real(power); });
    when(bit(i), [&] { power = select(m == word(1), x, Real(power) * x); });
  }
  when(bit(0), [&] { power = Real(power) * sqrt(x); });
  when(y < constant<Real>(0), [&] { power = reciprocal(Real(power)); });
  return Real(power);
}

}  // namespace krait::math
