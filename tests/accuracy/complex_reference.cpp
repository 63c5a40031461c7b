// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "complex_reference.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include "krait/complex.h"
#include "reference.h"

namespace krait::accuracy {
namespace {

constexpr mpfr_prec_t precision = 260;
constexpr auto to_nearest = MPC_RNDNN;

template <class Float, class Body>
std::complex<Float> parts_of(const Body& body) {
  const detail::complex_parts<Float> z = body();
  return {z.re, z.im};
}
template <class Float>
std::complex<Float> product(std::complex<Float> z, std::complex<Float> w) {
  // as detail::complex_product
  return {z.real() * w.real() - z.imag() * w.imag(), z.real() * w.imag() + z.imag() * w.real()};
}
template <class Float>
std::complex<Float> quotient(std::complex<Float> z, std::complex<Float> w) {
  return parts_of<Float>([&] {
    return detail::complex_quotient_parts<Float>(z.real(), z.imag(), w.real(), w.imag());
  });
}

void pow_exact(mpc_t out, const mpc_t z, const mpc_t w) {
  mpc_log(out, z, to_nearest);
  mpc_mul(out, w, out, to_nearest);
  mpc_exp(out, out, to_nearest);
}
void polar_exact(mpc_t out, const mpc_t z, const mpc_t) {
  mpfr_sin_cos(mpc_imagref(out), mpc_realref(out), mpc_imagref(z), MPFR_RNDN);
  mpc_mul_fr(out, out, mpc_realref(z), to_nearest);
}

#define KRAIT_COMPLEX1(name, bound, part, whole_range, expression, function)       \
  ComplexReference {                                                               \
    #name, 1, bound, part, whole_range,                                            \
        [](std::complex<float> z, std::complex<float>) -> std::complex<float> {    \
          return expression;                                                       \
        },                                                                         \
        [](std::complex<double> z, std::complex<double>) -> std::complex<double> { \
          return expression;                                                       \
        },                                                                         \
        [](mpc_t out, const mpc_t z, const mpc_t) { function; }                    \
  }

const std::vector<ComplexReference>& table() {
  static const std::vector<ComplexReference> all = {
    {"multiply", 2, 2, 0, false,
     [](std::complex<float> z, std::complex<float> w) { return product(z, w); },
     [](std::complex<double> z, std::complex<double> w) { return product(z, w); },
     [](mpc_t out, const mpc_t z, const mpc_t w) { mpc_mul(out, z, w, to_nearest); }},
    {"divide", 2, 4, 0, true,
     [](std::complex<float> z, std::complex<float> w) { return quotient(z, w); },
     [](std::complex<double> z, std::complex<double> w) { return quotient(z, w); },
     [](mpc_t out, const mpc_t z, const mpc_t w) { mpc_div(out, z, w, to_nearest); }},
    {"divide_within", 2, 4, 4, false,
     [](std::complex<float> z, std::complex<float> w) { return quotient(z, w); },
     [](std::complex<double> z, std::complex<double> w) { return quotient(z, w); },
     [](mpc_t out, const mpc_t z, const mpc_t w) { mpc_div(out, z, w, to_nearest); }},
    KRAIT_COMPLEX1(abs, 2, 2, true, krait::abs(z),
                   mpfr_hypot(mpc_realref(out), mpc_realref(z), mpc_imagref(z), MPFR_RNDN);
                   mpfr_set_ui(mpc_imagref(out), 0, MPFR_RNDN)),
    KRAIT_COMPLEX1(norm, 2, 2, false, krait::norm(z), mpc_norm(mpc_realref(out), z, MPFR_RNDN);
                   mpfr_set_ui(mpc_imagref(out), 0, MPFR_RNDN)),
    KRAIT_COMPLEX1(arg, 3, 3, true, krait::arg(z), mpc_arg(mpc_realref(out), z, MPFR_RNDN);
                   mpfr_set_ui(mpc_imagref(out), 0, MPFR_RNDN)),
    KRAIT_COMPLEX1(polar, 3, 3, true, krait::polar(z.real(), z.imag()), polar_exact(out, z, z)),
    KRAIT_COMPLEX1(exp, 6, 6, true, krait::exp(z), mpc_exp(out, z, to_nearest)),
    KRAIT_COMPLEX1(log, 3, 3, true, krait::log(z), mpc_log(out, z, to_nearest)),
    KRAIT_COMPLEX1(sqrt, 3, 3, true, krait::sqrt(z), mpc_sqrt(out, z, to_nearest)),
    {"pow", 2, 4, 0, true,
     [](std::complex<float> z, std::complex<float> w) { return krait::pow(z, w); },
     [](std::complex<double> z, std::complex<double> w) { return krait::pow(z, w); }, pow_exact},
  };
  return all;
}
#undef KRAIT_COMPLEX1

/// 2^e times a number of [1, 2) of either sign, for an e of the type's range.
template <class Float>
Float with_exponent(Random& random, int exponent) {
  const double size = std::ldexp(1 + random.unit(), 0);
  return Float(std::ldexp(Float(random.next() & 1 ? size : -size), exponent));
}

/// ulp(|x|) as an exponent of two.
template <class Float>
long unit_exponent(const mpfr_t size) {
  using Limits = std::numeric_limits<Float>;
  const long least = Limits::min_exponent - Limits::digits;
  return mpfr_zero_p(size) ? least : std::max(least, long(mpfr_get_exp(size)) - Limits::digits);
}
template <class Float>
void clamp(mpfr_t x) {
  mpfr_t past;
  mpfr_init2(past, precision);
  mpfr_set_ui_2exp(past, 1, std::numeric_limits<Float>::max_exponent, MPFR_RNDN);
  if (mpfr_cmpabs(x, past) > 0) mpfr_setsign(x, past, mpfr_signbit(x), MPFR_RNDN);
  mpfr_clear(past);
}
double in_units(mpfr_t difference, long unit) {
  mpfr_mul_2si(difference, difference, -unit, MPFR_RNDN);
  return std::fabs(mpfr_get_d(difference, MPFR_RNDN));
}

}  // namespace

std::span<const ComplexReference> complex_references() { return table(); }

template <class Float>
ComplexError complex_error(const ComplexReference& f, std::complex<Float> z, std::complex<Float> w,
                           std::complex<Float> got) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  if (std::isnan(got.real()) || std::isnan(got.imag())) return {wrong, wrong};
  mpc_t a, b, exact;
  mpfr_t size, parts[2];
  mpc_init2(a, precision), mpc_init2(b, precision), mpc_init2(exact, precision);
  mpfr_inits2(precision, size, parts[0], parts[1], nullptr);
  mpc_set_d_d(a, z.real(), z.imag(), to_nearest), mpc_set_d_d(b, w.real(), w.imag(), to_nearest);
  double scale = 1;
  // the logarithm's relative error becomes one of |w log z|
  if (f.name == std::string_view("pow")) {
    mpc_log(exact, a, to_nearest);
    mpc_mul(exact, b, exact, to_nearest);
    mpc_abs(size, exact, MPFR_RNDN);
    scale += mpfr_get_d(size, MPFR_RNDN);
  }
  f.exact(exact, a, b);
  mpc_abs(size, exact, MPFR_RNDN);
  const bool overflows = mpfr_get_exp(size) > std::numeric_limits<Float>::max_exponent;
  clamp<Float>(mpc_realref(exact)), clamp<Float>(mpc_imagref(exact));
  mpc_abs(size, exact, MPFR_RNDN);
  ComplexError error;
  const auto part = [&](mpfr_t difference, Float result, mpfr_t part_of_exact) {
    mpfr_set_d(difference, double(result), MPFR_RNDN);
    if (std::isinf(result)) {
      mpfr_set_inf(difference, result > 0 ? 1 : -1);
      clamp<Float>(difference);
    }
    mpfr_sub(difference, difference, part_of_exact, MPFR_RNDN);
    mpfr_t copy;
    mpfr_init2(copy, precision);
    mpfr_set(copy, difference, MPFR_RNDN);
    error.part = std::max(error.part, in_units(copy, unit_exponent<Float>(part_of_exact)) / scale);
    mpfr_clear(copy);
  };
  part(parts[0], got.real(), mpc_realref(exact)), part(parts[1], got.imag(), mpc_imagref(exact));
  mpfr_hypot(parts[0], parts[0], parts[1], MPFR_RNDN);
  if (overflows) {  // the direction of an infinite number is not told
    const std::complex<double> whole(got);
    if (std::isinf(got.real()) || std::isinf(got.imag())) mpfr_set_zero(parts[0], 1);
    else
      mpfr_set_d(
          parts[0],
          std::ldexp(1.0, std::numeric_limits<Float>::max_exponent - 1) - std::abs(whole) / 2,
          MPFR_RNDN);
    mpfr_mul_2ui(parts[0], parts[0], 1, MPFR_RNDN);
    if (mpfr_sgn(parts[0]) < 0) mpfr_set_zero(parts[0], 1);
  }
  error.whole = in_units(parts[0], unit_exponent<Float>(size)) / scale;
  mpc_clear(a), mpc_clear(b), mpc_clear(exact);
  mpfr_clears(size, parts[0], parts[1], nullptr);
  return error;
}
template ComplexError complex_error(const ComplexReference&, std::complex<float>,
                                    std::complex<float>, std::complex<float>);
