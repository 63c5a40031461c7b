// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that wait for each other: kr::grid_sync() on every device that has it, and what others
// say.
#include <numeric>
#include <vector>

#include "expect.h"

namespace {

using krait::test::expect_library_works;
using krait::test::expect_usage;
using krait::test::place;

/// Those that have barriers of the grid.
std::vector<kr::device> devices() {
  std::vector<kr::device> all{kr::device::find("cpu"), kr::device::find("interpreter")};
  for (const kr::device& other : kr::devices())
    if (std::string(other.id()) == "cuda:0") all.push_back(other);
  return all;
}

/// A ring of numbers that moves by `shift` places a round, each number growing by one.
auto ring() {
  return kr::kernel(
      [](kr::view<int> x, kr::view<int> y, kr::value<int> shift, kr::value<int> rounds) {
        for (auto round : kr::range(rounds)) {
          (void)round;
          for (auto i : kr::grid_stride(x.size())) y[i] = x[(i + shift) % x.size()] + 1;
          kr::grid_sync();
          for (auto i : kr::grid_stride(x.size())) x[i] = y[i];
          kr::grid_sync();
        }
      },
      {.name = "ring"});
}

TEST(GridSync, BlocksSeeWhatOthersWrote) {
  constexpr int n = 1000, shift = 333, rounds = 7;
  auto kernel = ring();
  for (const kr::device& on : devices())
    for (const auto& [grid, block] : {std::pair(1, 1), std::pair(1, 128), std::pair(8, 1),
                                      std::pair(5, 33), std::pair(12, 64)}) {
      std::vector<int> from(n);
      std::iota(from.begin(), from.end(), 0);
      kr::array<int> x({n}, on), y({n}, on);
      x.copy_from(from);
      kernel.launch({grid, block}, x, y, shift, rounds);
      const std::vector<int> got = x.to_host();
      for (int i = 0; i < n; ++i)
        ASSERT_EQ(got[std::size_t(i)], (i + shift * rounds) % n + rounds)
            << on.id() << ", " << grid;
    }
}

TEST(GridSync, BetweenBarriersOfTheBlock) {
  constexpr int blocks = 6, threads = 64;
  auto kernel = kr::kernel([](kr::view<const int> x, kr::view<int> partial, kr::view<int> out) {
    auto tile = kr::shared<int, threads>();
    auto t = kr::thread_idx().x;
    kr::var mine = x[kr::grid()];
    tile[t] = mine;
    kr::syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
      kr::if_(t < half, [&] { tile[t] += tile[t + half]; });
      kr::syncthreads();
    }
    kr::if_(t == 0, [&] { partial[kr::block_idx().x] = tile[0]; });
    kr::grid_sync();
    kr::var sum = 0;
    for (auto b : kr::range(partial.size())) sum += partial[b];
    out[kr::grid()] = sum + mine;  // what a thread holds survives
  });
  std::vector<int> x(blocks * threads);
  std::iota(x.begin(), x.end(), 5);
  const int sum = std::accumulate(x.begin(), x.end(), 0);
  for (const kr::device& on : devices()) {
    kr::array<int> in({blocks * threads}, on), partial({blocks}, on), out({blocks * threads}, on);
    in.copy_from(x);
    kernel.launch({blocks, threads}, in, partial, out);
    const std::vector<int> got = out.to_host();
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], sum + x[i]) << on.id();
  }
}

TEST(GridSync, InCalledFunctionsUnderConditionsOfTheLaunch) {
  auto meet = kr::function([](kr::view<int> counter) {
    kr::if_(kr::thread_idx().x == 0, [&] { kr::atomic(counter[0]).add(1); });
    kr::grid_sync();
  });
  auto kernel =
      kr::kernel([&](kr::view<int> counter, kr::view<int, 2> seen, kr::value<bool> often) {
        meet(counter);
        kr::if_(often, [&] { meet(counter); });
        auto [column, row] = kr::grid<2>();
        seen(row, column) = counter[0];
      });
  for (const kr::device& on : devices())
    for (const bool often : {false, true}) {
      kr::array<int> counter({1}, on);
      kr::array<int, 2> seen({10, 16}, on);
      counter.copy_from(std::vector<int>{0});
      kernel.launch({{2, 2}, {8, 5}}, counter, seen, often);
      const std::vector<int> got = seen.to_host();
      for (int i = 0; i < 10 * 16; ++i) ASSERT_EQ(got[std::size_t(i)], often ? 40 : 20) << on.id();
    }
}

