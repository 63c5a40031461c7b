// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of complex numbers on their parts, over the whole range of their type
// (docs/numbers.md has bounds and special values). A body is a template over Real: a traced value,
// or a plain float or double, for which lib/math has it compiled. Each is a short path for ordinary
// arguments beside a called one for all others: near the ends of the range, zeros, infinities, NaN.
// Products whose errors matter are fused where that is written, and nowhere else: a product that is
// also negated is not contracted (lib/passes/simplify/contract.cpp).
#pragma once

#include <tuple>

#include <krait/detail/composite.h>
#include <krait/function.h>
#include <krait/math_utilities.h>

namespace krait::detail {

template <class Real>
struct complex_parts {
  Real re, im;
};

// On plain numbers: these are chosen before the templates below.
KRAIT_API complex_parts<float> complex_sqrt(float x, float y);
KRAIT_API complex_parts<double> complex_sqrt(double x, double y);
KRAIT_API complex_parts<float> complex_log(float x, float y);
KRAIT_API complex_parts<double> complex_log(double x, double y);
KRAIT_API complex_parts<float> complex_exp(float x, float y);
KRAIT_API complex_parts<double> complex_exp(double x, double y);
KRAIT_API complex_parts<float> complex_polar(float r, float angle);
KRAIT_API complex_parts<double> complex_polar(double r, double angle);
KRAIT_API complex_parts<float> complex_pow(float x, float y, float u, float v);
KRAIT_API complex_parts<double> complex_pow(double x, double y, double u, double v);

/// Facts of a Real's format. The square of a number from `least` to `most` is a normal number. So
/// is its rounding error, unless it is negligible next to the square.
template <class Real>
struct complex_format {
  using plain_type = held_t<Real>;
  static constexpr bool single = sizeof(plain_type) == 4;
  static constexpr plain_type infinity = plain_type(__builtin_huge_valf()),
                              nan = plain_type(__builtin_nanf(""));
  static constexpr plain_type least = single ? plain_type(0x1p-50) : plain_type(0x1p-450),
                              most = single ? plain_type(0x1p60) : plain_type(0x1p500);
  // Even powers of two which bring larger and smaller numbers there.
  static constexpr int down = single ? 80 : 600, up = single ? 100 : 640;
  static constexpr plain_type power(int n) { return format<plain_type>::power(n); }
};
template <class Real>
Real complex_constant(double x) {
  return Real(static_cast<held_t<Real>>(x));
}
template <class Real>
// of two conditions that are computed: neither guards the other
auto both_hold(const Real& x, const Real& y) {
  return x && y;
}
template <class Real>
auto one_holds(const Real& x, const Real& y) {
  return x || y;
}
template <class Real>
auto is_ordinary(const Real& size) {
  const auto enough = size >= Real(complex_format<Real>::least),
             not_too_much = size <= Real(complex_format<Real>::most);
  return both_hold(enough, not_too_much);
}

/// `usual`, or f(x…) where `ordinary` does not hold: of kernels a function that is called, of that
/// name and its type.
template <class Real, class Condition, class Function, class... Operands>
complex_parts<Real> unless_rare(const Condition& ordinary, const complex_parts<Real>& usual,
                                const char* single_name, const char* double_name, const Function& f,
                                const Operands&... x) {
  if constexpr (traced<Real>) {
    using plain_type = typename Real::traced_type;
    static const auto called = function(
        [f](const Operands&... y) {
          const complex_parts<Real> z = f(y...);
          return std::tuple<Real, Real>(z.re, z.im);
        },
        {.name = sizeof(plain_type) == 4 ? single_name : double_name, .rare = true});
    var<plain_type> re = usual.re, im = usual.im;
    if_(!ordinary, [&] {
      const std::tuple<Real, Real> z = called(x...);
      re = std::get<0>(z), im = std::get<1>(z);
    });
    return {Real(re), Real(im)};
  } else {
    return ordinary ? usual : f(x...);
  }
}

/// x y + z w, by Kahan's method: within 1.5 ulp of the exact sum where no product's rounding error
/// underflows (C.-P. Jeannerod, N. Louvet and J.-M. Muller, Further analysis of Kahan's algorithm,
/// Mathematics of Computation 82 (2013) 2245).
template <class Real>
Real sum_of_products(const Real& x, const Real& y, const Real& z, const Real& w) {
  const Real product = z * w, lost = fma(z, w, -product);
  return Real(fma(x, y, product) + lost);
}

/// copysign(x, y), where a NaN has no sign: that of a device's NaN is not told.
template <class Real>
Real with_sign_of(const Real& x, const Real& y) {
  return Real(copysign(x, choose(y == y, y, complex_constant<Real>(0))));
}

/// The square root of (|x| + |z|) / 2 for parts |x| and |y| that are neither large nor small.
template <class Real>
Real half_angle_root(const Real& x, const Real& y) {
  return Real(sqrt((x + sqrt(fma(x, x, y * y))) * complex_constant<Real>(0.5)));
}
/// From that root and |y|: x decides which is the real part, y has the sign (W. Kahan, Branch cuts
/// for complex elementary functions, 1987).
template <class Real>
complex_parts<Real> root_parts(const Real& x, const Real& y, const Real& root, const Real& other) {
  const auto right = x >= complex_constant<Real>(0);
  return {choose(right, root, other), with_sign_of(choose(right, other, root), y)};
}
template <class Real>
complex_parts<Real> sqrt_rare(const Real& x, const Real& y) {
  using form = complex_format<Real>;
  const Real width = abs(x), height = abs(y), zero = complex_constant<Real>(0),
             inf = Real(form::infinity);
  const auto large = max(width, height) > complex_constant<Real>(1);
  const Real scale = choose(large, Real(form::power(-form::down)), Real(form::power(form::up)));
  const Real back =
      choose(large, Real(form::power(form::down / 2)), Real(form::power(-form::up / 2)));
  const Real finite = half_angle_root(Real(width * scale), Real(height * scale)) * back;
  const auto wide = width == inf, high = height == inf;
  const Real root = choose(one_holds(wide, high), inf, finite);
  const Real quotient = choose(root == zero, zero, Real(height / (root + root)));
  return root_parts(x, y, root, choose(high, inf, quotient));
}
template <class Real>
complex_parts<Real> complex_sqrt(const Real& x, const Real& y) {
  const Real width = abs(x), height = abs(y);
  const Real root = half_angle_root(width, height);
  return unless_rare(
      is_ordinary(Real(width + height)), root_parts(x, y, root, Real(height / (root + root))),
      "complex.sqrt.f32", "complex.sqrt.f64",
      [](const Real& a, const Real& b) { return sqrt_rare(a, b); }, x, y);
}

/// log |z| of any z.
template <class Real>
complex_parts<Real> log_rare(const Real& x, const Real& y) {
  using form = complex_format<Real>;
  const Real width = abs(x), height = abs(y), inf = Real(form::infinity);
  const auto large = max(width, height) > complex_constant<Real>(1);
  const Real scale = choose(large, Real(form::power(-form::down)), Real(form::power(form::up)));
  constexpr double ln2 = 0.69314718055994530942;
  const Real more = choose(large, complex_constant<Real>(form::down * ln2),
                           complex_constant<Real>(-form::up * ln2));
  const Real a = width * scale, b = height * scale;
  const Real half = log(fma(a, a, b * b)) * complex_constant<Real>(0.5);
  const auto wide = width == inf, high = height == inf;
  return {choose(one_holds(wide, high), inf, Real(half + more)), Real(atan2(y, x))};
}
/// x + y as it is rounded, and what that loses (D. E. Knuth, The Art of Computer Programming
/// 2, 4.2.2, theorem B).
template <class Real>
struct sum_and_rest {
  Real sum, rest;
};
template <class Real>
sum_and_rest<Real> whole_sum(const Real& x, const Real& y) {
  const Real sum = x + y, other = sum - x;
  return {sum, Real((x - (sum - other)) + (y - other))};
}
/// |z|^2 is the sum of two numbers, high and low, so that its logarithm has its digits near the
/// unit circle too: log high + low / high.
/// There they cancel, and so do the terms of low; the errors of products come from fma.
template <class Real>
complex_parts<Real> complex_log(const Real& x, const Real& y) {
  const Real a = x * x, b = y * y;
  const sum_and_rest<Real> squares = whole_sum(a, b),
                           lost = whole_sum(Real(fma(x, x, -a)), Real(fma(y, y, -b)));
  const sum_and_rest<Real> rest = whole_sum(squares.rest, lost.sum);
  // low is at most half an ulp of high, so that the logarithm loses no more than a bit to it.
  const Real high = squares.sum + rest.sum,
             low = ((squares.sum - high) + rest.sum) + (rest.rest + lost.rest);
  const Real size = complex_constant<Real>(0.5) * (log(high) + low / high);
  return unless_rare(
      is_ordinary(Real(abs(x) + abs(y))), complex_parts<Real>{size, Real(atan2(y, x))},
      "complex.log.f32", "complex.log.f64",
      [](const Real& c, const Real& d) { return log_rare(c, d); }, x, y);
}

/// r (cos angle + i sin angle); real for an angle of 0, also where r is infinite or a NaN.
template <class Real>
complex_parts<Real> complex_polar(const Real& r, const Real& angle) {
  const Real zero = complex_constant<Real>(0);
  const Real on_axis = choose(r < zero, Real(-angle), angle);
  return {Real(r * cos(angle)), choose(angle == zero, on_axis, Real(r * sin(angle)))};
}
/// e^x in factors, so that a product with a small sine overflows or vanishes only where the result
/// does.
template <class Real>
complex_parts<Real> exp_rare(const Real& x, const Real& y) {
  using form = complex_format<Real>;
  const Real zero = complex_constant<Real>(0), one = complex_constant<Real>(1),
             inf = Real(form::infinity);
  const Real most = complex_constant<Real>(form::single ? 80 : 700);
  const Real half = x * complex_constant<Real>(0.5), taken = choose(half > most, most, half);
  const auto some_left = half > most;
  const Real left = half - taken, factor = exp(taken),
             third = choose(some_left, Real(exp(left + left)), one);
  const auto scaled = [&](const Real& part) {
    return Real(Real(Real(part * factor) * third) * factor);
  };
  const auto endless = abs(x) == inf, no_angle = !(abs(y) < inf), low = x == -inf;
  const auto undirected = both_hold(endless, no_angle), vanishing = both_hold(low, no_angle);
  const Real re = choose(undirected, choose(low, zero, inf), scaled(Real(cos(y))));
  const Real im = choose(vanishing, with_sign_of(zero, y), scaled(Real(sin(y))));
  return {re, choose(y == zero, y, im)};
}
template <class Real>
complex_parts<Real> complex_exp(const Real& x, const Real& y) {
  const Real size = exp(x);
  const auto ordinary = abs(x) < complex_constant<Real>(complex_format<Real>::single ? 87 : 708);
  return unless_rare(
      ordinary, complex_parts<Real>{Real(size * cos(y)), Real(size * sin(y))}, "complex.exp.f32",
      "complex.exp.f64", [](const Real& a, const Real& b) { return exp_rare(a, b); }, x, y);
}

/// (a + i b) (c - i d) / size, size = c^2 + d^2: each part within 4 ulp where no product
/// underflows. A quotient of equal numbers is 1.
template <class Real>
complex_parts<Real> quotient_of(const Real& a, const Real& b, const Real& c, const Real& d,
                                const Real& size) {
  return {Real(sum_of_products(a, c, b, d) / size),
          Real(sum_of_products(b, c, Real(-a), d) / size)};
}
/// The exponent of the larger of two, 0 where that is zero or infinite.
template <class Real>
auto common_exponent(const Real& x, const Real& y) {
  const Real size = max(abs(x), abs(y));
  const auto some = size > complex_constant<Real>(0),
             finite = size < Real(complex_format<Real>::infinity);
  return choose(both_hold(some, finite), kept_as<Real, int>(ilogb(size)), kept_as<Real, int>(0));
}
/// C99, Annex G.5.1: scaled by powers of two; infinite operands become 1 or 0 with their sign and
/// give the direction of the result.
template <class Real>
complex_parts<Real> quotient_rare(const Real& a, const Real& b, const Real& c, const Real& d) {
  using form = complex_format<Real>;
  const Real zero = complex_constant<Real>(0), one = complex_constant<Real>(1),
             inf = Real(form::infinity);
  const auto above = common_exponent(a, b), below = common_exponent(c, d);
  const auto infinite = [&](const Real& x, const Real& y) {
    const auto wide = abs(x) == inf, high = abs(y) == inf;
    return one_holds(wide, high);
  };
  const auto finite = [&](const Real& x, const Real& y) {
    const auto narrow = abs(x) < inf, low = abs(y) < inf;
    return both_hold(narrow, low);
  };
  const auto top_infinite = infinite(a, b), bottom_infinite = infinite(c, d),
             top_finite = finite(a, b), bottom_finite = finite(c, d);
  const auto grows = both_hold(top_infinite, bottom_finite),
             vanishes = both_hold(top_finite, bottom_infinite);
  const auto boxed = [&](const auto& when, const Real& x, const Real& scaled) {
    return choose(when, with_sign_of(choose(abs(x) == inf, one, zero), x), scaled);
  };
  const Real p = boxed(top_infinite, a, Real(ldexp(a, -above))),
             q = boxed(top_infinite, b, Real(ldexp(b, -above)));
  const Real r = boxed(bottom_infinite, c, Real(ldexp(c, -below))),
             s = boxed(bottom_infinite, d, Real(ldexp(d, -below)));
  const complex_parts<Real> z = quotient_of(p, q, r, s, sum_of_products(r, r, s, s));
  const auto sized = [&](const Real& part) {
    return choose(grows, Real(inf * part),
                  choose(vanishes, Real(zero * part), Real(ldexp(part, above - below))));
  };
  const auto undefined = both_hold(top_infinite, bottom_infinite);
  const auto part = [&](const Real& scaled, const Real& by_real, const Real& by_imaginary) {
    const Real general = choose(undefined, Real(form::nan), sized(scaled));
    // as exact as quotients of real numbers
    return choose(d == zero, by_real, choose(c == zero, by_imaginary, general));
  };
  return {part(z.re, Real(a / c), Real(b / d)), part(z.im, Real(b / c), Real(-a / d))};
}
template <class Real>
complex_parts<Real> complex_quotient_parts(const Real& a, const Real& b, const Real& c,
                                           const Real& d) {
  using form = complex_format<Real>;
  const Real above = abs(a) + abs(b), size = sum_of_products(c, c, d, d),
             zero = complex_constant<Real>(0);
  const auto enough = size >= Real(form::least * form::least),
             not_too_much = size <= Real(form::most * form::most);
  const auto top = one_holds(above == zero, is_ordinary(above)),
             bottom = both_hold(enough, not_too_much);
  const auto both_parts = Real(c * d) != zero;  // or too small beside the other one
  return unless_rare(
      both_hold(both_hold(top, bottom), both_parts), quotient_of(a, b, c, d, size),
      "complex.quotient.f32", "complex.quotient.f64",
      [](const Real& e, const Real& f, const Real& g, const Real& h) {
        return quotient_rare(e, f, g, h);
      },
      a, b, c, d);
}

/// exp(w log z). As NumPy has it 1 for w = 0, whatever z is; of z = 0 it is 0 where w's real part
/// is positive, else NaN.
template <class Real>
complex_parts<Real> complex_pow(const Real& x, const Real& y, const Real& u, const Real& v) {
  using form = complex_format<Real>;
  const Real zero = complex_constant<Real>(0);
  const complex_parts<Real> log = complex_log(x, y);
  const auto real_power = v == zero, no_power = both_hold(u == zero, real_power),
             no_base = both_hold(x == zero, y == zero);
  // A real power scales the logarithm, infinite parts too; no 0 times infinity.
  const Real re =
      choose(real_power, Real(u * log.re), sum_of_products(u, log.re, Real(-v), log.im));
  const Real im = choose(real_power, Real(u * log.im), sum_of_products(v, log.re, u, log.im));
  const complex_parts<Real> power = complex_exp(re, im);
  const Real of_zero = choose(u > zero, zero, Real(form::nan));
  return {choose(no_power, complex_constant<Real>(1), choose(no_base, of_zero, power.re)),
          choose(no_power, zero, choose(no_base, of_zero, power.im))};
}

template <class Real>
complex_parts<Real> complex_sinh(const Real& x, const Real& y) {
  const Real zero = complex_constant<Real>(0);  // no 0 times infinity on the axes
  return {choose(x == zero, x, Real(sinh(x) * cos(y))),
          choose(y == zero, y, Real(cosh(x) * sin(y)))};
}
template <class Real>
complex_parts<Real> complex_cosh(const Real& x, const Real& y) {
  const Real zero = complex_constant<Real>(0);
  const auto axis = one_holds(x == zero, y == zero);
  return {Real(cosh(x) * cos(y)),
          choose(axis, Real(with_sign_of(zero, x) * with_sign_of(complex_constant<Real>(1), y)),
                 Real(sinh(x) * sin(y)))};
}
/// (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y), by powers of e that do not overflow.
template <class Real>
complex_parts<Real> complex_tanh(const Real& x, const Real& y) {
  const Real zero = complex_constant<Real>(0), one = complex_constant<Real>(1),
             far = complex_constant<Real>(complex_format<Real>::single ? 10 : 20);
  const Real near = min(max(x, Real(-far)), far), s = sinh(near), c = cos(y);
  const Real below = fma(s, s, c * c);
  const auto ordinary = abs(x) < far;
  return {choose(ordinary, Real(s * cosh(near) / below), with_sign_of(one, x)),
          choose(y == zero, y, Real(Real(sin(y) * c) / below))};
}

}  // namespace krait::detail
