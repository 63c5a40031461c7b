// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's control flow: divergent branches and loops against the same program written in
// C++ for one thread.
#include "interp_fixture.h"

namespace krait::ir {
namespace {

TEST(InterpControl, GridStrideCoversAllElementsWhateverTheGrid) {
  const Module saxpy = kernel_of("saxpy");
  for (const Launch& launch : {line(1, 1), line(3, 32), line(2, 100), line(50, 128)}) {
    std::vector<float> x(1000), y(1000), expected(1000);
    for (int i = 0; i < 1000; ++i) x[i] = float(i), y[i] = 0.5f, expected[i] = 3.0f * x[i] + 0.5f;
    EXPECT_EQ(interpret(saxpy, launch, {{scalar(3.0f), view(x), view(y)}}, {.races = true}), "");
    EXPECT_EQ(y, expected);
  }
}

TEST(InterpControl, MandelbrotLoopsDivergeByBreak) {
  constexpr int width = 45, height = 33, limit = 60;
  std::vector<int> out(width * height, -1), expected(width * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const float cr = float(x) * 0.08f - 2.0f, ci = float(y) * 0.25f - 1.2f;
      float zr = 0, zi = 0;
      int k = 0;
      for (; k < limit && zr * zr + zi * zi < 4.0f; ++k) {
        const float next = zr * zr - zi * zi + cr;
        zi = 2.0f * (zr * zi) + ci;
        zr = next;
      }
      expected[y * width + x] = k;
    }
  Launch launch{.grid = {3, 5, 1}, .block = {16, 8, 1}};
  EXPECT_EQ(
      interpret(kernel_of("mandelbrot"), launch, {{view(out, {height, width}), scalar(limit)}}),
      "");
  EXPECT_EQ(out, expected);
}

TEST(InterpControl, NestedLoopsWithContinueBreakAndReturn) {
  // for (j < t % 7)
  //   for (k < 5) {
  //     if (k == t % 3) continue;
  //     if (j * k > t % 11) break;
  //     if (t % 13 == 0 && j == 2) return;
  //     sum += 10 * j + k;
  //   }
  constexpr auto text = R"(kernel @nest fp(strict) (%0: view<i64, 1>) {
  %1: i64 = global_id {0}
  %2: i64 = const 7
  %3: i64 = const 0
  %4: i64 = const -1
  store.i64 %0, %1, %4
  %5: i64 = rem %1, %2
  %6: u32 = cast %5
  %7: i64 = for %6, %3 {
  ^(%8: u32, %9: i64):
    %10: u64 = const 5
    %11: i64 = for %10, %9 {
    ^(%12: u64, %13: i64):
      %14: i64 = cast %12
      %15: i64 = cast %8
      %16: i64 = const 3
      %17: i64 = rem %1, %16
      %18: bool = eq %14, %17
      if %18 {
        continue %13
      }
      %19: i64 = mul %14, %15
      %20: i64 = const 11
      %21: i64 = rem %1, %20
      %22: bool = gt %19, %21
      if %22 {
        break %13
      }
      %23: i64 = const 13
      %24: i64 = rem %1, %23
      %25: bool = eq %24, %3
      %26: i64 = const 2
      %27: bool = eq %15, %26
      %28: bool = and %25, %27
      if %28 {
        return
      }
      %29: i64 = const 10
      %30: i64 = mul %15, %29
      %31: i64 = add %30, %14
      %32: i64 = add %13, %31
      continue %32
    }
    continue %11
  }
  store.i64 %0, %1, %7
  return
})";
  std::vector<std::int64_t> out(400), expected(400);
  for (std::int64_t t = 0; t < 400; ++t) {
    std::int64_t sum = 0;
    bool returned = false;
    for (std::int64_t j = 0; j < t % 7 && !returned; ++j)
      for (std::int64_t k = 0; k < 5; ++k) {
        if (k == t % 3) continue;
        if (j * k > t % 11) break;
        if (t % 13 == 0 && j == 2) {
          returned = true;
          break;
        }
        sum += 10 * j + k;
      }
    expected[t] = returned ? -1 : sum;
  }
  EXPECT_EQ(run(text, line(2, 200), {view(out)}, {.races = true}), "");
  EXPECT_EQ(out, expected);
}

