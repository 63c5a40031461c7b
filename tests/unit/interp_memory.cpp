// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's memory: shared and local arrays, atomics, barriers, warp operations, and the
// faults it finds.
#include <numeric>

#include "interp_fixture.h"

namespace krait::ir {
namespace {

TEST(InterpMemory, SharedReductionWithBarriers) {
  std::vector<float> in(256), out(4);
  std::iota(in.begin(), in.end(), 1.0f);
  EXPECT_EQ(interpret(kernel_of("tree_reduction"), line(4, 64), {{view(in), view(out)}},
                      {.races = true, .uninitialised = true}),
            "");
  for (int b = 0; b < 4; ++b)
    EXPECT_EQ(out[b], std::accumulate(&in[b * 64], &in[b * 64] + 64, 0.0f));
}

TEST(InterpMemory, WithoutItsBarriersTheReductionRaces) {
  std::string text = print(kernel_of("tree_reduction"));
  for (std::size_t at; (at = text.find("barrier\n")) != std::string::npos;) text.erase(at, 8);
  const Module racing = parse(text).module;
  std::vector<float> in(64), out(1);
  EXPECT_EQ(
      interpret(racing, line(1, 64), {{view(in), view(out)}}, {.races = true}),
      "data race: load from a shared array: read by thread 0 of block 0 and write by thread 32 of block 0, "
      "block (0, 0, 0), thread (0, 0, 0)");
  EXPECT_EQ(interpret(racing, line(1, 64), {{view(in), view(out)}}), "");
}

TEST(InterpMemory, BlocksHaveNoOrder) {
  constexpr auto text = R"(kernel @k fp(strict) (%0: view<i32, 1>) {
  %1: i64 = const 0
  %2: i32 = const 7
  barrier
  store.i32 %0, %1, %2
  return
})";
  std::vector<int> data(1);
  EXPECT_EQ(run(text, line(1, 1), {view(data)}, {.races = true}), "");
  EXPECT_EQ(
      run(text, line(2, 1), {view(data)}, {.races = true}),
      "data race: store to parameter 1: write by thread 0 of block 1 and write by thread 0 of block 0, "
      "block (1, 0, 0), thread (0, 0, 0)");
}

TEST(InterpMemory, AtomicHistogram) {
  constexpr auto text = R"(kernel @histogram fp(strict) (%0: view<u8, 1, const>, %1: view<u32, 1>) {
  %2: i64 = global_id {0}
  %3: u8 = load %0, %2
  %4: u32 = const 1
  %5: u32 = atomic_add %1, %3, %4
  return
})";
  std::vector<std::uint8_t> in(1024);
  std::vector<std::uint32_t> out(16), expected(16);
  for (std::size_t i = 0; i < in.size(); ++i) ++expected[in[i] = std::uint8_t(i * i % 16)];
  EXPECT_EQ(run(text, line(4, 256), {view(in), view(out)}, {.races = true}), "");
  EXPECT_EQ(out, expected);
}

TEST(InterpMemory, EveryAtomicGivesTheOldValue) {
  constexpr auto text =
      R"(kernel @atomics fp(strict) (%0: view<i32, 1>, %1: view<f32, 1>, %2: view<i32, 1>) {
  %3: i64 = const 0
  %4: i64 = const 1
  %5: i64 = const 2
  %6: i64 = const 3
  %7: i64 = const 4
  %8: i64 = const 5
  %9: i64 = const 6
  %10: i32 = const 12
  %11: i32 = const -3
  %12: i32 = atomic_min %0, %3, %11
  %13: i32 = atomic_max %0, %4, %10
  %14: i32 = atomic_and %0, %5, %10
  %15: i32 = atomic_or %0, %6, %10
  %16: i32 = atomic_xor %0, %7, %10
  %17: i32 = atomic_exchange %0, %8, %10
  %18: i32 = atomic_cas %0, %9, %10, %11
  %19: i32 = atomic_cas %0, %9, %18, %11
  %20: f32 = const nan
  %21: f32 = const 0.25
  %22: f32 = atomic_min %1, %3, %20
  %23: f32 = atomic_add %1, %4, %21
  store.i32 %2, %3, %12
  store.i32 %2, %4, %16
  store.i32 %2, %5, %18
  store.i32 %2, %6, %19
  return
})";
  std::vector<int> x{5, 5, 5, 5, 5, 5, 5}, old(4);
  std::vector<float> f{1.5f, 1.5f};
  EXPECT_EQ(run(text, line(1, 1), {view(x), view(f), view(old)}, {.races = true}), "");
  EXPECT_EQ(x, (std::vector<int>{-3, 12, 4, 13, 9, 12, -3}));
  EXPECT_EQ(f, (std::vector<float>{1.5f, 1.75f}));
  EXPECT_EQ(old, (std::vector<int>{5, 5, 5, 5}));
}

