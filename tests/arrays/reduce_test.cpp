// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: sizes around what a block and a chunk take, accuracy, special values, expressions.
// Against NumPy: numpy_cases.
#include <krait/algorithm/reduce.h>

#include <krait/algorithm/compare.h>
#include <krait/algorithm/moments.h>
#include <krait/complex.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "api/expect.h"

using krait::test::expect_usage;

namespace {

/// One launch and several, whole trips and rests, powers of two and neighbours.
TEST(Reduce, OfEverySize) {
  for (const int n :
       {0, 1, 2, 7, 8, 31, 32, 33, 63, 64, 255, 256, 257, 2047, 2049, 65536, 100003, 1000001}) {
    std::vector<int> h(std::size_t(n), 0);
    std::int64_t sum = 0, place = 0;
    for (int i = 0; i < n; ++i) {
      h[std::size_t(i)] = int((std::int64_t(i) * 7919) % 100019) - 50000;
      sum += h[std::size_t(i)];
      if (h[std::size_t(i)] < h[std::size_t(place)]) place = i;
    }
    const kr::array<int> x = kr::to_device(h);
    EXPECT_EQ(kr::sum(x), sum) << n;
    EXPECT_EQ(kr::sum(x.flip()), sum) << n;
    EXPECT_EQ(kr::count_nonzero(x == 0), std::count(h.begin(), h.end(), 0)) << n;
    if (n == 0) continue;
    EXPECT_EQ(kr::argmin(x), place) << n;
    EXPECT_EQ(kr::min(x), h[std::size_t(place)]) << n;
  }
}

/// Elements beside each other are read as vectors where they begin at a multiple of one.
TEST(Reduce, OfPartsThatBeginAnywhere) {
  std::vector<int> h(70000);
  for (std::size_t i = 0; i < h.size(); ++i) h[i] = int(i * 7919 % 1009);
  const kr::array<int> x = kr::to_device(h);
  for (const int begin : {0, 1, 2, 3, 4, 8})
    for (const int count : {1, 3, 4, 31, 2047, 2048, 2051, 16384, 65531}) {
      std::int64_t sum = 0;
      for (int i = begin; i < begin + count; ++i)
        sum += h[std::size_t(i)] * (h[std::size_t(i)] + 2);
      const auto part = x(kr::range(begin, begin + count));
      EXPECT_EQ(kr::sum(part * (part + 2)), sum) << begin << " " << count;
    }
}

/// Few and many results, short and long rows, both ways through memory.
TEST(Reduce, OfEveryShape) {
  for (const auto& [rows, columns] :
       {std::pair{1, 70000}, {3, 20000}, {40, 5000}, {1000, 70}, {30000, 3}, {300, 300}}) {
    std::vector<float> h(std::size_t(rows) * columns);
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = float(i % 17) - 3.0f;
    kr::array<float, 2> x(rows, columns);
    x.copy_from(h);
    std::vector<float> of_rows(std::size_t(rows), 0.0f), of_columns(std::size_t(columns), 0.0f);
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) {
        const float v = h[std::size_t(r) * columns + c];
        of_rows[std::size_t(r)] += v, of_columns[std::size_t(c)] += v;  // exact: small integers
      }
    EXPECT_EQ(std::vector<float>(kr::sum(x, kr::axis(1)).to_host()), of_rows)
        << rows << " " << columns;
    EXPECT_EQ(std::vector<float>(kr::sum(x, kr::axis(0)).to_host()), of_columns)
        << rows << " " << columns;
    EXPECT_EQ(std::vector<float>(kr::sum(x.transpose(), kr::axis(0)).to_host()), of_rows)
        << rows << " " << columns;
  }
}

TEST(Reduce, LongSumsOfFloatsAreExactToABit) {
  constexpr int n = 1000000;
  const float one = 1.0f / 255;
  const double expected = double(one) * n;
  kr::array<float> x(n);
  x.fill(one);
  EXPECT_NEAR(double(kr::sum(x)), expected, expected * 1.2e-7);
  EXPECT_NEAR(double(kr::mean(x)), double(one), double(one) * 1.2e-7);
  const auto columns = kr::sum(x.reshape(n / 4, 4), kr::axis(0)).to_host();
  for (const float c : columns) EXPECT_NEAR(double(c), expected / 4, expected / 4 * 1.2e-7);
  EXPECT_NEAR(double(kr::norm(x)), std::sqrt(double(one) * one * n), 1e-6);
}

