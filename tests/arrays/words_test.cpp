// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's daily words on bad input, and where word_cases.py does not reach: options, outputs,
// expressions and selections as arguments.
#include <krait/algorithm/convolve.h>
#include <krait/algorithm/differences.h>
#include <krait/algorithm/einsum.h>
#include <krait/algorithm/elements.h>
#include <krait/algorithm/frequency.h>
#include <krait/algorithm/grids.h>
#include <krait/algorithm/indexing.h>
#include <krait/algorithm/linalg.h>
#include <krait/algorithm/matmul.h>
#include <krait/algorithm/order.h>
#include <krait/algorithm/products.h>
#include <krait/algorithm/rearrange.h>
#include <krait/algorithm/search.h>
#include <krait/algorithm/sets.h>
#include <krait/algorithm/statistics.h>

#include <limits>

#include "arrays/algorithm_cases.h"

using krait::test::expect_usage;

namespace {

template <class Elem, int Rank>
std::vector<std::remove_const_t<Elem>> host(const kr::array<Elem, Rank>& x) {
  return x.to_host();
}
using floats = std::vector<float>;

TEST(Words, ExpressionsAndSelections) {
  const auto x = kr::to_device({3.0f, 1.0f, 2.0f});
  EXPECT_EQ(host(kr::sort(x * 2.0f)), (floats{2, 4, 6}));
  EXPECT_EQ(host(kr::sort(x(x > 1.0f))), (floats{2, 3}));
  EXPECT_EQ(host(kr::concatenate(x * 2.0f, x(kr::to_device({0})))), (floats{6, 2, 4, 3}));
  EXPECT_EQ(host(kr::cumsum(kr::to_device({1, 2}) * 3)), (std::vector<std::int64_t>{3, 9}));
  EXPECT_EQ(host(kr::array(x + 1.0f)), (floats{4, 2, 3}));
  EXPECT_EQ(host(kr::eval(x > 1.5f)), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(kr::sum(x(kr::to_device({0, 0}))), 6.0f);
  EXPECT_EQ(host(kr::eval(x(kr::to_device({0, 2})) * 2.0f + 1.0f)), (floats{7, 5}));
  EXPECT_EQ(host(kr::unique(kr::to_device({1, 2, 1}) % 2)), (std::vector<int>{0, 1}));
  EXPECT_EQ(std::string(kr::to_string(x * 2.0f)), "[6. 2. 4.]");
}
// An argument that is an expression gives what its array gives, in every place.
template <class Result>
auto elements(const Result& x) {
  if constexpr (std::is_arithmetic_v<Result>) return std::vector<Result>{x};
  else return host(x.copy());
}
#define EXPECT_SAME(by_expression, by_array) EXPECT_EQ(elements(by_expression), elements(by_array))
TEST(Words, ExpressionsInEveryPlace) {
  kr::array<float> x(4), y(4);
  x.copy_from(floats{3, 1, 4, 1});
  y.copy_from(floats{2, 7, 1, 8});
  kr::array<float> e = y * 2.0f;
  kr::array<float, 2> a(2, 2), b(2, 2);
  a.copy_from(floats{4, 1, 2, 3});
  b.copy_from(floats{1, 5, 2, 6});
  kr::array<float, 2> f = b + 1.0f;
  kr::array<std::int64_t> i = kr::to_device(std::vector<std::int64_t>{2, 0, 1});
  kr::array<std::int64_t> j = i + std::int64_t(1);
  EXPECT_SAME(kr::concatenate(x, y * 2.0f), kr::concatenate(x, e));
  EXPECT_SAME(kr::concatenate(y * 2.0f, x), kr::concatenate(e, x));
  EXPECT_SAME(kr::stack(x, y * 2.0f), kr::stack(x, e));
  EXPECT_SAME(kr::hstack(a, b + 1.0f), kr::hstack(a, f));
  EXPECT_SAME(kr::vstack(x, y * 2.0f, x), kr::vstack(x, e, x));
  EXPECT_SAME(kr::outer(x, y * 2.0f), kr::outer(x, e));
  EXPECT_SAME(kr::inner(x, y * 2.0f), kr::inner(x, e));
  EXPECT_SAME(kr::kron(a, b + 1.0f), kr::kron(a, f));
  EXPECT_SAME(kr::dot(x, y * 2.0f), kr::dot(x, e));
  EXPECT_SAME(kr::matmul(a, b + 1.0f), kr::matmul(a, f));
  EXPECT_SAME(kr::einsum<"ij,jk->ik">(a, b + 1.0f), kr::einsum<"ij,jk->ik">(a, f));
  EXPECT_SAME(kr::tensordot(a, b + 1.0f), kr::tensordot(a, f));
  EXPECT_SAME(kr::solve(a, b + 1.0f), kr::solve(a, f));
  EXPECT_SAME(kr::repeat(x(kr::range(0, 3)), i + std::int64_t(1)),
              kr::repeat(x(kr::range(0, 3)), j));
  EXPECT_SAME(kr::take(x, i + std::int64_t(1)), kr::take(x, j));
  EXPECT_SAME(kr::interp(x, kr::to_device(floats{0, 2, 4}), kr::to_device(floats{1, 2, 3}) * 2.0f),
              kr::interp(x, kr::to_device(floats{0, 2, 4}), kr::to_device(floats{2, 4, 6})));
  EXPECT_SAME(kr::average(x, y * 2.0f), kr::average(x, e));
  EXPECT_SAME(kr::searchsorted(kr::to_device(floats{1, 5, 9}), y * 2.0f),
              kr::searchsorted(kr::to_device(floats{1, 5, 9}), e));
  EXPECT_SAME(kr::isin(x, y * 2.0f), kr::isin(x, e));
  EXPECT_SAME(kr::union1d(x, y * 2.0f), kr::union1d(x, e));
  EXPECT_SAME(kr::convolve(x, y * 2.0f), kr::convolve(x, e));
  EXPECT_SAME(kr::gradient(x, kr::cumsum(y) * 2.0f),
              kr::gradient(x, kr::array<float>(kr::cumsum(y) * 2.0f)));
  EXPECT_SAME(kr::lexsort(x, y * 2.0f), kr::lexsort(x, e));
  EXPECT_SAME(kr::digitize(x, kr::cumsum(y) * 1.0f), kr::digitize(x, kr::cumsum(y)));
  EXPECT_SAME(kr::take_along_axis(a, kr::argsort(b + 1.0f), 1),
              kr::take_along_axis(a, kr::argsort(f), 1));
  EXPECT_SAME(kr::sort_by_key(x, y * 2.0f).values, kr::sort_by_key(x, e).values);
  EXPECT_SAME(kr::quantile(x, kr::to_device(std::vector<double>{0.0, 1.0}) * 0.5),
              kr::quantile(x, kr::to_device(std::vector<double>{0.0, 0.5})));
  EXPECT_SAME(kr::cross(x(kr::range(0, 3)), y(kr::range(0, 3)) * 2.0f),
              kr::cross(x(kr::range(0, 3)), e(kr::range(0, 3))));
  EXPECT_SAME(kr::vdot(x, y * 2.0f), kr::vdot(x, e));
}
TEST(Words, Outputs) {
  const auto x = kr::to_device({3.0f, 1.0f});
  kr::array<float> four(4), two(2);
  kr::concatenate(x, x, kr::into(four));
  EXPECT_EQ(host(four), (floats{3, 1, 3, 1}));
  kr::roll(four, 1, kr::into(four));
  EXPECT_EQ(host(four), (floats{1, 3, 1, 3}));
  kr::repeat(x, 2, kr::into(four));
  EXPECT_EQ(host(four), (floats{3, 3, 1, 1}));
  kr::cummax(x, kr::into(two));
  EXPECT_EQ(host(two), (floats{3, 3}));
  kr::fftshift(four, kr::into(four));
  EXPECT_EQ(host(four), (floats{1, 1, 3, 3}));
  kr::dct<3>(x, kr::into(two));  // 3 + 2 cos(pi / 4), 3 - 2 cos(pi / 4)
  EXPECT_NEAR(host(two)[0], 4.41421356f, 1e-6f);
}
TEST(Words, Options) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  auto a = kr::arange(0.0f, 6.0f).reshape(2, 3);
  EXPECT_EQ(kr::median(a, kr::axis(1), kr::keepdims).extent(1), 1);
  EXPECT_EQ(kr::median(a), 2.5f);
  EXPECT_EQ(kr::quantile(a, 0.5, kr::keepdims).extent(0), 1);
  EXPECT_EQ(kr::percentile(a, 25, "lower"), 1.0f);
  EXPECT_TRUE(std::isnan(kr::median(kr::to_device({1.0f, nan}))));
  EXPECT_TRUE(std::isnan(kr::median(kr::empty<float>(0))));
  EXPECT_EQ(kr::nanmax(kr::to_device({1.0f, nan})), 1.0f);
  EXPECT_EQ(kr::average(a), 2.5f);
  EXPECT_EQ(kr::cov(a, kr::ddof(0))(0, 0), 2.0f / 3);
  EXPECT_EQ(host(kr::partition(kr::to_device({2, 1}), 0)), (std::vector<int>{1, 2}));
  EXPECT_EQ(host(kr::argpartition(kr::to_device({2, 1}), 0)), (std::vector<std::int64_t>{1, 0}));
  const auto [values, inverse] = kr::unique_inverse(kr::to_device({4, 2, 4}));
  EXPECT_EQ(host(inverse), (std::vector<std::int64_t>{1, 0, 1}));
  EXPECT_EQ(host(kr::interp(kr::to_device({-1.0f, 3.0f}), kr::to_device({0.0f, 1.0f}),
                            kr::to_device({5.0f, 6.0f}), -1, 9)),
            (floats{-1, 9}));
  EXPECT_EQ(
      host(kr::clip(kr::to_device({nan, 5.0f}), 0.0f, 1.0f).operator kr::array<float, 1>())[1],
      1.0f);
  EXPECT_EQ(host(kr::fftfreq<float>(2, 0.5)), (floats{0, -1}));
}
TEST(Words, Selections) {
  kr::array<int, 2> a = kr::arange(0, 6).reshape(2, 3);
  const auto rows = a(kr::to_device({1, 0}));
  EXPECT_EQ(int(rows(0, 2)), 5);
  a(kr::all, kr::to_device({0, 0})) += 1;  // once, as in NumPy
  EXPECT_EQ(int(a(0, 0)), 1);
  auto turned = a.transpose();  // strides that say no merged dimension
  turned(kr::to_device({0, 2}), kr::to_device({1, 0})) = -1;
  EXPECT_EQ(host(a), (std::vector<int>{1, 1, -1, -1, 4, 5}));
  kr::array<int> chosen = turned(kr::to_device({0, 2}), kr::to_device({1, 0}));
  EXPECT_EQ(host(chosen), (std::vector<int>{-1, -1}));
}

TEST(Words, BadInput) {
  const auto x = kr::to_device({3.0f, 1.0f, 2.0f});
  auto a = kr::arange(0.0f, 6.0f).reshape(2, 3);
  expect_usage(
      {"all the input array dimensions except for the concatenation axis must match exactly, but along "
       "dimension 1, array 0 has shape (2,3) and array 1 has shape (3,2)"},
      [&] { kr::concatenate(a, a.transpose()); });
  expect_usage({"axis 2 is out of bounds for array of dimension 2"},
               [&] { kr::concatenate(a, a, kr::axis(2)); });
  expect_usage({"need at least one array to concatenate"},
               [] { kr::concatenate(std::vector<kr::array<float>>()); });
  expect_usage({"array split does not result in an equal division: 3 elements in 2 parts"},
               [&] { kr::split<2>(x); });
  expect_usage({"kr::dct: type 1 is not defined for 1 point"},
               [&] { kr::dct<1>(x(kr::range(0, 1))); });
  expect_usage({"rot90: the two axes must be different, not both 1"},
               [&] { kr::rot90(a, 1, 1, -1); });
  expect_usage({"repeat: the number of times is -1, which is negative"},
               [&] { kr::repeat(x, -1); });
  expect_usage({"repeat: a number of times is -2, which is negative"}, [&] {
    kr::repeat(x, kr::to_device({1, -2, 1}));
  });
  expect_usage({"repeat: there are 2 counts for 3 elements"}, [&] {
    kr::repeat(x, kr::to_device({1, 2}));
  });
  expect_usage({"pad: mode 'mirror' is none of constant, edge, reflect, symmetric, wrap"},
               [&] { kr::pad(x, 1, "mirror"); });
  expect_usage({"pad: index can't contain negative values, but axis 0 has -1 and -1"},
               [&] { kr::pad(x, -1); });
  expect_usage({"pad: can't extend empty axis 0 using modes other than 'constant'"},
               [&] { kr::pad(kr::empty<float>(0), 1, "edge"); });
  expect_usage({"the indices of shape (3,1) do not broadcast to the array of shape (2,3)"}, [&] {
    kr::take_along_axis(a, kr::zeros<int>({3, 1}), 1);
  });
  expect_usage({"index 3 is out of bounds for axis 1 with size 3"}, [&] {
    kr::take_along_axis(a, kr::full({2, 1}, 3), 1);
  });
  expect_usage({"index 3 is out of bounds for axis 1 with size 3"},
               [&] { kr::eval(a(kr::all, kr::to_device({3}))); });
  expect_usage({"diff: order must be non-negative but got -1"}, [&] { kr::diff(x, -1); });
  expect_usage(
      {"Shape of array too small to calculate a numerical gradient, at least 2 elements are "
       "required along axis 0, not 1"},
      [&] { kr::gradient(kr::to_device({1.0f})); });
  expect_usage({"gradient: there are 2 coordinates for 3 elements along axis 0"}, [&] {
    kr::gradient(x, kr::to_device({1.0f, 2.0f}));
  });
  expect_usage({"interp: array of sample points is empty"},
               [&] { kr::interp(x, kr::empty<float>(0), kr::empty<float>(0)); });
  expect_usage({"interp: fp and xp are not of the same length: 2 and 3"}, [&] {
    kr::interp(x, x, kr::to_device({1.0f, 2.0f}));
  });
  expect_usage({"bincount: first argument must have no negative elements, not -4"}, [&] {
    kr::bincount(kr::to_device({1, -4}));
  });
  expect_usage({"digitize: bins must be monotonically increasing or decreasing"},
               [&] { kr::digitize(x, x); });
  expect_usage({"tensordot: shape-mismatch for sum: extents 3 and 2"},
               [&] { kr::tensordot<1>(a, a); });
  expect_usage({"cross: needs two arrays of one shape whose last extent is 3, not (2,3) and (1,3)"},
               [&] {
                 kr::cross(a, kr::zeros<float>({1, 3}));
               });
  expect_usage({"quantiles must be in the range [0, 1], percentiles in [0, 100]"},
               [&] { kr::percentile(x, 101); });
  expect_usage({"quantile: method 'best' is none of linear, lower, higher, midpoint, nearest"},
               [&] { kr::quantile(x, 0.5, "best"); });
  expect_usage({"fftfreq: the number of samples must be positive, not 0"}, [&] { kr::fftfreq(0); });
  expect_usage({"geomspace: a geometric sequence cannot include zero"},
               [&] { kr::geomspace(0, 1); });
  expect_usage({"geomspace: 1 and -1 have different signs"}, [&] { kr::geomspace(1, -1); });
}

TEST(Words, WhatExpressionsComputeFirst) {
  const auto x = kr::to_device({0.f, 1.f, 3.f, 4.f}), y = kr::to_device({0.f, 2.f, 2.f, 1.f});
  EXPECT_EQ(host((x + y).reshape(2, 2).transpose()), (std::vector<float>{0, 5, 3, 5}));
  EXPECT_EQ((x * 2.0f).to_host(), (std::vector<float>{0, 2, 6, 8}));
  EXPECT_EQ(float((x + y)(1)), 3);
  EXPECT_EQ(host(kr::cast<double>(x)(kr::range(1, 3))), (std::vector<double>{1, 3}));
}

TEST(Words, OfTwoVectors) {
  const auto x = kr::to_device({0.f, 1.f, 3.f, 4.f}), y = kr::to_device({0.f, 2.f, 2.f, 1.f});
  const auto rows = kr::stack(x, y);
  EXPECT_EQ(host(kr::cov(x, y)), host(kr::cov(rows)));
  EXPECT_EQ(host(kr::corrcoef(x, y)), host(kr::corrcoef(rows)));
  EXPECT_EQ(float(kr::trapezoid(y, x)), 6.5f);
  EXPECT_EQ(float(kr::trapezoid(y, x * 2.0f)), 13.0f);
  const auto two = kr::to_device({1.f, 2.f});
  expect_usage({"trapezoid: the array has shape (2,), expected (4,)"},
               [&] { kr::trapezoid(y, two); });
  expect_usage({"cov: the array has shape (2,), expected (4,)"}, [&] { kr::cov(y, two); });
}

TEST(Words, ShiftsAndPolarForms) {
  const auto bits = kr::to_device({1, 2, 4, 8});
  kr::array<int> shifted = bits << 2;
  shifted >>= 1;
  EXPECT_EQ(host(shifted), (std::vector<int>{2, 4, 8, 16}));
  EXPECT_EQ(host(kr::eval(1 << bits)), (std::vector<int>{2, 4, 16, 256}));
  const auto r = kr::to_device({0.f, 2.f});
  const std::vector<std::complex<float>> z = kr::polar(r, 0.5f).to_host();
  EXPECT_EQ(z[0], 0.f);
  EXPECT_LT(std::abs(z[1] - std::polar(2.f, 0.5f)), 1e-6f);
}

}  // namespace
