// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Native mode keeps subnormal numbers: as operands and results of arithmetic, where it is exact,
// and of functions of f32, where the published bounds hold in units of the last place that
// subnormal numbers have.
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "expect.h"

namespace {

constexpr std::size_t count = 4096;
constexpr float normal = 0x1p-126f, unit = 0x1p-149f;

/// Of both signs: subnormal ones, the smallest first, with every fourth a normal one below 2^-120.
std::vector<float> small_numbers(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> out;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto random_bits = std::uint32_t(random() % (i % 4 == 0 ? 6u << 23 : 1u << 23)),
               bits = i < 64 ? i / 2 : random_bits;
    out.push_back(std::bit_cast<float>(bits | (i % 2) << 31));
  }
  return out;
}
std::vector<float> numbers(unsigned seed, float low, float high) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> in(low, high);
  std::vector<float> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(in(random));
  return out;
}

bool same(float x, float y) {
  return (std::isnan(x) && std::isnan(y)) ||
         std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
}

TEST(Subnormals, MultiplyAndAdd) {
  auto fused = kr::vectorize([](auto x, auto y, auto z) { return kr::fma(x, y, z); });
  auto contracted = kr::vectorize([](auto x, auto y, auto z) { return x * y - z; });
  // What is left of a product, exactly: drivers that make the product twice must not find that it
  // cancels.
  auto rest = kr::vectorize([](auto x, auto y) {
    auto product = x * y;
    return kr::fma(x, y, -product);
  });
  const std::vector<float> small = small_numbers(1), other = small_numbers(2),
                           any = numbers(3, -3, 3), large = numbers(4, -0x1p127f, 0x1p127f),
                           root = numbers(5, -0x1p-62f, 0x1p-62f),
                           root2 = numbers(6, -0x1p-63f, 0x1p-63f);
  const std::vector<float>* const triples[][3] = {{&small, &any, &other},  {&any, &small, &any},
                                                  {&small, &large, &any},  {&large, &small, &small},
                                                  {&root, &root2, &small}, {&root, &root, &root2},
                                                  {&any, &any, &small},    {&any, &any, &any}};
  for (const auto& t : triples) {
    const std::vector<float>&x = *t[0], &y = *t[1], &z = *t[2];
    const std::vector<float> got = fused(x, y, z), less = contracted(x, y, z), left = rest(x, y);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(same(got[i], std::fma(x[i], y[i], z[i])))
          << std::hexfloat << x[i] << " * " << y[i] << " + " << z[i] << ": " << got[i];
      const float product = x[i] * y[i];
      // Not fused where the device's own fma would flush.
      ASSERT_TRUE(same(less[i], std::fma(x[i], y[i], -z[i])) || same(less[i], product - z[i]))
          << std::hexfloat << x[i] << " * " << y[i] << " - " << z[i] << ": " << less[i];
      ASSERT_TRUE(same(left[i], std::fma(x[i], y[i], -product)))
          << std::hexfloat << x[i] << " * " << y[i] << ": " << left[i];
    }
  }
}

TEST(Subnormals, SumsAndProducts) {
  auto sum = kr::vectorize([](auto x, auto y) { return x + y; });
  auto product = kr::vectorize([](auto x, auto y) { return x * y; });
  auto quotient = kr::vectorize([](auto x, auto y) { return x / y; });
  auto root = kr::vectorize([](auto x) { return kr::sqrt(x); });
  const std::vector<float> x = small_numbers(1), y = small_numbers(2), z = numbers(3, 0.25f, 300);
  const std::vector<float> sums = sum(x, y), products = product(x, z), quotients = quotient(x, z),
                           roots = root(x);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_TRUE(same(sums[i], x[i] + y[i]))
        << std::hexfloat << x[i] << " + " << y[i] << ": " << sums[i];
    ASSERT_TRUE(same(products[i], x[i] * z[i]))
        << std::hexfloat << x[i] << " * " << z[i] << ": " << products[i];
    ASSERT_TRUE(same(quotients[i], x[i] / z[i]))
        << std::hexfloat << x[i] << " / " << z[i] << ": " << quotients[i];
    ASSERT_TRUE(same(roots[i], std::sqrt(x[i])))
        << std::hexfloat << "sqrt " << x[i] << ": " << roots[i];
  }
}

/// Holds results to `exact` within `bound` units of the last place.
template <class Exact>
void expect_near(const char* name, const std::vector<float>& got, double bound,
                 const Exact& exact) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double want = exact(i), size = std::fabs(want);
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(got[i])) << name << " of number " << i << ": " << got[i];
      continue;
    }
    const double ulp =
        size < double(normal) ? double(unit) : std::ldexp(1.0, std::ilogb(size) - 23);
    ASSERT_LE(std::fabs(double(got[i]) - want), bound * ulp)
        << std::hexfloat << name << " of number " << i << ": " << got[i] << ", exact " << want;
    ASSERT_EQ(std::signbit(got[i]), std::signbit(want))
        << name << " of number " << i << ": " << got[i];
  }
}

#define EXPECT_OF_SMALL(function, bound, exact)                     \
  {                                                                 \
    auto f = kr::vectorize([](auto x) { return kr::function(x); }); \
    const std::vector<float> x = small_numbers(1), got = f(x);      \
    expect_near(#function, got, bound, [&](std::size_t i) {         \
      [[maybe_unused]] const double v = double(x[i]);               \
      return double(exact);                                         \
    });                                                             \
  }

