// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kr::function: called in kernels, element-wise functions and other functions, on the device that
// the environment names.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "expect.h"

using krait::test::expect_usage;

namespace {

std::vector<float> numbers(std::size_t n) {
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = float(int(i % 37) - 18) * 0.25f;
  return x;
}

/// x^n by squaring: a loop with a trip count of its own for each element.
const auto power = kr::function(
    [](kr::value<float> x, kr::value<int> n) {
      kr::var result = 1.0f;
      kr::var square = x;
      kr::var rest = n;
      kr::while_([&] { return rest > 0; },
                 [&] {
                   kr::if_((rest & 1) != 0, [&] { result *= square; });
                   square *= square;
                   rest /= 2;
                 });
      return result;
    },
    {.name = "power"});

float host_power(float x, int n) {
  float result = 1, square = x;
  for (; n > 0; n /= 2, square *= square)
    if (n & 1) result *= square;
  return result;
}

TEST(Function, ManyElementsEachWithItsOwnTrips) {
  const auto k = kr::kernel(
      [](kr::view<const float> x, kr::view<float> y) {
        for (auto i : kr::grid_stride(y.size()))
          y[i] = power(x[i], kr::cast<int>(i % 9)) + power(x[i], 2);
      },
      {.fp = kr::fp::strict});
  const std::vector<float> x = numbers(1003);
  std::vector<float> y(x.size());
  k.forall(std::int64_t(x.size()))(x, y);
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(y[i], host_power(x[i], int(i % 9)) + host_power(x[i], 2)) << i;
}

TEST(Function, OneFunctionInTheCode) {
  const auto k = kr::kernel([](kr::view<float> y) {
    for (auto i : kr::grid_stride(y.size()))
      y[i] = power(y[i], 3) * power(y[i], 5) - power(y[i] + 1, 7);
  });
  std::vector<float> y(16, 1.0f);
  k.launch({1, 16}, y);
  const std::string text = k.ir().c_str();
  EXPECT_EQ(text.find("func @power"), text.rfind("func @power"));
  EXPECT_NE(text.find("func @power"), text.npos);
}

TEST(Function, VariablesTuplesAndViews) {
  const auto divide = kr::function([](auto x, auto y) { return std::tuple(x / y, x % y); });
  const auto collatz = kr::function([](kr::var<std::int64_t>& n, kr::var<int>& steps) {
    kr::while_([&] { return n > 1; },
               [&] {
                 kr::if_(n % 2 == 0, [&] { n = n / 2; }).else_([&] { n = 3 * n + 1; });
                 steps += 1;
                 kr::if_(steps >= 1000, [] { kr::return_(); });
               });
  });
  const auto put = kr::function([](kr::view<int> to, auto i, auto x) {
    kr::if_(x == 7, [] { kr::return_(); });
    to[i] = x;
  });
  const auto k = kr::kernel([&](kr::view<int> a, kr::view<int> b) {
    for (auto i : kr::grid_stride(a.size())) {
      kr::var n = i + 1;
      kr::var steps = 0;
      collatz(n, steps);
      const auto [tens, ones] = divide(steps, 10);
      put(a, i, tens);
      put(b, i, ones);
    }
  });
  std::vector<int> a(300, -1), b(300, -1);
  k.forall(300)(a, b);
  for (int i = 0; i < 300; ++i) {
    int steps = 0;
    for (std::int64_t n = i + 1; n > 1; ++steps) n = n % 2 ? 3 * n + 1 : n / 2;
    EXPECT_EQ(a[std::size_t(i)], steps / 10 == 7 ? -1 : steps / 10) << i;
    EXPECT_EQ(b[std::size_t(i)], steps % 10 == 7 ? -1 : steps % 10) << i;
  }
}

TEST(Function, WhatAFunctionReadsAndWritesIsCopied) {
  const auto add_into = kr::function(
      [](kr::view<const int> from, kr::view<int> to, auto i) { to[i] = to[i] + from[i]; });
  const auto k = kr::kernel([&](kr::view<const int> x, kr::view<int> y) {
    for (auto i : kr::grid_stride(y.size())) add_into(x, y, i);
  });
  std::vector<int> x{1, 2, 3}, y{10, 20, 30};
  k.launch({1, 4}, x, y);
  EXPECT_EQ(y, (std::vector<int>{11, 22, 33}));
}

TEST(Function, InElementwiseFunctionsAndOtherFunctions) {
  const auto cube = kr::function([](auto x) { return power(x, 3); });
  const auto f =
      kr::vectorize([&](auto x, auto y) { return cube(x) + cube(y); }, {.fp = kr::fp::strict});
  const std::vector<float> x = numbers(100), y = numbers(57);
  const std::vector<float> z = f(x, std::vector<float>(100, 2.0f));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(z[i], host_power(x[i], 3) + 8.0f);
}

TEST(Function, BarriersInFunctions) {
  const auto reverse = kr::function([](kr::view<int> y) {
    auto tile = kr::shared<int, 64>();
    const auto t = kr::thread_idx().x;
    tile[t] = y[kr::grid()];
    kr::syncthreads();
    y[kr::grid()] = tile[63 - t];
  });
  const auto k = kr::kernel([&](kr::view<int> y) { reverse(y); });
  std::vector<int> y(256);
  for (int i = 0; i < 256; ++i) y[std::size_t(i)] = i;
  k.launch({4, 64}, y);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(y[std::size_t(i)], i / 64 * 64 + 63 - i % 64);
}

TEST(Function, AtomicsInFunctions) {
  const auto count =
      kr::function([](kr::view<int> bins, auto x) { kr::atomic(bins[x & 3]).add(1); });
  const auto k = kr::kernel([&](kr::view<int> bins, kr::value<int> n) {
    for (auto i : kr::grid_stride(n)) kr::if_(i % 3 != 0, [&] { count(bins, i); });
  });
  std::vector<int> bins(4), expected(4);
  k.launch({3, 32}, bins, 1000);
  for (int i = 0; i < 1000; ++i)
    if (i % 3) ++expected[std::size_t(i & 3)];
  EXPECT_EQ(bins, expected);
}

TEST(Function, LargeAnglesTakeTheRarePath) {
  const auto f = kr::vectorize([](auto x) { return kr::sin(x) + kr::cos(x) * kr::tan(x); },
                               {.fp = kr::fp::reproducible});
  std::vector<float> x{0.5f, 1e6f, -3e30f, 100.25f, 2.5e5f, 1e-30f, 7.0f};
  while (x.size() < 100) x.push_back(x[x.size() - 7] * 1.5f);
  const std::vector<float> y = f(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = std::sin(double(x[i])) + std::cos(double(x[i])) * std::tan(double(x[i]));
    EXPECT_NEAR(double(y[i]), exact, 1e-6) << x[i];
  }
}

// ---- return_ leaves the function, whatever it is called with
// -------------------------------------------------------------------------------------------------

const auto early = kr::function(
    [](kr::value<int> n) {
      kr::var steps = 0;
      for (auto i : kr::range(n)) {
        kr::if_(i == 5, [] { kr::return_(-1); });
        steps += i;
      }
      kr::if_(n > 3, [] { kr::return_(100); });
      return steps + 0;
    },
    {.name = "early"});
int host_early(int n) { return n > 5 ? -1 : n > 3 ? 100 : n * (n - 1) / 2; }

TEST(Function, ReturnsOfPlainTracedAndMixedArguments) {
  const auto both = kr::function([](kr::value<int> x, kr::value<int> y) {
    kr::if_(x > y, [&] { kr::return_(x); });
    return y + 0;
  });
  const auto k = kr::kernel([&](kr::view<int> y) {
    const auto i = kr::cast<int>(kr::grid());
    kr::if_(i < y.size(), [&] {
      kr::var sum = early(i);
      sum += 1000 * (early(9) + early(4) + early(2));  // -1 + 100 + 1
      sum += 1000000 * (both(3, 7) + both(i, 7) + both(7, 3));
      y[i] = sum;
    });
  });
  std::vector<int> y(12, -7);
  k.launch({1, 32}, y);
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(y[std::size_t(i)], host_early(i) + 1000 * 100 + 1000000 * (7 + std::max(i, 7) + 7))
        << i;
}

TEST(Function, ReturnsOfFunctionsWithoutResult) {
  std::vector<int> log(40);
  const auto put = kr::function([](kr::view<int> to, kr::value<int> at) {
    kr::if_(at == 3, [] { kr::return_(); });
    to[at] = to[at] + 1;
  });
  const auto k = kr::kernel([&](kr::view<int> y) {
    // Plain arguments alone, on a generic lambda: its lines become the kernel's, and return_ leaves
    // them alone.
    const auto own = kr::function([&](auto n) {
      for (auto i : kr::range(n)) {
        kr::if_(i == 2, [] { kr::return_(); });
        y[20 + i] = 1;
      }
      y[30] = 1;
    });
    kr::if_(kr::grid() == 0, [&] {
      own(5);
      put(y, 3);
      put(y, 4);
      own(1);
      y[31] = 1;
    });
    kr::if_(kr::grid() == 1, [&] { y[32] = 1; });
  });
  k.launch({1, 32}, log);
  std::vector<int> expected(40);
  for (const int i : {4, 20, 21, 30, 31, 32}) expected[std::size_t(i)] = 1;
  EXPECT_EQ(log, expected);
}

TEST(Function, ReturnsOfPlainArgumentsInFunctionsAndElementwise) {
  const auto outer = kr::function([](kr::value<int> n) {
    kr::if_(early(9) != -1, [] { kr::return_(-5); });
    kr::if_(n < 0, [] { kr::return_(-6); });
    return early(4) + n;
  });
  const auto generic = kr::function([](auto n) {
    kr::var sum = 0;
    for (auto i : kr::range(n)) {
      kr::if_(i == 3, [&] { kr::return_(sum); });
      sum += 10;
    }
    return kr::value(sum + 1);
  });
  auto f = kr::vectorize([&](auto x) {
    kr::if_(x == 2, [] { kr::return_(-9); });
    return outer(x) + 1000 * outer(7) + 1000000 * (generic(8) + generic(1));  // 107, 30 + 11
  });
  EXPECT_EQ(f(std::vector<int>{-1, 0, 2, 3}), (std::vector<int>{41106994, 41107100, -9, 41107103}));
  auto inner = kr::vectorize([](auto x) {
    kr::if_(x > 1, [] { kr::return_(50); });
    return x + 0;
  });
  auto calls = kr::vectorize([&](auto x) { return inner(x) + early(4); });
  EXPECT_EQ(calls(std::vector<int>{0, 1, 2}), (std::vector<int>{100, 101, 150}));
}

TEST(Function, ReturnsThatNothingCanGiveAreRefused) {
  // A plain result is there while recording: no thread can choose another one.
  const auto constant = kr::function([](auto n) {
    kr::if_(kr::grid() > n, [] { kr::return_(1); });
    return 2;
  });
  auto uses = kr::kernel([&](kr::view<int> z) { z[0] = constant(5); });
  std::vector<int> y(4);
  expect_usage(
      {"function_test.cpp:" + std::to_string(__LINE__ - 6),
       "return_ cannot leave a kr::function whose arguments and result are all plain numbers: pass a traced value, "
       "f(kr::value(n))"},
      [&] {
        uses.launch({1, 1}, y);
      });
  auto traced = kr::kernel([&](kr::view<int> z) { z[kr::grid()] = constant(kr::value(1)); });
  traced.launch({1, 4}, y);
  EXPECT_EQ(y, (std::vector<int>{2, 2, 1, 1}));
  EXPECT_EQ(kr::function([](auto n) { return n + 1; })(5), 6);

  auto pair = kr::vectorize([](auto x) {
    kr::if_(x > 1, [] { kr::return_(50); });
    return std::tuple(x + 0, x + 1);
  });
  expect_usage({"return_ cannot leave a function with several results: end it with its `return`"},
               [&] {
                 pair(std::vector<int>{1, 2});
               });
  // In another function the return is not that one's either.
  auto calls = kr::vectorize([&](auto x) {
    auto [a, b] = pair(x);
    return a + b;
  });
  expect_usage({"return_ cannot leave a function with several results: end it with its `return`"},
               [&] {
                 calls(std::vector<int>{1, 2});
               });
  krait::test::expect_library_works();
}

TEST(Function, PlainValuesRunAtOnce) {
  const auto twice = kr::function([](auto x) { return x + x; });
  EXPECT_EQ(twice(21), 42);
}

}  // namespace