TEST(GridSync, LaunchesThatDoNotFit) {
  auto kernel = ring();
  for (const char* name : {"cpu", "interpreter"}) {
    kr::array<int> x({4}, kr::device::find(name)), y({4}, kr::device::find(name));
    const char* const message =
        std::string(name) == "cpu"
            ? "kernel ring ({}): 1025 blocks meet at kr::grid_sync(), but the CPU runs at most 1024 at once: launch fewer blocks, each with more of the work"
            : "kernel ring ({}): 1025 blocks meet at kr::grid_sync(), but the interpreter runs at most 1024 at once: launch fewer blocks, each with more of the work";
    expect_usage({message}, [&] { kernel.launch({1025, 1}, x, y, 1, 1); });
    kernel.launch({64, 1}, x, y, 1, 1);
  }
  for (const kr::device& gpu : devices()) {
    if (!std::string(gpu.id()).starts_with("cuda")) continue;
    kr::array<int> x({4}, gpu), y({4}, gpu);
    expect_usage(
        {"kernel ring", ": 1000000 blocks of 64 threads meet at kr::grid_sync(), but cuda:0 "},
        [&] {
          kernel.launch({1'000'000, 64}, x, y, 1, 1);
        });
    kernel.launch({64, 1}, x, y, 1, 1);
  }
  expect_library_works();
}

TEST(GridSync, BlocksThatDoNotCome) {
  auto kernel = kr::kernel(
      [](kr::view<int> x) {
        kr::if_(kr::block_idx().x < 3, [] { kr::grid_sync(); });
        x[kr::grid()] = 1;
      },
      {.name = "some"});
  kr::array<int> x({5}, kr::device::find("cpu")), y({5}, kr::device::find("interpreter"));
  expect_usage(
      {"kernel some ({}): {} of 5 blocks ended while others waited for them at kr::grid_sync(): "
       "every block must "
       "reach it as often as the others"},
      [&] {
        kernel.launch({5, 1}, x);
      });
  EXPECT_EQ(std::vector<int>(x.to_host()), std::vector<int>(5, 1)) << "the others went on";
  expect_usage({"kernel some", "grid_barrier: 2 of 5 blocks do not arrive, block (0, 0, 0)"}, [&] {
    kernel.launch({5, 1}, y);
  });
  expect_library_works();
}

TEST(GridSync, ThreadsThatMayNotCome) {
  auto kernel =
      kr::kernel([](kr::view<int> x) { kr::if_(x[kr::grid()] > 0, [] { kr::grid_sync(); }); },
                 {.name = "few"});
  kr::array<int> x({4}, kr::device::find("cpu"));
  krait::test::expect_error(
      kr::error::kind_type::compile,
      {"kernel few", "only some threads of a block may reach grid_sync() at "}, [&] {
        kernel.launch({1, 4}, x);
      });
}

TEST(GridSync, DevicesThatDoNotHaveIt) {
  auto kernel = kr::kernel(
      [](kr::view<int> x) {
        x[kr::grid()] = 1;
        kr::grid_sync();
      },
      {.name = "meeting"});
  kr::array<int> x({4}, kr::device::find("cpu"));
  kernel.launch({2, 2}, x);
  const auto refused = [&](const auto& inspect) {
    krait::test::expect_error(
        kr::error::kind_type::compile,
        {"kernel meeting: grid_sync() at ", "grid_sync_test.cpp:",
         " needs a CUDA device, the CPU or the interpreter: other devices do not promise that all blocks of a launch run at once. End the kernel there, and launch another one for the rest."},
        inspect);
  };
  refused([&] { kernel.spirv(); });
  refused([&] { kernel.wgsl(); });
  const std::string ptx(kernel.ptx().data());
  EXPECT_NE(ptx.find("fence.acq_rel.gpu"), ptx.npos) << ptx;
  EXPECT_NE(ptx.find("ld.relaxed.gpu"), ptx.npos) << ptx;
}

TEST(GridSync, RacesAreThoseOfWhatNoBarrierOrders) {
  const kr::device on = kr::device::find("interpreter");
  auto neighbours = kr::kernel(
      [](kr::view<int> x, kr::view<int> y, kr::value<bool> waits) {
        auto i = kr::grid();
        x[i] = 1;
        kr::if_(waits, [] { kr::grid_sync(); });
        y[i] = x[(i + 1) % x.size()];
      },
      {.name = "neighbours"});
  kr::array<int> x({4}, on), y({4}, on);
  neighbours.launch({4, 1}, x, y, true);
  EXPECT_EQ(std::vector<int>(y.to_host()), std::vector<int>(4, 1));
  expect_usage({"data race", "read by thread 0 of block "}, [&] {
    neighbours.launch({4, 1}, x, y, false);
  });
}

}  // namespace