template ComplexError complex_error(const ComplexReference&, std::complex<double>,
                                    std::complex<double>, std::complex<double>);

template <class Float>
ComplexArguments<Float> complex_arguments(const ComplexReference& f, unsigned count,
                                          unsigned seed) {
  using Limits = std::numeric_limits<Float>;
  const bool is_pow = f.name == std::string_view("pow"), is_exp = f.name == std::string_view("exp"),
             is_log = f.name == std::string_view("log");
  Random random(seed * 77 + unsigned(f.name[0]) + unsigned(f.name[1]));
  constexpr int bottom = Limits::min_exponent - Limits::digits, top = Limits::max_exponent - 1;
  const auto exponent = [&](int low, int high) {
    return low + int(random.next() % unsigned(high - low + 1));
  };
  const auto any = [&](int low, int high) {
    return with_exponent<Float>(random, exponent(low, high));
  };
  const auto number = [&](unsigned kind) -> std::complex<Float> {
    if (!f.whole_range) return {any(-40, 40), any(-40, 40)};
    const int e = exponent(bottom, top);
    switch (kind % 8) {
      case 0: return {any(bottom, top), any(bottom, top)};
      case 1:
        return {any(std::max(e - 2, bottom), std::min(e + 2, top)),
                with_exponent<Float>(random, e)};
      case 2: return {any(-8, 8), any(-8, 8)};
      case 3: {  // near the unit circle
        const double angle = (2 * random.unit() - 1) * std::numbers::pi *
                             (random.next() & 1 ? 1 : std::ldexp(1, exponent(-30, 0)));
        const double off = 1 + (2 * random.unit() - 1) * std::ldexp(1, exponent(-60, -1));
        return {Float(std::cos(angle) * off), Float(std::sin(angle) * off)};
      }
      case 4: return {any(top - 3, top), any(top - 3, top)};
      case 5: return {any(bottom, bottom + 30), any(bottom, bottom + 30)};
      case 6: {
        const Float zero = random.next() & 1 ? Float(0) : Float(-0.0), one = any(bottom, top);
        return random.next() & 1 ? std::complex<Float>(zero, one) : std::complex<Float>(one, zero);
      }
      default: return {any(-30, 30), any(bottom, top)};
    }
  };
  ComplexArguments<Float> all;
  while (all.z.size() < count) {
    const unsigned kind = unsigned(random.next() >> 8);
    std::complex<Float> z = number(is_log && kind & 0x1000 ? 3 : kind), w = number(kind >> 4);
    if (is_exp && kind & 0x1000)
      // e^x is in the range, or beyond
      z.real(Float((2 * random.unit() - 1) * 2.1 * double(Limits::max_exponent)));
    if (is_pow) {  // results in the range: another power scales to any size
      const double size =
          std::abs(std::log(std::complex<double>(std::ldexp(double(z.real()), -40),
                                                 std::ldexp(double(z.imag()), -40)))) +
          40;
      const double wanted = std::ldexp(random.unit() + 0.1, exponent(-20, Limits::digits / 3));
      const double angle = (2 * random.unit() - 1) * std::numbers::pi;
      w = {Float(wanted / size * std::cos(angle)),
           Float(kind & 0x2000 ? wanted / size * std::sin(angle) : 0)};
      if (kind & 0x4000 && std::fabs(w.real()) >= 1) w.real(std::rint(w.real()));
      if (z == std::complex<Float>()) continue;
    }
    if (f.arity == 2 && w == std::complex<Float>()) continue;
    all.z.push_back(z), all.w.push_back(w);
  }
  return all;
}
template ComplexArguments<float> complex_arguments(const ComplexReference&, unsigned, unsigned);
template ComplexArguments<double> complex_arguments(const ComplexReference&, unsigned, unsigned);

}  // namespace krait::accuracy