TEST(Reduce, OfExpressionsIsOneKernelWithoutAnArray) {
  kr::array<float> x(1000), y(1000);
  x.fill(2), y.fill(3);
  (void)kr::dot(x, y);
  const std::uint64_t before = kr::stats().launches();
  EXPECT_EQ(kr::sum(x * y + 1.0f), 7000.0f);
  EXPECT_EQ(kr::dot(x, y), 6000.0f);
  EXPECT_EQ(kr::stats().launches() - before, 2u);
}

TEST(Reduce, SeveralSumsOfOneCall) {
  for (const std::int64_t n : {0, 1, 7, 1000, 70001}) {
    kr::array<float> x(n), y(n);
    kr::array<int> i(n);
    kr::array<std::int64_t> k(n);
    x = kr::sin(kr::arange<float>(n)), y = kr::cos(kr::arange<float>(n)) * 1e5f;
    i = kr::arange<int>(n), k = kr::arange<std::int64_t>(n) * std::int64_t(3);
    const auto [a, b, c] = kr::sum(x, x * y, y * 2.0f);
    EXPECT_EQ(a, kr::sum(x));
    EXPECT_EQ(b, kr::sum(x * y));
    EXPECT_EQ(c, kr::sum(y * 2.0f));
    const auto [d, e] = kr::sum(i, k);
    EXPECT_EQ(e, 3 * d);
    EXPECT_EQ(d, n * (n - 1) / 2);
    const auto five = kr::sum(i, i + 1, i + 2, i + 3, i + 4);
    for (int t = 0; t < 5; ++t) EXPECT_EQ(five[std::size_t(t)], d + t * n);
  }
  kr::array<double, 2> m({70, 90}), t({90, 70});
  m = kr::arange<double>(6300).reshape(70, 90), t.fill(1);
  const auto inside = m(kr::range(1, 69), kr::range(1, 89));
  const auto [p, q] = kr::sum(inside, inside * 2.0 + m(kr::range(0, 68), kr::range(2, 90)));
  EXPECT_EQ(p, kr::sum(inside));
  EXPECT_EQ(q, kr::sum(inside * 2.0 + m(kr::range(0, 68), kr::range(2, 90))));

  const auto launches = [](auto f) {
    f();
    const std::uint64_t before = kr::stats().launches();
    f();
    return kr::stats().launches() - before;
  };
  kr::array<double> x(1000), one(1);
  x.fill(2), one.fill(3);
  EXPECT_EQ(launches([&] { EXPECT_EQ(kr::sum(x, x * x)[1], 4000.0); }), 1u);
  // Other shapes are not one kernel, and nothing is repeated.
  EXPECT_EQ(launches([&] { EXPECT_EQ(kr::sum(one, x)[0], 3.0); }), 2u);
  const auto [r, s] = kr::sum(m, one);
  EXPECT_EQ(r, kr::sum(m));
  EXPECT_EQ(s, 3.0);
  const auto [u, v] = kr::sum(m, t);
  EXPECT_EQ(u, kr::sum(m));
  EXPECT_EQ(v, 6300.0);
  kr::array<std::complex<float>> z(100);
  z.fill({1, 2});
  EXPECT_EQ(kr::sum(z, z * 2.0f)[1], (std::complex<float>{200, 400}));
  const float infinity = HUGE_VALF;
  kr::array<float> bad(3);
  bad = kr::to_device({1.0f, infinity, 2.0f});
  const auto [w, no] = kr::sum(bad, bad - bad);
  EXPECT_EQ(w, infinity);
  EXPECT_TRUE(std::isnan(no));
}

TEST(Reduce, NanAndInfinity) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              inf = std::numeric_limits<float>::infinity();
  const kr::array<float> x = kr::to_device(std::vector<float>{3, nan, 1, nan}),
                         y = kr::to_device(std::vector<float>{3, inf, 1});
  EXPECT_TRUE(std::isnan(kr::max(x)));
  EXPECT_EQ(kr::argmax(x), 1);
  EXPECT_EQ(kr::argmin(x), 1);
  EXPECT_EQ(kr::sum(y), inf);
  EXPECT_TRUE(std::isnan(kr::sum(x)));
  EXPECT_EQ(kr::argmin(kr::to_device(std::vector<float>{inf, inf})), 0);
  EXPECT_TRUE(std::isnan(kr::mean(kr::array<float>(0))));
}

