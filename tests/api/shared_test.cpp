// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared arrays that are sized at launch, and large ones.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "expect.h"

using krait::test::expect_library_works;
using krait::test::expect_usage;

namespace {

/// Sums over a neighbourhood through a tile with margins; the weights lie in an array of another
/// type behind it.
auto blur = kr::kernel(
    [](kr::view<const int> in, kr::view<double> out, kr::value<int> radius) {
      auto t = kr::thread_idx().x, width = kr::block_dim().x, i = kr::grid();
      auto tile = kr::dynamic_shared<int>(width + 2 * radius);
      auto weights = kr::dynamic_shared<double>(2 * radius + 1);
      auto sizes = kr::dynamic_shared<std::int64_t>(2);
      for (auto k : kr::range(t, tile.size(), width)) {
        auto from = kr::block_idx().x * width + k - radius;
        tile[k] = kr::select(
            from >= 0 && from < in.size(), [&] { return in[from]; }, 0);
      }
      for (auto k : kr::range(t, weights.size(), width)) weights[k] = 1.0 / kr::cast<double>(k + 1);
      kr::if_(t == 0, [&] { sizes[0] = tile.size(), sizes[1] = weights.size(); });
      kr::syncthreads();
      kr::var sum = 0.0;
      for (auto k : kr::range(sizes[1])) sum += weights[k] * kr::cast<double>(tile[t + k]);
      kr::if_(i < out.size(), [&] { out[i] = sum + kr::cast<double>(sizes[0]) * 1e6; });
    },
    {.name = "blur", .fp = kr::fp::strict});

TEST(Shared, LengthsFollowTheLaunch) {
  std::vector<int> in(500);
  for (int i = 0; i < 500; ++i) in[std::size_t(i)] = i * 7919 % 1000;
  for (const int block : {32, 50, 128})
    for (const int radius : {0, 1, 5, 40}) {
      std::vector<double> out(in.size()), expected(in.size());
      const std::int64_t blocks = (500 + block - 1) / block;
      blur.launch({blocks, block}, in, out, radius);
      for (int i = 0; i < 500; ++i) {
        double sum = 0;
        for (int k = 0; k <= 2 * radius; ++k) {
          const int from = i + k - radius;
          sum += 1.0 / double(k + 1) * double(from >= 0 && from < 500 ? in[std::size_t(from)] : 0);
        }
        expected[std::size_t(i)] = sum + double(block + 2 * radius) * 1e6;
      }
      ASSERT_EQ(out, expected) << "blocks of " << block << ", radius " << radius;
    }
}

TEST(Shared, LengthsFollowExtents) {
  auto reverse = kr::kernel([](kr::view<int> x) {
    auto all = kr::dynamic_shared<int>(x.size());
    auto t = kr::thread_idx().x;
    all[t] = x[t];
    kr::syncthreads();
    x[t] = all[all.size() - 1 - t];
  });
  for (const std::size_t n : {1u, 33u, 256u}) {
    std::vector<int> x(n), expected(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = int(i), expected[i] = int(n - 1 - i);
    reverse.launch({1, std::int64_t(n)}, x);
    EXPECT_EQ(x, expected);
  }
}

TEST(Shared, ReplayedByAGraphWithItsLength) {
  auto fill = kr::kernel([](kr::view<int> x, kr::value<int> n) {
    auto row = kr::dynamic_shared<int>(n);
    for (auto i : kr::range(row.size())) row[i] = kr::cast<int>(i);
    x[0] += row[n - 1];
  });
  kr::array<int> x = kr::to_device(std::vector<int>{0});
  kr::graph g([&] { fill.launch({1, 1}, x, 10), fill.launch({1, 1}, x, 1000); });
  g.launch(), g.launch();
  EXPECT_EQ(std::vector<int>(x.to_host()), std::vector<int>{2 * (9 + 999)});
}

TEST(Shared, MisuseIsRefused) {
  std::vector<int> host(1);
  expect_usage(
      {"the length of dynamic_shared{} depends on {}: it must be computed from arguments, extents, block_dim and "
       "grid_dim, which are known before the launch",
       "shared_test.cpp", "depends on load",
       "the length of dynamic_shared{} depends on {}: it must be computed from arguments, extents, block_dim and "
       "grid_dim, which are known before the launch"},
      [&] {
        kr::kernel([](kr::view<int> x) {
          auto a = kr::dynamic_shared<int>(x[0]);
          a[0] = 1;
          x[0] = a[0];
        }).launch({1, 1}, host);
      });
  auto first = kr::kernel(
      [](kr::view<int> x, kr::value<int> n) {
        auto a = kr::dynamic_shared<int>(n);
        a[0] = 1;
        x[0] = a[0];
      },
      {.name = "first"});
  expect_usage({"kernel first", "dynamic_shared of -5 elements of 4 bytes"}, [&] {
    first.launch({1, 1}, host, -5);
  });
  first.launch({1, 1}, host, 5);
  EXPECT_EQ(host[0], 1);
  expect_usage(
      {"dynamic_shared inside a branch or loop: declare it before that, as its length is computed before the kernel runs"},
      [&] {
        kr::kernel([](kr::view<int> x, kr::value<int> n) {
          kr::if_(n > 0, [&] { x[0] = kr::dynamic_shared<int>(n)[0]; });
        }).launch({1, 1}, host, 5);
      });
  expect_usage(
      {"dynamic_shared inside a kr::function: declare it in the kernel and pass it, as its length is computed before "
       "the kernel runs"},
      [&] {
        auto first_of = kr::function([](kr::value<int> n) {
          auto a = kr::dynamic_shared<int>(n);
          a[0] = n;
          return kr::value<int>(a[0]);
        });
        kr::kernel([=](kr::view<int> x, kr::value<int> n) {
          x[0] = first_of(n);
        }).launch({1, 1}, host, 5);
      });
  expect_usage({"dynamic_shared of 0 elements"}, [&] {
    kr::kernel([](kr::view<int> x) { x[0] = kr::dynamic_shared<int>(0)[0]; }).launch({1, 1}, host);
  });
  expect_library_works();
}

TEST(Local, LongArraysStartAsZerosEachTime) {
  auto k = kr::kernel([](kr::view<double> x, kr::value<int> trips) {
    auto t = kr::thread_idx().x;
    kr::var sum = 0.0;
    for (auto trip : kr::range(trips)) {
      auto numbers = kr::local<int, 1100>();
      auto vectors = kr::local<kr::vec<double, 3>, 5, 20>();
      auto flags = kr::local<bool, 150>();
      for (auto i : kr::range(1100)) sum += kr::cast<double>(numbers[i]);
      for (auto i : kr::range(100)) {
        auto v = vectors(i / 20, i % 20);
        sum += v.x + v.y + v.z;
      }
      for (auto i : kr::range(150)) sum += kr::select(flags[i], 1.0, 0.0);
      numbers[1000 + t] = 1, vectors(4, 19).z = 1.0, flags[149 - t] = true;
      sum += 1000.0 * kr::cast<double>(numbers[1000 + t] + kr::cast<int>(trip));
    }
    x[t] = sum;
  });
  std::vector<double> x(40);
  k.launch({1, 40}, x, 3);
  EXPECT_EQ(x, std::vector<double>(40, 6000));
}

TEST(Shared, MoreThan48KiBNeedNoWord) {
  auto large = kr::kernel(
      [](kr::view<double> x) {
        auto tile = kr::shared<double, 8000>();
        auto t = kr::thread_idx().x;
        for (auto i : kr::range(t, 8000, kr::block_dim().x)) tile[i] = kr::cast<double>(i);
        kr::syncthreads();
        x[t] = tile[7999 - t];
      },
      {.name = "large"});
  std::vector<double> x(64);
  const char* device = std::getenv("KRAIT_DEVICE");
  // lavapipe has 32 KiB, NVIDIA's driver 48
  if (device && std::string(device).starts_with("vulkan")) {
    expect_usage({"kernel large", "64000 bytes of shared memory", kr::device().name(), "has "},
                 [&] {
                   large.launch({1, 64}, x);
                 });
    return;
  }
  large.launch({1, 64}, x);
  for (int t = 0; t < 64; ++t) EXPECT_EQ(x[std::size_t(t)], 7999 - t);
}

}  // namespace
