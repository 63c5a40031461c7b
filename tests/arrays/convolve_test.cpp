// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and stencils beside sums on the host: modes, borders, ranks, views.
#include <krait/algorithm/fftconvolve.h>
#include <krait/algorithm/search.h>

#include <string>
#include <vector>

#include "arrays/algorithm_cases.h"

using krait::test::expect_usage;
using krait::test::Random;

namespace {

using kr::border;

/// An index within n, written out from the pictures in convolve.h; -1: outside.
std::int64_t placed(std::int64_t p, std::int64_t n, border at) {
  while (p < 0 || p >= n) {
    switch (at) {
      case border::constant: return -1;
      case border::nearest: p = p < 0 ? 0 : n - 1; break;
      case border::wrap: p += p < 0 ? n : -n; break;
      case border::reflect: p = p < 0 ? -1 - p : 2 * n - 1 - p; break;
      case border::mirror: p = n == 1 ? 0 : p < 0 ? -p : 2 * n - 2 - p; break;
    }
  }
  return p;
}

using Ints = std::vector<int>;
template <int Rank>
kr::array<int, Rank> counting(const kr::shape<Rank>& extents, int from) {
  Ints h(std::size_t(extents.size()));
  for (std::size_t i = 0; i < h.size(); ++i) h[i] = int(i * 7 % 11) + from;
  kr::array<int, Rank> x(extents);
  x.copy_from(h);
  return x;
}

/// The sum of w[k] x[i + first - k], of arrays of three dimensions.
Ints sums(const kr::array<int, 3>& x, const kr::array<int, 3>& w, const kr::shape<3>& out,
          const std::int64_t* first, border at, int outside) {
  const Ints a = x.to_host(), b = w.to_host();
  Ints all;
  for (std::int64_t n = 0; n < out.size(); ++n) {
    const std::int64_t own[] = {n / (out[1] * out[2]), n / out[2] % out[1], n % out[2]};
    int sum = 0;
    for (std::int64_t k = 0; k < w.size(); ++k) {
      const std::int64_t steps[] = {k / (w.extent(1) * w.extent(2)), k / w.extent(2) % w.extent(1),
                                    k % w.extent(2)};
      std::int64_t place = 0;
      for (int d = 0; d < 3 && place >= 0; ++d) {
        const std::int64_t p = placed(own[d] + first[d] - steps[d], x.extent(d), at);
        place = p < 0 ? -1 : place * x.extent(d) + p;
      }
      sum += b[std::size_t(k)] * (place < 0 ? outside : a[std::size_t(place)]);
    }
    all.push_back(sum);
  }
  return all;
}

TEST(Convolve, Modes) {
  const kr::array<int, 3> x = counting<3>({3, 4, 5}, -3), w = counting<3>({2, 1, 3}, 1);
  const std::int64_t none[3] = {}, middle[] = {0, 0, 1}, whole[] = {1, 0, 2};
  EXPECT_EQ(Ints(kr::convolve(x, w).to_host()), sums(x, w, {4, 4, 7}, none, border::constant, 0));
  EXPECT_EQ(Ints(kr::convolve(x, w, "same").to_host()),
            sums(x, w, {3, 4, 5}, middle, border::constant, 0));
  EXPECT_EQ(Ints(kr::convolve(x, w, "valid").to_host()),
            sums(x, w, {2, 4, 3}, whole, border::constant, 0));
  EXPECT_EQ(Ints(kr::convolve(w, x, "valid").to_host()),
            sums(x, w, {2, 4, 3}, whole, border::constant, 0));
  EXPECT_EQ(Ints(kr::correlate(x, w.flip(), "valid").to_host()),
            sums(x, w, {2, 4, 3}, whole, border::constant, 0));
  // NumPy's documented ones.
  const kr::array<float> a = kr::to_device(std::vector<float>{1, 2, 3}),
                         b = kr::to_device(std::vector<float>{0, 1, 0.5f});
  EXPECT_EQ(std::vector<float>(kr::convolve(a, b).to_host()),
            (std::vector<float>{0, 1, 2.5f, 4, 1.5f}));
  EXPECT_EQ(std::vector<float>(kr::convolve(a, b, "same").to_host()),
            (std::vector<float>{1, 2.5f, 4}));
  EXPECT_EQ(std::vector<float>(kr::convolve(a, b, "valid").to_host()), (std::vector<float>{2.5f}));
  EXPECT_EQ(std::vector<float>(kr::correlate(a, b, "valid").to_host()), (std::vector<float>{3.5f}));
}

TEST(Convolve, Borders) {
  // Weights longer than the array: the border is met more than once.
  const kr::array<int, 2> x = counting<2>({2, 3}, 1), w = counting<2>({3, 8}, -2);
  for (const border at :
       {border::constant, border::reflect, border::mirror, border::nearest, border::wrap}) {
    const std::int64_t middle[] = {0, 1, 4}, turned[] = {0, 1, 3};
    const auto x3 = x(kr::newaxis).copy(), w3 = w(kr::newaxis).copy();
    EXPECT_EQ(Ints(kr::convolve(x, w, at, 100).to_host()), sums(x3, w3, {1, 2, 3}, middle, at, 100))
        << int(at);
    EXPECT_EQ(Ints(kr::correlate(x, w.flip(), at, 100).to_host()),
              sums(x3, w3, {1, 2, 3}, turned, at, 100))
        << int(at);
  }
}

TEST(Convolve, Stencil) {
  kr::array<float, 2> filled = kr::zeros<float>({3, 3});
  filled.copy_from(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto cross = [](auto at) { return at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1); };
  using Floats = std::vector<float>;
  EXPECT_EQ(Floats(kr::stencil(cross, filled, border::wrap).to_host()),
            (Floats{7 + 4 + 3 + 2, 8 + 5 + 1 + 3, 9 + 6 + 2 + 1, 1 + 7 + 6 + 5, 2 + 8 + 4 + 6,
                    3 + 9 + 5 + 4, 4 + 1 + 9 + 8, 5 + 2 + 7 + 9, 6 + 3 + 8 + 7}));
  const int far = 2;
  const auto captured = [far](auto at) { return at(0, far) * 2; };
  EXPECT_EQ(Floats(kr::stencil(captured, filled.transpose(), border::constant, -1).to_host()),
            (Floats{14, -2, -2, 16, -2, -2, 18, -2, -2}));
  EXPECT_EQ(
      kr::stencil([](auto at) { return at(0) > 0; }, kr::to_device(Ints{0, 3})).to_host().data()[1],
      true);
}

TEST(Convolve, BadInput) {
  const kr::array<int, 2> x = counting<2>({2, 3}, 0), w = counting<2>({3, 2}, 0),
                          none = kr::zeros<int>({0, 2});
  expect_usage({"mode must be one of 'full', 'same' or 'valid', not 'all'"},
               [&] { kr::convolve(x, w, "all"); });
  expect_usage(
      {"For 'valid' mode, one must be at least as large as the other in every dimension: the shapes are (2,3) and (3,2)"},
      [&] { kr::convolve(x, w, "valid"); });
  expect_usage(
      {"convolve: the weights of shape (0,2) have no elements; for an array of shape (2,3) they need at least one"},
      [&] { kr::convolve(x, none, border::wrap); });
  expect_usage({"convolve: the array of shape (0,2) has no elements"},
               [&] { kr::convolve(none, w); });
  EXPECT_EQ(kr::convolve(none, w, border::wrap).size(), 0);
}

using Longs = std::vector<std::int64_t>;

TEST(Convolve, ByTransforms) {
  Random random(11);
  const auto some = [&](std::int64_t n) {
    std::vector<float> h;
    for (std::int64_t i = 0; i < n; ++i) h.push_back(float(random.below(2001) - 1000) / 1000);
    return kr::to_device(h);
  };
  const auto expect_near = [](const auto& got, const auto& wanted) {
    ASSERT_EQ(got.extents(), wanted.extents());
    EXPECT_LE(float(kr::max(kr::abs(got - wanted))), 4e-5f);
  };
  for (const char* mode : {"full", "same", "valid"}) {
    const auto line = some(301), weights = some(77);
    expect_near(kr::fftconvolve(line, weights, mode), kr::convolve(line, weights, mode));
    expect_near(kr::fftconvolve(weights, line, mode), kr::convolve(weights, line, mode));
    const auto x = some(12 * 9).reshape(12, 9), w = some(5 * 4).reshape(5, 4);
    expect_near(kr::fftconvolve(x.transpose(), w.flip(0), mode),
                kr::convolve(x.transpose(), w.flip(0), mode));
  }
  expect_usage({"mode must be one of 'full', 'same' or 'valid', not 'whole'"},
               [&] { kr::fftconvolve(some(3), some(3), "whole"); });
}

TEST(Scatter, OverlapIsCopied) {
  // Reversed in place: without a copy, elements would be read that were written before.
  const std::int64_t n = 100000;
  kr::array<std::int64_t> x = kr::arange(n);
  kr::scatter(x, x.copy().flip(), x);
  EXPECT_EQ(Longs(x.to_host()), Longs(kr::arange(n).flip().to_host()));
  kr::scatter(kr::arange(n), x, x);
  EXPECT_EQ(Longs(x.to_host()), Longs(kr::arange(n).flip().to_host()));
}

}  // namespace
