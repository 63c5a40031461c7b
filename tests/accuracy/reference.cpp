// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of functions, their references, and the arguments they are measured at.
#include "reference.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string_view>
#include <vector>

#include "ulp.h"

namespace krait::detail {
#define FUNCTION1(Name, name) \
  float math_##name(float);   \
  double math_##name(double);
#define FUNCTION2(Name, name)      \
  float math_##name(float, float); \
  double math_##name(double, double);
#include "math/functions.def"
}  // namespace krait::detail

namespace krait::accuracy {
namespace {

/// sin(pi x) and cos(pi x) of a number whose fraction double holds exactly.
double half_turns(double x, int turn) {
  const double size = std::fabs(x), in_two = size - 2 * std::floor(size / 2),
               n = std::rint(2 * in_two);
  const double r = std::numbers::pi * (in_two - n / 2);
  const int quadrant = (int(n) + turn) & 3;
  const double value = quadrant & 1 ? std::cos(r) : std::sin(r);
  return quadrant & 2 ? -value : value;
}
double sinpi(double x) { return std::copysign(1.0, x) * half_turns(x, 0); }
double cospi(double x) { return half_turns(x, 1); }
double tanpi(double x) {
  const double s = sinpi(x), c = cospi(x);
  if (c == 0)
    return std::fmod(std::floor(std::fabs(x)), 2) == 0 ? std::copysign(HUGE_VAL, x)
                                                       : -std::copysign(HUGE_VAL, x);
  return s / c;
}

/// erf's inverse by Newton steps from the tails' shape.
void erfinv_exact(mpfr_t out, const mpfr_t x, const mpfr_t) {
  if (mpfr_zero_p(x) || mpfr_nan_p(x)) return void(mpfr_set(out, x, MPFR_RNDN));
  mpfr_t w, t, d, one, scale;
  mpfr_inits2(180, w, t, d, one, scale, nullptr);
  mpfr_set_ui(one, 1, MPFR_RNDN);
  mpfr_abs(t, x, MPFR_RNDN);
  if (mpfr_cmp_ui(t, 1) > 0) {
    mpfr_set_nan(out);
  } else if (mpfr_cmp_ui(t, 1) == 0) {
    mpfr_set_inf(out, mpfr_sgn(x));
  } else {
    const double size = mpfr_get_d(t, MPFR_RNDN);
    mpfr_sub(d, one, t, MPFR_RNDN);
    const double tail = mpfr_get_d(d, MPFR_RNDN);
    // start: asymptotic for the tail, linear in the middle
    mpfr_set_d(w,
               size < 0.5 ? size * 0.8862269254527580
                          : std::sqrt(-std::log(tail * (1 + size) * 0.7)) * 0.97,
               MPFR_RNDN);
    if (size < 0.5) mpfr_mul_d(w, t, 0.8862269254527580, MPFR_RNDN);
    mpfr_const_pi(scale, MPFR_RNDN);
    mpfr_sqrt(scale, scale, MPFR_RNDN);
    mpfr_div_2ui(scale, scale, 1, MPFR_RNDN);
    // Halley: u = (erf w - x) sqrt(pi)/2 e^(w^2); w -= u / (1 + w u)
    for (int i = 0; i < 14; ++i) {
      mpfr_t u, v;
      mpfr_inits2(180, u, v, nullptr);
      if (size < 0.5) {
        mpfr_erf(u, w, MPFR_RNDN);
        mpfr_sub(u, u, t, MPFR_RNDN);
      } else {
        mpfr_erfc(u, w, MPFR_RNDN);
        mpfr_sub(u, d, u, MPFR_RNDN);
      }
      mpfr_sqr(v, w, MPFR_RNDN);
      mpfr_exp(v, v, MPFR_RNDN);
      mpfr_mul(u, u, v, MPFR_RNDN);
      mpfr_mul(u, u, scale, MPFR_RNDN);
      mpfr_mul(v, w, u, MPFR_RNDN);
      mpfr_add_ui(v, v, 1, MPFR_RNDN);
      mpfr_div(u, u, v, MPFR_RNDN);
      mpfr_sub(w, w, u, MPFR_RNDN);
      const bool done = mpfr_zero_p(u) || mpfr_get_exp(u) < mpfr_get_exp(w) - 60;
      mpfr_clears(u, v, nullptr);
      if (done) break;
    }
    mpfr_setsign(out, w, mpfr_signbit(x), MPFR_RNDN);
  }
  mpfr_clears(w, t, d, one, scale, nullptr);
}

/// Of -0 it is -infinity (C23).
void rsqrt_exact(mpfr_t out, const mpfr_t x, const mpfr_t) {
  mpfr_rec_sqrt(out, x, MPFR_RNDN);
  if (mpfr_zero_p(x)) mpfr_set_inf(out, mpfr_signbit(x) ? -1 : 1);
}

/// At poles of either sign C gives NaN (tgamma) and infinity (lgamma).
void tgamma_exact(mpfr_t out, const mpfr_t x, const mpfr_t) { mpfr_gamma(out, x, MPFR_RNDN); }
void lgamma_exact(mpfr_t out, const mpfr_t x, const mpfr_t) {
  int sign = 0;
  mpfr_lgamma(out, &sign, x, MPFR_RNDN);
}
#define KRAIT_MPFR1(function) \
  [](mpfr_t out, const mpfr_t x, const mpfr_t) { mpfr_##function(out, x, MPFR_RNDN); }
#define KRAIT_MPFR2(function) \
  [](mpfr_t out, const mpfr_t x, const mpfr_t y) { mpfr_##function(out, x, y, MPFR_RNDN); }
#define KRAIT_ONE(name, bound32, bound64, low, high, wide, exact)                                 \
  Reference {                                                                                     \
    #name, 1, bound32, bound64, low, high, [](float x, float) { return detail::math_##name(x); }, \
        [](double x, double) { return detail::math_##name(x); },                                  \
        [](double x, double) -> double { return wide; }, exact                                    \
  }
#define KRAIT_TWO(name, bound32, bound64, low, high, wide, exact)     \
  Reference {                                                         \
    #name, 2, bound32, bound64, low, high,                            \
        [](float x, float y) { return detail::math_##name(x, y); },   \
        [](double x, double y) { return detail::math_##name(x, y); }, \
        [](double x, double y) -> double { return wide; }, exact      \
  }

const Reference table[] = {
    KRAIT_ONE(exp, 2, 2, -90, 90, std::exp(x), KRAIT_MPFR1(exp)),
    KRAIT_ONE(exp2, 2, 2, -130, 130, std::exp2(x), KRAIT_MPFR1(exp2)),
    KRAIT_ONE(exp10, 2, 2, -40, 40, ::exp10(x), KRAIT_MPFR1(exp10)),
    KRAIT_ONE(expm1, 3, 3, -20, 90, std::expm1(x), KRAIT_MPFR1(expm1)),
    KRAIT_ONE(log, 2, 2, 0, 3, std::log(x), KRAIT_MPFR1(log)),
    KRAIT_ONE(log2, 2, 2, 0, 3, std::log2(x), KRAIT_MPFR1(log2)),
    KRAIT_ONE(log10, 2, 2, 0, 3, std::log10(x), KRAIT_MPFR1(log10)),
    KRAIT_ONE(log1p, 3, 3, -1, 3, std::log1p(x), KRAIT_MPFR1(log1p)),
    KRAIT_ONE(sin, 2, 2, -100, 100, std::sin(x), KRAIT_MPFR1(sin)),
    KRAIT_ONE(cos, 2, 2, -100, 100, std::cos(x), KRAIT_MPFR1(cos)),
    KRAIT_ONE(tan, 3, 3, -100, 100, std::tan(x), KRAIT_MPFR1(tan)),
    KRAIT_ONE(sinpi, 2, 2, -50, 50, sinpi(x), KRAIT_MPFR1(sinpi)),
    KRAIT_ONE(cospi, 2, 2, -50, 50, cospi(x), KRAIT_MPFR1(cospi)),
    KRAIT_ONE(tanpi, 3, 3, -50, 50, tanpi(x), KRAIT_MPFR1(tanpi)),
    KRAIT_ONE(asin, 3, 2, -1, 1, std::asin(x), KRAIT_MPFR1(asin)),
    KRAIT_ONE(acos, 3, 2, -1, 1, std::acos(x), KRAIT_MPFR1(acos)),
    KRAIT_ONE(atan, 3, 2, -4, 4, std::atan(x), KRAIT_MPFR1(atan)),
    KRAIT_ONE(sinh, 3, 3, -10, 10, std::sinh(x), KRAIT_MPFR1(sinh)),
    KRAIT_ONE(cosh, 3, 3, -10, 10, std::cosh(x), KRAIT_MPFR1(cosh)),
    KRAIT_ONE(tanh, 3, 3, -10, 10, std::tanh(x), KRAIT_MPFR1(tanh)),
    KRAIT_ONE(asinh, 3, 3, -10, 10, std::asinh(x), KRAIT_MPFR1(asinh)),
    KRAIT_ONE(acosh, 3, 3, 1, 10, std::acosh(x), KRAIT_MPFR1(acosh)),
    KRAIT_ONE(atanh, 3, 3, -1, 1, std::atanh(x), KRAIT_MPFR1(atanh)),
    KRAIT_ONE(erf, 2, 2, -6, 6, std::erf(x), KRAIT_MPFR1(erf)),
    KRAIT_ONE(erfc, 4, 4, -6, 28, std::erfc(x), KRAIT_MPFR1(erfc)),
    KRAIT_ONE(erfinv, 4, 4, -1, 1, detail::math_erfinv(x), erfinv_exact),
    KRAIT_ONE(tgamma, 6, 6, -10, 40, std::tgamma(x), tgamma_exact),
    KRAIT_ONE(lgamma, 6, 6, 0, 20, std::lgamma(x), lgamma_exact),
    KRAIT_ONE(rsqrt, 2, 2, 0, 10, 1 / std::sqrt(x), rsqrt_exact),
    KRAIT_ONE(cbrt, 2, 2, -10, 10, std::cbrt(x), KRAIT_MPFR1(cbrt)),
    KRAIT_TWO(pow, 2, 2, -40, 40,
              double(std::pow(static_cast<long double>(x), static_cast<long double>(y))),
              KRAIT_MPFR2(pow)),
    KRAIT_TWO(atan2, 3, 2, -3, 3, std::atan2(x, y), KRAIT_MPFR2(atan2)),
    KRAIT_TWO(hypot, 2, 2, -3, 3, std::hypot(x, y), KRAIT_MPFR2(hypot)),
    KRAIT_TWO(fmod, 0, 0, -30, 30, std::fmod(x, y), KRAIT_MPFR2(fmod)),
    KRAIT_TWO(remainder, 0, 0, -30, 30, std::remainder(x, y), KRAIT_MPFR2(remainder)),
};

template <class Float>
using BitsOf = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;

/// Points around which functions change their ways; tested with their neighbours.
template <class Float>
std::vector<Float> hard_points() {
  using Limits = std::numeric_limits<Float>;
  std::vector<Float> out{0,
                         1,
                         2,
                         Float(0.5),
                         Float(0.25),
                         3,
                         4,
                         8,
                         10,
                         100,
                         Limits::max(),
                         Limits::min(),
                         Limits::denorm_min(),
                         Limits::infinity(),
                         Limits::quiet_NaN(),
                         Float(2.0 / 3),
                         Float(4.0 / 3),
                         Float(0.70710678118654752)};
  // quadrants
  for (int n = 1; n <= 200; ++n) out.push_back(Float(n * (std::numbers::pi / 2)));
  // and their borders
  for (int n = 1; n <= 60; ++n) out.push_back(Float((2 * n - 1) * (std::numbers::pi / 4)));
  for (int e = Limits::min_exponent - Limits::digits; e < Limits::max_exponent; ++e)
    out.push_back(std::ldexp(Float(1), e));
  for (const double edge :
       {88.72, 89.4,  87.3,  86.9,   103.97, 709.78, 710.47, 708.05, 745.13, 127.0,
        128.0, 149.0, 126.0, 1023.0, 1024.0, 1074.5, 1022.0, 38.53,  44.85,  308.25,
        323.6, 9.0,   10.05, 26.0,   26.54,  27.2,   3.95,   5.95,   1e5,    1e9})
    out.push_back(Float(edge));
  // The arguments nearest to a multiple of pi/2 (Muller, "Elementary Functions", section on range
  // reduction).
  if constexpr (sizeof(Float) == 8) out.push_back(6381956970095103.0 * 0x1p797);
  else out.push_back(16367173.0f * 0x1p72f);
  return out;
}

template <class Float, class Visit>
void around(Float x, Visit visit) {
  using Bits = BitsOf<Float>;
  for (int step = -3; step <= 3; ++step) {
    const Float near = std::bit_cast<Float>(Bits(std::bit_cast<Bits>(x) + Bits(step)));
    visit(near);
    visit(-near);
  }
}

/// The second argument that makes x^y an ordinary number; otherwise one of the dense range.
template <class Float>
Float second_argument(const Reference& f, Float x, Random& random) {
  if (std::string_view(f.name) == "pow" && x > 0 && std::isfinite(x) && x != 1 &&
      (random.next() & 3)) {
    const double largest = (sizeof(Float) == 4 ? 150.0 : 1075.0) / std::fabs(std::log2(double(x)));
    return Float((2 * random.unit() - 1) * largest);
  }
  return Float(f.low + (f.high - f.low) * random.unit());
}

template <class Float>
Arguments<Float> arguments(const Reference& f, unsigned count, unsigned seed) {
  using Bits = BitsOf<Float>;
  Arguments<Float> all;
  const auto visit = [&](Float x, Float y) { all.x.push_back(x), all.y.push_back(y); };
  Random random(sizeof(Float) + 256 * seed);
  const std::vector<Float> points = hard_points<Float>();
  for (std::size_t i = 0; i < points.size(); ++i)
    around(points[i], [&](Float x) {
      visit(x, Float(f.arity == 2 ? f.low + (f.high - f.low) * random.unit() : 0));
      if (f.arity == 2)
        visit(x, points[random.next() % points.size()]), visit(Float(f.low * random.unit()), x);
    });
  for (unsigned i = 0; i < count; ++i) {
    const Float x = i % 3 == 0 ? std::bit_cast<Float>(Bits(random.next()))
                               : Float(f.low + (f.high - f.low) * random.unit());
    const bool wild = random.next() % 4 == 0;
    visit(x, f.arity == 1 ? Float(0)
             : wild       ? std::bit_cast<Float>(Bits(random.next()))
                          : second_argument(f, x, random));
  }
  return all;
}

}  // namespace

std::span<const Reference> references() { return table; }

long double exact_value(const Reference& f, double x, double y) {
  mpfr_t mx, my, out;
  mpfr_inits2(53, mx, my, nullptr);
  mpfr_init2(out, 120);
  mpfr_set_d(mx, x, MPFR_RNDN);
  mpfr_set_d(my, y, MPFR_RNDN);
  f.exact(out, mx, my);
  const long double value = mpfr_get_ld(out, MPFR_RNDN);
  mpfr_clears(mx, my, out, nullptr);
  return value;
}

/// ulp_error for most results without a call.
double quick_error(float result, double exact) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(exact) & ~(std::uint64_t(1) << 63);
  const std::uint64_t exponent = bits >> 52;
  if (exponent < 1023 - 126 || exponent > 1023 + 127 ||
      !(std::fabs(result) <= std::numeric_limits<float>::max()))
    return ulp_error(result, exact);
  const double scale = std::bit_cast<double>((2 * 1023 + 23 - exponent) << 52);
  return std::fabs(double(result) - exact) * scale;
}

/// lgamma below -1/2 is log(pi / |x sin(pi x)|) - lgamma |x|: the units of the larger of result and
/// second term count, and near zeros an absolute error of 1e-6 (single) or 1e-15 is as good as 6
/// ULP.
template <class Float>
double error_of(const Reference& f, Float x, Float result, long double exact) {
  const double error = ulp_error(result, exact);
  if (error <= 1 || error == wrong || x > Float(-0.5) || std::string_view(f.name) != "lgamma")
    return error;
  const Float term = Float(std::lgamma(-static_cast<long double>(x)));
  const Float unit =
      std::nextafter(std::fabs(term), std::numeric_limits<Float>::infinity()) - std::fabs(term);
  const double distance = double(std::fabs(static_cast<long double>(result) - exact));
  return std::fmin(error, std::fmin(distance / double(unit),
                                    distance * 6 / (sizeof(Float) == 4 ? 1e-6 : 1e-15)));
}

double error32(const Reference& f, float x, float y, float result, double wide, double limit) {
  const double quick = quick_error(result, wide);
  return quick <= limit ? quick : error_of(f, x, result, exact_value(f, x, y));
}
double error64(const Reference& f, double x, double y, double result) {
  return error_of(f, x, result, exact_value(f, x, y));
}

Arguments<float> arguments32(const Reference& f, unsigned count, unsigned seed) {
  return arguments<float>(f, count, seed);
}
Arguments<double> arguments64(const Reference& f, unsigned count, unsigned seed) {
  return arguments<double>(f, count, seed);
}

Worst<float> measure32(const Reference& f, unsigned count, unsigned seed) {
  const Arguments<float> all = arguments32(f, count, seed);
  Worst<float> worst;
  for (std::size_t i = 0; i < all.x.size(); ++i) {
    const float x = all.x[i], y = all.y[i];
    worst.note(error32(f, x, y, f.f32(x, y), f.wide(x, y), f.bound32), x, y);
  }
  return worst;
}
Worst<double> measure64(const Reference& f, unsigned count, unsigned seed) {
  const Arguments<double> all = arguments64(f, count, seed);
  Worst<double> worst;
  for (std::size_t i = 0; i < all.x.size(); ++i) {
    const double x = all.x[i], y = all.y[i];
    worst.note(error64(f, x, y, f.f64(x, y)), x, y);
  }
  return worst;
}

}  // namespace krait::accuracy
