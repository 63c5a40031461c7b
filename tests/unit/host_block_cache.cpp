// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a device that are kept for arrays to come: sizes, and how many are kept.
#include "devices/block_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "support/seed.h"

namespace krait::host {
namespace {

TEST(BlockCache, RoundsUpByAnEighthAtMost) {
  std::mt19937_64 random(test::first_seed());
  for (int i = 0; i < 10000; ++i) {
    const std::size_t bytes = 1 + std::size_t(random() % BlockCache::largest),
                      rounded = BlockCache::rounded(bytes);
    EXPECT_GE(rounded, bytes);
    EXPECT_LE(rounded, bytes + bytes / 8 + 512) << bytes;
    EXPECT_EQ(BlockCache::rounded(rounded), rounded) << bytes;
  }
  EXPECT_EQ(BlockCache::rounded(1), 512u);
  EXPECT_EQ(BlockCache::rounded(BlockCache::largest), BlockCache::largest);
}

TEST(BlockCache, GivesBlocksThatAreLargeEnoughOnceEach) {
  BlockCache cache;
  std::mt19937_64 random(test::first_seed());
  std::map<std::uint64_t, std::size_t> asked;  // of the driver, by address
  std::vector<std::uint64_t> out;
  std::uint64_t fresh = 0, again = 0;
  for (int i = 0; i < 20000; ++i) {
    if (out.empty() || random() % 2) {
      const std::size_t bytes = 1 + std::size_t(random() % (std::size_t(1) << (random() % 21)));
      std::uint64_t address = cache.take(bytes);
      if (address) ++again;
      else address = ++fresh, asked[address] = BlockCache::rounded(bytes);
      EXPECT_GE(asked.at(address), bytes);
      EXPECT_EQ(std::ranges::count(out, address), 0) << "it is in use";
      out.push_back(address);
    } else {
      const std::size_t at = random() % out.size();
      (void)cache.keep(out[at], asked.at(out[at]));
      out.erase(out.begin() + std::ptrdiff_t(at));
    }
  }
  EXPECT_GT(again, 0u);
}

TEST(BlockCache, KeepsNoMoreThanItsShare) {
  BlockCache cache;
  std::uint64_t address = 1;
  std::size_t kept = 0;
  for (std::size_t bytes = 512; bytes <= BlockCache::largest;
       bytes = BlockCache::rounded(bytes + 1))
    for (int i = 0; i < 20; ++i) kept += cache.keep(address++, bytes) ? bytes : 0;
  EXPECT_LE(kept, BlockCache::most);
  EXPECT_FALSE(cache.keep(address, BlockCache::largest + 1));
  EXPECT_FALSE(cache.drain().empty());
  EXPECT_TRUE(cache.drain().empty());
  EXPECT_EQ(cache.take(512), 0u);
}

}  // namespace
}  // namespace krait::host
