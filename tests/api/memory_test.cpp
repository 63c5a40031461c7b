// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device's memory: what is used of it, the limit, memory of others, copies that leave the host's
// bytes alone, and the order of streams and events. All of it on whatever the default device is.
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "expect.h"

using krait::test::expect_error;
using krait::test::expect_library_works;
using krait::test::expect_usage;

namespace {

TEST(Memory, CountsWhatArraysUse) {
  const kr::device on;
  const std::int64_t before = on.memory_use().used;
  {
    kr::array<double> a(1000), b(500);
    EXPECT_EQ(on.memory_use().used, before + 12000);
    kr::array<double> moved = std::move(a);
    EXPECT_EQ(on.memory_use().used, before + 12000);
    const auto wrapped = kr::array<double>::wrap(moved.address(), kr::shape<1>(10), on);
    EXPECT_EQ(on.memory_use().used, before + 12000) << "memory of others is not ours";
  }
  EXPECT_EQ(on.memory_use().used, before);
  EXPECT_GE(on.memory_use().peak, before + 12000);
  EXPECT_GE(on.memory_use().reserved, on.memory_use().used);
  on.trim_memory();
  EXPECT_EQ(on.memory_use().used, before);
}

TEST(Memory, CountsNothingAfterCallsWithHostContainers) {
  const kr::device on;
  const std::int64_t before = on.memory_use().used;
  auto twice = kr::vectorize([](auto x) { return x + x; });
  EXPECT_EQ(twice(std::vector<int>{1, 2, 3}), (std::vector<int>{2, 4, 6}));
  EXPECT_EQ(on.memory_use().used, before);
}

/// Lifts the limit again.
struct Limited {
  kr::device on;
  explicit Limited(std::int64_t bytes) { on.limit_memory(bytes); }
  ~Limited() { on.limit_memory(0); }
};

TEST(Memory, LimitRefusesAndTheProcessGoesOn) {
  const kr::device on;
  const std::int64_t before = on.memory_use().used;
  kr::array<float> kept = kr::to_device(std::vector<float>{1, 2, 3});
  {
    const Limited limit(before + 10000);
    EXPECT_EQ(on.memory_use().limit, before + 10000);
    kr::array<float> fits(2000);
    expect_error(kr::error::kind_type::device, {"4000 bytes", "limit", "KRAIT_MEMORY_LIMIT"},
                 [] { kr::array<float> more(1000); });
    EXPECT_EQ(on.memory_use().used, before + 8012);
    EXPECT_EQ(std::vector<float>(kept.to_host()), (std::vector<float>{1, 2, 3}));
  }
  kr::array<float> more(1000);
  EXPECT_EQ(more.size(), 1000);
  expect_usage({"-1 bytes"}, [&] { on.limit_memory(-1); });
  expect_library_works();
}

TEST(Memory, CopiesReadTheHostBeforeTheyReturn) {
  // More than the chunks of a staged copy, and no multiple of one.
  std::vector<std::int32_t> h(7 * (1 << 19) + 1237);
  std::iota(h.begin(), h.end(), 5);
  const std::vector<std::int32_t> original = h;
  kr::array<std::int32_t> a(static_cast<std::int64_t>(h.size())), b(a.extents());
  a.copy_from(h);
  std::fill(h.begin(), h.end(), -1);
  b.copy_from(h);
  EXPECT_EQ(std::vector<std::int32_t>(a.to_host()), original);
  EXPECT_EQ(std::vector<std::int32_t>(b.to_host()), h);
  const auto part =
      kr::array<std::int32_t>::wrap(a.address() + 4 * 1000, kr::shape<1>(1 << 20), kr::device());
  EXPECT_EQ(
      std::vector<std::int32_t>(part.to_host()),
      std::vector<std::int32_t>(original.begin() + 1000, original.begin() + 1000 + (1 << 20)));
}

TEST(Memory, ArraysOfOthersTakePartInCalls) {
  kr::array<float> owner = kr::to_device(std::vector<float>{1, 2, 3, 4, 5, 6});
  auto rows = kr::array<float, 2>::wrap(owner.address(), kr::shape<2>(2, 3), kr::device());
  auto last =
      kr::array<float>::wrap(owner.address() + 5 * sizeof(float), kr::shape<1>(1), kr::device());
  auto scale = kr::kernel([](kr::view<float, 2> x, kr::value<float> by) {
    auto [c, r] = kr::grid<2>();
    kr::if_(c < x.extent(1) && r < x.extent(0), [&] { x(r, c) = x(r, c) * by; });
  });
  scale.launch({1, {4, 4}}, rows, 10.0f);
  auto add = kr::vectorize([](auto x, auto y) { return x + y; });
  add.into(last)(last, 1.0f);
  EXPECT_EQ(std::vector<float>(owner.to_host()), (std::vector<float>{10, 20, 30, 40, 50, 61}));
}

TEST(Streams, WaitForEventsOfOthers) {
  auto step = kr::kernel([](kr::view<int> x, kr::value<int> by, kr::value<int> plus) {
    for (auto i : kr::grid_stride(x.size())) x[i] = x[i] * by + plus;
  });
  const int n = 100'000;
  kr::stream first, second;
  kr::event done, start, end;
  kr::array<int> x = kr::to_device(std::vector<int>(n, 1));
  kr::device().synchronize();
  start.record(first);
  for (int i = 0; i < 5; ++i) step.launch({16, 64, first}, x, 2, 0);
  done.record(first);
  done.wait(second);
  step.launch({16, 64, second}, x, 1, 7);
  end.record(second);
  end.wait();
  EXPECT_GE(end.elapsed_ms_since(start), 0.0);
  EXPECT_EQ(std::vector<int>(x.to_host()), std::vector<int>(n, 32 + 7));
  EXPECT_TRUE(first.on() == kr::device());
}

TEST(Streams, OfOthersAreNotDestroyed) {
  auto fill = kr::kernel([](kr::view<int> x, kr::value<int> with) {
    for (auto i : kr::grid_stride(x.size())) x[i] = with;
  });
  kr::stream mine;
  kr::array<int> x(10);
  {
    kr::stream wrapped = kr::stream::wrap(mine.native(), kr::device());
    EXPECT_EQ(wrapped.native(), mine.native());
    fill.launch({1, 32, wrapped}, x, 3);
  }
  fill.launch({1, 32, mine}, x, 4);
  mine.synchronize();
  EXPECT_EQ(std::vector<int>(x.to_host()), std::vector<int>(10, 4));
}

TEST(Streams, ReplayGraphs) {
  auto step = kr::kernel([](kr::view<int> x) {
    for (auto i : kr::grid_stride(x.size())) x[i] = x[i] * 2 + 1;
  });
  kr::array<int> x = kr::to_device(std::vector<int>(1000, 0));
  kr::device().synchronize();
  kr::graph twice([&] {
    step.launch({4, 64}, x);
    step.launch({4, 64}, x);
  });
  kr::stream first, second;
  kr::event done;
  twice.launch(first);
  done.record(first);
  done.wait(second);
  twice.launch(second);
  second.synchronize();
  EXPECT_EQ(std::vector<int>(x.to_host()), std::vector<int>(1000, 15));
}

TEST(Devices, EachCanBeChosen) {
  auto fill = kr::kernel([](kr::view<int> x) {
    for (auto i : kr::grid_stride(x.size())) x[i] = kr::cast<int>(i) + 1;
  });
  for (const kr::device& d : kr::devices()) {
    kr::array<int> x(kr::shape<1>(3), d);
    fill.launch({1, 32}, x);
    EXPECT_TRUE(x.device() == d);
    EXPECT_EQ(std::vector<int>(x.to_host()), (std::vector<int>{1, 2, 3})) << d.id();
    EXPECT_TRUE(kr::device::find(d.id()) == d);
  }
}

/// On a machine with several GPUs these are pairs of GPUs too.
TEST(Devices, ExchangeArraysAndRefuseToMixThem) {
  auto add = kr::kernel([](kr::view<const int> x, kr::view<int> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[i] + y[i];
  });
  for (const kr::device& a : kr::devices())
    for (const kr::device& b : kr::devices()) {
      kr::array<int> x = kr::to_device(std::vector<int>(1000, 1), a),
                     y = kr::to_device(std::vector<int>(1000, 2), b);
      if (a != b) {
        expect_usage({a.id(), b.id()}, [&] { add.launch({4, 64}, x, y); });
        kr::array<int> moved(kr::shape<1>(1000), b);
        moved.copy_from(x);
        x = std::move(moved);
      }
      add.launch({4, 64}, x, y);
      EXPECT_EQ(std::vector<int>(y.to_host()), std::vector<int>(1000, 3))
          << a.id() << " and " << b.id();
    }
}

TEST(Devices, EachHasItsStreamsEventsAndGraphs) {
  auto step = kr::kernel([](kr::view<int> x) {
    for (auto i : kr::grid_stride(x.size())) x[i] = x[i] * 2 + 1;
  });
  for (const kr::device& d : kr::devices()) {
    kr::array<int> x = kr::to_device(std::vector<int>(1000, 0), d);
    d.synchronize();
    kr::stream first(d), second(d);
    kr::event done(d);
    const auto stepped_twice = [&] {
      step.launch({4, 64}, x);
      step.launch({4, 64}, x);
    };
    kr::graph twice(stepped_twice, d);
    twice.launch(first);
    done.record(first);
    done.wait(second);
    step.launch({4, 64, second}, x);
    second.synchronize();
    EXPECT_EQ(std::vector<int>(x.to_host()), std::vector<int>(1000, 7)) << d.id();
  }
}

TEST(Devices, AttributesOfCode) {
  auto fill = kr::kernel([](kr::view<float> x) {
    auto s = kr::shared<float, 64>();
    s[kr::thread_idx().x] = x[kr::grid()];
    kr::syncthreads();
    x[kr::grid()] = s[63 - kr::thread_idx().x];
  });
  kr::array<float> x(64);
  fill.launch({1, 64}, x);
  const auto a = fill.attributes();
  EXPECT_GT(a.suggested_block, 0);
  if (std::string(kr::device().id()).starts_with("cuda")) {
    EXPECT_GT(a.registers, 0);
    EXPECT_EQ(a.shared_bytes, 256);
    EXPECT_EQ(a.local_bytes, 0);
    EXPECT_GE(a.max_threads, 64);
    EXPECT_EQ(a.suggested_block % 32, 0);
  }
}

TEST(Memory, StreamingAccessesChangeNoResult) {
  auto k = kr::kernel([](kr::view<const float> x, kr::view<float> y, kr::view<std::int8_t> z) {
    for (auto i : kr::grid_stride(y.size())) {
      kr::store_streaming(y[i], kr::load_streaming(x[i]) * 2.0f + kr::load_streaming(y[i]));
      kr::store_streaming(z[i], 7);
    }
  });
  for (const std::size_t n : {1003, 4096}) {
    std::vector<float> x(n), y(n, 1.0f), expected(n);
    std::vector<std::int8_t> z(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = float(i), expected[i] = float(i) * 2.0f + 1.0f;
    k.forall(std::int64_t(n))(x, y, z);
    EXPECT_EQ(y, expected);
    EXPECT_EQ(z, std::vector<std::int8_t>(n, 7));
  }
  const auto ir = k.ir();
  EXPECT_NE(std::string(ir.c_str()).find("load.streaming %0"), std::string::npos) << ir.c_str();
  EXPECT_NE(std::string(ir.c_str()).find("store.streaming.i8 %2"), std::string::npos) << ir.c_str();
  EXPECT_EQ(std::string(ir.c_str()).find("load %1"), std::string::npos)
      << "a store's element is not loaded\n"
      << ir.c_str();
}

TEST(Memory, OnlyElementsAreLoadedStreaming) {
  auto k = kr::kernel(
      [](kr::view<const float> x, kr::view<float> y) { y[0] = kr::load_streaming(x[0] * 2.0f); });
  std::vector<float> x(4), y(4);
  expect_usage({"kr::load_streaming takes a subscripted element: kr::load_streaming(x[i])"}, [&] {
    k.launch({1, 1}, x, y);
  });
}

}  // namespace
