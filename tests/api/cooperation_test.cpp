// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that work together, as programs write it: votes of the block, what warps do, orders and
// scopes of atomics. Warps have the size that the device fixes, which the kernels read.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "expect.h"

namespace {

constexpr int block = 96, blocks = 3, threads = block * blocks;

int warp_size() {
  static const int size = [] {
    auto ask = kr::kernel(
        [](kr::view<int> to) { kr::if_(kr::grid() == 0, [&] { to[0] = kr::warp_size(); }); });
    std::vector<int> out(1);
    ask.launch({1, 1}, out);
    return out[0];
  }();
  return size;
}

std::vector<int> some_numbers() {
  std::vector<int> x(threads);
  for (int i = 0; i < threads; ++i) x[std::size_t(i)] = i * 7919 % 101 - 40;
  return x;
}

TEST(Cooperation, TheBlockVotes) {
  auto kernel = kr::kernel(
      [](kr::view<const int> x, kr::view<int> count, kr::view<int> all, kr::view<int> any) {
        auto i = kr::grid();
        auto positive = x[i] > 0;
        count[i] = kr::syncthreads_count(positive);
        all[i] = kr::select(kr::syncthreads_and(x[i] > -30), 1, 0);
        any[i] = kr::select(kr::syncthreads_or(x[i] == 7), 1, 0);
      });
  std::vector<int> x = some_numbers(), count(threads), all(threads), any(threads);
  for (int i = 0; i < block; ++i) x[std::size_t(i)] = i;  // no block is like another
  kernel.launch({blocks, block}, x, count, all, any);
  for (int b = 0; b < blocks; ++b) {
    int positive = 0, above = 1, seven = 0;
    for (int t = 0; t < block; ++t) {
      const int v = x[std::size_t(b * block + t)];
      positive += v > 0, above &= v > -30, seven |= v == 7;
    }
    for (int t = 0; t < block; ++t) {
      const auto i = std::size_t(b * block + t);
      ASSERT_EQ(count[i], positive);
      ASSERT_EQ(all[i], above);
      ASSERT_EQ(any[i], seven);
    }
  }
}

TEST(Cooperation, WarpsUnderACondition) {
  if (const std::string why = krait::test::no_warps(); !why.empty()) GTEST_SKIP() << why;
  auto kernel = kr::kernel([](kr::view<const int> x, kr::view<int> leader, kr::view<int> same,
                              kr::view<int> sum, kr::view<int> before, kr::view<int> first,
                              kr::view<std::uint64_t> active) {
    auto i = kr::grid();
    auto v = x[i];
    active[i] = kr::warp::active_mask();
    same[i] = kr::select(kr::warp::match_all(v), 1, 0) +
              kr::select(kr::warp::match_all(kr::block_idx().x), 2, 0);
    first[i] = kr::warp::broadcast(v, 1);
    kr::if_(v > 0, [&] {
      leader[i] = kr::select(kr::warp::elect(), 1, 0);
      sum[i] = kr::warp::reduce(v);
      before[i] = kr::warp::exclusive_scan(v, kr::combine::max);
    });
    kr::syncwarp();
  });
  const int warp = warp_size();
  std::vector<int> x = some_numbers(), leader(threads), same(threads), sum(threads),
                   before(threads), first(threads);
  std::vector<std::uint64_t> active(threads);
  for (int i = 0; i < warp; ++i) x[std::size_t(i)] = 5;
  kernel.launch({blocks, block}, x, leader, same, sum, before, first, active);
  for (int at_block = 0; at_block < threads; at_block += block)
    for (int start = at_block; start < at_block + block; start += warp) {
      const int end = std::min(start + warp, at_block + block);
      int total = 0, leaders = 0, most = std::numeric_limits<int>::min();
      bool equal = true;
      for (int i = start; i < end; ++i) {
        const int v = x[std::size_t(i)];
        equal &= v == x[std::size_t(start)];
        if (v > 0) total += v;
      }
      for (int i = start; i < end; ++i) {
        const auto at = std::size_t(i);
        EXPECT_EQ(active[at],
                  end - start == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << (end - start)) - 1);
        EXPECT_EQ(same[at], (equal ? 1 : 0) + 2);
        EXPECT_EQ(first[at], x[std::size_t(start) + 1]);
        if (x[at] <= 0) continue;
        EXPECT_EQ(leader[at], leaders++ == 0 ? 1 : 0) << i;
        EXPECT_EQ(sum[at], total);
        EXPECT_EQ(before[at], most);
        most = std::max(most, x[at]);
      }
    }
}

