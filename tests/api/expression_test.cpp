// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole-array expressions: what they compute, and that each is one launch.
#include <cmath>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "expect.h"

namespace {

constexpr int count = 1000;
using Floats = std::vector<float>;

Floats ramp(float first, float step) {
  Floats out(count);
  for (int i = 0; i < count; ++i) out[i] = first + step * float(i);
  return out;
}
kr::array<float, 2> table(int rows, int columns, float step) {
  kr::array<float, 2> out(rows, columns);
  Floats host(std::size_t(rows) * columns);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = step * float(i);
  out.copy_from(host);
  return out;
}
/// Launches of `action`.
template <class Action>
std::uint64_t launches(const Action& action) {
  const std::uint64_t before = kr::stats().launches();
  action();
  return kr::stats().launches() - before;
}

struct Expression : testing::Test {
  const Floats hx = ramp(-3, 0.01f), hy = ramp(0.5f, 0.02f);
  const kr::array<float> x = kr::to_device(hx);
  kr::array<float> y = kr::to_device(hy);
};

TEST_F(Expression, OfOperatorsAndFunctionsIsOneLaunch) {
  kr::array<float> w;
  EXPECT_EQ(launches([&] { w = 2.0f * x + kr::sin(y); }), 1u);
  const Floats result = w.to_host();
  ASSERT_EQ(result.size(), hx.size());
  for (int i = 0; i < count; ++i) EXPECT_NEAR(result[i], 2 * hx[i] + std::sin(hy[i]), 2e-6f) << i;

  EXPECT_EQ(
      launches([&] { w = -(x - y) * (x + 1) / kr::max(y, 2.0f) + kr::pow(y, x) * kr::abs(x); }),
      1u);
  const Floats longer = w.to_host();
  for (int i = 0; i < count; ++i) {
    const double a = hx[i], b = hy[i],
                 expected = -(a - b) * (a + 1) / std::fmax(b, 2.0) + std::pow(b, a) * std::abs(a);
    EXPECT_NEAR(longer[i], expected, 1e-4 * std::fmax(1.0, std::abs(expected))) << i;
  }
}

/// The rows of ops.def in the form of a function: of one and two arrays, of an array and a number,
/// of integers.
TEST_F(Expression, OfIntegersHasTheirFunctions) {
  const std::vector<int> hi = {5, -7, 0x7fffffff, -0x7fffffff - 1}, hj = {3, 0x7fffffff, 2, -9};
  const kr::array<int> i = kr::to_device(hi), j = kr::to_device(hj);
  const kr::array<int> sums = kr::add_sat(i, j), rests = kr::sub_sat(i, 9),
                       uppers = kr::mul_hi(i, j), bits = kr::popcount(i);
  const auto s = sums.to_host(), r = rests.to_host(), u = uppers.to_host(), b = bits.to_host();
  for (std::size_t k = 0; k < hi.size(); ++k) {
    EXPECT_EQ(s[k], kr::add_sat(hi[k], hj[k]));
    EXPECT_EQ(r[k], kr::sub_sat(hi[k], 9));
    EXPECT_EQ(u[k], kr::mul_hi(hi[k], hj[k]));
    EXPECT_EQ(b[k], kr::popcount(hi[k]));
  }
  EXPECT_EQ(s[2], 0x7fffffff);
}

TEST_F(Expression, OfThreeAndConversions) {
  const auto four = kr::to_device(Floats{-2.75f, -0.5f, 0.5f, 3.25f}),
             low = kr::to_device(Floats{-1, 0, 1, 2});
  const kr::array<float> within = kr::clamp(four, -1.0f, 1.0f),
                         between = kr::clamp(four, low, low + 0.25f),
                         of_number = kr::clamp(0.5f, low, 9.0f);
  EXPECT_EQ(Floats(within.to_host()), (Floats{-1, -0.5f, 0.5f, 1}));
  EXPECT_EQ(Floats(between.to_host()), (Floats{-1, 0, 1, 2.25f}));
  EXPECT_EQ(Floats(of_number.to_host()), (Floats{0.5f, 0.5f, 1, 2}));
  const kr::array<int> whole = kr::cast<int>(four) * 2;
  EXPECT_EQ(std::vector<int>(whole.to_host()), (std::vector<int>{-4, 0, 0, 6}));
  const float e = 0x1p-12f;
  const auto near = kr::to_device(Floats{1 + e, 1 - e});
  const kr::array<float> rest = kr::fma(near, near, -1.0f);
  EXPECT_EQ(Floats(rest.to_host()),
            (Floats{std::fma(1 + e, 1 + e, -1.0f), std::fma(1 - e, 1 - e, -1.0f)}));
}
TEST_F(Expression, OfTruthsTakesBothSides) {
  const auto four = kr::to_device(Floats{-2, 0, 1, 3});
  const kr::array<bool> between = four > -1.0f && four < 2.0f,
                        outside = four < -1.0f || four > 2.0f,
                        both = four && kr::to_device(std::vector<int>{1, 1, 0, 4}),
                        any = four || false;
  const auto host = [](const kr::array<bool>& of) {
    const kr::array<int> ones = kr::cast<int>(of);
    return std::vector<int>(ones.to_host());
  };
  EXPECT_EQ(host(between), (std::vector<int>{0, 1, 1, 0}));
  EXPECT_EQ(host(outside), (std::vector<int>{1, 0, 0, 1}));
  EXPECT_EQ(host(both), (std::vector<int>{1, 0, 0, 1}));
  EXPECT_EQ(host(any), (std::vector<int>{1, 0, 1, 1}));
  EXPECT_EQ(launches([&] { kr::array<bool> w = !(four > 0.0f) && four < 5.0f; }), 1u);
}
TEST_F(Expression, ElementsOnTheHostAreAContainer) {
  auto elements = x.to_host();
  const auto copy = elements;
  EXPECT_EQ(copy, hx);
  EXPECT_EQ(hx, copy);
  elements[3] += 1;
  EXPECT_NE(elements, copy);
  elements = copy;
  EXPECT_EQ(elements, copy);
  EXPECT_NE(elements, Floats(hx.begin(), hx.end() - 1));
  EXPECT_EQ((kr::array<float>(0).to_host()), Floats());
}
TEST_F(Expression, IsNotComputedBeforeItBecomesAnArray) {
  EXPECT_EQ(launches([&] {
              auto never = x * y + 1.0f;
              (void)never;
            }),
            0u);
}

TEST_F(Expression, KeepsOperandsInOrder) {
  const kr::array<float> result = (x - 2.0f) / (y - (x - 3.0f)) - (1.0f - y) / 4.0f;
  const Floats host = result.to_host();
  for (int i = 0; i < count; ++i)
    EXPECT_NEAR(host[i], (hx[i] - 2) / (hy[i] - (hx[i] - 3)) - (1 - hy[i]) / 4, 1e-4f) << i;
}

TEST_F(Expression, NumbersAreArgumentsOfOneKernel) {
  const auto scaled = [&](float a, float b) {
    kr::array<float> w = a * x + b;
    return w;
  };
  for (float a : {1.0f, 2.0f, -3.0f}) {
    const Floats host = scaled(a, 2 * a).to_host();
    for (int i = 0; i < count; i += 37) EXPECT_NEAR(host[i], a * hx[i] + 2 * a, 1e-5f) << a;
  }
}

TEST_F(Expression, CanBeAssignedToItsOwnOperand) {
  y = y + y * 2.0f;
  const Floats host = y.to_host();
  for (int i = 0; i < count; ++i) EXPECT_NEAR(host[i], 3 * hy[i], 1e-4f) << i;
}

TEST_F(Expression, OwnsTemporaryArrays) {
  const auto later = kr::to_device(hx) * 2.0f + kr::to_device(hy);
  const kr::array<float> w = later;
  const Floats host = w.to_host();
  for (int i = 0; i < count; ++i) EXPECT_NEAR(host[i], 2 * hx[i] + hy[i], 1e-4f) << i;
}

TEST_F(Expression, IsItselfAnOperandAndCanBeUsedAgain) {
  const auto part = x * x;
  const kr::array<float> once = part, more = kr::sqrt(part + y) - part;
  const Floats first = once.to_host(), second = more.to_host();
  for (int i = 0; i < count; ++i) {
    EXPECT_NEAR(first[i], hx[i] * hx[i], 1e-4f) << i;
    EXPECT_NEAR(second[i], std::sqrt(hx[i] * hx[i] + hy[i]) - hx[i] * hx[i], 1e-4f) << i;
  }
}

TEST_F(Expression, HasTheTypesOfCpp) {
  const kr::array<int> i = kr::to_device(std::vector<int>{-7, 7, 9});
  const kr::array<int> halves = i / 2;
  EXPECT_EQ(std::vector<int>(halves.to_host()), (std::vector<int>{-3, 3, 4}));
  const kr::array<float> exact = i * 0.5f;
  EXPECT_EQ(Floats(exact.to_host()), (Floats{-3.5f, 3.5f, 4.5f}));
  const kr::array<int> truncated = i * 0.5f;  // converted at the end
  EXPECT_EQ(std::vector<int>(truncated.to_host()), (std::vector<int>{-3, 3, 4}));
}

TEST_F(Expression, ShapesBroadcast) {
  const auto a = table(3, 4, 1), row = table(1, 4, 10), column = table(3, 1, 100);
  kr::array<float, 2> sum;
  EXPECT_EQ(launches([&] { sum = a + row + column; }), 1u);
  ASSERT_EQ(sum.extents(), (kr::shape<2>(3, 4)));
  const Floats host = sum.to_host();
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 4; ++c) EXPECT_EQ(host[r * 4 + c], float(r * 4 + c + 10 * c + 100 * r));

  const kr::array<float> shorter = kr::to_device(Floats(7));
  kr::test::expect_usage(
      {"kernel array_expression: the arguments' shapes (1000,) and (7,) do not broadcast"},
      [&] { kr::array<float> w = x + shorter; });
}

TEST_F(Expression, OfOneTypeFromSeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<Floats> results(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const kr::array<float> w = kr::cos(x) * float(t) - y;
      results[t] = w.to_host();
    });
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < 4; ++t)
    for (int i = 0; i < count; i += 13)
      EXPECT_NEAR(results[t][i], std::cos(hx[i]) * float(t) - hy[i], 1e-5f) << t;
}

}  // namespace