TEST(InterpMemory, WarpOperationsSeeTheActiveLanes) {
  constexpr auto text =
      R"(kernel @warp fp(strict) (%0: view<u64, 1>, %1: view<i32, 1>, %2: view<i32, 1>) {
  %3: i64 = thread_idx {0}
  %4: i64 = const 3
  %5: i64 = rem %3, %4
  %6: i64 = const 0
  %7: bool = ne %5, %6
  if %7 {
    %8: i64 = const 1
    %9: bool = eq %5, %8
    %10: u64 = ballot %9
    store.u64 %0, %3, %10
    %11: i32 = lane_id
    %12: i32 = const 1
    %13: i32 = add %11, %12
    %14: i32 = cast %3
    %15: i32 = shuffle %14, %13
    store.i32 %1, %3, %15
    %16: i64 = const 4
    %17: bool = lt %3, %16
    %18: bool = warp_any %17
    %19: bool = warp_all %7
    %20: i32 = cast %18
    %21: i32 = cast %19
    %22: i32 = add %20, %20
    %23: i32 = add %21, %22
    store.i32 %2, %3, %23
    yield
  }
  return
})";
  Launch launch = line(1, 20);
  launch.warp_size = 8;
  std::vector<std::uint64_t> votes(20);
  std::vector<int> shuffled(20, -1), any_all(20, -1);
  EXPECT_EQ(run(text, launch, {view(votes), view(shuffled), view(any_all)}), "");
  for (int t = 0; t < 20; ++t) {
    if (t % 3 == 0) {
      EXPECT_EQ(shuffled[t], -1);
      continue;
    }
    std::uint64_t expected = 0;
    for (int lane = 0; lane < 8; ++lane)
      expected |= std::uint64_t(t / 8 * 8 + lane < 20 && (t / 8 * 8 + lane) % 3 == 1) << lane;
    EXPECT_EQ(votes[t], expected) << t;
    const int source = t / 8 * 8 + (t + 1) % 8;
    EXPECT_EQ(shuffled[t], source < 20 && source % 3 ? source : 0) << t;
    EXPECT_EQ(any_all[t], t < 8 ? 3 : 1) << t;
  }
}

TEST(InterpMemory, BarriersThatVote) {
  constexpr auto text = R"(kernel @vote fp(strict) (%0: view<i32, 2>, %1: i64) {
  %2: i64 = thread_idx {0}
  %3: bool = lt %2, %1
  %4: i32 = barrier_count %3
  %5: bool = barrier_and %3
  %6: bool = barrier_or %3
  %7: i32 = cast %5
  %8: i32 = cast %6
  %9: i64 = const 0
  %10: i64 = const 1
  %11: i64 = const 2
  store.i32 %0, %2, %9, %4
  store.i32 %0, %2, %10, %7
  store.i32 %0, %2, %11, %8
  return
})";
  for (const std::int64_t n : {0, 3, 100}) {
    std::vector<int> out(300, -1), expected;
    for (int t = 0; t < 100; ++t) expected.insert(expected.end(), {int(n), n == 100, n > 0});
    EXPECT_EQ(run(text, line(1, 100), {view(out, {100, 3}), scalar(n)}), "");
    EXPECT_EQ(out, expected);
  }
}

TEST(InterpMemory, ABarrierNotReachedByAllIsNamed) {
  constexpr auto text = R"(kernel @k fp(strict) () {
  %0: i64 = thread_idx {0}
  %1: i64 = const 10
  %2: bool = lt %0, %1
  if %2 {
    barrier ; tile.cpp:17
    yield
  }
  return
})";
  constexpr auto early = R"(kernel @k fp(strict) () {
  %0: i64 = thread_idx {0}
  %1: i64 = const 10
  %2: bool = lt %0, %1
  if %2 {
    return
  }
  barrier
  return
})";
  EXPECT_EQ(run(text, line(1, 10), {}), "");
  EXPECT_EQ(run(text, line(1, 12), {}),
            "barrier: 2 of 12 threads do not arrive, block (0, 0, 0), tile.cpp:17");
  EXPECT_EQ(run(early, line(1, 12), {}),
            "barrier: 10 of 12 threads do not arrive (10 have returned), block (0, 0, 0)");
}

