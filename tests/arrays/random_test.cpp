// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of random numbers: bits, ranges, moments, permutations.
#include <krait/algorithm/compare.h>
#include <krait/algorithm/random.h>
#include <krait/algorithm/reduce.h>

#include <algorithm>
#include <limits>
#include <map>

#include "arrays/algorithm_cases.h"

using krait::test::expect_usage;

namespace {

template <class Elem, int Rank>
std::vector<std::remove_const_t<Elem>> host(const kr::array<Elem, Rank>& a) {
  return a.to_host();
}

/// The words of kr::philox, which tests/unit/trace_random.cpp holds to the published ones.
TEST(Random, NumbersAreThoseOfPhilox) {
  for (const std::int64_t n : {0, 1, 3, 4, 5, 1001}) {
    kr::generator random(7);
    random.uniform<float>(n);
    const auto x = host(random.uniform(n, -2.0f, 6.0f));
    const auto i = host(random.integers(n, -3, 1000));
    ASSERT_EQ(x.size(), std::size_t(n));
    for (std::int64_t k = 0; k < n; ++k) {
      EXPECT_EQ(x[std::size_t(k)], -2.0f + kr::philox(7, k / 4, 1).uniform_float(int(k % 4)) * 8.0f) << k;  // exact
      EXPECT_EQ(i[std::size_t(k)], int(kr::philox(7, k / 2, 2).long_below(int(k % 2), 1003)) - 3) << k;
    }
  }
}

template <class Elem>
void expect_same_bits() {
  kr::generator here(11), on_cpu(11, kr::device::cpu());
  const auto expect = [&](const char* what, auto make) {
    const auto x = host(make(here)), y = host(make(on_cpu));
    EXPECT_TRUE(x == y) << what;
  };
  expect("uniform", [](kr::generator& g) { return g.uniform({30, 11}, Elem(-1), Elem(0.3f)); });
  expect("normal", [](kr::generator& g) { return g.normal({30, 11}, Elem(5), Elem(0.1f)); });
  expect("exponential", [](kr::generator& g) { return g.exponential(330, Elem(0.7f)); });
}
TEST(Random, SameBitsEverywhere) {
  expect_same_bits<float>();
  try {
    expect_same_bits<double>();
  } catch (const kr::error& e) {
    if (e.kind() != kr::error::kind_type::compile) throw;  // a device without double
  }
}

TEST(Random, CallsDifferAndShapesDoNot) {
  kr::generator one(1), again(1), other(2);
  const auto x = one.normal<float>(24);
  EXPECT_TRUE(kr::array_equal(x.reshape(2, 3, 4), again.normal<float>({2, 3, 4})));
  EXPECT_FALSE(kr::array_equal(x, one.normal<float>(24)));
  EXPECT_FALSE(kr::array_equal(x, other.normal<float>(24)));
}

/// 40,000 numbers: means lie within 5 of their own deviations.
TEST(Random, Moments) {
  const std::int64_t n = 40000;
  const double root = 200;
  kr::generator random(3);
  const auto expect = [&](const kr::array<float>& x, double mean, double deviation) {
    const auto h = host(x);
    double sum = 0, squares = 0;
    for (const float v : h) sum += v, squares += (v - mean) * (v - mean);
    EXPECT_NEAR(sum / double(n), mean, 5 * deviation / root);
    EXPECT_NEAR(squares / double(n), deviation * deviation, 0.08 * deviation * deviation);
  };
  expect(random.uniform(n, 2.0f, 4.0f), 3, 2 / std::sqrt(12.0));
  expect(random.normal(n, -1.0f, 3.0f), -1, 3);
  const auto e = random.exponential(n, 2.0f);
  expect(e, 2, 2);
  EXPECT_GE(float(kr::min(e)), 0.0f);
  std::vector<int> counts(6);
  for (const int die : host(random.integers(n, 1, 7))) ++counts.at(std::size_t(die - 1));
  for (const int count : counts) EXPECT_NEAR(count, n / 6, 5 * std::sqrt(double(n) * 5 / 36));
}

TEST(Random, IntegersOfEveryRange) {
  kr::generator random(4);
  for (const std::int8_t x : host(random.integers<std::int8_t>(200, -128, 127))) EXPECT_LT(x, 127);
  const auto wide = host(
      random.integers<std::int64_t>(200, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()));
  EXPECT_LT(*std::min_element(wide.begin(), wide.end()), -(std::int64_t(1) << 62));
  EXPECT_GT(*std::max_element(wide.begin(), wide.end()), std::int64_t(1) << 62);
  EXPECT_EQ(host(random.integers(3, 5, 6)), (std::vector<int>{5, 5, 5}));
}

TEST(Random, Permutations) {
  kr::generator random(5);
  for (const std::int64_t n : {0, 1, 2, 100, 3000}) {
    auto p = host(random.permutation(n));
    std::sort(p.begin(), p.end());
    EXPECT_EQ(p, host(kr::arange(n)));
  }
  // All orders of three, each as often as the others.
  std::map<std::vector<std::int64_t>, int> orders;
  for (int i = 0; i < 600; ++i) ++orders[host(random.permutation(3))];
  EXPECT_EQ(orders.size(), 6u);
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, 100, 46);
  // Rows stay whole.
  const auto rows = host(random.permutation(kr::arange(60).reshape(20, 3)));
  std::vector<int> firsts;
  for (std::size_t r = 0; r < 20; ++r) {
    firsts.push_back(int(rows[3 * r]));
    EXPECT_EQ(rows[3 * r + 1], rows[3 * r] + 1);
    EXPECT_EQ(rows[3 * r + 2], rows[3 * r] + 2);
  }
  EXPECT_FALSE(std::is_sorted(firsts.begin(), firsts.end()));
  std::sort(firsts.begin(), firsts.end());
  for (int r = 0; r < 20; ++r) EXPECT_EQ(firsts[std::size_t(r)], 3 * r);
}

TEST(Random, Choices) {
  kr::generator random(6);
  const auto from = kr::arange(10, 30);
  auto once = host(random.choice(from, 20, false));
  std::sort(once.begin(), once.end());
  EXPECT_EQ(once, host(from));
  std::map<int, int> counts;
  for (const auto x : host(random.choice(from, 4000))) ++counts[int(x)];
  EXPECT_EQ(counts.size(), 20u);
  for (const auto& [x, count] : counts) EXPECT_NEAR(count, 200, 70) << x;
  EXPECT_EQ(random.choice(kr::zeros<float>({3, 4}), 7).extent(1), 4);
  EXPECT_EQ(random.choice(kr::zeros<float>(0), 0).size(), 0);
}

TEST(Random, BadInput) {
  kr::generator random(8);
  expect_usage({"integers: low is 3 and high 3: there is no integer from low to below high"}, [&] { random.integers(4, 3, 3); });
  expect_usage({"integers: low is 18446744073709551615 and high 1: there is no"},
               [&] { random.integers<std::uint64_t>(4, ~std::uint64_t(0), 1); });
  expect_usage({"choice: -1 elements cannot be drawn: the number must be 0 or more"}, [&] { random.choice(kr::arange(3), -1); });
  expect_usage({"choice: there is nothing to draw from: the array has no rows"}, [&] { random.choice(kr::zeros<int>(0), 1); });
  expect_usage({"choice: 4 of 3 cannot be drawn once each: draw fewer, or with replacement"},
               [&] { random.choice(kr::arange(3), 4, false); });
  krait::test::expect_library_works();
}

}  // namespace
