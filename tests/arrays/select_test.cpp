// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chosen elements, runs, segments and searches, against loops on the host.
#include <krait/algorithm/indexing.h>
#include <krait/algorithm/select.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "arrays/algorithm_cases.h"

using krait::test::expect_usage;

namespace {

std::vector<int> numbers(krait::test::Random& random, std::int64_t most, std::int64_t different) {
  std::vector<int> h(std::size_t(random.size(most)));
  for (int& x : h) x = int(random.below(different)) - int(different / 2);
  return h;
}
template <class Elem>
std::vector<std::remove_const_t<Elem>> host(const kr::array<Elem>& x) {
  return std::vector<std::remove_const_t<Elem>>(x.to_host());
}

TEST(Select, ByACondition) {
  krait::test::Random random(30);
  for (int i = 0; i < krait::test::cases() + 3; ++i) {
    std::vector<int> h = i ? numbers(random, 50000, 20) : std::vector<int>();
    const kr::array<int> x = kr::to_device(h);
    const auto positive = [](auto v) { return v > 0; };
    std::vector<int> wanted;
    std::copy_if(h.begin(), h.end(), std::back_inserter(wanted), positive);
    EXPECT_EQ(host(kr::copy_if(x, positive)), wanted);
    const auto parts = kr::partition(x, positive);
    EXPECT_EQ(parts.count, std::int64_t(wanted.size()));
    std::stable_partition(h.begin(), h.end(), positive);
    EXPECT_EQ(host(parts.elements), h);
  }
}

/// Sizes around a part of a processor's thread, with parts of which all, none or the last elements
/// are chosen: what a thread writes ahead is none of another one's.
TEST(Select, Parts) {
  constexpr std::int64_t part = 1 << 14;
  const auto check = [](const auto& h) {
    using Elem = typename std::remove_cvref_t<decltype(h)>::value_type;
    const auto odd = [](auto v) { return v % 2 == 1; };
    const auto x = kr::to_device(h);
    std::vector<Elem> chosen;
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < h.size(); ++i)
      if (odd(h[i])) chosen.push_back(h[i]), places.push_back(std::int64_t(i));
    EXPECT_EQ(host(kr::copy_if(x, odd)), chosen) << h.size();
    EXPECT_EQ(host(kr::flatnonzero(x % Elem(2) == Elem(1))), places) << h.size();
    std::vector<Elem> parted = h;
    std::stable_partition(parted.begin(), parted.end(), odd);
    EXPECT_EQ(host(kr::partition(x, odd).elements), parted) << h.size();
  };
  krait::test::Random random(34);
  for (const std::int64_t n : {part - 1, part, part + 1, 2 * part + 7, 3 * part}) {
    std::vector<std::uint8_t> bytes;
    std::vector<std::int64_t> words;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t k = i / part;
      bytes.push_back(static_cast<std::uint8_t>(random.below(256)));
      words.push_back(2 * i + (k == 0 ? 1 : k == 1 ? 0 : n - i < 3));
    }
    check(bytes), check(words);
  }
}

TEST(Select, RunsAndDifferentElements) {
  krait::test::Random random(31);
  for (int i = 0; i < krait::test::cases() + 3; ++i) {
    std::vector<int> h = i ? numbers(random, 50000, 1 + random.below(100)) : std::vector<int>();
    std::vector<int> values;
    std::vector<std::int64_t> lengths;
    for (std::size_t k = 0; k < h.size(); ++k) {
      if (k == 0 || h[k] != h[k - 1]) values.push_back(h[k]), lengths.push_back(0);
      ++lengths.back();
    }
    const auto runs = kr::run_length_encode(kr::to_device(h));
    EXPECT_EQ(host(runs.values), values);
    EXPECT_EQ(host(runs.lengths), lengths);
    const auto different = kr::unique(kr::to_device(h));
    std::sort(h.begin(), h.end());
    h.erase(std::unique(h.begin(), h.end()), h.end());
    EXPECT_EQ(host(different), h);
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto of_floats =
      kr::unique(kr::to_device(std::vector<float>{nan, 1, 0.0f, -0.0f, nan, 1})).to_host();
  ASSERT_EQ(of_floats.size(), 3u);
  EXPECT_TRUE(of_floats[0] == 0 && of_floats[1] == 1 && std::isnan(of_floats[2]));
}

TEST(Select, Segments) {
  krait::test::Random random(32);
  // keeps an order
  const auto last_not_0 = [](auto a, auto b) { return kr::select(b != 0, b, a); };
  for (int i = 0; i < krait::test::cases() + 3; ++i) {
    std::vector<int> h = i ? numbers(random, 50000, 5) : std::vector<int>();
    std::vector<std::int64_t> offsets{0};
    for (std::int64_t s = random.below(200); s > 0; --s)
      offsets.push_back(random.below(std::int64_t(h.size()) + 1));
    offsets.push_back(std::int64_t(h.size()));
    std::sort(offsets.begin(), offsets.end());
    std::vector<int> scanned(h.size()), sorted = h, reduced;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      int state = 0;
      for (auto k = std::size_t(offsets[s]); k < std::size_t(offsets[s + 1]); ++k)
        scanned[k] = state = h[k] ? h[k] : state;
      reduced.push_back(state ? state : 77);
      std::sort(sorted.begin() + offsets[s], sorted.begin() + offsets[s + 1]);
    }
    const kr::array<int> x = kr::to_device(h);
    const kr::array<std::int64_t> at = kr::to_device(offsets);
    EXPECT_EQ(host(kr::segmented_scan(x, at, last_not_0)), scanned);
    EXPECT_EQ(host(kr::segmented_reduce(x, at, last_not_0, 77)), reduced);
    EXPECT_EQ(host(kr::segmented_sort(x, at)), sorted);
  }
}

