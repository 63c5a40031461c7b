// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histograms and sets against loops on the host.
#include <krait/algorithm/histogram.h>
#include <krait/algorithm/sets.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "arrays/algorithm_cases.h"

using krait::test::expect_usage;

namespace {

template <class Elem>
std::vector<std::remove_const_t<Elem>> host(const kr::array<Elem>& x) {
  return std::vector<std::remove_const_t<Elem>>(x.to_host());
}

/// Bins by their edges: no product can put an element beside its bin.
template <class T>
std::vector<std::int64_t> counted(const std::vector<T>& h, const std::vector<double>& edges) {
  std::vector<std::int64_t> counts(edges.size() - 1);
  for (const T x : h) {
    if (!(double(x) >= edges.front() && double(x) <= edges.back())) continue;
    const auto above = std::upper_bound(edges.begin(), edges.end(), double(x)) - edges.begin();
    ++counts[std::size_t(std::min<std::ptrdiff_t>(above, std::ptrdiff_t(counts.size())) - 1)];
  }
  return counts;
}

TEST(Histogram, OfEvenBins) {
  krait::test::Random random(40);
  for (int i = 0; i < krait::test::cases() + 4; ++i) {
    const std::int64_t bins = i == 0 ? 1 : i == 1 ? 5000 : 1 + random.below(300);
    const double low = double(random.below(50)) - 25, high = low + 1 + double(random.below(20));
    std::vector<double> edges, h(std::size_t(random.size(100000)));
    for (std::int64_t b = 0; b < bins; ++b)
      edges.push_back(low + double(b) * ((high - low) / double(bins)));
    edges.push_back(high);
    for (double& x : h) {
      x = double(random.below(60000)) / 1000 - 25;
      if (random.below(10) == 0) x = edges[std::size_t(random.below(bins + 1))];
      if (random.below(100) == 0) x = std::numeric_limits<double>::quiet_NaN();
    }
    EXPECT_EQ(host(kr::histogram(kr::to_device(h), bins, low, high)), counted(h, edges))
        << bins << " " << low << " " << high;
  }
}

/// As NumPy's: a quotient, then the bin's own edges, once. Where bins are a few steps of double
/// wide, that is not what their edges say.
TEST(Histogram, OfEvenBinsWhoseEdgesAreRounded) {
  krait::test::Random random(43);
  const auto of_range = [&](double low, double high, std::int64_t bins) {
    std::vector<double> h(2000);
    for (double& x : h) {
      x = std::min(low + (high - low) * (double(random.below(100001)) / 100000), high);
      if (random.below(4) == 0) x = std::nextafter(x, random.below(2) ? high : low);
    }
    const double step = (high - low) / double(bins);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(bins));
    for (const double x : h) {
      auto bin = std::min(std::int64_t((x - low) / (high - low) * double(bins)), bins - 1);
      if (x < low + double(bin) * step) --bin;
      else if (bin != bins - 1 && x >= low + double(bin + 1) * step) ++bin;
      ++counts[static_cast<std::size_t>(bin)];
    }
    EXPECT_EQ(host(kr::histogram(kr::to_device(h), bins, low, high)), counts)
        << bins << " from " << low << " to " << high;
  };
  of_range(1, 1 + 64 * std::numeric_limits<double>::epsilon(), 20);
  of_range(1e15, 1e15 + 1000, 300);
  of_range(-1e300, 1e300, 7);
  of_range(0, 1e-300, 64);
  of_range(0, 1e-310, 10);
  of_range(-0.1, 0.2, 30);
  of_range(1e6, 1e6 + 1, 5000);
}