TEST(InterpMemory, OutOfBoundsReadsZeroAndDropsWrites) {
  constexpr auto text = R"(kernel @k fp(strict) (%0: view<i32, 1, const>, %1: view<i32, 2>) {
  %2: i64 = global_id {0}
  %3: i32 = load %0, %2 ; shift.cpp:5
  %4: i64 = const 1
  store.i32 %1, %4, %2, %3
  return
})";
  std::vector<int> in{1, 2, 3, 4, 5, 99}, out(12, -1);
  Argument five = view(in);
  five.extents[0] = 5;
  EXPECT_EQ(
      run(text, line(2, 3), {five, view(out, {2, 6})}),
      "out of bounds: load from parameter 1 at (5), extents (5), block (1, 0, 0), thread (2, 0, 0), shift.cpp:5");
  EXPECT_EQ(out, (std::vector<int>{-1, -1, -1, -1, -1, -1, 1, 2, 3, 4, 5, 0}));
  std::vector<int> small(4, -1);
  EXPECT_EQ(
      run(text, line(1, 5), {five, view(small, {2, 2})}),
      "out of bounds: store to parameter 2 at (1, 2), extents (2, 2), block (0, 0, 0), thread (2, 0, 0)");
  EXPECT_EQ(small, (std::vector<int>{-1, -1, 1, 2}));
}

TEST(InterpMemory, FlatAccessesAreCheckedAgainstTheSpanOfTheView) {
  constexpr auto text = R"(kernel @k fp(strict) flat (%0: view<i32, 2>, %1: i32) {
  %2: i32 = load %0, %1
  %3: i32 = const 1
  %4: i32 = add %2, %3
  store.i32 %0, %1, %4
  return
})";
  std::vector<int> data(12);
  Argument reversed = view(data, {3, 4});  // rows upwards from the last one
  reversed.data += 8 * sizeof(int);
  reversed.strides[0] = -4;
  EXPECT_EQ(run(text, line(1, 1), {reversed, scalar(3)}), "");
  EXPECT_EQ(run(text, line(1, 1), {reversed, scalar(std::uint32_t(-8))}), "");
  EXPECT_EQ(data, (std::vector<int>{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(
      run(text, line(1, 1), {reversed, scalar(std::uint32_t(-9))}),
      "out of bounds: load from parameter 1 at flat index (-9), extents (3, 4), block (0, 0, 0), thread (0, 0, 0)");
  EXPECT_NE(run(text, line(1, 1), {reversed, scalar(4)}), "");
}

TEST(InterpMemory, StridedViewsAggregatesAndBools) {
  constexpr auto text = R"(kernel @k fp(strict) (%0: view<bytes(12), 1>, %1: view<bool, 1>) {
  %2: i64 = thread_idx {0}
  %3: u16 = load %0, %2 {10}
  %4: f32 = cast %3
  store.f32 %0, %2, %4 {4}
  %5: bool = load %1, %2
  %6: bool = not %5
  store.bool %1, %2, %6
  return
})";
  struct Item {
    std::int32_t a;
    float b;
    std::uint16_t c, d;
  };
  std::vector<Item> items{{1, 0, 2, 3}, {4, 0, 5, 6}};
  std::vector<std::uint8_t> flags{0, 9, 7, 9};
  Argument every_other = view(flags);
  every_other.extents[0] = 2;
  every_other.strides[0] = 2;
  EXPECT_EQ(run(text, line(1, 2), {view(items), every_other}), "");
  EXPECT_EQ(items[0].b, 3.0f);
  EXPECT_EQ(items[1].b, 6.0f);
  EXPECT_EQ(items[1].a, 4);
  EXPECT_EQ(flags, (std::vector<std::uint8_t>{1, 9, 0, 9}));
}

TEST(InterpMemory, AggregatesByValue) {
  constexpr auto text =
      R"(kernel @k fp(strict) (%0: argument<bytes(12), 1, const>, %1: i64, %2: view<f32, 1>) {
  %3: f32 = load %0, %1 {4}
  %4: i64 = const 0
  %5: u8 = load %0, %4
  %6: f32 = cast %5
  %7: f32 = add %3, %6
  store.f32 %2, %4, %7
  return
})";
  struct {
    std::uint8_t kind = 200;
    float pair[2] = {1, 2};
  } by_value;
  std::vector<float> out(1);
  Argument whole;
  whole.data = reinterpret_cast<std::byte*>(&by_value);
  EXPECT_EQ(run(text, line(1, 1), {whole, scalar(4), view(out)}), "");
  EXPECT_EQ(out[0], 202.0f);
  EXPECT_EQ(
      run(text, line(1, 1), {whole, scalar(5), view(out)}),
      "out of bounds: load from parameter 1 at byte (5), extents (12), block (0, 0, 0), thread (0, 0, 0)");
}