TEST(Subnormals, ArgumentsOfFunctions) {
  constexpr double pi = 3.14159265358979323846;
  EXPECT_OF_SMALL(sin, 2, std::sin(v))
  EXPECT_OF_SMALL(tan, 3, std::tan(v))
  EXPECT_OF_SMALL(sinpi, 2, pi * v)
  EXPECT_OF_SMALL(tanpi, 3, pi * v)
  EXPECT_OF_SMALL(asin, 3, std::asin(v))
  EXPECT_OF_SMALL(atan, 3, std::atan(v))
  EXPECT_OF_SMALL(sinh, 3, std::sinh(v))
  EXPECT_OF_SMALL(tanh, 3, std::tanh(v))
  EXPECT_OF_SMALL(asinh, 3, std::asinh(v))
  EXPECT_OF_SMALL(atanh, 3, std::atanh(v))
  EXPECT_OF_SMALL(expm1, 3, std::expm1(v))
  EXPECT_OF_SMALL(log1p, 3, std::log1p(v))
  EXPECT_OF_SMALL(erf, 2, std::erf(v))
  EXPECT_OF_SMALL(erfinv, 4, v * std::sqrt(pi) / 2)
  EXPECT_OF_SMALL(cbrt, 2, std::cbrt(v))
  EXPECT_OF_SMALL(cos, 2, 1)
  EXPECT_OF_SMALL(exp, 2, 1)
}
#undef EXPECT_OF_SMALL

TEST(Subnormals, ArgumentsOfLogarithms) {
  std::vector<float> x = small_numbers(1);
  for (float& v : x) v = std::fabs(v) + unit;
  auto log = kr::vectorize([](auto v) { return kr::log(v); });
  auto log2 = kr::vectorize([](auto v) { return kr::log2(v); });
  auto log10 = kr::vectorize([](auto v) { return kr::log10(v); });
  auto rsqrt = kr::vectorize([](auto v) { return kr::rsqrt(v); });
  expect_near("log", log(x), 2, [&](std::size_t i) { return std::log(double(x[i])); });
  expect_near("log2", log2(x), 2, [&](std::size_t i) { return std::log2(double(x[i])); });
  expect_near("log10", log10(x), 2, [&](std::size_t i) { return std::log10(double(x[i])); });
  expect_near("rsqrt", rsqrt(x), 2, [&](std::size_t i) { return 1 / std::sqrt(double(x[i])); });
}

TEST(Subnormals, ResultsOfFunctions) {
  auto exp = kr::vectorize([](auto v) { return kr::exp(v); });
  auto exp2 = kr::vectorize([](auto v) { return kr::exp2(v); });
  auto exp10 = kr::vectorize([](auto v) { return kr::exp10(v); });
  auto erfc = kr::vectorize([](auto v) { return kr::erfc(v); });
  auto pow = kr::vectorize([](auto v, auto w) { return kr::pow(v, w); });
  auto atan2 = kr::vectorize([](auto v, auto w) { return kr::atan2(v, w); });
  auto hypot = kr::vectorize([](auto v, auto w) { return kr::hypot(v, w); });
  auto fmod = kr::vectorize([](auto v, auto w) { return kr::fmod(v, w); });
  auto remainder = kr::vectorize([](auto v, auto w) { return kr::remainder(v, w); });
  const std::vector<float> e = numbers(1, -104, -87), two = numbers(2, -150, -126),
                           ten = numbers(3, -45, -38), tail = numbers(4, 9, 10.1f);
  expect_near("exp", exp(e), 2, [&](std::size_t i) { return std::exp(double(e[i])); });
  expect_near("exp2", exp2(two), 2, [&](std::size_t i) { return std::exp2(double(two[i])); });
  expect_near("exp10", exp10(ten), 2,
              [&](std::size_t i) { return std::pow(10.0, double(ten[i])); });
  expect_near("erfc", erfc(tail), 4, [&](std::size_t i) { return std::erfc(double(tail[i])); });
  const std::vector<float> base = numbers(5, 1.9f, 2.1f), x = small_numbers(6),
                           y = small_numbers(7), divisor = numbers(8, 0.3f, 40);
  expect_near("pow", pow(base, two), 2,
              [&](std::size_t i) { return std::pow(double(base[i]), double(two[i])); });
  expect_near("atan2", atan2(x, divisor), 3,
              [&](std::size_t i) { return std::atan2(double(x[i]), double(divisor[i])); });
  expect_near("atan2", atan2(x, y), 3,
              [&](std::size_t i) { return std::atan2(double(x[i]), double(y[i])); });
  expect_near("hypot", hypot(x, y), 2,
              [&](std::size_t i) { return std::hypot(double(x[i]), double(y[i])); });
  expect_near("fmod", fmod(x, y), 0,
              [&](std::size_t i) { return std::fmod(double(x[i]), double(y[i])); });
  expect_near("fmod", fmod(divisor, y), 0,
              [&](std::size_t i) { return std::fmod(double(divisor[i]), double(y[i])); });
  expect_near("remainder", remainder(x, y), 0,
              [&](std::size_t i) { return std::remainder(double(x[i]), double(y[i])); });
}

}  // namespace