TEST(Histogram, OfGivenBins) {
  krait::test::Random random(41);
  for (int i = 0; i < krait::test::cases() + 2; ++i) {
    std::vector<float> h(std::size_t(random.size(50000))), edges(std::size_t(2 + random.below(50)));
    for (float& e : edges) e = float(random.below(100));
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    if (edges.size() < 2) continue;
    for (float& x : h) x = float(random.below(1100)) / 10 - 5;
    EXPECT_EQ(host(kr::histogram(kr::to_device(h), kr::to_device(edges))),
              counted(h, {edges.begin(), edges.end()}));
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(host(kr::histogram(kr::to_device(std::vector<float>{nan, 1, 2, 3}),
                               kr::to_device(std::vector<float>{1, 2, 3}))),
            (std::vector<std::int64_t>{1, 2}));
}

TEST(Histogram, InGraphs) {
  const auto x = kr::to_device(std::vector<float>{0.1f, 0.2f, 0.7f});
  kr::array<std::int64_t> counts(2);
  kr::graph g([&] { kr::histogram(x, 2, 0, 1, kr::into(counts)); });
  g.launch();
  g.launch();
  // not those of both launches
  EXPECT_EQ(std::vector<std::int64_t>(counts.to_host()), (std::vector<std::int64_t>{2, 1}));
}

TEST(Histogram, BadInput) {
  const kr::array<float> x(4), one(1);
  expect_usage(
      {"histogram: 0 bins, from 0 to 1: use at least one bin, and finite bounds in ascending order"},
      [&] { kr::histogram(x, 0, 0, 1); });
  expect_usage({"histogram: 4 bins, from 2 to 1"}, [&] { kr::histogram(x, 4, 2, 1); });
  expect_usage({"histogram: at least two edges are needed, not 1"}, [&] { kr::histogram(x, one); });
  const auto refused = [&](const char* text, std::vector<float> edges) {
    const auto given = kr::to_device(edges);
    expect_usage({text}, [&] { kr::histogram(x, given), kr::synchronize(); });
  };
  refused("kr::histogram: edges(1) is 2, and the next one 1: edges must not decrease",
          {0, 2, 1, 3});
  refused("kr::histogram: edges(0) is nan, and the next one 1: edges must not decrease",
          {std::nanf(""), 1});
  const kr::device elsewhere =
      kr::device::find(std::string(kr::device().id()) == "interpreter" ? "cpu" : "interpreter");
  const kr::array<float> none(kr::shape<1>(0), elsewhere);
  expect_usage({"one call uses arrays on "}, [&] { kr::searchsorted(x, none); });
  expect_usage({"one call uses arrays on "}, [&] { kr::searchsorted(none, x); });
}

TEST(Sets, OfIntegers) {
  krait::test::Random random(42);
  for (int i = 0; i < krait::test::cases() + 3; ++i) {
    std::vector<int> a(std::size_t(i ? random.size(20000) : 0)), b(std::size_t(random.size(20000)));
    for (auto* h : {&a, &b})
      for (int& x : *h) x = int(random.below(3000));
    const kr::array<int> x = kr::to_device(a), y = kr::to_device(b);
    const kr::array<int> marks = kr::isin(x, y) + 0;
    const auto members = host(marks);
    const std::vector<int> raw = a;
    for (auto* h : {&a, &b})
      std::sort(h->begin(), h->end()), h->erase(std::unique(h->begin(), h->end()), h->end());
    for (std::size_t k = 0; k < raw.size(); ++k)
      ASSERT_EQ(members[k], std::binary_search(b.begin(), b.end(), raw[k]));
    const auto expect = [&](const kr::array<int>& got, auto algorithm) {
      std::vector<int> wanted;
      algorithm(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(wanted));
      EXPECT_EQ(host(got), wanted);
    };
    expect(kr::union1d(x, y), [](auto... of) { std::set_union(of...); });
    expect(kr::intersect1d(x, y), [](auto... of) { std::set_intersection(of...); });
    expect(kr::setdiff1d(x, y), [](auto... of) { std::set_difference(of...); });
    expect(kr::setxor1d(x, y), [](auto... of) { std::set_symmetric_difference(of...); });
  }
}

}  // namespace
