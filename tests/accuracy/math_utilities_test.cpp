// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions made of others (krait/math_utilities.h): plain values give what <cmath> gives, recorded
// ones the same bits.
#include "krait/math_utilities.h"

#include <bit>
#include <cmath>
#include <limits>

#include "../unit/trace_fixture.h"
#include "passes/passes.h"

namespace {

template <class Float>
std::vector<Float> interesting() {
  using Limits = std::numeric_limits<Float>;
  std::vector<Float> out{0,
                         1,
                         2,
                         Float(0.5),
                         Float(1.5),
                         Float(3.75),
                         10,
                         1000,
                         Float(1e-3),
                         Limits::max(),
                         Limits::min(),
                         Limits::denorm_min(),
                         Limits::min() / 2,
                         Limits::infinity(),
                         Limits::quiet_NaN(),
                         Float(1e30),
                         Float(1e-30),
                         Limits::denorm_min() * 5};
  for (std::size_t i = 0, n = out.size(); i < n; ++i) out.push_back(-out[i]);
  return out;
}

template <class Float>
bool same(Float x, Float y) {
  using Bits = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;
  return (std::isnan(x) && std::isnan(y)) || std::bit_cast<Bits>(x) == std::bit_cast<Bits>(y);
}

template <class Float>
class MathMore : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(MathMore, Floats);

TYPED_TEST(MathMore, agrees_with_cmath_on_plain_values) {
  using Float = TypeParam;
  for (const Float x : interesting<Float>()) {
    EXPECT_EQ(kr::isfinite(x), std::isfinite(x)) << x;
    EXPECT_EQ(kr::isnormal(x), std::isnormal(x)) << x;
    EXPECT_EQ(kr::signbit(x), std::signbit(x)) << x;
    EXPECT_EQ(kr::ilogb(x), std::isnan(x) ? -2147483647 - 1 : std::ilogb(x)) << x;
    EXPECT_TRUE(same(kr::logb(x), std::logb(x))) << x << ": " << kr::logb(x);
    int exponent = 0;
    const Float fraction = std::frexp(x, &exponent);
    const auto parts = kr::frexp(x);
    EXPECT_TRUE(same(parts.fraction, fraction)) << x << ": " << parts.fraction;
    if (std::isfinite(x)) {
      EXPECT_EQ(parts.exponent, exponent) << x;
    }
    Float whole = 0;
    const Float rest = std::modf(x, &whole);
    EXPECT_TRUE(same(kr::modf(x).fraction, rest) && same(kr::modf(x).whole, whole)) << x;
    for (const int n : {0, 1, -1, 23, -24, 100, -100, 149, -149, -160, 277, 300, -300, -1074, 1074,
                        2098, -2200, 100000, -100000})
      EXPECT_TRUE(same(kr::ldexp(x, n), std::ldexp(x, n)))
          << x << " " << n << ": " << kr::ldexp(x, n);
    for (const Float y : interesting<Float>()) {
      EXPECT_TRUE(same(kr::nextafter(x, y), std::nextafter(x, y)))
          << x << " " << y << ": " << kr::nextafter(x, y);
      EXPECT_TRUE(same(kr::fdim(x, y), std::fdim(x, y))) << x << " " << y;
      EXPECT_TRUE(same(kr::minimum(x, y), std::isnan(x) || std::isnan(y) ? x + y : kr::min(x, y)))
          << x << " " << y;
      EXPECT_TRUE(same(kr::maximum(x, y), std::isnan(x) || std::isnan(y) ? x + y : kr::max(x, y)))
          << x << " " << y;
    }
  }
  EXPECT_EQ(kr::powi(Float(1.5), 5), Float(7.59375));
  EXPECT_EQ(kr::powi(Float(2), -3), Float(0.125));
  EXPECT_EQ(kr::powi(Float(3), 0), Float(1));
  EXPECT_NEAR(double(kr::degrees(Float(3.14159265358979))), 180, 1e-4);
  EXPECT_NEAR(double(kr::radians(Float(180))), 3.14159265358979, 1e-6);
  EXPECT_EQ(kr::rcbrt(Float(8)), Float(0.5));
}

/// All functions of x, y and n, stored one after another.
constexpr int results = 19;
template <class X, class N, class Store>
void all(const X& x, const X& y, const N& n, const Store& store) {
  store(0, kr::isfinite(x)), store(1, kr::isnormal(x)), store(2, kr::signbit(x)),
      store(3, kr::ilogb(x)), store(4, kr::logb(x));
  store(5, kr::frexp(x).fraction), store(6, kr::frexp(x).exponent), store(7, kr::modf(x).fraction),
      store(8, kr::modf(x).whole);
  store(9, kr::ldexp(x, n)), store(10, kr::nextafter(x, y)), store(11, kr::fdim(x, y)),
      store(12, kr::minimum(x, y));
  store(13, kr::maximum(x, y)), store(14, kr::powi(x, 7)), store(15, kr::degrees(x)),
      store(16, kr::radians(x));
  const auto both = kr::sincos(x);
  store(17, both.sin), store(18, both.cos);
}

TYPED_TEST(MathMore, gives_the_same_bits_when_recorded) {
  using Float = TypeParam;
  std::vector<Float> x, y;
  std::vector<int> n;
  int count = 0;
  for (const Float a : interesting<Float>())
    for (const Float b :
         {Float(0), Float(-2), Float(1e20), std::numeric_limits<Float>::quiet_NaN()})
      x.push_back(a), y.push_back(b), n.push_back(count++ * 7 - 500);
  std::vector<Float> out(x.size() * results);
  using Input = kr::view<const Float>;
  const auto recorded =
      trace_test::record([&](Input vx, Input vy, kr::view<const int> vn, kr::view<Float> vo) {
        const auto i = kr::grid<1>();
        const auto store = [&](int k, const auto& r) { vo[i * results + k] = kr::cast<Float>(r); };
        all(kr::value<Float>(vx[i]), kr::value<Float>(vy[i]), kr::value<int>(vn[i]), store);
      });
  krait::passes::expand_math(recorded->module, krait::passes::expand_all);
  krait::ir::Launch launch;
  launch.grid[0] = std::int64_t(x.size());
  trace_test::run(*recorded, launch, x, y, n, out);
  for (std::size_t i = 0; i < x.size(); ++i)
    all(x[i], y[i], n[i], [&](int k, const auto& r) {
      const Float given = out[i * results + std::size_t(k)];
      EXPECT_TRUE(same(given, Float(r)))
          << "result " << k << " of " << x[i] << ", " << y[i] << ", " << n[i] << ": " << given
          << " recorded, " << Float(r) << " plain";
    });
}

}  // namespace
