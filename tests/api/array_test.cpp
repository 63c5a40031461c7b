// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// krait::array: memory on a device.
#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "expect.h"

using krait::test::expect_library_works;
using krait::test::expect_usage;

namespace {

static_assert(!std::is_copy_constructible_v<kr::array<float>> &&
              !std::is_copy_assignable_v<kr::array<float>>);
static_assert(std::is_nothrow_move_constructible_v<kr::array<float>> &&
              std::is_nothrow_move_assignable_v<kr::array<float>>);

TEST(Array, CopiesBothWays) {
  const std::vector<float> h{1, 2, 3, 4, 5, 6};
  kr::array<float, 2> a({2, 3});
  EXPECT_EQ(a.size(), 6);
  EXPECT_EQ(a.extent(0), 2);
  EXPECT_EQ(a.extent(1), 3);
  EXPECT_EQ(a.bytes(), 24u);
  EXPECT_NE(a.address(), 0u);
  a.copy_from(h);
  std::vector<float> back = a.to_host();
  EXPECT_EQ(back, h);
  std::vector<float> resized;
  a.copy_to(resized);
  EXPECT_EQ(resized, h);
  std::array<float, 6> fixed{};
  a.copy_to(fixed);
  EXPECT_EQ(fixed[5], 6.0f);
  const auto host = a.to_host();
  EXPECT_EQ(host.size(), 6u);
  EXPECT_EQ(host[2], 3.0f);
  float sum = 0;
  for (float x : host) sum += x;
  EXPECT_EQ(sum, 21.0f);
  kr::array<float, 2> other(2, 3);
  other.copy_from(a);
  EXPECT_EQ(std::vector<float>(other.to_host()), h);
}

TEST(Array, EveryWayToGiveExtents) {
  const int rows = 2;
  const std::int64_t cols = 3;
  const std::size_t depth = 4;
  EXPECT_EQ((kr::array<float, 2>({rows, cols}).size()), 6);
  EXPECT_EQ((kr::array<float, 2>({depth, depth}).size()), 16);
  EXPECT_EQ((kr::array<float, 2>({rows, rows}, kr::device::cpu()).size()), 4);
  EXPECT_EQ((kr::array<float, 3>(rows, cols, depth).size()), 24);
  EXPECT_EQ((kr::array<float, 2>(kr::shape<2>(rows, depth)).size()), 8);
  EXPECT_EQ(kr::array<float>({5}).size(), 5);
  EXPECT_EQ(kr::array<float>(5).size(), 5);
  EXPECT_EQ(kr::array<float>(depth).size(), 4);
  EXPECT_EQ((kr::array<float, 4>({1, 2, 3, 4}).extent(3)), 4);
}

TEST(Array, MovesAndLeavesAnEmptyOne) {
  kr::array<int> a = kr::to_device(std::vector<int>{1, 2, 3});
  const std::uint64_t address = a.address();
  kr::array<int> b = std::move(a);
  EXPECT_EQ(b.address(), address);
  EXPECT_EQ(a.size(), 0);  // NOLINT: used after the move on purpose
  EXPECT_TRUE(std::vector<int>(a.to_host()).empty());
  a = std::move(b);
  EXPECT_EQ(std::vector<int>(a.to_host()), (std::vector<int>{1, 2, 3}));
}

TEST(Array, EmptyOnes) {
  kr::array<float> none(0), standard;
  kr::array<float, 3> flat(4, 0, 7);
  EXPECT_EQ(none.size() + standard.size() + flat.size(), 0);
  EXPECT_EQ(none.address(), 0u);
  none.copy_from(std::vector<float>{});
  EXPECT_TRUE(std::vector<float>(flat.to_host()).empty());
  kr::array<float> from_empty = kr::to_device(std::vector<float>{});
  EXPECT_EQ(from_empty.size(), 0);
  auto k = kr::kernel([](kr::view<float> x) {
    for (auto i : kr::grid_stride(x.size())) x[i] = 1.0f;
  });
  k.launch({2, 32}, none);
  k.forall(10)(standard);
}

TEST(Array, WrongCountsAndExtents) {
  kr::array<int> a = kr::to_device(std::vector<int>{1, 2, 3});
  const std::vector<int> four(4);
  std::array<int, 2> two{};
  expect_usage({"copy_from", "4 elements", "3"}, [&] { a.copy_from(four); });
  expect_usage({"copy_to", "2 elements", "3"}, [&] { a.copy_to(two); });
  kr::array<int> shorter(2);
  expect_usage({"copy_from"}, [&] { a.copy_from(shorter); });
  kr::array<int, 2> wide(2, 3), high(3, 2);
  expect_usage({"copy_from", "(3,2)", "(2,3)"}, [&] { wide.copy_from(high); });
  EXPECT_EQ(std::vector<int>(a.to_host()), (std::vector<int>{1, 2, 3}));
  expect_usage({"negative", "-1"}, [] { kr::array<int> x(-1); });
  expect_usage({"negative", "extent(1)"}, [] { kr::array<int, 2> x(3, -7); });
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  expect_usage({"2^62 bytes"}, [&] { kr::array<int> x(huge); });
  expect_usage({"2^62 bytes"}, [&] { kr::array<int, 4> x(huge, huge, huge, huge); });
  expect_usage({"2^62 bytes"}, [&] { kr::array<int, 4> x(huge, huge, huge, 0); });
  // 2^64
  expect_usage({"2^62 bytes"}, [] { kr::array<kr::vec<double, 4>> x(std::int64_t(1) << 59); });
  expect_usage({"2^62 bytes"}, [] {
    kr::array<kr::vec<double, 4>>::wrap(64, kr::shape<1>(std::int64_t(1) << 59), kr::device());
  });
  expect_library_works();
}

TEST(Array, MoreMemoryThanThereIs) {
  krait::test::expect_error(kr::error::kind_type::device, {"memory"},
                            [] { kr::array<double> x(std::int64_t(1) << 50); });
  expect_library_works();
}

TEST(Array, WrapsMemoryOfOthers) {
  std::vector<int> mine{1, 2, 3, 4};
  {
    auto a = kr::array<int, 2>::wrap(reinterpret_cast<std::uint64_t>(mine.data()),
                                     kr::shape<2>(2, 2), kr::device::cpu());
    auto k = kr::kernel([](kr::view<int, 2> x) { x(1, 0) = 30; });
    k.launch({1, 1}, a);
  }
  EXPECT_EQ(mine, (std::vector<int>{1, 2, 30, 4}));
  expect_usage({"array::wrap got a null address for {} bytes"},
               [] { kr::array<int>::wrap(0, kr::shape<1>(3), kr::device::cpu()); });
}

TEST(Array, Devices) {
  ASSERT_GE(kr::devices().size(), 1u);
  EXPECT_STREQ(kr::devices()[kr::devices().size() - 1].id(), "cpu");
  EXPECT_TRUE(kr::device::find("cpu") == kr::device::cpu());
  EXPECT_GT(kr::device::cpu().memory(), 0);
  EXPECT_EQ(std::string(kr::device::cpu().target()).rfind("cpu ", 0), 0u);
  expect_usage({"no device matches \"\"; available devices: "}, [] { kr::device::find(nullptr); });
  EXPECT_TRUE(kr::array<int>(3).device() == kr::device());
}

}  // namespace