/// Beside a loop: all, none, one and some lanes, arrays shorter than a warp, and elements of every
/// size. What lies behind the packed elements stays as it was.
template <class Type>
void pack_and_unpack() {
  auto pack = kr::kernel([](kr::view<const Type> x, kr::view<const int> keep, kr::view<Type> to,
                            kr::view<Type> back, kr::view<int> count) {
    kr::var n = 0;
    for (auto i : kr::range(0, kr::cast<int>(x.size()), kr::warp_size())) {
      auto own = i + kr::lane_id();
      kr::var before = n;
      kr::if_(own < kr::cast<int>(x.size()), [&] {
        auto chosen = keep[own] != 0;
        n += kr::warp::packed_store(to, before, x[own], chosen);
        kr::syncwarp();
        back[own] = kr::warp::packed_load(to, kr::cast<std::int64_t>(before), chosen);
      });
      n = kr::warp::reduce(n, kr::combine::max);
    }
    kr::if_(kr::lane_id() == 0, [&] { count[0] = n; });
  });
  for (const int size : {1, 7, 31, 32, 33, 64, 100, 1000})
    for (const int every : {1, 2, 3, 40, 5000}) {
      const auto n = std::size_t(size);
      std::vector<Type> x(n), packed(n + 40, Type(77)), back(n), wanted = packed, apart(n);
      std::vector<int> keep(n), count(1);
      std::size_t kept = 0;
      for (std::size_t i = 0; i < n; ++i) {
        x[i] = Type(i * 7919 % 101), keep[i] = int(i * i + 3) % every == every - 1;
        if (keep[i]) wanted[kept++] = x[i], apart[i] = x[i];
      }
      pack.launch({1, warp_size()}, x, keep, packed, back, count);
      ASSERT_EQ(std::size_t(count[0]), kept) << size << ", " << every;
      ASSERT_EQ(packed, wanted) << size << ", " << every;
      ASSERT_EQ(back, apart) << size << ", " << every;
    }
}
TEST(Cooperation, LanesPackTheirValues) {
  if (const std::string why = krait::test::no_warps(); !why.empty()) GTEST_SKIP() << why;
  pack_and_unpack<std::uint8_t>();
  pack_and_unpack<std::int16_t>();
  pack_and_unpack<float>();
  pack_and_unpack<std::uint32_t>();
  pack_and_unpack<double>();
  pack_and_unpack<std::int64_t>();
}

/// The chosen lanes' values come to the first lanes, whichever lanes those are.
TEST(Cooperation, LanesPackInRegisters) {
  if (const std::string why = krait::test::no_warps(); !why.empty()) GTEST_SKIP() << why;
  auto pack = kr::kernel([](kr::view<const float> x, kr::view<const int> keep, kr::view<float> y) {
    auto i = kr::grid();
    y[i] = kr::warp::pack(x[i], keep[i] != 0);
  });
  const int lanes = warp_size();
  std::vector<float> x(std::size_t(lanes), 0);
  for (int i = 0; i < lanes; ++i) x[std::size_t(i)] = float(i) + 0.5f;
  for (unsigned pattern = 0; pattern < 40; ++pattern) {
    std::vector<int> keep(std::size_t(lanes), 0);
    std::vector<float> y(std::size_t(lanes), 7), wanted;
    for (int i = 0; i < lanes; ++i) {
      const unsigned mixed = (unsigned(i) + 1) * 2654435761u * (pattern + 1);
      keep[std::size_t(i)] = pattern == 0 ? 0 : pattern == 1 ? 1 : int(mixed >> 27) % 3 == 0;
      if (keep[std::size_t(i)]) wanted.push_back(x[std::size_t(i)]);
    }
    wanted.resize(std::size_t(lanes), 0);
    pack.launch({1, lanes}, x, keep, y);
    ASSERT_EQ(y, wanted) << pattern;
  }
}

