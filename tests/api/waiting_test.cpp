// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that wait for what others write: on the CPU, with one worker and several
// (KRAIT_NUM_THREADS), and on the interpreter. No program hangs in silence. KRAIT_WAIT_SECONDS is
// short here.
#include <krait/volatile.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"

using krait::test::expect_library_works;
using krait::test::expect_usage;
using krait::test::place;

namespace {

kr::array<int> zeros(std::int64_t n, const char* on = "cpu") {
  kr::array<int> x({n}, kr::device::find(on));
  x.fill(0);
  return x;
}
std::vector<int> host(const kr::array<int>& x) { return x.to_host(); }

const std::string left_waiting =
    "kernel {}: this loop waits for a value that nobody writes: all blocks of the launch that have begun wait, for {} s now, and "
    "no "
    "further one can begin. A thread may wait for another block, but not for its own. If more than {} blocks wait at once, it may not wait for one that has not begun. Put kr::syncthreads() or another launch between the write and the read";

/// Waits until x[i] is not 0.
void wait_for(const kr::view<int>& x, const kr::value<std::int64_t>& i) {
  kr::volatile_view v(x);
  kr::while_([&] { return v.load(i) == 0; }, [] {});
}

/// As slow/waits_for_block: a block before waits for one behind it.
TEST(Waiting, ForALaterBlock) {
  auto kernel = kr::kernel([](kr::view<int> flags) {
    auto block = kr::block_idx().x;
    kr::if_(block + 1 < kr::grid_dim().x, [&] { wait_for(flags, block + 1); });
    kr::atomic(flags[block]).exchange(1);
  });
  for (const int blocks : {2, 3, 40}) {
    auto flags = zeros(blocks);
    kernel.launch({blocks, 1}, flags);
    EXPECT_EQ(host(flags), std::vector<int>(std::size_t(blocks), 1));
  }
}

/// Those in between do not wait: they run, until the last one has written.
TEST(Waiting, ForTheLastOfManyBlocks) {
  auto kernel = kr::kernel([](kr::view<int> flags) {
    auto block = kr::block_idx().x;
    kr::if_(block == 0, [&] { wait_for(flags, flags.size() - 1); });
    kr::atomic(flags[block]).exchange(1);
  });
  auto flags = zeros(5000);
  kernel.launch({5000, 64}, flags);
  EXPECT_EQ(host(flags), std::vector<int>(5000, 1));
}

TEST(Waiting, EachForTheOneBefore) {
  auto kernel = kr::kernel([](kr::view<int> sums) {
    auto block = kr::block_idx().x;
    kr::var before = 0;
    kr::if_(block > 0, [&] {
      kr::while_([&] { return before == 0; },
                 [&] { before = kr::atomic(sums[block - 1]).load(kr::order::acquire); });
    });
    kr::atomic(sums[block]).exchange(before + 1, kr::order::release);
  });
  for (const char* on : {"cpu", "interpreter"}) {
    auto sums = zeros(1000, on);
    kernel.launch({1000, 1}, sums);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(host(sums)[std::size_t(i)], i + 1) << on;
  }
}

/// All blocks have begun and wait before the first one writes. The chain then takes longer than the
/// patience of the launch, but at no time is it without progress.
TEST(Waiting, AlongAChainOfBlocksThatAllBegan) {
  auto kernel = kr::kernel([](kr::view<int> sums, kr::view<int> begun) {
    auto block = kr::block_idx().x;
    kr::atomic(begun[block]).exchange(1);
    kr::if_(block == 0, [&] { wait_for(begun, begun.size() - 1); });
    kr::var before = 0;
    kr::if_(block > 0, [&] {
      kr::while_([&] { return before == 0; },
                 [&] { before = kr::atomic(sums[block - 1]).load(kr::order::acquire); });
    });
    kr::atomic(sums[block]).exchange(before + 1, kr::order::release);
  });
  auto sums = zeros(400), begun = zeros(400);
  kernel.launch({400, 1}, sums, begun);
  EXPECT_EQ(host(sums)[399], 400);
}

/// Look-back: the loop goes back over blocks that have only their own sum, and counts on its way.
TEST(Waiting, LooksBack) {
  auto kernel = kr::kernel([](kr::view<int> states, kr::view<int> values, kr::view<int> out) {
    auto block = kr::block_idx().x;
    kr::if_(kr::thread_idx().x == 0, [&] {
      kr::var sum = 0;
      kr::var<std::int64_t> at = block - 1;
      kr::var found = false;
      kr::atomic(states[block]).exchange(1, kr::order::release);
      kr::while_([&] { return at >= 0 && !found; },
                 [&] {
                   kr::value<int> state = kr::atomic(states[at]).load(kr::order::acquire);
                   kr::if_(state == 2,
                           [&] { sum = sum + kr::atomic(values[at]).load(), found = true; });
                   kr::if_(state == 1, [&] { sum = sum + 1, at = at - 1; });
                 });
      kr::atomic(values[block]).exchange(sum + 1);
      kr::atomic(states[block]).exchange(2, kr::order::release);
      out[block] = sum;
    });
  });
  for (const char* on : {"cpu", "interpreter"}) {
    auto states = zeros(300, on), values = zeros(300, on), out = zeros(300, on);
    kernel.launch({300, 32}, states, values, out);
    for (int i = 0; i < 300; ++i) ASSERT_EQ(host(out)[std::size_t(i)], i) << on;
  }
}

/// The index of a grid_stride loop, and global ids alone: such threads lie in blocks, too.
TEST(Waiting, InALoopOfTheGrid) {
  auto strided = kr::kernel([](kr::view<int> flags) {
    for (auto i : kr::grid_stride(flags.size())) {
      kr::if_(i + 64 < flags.size(), [&] { wait_for(flags, i + 64); });
      kr::atomic(flags[i]).exchange(1);
    }
  });
  auto ids = kr::kernel([](kr::view<int> flags) {
    auto i = kr::grid();
    kr::if_(i + 64 < flags.size(), [&] { wait_for(flags, i + 64); });
    kr::atomic(flags[i]).exchange(1);
  });
  auto flags = zeros(640), others = zeros(640);
  strided.launch({10, 64}, flags);
  ids.launch({10, 64}, others);
  EXPECT_EQ(host(flags), std::vector<int>(640, 1));
  EXPECT_EQ(host(others), std::vector<int>(640, 1));
}

TEST(Waiting, InAFunction) {
  auto wait = kr::function([](kr::view<int> flags, kr::value<int> i) -> kr::value<int> {
    kr::var trips = 0;
    kr::while_([&] { return kr::atomic(flags[i]).load() == 0; }, [&] { trips += 1; });
    return trips;
  });
  auto kernel = kr::kernel([wait](kr::view<int> flags, kr::view<int> trips) {
    auto block = kr::cast<int>(kr::block_idx().x);
    kr::if_(block == 0, [&] { trips[0] = wait(flags, 1); }).else_([&] {
      kr::atomic(flags[block]).exchange(1);
    });
  });
  auto flags = zeros(2), trips = zeros(1);
  kernel.launch({2, 1}, flags, trips);
  EXPECT_EQ(host(flags), (std::vector<int>{0, 1}));
}

/// Barriers and shared memory in the loop: the whole block waits.
TEST(Waiting, OfAWholeBlock) {
  auto kernel = kr::kernel([](kr::view<int> flags) {
    auto block = kr::block_idx().x;
    auto seen = kr::shared<int, 1>();
    kr::if_(block == 0, [&] {
      kr::volatile_view v(flags);
      kr::while_([&] { return kr::syncthreads_or(v.load(1) == 0); }, [] {});
    });
    kr::if_(kr::thread_idx().x == 0, [&] { kr::atomic(flags[block]).exchange(1); });
    (void)seen;
  });
  auto flags = zeros(2);
  kernel.launch({2, 64}, flags);
  EXPECT_EQ(host(flags), (std::vector<int>{1, 1}));
}

TEST(Waiting, ForALock) {
  auto kernel = kr::kernel([](kr::view<int> lock, kr::view<int> count) {
    kr::while_([&] { return kr::atomic(lock[0]).compare_exchange(0, 1, kr::order::acquire) != 0; },
               [] { kr::nanosleep(100); });
    kr::volatile_view v(count);
    v.store(v.load(0) + 1, 0);
    kr::atomic(lock[0]).exchange(0, kr::order::release);
  });
  auto lock = zeros(1), count = zeros(1);
  kernel.launch({500, 1}, lock, count);
  EXPECT_EQ(host(count), std::vector<int>{500});
}

/// What it counts, and how long it sleeps, ends no loop.
TEST(Waiting, CountsWhileItWaits) {
  auto kernel = kr::kernel([](kr::view<int> flags, kr::view<int> counts) {
    kr::if_(kr::block_idx().x == 0, [&] {
      kr::volatile_view v(flags);
      kr::var trips = 0;
      kr::var pause = 1u;
      kr::while_([&] { return v.load(0) == 0; },
                 [&] {
                   trips += 1, pause = pause * 2u;
                   kr::if_(pause > 8u, [&] { kr::nanosleep(pause); });
                 });
      counts[0] = trips;
    }).else_([&] { kr::atomic(flags[0]).exchange(1); });
  });
  auto flags = zeros(1), counts = zeros(1);
  kernel.launch({2, 1}, flags, counts);
  EXPECT_GE(host(counts)[0], 0);
}

TEST(Waiting, ForALane) {
  unsigned line = 0;
  auto kernel = kr::kernel(
      [&line](kr::view<int> flag) {
        kr::volatile_view v(flag);
        kr::if_(kr::thread_idx().x == 0, [&] {
          line = __LINE__ + 1;
          kr::while_([&] { return v.load(0) == 0; }, [] {});
        }).else_([&] { v.store(1, 0); });
      },
      {.name = "for_a_lane"});
  auto flag = zeros(1);
  expect_usage({"kernel for_a_lane (", left_waiting}, [&] { kernel.launch({1, 2}, flag); });
  expect_usage({place(line)}, [&] { kernel.launch({1, 2}, flag); });
  expect_library_works();
}

TEST(Waiting, ForAWarp) {
  auto kernel = kr::kernel([](kr::view<int> flag) {
    kr::if_(kr::thread_idx().x < 32, [&] { wait_for(flag, 0); }).else_([&] {
      kr::atomic(flag[0]).exchange(1);
    });
  });
  auto flag = zeros(1);
  expect_usage({left_waiting}, [&] { kernel.launch({1, 64}, flag); });
}

TEST(Waiting, OfMoreBlocksThanThereCanBe) {
  auto kernel = kr::kernel([](kr::view<int> flag) {
    kr::if_(kr::block_idx().x + 1 < kr::grid_dim().x, [&] { wait_for(flag, 0); }).else_([&] {
      kr::atomic(flag[0]).exchange(1);
    });
  });
  auto flag = zeros(1);
  expect_usage({left_waiting}, [&] { kernel.launch({2000, 1}, flag); });
  flag.fill(0);
  kernel.launch({1000, 1}, flag);
}

TEST(Waiting, BesideABarrierOfTheGrid) {
  auto kernel = kr::kernel([](kr::view<int> flag) {
    kr::if_(kr::block_idx().x == 0, [&] { wait_for(flag, 0); });
    kr::grid_sync();
    kr::atomic(flag[0]).exchange(1);
  });
  auto flag = zeros(1);
  expect_usage({left_waiting}, [&] { kernel.launch({3, 1}, flag); });
  auto before = kr::kernel([](kr::view<int> flags) {
    kr::if_(kr::block_idx().x == 0, [&] { wait_for(flags, 1); });
    kr::if_(kr::block_idx().x == 1, [&] { kr::atomic(flags[1]).exchange(1); });
    kr::grid_sync();
    kr::atomic(flags[0]).add(1);
  });
  auto flags = zeros(2);
  before.launch({3, 1}, flags);
  EXPECT_EQ(host(flags), (std::vector<int>{3, 1}));
}

/// What a thread of the host writes comes, too.
TEST(Waiting, ForTheHost) {
  auto kernel = kr::kernel([](kr::view<int> flag, kr::view<int> seen) {
    wait_for(flag, 0);
    seen[0] = kr::volatile_view(flag).load(0);
  });
  std::vector<int> flag{0}, seen{0};
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::atomic_ref<int>(flag[0]).store(7);
  });
  kernel.launch({1, 1}, flag, seen);
  writer.join();
  EXPECT_EQ(seen[0], 7);
}

TEST(Waiting, OnTheInterpreter) {
  auto kernel = kr::kernel([](kr::view<int> flag) {
    kr::if_(kr::block_idx().x == 0, [&] { wait_for(flag, 0); }).else_([&] {
      kr::atomic(flag[0]).exchange(1);
    });
  });
  auto flag = zeros(1, "interpreter");
  expect_usage(
      {"this loop waits for a value that nobody writes. The interpreter runs blocks one after another, and the threads of a block in step: a thread can wait only for an earlier block{}, block (0, 0, 0), thread (0, 0, 0)"},
      [&] {
        kernel.launch({2, 1}, flag);
      });
  flag.fill(1);
  kernel.launch({2, 1}, flag);
}

/// Checked kernels wait as others do.
TEST(Waiting, Checked) {
  auto kernel = kr::kernel(
      [](kr::view<int> flags) {
        kr::if_(kr::block_idx().x == 0, [&] { wait_for(flags, 1); }).else_([&] {
          kr::atomic(flags[1]).exchange(1);
        });
      },
      {.checked = true});
  auto flags = zeros(2);
  kernel.launch({2, 1}, flags);
  EXPECT_EQ(host(flags), (std::vector<int>{0, 1}));
}

}  // namespace
