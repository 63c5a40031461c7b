// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: launches are recorded, not run, and replayed in order with the arguments of the
// recording.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include <krait/krait.h>

#include "../support/says.h"

namespace kr = krait;

namespace {

TEST(Graph, ReplaysItsLaunchesInOrder) {
  auto scale = kr::kernel([](kr::view<int> x, kr::value<int> by) {
    for (auto i : kr::grid_stride(x.size())) x[i] = x[i] * by;
  });
  auto shift = kr::kernel([](kr::view<int> x, kr::value<int> by) {
    for (auto i : kr::grid_stride(x.size())) x[i] = x[i] + by;
  });
  kr::array<int> x = kr::to_device(std::vector<int>{1, 2, 3});
  kr::graph g([&] {
    scale.launch({1, 32}, x, 10);
    shift.launch({1, 32}, x, 1);
  });
  EXPECT_EQ(g.size(), 2u);
  const std::uint64_t before = kr::stats().launches();
  EXPECT_EQ(std::vector<int>(x.to_host()), (std::vector<int>{1, 2, 3}))
      << "nothing runs while recording";
  g.launch();
  EXPECT_EQ(std::vector<int>(x.to_host()), (std::vector<int>{11, 21, 31}));
  g.launch();
  g.launch();
  EXPECT_EQ(std::vector<int>(x.to_host()), (std::vector<int>{1111, 2111, 3111}));
  EXPECT_EQ(kr::stats().launches(), before + 6) << "launches of replays count";
}

TEST(Graph, KeepsTheMemoryOfArraysThatGo) {
  auto add = kr::vectorize([](auto x, auto y) { return x + y; });
  const std::int64_t before = kr::device().memory_use().used;
  {
    kr::array<int> x = kr::to_device(std::vector<int>{1, 2, 3});
    kr::graph g([&] {
      const kr::array<int> sum = add(x, x);  // gone when this returns
      add.into(x)(x, sum);
    });
    // Would be given the memory that the sum had.
    const kr::array<int> others[] = {kr::to_device(std::vector<int>(3, 7)),
                                     kr::to_device(std::vector<int>(3, 7))};
    g.launch();
    g.launch();
    EXPECT_EQ(std::vector<int>(x.to_host()), (std::vector<int>{9, 18, 27}));
    for (const kr::array<int>& other : others)
      EXPECT_EQ(std::vector<int>(other.to_host()), std::vector<int>(3, 7));
    const kr::graph keeps([&] { add.into(x)(x, 1); });
    x = {};
    EXPECT_GE(kr::device().memory_use().used, before + 12);
  }
  EXPECT_EQ(kr::device().memory_use().used, before);
}

TEST(Graph, RefusesWhatItCannotHold) {
  auto fill = kr::kernel([](kr::view<int> x) {
    for (auto i : kr::grid_stride(x.size())) x[i] = 7;
  });
  std::vector<int> host(4);
  try {
    kr::graph g([&] { fill.launch({1, 32}, host); });
    FAIL() << "a host container was taken";
  } catch (const kr::error& e) {
    EXPECT_EQ(e.kind(), kr::error::kind_type::usage);
    EXPECT_TRUE(krait::test::says(
        e.message(),
        "{} has host containers among its arguments, and a graph would copy their contents only once: use kr::array"))
        << e.message();
  }
  fill.launch({1, 32}, host);  // the failed recording is closed
  EXPECT_EQ(host, (std::vector<int>{7, 7, 7, 7}));
  EXPECT_THROW(kr::graph([&] { kr::graph inner([] {}); }), kr::error);
}

TEST(Inspection, OfTargetsWithoutTheirDevices) {
  auto saxpy = kr::kernel([](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
  });
  EXPECT_THROW(saxpy.ir(), kr::error) << "nothing was recorded yet";
  saxpy.compile();
  EXPECT_TRUE(std::strstr(saxpy.ir().c_str(), "grid_stride"));
  EXPECT_TRUE(std::strstr(saxpy.ptx(kr::target::sm(90)).c_str(), ".target sm_90"));
  EXPECT_TRUE(std::strstr(saxpy.ptx("sm_75").c_str(), ".target sm_75"));
  EXPECT_TRUE(std::strstr(saxpy.spirv().c_str(), "OpEntryPoint"));
  EXPECT_TRUE(std::strstr(saxpy.llvm(kr::target::cpu()).c_str(), "define"));
  EXPECT_THROW(kr::target("sm_10"), kr::error);
  EXPECT_THROW(kr::target("wasm"), kr::error);
  EXPECT_GT(saxpy.attributes().suggested_block, 0);
}

}  // namespace
