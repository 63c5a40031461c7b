// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generalized functions: layouts, batches that broadcast, several outputs, numbers, and what is
// refused. Against NumPy: numpy_cases.
#include <krait/guvectorize.h>

#include <complex>
#include <numeric>
#include <tuple>
#include <vector>

#include <krait/complex.h>

#include "api/expect.h"

using krait::test::expect_usage;

namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int>;

template <class Elem, int Rank>
std::vector<std::remove_const_t<Elem>> host(const kr::array<Elem, Rank>& a) {
  return a.to_host();
}

const auto multiply = [](auto a, auto b, auto c) {
  for (auto i : kr::range(a.extent(0)))
    for (auto j : kr::range(b.extent(1))) {
      kr::var sum = a(i, 0) * b(0, j);
      for (auto k : kr::range(1, a.extent(1))) sum += a(i, k) * b(k, j);
      c(i, j) = sum;
    }
};
const auto product = kr::guvectorize<"(m,n),(n,p)->(m,p)">(multiply, {.name = "product"});
const auto add = kr::guvectorize<"(n),()->(n)">([](auto x, auto y, auto out) {
  for (auto i : kr::range(x.size())) out[i] = x[i] + y;
});
const auto total = kr::guvectorize<"(n)->()">([](auto x, auto out) {
  out() = 0;
  for (auto i : kr::range(x.size())) out() = out() + x[i];
});

