// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of random numbers: bits, ranges, moments, permutations.
#include <krait/algorithm/compare.h>
#include <krait/algorithm/linalg.h>
#include <krait/algorithm/matmul.h>
#include <krait/algorithm/moments.h>
#include <krait/algorithm/random.h>
#include <krait/algorithm/reduce.h>

#include <algorithm>
#include <cmath>
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
      // exact
      EXPECT_EQ(x[std::size_t(k)], -2.0f + kr::philox(7, k / 4, 1).uniform_float(int(k % 4)) * 8.0f)
          << k;
      EXPECT_EQ(i[std::size_t(k)], int(kr::philox(7, k / 2, 2).long_below(int(k % 2), 1003)) - 3)
          << k;
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
  expect("gamma", [](kr::generator& g) { return g.gamma({30, 11}, Elem(0.7f)); });
  expect("beta", [](kr::generator& g) { return g.beta(330, Elem(0.7f), Elem(3)); });
}
TEST(Random, SameBitsEverywhere) {
  expect_same_bits<float>();
  try {
    expect_same_bits<double>();
  } catch (const kr::error& e) {
    if (e.kind() != kr::error::kind_type::compile) throw;  // a device without double
  }
}

/// Sizes around a draw's numbers, a warp, a block and 2^16, also by the interpreter.
TEST(Random, SameBitsOfAnySize) {
  for (const char* id : {"", "interpreter"}) {
    const kr::device on = *id ? kr::device::find(id) : kr::device();
    for (const std::int64_t n : {0, 1, 2, 3, 5, 31, 33, 255, 257, 4097, 65535, 65537}) {
      if (*id && n > 5000) continue;  // it takes its time
      kr::generator here(std::uint64_t(77 + n), on),
          on_cpu(std::uint64_t(77 + n), kr::device::cpu());
      const auto same = [&](const char* what, auto make) {
        const auto x = make(here), y = make(on_cpu);
        EXPECT_EQ(x.size(), n) << what;
        EXPECT_TRUE(host(x) == host(y)) << what << " of " << n << " on " << on.id();
      };
      same("uniform", [&](kr::generator& g) { return g.uniform(n, 0.0f, 3.0f); });
      same("normal", [&](kr::generator& g) { return g.normal(n, 0.0f, 3.0f); });
      same("exponential", [&](kr::generator& g) { return g.exponential(n, 3.0f); });
      same("integers", [&](kr::generator& g) { return g.integers(n, -5, 1000003); });
      same("bytes", [&](kr::generator& g) { return g.integers<std::uint8_t>(n, 0, 255); });
      same("permutation", [&](kr::generator& g) { return g.permutation(n); });
      const auto choose = [&](bool replace) {
        return [&, replace](kr::generator& g) {
          return g.choice(kr::arange<int>(0, int(n), 1).copy(&g == &here ? on : kr::device::cpu()),
                          n, replace);
        };
      };
      same("choice", choose(true));
      same("choice once", choose(false));
    }
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

/// The sum of squared distances from what each count should be; of `bins` - 1 degrees, whose mean
/// and deviation it is held to.
void expect_even(const std::vector<double>& counts, double all, const char* what) {
  const double each = all / double(counts.size()), degrees = double(counts.size()) - 1;
  double squares = 0;
  for (const double count : counts) squares += (count - each) * (count - each) / each;
  EXPECT_NEAR(squares, degrees, 5 * std::sqrt(2 * degrees)) << what;
}
/// Numbers that a law's distribution function makes even.
void expect_even(const std::vector<double>& u, const char* what) {
  std::vector<double> counts(128), pairs(64);
  double turned = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    ++counts[std::min<std::size_t>(127, std::size_t(u[i] * 128))];
    if (i % 2 == 1)
      ++pairs[std::min<std::size_t>(7, std::size_t(u[i - 1] * 8)) * 8 +
              std::min<std::size_t>(7, std::size_t(u[i] * 8))];
    if (i >= 4) turned += (u[i] - 0.5) * (u[i - 4] - 0.5);
  }
  expect_even(counts, double(u.size()), what);
  expect_even(pairs, double(u.size() / 2), what);
  // Numbers of neighbouring draws do not hang together.
  EXPECT_LE(std::abs(turned), 5 * std::sqrt(double(u.size())) / 12) << what;
  // Kolmogorov and Smirnov's distance.
  std::vector<double> sorted = u;
  std::sort(sorted.begin(), sorted.end());
  double most = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    most = std::max({most, std::abs(sorted[i] - double(i) / double(u.size())),
                     std::abs(sorted[i] - double(i + 1) / double(u.size()))});
  EXPECT_LE(most, 2.2 / std::sqrt(double(u.size()))) << what;
}
TEST(Random, Distributions) {
  const std::int64_t n = 100001;
  kr::generator random(12);
  const auto as = [](const auto& h, const auto& function) {
    std::vector<double> u;
    for (const auto x : h) u.push_back(function(double(x)));
    return u;
  };
  const auto normal = [](double x) { return 0.5 * std::erfc(-(x - 2) / 3 / std::sqrt(2.0)); };
  const auto exponential = [](double x) { return -std::expm1(-x / 0.25); };
  expect_even(as(host(random.uniform(n, -1.0f, 3.0f)), [](double x) { return (x + 1) / 4; }),
              "uniform f32");
  const auto x = host(random.normal(n, 2.0f, 3.0f));
  expect_even(as(x, normal), "normal f32");
  double third = 0, fourth = 0;
  for (const double v : x) third += std::pow((v - 2) / 3, 3), fourth += std::pow((v - 2) / 3, 4);
  EXPECT_NEAR(third / double(n), 0, 5 * std::sqrt(15.0 / double(n)));
  EXPECT_NEAR(fourth / double(n), 3, 5 * std::sqrt(96.0 / double(n)));
  expect_even(as(host(random.exponential(n, 0.25f)), exponential), "exponential f32");
  expect_even(
      as(host(random.integers<std::int64_t>(n, -7, 121)), [](double v) { return (v + 7.5) / 128; }),
      "integers");
  // Three quarters of all numbers: a remainder would give the first quarter twice as often.
  const double parts = 3 * 0x1p62;
  expect_even(as(host(random.integers<std::uint64_t>(n, 0, std::uint64_t(3) << 62)),
                 [=](double v) { return v / parts; }),
              "integers of a large range");
  try {
    expect_even(as(host(random.uniform<double>(n)), [](double v) { return v; }), "uniform f64");
    expect_even(as(host(random.normal(n, 2.0, 3.0)), normal), "normal f64");
    expect_even(as(host(random.exponential(n, 0.25)), exponential), "exponential f64");
  } catch (const kr::error& e) {
    if (e.kind() != kr::error::kind_type::compile) throw;  // a device without double
  }
  // Each bit of words is set in half of them.
  std::vector<double> set(64);
  for (const std::uint64_t w : host(random.integers<std::uint64_t>(n, 0, ~std::uint64_t(0))))
    for (int b = 0; b < 64; ++b) set[std::size_t(b)] += double(w >> b & 1);
  for (int b = 0; b < 64; ++b)
    EXPECT_NEAR(set[std::size_t(b)], double(n) / 2, 5 * std::sqrt(double(n)) / 2) << b;
}
/// Mean and variance, within five standard errors of what a law has.
template <class Elem>
void expect_moments(const char* law, const kr::array<Elem>& x, double mean, double variance) {
  const double n = double(x.size()), spread = std::sqrt(variance / n);
  EXPECT_NEAR(double(kr::mean(x)), mean, 5 * spread + 1e-6 * mean) << law;
  // The fourth moment of these laws is below 10 variances squared.
  EXPECT_NEAR(double(kr::variance(x)), variance, 5 * 3 * variance / std::sqrt(n) + 1e-9) << law;
}
TEST(Random, LawsByRejection) {
  kr::generator random(3);
  const int n = 40000;
  for (const float k : {0.4f, 1.0f, 4.5f})
    expect_moments("gamma", random.gamma(n, k, 2.0f), 2 * k, 4 * k);
  expect_moments("beta", random.beta(n, 2.0f, 5.0f), 2.0 / 7, 10.0 / 392);
  try {
    expect_moments("gamma", random.gamma(n, 2.5), 2.5, 2.5);
    for (const double mean : {0.0, 0.5, 9.0, 25.0, 1e5})
      expect_moments("poisson", random.poisson(n, mean), mean, mean);
    for (const auto& [trials, p] : std::map<int, double>{{0, 0.3}, {5, 1.0}, {40, 0.1}, {900, 0.9}})
      expect_moments("binomial", random.binomial(n, trials, p), trials * p, trials * p * (1 - p));
    const auto counts = random.multinomial(n, 20, {0.2, 0.3, 0.5});
    expect_moments("multinomial", counts(kr::all, 1).copy(), 6, 4.2);
    EXPECT_TRUE(kr::all(kr::sum(counts, kr::axis(1)) == 20));
    const auto covariances = kr::to_device({2.0, 0.5, 0.5, 1.0}).reshape(2, 2);
    const auto vectors = random.multivariate_normal(kr::to_device({1.0, -1.0}), covariances, n);
    expect_moments("normal", kr::array<double>(vectors(kr::all, 1) + 2.0), 1, 1);
    EXPECT_NEAR(kr::mean((vectors(kr::all, 0) - 1.0) * (vectors(kr::all, 1) + 1.0)), 0.5, 0.05);
  } catch (const kr::error& e) {
    if (e.kind() != kr::error::kind_type::compile) throw;  // a device without double
  }
  expect_usage({"gamma: the shape is 0: it must be above 0"}, [&] { random.gamma(1, 0.0f); });
  expect_usage({"binomial: a probability is 1.5: it must be from 0 to 1"},
               [&] { random.binomial(1, 2, 1.5); });
  expect_usage({"binomial: the number of trials is -1: it must be 0 or more"},
               [&] { random.binomial(1, -1, 0.5); });
}

TEST(Random, EndsOfRanges) {
  kr::generator random(13);
  const auto u = host(random.uniform<float>(200000));
  EXPECT_GE(*std::min_element(u.begin(), u.end()), 0.0f);
  EXPECT_LT(*std::max_element(u.begin(), u.end()), 1.0f);
  // -log(2^-24)
  for (const float e : host(random.exponential<float>(200000))) ASSERT_TRUE(e >= 0 && e < 17);
  for (const float x : host(random.normal<float>(200000))) ASSERT_LE(std::abs(x), 5.8f);
  // Laws of one number.
  for (const float x : host(random.uniform(5, 2.5f, 2.5f))) EXPECT_EQ(x, 2.5f);
  for (const float x : host(random.normal(5, 2.5f, 0.0f))) EXPECT_EQ(x, 2.5f);
  for (const float x : host(random.exponential(5, 0.0f))) EXPECT_EQ(x, 0.0f);
  // NumPy's, too
  for (const float x : host(random.uniform(500, 3.0f, -1.0f))) ASSERT_TRUE(x <= 3.0f && x > -1.0f);
}

TEST(Random, IntegersOfEveryRange) {
  kr::generator random(4);
  for (const std::int8_t x : host(random.integers<std::int8_t>(200, -128, 127))) EXPECT_LT(x, 127);
  const auto wide = host(random.integers<std::int64_t>(
      200, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()));
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
  // More than one form of sorting, of an odd size: each once, few in their place, and places that
  // do not hang together.
  const std::int64_t many = 65539;
  const auto places = host(random.permutation(many));
  std::vector<bool> seen(static_cast<std::size_t>(many));
  double fixed = 0, together = 0;
  for (std::int64_t i = 0; i < many; ++i) {
    const std::int64_t at = places[std::size_t(i)];
    ASSERT_TRUE(at >= 0 && at < many && !seen[std::size_t(at)]);
    seen[std::size_t(at)] = true;
    fixed += at == i,
        together += (double(i) / double(many) - 0.5) * (double(at) / double(many) - 0.5);
  }
  EXPECT_LT(fixed, 12);
  EXPECT_LE(std::abs(together), 5 * std::sqrt(double(many)) / 12);
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
  // Of seven two each time: no pair is preferred, and none has an element twice.
  std::vector<double> pairs(42);
  for (int i = 0; i < 1200; ++i) {
    const auto two = host(random.choice(kr::arange(7), 2, false));
    ASSERT_NE(two[0], two[1]);
    ++pairs[std::size_t(two[0] * 6 + two[1] - (two[1] > two[0]))];
  }
  expect_even(pairs, 1200, "pairs");
  // Rows of a view that goes backwards, and more of them than there are.
  const auto rows = kr::arange(12).reshape(4, 3).flip(0);
  const auto drawn = host(random.choice(rows, 100));
  for (std::size_t r = 0; r < 100; ++r)
    EXPECT_TRUE(drawn[3 * r] % 3 == 0 && drawn[3 * r + 2] == drawn[3 * r] + 2);
  EXPECT_EQ(random.choice(kr::zeros<float>({3, 4}), 7).extent(1), 4);
  EXPECT_EQ(random.choice(kr::zeros<float>(0), 0).size(), 0);
}

TEST(Random, ChoicesWithProbabilities) {
  kr::generator random(6);
  const std::vector<double> chances{0.5, 0.0, 0.3, 0.2};
  std::map<int, int> counts;
  for (const auto x : host(random.choice({7, 8, 9, 10}, 4000, true, chances))) ++counts[int(x)];
  EXPECT_EQ(counts.size(), 3u);
  EXPECT_NEAR(counts[7], 2000, 150);
  EXPECT_NEAR(counts[9], 1200, 150);
  // Each once: the likelier of two comes first more often, and what is impossible never.
  int first = 0;
  for (int i = 0; i < 400; ++i) {
    const auto two = host(random.choice(kr::arange(3), 2, false, {0.8, 0.2, 0.0}));
    ASSERT_EQ(two[0] + two[1], 1);
    first += two[0] == 0;
  }
  EXPECT_NEAR(first, 320, 40);
  const auto row = random.choice(kr::eye<float>(4) * 2.0f, 3, true, kr::to_device({0, 0, 0, 1}));
  EXPECT_EQ(host(row(2).copy()), (std::vector<float>{0, 0, 0, 2}));
  expect_usage({"choice: 2 probabilities of 3 elements"}, [&] {
    random.choice(kr::arange(3), 2, true, {0.5, 0.5});
  });
  expect_usage({"choice: probabilities do not sum to 1, but to 0.75"}, [&] {
    random.choice(kr::arange(2), 2, true, {0.5, 0.25});
  });
  expect_usage({"choice: fewer probabilities above 0 than elements to draw: 1 of 2"}, [&] {
    random.choice(kr::arange(2), 2, false, {1.0, 0.0});
  });
  // One law, in both orders of arguments.
  const std::vector<float> parts{0.25f, 0.75f};
  EXPECT_EQ(host(kr::generator(3).multinomial(50, 20, parts).reshape(-1).copy()),
            host(kr::generator(3).multinomial(20, {0.25, 0.75}, 50).reshape(-1).copy()));
}

TEST(Random, BadInput) {
  kr::generator random(8);
  expect_usage({"integers: low is 3 and high 3: there is no integer from low to below high"},
               [&] { random.integers(4, 3, 3); });
  expect_usage({"integers: low is 18446744073709551615 and high 1: there is no"},
               [&] { random.integers<std::uint64_t>(4, ~std::uint64_t(0), 1); });
  expect_usage({"choice: -1 elements cannot be drawn: the number must be 0 or more"},
               [&] { random.choice(kr::arange(3), -1); });
  expect_usage({"choice: there is nothing to draw from: the array has no rows"},
               [&] { random.choice(kr::zeros<int>(0), 1); });
  expect_usage({"choice: 4 of 3 cannot be drawn once each: draw fewer, or with replacement"},
               [&] { random.choice(kr::arange(3), 4, false); });
  expect_usage(
      {"uniform: low is -1.7014118346046923e+38 and high 1.7014118346046923e+38: their distance must be a finite number"},
      [&] { random.uniform(4, -0x1p127f, 0x1p127f); });
  expect_usage({"uniform: low is 0 and high nan: their distance must be a finite number"},
               [&] { random.uniform(4, 0.0f, std::numeric_limits<float>::quiet_NaN()); });
  expect_usage({"normal: the deviation is -1: it must be 0 or more"},
               [&] { random.normal(4, 0.0f, -1.0f); });
  expect_usage({"normal: the deviation is nan: it must be 0 or more"},
               [&] { random.normal(4, 0.0f, std::numeric_limits<float>::quiet_NaN()); });
  expect_usage({"exponential: the scale is -2: it must be 0 or more"},
               [&] { random.exponential(4, -2.0f); });
  expect_usage({"permutation: of 4294967296 elements: at most 2^32 - 1 are possible"},
               [&] { random.permutation(std::int64_t(1) << 32); });
  // A call that is refused draws nothing: the next one is the first.
  EXPECT_TRUE(host(random.uniform<float>(9)) == host(kr::generator(8).uniform<float>(9)));
  krait::test::expect_library_works();
}

TEST(Random, ShapesAndContainers) {
  kr::generator random(3);
  const auto data = kr::to_device({1.0, 2.0});
  const auto drawn = random.choice(data, {20, 8});
  EXPECT_EQ(drawn.extents(), kr::shape<2>(20, 8));
  const auto covariances = kr::eye<double>(2);
  const std::vector<double> means{100, 200};
  const auto first = random.multivariate_normal(means, covariances, 50),
             second = random.multivariate_normal({100.0, 200.0}, covariances, 50);
  EXPECT_NEAR(double(kr::mean(first)), 150, 2);
  EXPECT_NEAR(double(kr::mean(second)), 150, 2);
}

}  // namespace
