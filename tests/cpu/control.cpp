// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divergent control flow on lanes: branches, loops, and jumps out of them.
#include <numeric>

#include "fixture.h"

namespace krait::test {
namespace {

std::vector<float> ramp(std::size_t n, float start = -3.0f, float step = 0.25f) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = start + float(i) * step;
  return v;
}
std::vector<std::int32_t> numbers(std::size_t n) {
  std::vector<std::int32_t> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = std::int32_t((i * 2654435761u) >> 7) % 37;
  return v;
}

TEST(CpuControl, SaxpyByGridStride) {
  for (std::size_t n : {1, 15, 16, 31, 32, 33, 100, 1000})
    check(R"(kernel @saxpy fp(strict) (%0: f32, %1: view<f32, 1, const>, %2: view<f32, 1>) {
  %3: i64 = extent %2 {0}
  grid_stride %3 {
  ^(%4: i64):
    %5: f32 = load %1, %4
    %6: f32 = mul %0, %5
    %7: f32 = load %2, %4
    %8: f32 = add %6, %7
    store.f32 %2, %4, %8
    continue
  }
  return
}
)",
          line(3, 32), {scalar(2.0f), array(ramp(n)), array(ramp(n, 1.0f, 3.0f))});
}

TEST(CpuControl, GuardedByGlobalId) {
  for (std::size_t n : {1, 40, 64, 90})
    check(R"(kernel @f fp(strict) (%0: view<f32, 1, const>, %1: view<f32, 1>) {
  %2: i64 = global_id {0}
  %3: i64 = extent %1 {0}
  %4: bool = lt %2, %3
  if %4 {
    %5: f32 = load %0, %2
    %6: f32 = add %5, %5
    store.f32 %1, %2, %6
    yield
  }
  return
}
)",
          line(3, 32), {array(ramp(n)), array(ramp(n))});
}

TEST(CpuControl, Mandelbrot) {
  const int w = 37, h = 11;
  check(R"(kernel @mandelbrot fp(strict) (%0: view<i32, 2>, %1: i32) {
  %2: i64 = global_id {0}
  %3: i64 = global_id {1}
  %4: i64 = extent %0 {0}
  %5: i64 = extent %0 {1}
  %6: bool = lt %3, %4
  %7: bool = lt %2, %5
  %8: bool = and %6, %7
  if %8 {
    %9: f32 = const 0
    %10: i32 = const 0
    %11: f32 = cast %2
    %12: f32 = const 0.08
    %13: f32 = mul %11, %12
    %14: f32 = const 2
    %15: f32 = sub %13, %14
    %16: f32 = cast %3
    %17: f32 = const 0.25
    %18: f32 = mul %16, %17
    %19: f32 = const 1.2
    %20: f32 = sub %18, %19
    %21: f32, %22: f32, %23: i32 = loop %9, %9, %10 {
    ^(%24: f32, %25: f32, %26: i32):
      %27: bool = lt %26, %1
      %28: f32 = mul %24, %24
      %29: f32 = mul %25, %25
      %30: f32 = add %28, %29
      %31: f32 = const 4
      %32: bool = lt %30, %31
      %33: bool = and %27, %32
      if %33 {
        yield
      } else {
        break %24, %25, %26
      }
      %34: f32 = sub %28, %29
      %35: f32 = add %34, %15
      %36: f32 = mul %24, %25
      %37: f32 = mul %14, %36
      %38: f32 = add %37, %20
      %39: i32 = const 1
      %40: i32 = add %26, %39
      continue %35, %38, %40
    }
    store.i32 %0, %3, %2, %23
    yield
  }
  return
}
)",
        grid({3, 3, 1}, {16, 4, 1}), {array(std::vector<std::int32_t>(w * h, -1), {h, w}), scalar(std::int32_t(40))});
}