TEST(InterpMemory, VectorAccessesAreInBoundsAndAligned) {
  std::string text =
      R"(kernel @k fp(strict) facts(contiguous, aligned) flat (%0: view<f32, 1>, %1: i64) {
  %2: f32, %3: f32, %4: f32, %5: f32 = load_vec %0, %1
  store_vec.f32 %0, %1, %5, %4, %3, %2
  return
})";
  alignas(16) float data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const Argument a{.data = reinterpret_cast<std::byte*>(data), .extents = {8}, .strides = {1}};
  EXPECT_EQ(run(text, line(1, 1), {a, scalar(std::int64_t(4))}), "");
  EXPECT_EQ(std::vector(data, data + 8), (std::vector<float>{0, 1, 2, 3, 7, 6, 5, 4}));
  EXPECT_EQ(
      run(text, line(1, 1), {a, scalar(std::int64_t(2))}),
      "misaligned: load from parameter 1 at flat index (2), block (0, 0, 0), thread (0, 0, 0)");
  EXPECT_EQ(run(text, line(1, 1), {a, scalar(std::int64_t(5))}),
            "out of bounds: load from parameter 1 at flat index (5) and the next 3, of 8 elements, "
            "block (0, 0, 0), thread (0, 0, 0)");
  text.erase(text.find(", aligned"), 9);  // anywhere, where arrays may lie so
  for (int k = 0; k < 8; ++k) data[k] = float(k);
  EXPECT_EQ(run(text, line(1, 1), {a, scalar(std::int64_t(2))}), "");
  EXPECT_EQ(std::vector(data, data + 8), (std::vector<float>{0, 1, 5, 4, 3, 2, 6, 7}));
}

TEST(InterpMemory, LocalArraysAreTheThreadsOwnAndDynamicSharedIsSizedAtLaunch) {
  constexpr auto text = R"(kernel @k fp(strict) (%0: view<i64, 1>, %n: i64) {
  %1: local<i64, 2> = local {2, 3}
  %2: shared<i32, 1> = shared %n {0}
  %3: i64 = thread_idx {0}
  %4: i64 = const 1
  %5: i64 = const 2
  %6: i64 = load %1, %4, %5
  %7: i64 = add %6, %3
  store.i64 %1, %4, %5, %7
  barrier
  %8: i64 = load %1, %4, %5
  %9: i64 = extent %2 {0}
  %10: i64 = stride %1 {0}
  %11: i64 = mul %9, %10
  %12: i64 = add %8, %11
  store.i64 %0, %3, %12
  return
})";
  std::vector<std::int64_t> out(4);
  EXPECT_EQ(run(text, line(1, 4), {view(out), scalar(std::int64_t(100))}), "");
  EXPECT_EQ(out, (std::vector<std::int64_t>{300, 301, 302, 303}));
  EXPECT_EQ(
      run(text, line(1, 4), {view(out), scalar(std::int64_t(-1))}),
      "dynamic_shared of -1 elements of 4 bytes: the number is computed at each launch and must be from 0 to 536870912");
}

TEST(InterpMemory, ReadsOfUnwrittenSharedMemoryAreReported) {
  constexpr auto text = R"(kernel @k fp(strict) (%0: view<i32, 1>) {
  %1: shared<i32, 1> = shared {8}
  %2: i64 = thread_idx {0}
  %3: i64 = const 5
  %4: bool = lt %2, %3
  if %4 {
    %5: i32 = cast %2
    store.i32 %1, %2, %5
    yield
  }
  barrier
  %6: i32 = load %1, %2
  store.i32 %0, %2, %6
  return
})";
  std::vector<int> out(8, -1);
  EXPECT_EQ(run(text, line(1, 5), {view(out)}, {.uninitialised = true}), "");
  EXPECT_EQ(
      run(text, line(1, 8), {view(out)}, {.uninitialised = true}),
      "uninitialised: load from a shared array at byte 20, which nothing wrote, block (0, 0, 0), thread (5, 0, 0)");
  EXPECT_EQ(out, (std::vector<int>{0, 1, 2, 3, 4, 0, 0, 0}));
}

TEST(InterpMemory, UniformChecksThePromise) {
  constexpr auto text = R"(kernel @k fp(strict) (%0: view<i32, 1, const>) {
  %1: i64 = thread_idx {0}
  %2: i32 = load %0, %1
  %3: i32 = uniform %2
  return
})";
  std::vector<int> equal(4, 3), unequal{3, 3, 4, 3};
  EXPECT_EQ(run(text, line(1, 4), {view(equal)}), "");
  EXPECT_EQ(
      run(text, line(1, 4), {view(unequal)}),
      "uniform: the operand is not equal in the whole block, block (0, 0, 0), thread (2, 0, 0)");
}