// By blocks, as a GPU with warps of 32 sorts them, and by threads, as a CPU does.
TEST(Select, SegmentsByThemselves) {
  krait::test::Random random(33);
  namespace detail = krait::detail;
  const auto of = [&]<class Key>(const detail::algorithm_device& how, Key, std::int64_t most) {
    std::vector<Key> h;
    std::vector<std::int64_t> offsets{0};
    for (const std::int64_t length :
         {most, std::int64_t(0), std::int64_t(1), random.below(most),
          random.below(std::min<std::int64_t>(most, 300)), std::int64_t(0)}) {
      for (std::int64_t i = 0; i < length; ++i)
        h.push_back(Key(std::int64_t(random.bits() % 5000) - 2500));
      offsets.push_back(std::int64_t(h.size()));
    }
    const auto x = kr::to_device(h);
    const auto at = kr::to_device(offsets);
    kr::array<Key> sorted(std::int64_t(h.size()));
    detail::sort_segments(how, detail::order_of<Key>(false), detail::erased(x),
                          detail::erased(sorted), at.share(), most);
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      std::sort(h.begin() + offsets[s], h.begin() + offsets[s + 1]);
    EXPECT_EQ(host(sorted), h) << sizeof(Key) << " bytes, " << most;
  };
  for (const auto& how : krait::test::forms()) {
    if (how.form == detail::algorithm_form::blocks) continue;
    of(how, int(), 5120), of(how, int(), 2048), of(how, float(), 700), of(how, double(), 3584);
    of(how, std::uint8_t(), 3000), of(how, std::int16_t(), 129), of(how, float(), 30);
  }
}

// Several segments begin at one place: one thread marks it.
TEST(Select, EmptySegmentsAreNoRace) {
  const kr::device interpreter = kr::device::find("interpreter");
  const auto plus = [](auto a, auto b) { return a + b; };
  const auto x = kr::to_device({1, 2, 4}, interpreter);
  const auto at = kr::to_device(std::vector<std::int64_t>{0, 0, 2, 2, 2, 3, 3}, interpreter);
  EXPECT_EQ(host(kr::segmented_reduce(x, at, plus, 10)),
            (std::vector<int>{10, 13, 10, 10, 14, 10}));
  EXPECT_EQ(host(kr::segmented_scan(x, at, plus)), (std::vector<int>{1, 3, 4}));
}

TEST(Select, BadOffsets) {
  const auto plus = [](auto a, auto b) { return a + b; };
  const kr::array<int> x = kr::to_device({1, 2, 4}), none(0);
  const auto offsets = [](std::int64_t first, std::int64_t second, std::int64_t third) {
    return kr::to_device({first, second, third});
  };
  const auto refused = [&](const char* text, const auto& from, const auto& at) {
    expect_usage({text}, [&] { kr::segmented_reduce(from, at, plus, 0), kr::synchronize(); });
    expect_usage({text}, [&] { kr::segmented_scan(from, at, plus), kr::synchronize(); });
    expect_usage({text}, [&] { kr::segmented_sort(from, at), kr::synchronize(); });
  };
  refused("offsets(2) is 4, which is out of range for 3 elements", x, offsets(0, 1, 4));
  refused("offsets(0) is -1, which is out of range for 3 elements", x, offsets(-1, 0, 3));
  refused("offsets(1) is 2, and the next one 1: offsets must not decrease", x, offsets(0, 2, 1));
  refused("offsets(2) is 1, which is out of range for 0 elements", none, offsets(0, 0, 1));
}

