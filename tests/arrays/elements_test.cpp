// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One element of an array is a number for all that takes numbers of the host, and rows write.
#include <algorithm>
#include <cmath>
#include <complex>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <krait/algorithm/indexing.h>
#include <krait/algorithm/methods.h>
#include <krait/algorithm/rearrange.h>
#include <krait/algorithm/reduce.h>
#include <krait/algorithm/scan.h>
#include <krait/complex.h>
#include <krait/guvectorize.h>
#include <krait/krait.h>
#include <krait/numpy.h>
#include <krait/span.h>

#include "api/expect.h"

namespace kr = krait;

namespace {

kr::array<float, 2> table() { return kr::cast<float>(kr::arange(12)).copy().reshape(3, 4); }

TEST(Elements, AreIndices) {
  const auto a = table();
  const auto n = kr::to_device({2L, 0L, 3L});
  const auto m = kr::to_device({1u, 2u});
  EXPECT_EQ(float(a(n(0), n(2))), 11);
  EXPECT_EQ(float(a(n(0) - 1, m(1))), 6);
  EXPECT_EQ(float(a(m(0), -1)), 7);
  const auto named = m(1);
  EXPECT_EQ(a(named).size(), 4);
  EXPECT_EQ(float(a(named, named)), 10);
  // Beside arrays of indices, and on the host.
  EXPECT_EQ(float(a(kr::to_device({0, 2}), n(0))(1)), 10);
  EXPECT_EQ(a.to_host()(m(0), n(2)), 7);
}

TEST(Elements, AreBoundsOfRanges) {
  const auto x = kr::arange(10.0f);
  const auto n = kr::to_device({2L, 5L});
  EXPECT_EQ(x(kr::range(n(0))).size(), 2);
  EXPECT_EQ(x(kr::range(n(0), n(1))).size(), 3);
  EXPECT_EQ(x(kr::range(1, n(1))).size(), 4);
  EXPECT_EQ(x(kr::range(n(0), 9)).size(), 7);
  EXPECT_EQ(x(kr::range(0, 10, n(0))).size(), 5);
  EXPECT_EQ(x(kr::range(n(0), kr::end)).size(), 8);
  EXPECT_EQ(x(kr::range(kr::none, kr::end - n(0))).size(), 8);
  auto fill = kr::kernel([&](kr::view<float> to) {
    for (auto i : kr::range(n(0), n(1))) to[i] = -1.0f;
  });
  auto filled = x.copy();
  fill.launch({1, 1}, filled);
  EXPECT_EQ(std::vector<float>(filled), (std::vector<float>{0, 1, -1, -1, -1, 5, 6, 7, 8, 9}));
}

TEST(Elements, AreExtents) {
  const auto n = kr::to_device({2, 3});
  EXPECT_EQ(kr::zeros<float>(n(0)).size(), 2);
  EXPECT_EQ(kr::zeros<int>({n(0), n(1)}).size(), 6);
  EXPECT_EQ(kr::ones<int>(n(1), 4).extents(), kr::shape<2>(3, 4));
  EXPECT_EQ(kr::arange(n(1)).size(), 3);
  EXPECT_EQ(kr::arange(n(0), 10, n(1)).size(), 3);
  EXPECT_EQ(int(kr::full(2, n(1))(0)), 3);
  EXPECT_EQ(kr::arange(6).reshape(n(0), -1).extent(1), 3);
  EXPECT_EQ((kr::array<float, 2>(n(0), n(1)).size()), 6);
}

TEST(Elements, ExtentsAreNumbersOrBraces) {
  EXPECT_EQ(kr::zeros<float>(2, 3).extents(), kr::shape<2>(2, 3));
  EXPECT_EQ(kr::empty<int>(2, 3, 4).extents(), kr::shape<3>(2, 3, 4));
  EXPECT_EQ(kr::ones<int>(2, 3).shape()[1], 3);
}

TEST(Elements, AreArgumentsOfFunctions) {
  const auto x = kr::arange(10.0f);
  const auto n = kr::to_device({2, 9});
  EXPECT_EQ(kr::sqrt(x(4)), 2.0f);
  static_assert(std::is_same_v<decltype(kr::sqrt(x(4))), float>);
  EXPECT_EQ(kr::sqrt(n(1)), 3.0);
  EXPECT_EQ(kr::maximum(x(0), 1.0f), 1.0f);
  EXPECT_EQ(kr::max(x(2), x(3)), 3.0f);
  EXPECT_EQ(kr::max(n(0), 3L), 3L);
  EXPECT_EQ(kr::pow(x(2), 3.0), 8.0);
  EXPECT_EQ(kr::fma(x(2), 2.0f, x(1)), 5.0f);
  EXPECT_EQ(kr::clamp(x(9), 0.0f, x(3)), 3.0f);
  EXPECT_EQ(kr::cast<int>(x(3)), 3);
  EXPECT_FALSE(kr::isnan(x(0)));
  EXPECT_EQ(float((x * x(2))(9)), 18.0f);
  EXPECT_EQ(std::string(kr::to_string(x(3))), "3.");
}

TEST(Elements, AreArgumentsOfStandardFunctions) {
  const auto x = kr::arange(10.0f);
  const auto n = kr::to_device({2, 4});
  float worst = 2;
  worst = std::max(worst, x(5));
  EXPECT_EQ(worst, 5.0f);
  EXPECT_EQ(std::min(x(7), 8.0f), 7.0f);
  EXPECT_EQ(std::clamp(x(3), 0.0f, 2.0f), 2.0f);
  EXPECT_EQ(std::pow(x(2), 2.0), 4.0);
  EXPECT_EQ(std::sqrt(x(4)), 2.0f);
  EXPECT_EQ(std::sqrt(n(1)), 2.0);
  EXPECT_EQ(std::abs(n(0)), 2);
  EXPECT_EQ(std::hypot(x(3), 4.0), 5.0);
}

TEST(Elements, AreComplexNumbers) {
  kr::array<std::complex<float>> z(3);
  z(0) = std::complex<float>(3, 4), z(1) = std::complex<float>(0, 1), z(2) = 2.0f;
  const auto x = kr::arange(3.0f);
  EXPECT_EQ(kr::abs(z(0)), 5.0f);
  EXPECT_EQ(kr::norm(z(0)), 25.0f);
  EXPECT_EQ(kr::conj(z(1)), std::complex<float>(0, -1));
  EXPECT_EQ(std::abs(z(0)), 5.0f);
  EXPECT_EQ(z(0).real() + z(1).imag(), 4.0f);
  EXPECT_EQ(z(0) * z(1), std::complex<float>(-4, 3));
  EXPECT_EQ(z(0) * 2.0, std::complex<float>(6, 8));
  EXPECT_EQ(1 - z(1), std::complex<float>(1, -1));
  EXPECT_EQ(z(0) / x(2), std::complex<float>(1.5f, 2));
  EXPECT_EQ(-z(1), std::complex<float>(0, -1));
  EXPECT_TRUE(z(0) != z(1) && z(1) == std::complex<float>(0, 1));
  std::ostringstream text;
  text << z(0) << " " << x(2);
  EXPECT_EQ(text.str(), "(3,4) 2");
}

TEST(Rows, AssignmentsWrite) {
  auto a = table();
  for (auto row : a) row = row * 2.0f;
  EXPECT_EQ(float(a(2, 3)), 22);
  for (auto row : a) row = kr::ones<float>(4);
  EXPECT_EQ(float(a(1, 2)), 1);
  const auto y = kr::arange(4.0f);
  for (auto row : a) row = y;
  EXPECT_EQ(float(a(0, 3)), 3);
  for (auto&& row : a) row = 5.0f, row += 1.0f, row(0) = 0.0f;
  EXPECT_EQ(float(a(2, 1)), 6);
  EXPECT_EQ(float(a(2, 0)), 0);
}

TEST(Rows, AreArrays) {
  auto a = table();
  auto square = kr::vectorize([](auto v) { return v * v; });
  for (auto row : a) square.into(row)(row);
  EXPECT_EQ(float(a(2, 3)), 121);
  auto add_one = kr::kernel([](kr::view<float> x) {
    for (auto i : kr::grid_stride(x.size())) x[i] += 1.0f;
  });
  for (auto row : a) add_one.forall(row.size())(row);
  EXPECT_EQ(float(a(2, 3)), 122);
  const auto y = kr::arange(4.0f);
  const auto& read = a;
  for (auto row : read) {
    EXPECT_EQ(kr::sum(row), kr::sum(row + 0.0f));
    EXPECT_EQ(float(kr::stack(row, y)(1, 1)), 1);
    EXPECT_EQ(std::vector<float>(row).size(), 4u);
  }
  const auto pairs = kr::to_device({0, 1, 2, 0}).reshape(2, 2);
  for (auto pair : pairs) EXPECT_EQ(kr::eval(a(pair, pair)).size(), 2);
  std::vector<kr::array<float>> kept;
  for (auto row : a) kept.push_back(std::move(row));
  EXPECT_EQ(float(kept[2](3)), 122);
}

TEST(Containers, BecomeArrays) {
  const std::vector<float> h{1, 2, 3};
  const kr::array<float> b = h;
  EXPECT_EQ(float(b(2)), 3);
  const kr::array d = std::vector{1, 2};
  static_assert(std::is_same_v<decltype(d), const kr::array<int>>);
  const kr::array<float> part(std::span<const float>(h).subspan(1), kr::device::cpu());
  EXPECT_EQ(float(part(0)), 2);
  const auto a = table();
  const kr::array same = a.to_host();
  EXPECT_EQ(float(same(1, 2)), 6);
  std::vector<float> back = b;
  EXPECT_EQ(back, h);
  back = 2.0f * b;
  EXPECT_EQ(back[2], 6);
  auto x = kr::arange(4.0f);
  x(kr::range(0, 2)) = {7, 8};
  EXPECT_EQ(std::vector<float>(x), (std::vector<float>{7, 8, 2, 3}));
}

TEST(Parts, CanBeWritten) {
  auto week = kr::ones<int>({6, 2});
  auto [morning, noon, evening] = kr::split<3>(week);
  noon *= 2;
  auto [head, tail] = kr::split(week, {4});
  tail = 7;
  EXPECT_EQ(int(week(1, 0)) * 100 + int(week(2, 1)) * 10 + int(week(4, 0)), 127);
  kr::rot90(week)(0, 0) = 9;
  EXPECT_EQ(int(week(0, 1)), 9);
  const auto& read = week;
  auto [first, second] = kr::split<2>(read);
  static_assert(std::is_const_v<decltype(first)::element_type>);
  auto [left, right] = kr::split<2>(week.reshape(2, 6), kr::axis(1));
  right = 0;
  EXPECT_EQ(int(week(1, 1)), 0);
  auto [more, most] = kr::split<2>(week + 1);
  EXPECT_EQ(int(more(0, 1)), 10);
}

TEST(Deferred, HasTheMembersOfAnArray) {
  const auto a = table();
  const auto e = a * kr::arange(4.0f);
  EXPECT_EQ(e.extents(), kr::shape<2>(3, 4));
  EXPECT_EQ(e.size() + e.extent(0) + e.shape()[1], 19);
  EXPECT_EQ(float(e.diagonal()(2)), 20);
  EXPECT_EQ(float(e.flip(0)(0, 1)), 9);
  EXPECT_EQ(e.permute(1, 0).extent(0), 4);
  EXPECT_EQ(float(e.copy()(2, 3)), 33);
  float total = 0;
  for (float v : kr::arange(4.0f) * 2.0f) total += v;
  for (auto row : a * 2.0f) total += float(row(0));
  EXPECT_EQ(total, 12 + 24);
  const auto n = kr::to_device({2, 0});
  EXPECT_EQ(float(a(n).transpose()(0, 1)), 0);
  EXPECT_EQ(float(a(n).diagonal()(0)), 8);
  EXPECT_EQ(a(a > 3.0f).size(), 8);
  EXPECT_EQ(a(kr::all, n).shape()[1], 2);
  const std::vector<float> taken = kr::arange(3.0f)(n);
  EXPECT_EQ(taken, (std::vector<float>{2, 0}));
  EXPECT_THROW((void)(a + kr::arange(3)).size(), kr::error);
}

TEST(Deferred, IsAnArgumentOfElementWiseFunctions) {
  const auto x = kr::arange(6.0f);
  const auto n = kr::arange(6);
  auto add = kr::vectorize([](auto p, auto q) { return p + q; });
  auto subtract = kr::vectorize([](auto p, auto q) { return p - q; });
  const kr::array<float> sums = add(x * 2.0f, x(n));
  EXPECT_EQ(float(sums(5)), 15);
  EXPECT_EQ(add(x(2), 1.0f), 3.0f);  // numbers give a number
  EXPECT_EQ(float(add(x, x(2))(5)), 7);
  auto z = kr::zeros<float>(6);
  add.where(x > 2.0f).into(z)(x * 0.0f, 1.0f);
  EXPECT_EQ(float(z(2)) + float(z(3)), 1);
  EXPECT_EQ(add.reduce(x * 2.0f), 30.0f);
  EXPECT_EQ(subtract.reduce(x(n)), -15.0f);
  EXPECT_EQ(float(add.accumulate(x * 2.0f)(5)), 30);
  EXPECT_EQ(float(subtract.outer(x * 2.0f, x(n))(5, 1)), 9);
  EXPECT_EQ(float(add.reduceat(x * 1.0f, n(kr::range(0, 6, 3)) + 0)(1)), 12);
  add.at(z, n % 2, x);
  EXPECT_EQ(float(z(0)), 6);
  auto mean = kr::guvectorize<"(n)->()">([](auto row, auto m) {
    kr::var sum = 0.0f;
    for (auto k : kr::range(row.size())) sum += row[k];
    m() = sum / kr::cast<float>(row.size());
  });
  EXPECT_EQ(float(mean(table() * 0.0f + 2.0f)(1)), 2);
}

TEST(Deferred, IsAnArgumentOfKernels) {
  const auto x = kr::arange(6.0f);
  auto scale = kr::kernel([](kr::view<const float> from, kr::view<float> to, kr::value<float> by) {
    for (auto i : kr::grid_stride(to.size())) to[i] = from[i] * by;
  });
  auto z = kr::zeros<float>(6);
  scale.forall(6)(x * 2.0f, z, x(1));
  EXPECT_EQ(float(z(5)), 10);
  scale.forall(6)(x(kr::arange(6)), z, 3);
  EXPECT_EQ(float(z(5)), 15);
}

TEST(Views, AreOutputsWithoutAName) {
  auto a = kr::zeros<float>(2, 6);
  const auto x = kr::arange(6.0f);
  auto twice = kr::vectorize([](auto v) { return 2.0f * v; });
  twice.into(a(0))(x);
  (x + 1.0f).into(a(1));
  EXPECT_EQ(float(a(0, 5)) + float(a(1, 5)), 16);
  auto add = kr::vectorize([](auto p, auto q) { return p + q; });
  add.at(a(0), kr::to_device({1, 1}), 1.0f);
  add.at(a.reshape(-1), kr::to_device({0, 0}), 4.0f);
  EXPECT_EQ(float(a(0, 0)) * 10 + float(a(0, 1)), 84);
  auto clear = kr::kernel([](auto to) {
    for (auto i : kr::grid_stride(to.size())) to[i] = 0.0f;
  });
  clear.forall(3)(a(1, kr::range(0, 3)));
  clear.launch({1, 2}, a(kr::all, 5));
  EXPECT_EQ(kr::sum(a(1)), 4 + 5);
}

/// What has no name becomes an array of another type, as an expression does.
TEST(Arrays, ConvertWithoutAName) {
  const auto moves = kr::to_device({1, -1, 1});
  const kr::array<int> position = kr::concatenate(kr::zeros<std::int64_t>(1), kr::cumsum(moves));
  EXPECT_EQ(int(position(1)) * 10 + int(position(3)), 11);
  const kr::array<float, 2> kernel = kr::to_device({-1, 0, 1, 2}).reshape(2, 2);
  EXPECT_EQ(float(kernel(1, 1)), 2.0f);
}

TEST(Arrays, WrapAContainerWithAShape) {
  std::vector<double> v(6, 1.0);
  auto rows = kr::wrap(v, {2, 3});
  rows(1, 2) = 5.0;
  EXPECT_EQ(v[5], 5.0);
  EXPECT_EQ(double(kr::wrap(std::span(v), kr::shape<2>(3, 2))(2, 1)), 5.0);
  EXPECT_THROW((void)kr::wrap(v, {2, 2}), kr::error);
}

TEST(Arrays, ShapesArePrintedAsTuples) {
  std::ostringstream out;
  out << table().shape() << kr::shape<1>(5) << kr::shape<3>(1, 2, 3);
  EXPECT_EQ(out.str(), "(3, 4)(5,)(1, 2, 3)");
}

/// Functions of elements of arrays are those of numbers, too, on the host and in kernels.
TEST(Arrays, FunctionsOfElementsTakeNumbers) {
  const auto x = kr::to_device({-2.0f, 0.5f, 3.0f});
  EXPECT_EQ(kr::sign(x(0)), -1.0f);
  EXPECT_TRUE(std::isnan(kr::sign(std::nanf(""))));
  EXPECT_EQ(kr::square(x(1)), 0.25f);
  EXPECT_EQ(kr::abs2(x(2)), 9.0f);
  EXPECT_EQ(kr::abs2(std::complex<double>(3, 4)), 25.0);
  EXPECT_EQ(kr::clip(x(2), 0, 1), 1.0f);
  EXPECT_EQ(kr::clip(7, 0, 5), 5);
  EXPECT_TRUE(std::isnan(kr::clip(std::nan(""), 0.0, 1.0)));
  auto f =
      kr::vectorize([](auto v) { return kr::sign(v) * kr::square(v) + kr::clip(v, 0.0f, 1.0f); });
  EXPECT_EQ(f(std::vector<float>{-2, 0.5f, 3}), (std::vector<float>{-4, 0.75f, 10}));
  auto k = kr::kernel([](kr::view<float> v) {
    auto i = kr::grid();
    v[i] = kr::clip(v[i], 0.0f, 1.0f) + kr::sign(v[i]) + kr::abs2(v[i]);
  });
  std::vector<float> y{2, -1};
  k[{1, 2}](y);
  EXPECT_EQ(y, (std::vector<float>{6, 0}));
}

/// `auto` declares several ranges, with and without an end.
TEST(Arrays, RangesHaveOneType) {
  const auto low = kr::range(0, -2), mid = kr::range(1, -1), high = kr::range(2, kr::none);
  const auto x = kr::arange(6);
  EXPECT_TRUE(kr::array_equal(x(low) + x(mid) + x(high), {3, 6, 9, 12}));
  EXPECT_TRUE(kr::array_equal(x(kr::range(kr::none, kr::none, -2)), {5, 3, 1}));
  EXPECT_TRUE(kr::array_equal(x(kr::range(std::size_t(4), ~std::size_t(0))), {4, 5}));
  auto endless = kr::kernel([](kr::view<int> v) {
    for (auto i : kr::range(0, kr::end)) v[i] = 1;
  });
  std::vector<int> y(3);
  krait::test::expect_usage({"a range with kr::end or kr::none is a slice of an array: a loop "
                             "needs two numbers, as in kr::range(0, x.size())"},
                            [&] {
                              endless[{1, 1}](y);
                            });
}

TEST(Arrays, PlacesOfOneNumber) {
  const auto x = kr::to_device({1.0, 2.0, 5.0});
  EXPECT_EQ(kr::searchsorted(x, 2), 1);
  EXPECT_EQ(kr::searchsorted(x, x(1), kr::side::right), 2);
  EXPECT_EQ(kr::digitize(1.5, x), 1);
  EXPECT_EQ(kr::interp(1.5, x, x * 2.0), 3.0);
  EXPECT_EQ(kr::interp(9, x, x, -1, 7), 7.0);
  EXPECT_TRUE(kr::isin(2, x));
  EXPECT_FALSE(kr::isin(x(0) + 2, x));
  EXPECT_TRUE(kr::array_equal(kr::take(x, std::vector{2, 0}), {5.0, 1.0}));
  const auto a = kr::to_device({2.0, 0.0, 0.0, 4.0}).reshape(2, 2);
  EXPECT_TRUE(kr::allclose(kr::solve(a, {2.0, 4.0}), {1, 1}));
}

/// Integers beyond 2^53 would change as floats.
TEST(Arrays, MinimumAndMaximumOfIntegersAreIntegers) {
  constexpr std::int64_t large = (std::int64_t(1) << 53) + 1;
  const auto x = kr::to_device(std::vector<std::int64_t>{large, -5, 3});
  const auto above = kr::eval(kr::maximum(x, 0)), below = kr::eval(kr::minimum(x, x - 1));
  static_assert(std::is_same_v<decltype(above)::value_type, std::int64_t>);
  EXPECT_EQ(above(0), large);
  EXPECT_EQ(above(1), 0);
  EXPECT_EQ(below(0), large - 1);
  EXPECT_EQ(kr::maximum(large, 1), large);
  EXPECT_TRUE(
      kr::array_equal(kr::take(kr::arange(10), kr::minimum(kr::to_device({8, 2}), 4)), {4, 2}));
  auto f = kr::vectorize([](auto p, auto q) { return kr::minimum(p, q); });
  EXPECT_EQ(f(std::vector<int>{1, 5}, std::vector<int>{3, 2}), (std::vector<int>{1, 2}));
}

TEST(Arrays, NumbersOfSeveralTypesAreDoubles) {
  const auto x = kr::to_device({1, 2.5, NAN});
  static_assert(std::is_same_v<decltype(x)::value_type, double>);
  EXPECT_EQ(x(1), 2.5);
  static_assert(std::is_same_v<decltype(kr::to_device({1, 2}))::value_type, int>);
}

TEST(Arrays, PointsAndShapesAsNumPysArguments) {
  const auto x = kr::arange(0.0f, 6.0f);
  EXPECT_EQ(kr::fft(x, 8).size(), 8);
  EXPECT_TRUE(kr::allclose(kr::irfft(kr::rfft(x), 6), x, {.atol = 1e-5}));
  EXPECT_EQ(kr::rfft(x, 4).size(), 3);
  const auto steps = kr::generator(1).choice({-1, 1}, {50, 10});
  EXPECT_EQ(steps.extents(), (kr::shape<2>(50, 10)));
  EXPECT_EQ(kr::sum(steps * steps), 500);
}

}  // namespace