TEST(Cooperation, PackedLanesOutOfRange) {
  if (const std::string why = krait::test::no_warps(); !why.empty()) GTEST_SKIP() << why;
  auto pack = kr::kernel(
      [](kr::view<const int> x, kr::view<int> y) {
        auto i = kr::grid();
        kr::warp::packed_store(y, 2, x[i], x[i] > 0);
      },
      {.name = "beyond", .checked = true});
  std::vector<int> x(std::size_t(warp_size()), 1), y(4);
  try {
    pack.launch({1, warp_size()}, x, y);
    FAIL() << "an index out of range is not reported";
  } catch (const kr::error& e) {
    const std::string_view text = e.what();
    EXPECT_NE(text.find("out of bounds: store to parameter 2 at (4), extents (4)"), text.npos)
        << text;
    EXPECT_NE(text.find("cooperation_test.cpp"), text.npos) << text;
  }
}

TEST(Cooperation, OrdersAndScopesOfAtomics) {
  auto kernel = kr::kernel([](kr::view<unsigned> data, kr::view<std::uint64_t> wide) {
    auto own = kr::shared<unsigned, 2>();
    auto t = kr::thread_idx().x;
    kr::if_(t < 2, [&] { own[t] = 0; });
    kr::syncthreads();
    kr::atomic(own[0]).add(1, kr::order::acq_rel, kr::scope::block);
    kr::atomic(own[1]).max(kr::cast<unsigned>(t), kr::order::release);
    kr::atomic(data[0]).add(1, kr::order::relaxed, kr::scope::system);
    kr::atomic(data[1]).inc(9, kr::order::acq_rel, kr::scope::device);
    kr::atomic(data[2]).dec(9, kr::order::acquire);
    kr::atomic(wide[0]).xor_(kr::value<std::uint64_t>(std::uint64_t(1)) << (t % 48),
                             kr::order::release, kr::scope::device);
    kr::atomic(wide[1]).compare_exchange(0u, kr::cast<std::uint64_t>(t + 1), kr::order::acq_rel);
    kr::fence(kr::scope::block), kr::fence(), kr::fence(kr::scope::system);
    kr::syncthreads();
    kr::if_(t == 0, [&] {
      kr::atomic(data[3]).add(own[0]);
      kr::atomic(data[4]).max(own[1]);
      kr::atomic(data[5]).max(kr::atomic(data[0]).load(kr::order::acquire));
    });
  });
  std::vector<unsigned> data(6);
  std::vector<std::uint64_t> wide(2);
  kernel.launch({blocks, block}, data, wide);
  EXPECT_EQ(data[0], unsigned(threads));
  EXPECT_EQ(data[1], unsigned(threads % 10));
  EXPECT_EQ(data[2], unsigned((10 - threads % 10) % 10));
  EXPECT_EQ(data[3], unsigned(threads));
  EXPECT_EQ(data[4], unsigned(block - 1));
  EXPECT_GE(data[5], 1u);
  EXPECT_EQ(wide[0], 0u);  // each bit an even number of times
  EXPECT_GE(wide[1], 1u);
  EXPECT_LE(wide[1], unsigned(block));
}

TEST(Cooperation, RandomIntegersOfARange) {
  auto kernel = kr::kernel(
      [](kr::value<std::uint64_t> seed, kr::view<unsigned> dice, kr::view<std::uint64_t> wide) {
        auto i = kr::grid();
        auto random = kr::philox(seed, i, 0);
        dice[i] = random.below(1, 6);
        wide[i] = random.long_below(1, std::uint64_t(1) << 40);
      });
  std::vector<unsigned> dice(threads);
  std::vector<std::uint64_t> wide(threads);
  kernel.launch({blocks, block}, 42u, dice, wide);
  std::vector<int> seen(6);
  for (int i = 0; i < threads; ++i) {
    const auto host = kr::philox(std::uint64_t(42), std::int64_t(i), 0);
    ASSERT_LT(dice[std::size_t(i)], 6u);
    EXPECT_EQ(dice[std::size_t(i)], host.below(1, 6u));
    EXPECT_EQ(wide[std::size_t(i)], host.long_below(1, std::uint64_t(1) << 40));
    ++seen[dice[std::size_t(i)]];
  }
  for (const int n : seen) EXPECT_GT(n, 0);
}

}  // namespace
