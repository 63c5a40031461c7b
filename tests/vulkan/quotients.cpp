// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quotients and remainders of 64-bit integers with and without the driver's division.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include <random>

#include "device.h"

namespace krait::test {
namespace {

/// Operands of every length, both signs, and what stands at edges.
std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> operands() {
  const std::uint64_t edges[] = {0,
                                 1,
                                 2,
                                 3,
                                 10,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 0x100000000,
                                 0x100000001,
                                 0x5555555555555555,
                                 0x7fffffffffffffff,
                                 0x8000000000000000,
                                 0x8000000000000001,
                                 0xfffffffffffffffe,
                                 0xffffffffffffffff};
  std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> of;
  const auto add = [&](std::uint64_t x, std::uint64_t y) {
    of.first.push_back(std::int64_t(x)), of.second.push_back(std::int64_t(y));
  };
  for (std::uint64_t x : edges)
    for (std::uint64_t y : edges) add(x, y);
  const unsigned seed = std::random_device()();
  testing::Test::RecordProperty("seed", std::to_string(seed));
  std::mt19937_64 random(seed);
  for (unsigned m = 0; m < 64; ++m)
    for (unsigned n = 0; n < 64; ++n) {
      const std::uint64_t x = random() >> m, y = random() >> n;
      add(x, y), add(0 - x, y);
      add((y | 1) * (random() >> 1 >> (63 - n)), y | 1);  // multiples, and what is next to them
      add((y | 1) * (random() >> 1 >> (63 - n)) - 1, y | 1);
    }
  return of;
}

TEST(VulkanOps, QuotientsOfIntegersWithoutADivision) {
  if (!device()) GTEST_SKIP() << why_no_device();
  std::string target = support::print(device()->target());
  if (target.find("quot64") == target.npos) target.insert(target.find(" subgroup="), ",quot64");
  const auto [x, y] = operands();
  ASSERT_EQ(x.size() % 64, 0u);
  const Argument none = array(std::vector<std::int64_t>(x.size()));
  const auto difference = [&](const char* type, const std::string& divisor) {
    return difference_on_device(kernel_of("quotients", {{"T", type}, {"DIVISOR", divisor}}),
                                line(std::int64_t(x.size()) / 64, 64),
                                {array(x), array(y), none, none}, target);
  };
  for (const char* type : {"i64", "u64"}) {
    EXPECT_EQ(difference(type, "load %1, %4"), "");
    for (std::uint64_t by :
         {std::uint64_t(1), std::uint64_t(3), std::uint64_t(58), std::uint64_t(4096),
          std::uint64_t(0x80000006), std::uint64_t(0xcccccccccccccccd), std::uint64_t(1) << 63,
          ~std::uint64_t(0)}) {
      const std::string of =
          type == std::string("i64") ? fmt::format("{}", std::int64_t(by)) : fmt::format("{}", by);
      EXPECT_EQ(difference(type, "const " + of), "") << type << " by " << of;
    }
  }
}

}  // namespace
}  // namespace krait::test
