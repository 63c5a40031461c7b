// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Up to the limits of devices and beyond: what the library hides (folded grids, arguments in
// memory) and what it refuses, on whichever device the tests run.
#include <cstdint>
#include <utility>
#include <vector>

#include "expect.h"

namespace {

using krait::test::expect_error;
using krait::test::expect_library_works;
using krait::test::expect_usage;
using krait::test::no_warps;

/// A kernel on the device goes on to work.
void expect_device_works() {
  kr::array<int> x = kr::to_device(std::vector<int>{1, 2, 3});
  const auto add = kr::vectorize([](auto a, auto b) { return a + b; });
  EXPECT_EQ(std::vector<int>(add(x, x).to_host()), (std::vector<int>{2, 4, 6}));
  expect_library_works();
}

/// Vulkan devices take 65,535 workgroups a dimension for certain, and Krait folds what goes beyond;
/// CUDA takes as many along y and z.
TEST(Limits, GridsOfMoreBlocksThanADeviceTakes) {
  auto count = kr::kernel([](kr::view<int> blocks) {
    auto b = kr::block_idx(), n = kr::grid_dim();
    kr::atomic(blocks[(b.z * n.y + b.y) * n.x + b.x]).add(1);
  });
  for (const kr::dims grid : {kr::dims{70'001}, kr::dims{2, 66'000}, kr::dims{1, 2, 65'537}}) {
    std::vector<int> blocks(std::size_t(grid.x * grid.y * grid.z));
    if (std::string(kr::device().id()).starts_with("cuda") &&
        (grid.y > 65'535 || grid.z > 65'535)) {
      expect_usage({"exceeds the limit of cuda", "2147483647 x 65535 x 65535"}, [&] {
        count.launch({grid, 1}, blocks);
      });
      continue;
    }
    count.launch({grid, 1}, blocks);
    EXPECT_EQ(blocks, std::vector<int>(blocks.size(), 1))
        << grid.x << " x " << grid.y << " x " << grid.z;
  }
}

TEST(Limits, BlocksBeyondTheDevicesAreRefusedWithItsLimit) {
  auto fill = kr::kernel([](kr::view<int> out) { out[kr::thread_idx().x] = 1; }, {.name = "fill"});
  kr::array<int> out(64);
  const char* id = kr::device().id();
  expect_usage({"fill", "block", "99999 x 1 x 1", id}, [&] { fill.launch({1, 99'999}, out); });
  expect_usage({"fill", "block", "512 x 512 x 1", id}, [&] {
    fill.launch({1, kr::dims{512, 512}}, out);
  });
  fill.launch({1, 64}, out);
  EXPECT_EQ(std::vector<int>(out.to_host()), std::vector<int>(64, 1));
}

/// 128 bytes are what every Vulkan device has for push constants.
TEST(Limits, ArgumentsBeyondThoseOfPushConstants) {
  auto sum =
      kr::kernel([](kr::view<double> out, auto... x) { out[kr::thread_idx().x] = (x + ...); });
  kr::array<double> out(8);
  const auto launch = [&]<std::size_t... I>(std::index_sequence<I...>, double first) {
    sum.launch({1, 8}, out, first + double(I)...);
  };
  for (int round = 0; round < 100; ++round) launch(std::make_index_sequence<60>{}, round);
  EXPECT_EQ(std::vector<double>(out.to_host()), std::vector<double>(8, 60 * 99 + 59 * 60 / 2));
}

TEST(Limits, TooManyArgumentsAreRefused) {
  auto sum =
      kr::kernel([](kr::view<double> out, auto... x) { out[0] = (x + ...); }, {.name = "sum"});
  kr::array<double> out(1);
  const auto launch = [&]<std::size_t... I>(std::index_sequence<I...>) {
    sum.launch({1, 1}, out, double(I)...);
  };
  expect_usage({"kernel sum{}: a kernel can have at most 255 parameters; this call passes 301"},
               [&] { launch(std::make_index_sequence<300>{}); });
  expect_device_works();
}

TEST(Limits, MoreMemoryThanTheDeviceHas) {
  for (int i = 0; i < 3; ++i)
    expect_error(kr::error::kind_type::device, {"memory"},
                 [] { kr::array<double> x(std::int64_t(1) << 45); });
  expect_device_works();
}

/// What is compiled for a device without a type says which feature is missing.
TEST(Limits, FeaturesThatADeviceLacksAreNamed) {
  const auto expect_missing = [](const auto& kernel, const char* target, const char* feature) {
    expect_error(kr::error::kind_type::compile,
                 {feature, "which the device lacks", "limits_test.cpp:"},
                 [&] { kernel.spirv(target); });
  };
  const auto copies = []<class T>(T) {
    auto k =
        kr::kernel([](kr::view<T> x) { x[kr::thread_idx().x] = x[kr::thread_idx().x + 1] + T(1); });
    kr::array<T> x(2);
    k.launch({1, 1}, x);
    return k;
  };
  expect_missing(copies(1.0), "spirv features=i64", "\"f64\"");
  expect_missing(copies(kr::f16(1.0f)), "spirv features=i64", "\"i16\"");
  EXPECT_NE(std::string(copies(kr::f16(1.0f)).spirv("spirv features=i64,i16")).find("OpEntryPoint"),
            std::string::npos);  // computed as f32
  expect_missing(copies(std::int8_t(1)), "spirv features=i64", "\"i8\"");
  expect_missing(copies(std::int16_t(1)), "spirv features=i64", "\"i16\"");
  expect_missing(copies(std::int64_t(1)), "spirv features=f64", "\"i64\"");
  auto votes = kr::kernel([](kr::view<int> x) { x[kr::thread_idx().x] = kr::warp::any(x[0] > 0); });
  kr::array<int> x(1);
  if (no_warps().empty()) {
    votes.launch({1, 1}, x);
    expect_missing(votes, "spirv features=i64", "\"warp\"");
  } else {
    expect_error(
        kr::error::kind_type::compile,
        {"operation warp_any",
         "needs sub-groups (the device feature \"warp\"), which Krait does not use on OpenCL",
         "limits_test.cpp:"},
        [&] {
          votes.launch({1, 1}, x);
        });
  }
  auto counts = kr::kernel([](kr::view<std::uint64_t> n) { kr::atomic(n[0]).add(1); });
  kr::array<std::uint64_t> n(1);
  counts.launch({1, 1}, n);
  expect_missing(counts, "spirv features=i64", "\"a64\"");
  expect_library_works();
}

}  // namespace
