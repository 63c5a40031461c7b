// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equal and close arrays, and comparisons of elements.
#include <krait/algorithm/compare.h>
#include <krait/algorithm/indexing.h>
#include <krait/complex.h>

#include <complex>
#include <limits>
#include <vector>

#include "api/expect.h"

using krait::test::expect_usage;

namespace {

using Floats = std::vector<float>;
constexpr float inf = std::numeric_limits<float>::infinity(),
                nan = std::numeric_limits<float>::quiet_NaN();

std::vector<bool> answers(const kr::array<bool>& a) {
  const auto h = a.to_host();
  return std::vector<bool>(h.begin(), h.end());
}

TEST(Compare, OperatorsGiveBool) {
  const auto x = kr::to_device(Floats{1, 2, 3, nan}), y = kr::to_device(Floats{1, 3, 2, nan});
  EXPECT_EQ(answers(x == y), (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(answers(x != y), (std::vector<bool>{false, true, true, true}));
  EXPECT_EQ(answers(x < y), (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(answers(x >= 2), (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(answers((x > 1) & (y < 3)), (std::vector<bool>{false, false, true, false}));
}

TEST(Compare, Close) {
  const auto x = kr::to_device(Floats{1, 1, 1e-9f, inf, inf, -inf, nan, 1e8f, 1});
  const auto y = kr::to_device(Floats{1, 1.0001f, 0, inf, 1, inf, nan, 1e8f + 64, nan});
  EXPECT_EQ(answers(kr::isclose(x, y)),
            (std::vector<bool>{true, false, true, true, false, false, false, true, false}));
  EXPECT_EQ(answers(kr::isclose(x, y, {.rtol = 1e-3, .atol = 0, .equal_nan = true})),
            (std::vector<bool>{true, true, false, true, false, false, true, true, false}));
  EXPECT_TRUE(kr::allclose(kr::full({2, 3}, 1.0f), 1.000001f));
  EXPECT_FALSE(kr::allclose(x, y));
  EXPECT_TRUE(kr::allclose(kr::arange(3), kr::arange(3) + 1e-9));
  EXPECT_FALSE(kr::allclose(kr::full(1, 1.0), 1.00002));
  EXPECT_TRUE(kr::allclose(kr::full(1, 1.0), 1.0000100000001));
  EXPECT_FALSE(kr::allclose(kr::full(1, 1.0), 1.0000100200003));
  EXPECT_TRUE(kr::allclose(kr::full(3, kr::f16(1)), kr::full({2, 3}, kr::f16(1))));
  expect_usage({"(2,3)", "(4,)"}, [] {
    (void)kr::allclose(kr::full({2, 3}, 1.0f), kr::full(4, 1.0f));
  });
}

TEST(Compare, ComplexNumbersAreCloseByTheirDistance) {
  using C = std::complex<float>;
  const auto x =
      kr::to_device(std::vector<C>{{1, 1}, {1, 1}, {0, 1}, {inf, 0}, {inf, 1}, {nan, 0}, {3, 4}});
  const auto y = kr::to_device(
      std::vector<C>{{1, 1.000001f}, {1, 1.1f}, {1, 0}, {inf, 0}, {inf, 2}, {0, nan}, {3, 4}});
  EXPECT_EQ(answers(kr::isclose(x, y)),
            (std::vector<bool>{true, false, false, true, false, false, true}));
  EXPECT_EQ(answers(kr::isclose(x, y, {.rtol = 0.08, .atol = 0, .equal_nan = true})),
            (std::vector<bool>{true, true, false, true, false, true, true}));
  EXPECT_TRUE(kr::allclose(x, x, {.equal_nan = true}));
  EXPECT_FALSE(kr::allclose(x, y));
  const auto z = kr::to_device(std::vector<std::complex<double>>{{2, 1e-9}, {2, -1e-9}});
  EXPECT_TRUE(kr::allclose(z, kr::full(2, 2.0)));
  EXPECT_FALSE(kr::allclose(z, kr::full(2, 2.1f)));
}

TEST(Compare, Equal) {
  const auto x = kr::to_device(Floats{1, nan}), y = kr::to_device(Floats{1, nan});
  EXPECT_FALSE(kr::array_equal(x, y));
  EXPECT_TRUE(kr::array_equal(x, y, true));
  EXPECT_FALSE(kr::array_equal(kr::full(3, 1), kr::full(4, 1)));
  EXPECT_FALSE(kr::array_equal(kr::full({3, 1}, 1), kr::full(3, 1)));
  EXPECT_TRUE(kr::array_equal(kr::full({3, 2}, 1), kr::full({3, 2}, 1.0)));
  EXPECT_TRUE(kr::array_equal(kr::zeros<int>(0), kr::zeros<int>(0)));
  const auto f = kr::full({2, 3}, 2, kr::storage_order::fortran);
  EXPECT_TRUE(kr::array_equal(f, kr::full({3, 2}, 2).transpose()));
}

TEST(Compare, NumbersListsAndContainers) {
  const auto x = kr::to_device({1.0, 2.0, 5.0});
  const auto z = kr::to_device(std::vector<std::complex<double>>{{3, 4}});
  EXPECT_TRUE(kr::allclose(x(0), 1));
  EXPECT_FALSE(kr::allclose(x(1), 1.0f));
  EXPECT_TRUE(kr::isclose(kr::sum(x), 8.0000001));
  EXPECT_FALSE(kr::isclose(kr::sum(x), 8.0000001, {.rtol = 0, .atol = 1e-8}));
  EXPECT_TRUE(kr::isclose(z(0), std::complex<double>(3, 4 + 1e-9)));
  EXPECT_FALSE(kr::isclose(z(0), 3.0));
  EXPECT_TRUE(kr::isclose(double(inf), inf));
  EXPECT_FALSE(kr::isclose(1.0, inf));
  EXPECT_FALSE(kr::isclose(nan, nan));
  EXPECT_TRUE(kr::isclose(nan, nan, {.equal_nan = true}));
  EXPECT_TRUE(kr::allclose(x, {1, 2, 5}));
  EXPECT_TRUE(kr::allclose(x * 2.0, {1.9, 4, 10}, {.rtol = 0.1}));
  EXPECT_FALSE(kr::allclose(x, std::vector{1.0, 2.0, 6.0}));
  EXPECT_TRUE(kr::array_equal(x(x > 1.0), {2.0, 5.0}));
  EXPECT_FALSE(kr::array_equal(x, {1, 2}));
  EXPECT_TRUE(kr::array_equal(x, std::vector{1, 2, 5}));
}

}  // namespace