TEST(InterpMemory, AWarpBarrierOrdersItsWarpOnly) {
  constexpr auto text = R"(kernel @k fp(strict) (%0: view<i32, 1>, %1: i64) {
  %2: shared<i32, 1> = shared {64}
  %3: i64 = thread_idx {0}
  %4: i32 = cast %3
  store.i32 %2, %3, %4
  warp_sync
  %5: i64 = xor %3, %1
  %6: i32 = load %2, %5
  store.i32 %0, %3, %6
  return
})";
  std::vector<int> out(64);
  EXPECT_EQ(run(text, line(1, 64), {view(out), scalar(std::int64_t(1))}, {.races = true}), "");
  EXPECT_EQ(out[10], 11);
  EXPECT_NE(run(text, line(1, 64), {view(out), scalar(std::int64_t(32))}, {.races = true}), "");
}

TEST(InterpReports, LinesAndFaultsOfEveryThreadThatComes) {
  std::vector<std::int32_t> x{4, -1, 7, -3};
  std::vector<std::string> lines;
  const char* kernel = R"(kernel fp(strict) (%0: view<i32, 1>) {
  %1: i64 = thread_idx {0}
  %2: i32 = load %0, %1
  print %1, %2 {"x[{}]={:+}"} ; x.cpp:3
  %3: i32 = const 0
  %4: bool = lt %2, %3
  if %4 {
    fault %2 {"{} is negative"} ; x.cpp:6
    yield
  }
  store.i32 %0, %1, %3
  return
})";
  EXPECT_EQ(run(kernel, line(1, 4), {view(x)},
                {.print = [&](const std::string& text) { lines.push_back(text); }}),
            "-1 is negative, block (0, 0, 0), thread (1, 0, 0), x.cpp:6");
  EXPECT_EQ(lines, (std::vector<std::string>{"x[0]=+4", "x[1]=-1", "x[2]=+7", "x[3]=-3"}));
  EXPECT_EQ(x, std::vector<std::int32_t>(4, 0)) << "a fault ends nothing";
}

TEST(InterpMemory, TilesStayInTheirArrays) {
  const auto text = [](const char* line) {
    return std::string(R"(kernel @k fp(strict) block(32, 1, 1) (%0: view<f32, 1>, %1: i32) {
  %2: shared<f32, 1> = shared {512}
  %3: i32 = const 4
  %4: i64 = const 0
  %5: f32 = const 0
)") + line +
           "\n  return\n}";
  };
  std::vector<float> data(8);
  const Launch tile_launch = line(1, 32);
  const auto with = [&](const char* operation, int number) {
    return run(text(operation), tile_launch, {view(data), scalar(number)});
  };
  EXPECT_EQ(
      with(
          "%6: f32, %7: f32, %8: f32, %9: f32 = product %2, %1, %2, %1, %5, %5, %5, %5 {16, 8, 8, f32, f32, 2}",
          256),
      "out of bounds: product reads a shared array at 256 and the next 511, of 512 elements, block (0, 0, 0), thread (0, 0, 0)");
  EXPECT_EQ(
      with("word_product %2, %1, %2, %4, %2, %4, %3 {16, 16, 8, bf16, bf16, 64, 128, 64, 0}", 500),
      "out of bounds: word_product takes 1024 bytes of a shared array at 500, of 512 elements, block (0, 0, 0), thread (0, 0, 0)");
  EXPECT_EQ(
      with("copy_row %2, %1, %3, %0, %4 {4}", 509),
      "out of bounds: copy_row of 4 elements of parameter 1 and a shared array at 509, block (0, 0, 0), thread (0, 0, 0)");
  EXPECT_EQ(
      run(R"(kernel @k fp(strict) block(32, 1, 1) (%0: view<f32, 2>, %1: i32) {
  %2: shared<f32, 1> = shared {512}
  %3: i64 = const 0
  copy_tile %2, %1, %0, %3, %3 {8, 32, 0}
  return
})",
          tile_launch, {view(data, {2, 4}), scalar(260)}),
      "out of bounds: copy_tile of 8 x 32 elements of parameter 1 to a shared array at 260, block (0, 0, 0), thread (24, 0, 0)");
  EXPECT_EQ(
      with("copy_back %0, %2, %1, %3, %4 {4}", -1),
      "out of bounds: copy_back of 4 elements of parameter 1 and a shared array at -1, block (0, 0, 0), thread (0, 0, 0)");
}

}  // namespace
}  // namespace krait::ir
