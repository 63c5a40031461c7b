// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions for C: what callers pass comes in, what the lambda gives comes out, and what is
// refused.
#include "krait/function_pointer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "expect.h"

namespace krait::test {
namespace {

TEST(FunctionPointer, NumbersOfEveryKindGoInAndOut) {
  const kr::function_pointer<double(double, void*)> bell(
      [](kr::value<double> x, kr::value<std::uint64_t>) { return kr::exp(-x * x); });
  EXPECT_NEAR(bell(0.5, nullptr), std::exp(-0.25), 1e-15);
  EXPECT_EQ(kr::function_pointer<float(float)>([](auto x) { return x + 1; })(2.5f), 3.5f);
  EXPECT_EQ(kr::function_pointer<bool(bool)>([](auto x) { return !x; })(true), false);
  const kr::function_pointer<std::int8_t(std::int8_t, std::uint8_t)> small(
      [](auto a, auto b) { return a - kr::cast<std::int8_t>(b); });
  EXPECT_EQ(small(-100, 20), -120);
  const kr::function_pointer<int(short)> negative(
      [](kr::value<short> x) { return kr::cast<int>(x) * 3; });
  EXPECT_EQ(negative(-7), -21);
  EXPECT_EQ(kr::function_pointer<long()>([] { return -5; })(), -5);
  EXPECT_EQ(kr::function_pointer<std::uint64_t(std::uint64_t)>(
                [](auto x) { return x ^ ~std::uint64_t(0); })(1),
            ~std::uint64_t(1));
}

TEST(FunctionPointer, ArgumentsBeyondTheRegistersComeFromTheStack) {
  const kr::function_pointer<double(int, double, int, double, int, double, int, double, int, double,
                                    int, double, int, double, long, double, float, double)>
      many([](auto a, auto b, auto c, auto d, auto e, auto f, auto g, auto h, auto i, auto j,
              auto k, auto l, auto m, auto n, auto o, auto p, auto q, auto r) {
        const auto from = [](auto x) { return kr::cast<double>(x); };
        return from(a) + 2 * b + 3 * from(c) + 4 * d + 5 * from(e) + 6 * f + 7 * from(g) + 8 * h +
               9 * from(i) + 10 * j + 11 * from(k) + 12 * l + 13 * from(m) + 14 * n + 15 * from(o) +
               16 * p + 17 * from(q) + 18 * r;
      });
  // squares of 1 to 18
  EXPECT_EQ(many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18), 2109);
}

TEST(FunctionPointer, PointersAreViews) {
  const kr::function_pointer<int(const void*, const void*)> compare(
      [](kr::view<const int> a, kr::view<const int> b) {
        return kr::cast<int>(a[0] > b[0]) - kr::cast<int>(a[0] < b[0]);
      });
  std::vector<int> numbers(1000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = int(i * 7919 % 1000) - 500;
  std::qsort(numbers.data(), numbers.size(), sizeof(int), compare);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));

  // y' = f(t, y), as solvers of differential equations ask for it; a loop, a branch, an early
  // return.
  const kr::function_pointer<int(double, const double*, double*, int)> pendulum(
      [](kr::value<double> t, kr::view<const double> y, kr::view<double> f, kr::value<int> n) {
        kr::if_(n < 1, [] { kr::return_(kr::value<int>(-1)); });
        for (auto i : kr::range(n)) f[i] = -kr::sin(y[i]) * t;
        return kr::value<int>(0);
      });
  double y[3] = {0.5, 1.0, 2.0}, f[3] = {};
  EXPECT_EQ(pendulum(2.0, y, f, 3), 0);
  EXPECT_NEAR(f[2], -2 * std::sin(2.0), 1e-15);
  EXPECT_EQ(pendulum(2.0, y, f, 0), -1);
  EXPECT_EQ(pendulum(1.0, y, y, 3), 0);  // onto itself
  EXPECT_NEAR(y[1], -std::sin(1.0), 1e-15);

