// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pow by products, for whole and half exponents of at most most_products: repeated squaring of a
// number and its error term (Dekker), and for halves the square root as a last factor. Negative
// exponents take the reciprocal first, so that nothing on the way leaves the range before the
// result does. The last product adds the error term, which is off by less than a unit: it ends in a
// sum rather than an fma, as an fma may flush subnormal numbers.
//
// The exponent is a value like any other here. Where it is a constant, folding leaves the products.
#pragma once

#include "math/primitives.h"

namespace krait::math {

/// A number and what it lacks: high + low, |low| far below |high|.
template <class Real>
struct Pair {
  Real high, low;
};

/// Five squarings at most: some 25 operations, where pow has 40 (f32) or 90 (f64).
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

/// base to the power n, times `root` where `halved`; `twice` is 2 n (+ 1). n is 16 at most. Where
/// `Exact` the base and the root have no error terms worth a look: those of the root may be left
/// out, as the others are zero.
template <bool Exact, class Real>
Real power_by_products(const Pair<Real>& base, const Pair<Real>& root,
                       const Unsigned<Real>& twice) {
  using Word = Unsigned<Real>;
  const auto word = [](unsigned x) { return Word(PlainUnsigned<Real>(x)); };
  const auto odd = [&](const Word& x) { return (x & word(1)) == word(1); };
  const Word n = (twice >> 1) & word(31);
  const Bool<Real> halved = odd(twice);
  Var<Real> high = base.high, low = base.low, result = constant<Real>(1);
  const auto square = [&](const Bool<Real>& first) {
    const Real h(high), l(low);
    const Pair<Real> product = exact_product(h, h);
    high = product.high;
    low = product.low;
    if constexpr (Exact) when(negate(first), [&] { low = fma(h + h, l, product.low); });
    else low = fma(h + h, l, product.low);
  };
  const auto times_base = [&] {
    const Real h(high), l(low);
    const Pair<Real> product = exact_product(h, base.high);
    high = product.high;
    low = fma(l, base.high, Exact ? product.low : fma(h, base.low, product.low));
  };
  // base^(n / 2)
  for (int shift = 3; shift > 0; --shift) {
    const Word m = n >> shift;
    when(m > word(1), [&] {
      square(m < word(4));
      when(odd(m), times_base);
    });
  }
  // n whole and below 5 needs no error terms: x^4 = (x^2)^2 is within 0.5 + sqrt(2) ULP
  const Bool<Real> plain = n < word(5);
  when(n == word(1), [&] { result = base.high; });
  when(both(n > word(1), negate(either(halved, odd(n)))), [&] {
    const Real h(high), l(low), product = h * h;
    result = product;
    when(Exact ? negate(plain) : n > word(2), [&] { result = rounded(product, (h + h) * l); });
  });
  when(both(n > word(1), either(halved, odd(n))), [&] {
    square(n < word(4));
    when(both(odd(n), halved), times_base);
  });
  when(both(n > word(1), both(odd(n), negate(halved))), [&] {
    const Real h(high), l(low), product = h * base.high;
    result = product;
    when(Exact ? negate(plain) : n > word(2), [&] {
      const Real rest = Exact ? l * base.high : fma(h, base.low, l * base.high);
      const Real sum = rounded(product, rest);  // has the product's sign, also as a zero
      result = from_bits<Real>(bits(sum) |
                               (bits(product) & Word(PlainUnsigned<Real>(Format<Real>::sign))));
    });
  });
  when(halved, [&] {
    result = root.high;
    when(n > word(0), [&] {
      const Real h(high), l(low);
      const Pair<Real> product = exact_product(h, root.high);
      const Real rest = fma(l, root.high, product.low);
      result = Exact ? product.high : Real(result);
      when(Exact ? n > word(1) : n > word(0),
           [&] { result = rounded(product.high, Exact ? rest : fma(h, root.low, rest)); });
    });
  });
  return Real(result);
}

/// pow(x, y) where takes_products(y).
template <class Real>
Real pow_products(const Real& x, const Real& y) {
  using Word = Unsigned<Real>;
  const Real zero = constant<Real>(0), one = constant<Real>(1), inf = infinity<Real>();
  const Word twice = bits(Real(abs(y) + Real(halves_magic<Real>)));
  const Bool<Real> halved = (twice & Word(PlainUnsigned<Real>(1))) != Word(PlainUnsigned<Real>(0));
  // C: of -0 the root is 0, of -infinity it is infinity
  const Real root = select(x == -inf, inf, sqrt(x + zero));
  const Real base = select(halved, abs(x), x);
  Var<Real> result = one;
  when(y < zero, [&] {
    const auto inverse = [&](const Real& a) {
      const Real r = one / a;
      return Pair<Real>{r, fma(-r, a, one) * r};
    };
    result = power_by_products<false>(inverse(base), inverse(root), twice);
  });
  when(y > zero, [&] {
    result = power_by_products<true>(Pair<Real>{base, zero}, Pair<Real>{root, zero}, twice);
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
