// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of bools and of narrow integers.
#include <cstdint>
#include <type_traits>
#include <vector>

#include "expect.h"

using krait::test::expect_usage;

namespace {

TEST(NarrowIntegers, UpperHalvesOfProducts) {
  auto high = kr::vectorize([](auto x, auto y) { return kr::mul_hi(x, y); });
  const std::vector<std::uint8_t> x{200, 255, 16, 15};
  EXPECT_EQ(high(x, x), (std::vector<std::uint8_t>{156, 254, 1, 0}));
  const std::vector<std::int16_t> y{-32768, 32767, 256, -256};
  EXPECT_EQ(high(y, y), (std::vector<std::int16_t>{16384, 16383, 1, 1}));
  EXPECT_EQ(kr::mul_hi(std::uint8_t(200), std::uint8_t(200)), 156);
  static_assert(std::is_same_v<decltype(kr::mul_hi(std::uint8_t(), std::uint8_t())), std::uint8_t>);
}

/// All pairs of two bools, as bytes.
const std::vector<unsigned char> left{0, 0, 1, 1}, right{0, 1, 0, 1};

TEST(Bools, MinimumAndMaximum) {
  auto least = kr::vectorize([](auto x, auto y) { return kr::min(x != 0, y != 0); });
  EXPECT_EQ(least(left, right), (std::vector<unsigned char>{0, 0, 0, 1}));
  auto most = kr::vectorize([](auto x, auto y) { return kr::max(x != 0, y != 0); });
  EXPECT_EQ(most(left, right), (std::vector<unsigned char>{0, 1, 1, 1}));
  auto plain = kr::vectorize([](auto x, auto y) { return kr::max(kr::min(x != 0, true), kr::min(false, y != 0)); });
  EXPECT_EQ(plain(left, right), (std::vector<unsigned char>{0, 0, 1, 1}));
  EXPECT_EQ(kr::min(true, false), false);
  EXPECT_EQ(kr::max(true, false), true);
  static_assert(std::is_same_v<decltype(kr::min(true, false)), bool>);
}

TEST(Bools, OneOperandThatFolds) {
  auto least = kr::vectorize([](auto x) { return kr::min(x >= x, x > 0); });
  EXPECT_EQ(least(std::vector<int>{-1, 0, 1, 2}), (std::vector<unsigned char>{0, 0, 1, 1}));
  auto most = kr::vectorize([](auto x) { return kr::max(x < x, x > 0); });
  EXPECT_EQ(most(std::vector<int>{-1, 0, 1, 2}), (std::vector<unsigned char>{0, 0, 1, 1}));
}

TEST(Bools, Clamp) {
  auto whole = kr::vectorize([](auto x) { return kr::clamp(x != 0, false, true); });
  EXPECT_EQ(whole(left), left);
  auto none = kr::vectorize([](auto x, auto y) { return kr::clamp(x != 0, y != 0, y != 0); });
  EXPECT_EQ(none(left, right), right);
}

TEST(Bools, Vectors) {
  auto least = kr::vectorize([](auto x, auto y) {
    const auto low = kr::min(kr::make_vec(x != 0, x == 0), kr::make_vec(y != 0, y == 0));
    return kr::cast<int>(low.x) + 2 * kr::cast<int>(low.y);
  });
  EXPECT_EQ(least(left, right), (std::vector<int>{2, 0, 0, 1}));
}

enum class Switch : bool { off, on };

TEST(Bools, EnumerationsOfBools) {
  auto order = kr::vectorize([](auto x, auto y) {
    const auto a = kr::cast<Switch>(x != 0), b = kr::cast<Switch>(y != 0);
    return kr::select(a < b, 1, kr::select(a == b, 0, -1)) + 10 * kr::cast<int>(kr::max(a, b) == Switch::on);
  });
  EXPECT_EQ(order(left, right), (std::vector<int>{0, 11, 9, 10}));
}

TEST(Bools, ArithmeticIsOfInts) {
  auto sums = kr::vectorize([](auto x, auto y) {
    const auto a = x != 0, b = y != 0;
    return kr::abs(a) + 2 * kr::mad(a, b, b) + 8 * kr::sad(a, b, a) + 64 * kr::cast<int>(a < b);
  });
  EXPECT_EQ(sums(left, right), (std::vector<unsigned>{0, 74, 17, 13}));
}

TEST(Bools, WarpReductionsNameTheirOwnWords) {
  const auto k = kr::kernel([](kr::view<int> y) {
    y[kr::grid()] = kr::cast<int>(kr::warp::reduce(y[kr::grid()] > 0, kr::combine::max));
  });
  std::vector<int> y(32);
  expect_usage({"warp reductions and scans are of numbers", "kr::warp::any"}, [&] { k.launch({1, 32}, y); });
}

}  // namespace