TEST(CpuControl, BreakInBothSidesAndContinue) {
  check(R"(kernel @f fp(strict) (%0: view<i32, 1, const>, %1: view<i32, 1>) {
  %2: i64 = global_id {0}
  %3: i64 = extent %1 {0}
  %4: bool = ge %2, %3
  if %4 {
    return
  } else {
    yield
  }
  %5: i32 = load %0, %2
  %6: i32 = const 0
  %7: i32 = const 1
  %8: i32 = const 3
  %9: i32, %10: i32 = loop %5, %6 {
  ^(%11: i32, %12: i32):
    %13: bool = le %11, %6
    if %13 {
      break %11, %12
    } else {
      yield
    }
    %14: i32 = rem %11, %8
    %15: bool = eq %14, %7
    if %15 {
      %16: i32 = sub %11, %7
      %17: i32 = add %12, %8
      continue %16, %17
    } else {
      yield
    }
    %18: i32 = const 11
    %19: bool = eq %11, %18
    if %19 {
      %20: i32 = const 100
      %21: i32 = add %12, %20
      break %11, %21
    } else {
      %22: i32 = const 2
      %23: i32 = sub %11, %22
      %24: i32 = add %12, %11
      continue %23, %24
    }
    unreachable
  }
  %25: i32 = mul %10, %8
  %26: i32 = add %25, %9
  store.i32 %1, %2, %26
  return
}
)",
        line(5, 24), {array(numbers(100)), array(std::vector<std::int32_t>(100, -1))});
}

TEST(CpuControl, ReturnInsideNestedLoops) {
  check(R"(kernel @f fp(strict) (%0: view<i32, 1, const>, %1: view<i32, 1>) {
  %2: i64 = global_id {0}
  %3: i64 = extent %1 {0}
  %4: bool = lt %2, %3
  if %4 {
    %5: i32 = load %0, %2
    %6: u32 = cast %5
    %7: i32 = const 0
    %8: i32 = for %6, %7 {
    ^(%9: u32, %10: i32):
      %11: i32 = cast %9
      %12: u32 = const 5
      %13: i32 = for %12, %10 {
      ^(%14: u32, %15: i32):
        %16: i32 = cast %14
        %17: i32 = mul %16, %11
        %18: i32 = const 40
        %19: bool = gt %17, %18
        if %19 {
          return
        } else {
          yield
        }
        %20: bool = gt %16, %11
        if %20 {
          break %15
        } else {
          yield
        }
        %21: i32 = add %15, %17
        continue %21
      }
      %22: i32 = const 1
      %23: i32 = add %13, %22
      continue %23
    }
    store.i32 %1, %2, %8
    yield
  }
  return
}
)",
        line(5, 24), {array(numbers(100)), array(std::vector<std::int32_t>(100, -1))});
}

TEST(CpuControl, VaryingSwitch) {
  check(R"(kernel @f fp(strict) (%0: view<i32, 1, const>, %1: view<i32, 1>) {
  %2: i64 = extent %1 {0}
  grid_stride %2 {
  ^(%3: i64):
    %4: i32 = load %0, %3
    %5: i32 = const 4
    %6: i32 = rem %4, %5
    %7: i32 = switch %6 {
    case 0: {
      %8: i32 = const 70
      yield %8
    }
    case 2: {
      %9: i32 = add %4, %5
      store.i32 %1, %3, %9
      continue
    }
    case -1: {
      yield %4
    }
    default: {
      %10: i32 = mul %4, %4
      yield %10
    }
    }
    store.i32 %1, %3, %7
    continue
  }
  return
}
)",
        line(2, 24), {array(numbers(100)), array(std::vector<std::int32_t>(100, -1))});
}

TEST(CpuControl, GatherAndScatter) {
  std::vector<std::int32_t> order(100);
  for (int i = 0; i < 100; ++i) order[std::size_t(i)] = i * 37 % 100;
  check(R"(kernel @f fp(strict) (%0: view<i32, 1, const>, %1: view<f32, 1, const>, %2: view<f32, 1>) {
  %3: i64 = extent %2 {0}
  grid_stride %3 {
  ^(%4: i64):
    %5: i32 = load %0, %4
    %6: i64 = cast %5
    %7: f32 = load %1, %6
    %8: i64 = sub %3, %4
    %9: i64 = const 1
    %10: i64 = sub %8, %9
    store.f32 %2, %10, %7
    continue
  }
  return
}
)",
        line(2, 24), {array(order), array(ramp(100)), array(ramp(100))});
}

}  // namespace
}  // namespace krait::test