/// Elements that differ far behind their first digits, from a mean that no float has.
TEST(Reduce, SpreadsOfLargeNumbers) {
  constexpr int n = 300000;
  std::vector<float> h(n);
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i)
    h[std::size_t(i)] = 1e6f + float((i * 37) % 8) / 16, sum += double(h[std::size_t(i)]);
  for (const float v : h) squares += (double(v) - sum / n) * (double(v) - sum / n);
  const kr::array<float> x = kr::to_device(h);
  const double variance = squares / n;
  EXPECT_NEAR(double(kr::variance(x)), variance, variance * 1.2e-7);
  EXPECT_NEAR(double(kr::stddev(x)), std::sqrt(variance), std::sqrt(variance) * 1.2e-7);
  EXPECT_NEAR(double(kr::variance(x, kr::ddof(100000))), squares / (n - 100000),
              squares / (n - 100000) * 1.2e-7);
  const auto columns = kr::variance(x.reshape(n / 8, 8), kr::axis(0)).to_host();
  for (const float c : columns) EXPECT_EQ(c, 0.0f);
  const auto rows = kr::stddev(x.reshape(n / 1000, 1000), kr::axis(1), kr::keepdims);
  EXPECT_EQ(rows.extents(), (kr::shape<2>(n / 1000, 1)));
  EXPECT_NEAR(double(float(rows(0, 0))), std::sqrt(variance), std::sqrt(variance) * 1.2e-7);
  EXPECT_NEAR(kr::variance(kr::arange(1000)), 83333.25, 1e-9);
  EXPECT_EQ(kr::variance(kr::full(10, 7.25f)), 0.0f);
  kr::array<float> far = kr::full(1001, 3.0f);
  far(0) = 1e8f;  // the mean lies far from all
  double deviations = 0;
  const double mean = (1e8 + 3000.0) / 1001;
  deviations = (1e8 - mean) * (1e8 - mean) + 1000 * (3 - mean) * (3 - mean);
  EXPECT_NEAR(double(kr::variance(far)), deviations / 1001, deviations / 1001 * 1.2e-7);
}

/// Of a long row squares are summed about the mean of a part of it, which here is no part like the
/// others, or lies as far from the mean as can be.
TEST(Reduce, SpreadsOfLongRows) {
  constexpr int n = 1 << 18;
  const auto expect = [](const char* what, const auto& element, double most) {
    std::vector<float> h(n + 1000);
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = element(int(i)), sum += double(h[i]);
    const double count = double(h.size()), mean = sum / count;
    for (const float v : h) squares += (double(v) - mean) * (double(v) - mean);
    const kr::array<float> x = kr::to_device(h);
    const double variance = squares / count;
    EXPECT_NEAR(double(kr::variance(x)), variance, variance * most) << what;
    const kr::array<float> kept = kr::stddev(x, kr::axis(0), kr::keepdims, kr::ddof(2));
    EXPECT_NEAR(double(float(kept(0))), std::sqrt(squares / (count - 2)),
                std::sqrt(variance) * most)
        << what;
    EXPECT_NEAR(double(kr::variance(x.flip())), variance, variance * most) << what;
  };
  expect(
      "a ramp far from 0", [](int i) { return 1e6f + float(i % 1000) / 16; }, 1.2e-7);
  expect(
      "an own mean for each part",
      [](int i) { return float(i % 4096 < 64 ? 3 : -1) + float(i * 37 % 101) / 7; }, 4e-7);
  expect(
      "parts of one value", [](int i) { return i % 4096 < 64 ? 1.0f / 3 : 0.0f; }, 2e-5);
  expect(
      "one far value", [](int i) { return i == 7 ? 1e9f : 1.0f; }, 2e-5);
}

TEST(Reduce, SpreadsOfFewOrNone) {
  const kr::array<float> one = kr::to_device(std::vector<float>{3});
  EXPECT_EQ(kr::variance(one), 0.0f);
  EXPECT_TRUE(std::isnan(kr::variance(one, kr::ddof(1))));
  EXPECT_TRUE(std::isnan(kr::variance(kr::array<float>(0))));
  EXPECT_TRUE(std::isinf(kr::variance(kr::to_device(std::vector<float>{3, 4}), kr::ddof(2))));
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isnan(kr::variance(kr::to_device(std::vector<float>{3, inf}))));
  kr::array<kr::f16> h = kr::arange<kr::f16>(0, 1000, 1);
  static_assert(std::is_same_v<decltype(kr::stddev(h)), kr::f16>);
  EXPECT_NEAR(float(kr::stddev(h)), 288.675f, 0.13f);
  EXPECT_EQ(float(kr::mean(h, kr::where(h < kr::f16(10)))), 4.5f);
  EXPECT_TRUE(std::isnan(kr::mean(one, kr::where(one > 5.0f))));
}