TEST(Guvectorize, DocumentedExamplesOfNumba) {
  // numba.readthedocs.io, "The @guvectorize decorator": a = np.arange(5); g(a, 2), and a.reshape(2,
  // 3) with [10, 20].
  EXPECT_EQ(host(add(kr::arange(5), 2)), (Ints{2, 3, 4, 5, 6}));
  const auto a = kr::arange(6).reshape(2, 3);
  EXPECT_EQ(host(add(a, 10)), (Ints{10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(host(add(a, kr::to_device({10, 20}))), (Ints{10, 11, 12, 23, 24, 25}));
}

TEST(Guvectorize, BatchesBroadcast) {
  const auto x = kr::arange(24).reshape(2, 2, 2, 3);
  const auto y = kr::arange(12).reshape(2, 3, 2);
  const auto z = product(x, y);
  static_assert(std::is_same_v<decltype(product(x, y)), kr::array<int, 4>>);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) EXPECT_EQ(host(z(i, j)), host(product(x(i, j), y(j)))) << i << j;
  EXPECT_EQ(host(product(x(0, 0), y(0))), (Ints{10, 13, 28, 40}));
  // Of views, and into them.
  auto out = kr::zeros<int>({2, 2, 2, 4});
  auto part = out(kr::all, kr::all, kr::all, kr::range(kr::none, kr::none, -2));
  product.into(part)(x, y);
  EXPECT_EQ(host(out(1, 1)), (Ints{0, int(z(1, 1, 0, 1)), 0, int(z(1, 1, 0, 0)), 0,
                                   int(z(1, 1, 1, 1)), 0, int(z(1, 1, 1, 0))}));
  EXPECT_EQ(host(product(x(0, 0), y(0).transpose().flip().transpose())), (Ints{5, 2, 32, 20}));
  // An output with a longer batch repeats the inputs.
  auto twice = kr::zeros<int>({3, 2, 2});
  product.into(twice)(x(0, 0), y(0));
  EXPECT_EQ(host(twice(2)), (Ints{10, 13, 28, 40}));
}

TEST(Guvectorize, NumbersContainersAndTypes) {
  EXPECT_EQ(total(kr::arange(5)), 10);
  static_assert(std::is_same_v<decltype(total(kr::arange(5))), int>);
  EXPECT_EQ(host(total(kr::arange(6).reshape(2, 3))), (Ints{3, 12}));
  EXPECT_EQ(host(total(kr::arange(6).reshape(3, 2).transpose())), (Ints{6, 9}));
  const std::vector<float> v{1, 2, 3};
  EXPECT_EQ(add(v, 0.5f), (Floats{1.5f, 2.5f, 3.5f}));
  EXPECT_EQ(total(v), 6.0f);
  const auto mean = kr::guvectorize<"(n)->()", double(int)>([](auto x, auto out) {
    kr::var sum = 0.0;
    for (auto i : kr::range(x.size())) sum += kr::cast<double>(x[i]);
    out() = sum / kr::cast<double>(x.size());
  });
  EXPECT_EQ(mean(Ints{1, 2}), 1.5);
  static_assert(std::is_same_v<decltype(add(v, 1.0)), std::vector<double>>);
  static_assert(std::is_same_v<decltype(add(std::vector<std::int16_t>(1), std::int16_t(1))),
                               std::vector<std::int16_t>>);
  const auto powers = kr::guvectorize<"()->(3)">(
      [](auto x, auto out) { out[0] = x, out[1] = x * x, out[2] = x * x * x; });
  EXPECT_EQ(host(powers(2.0f)), (Floats{2, 4, 8}));
  EXPECT_EQ(host(powers(kr::to_device({1, 3}))), (Ints{1, 1, 1, 3, 9, 27}));
  const auto rotated = kr::guvectorize<"(n),()->(n)">([](auto x, auto by, auto out) {
    for (auto i : kr::range(x.size())) out[i] = x[i] * by;
  });
  using complex = std::complex<float>;
  EXPECT_EQ(host(rotated(kr::to_device(std::vector<complex>{{1, 2}, {3, 0}}), complex(0, 1)))[0],
            complex(-2, 1));
}

TEST(Guvectorize, SeveralOutputs) {
  const auto extremes =
      kr::guvectorize<"(n)->(),(),(n)">([](auto x, auto least, auto most, auto centred) {
        kr::var low = x[0], high = x[0];
        for (auto i : kr::range(1, x.size())) low = kr::min(low, x[i]), high = kr::max(high, x[i]);
        least() = low, most() = high;
        for (auto i : kr::range(x.size())) centred[i] = x[i] - low;
      });
  const auto x = kr::to_device(Floats{3, 1, 2, -4, 0, 5}).reshape(2, 3);
  const auto [low, high, centred] = extremes(x);
  EXPECT_EQ(host(low), (Floats{1, -4}));
  EXPECT_EQ(host(high), (Floats{3, 5}));
  EXPECT_EQ(host(centred), (Floats{2, 0, 1, 0, 4, 9}));
}

TEST(Guvectorize, OverlapIsReadFirst) {
  const auto reversed = kr::guvectorize<"(n)->(n)">([](auto x, auto out) {
    for (auto i : kr::range(x.size())) out[i] = x[x.size() - 1 - i];
  });
  auto x = kr::arange(12).reshape(3, 4);
  reversed.into(x)(x);
  EXPECT_EQ(host(x), (Ints{3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8}));
  auto last = x(0);
  reversed.into(last)(x(1));
  EXPECT_EQ(host(x(0)), (Ints{4, 5, 6, 7}));
  Ints v{1, 2, 3};
  reversed.into(v)(v);
  EXPECT_EQ(v, (Ints{3, 2, 1}));
}

TEST(Guvectorize, NothingAndStreams) {
  EXPECT_EQ(host(total(kr::zeros<int>({2, 0}))), (Ints{0, 0}));
  EXPECT_EQ(total(kr::zeros<int>({0, 2})).size(), 0);
  const kr::stream s;
  const auto x = kr::arange(5);
  EXPECT_EQ(host(add.stream(s)(x, 1))[4], 5);
  auto z = kr::zeros<int>(5);
  add.on(kr::device()).into(z)(x, 1);
  EXPECT_EQ(host(z)[4], 5);
  // One kernel for shapes of equal ranks and types.
  const auto compiled = kr::stats().compiled();
  add(kr::arange(7), 1);
  EXPECT_EQ(kr::stats().compiled(), compiled);
}

TEST(Guvectorize, BadInput) {
  const auto a = kr::zeros<float>({2, 3}), b = kr::zeros<float>({2, 2});
  expect_usage(
      {"kernel product ({}): Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
       "(m,n),(n,p)->(m,p) (size 2 "
       "is different from 3)"},
      [&] { product(a, b); });
  auto wrong = kr::zeros<float>({2, 3});
  expect_usage(
      {"Output operand 0 has a mismatch in its core dimension 1, with gufunc signature (m,n),(n,p)->(m,p) (size 3 is "
       "different from "
       "2)"},
      [&] { product.into(wrong)(b, b); });
  expect_usage(
      {"kernel product ({}): operands could not be broadcast together with remapped shapes [original->remapped]: "
       "(2,2,2)->(2,newaxis,newaxis) "
       "(5,3,2,2)->(5,3,newaxis,newaxis)"},
      [&] {
        product(kr::zeros<float>({2, 2, 2}), kr::zeros<float>({5, 3, 2, 2}));
      });
  auto one = kr::zeros<float>({1, 2, 2});
  expect_usage(
      {"kernel product ({}): non-broadcastable output operand with shape (1,2,2) doesn't match the broadcast shape (4,) "
       "of the batch"},
      [&] {
        product.into(one)(kr::zeros<float>({4, 2, 2}), b);
      });
  const auto cross = kr::guvectorize<"(3),(3)->(3)">([](auto x, auto y, auto z) {
    for (int i = 0; i < 3; ++i)
      z[i] = x[(i + 1) % 3] * y[(i + 2) % 3] - x[(i + 2) % 3] * y[(i + 1) % 3];
  });
  EXPECT_EQ(host(cross(kr::to_device({1, 0, 0}), kr::to_device({0, 1, 0}))), (Ints{0, 0, 1}));
  expect_usage({"(size 4 is different from 3)"}, [&] { cross(kr::arange(4), kr::arange(3)); });
  krait::test::expect_library_works();
}

}  // namespace