TEST(InterpControl, CarriedValuesMoveTogether) {
  // continue swaps its loop's own parameters.
  constexpr auto text = R"(kernel @swap fp(strict) (%0: view<i32, 1>) {
  %1: i64 = thread_idx {0}
  %2: u64 = cast %1
  %3: i32 = const 1
  %4: i32 = const 2
  %5: i32 = const 3
  %6: i32, %7: i32, %8: i32 = for %2, %3, %4, %5 {
  ^(%9: u64, %10: i32, %11: i32, %12: i32):
    continue %11, %12, %10
  }
  %13: i32 = const 10
  %14: i32 = mul %6, %13
  %15: i32 = add %14, %7
  %16: i32 = mul %15, %13
  %17: i32 = add %16, %8
  store.i32 %0, %1, %17
  return
})";
  std::vector<int> out(5);
  EXPECT_EQ(run(text, line(1, 5), {view(out)}), "");
  EXPECT_EQ(out, (std::vector<int>{123, 231, 312, 123, 231}));
}

TEST(InterpControl, SwitchAndIfGiveResults) {
  constexpr auto text = R"(kernel @cases fp(strict) (%0: view<i32, 1>, %1: view<i8, 1, const>) {
  %2: i64 = global_id {0}
  %3: i8 = load %1, %2
  %4: i32 = switch %3 {
    case -2: {
      %5: i32 = const 100
      yield %5
    }
    case 5: {
      %6: i64 = const 3
      %7: bool = lt %2, %6
      %8: i32 = if %7 {
        %9: i32 = const 1
        yield %9
      } else {
        %10: i32 = const 2
        yield %10
      }
      yield %8
    }
    case 7: {
      return
    }
    default: {
      %11: i32 = cast %3
      yield %11
    }
  }
  store.i32 %0, %2, %4
  return
})";
  std::vector<std::int8_t> in{-2, 5, 7, 0, 5, -1, -128};
  std::vector<int> out(7, 9);
  EXPECT_EQ(run(text, line(1, 7), {view(out), view(in)}), "");
  EXPECT_EQ(out, (std::vector<int>{100, 1, 9, 0, 2, -1, -128}));
}

TEST(InterpControl, SlotsAreOneAThread) {
  constexpr auto text = R"(kernel @slots fp(strict) (%0: view<i32, 1>) {
  %1: i64 = thread_idx {0}
  %2: i32 = cast %1
  %3: slot<i32> = slot %2
  %4: u64 = cast %1
  for %4 {
  ^(%5: u64):
    %6: i32 = get %3
    %7: i32 = add %6, %6
    set %3, %7
    %8: i32 = const 100
    %9: bool = gt %7, %8
    if %9 {
      break
    }
    continue
  }
  %10: i32 = get %3
  store.i32 %0, %1, %10
  return
})";
  std::vector<int> out(70), expected(70);
  for (int t = 0; t < 70; ++t) {
    int v = t;
    for (int k = 0; k < t; ++k)
      if ((v += v) > 100) break;
    expected[t] = v;
  }
  EXPECT_EQ(run(text, line(1, 70), {view(out)}), "");
  EXPECT_EQ(out, expected);
}

TEST(InterpControl, PositionsOfAThreeDimensionalLaunch) {
  constexpr auto text = R"(kernel @ids fp(strict) (%0: view<i64, 2>) {
  %1: i64 = global_id {0}
  %2: i64 = global_id {1}
  %3: i64 = global_id {2}
  %4: i64 = global_size {0}
  %5: i64 = global_size {1}
  %6: i64 = mul %3, %5
  %7: i64 = add %6, %2
  %8: i64 = mul %7, %4
  %9: i64 = add %8, %1
  %10: i64 = thread_idx {1}
  %11: i64 = block_idx {2}
  %12: i64 = block_dim {1}
  %13: i64 = grid_dim {2}
  %14: i32 = lane_id
  %15: i64 = cast %14
  %16: i64 = const 0
  %17: i64 = const 1
  %18: i64 = const 2
  %19: i64 = const 3
  %20: i64 = const 4
  store.i64 %0, %9, %16, %10
  store.i64 %0, %9, %17, %11
  store.i64 %0, %9, %18, %12
  store.i64 %0, %9, %19, %13
  store.i64 %0, %9, %20, %15
  return
})";
  const Launch launch{.grid = {2, 1, 3}, .block = {5, 4, 2}, .warp_size = 16};
  const std::int64_t n = 10 * 4 * 6;
  std::vector<std::int64_t> out(n * 5, -1);
  EXPECT_EQ(run(text, launch, {view(out, {n, 5})}, {.races = true}), "");
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t x = i % 10 % 5, y = i / 10 % 4, z = i / 40;
    const std::vector<std::int64_t> expected{y, z / 2, 4, 3, ((z % 2 * 4 + y) * 5 + x) % 16};
    EXPECT_EQ(std::vector(&out[i * 5], &out[i * 5] + 5), expected) << i;
  }
}

