// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of complex numbers at special values, on the device of KRAIT_DEVICE: the tables of
// C99's Annex G, all pairs of zeros, subnormal, ordinary, largest and infinite numbers and NaN
// against the C library's long double, and pow's rules, which are NumPy's. Plain values, kernels in
// strict and reproducible mode, and the interpreter give the same bits.
#include <krait/complex.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "expect.h"

namespace {

constexpr double inf = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = 3.14159265358979323846;

template <class Type>
std::vector<Type> parts() {
  using limits = std::numeric_limits<Type>;
  std::vector<Type> all{limits::quiet_NaN(), -limits::quiet_NaN()};
  for (const Type size :
       {Type(0), limits::denorm_min(), limits::min(), Type(1), limits::max(), limits::infinity()})
    for (const Type sign : {Type(1), Type(-1)}) all.push_back(std::copysign(size, sign));
  return all;
}
template <class Type>
std::vector<std::complex<Type>> numbers() {
  std::vector<std::complex<Type>> all;
  for (const Type re : parts<Type>())
    for (const Type im : parts<Type>()) all.push_back({re, im});
  return all;
}
/// All pairs of them.
template <class Type>
void pairs(std::vector<std::complex<Type>>& z, std::vector<std::complex<Type>>& w) {
  for (const auto& a : numbers<Type>())
    for (const auto& b : numbers<Type>()) z.push_back(a), w.push_back(b);
}
/// Of any bits, and of ordinary sizes.
template <class Type>
std::vector<std::complex<Type>> random_numbers(unsigned seed) {
  using bits = std::conditional_t<sizeof(Type) == 4, std::uint32_t, std::uint64_t>;
  std::mt19937_64 random(seed);
  const auto any = [&] {
    const bits some = bits(random());
    Type x;
    std::memcpy(&x, &some, sizeof x);
    return random() % 2 ? x : Type(double(random() % 2000001) / 250000 - 4);
  };
  std::vector<std::complex<Type>> all;
  for (int i = 0; i < 4096; ++i) {
    const Type re = any();
    all.push_back({re, any()});
  }
  return all;
}

bool same_sign(double x, double y) { return std::isnan(x) || std::signbit(x) == std::signbit(y); }
template <class Type>
bool same_bits(Type x, Type y) {
  return (std::isnan(x) && std::isnan(y)) || std::memcmp(&x, &y, sizeof x) == 0;
}
template <class Type>
bool same_bits(std::complex<Type> x, std::complex<Type> y) {
  return same_bits(x.real(), y.real()) && same_bits(x.imag(), y.imag());
}

/// got is `want` rounded, by 6 ULP of the magnitude; NaN, infinities and signs as there. A part
/// that overflows is infinite.
template <class Type>
bool near_to(std::complex<Type> got, std::complex<long double> want) {
  using limits = std::numeric_limits<Type>;
  const auto special = [](Type x, long double y) {
    if (std::isnan(y) || std::isnan(x)) return std::isnan(x) && std::isnan(y);
    return std::isinf(Type(y))
               ? Type(y) == x
               : std::isfinite(x) && (y != 0 || x == 0) &&
                     (x != 0 || std::fabs(y) < limits::min()) && same_sign(double(x), double(y));
  };
  if (!special(got.real(), want.real()) || !special(got.imag(), want.imag())) return false;
  const auto finite = [](long double x) { return std::isfinite(Type(x)) ? x : 0; };
  const std::complex<long double> exact(finite(want.real()), finite(want.imag())),
      have(finite(got.real()), finite(got.imag()));
  const long double unit =
      std::max(std::abs(exact) * limits::epsilon(), static_cast<long double>(limits::denorm_min()));
  return std::abs(have - exact) <= 6 * unit;
}

template <class Type>
class ComplexSpecial : public testing::Test {
 public:
  template <class Lambda, class... Arguments>
  static std::vector<std::complex<Type>> kernel(const Lambda& lambda, kr::fp mode,
                                                const Arguments&... x) {
    return kr::vectorize(lambda, {.fp = mode})(x...);
  }
  template <class Lambda, class... Arguments>
  static std::vector<std::complex<Type>> interpreted(const Lambda& lambda, kr::fp mode,
                                                     const Arguments&... x) {
    const kr::device on = kr::device::find("interpreter");
    const kr::array<std::complex<Type>> result =
        kr::vectorize(lambda, {.fp = mode})(kr::to_device(x, on)...);
    return result.to_host();
  }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(ComplexSpecial, Types);

constexpr auto square_root = [](auto z) { return kr::sqrt(z); };
constexpr auto logarithm = [](auto z) { return kr::log(z); };
constexpr auto exponential = [](auto z) { return kr::exp(z); };
constexpr auto polar = [](auto z) { return kr::polar(z.real(), z.imag()); };
constexpr auto quotient = [](auto z, auto w) { return z / w; };
constexpr auto power = [](auto z, auto w) { return kr::pow(z, w); };

struct row {
  double x, y, re, im;
  bool any_re = false, any_im = false;  // the sign is not told
};
template <class Type, class Lambda>
void expect_rows(const char* name, const Lambda& lambda, const std::vector<row>& rows) {
  using complex = std::complex<Type>;
  std::vector<complex> z;
  for (const row& r : rows)
    // f(conj z) = conj f(z)
    for (const double sign : {1., -1.}) z.push_back({Type(r.x), Type(sign * r.y)});
  const std::vector<complex> got = kr::vectorize(lambda, {.fp = kr::fp::strict})(z);
  const auto part = [](Type have, double want, bool any) {
    if (any) have = std::fabs(have), want = std::fabs(want);
    return std::isnan(want) ? std::isnan(have)
           : std::fabs(want) < 4 && want != 0
               ? std::fabs(have - Type(want)) <= 4 * std::numeric_limits<Type>::epsilon()
               : same_bits(have, Type(want));
  };
  for (std::size_t i = 0; i < z.size(); ++i) {
    const row& r = rows[i / 2];
    const double im = i % 2 ? -r.im : r.im;
    EXPECT_TRUE(part(got[i].real(), r.re, r.any_re) && part(got[i].imag(), im, r.any_im))
        << name << " of " << z[i] << ": " << got[i] << ", not " << r.re << ", " << im;
  }
}

// G.6.4.2, G.6.3.2, G.6.3.1 of C99.
TYPED_TEST(ComplexSpecial, TablesOfAnnexG) {
  expect_rows<TypeParam>("sqrt", square_root,
                         {{0, 0, 0, 0},
                          {-0.0, 0, 0, 0},
                          {1, inf, inf, inf},
                          {-inf, inf, inf, inf},
                          {inf, inf, inf, inf},
                          {nan, inf, inf, inf},
                          {1, nan, nan, nan},
                          {-inf, 1, 0, inf},
                          {-inf, 0, 0, inf},
                          {inf, 1, inf, 0},
                          {inf, 0, inf, 0},
                          {-inf, nan, nan, inf, false, true},
                          {inf, nan, inf, nan},
                          {nan, 1, nan, nan},
                          {nan, 0, nan, nan},
                          {nan, nan, nan, nan},
                          {-4, 0, 0, 2},
                          {4, 0, 2, 0}});
  expect_rows<TypeParam>("log", logarithm,
                         {{-0.0, 0, -inf, pi},
                          {0, 0, -inf, 0},
                          {1, inf, inf, pi / 2},
                          {-1, inf, inf, pi / 2},
                          {1, nan, nan, nan},
                          {-inf, 1, inf, pi},
                          {-inf, 0, inf, pi},
                          {inf, 1, inf, 0},
                          {inf, 0, inf, 0},
                          {-inf, inf, inf, 3 * pi / 4},
                          {inf, inf, inf, pi / 4},
                          {inf, nan, inf, nan},
                          {-inf, nan, inf, nan},
                          {nan, 1, nan, nan},
                          {nan, inf, inf, nan},
                          {nan, nan, nan, nan},
                          {-1, 0, 0, pi},
                          {1, 0, 0, 0}});
  expect_rows<TypeParam>("exp", exponential,
                         {{0, 0, 1, 0},
                          {-0.0, 0, 1, 0},
                          {1, inf, nan, nan},
                          {1, nan, nan, nan},
                          {inf, 0, inf, 0},
                          {-inf, 1, 0, 0},
                          {-inf, 2, -0.0, 0},
                          {inf, 1, inf, inf},
                          {inf, 2, -inf, inf},
                          {-inf, inf, 0, 0, true, true},
                          {inf, inf, inf, nan, true, false},
                          {-inf, nan, 0, 0, true, true},
                          {inf, nan, inf, nan, true, false},
                          {nan, 0, nan, 0},
                          {nan, 1, nan, nan},
                          {nan, nan, nan, nan}});
  // What C++ leaves open where the magnitude is negative or a NaN.
  expect_rows<TypeParam>("polar", polar,
                         {{inf, 0, inf, 0},
                          {0, 0, 0, 0},
                          {-1, 0, -1, -0.0},
                          {nan, 0, nan, 0},
                          {inf, 1, inf, inf},
                          {1, inf, nan, nan},
                          {nan, 1, nan, nan}});
}

TYPED_TEST(ComplexSpecial, AllPairsAsTheCLibrary) {
  using complex = std::complex<TypeParam>;
  using wide = std::complex<long double>;
  const std::vector<complex> z = numbers<TypeParam>();
  const auto compare = [&](const char* name, const auto& lambda, wide (*exact)(wide), auto open) {
    const std::vector<complex> got = TestFixture::kernel(lambda, kr::fp::strict, z);
    for (std::size_t i = 0; i < z.size(); ++i) {
      wide want = exact(wide(z[i]));
      open(z[i], got[i], want);
      EXPECT_TRUE(near_to(got[i], want))
          << name << " of " << z[i] << ": " << got[i] << ", not " << want;
    }
  };
  // Where a sign is not told, it is what the result has.
  compare(
      "sqrt", square_root, [](wide x) { return std::sqrt(x); },
      [](complex x, complex got, wide& want) {
        if (x.real() == -inf && std::isnan(x.imag()))
          want.imag(std::copysign(want.imag(), got.imag()));
      });
  compare(
      "log", logarithm, [](wide x) { return std::log(x); }, [](complex, complex, wide&) {});
  compare(
      "exp", exponential, [](wide x) { return std::exp(x); },
      [](complex x, complex got, wide& want) {
        if (!std::isinf(x.real()) || std::isfinite(x.imag())) return;
        want.real(std::copysign(want.real(), got.real()));
        if (x.real() < 0) want.imag(std::copysign(want.imag(), got.imag()));
      });
}

// G.5.1: an infinite operand is one with an infinite part, whatever the other one is.
TYPED_TEST(ComplexSpecial, Quotients) {
  using complex = std::complex<TypeParam>;
  using wide = std::complex<long double>;
  std::vector<complex> z, w;
  pairs(z, w);
  const std::vector<complex> got = TestFixture::kernel(quotient, kr::fp::strict, z, w);
  const auto infinite = [](const auto& x) { return std::isinf(x.real()) || std::isinf(x.imag()); };
  const auto finite = [](const auto& x) {
    return std::isfinite(x.real()) && std::isfinite(x.imag());
  };
  int differ = 0;
  for (std::size_t i = 0; i < z.size() && differ < 20; ++i) {
    bool right;
    wide want;
    if (finite(z[i]) && finite(w[i]) && w[i] != complex()) {
      want = wide(z[i]) / wide(w[i]);
      right = std::isnan(got[i].real()) || std::isnan(got[i].imag())
                  ? false
                  : near_to(complex(std::fabs(got[i].real()), std::fabs(got[i].imag())),
                            wide(std::fabs(want.real()), std::fabs(want.imag())));
      for (const auto& [x, y] :
           {std::pair(got[i].real(), want.real()), std::pair(got[i].imag(), want.imag())})
        right = right && (x == 0 || same_sign(double(x), double(y)));
    } else if (infinite(z[i]) && finite(w[i])) {
      right = infinite(got[i]);
    } else if (finite(z[i]) && infinite(w[i])) {
      right = got[i] == complex();
    } else if (finite(z[i]) && z[i] != complex() && w[i] == complex()) {
      right = infinite(got[i]);
    } else {
      right = std::isnan(got[i].real()) || std::isnan(got[i].imag());  // 0 / 0, inf / inf, and NaN
    }
    EXPECT_TRUE(right) << z[i] << " / " << w[i] << ": " << got[i] << ", not " << want;
    differ += !right;
  }
  // Signs and directions, and what quotients of real numbers give exactly.
  const TypeParam m = std::numeric_limits<TypeParam>::max();
  const std::vector<complex> above{{1, 1},
                                   {1, 1},
                                   {TypeParam(inf), 1},
                                   {-1, TypeParam(-inf)},
                                   {-m, m},
                                   {m, m},
                                   {1, 1},
                                   {2, 6},
                                   {2, 6},
                                   {3, -7},
                                   {0, 0}},
      below{{0, 0},
            {TypeParam(inf), TypeParam(nan)},
            {1, 1},
            {2, 0},
            {3, 4},
            {m, m},
            {m, m},
            {TypeParam(0.1), 0},
            {0, TypeParam(0.1)},
            {3, -7},
            {3, 4}};
  const std::vector<complex> some = TestFixture::kernel(quotient, kr::fp::strict, above, below);
  const TypeParam tenth = TypeParam(0.1);
  const std::vector<complex> expected{{TypeParam(inf), TypeParam(inf)},
                                      {0, 0},
                                      {TypeParam(inf), TypeParam(-inf)},
                                      {TypeParam(-0.5), TypeParam(-inf)},
                                      {m / 25, m / 25 * 7},
                                      {1, 0},
                                      {1 / m, 0},
                                      {2 / tenth, 6 / tenth},
                                      {6 / tenth, -2 / tenth},
                                      {1, 0},
                                      {0, 0}};
  for (std::size_t i = 0; i < above.size(); ++i)
    EXPECT_TRUE(i == 4 ? near_to(some[i], wide(expected[i])) : some[i] == expected[i])
        << above[i] << " / " << below[i] << ": " << some[i];
}

// NumPy's: z^0 is 1, 0^w is 0 or NaN. Else exp(w log z), where a real power scales infinite
// logarithms too.
TYPED_TEST(ComplexSpecial, Powers) {
  using complex = std::complex<TypeParam>;
  std::vector<complex> z, w;
  pairs(z, w);
  const std::vector<complex> got = TestFixture::kernel(power, kr::fp::strict, z, w);
  for (std::size_t i = 0; i < z.size(); ++i) {
    if (w[i] == complex()) {
      EXPECT_TRUE(same_bits(got[i], complex(1, 0))) << z[i] << " to " << w[i] << ": " << got[i];
    } else if (z[i] == complex()) {
      const TypeParam want = w[i].real() > 0 ? 0 : TypeParam(nan);
      EXPECT_TRUE(same_bits(got[i], complex(want, want)))
          << z[i] << " to " << w[i] << ": " << got[i];
    } else if ((std::isnan(std::abs(z[i])) && w[i] != complex()) ||
               std::isnan(w[i].real() + w[i].imag())) {
      EXPECT_TRUE(std::isnan(got[i].real()) || std::isnan(got[i].imag()))
          << z[i] << " to " << w[i] << ": " << got[i];
    }
  }
  const struct {
    double x, y, u, v, re, im;
  } rows[] = {{inf, 0, 2, 0, inf, 0},     {inf, 0, -1, 0, 0, -0.0}, {-inf, 0, -2, 0, 0, 0},
              {1, inf, 0.5, 0, inf, inf}, {2, 0, inf, 0, inf, nan}, {2, 0, -inf, 0, 0, -0.0},
              {0.5, 0, inf, 0, 0, 0},     {nan, nan, 0, 0, 1, 0},   {2, 0, 10, 0, 1024, 0},
              {0, 1, 1, 0, 0, 1},         {0, 2, 2, 0, -4, 0}};
  for (const auto& r : rows) {
    const complex one = TestFixture::kernel(
        power, kr::fp::strict, std::vector<complex>{complex(TypeParam(r.x), TypeParam(r.y))},
        std::vector<complex>{complex(TypeParam(r.u), TypeParam(r.v))})[0];
    const complex want{TypeParam(r.re), TypeParam(r.im)};
    const bool special = !std::isfinite(r.re) || r.re == 0;
    if (special && r.x != 0)
      EXPECT_TRUE(one == want || same_bits(one, want))
          << r.x << ", " << r.y << " to " << r.u << ": " << one;
    else
      EXPECT_LE(std::abs(one - want),
                16 * std::abs(want) * std::numeric_limits<TypeParam>::epsilon())
          << r.x << ", " << r.y << " to " << r.u << ": " << one;
  }
  // A number as the power, or as the base.
  const auto by_number = kr::vectorize([](auto a, auto b) { return kr::pow(a, b); });
  EXPECT_EQ(by_number(std::vector<complex>{{0, 0}}, std::vector<TypeParam>{0})[0], complex(1, 0));
  EXPECT_EQ(kr::pow(complex(), 0), complex(1, 0));
  EXPECT_EQ(kr::pow(TypeParam(0), complex()), complex(1, 0));
  EXPECT_EQ(kr::pow(complex(), 2.0), complex(0, 0));
  EXPECT_TRUE(std::isnan(kr::pow(complex(), -1).real()));
}

TYPED_TEST(ComplexSpecial, PlainValuesAndEveryModeGiveTheSameBits) {
  using complex = std::complex<TypeParam>;
  std::vector<complex> z, w;
  pairs(z, w);
  for (const complex& x : random_numbers<TypeParam>(1)) z.push_back(x);
  for (const complex& x : random_numbers<TypeParam>(2)) w.push_back(x);
  const auto each = [&](const char* name, const auto& lambda, const auto& plain) {
    for (const kr::fp mode : {kr::fp::strict, kr::fp::reproducible}) {
      const std::vector<complex> got = TestFixture::kernel(lambda, mode, z, w);
      int differ = 0;
      for (std::size_t i = 0; i < z.size() && differ < 5; ++i) {
        const complex want = plain(z[i], w[i]);
        EXPECT_TRUE(same_bits(got[i], want))
            << name << " of " << z[i] << ", " << w[i] << ": " << got[i] << ", on the host " << want;
        differ += !same_bits(got[i], want);
      }
    }
  };
  const auto one = [&](const char* name, const auto& lambda) {
    each(
        name, [lambda](auto x, auto) { return lambda(x); },
        [lambda](complex x, complex) { return lambda(x); });
  };
  one("sqrt", square_root), one("log", logarithm), one("exp", exponential), one("polar", polar);
  each("pow", power, power);
  each("/", quotient, [](complex x, complex y) {
    const auto q =
        kr::detail::complex_quotient_parts<TypeParam>(x.real(), x.imag(), y.real(), y.imag());
    return complex(q.re, q.im);
  });
}

// Products are contracted in reproducible mode; the interpreter says how.
TYPED_TEST(ComplexSpecial, TheInterpreterGivesTheSameBits) {
  using complex = std::complex<TypeParam>;
  const std::vector<complex> z = numbers<TypeParam>(), all = random_numbers<TypeParam>(3),
                             others = random_numbers<TypeParam>(4);
  const auto lambda = [](auto x, auto y) {
    return kr::sqrt(x * y) + kr::log(y) * kr::exp(x / y) - kr::pow(x, y) +
           kr::norm(x) * kr::abs(y) + kr::arg(x);
  };
  for (const auto& [x, y] :
       {std::pair(z, std::vector<complex>(z.rbegin(), z.rend())), std::pair(all, others)}) {
    const std::vector<complex> got = TestFixture::kernel(lambda, kr::fp::reproducible, x, y);
    const std::vector<complex> want = TestFixture::interpreted(lambda, kr::fp::reproducible, x, y);
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_TRUE(same_bits(got[i], want[i]))
          << x[i] << ", " << y[i] << ": " << got[i] << ", interpreted " << want[i];
  }
}

}  // namespace