TEST(Reduce, AxesInBraces) {
  kr::array<float, 3> x = kr::arange(24.0f).reshape(2, 3, 4);
  EXPECT_TRUE(kr::array_equal(kr::sum(x, {0, 2}), {60.0f, 92.0f, 124.0f}));
  EXPECT_TRUE(kr::array_equal(kr::mean(x * 2.0f, {0, -1}), {15.0f, 23.0f, 31.0f}));
  EXPECT_TRUE(kr::array_equal(kr::max(x, {1, 2}, kr::keepdims).reshape(-1), {11.0f, 23.0f}));
  EXPECT_TRUE(kr::array_equal(kr::sum(x, {0}), kr::sum(x, kr::axis(0))));
}

TEST(Reduce, Options) {
  kr::array<int, 2> x(2, 3);
  x.copy_from(std::vector<int>{1, 2, 3, 4, 5, 6});
  EXPECT_EQ(kr::sum(x, kr::initial(100), kr::where(x > 2)), 118);
  EXPECT_EQ(kr::max(kr::array<int>(0), kr::initial(-7)), -7);
  EXPECT_EQ(kr::max(x, kr::where(x < 3), kr::initial(-7)), 2);
  EXPECT_EQ(kr::argmax(x, kr::where(x < 3)), 1);
  EXPECT_EQ(kr::argmax(x, kr::where(x < 0)), -1);  // none
  EXPECT_EQ(kr::prod(x), 720);
  EXPECT_TRUE(kr::all(x) && kr::any(x > 5) && !kr::any(x > 6));
  const auto rows = kr::max(x, kr::axis(-1), kr::keepdims);
  EXPECT_EQ(rows.extents(), (kr::shape<2>(2, 1)));
  const kr::array<int, 2> below = x - rows;
  EXPECT_EQ(std::vector<int>(below.to_host()), (std::vector<int>{-2, -1, 0, -2, -1, 0}));
  EXPECT_EQ(kr::sum(kr::array<unsigned char>(0)), 0u);
  kr::array<kr::f16> h(5000);
  h.fill(kr::f16(1));
  EXPECT_EQ(float(kr::sum(h)), 5000.0f);
  EXPECT_EQ(kr::sum(kr::array<float, 2>(0, 3), kr::axis(1)).size(), 0);
}

TEST(Reduce, BadInput) {
  kr::array<float, 2> x(2, 3), none(0, 3);
  expect_usage({"zero-size array to reduction operation maximum which has no identity"},
               [&] { kr::max(none); });
  expect_usage({"attempt to get argmin of an empty sequence"},
               [&] { kr::argmin(none, kr::axis(0)); });
  expect_usage({"axis 2 is out of bounds for array of dimension 2"},
               [&] { kr::sum(x, kr::axis(2)); });
  expect_usage({"duplicate value in 'axis'"}, [&] { kr::sum(x, kr::axis(1, -1)); });
  expect_usage(
      {"add: a where mask of shape (4,) does not broadcast to the shape (2,3) of the array that is reduced"},
      [&] { kr::sum(x, kr::where(kr::array<bool>(4))); });
  // A mask does not repeat what is reduced.
  expect_usage(
      {"add: a where mask of shape (2,3) does not broadcast to the shape (1,3) of the array that is reduced"},
      [&] { kr::sum(x(kr::range(0, 1)), kr::where(x > 0.0f)); });
  expect_usage(
      {"reduction operation maximum does not have an identity, so to use a where mask one has to specify kr::initial"},
      [&] { kr::max(x, kr::axis(0), kr::where(x > 0.0f)); });
  expect_usage(
      {"add: the arguments' shapes (2,) and (3,) do not broadcast: from the last dimension on, extents must be equal or 1"},
      [&] { kr::dot(kr::array<float>(2), kr::array<float>(3)); });
}

}  // namespace
