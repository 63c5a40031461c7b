// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the words of the DSL record, as text.
#include "trace_fixture.h"

namespace {

using namespace trace_test;

TEST(trace, saxpy) {
  EXPECT_EQ(canonical_text([](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
              for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
            }),
            R"(kir 1
kernel fp(native) (%0: f32, %1: view<f32, 1, const>, %2: view<f32, 1>) {
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
)");
}

TEST(trace, mandelbrot) {
  EXPECT_EQ(canonical_text([](kr::view<int, 2> out, kr::value<int> limit) {
              auto [x, y] = kr::grid<2>();
              kr::if_(y < out.extent(0) && x < out.extent(1), [&] {
                kr::var zr = 0.0f, zi = 0.0f;
                kr::var k = 0;
                kr::while_([&] { return k < limit && zr * zr + zi * zi < 4.0f; }, [&] { k += 1; });
                out(y, x) = k;
              });
            }),
            R"(kir 1
kernel fp(native) (%0: view<i32, 2>, %1: i32) {
  %2: i64 = global_id {1}
  %3: i64 = extent %0 {0}
  %4: bool = lt %2, %3
  %5: i64 = global_id {0}
  %6: i64 = extent %0 {1}
  %7: bool = lt %5, %6
  %8: bool = and %4, %7
  if %8 {
    %9: i32 = const 0
    %10: slot<i32> = slot %9
    %11: f32 = const 0x0p+0
    %12: slot<f32> = slot %11
    %13: f32 = const 0x0p+0
    %14: slot<f32> = slot %13
    loop {
      %15: i32 = get %10
      %16: bool = lt %15, %1
      %17: f32 = get %12
      %18: f32 = get %12
      %19: f32 = mul %17, %18
      %20: f32 = get %14
      %21: f32 = get %14
      %22: f32 = mul %20, %21
      %23: f32 = add %19, %22
      %24: f32 = const 0x1p+2
      %25: bool = lt %23, %24
      %26: bool = and %16, %25
      if %26 {
        yield
      } else {
        break
      }
      %27: i32 = get %10
      %28: i32 = const 1
      %29: i32 = add %27, %28
      set %10, %29
      continue
    }
    %30: i32 = get %10
    store.i32 %0, %2, %5, %30
    yield
  }
  return
}
)");
}

}  // namespace