TEST(InterpControl, TheStepLimitEndsAnEndlessLoop) {
  constexpr auto text = R"(kernel @endless fp(strict) () {
  loop {
    continue
  }
  return
})";
  EXPECT_EQ(run(text, line(1, 1), {}, {.max_steps = 1000}), "more than 1000 instructions ran");
}

TEST(InterpControl, LaunchesThatCannotBeAreRefused) {
  constexpr auto text = "kernel @k fp(strict) block(8, 1, 1) (%0: i32) {\n  return\n}";
  EXPECT_EQ(run(text, line(1, 8), {}), "launch: 0 arguments for 1 parameters");
  EXPECT_EQ(run(text, line(1, 9), {scalar(1)}),
            "launch: the kernel is made for blocks of 8 in dimension 0, not 9");
  EXPECT_EQ(run(text, line(1, 0), {scalar(1)}),
            "launch: dimension 0 of the grid or block is not positive");
  EXPECT_EQ(run("kernel @k fp(strict) () {\n  return\n}", line(1, 4097), {}),
            "launch: more than 4096 threads in a block");
  // Neither product fits 64 bits.
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(
      run("kernel @k fp(strict) () {\n  return\n}", Launch{{most, most, most}, {4, 1, 1}}, {}),
      "launch: more than 2^62 threads");
  EXPECT_EQ(run("kernel @k fp(strict) () {\n  return\n}",
                Launch{{most, most, 0}, {most, most, most}}, {}),
            "launch: more than 4096 threads in a block");
  EXPECT_EQ(run("kernel @k fp(strict) () {\n  return\n}", line(1, 4096), {}), "");
  EXPECT_EQ(run("kernel @k fp(strict) cluster(2, 2, 1) () {\n  cluster_barrier\n  return\n}",
                line(4, 1), {}),
            "launch: the grid is not a multiple of clusters of 2 in dimension 1");
  EXPECT_EQ(run("kernel @k fp(strict) () {\n  grid_barrier\n  return\n}", line(1025, 1), {}),
            "launch: more than 1024 blocks meet at barriers of the grid");
  EXPECT_EQ(run(text, line(0, 8), {scalar(1)}), "");
  Launch wide = line(1, 8);
  wide.warp_size = 65;
  EXPECT_EQ(run(text, wide, {scalar(1)}), "launch: the warp size must be 1 to 64");
  Module called = kernel_of("saxpy");
  called.kernel().called = true;
  EXPECT_EQ(interpret(called, line(1, 1), {}), "launch: the module has no kernel");
}

TEST(InterpControl, AMathematicalFunctionMustHaveBeenExpanded) {
  constexpr auto text = R"(kernel @k fp(strict) (%0: f32) {
  %1: f32 = exp %0
  return
})";
  EXPECT_EQ(run(text, line(1, 1), {scalar(1.0f)}), "exp.f32 has not been expanded");
}

}  // namespace
TEST(InterpControl, AssumptionsAreHeldToWhatTheyPromise) {
  constexpr const char* assumes =
      "kernel @k fp(strict) (%0: i64) {\n  %1: i64 = thread_idx {0}\n  %2: bool = lt %1, %0\n"
      "  assume %2 ; user.cpp:7\n  return\n}\n";
  EXPECT_EQ(run(assumes, line(1, 4), {scalar(4)}), "");
  EXPECT_EQ(run(assumes, line(2, 4), {scalar(3)}),
            "an assumption does not hold, block (0, 0, 0), thread (3, 0, 0), user.cpp:7");
}

}  // namespace krait::ir