  const kr::function_pointer<void(float*, long)> fill([](kr::view<float> x, kr::value<long> n) {
    for (auto i : kr::grid_stride(n)) x[i] = 7.0f;
  });
  std::vector<float> filled(100);
  fill(filled.data() + 1, 98);
  EXPECT_TRUE(filled[0] == 0 && filled[1] == 7 && filled[98] == 7 && filled[99] == 0);
}

TEST(FunctionPointer, CapturedDataAndSharedArraysAreTheirs) {
  const std::vector<double> coefficients = {1, 2, 3};
  const kr::function_pointer<double(double)> polynomial([&](kr::value<double> x) {
    const auto c = kr::constant(coefficients);
    auto kept = kr::shared<double, 4>();
    kept[0] = x * c[2];
    return c[0] + x * (c[1] + kept[0]);
  });
  kr::function_pointer<double(double)> moved(
      std::move(const_cast<kr::function_pointer<double(double)>&>(polynomial)));
  std::vector<std::thread> threads;
  std::vector<double> sums(4);
  for (std::size_t t = 0; t < sums.size(); ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 1000; ++i) sums[t] += moved(double(i % 3));
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(sums, std::vector<double>(4, 334 * 1.0 + 333 * 6.0 + 333 * 17.0));
}

TEST(FunctionPointer, WhatCHasNoPlaceForIsRefused) {
  const auto printing = [](kr::value<int> x) {
    kr::print("{}", x);
    return x;
  };
  expect_usage({"kernel f (", "function_pointer_test.cpp:",
                "): a function pointer cannot print or check: its C caller cannot receive errors"},
               [&] { kr::function_pointer<int(int)>(printing, {.name = "f"}); });
  const auto sized = [](kr::value<int> n) {
    auto x = kr::dynamic_shared<int>(n);
    x[0] = n;
    return x[0];
  };
  expect_usage({": a function pointer cannot use dynamic_shared: its C caller gives no length"},
               [&] { kr::function_pointer<int(int)>{sized}; });
  const auto large = [](kr::value<int> n) {
    auto x = kr::shared<double, 10'000>();
    x[n] = 1;
    return x[0];
  };
  expect_usage(
      {": the arrays of a function pointer are on the caller's stack: they take 80000 bytes, at most 65536 are allowed"},
      [&] { kr::function_pointer<double(int)>{large}; });
  const auto nested =
      kr::kernel([](kr::view<int>) { kr::function_pointer<int(int)>([](auto x) { return x; }); });
  std::vector<int> one(1);
  expect_usage({"a function pointer is made while a kernel is being recorded: make it before"},
               [&] {
                 nested.launch({1, 1}, one);
               });
  expect_library_works();
}

TEST(FunctionPointer, ChecksOfTheEnvironmentLeaveItAlone) {
  setenv("KRAIT_CHECK", "1", 1);
  const kr::function_pointer<int(const int*)> second([](kr::view<const int> x) { return x[1]; });
  unsetenv("KRAIT_CHECK");
  const int numbers[] = {1, 2};
  EXPECT_EQ(second(numbers), 2);
}

/// The library asks once whether it is in debug mode, so it is another process.
TEST(FunctionPointer, CallsAfterTheEndAreToldInDebugMode) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("KRAIT_DEBUG", "1", 1);
  EXPECT_EXIT(
      {
        auto f = std::make_unique<kr::function_pointer<int(int)>>([](auto x) { return x + 1; },
                                                                  kr::options{.name = "next"});
        int (*const pointer)(int) = *f;
        const bool right = pointer(1) == 2;
        f.reset();
        std::_Exit(right && pointer(1) == 0 ? 0 : 1);
      },
      testing::ExitedWithCode(0),
      "krait: kernel next .*: the function pointer is called after its object was destroyed: keep the object as long as the pointer");
  unsetenv("KRAIT_DEBUG");
}

}  // namespace
}  // namespace krait::test