// Ties, all equal, −0 and NaN, integers of each size, and views.
TEST(Select, FewOfALongRow) {
  krait::test::Random random(17);
  const auto expect_top = [&]<class Key>(const std::vector<Key>& h, std::int64_t k) {
    std::vector<std::int64_t> order(h.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
      const Key x = h[std::size_t(a)], y = h[std::size_t(b)];
      return x == x && (y != y || x > y);
    });
    order.resize(std::size_t(k));
    const auto own = kr::to_device(h);
    EXPECT_EQ(host(kr::top_k(own, k).places), order)
        << h.size() << " of " << sizeof(Key) << " bytes, " << k;
    const auto column = kr::top_k(own(kr::all, kr::newaxis), k, kr::axis(0));
    EXPECT_EQ(column.values.extents(), (kr::shape<2>(k, 1)));
    EXPECT_EQ(host(column.places.reshape(-1)), order);
  };
  const auto of = [&]<class Key>(Key, int different, std::int64_t length, std::int64_t k) {
    std::vector<Key> h(static_cast<std::size_t>(length));
    for (Key& x : h) x = Key(random.below(different) - (std::is_signed_v<Key> ? different / 2 : 0));
    if constexpr (std::is_floating_point_v<Key>)
      h[5] = Key(-0.0), h[6] = 0, h[9] = h[200] = std::numeric_limits<Key>::quiet_NaN();
    expect_top(h, k);
  };
  for (const int different : {1, 3, 200, 1000000}) {
    of(float(), different, 40000, 1 + random.below(2500));
    of(std::uint32_t(), different, 40001, 1 + random.below(2500));
  }
  if (krait::test::cases() == 1) return;  // each type of key has kernels of its own
  of(double(), 1000, 33000, 100);
  of(std::int8_t(), 100, 33000, 1000);
  of(std::uint16_t(), 60000, 33000, 2000);
  of(std::int64_t(), 1 << 30, 33000, 7);
}

TEST(Select, TopK) {
  kr::array<float, 2> x(2, 4);
  x.copy_from(std::vector<float>{3, 9, 3, std::numeric_limits<float>::quiet_NaN(), 5, 1, 7, 7});
  const auto largest = kr::top_k(x, 2);
  EXPECT_EQ(std::vector<float>(largest.values.to_host()), (std::vector<float>{9, 3, 7, 7}));
  EXPECT_EQ(std::vector<std::int64_t>(largest.places.to_host()),
            (std::vector<std::int64_t>{1, 0, 2, 3}));
  const auto of_columns = kr::top_k(x, 1, kr::axis(0));
  EXPECT_EQ(std::vector<float>(of_columns.values.to_host()), (std::vector<float>{5, 9, 7, 7}));
  EXPECT_EQ(kr::top_k(x, 9).values.extents(), (kr::shape<2>(2, 4)));
  expect_usage({"top_k: k is -1, and must be 0 or more"}, [&] { kr::top_k(x, -1); });
}

TEST(Search, PlacesInSortedArrays) {
  krait::test::Random random(33);
  for (int i = 0; i < krait::test::cases() + 2; ++i) {
    std::vector<int> h = i ? numbers(random, 5000, 300) : std::vector<int>();
    const std::vector<int> wanted = numbers(random, 3000, 400);
    std::sort(h.begin(), h.end());
    const kr::array<int> in = kr::to_device(h), x = kr::to_device(wanted);
    const auto left = host(kr::searchsorted(in, x)),
               right = host(kr::searchsorted(in, x, kr::side::right));
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      ASSERT_EQ(left[k], std::lower_bound(h.begin(), h.end(), wanted[k]) - h.begin());
      ASSERT_EQ(right[k], std::upper_bound(h.begin(), h.end(), wanted[k]) - h.begin());
    }
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const kr::array<float> in = kr::to_device(std::vector<float>{1, 2, nan, nan}),
                         x = kr::to_device(std::vector<float>{nan, 3, -0.0f});
  EXPECT_EQ(host(kr::searchsorted(in, x)), (std::vector<std::int64_t>{2, 2, 0}));
  EXPECT_EQ(host(kr::searchsorted(in, x, kr::side::right)), (std::vector<std::int64_t>{4, 2, 0}));
}

TEST(Search, ElementsByPlaces) {
  const kr::array<float> x = kr::to_device(std::vector<float>{5, 6, 7});
  const kr::array<int> places = kr::to_device(std::vector<int>{2, 0, 1});
  EXPECT_EQ(host(kr::gather(x, places)), (std::vector<float>{7, 5, 6}));
  kr::array<float> to(3);
  kr::scatter(x, places, to);
  EXPECT_EQ(host(to), (std::vector<float>{6, 7, 5}));
  expect_usage({"scatter", "(2,)", "(3,)"}, [&] { kr::scatter(x, kr::array<int>(2), to); });
}

}  // namespace
