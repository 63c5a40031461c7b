// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole kernels on a Vulkan device: control flow, memory, synchronisation and the launch itself.
#include <gtest/gtest.h>

#include <numeric>

#include <fmt/core.h>

#include "harness.h"

namespace krait::test {
namespace {

class VulkanKernels : public testing::Test {
 protected:
  void SetUp() override {
    if (!device()) GTEST_SKIP() << why_no_device();
  }
};

std::vector<float> ramp(std::size_t n, float scale = 1) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = (float(i % 977) - 400) * scale;
  return v;
}

TEST_F(VulkanKernels, TargetNamesWhatTheDriverDoes) {
  const std::string target = support::print(device()->target());
  RecordProperty("target", target);
  EXPECT_EQ(target.rfind("spirv features=i64", 0), 0u) << target;
  EXPECT_NE(target.find(" push="), target.npos) << target;
}

TEST_F(VulkanKernels, Saxpy) {
  const ir::Module m = parse_kernel(R"(kir 1
kernel @saxpy fp(native) facts(contiguous, aligned, small, disjoint) flat (%0: f32, %1: view<f32, 1, const>, %2: view<f32, 1>) {
  %3: i64 = extent %2 {0}
  grid_stride %3 {
  ^(%4: i64):
    %5: f32 = load %1, %4
    %6: f32 = load %2, %4
    %7: f32 = fma %0, %5, %6
    store.f32 %2, %4, %7
    continue
  }
  return
}
)");
  expect_as_interpreted(m, {{3, 1, 1}, {64, 1, 1}}, {scalar(1.1f), array(ramp(1000)), array(ramp(1000, 0.37f))});
}

// llvmpipe followed indices of loads back, and took each of 2^64 paths here.
TEST_F(VulkanKernels, IndicesByLongComputationsOfArguments) {
  std::string text = R"(kir 1
kernel @indices fp(strict) facts(contiguous) flat (%0: u32, %1: view<u32, 1>, %2: view<u32, 1>) {
  %3: i64 = thread_idx {0}
  %4: u32 = const 7
  %5: shared<u32, 1> = shared {8}
  %6: u32 = load %1, %3
  store.u32 %5, %3, %6
  barrier
  %9: u32 = add %0, %4
)";
  for (int n = 10; n < 74; ++n) text += fmt::format("  %{0}: u32 = mul %{1}, %{1}\n", n, n - 1);
  text += R"(  %80: u32 = and %73, %4
  %81: u32 = load %1, %80
  %87: u32 = const 6
  %88: u32 = and %80, %87
  %82: u32, %83: u32 = load_vec %1, %88
  %84: u32 = load %5, %80
  %85: u32 = sub %81, %83
  %86: u32 = mul %84, %85
  store.u32 %2, %3, %86
  return
}
)";
  std::vector<std::uint32_t> in(16);
  std::iota(in.begin(), in.end(), 100);
  expect_as_interpreted(parse_kernel(text), {{1, 1, 1}, {8, 1, 1}},
                        {scalar(std::uint32_t(4)), array(in), array(std::vector<std::uint32_t>(8))});
}

// NVIDIA's driver (580) lets a u16's register go before it swaps its bytes, where a division of 64 bits comes between.
TEST_F(VulkanKernels, SwappedBytesOutliveADivision) {
  const ir::Module m = parse_kernel(R"(kir 1
kernel @swaps fp(strict) facts(contiguous) flat (%0: view<u16, 1, const>, %1: view<u32, 1>, %2: view<u16, 1>, %3: view<i64, 1>) {
  %4: i64 = global_id {0}
  %5: u16 = load %0, %4
  %6: u32 = cast %5
  %7: u32 = byte_swap %6
  %8: i32 = const 8
  %9: u16 = shl %5, %8
  %10: u16 = shr %5, %8
  %11: u16 = or %9, %10
  %12: u32 = shl %6, %8
  %13: u32 = shr %6, %8
  %14: u32 = or %12, %13
  %15: u16 = cast %14
  %16: i64 = load %3, %4
  %17: i64 = const 1234567890123456789
  %18: i64 = rem %17, %16
  store.i64 %3, %4, %18
  store.u32 %1, %4, %7
  %19: u16 = sub %11, %15
  %20: u16 = add %11, %19
  store.u16 %2, %4, %20
  return
}
)");
  std::vector<std::uint16_t> in(64);
  std::vector<std::int64_t> divisors(64);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::uint16_t(i * 40503 + 77), divisors[i] = std::int64_t(i * i * i) - 5;
  expect_as_interpreted(
      m, {{2, 1, 1}, {32, 1, 1}},
      {array(in), array(std::vector<std::uint32_t>(64)), array(std::vector<std::uint16_t>(64)), array(divisors)});
}

TEST_F(VulkanKernels, Mandelbrot) {
  const ir::Module m = parse_kernel(R"(kir 1
kernel @mandelbrot fp(strict) facts(contiguous) flat (%0: view<i32, 2>, %1: i32) {
  %2: i64 = global_id {0}
  %3: i64 = global_id {1}
  %4: i64 = extent %0 {0}
  %5: i64 = extent %0 {1}
  %6: bool = lt %3, %4
  %7: bool = lt %2, %5
  %8: bool = and %6, %7
  if %8 {
    %9: f32 = cast %2
    %10: f32 = const 0x1p-5
    %11: f32 = mul %9, %10
    %12: f32 = const 0x1p+1
    %13: f32 = sub %11, %12
    %14: f32 = cast %3
    %15: f32 = mul %14, %10
    %16: f32 = const 0x1p+0
    %17: f32 = sub %15, %16
    %18: f32 = const 0x0p+0
    %19: i32 = const 0
    %20: f32, %21: f32, %22: i32 = loop %18, %18, %19 {
    ^(%23: f32, %24: f32, %25: i32):
      %26: bool = ge %25, %1
      if %26 {
        break %23, %24, %25
      }
      %27: f32 = mul %23, %23
      %28: f32 = mul %24, %24
      %29: f32 = add %27, %28
      %30: f32 = const 0x1p+2
      %31: bool = ge %29, %30
      if %31 {
        break %23, %24, %25
      }
      %32: f32 = sub %27, %28
      %33: f32 = add %32, %13
      %34: f32 = mul %23, %24
      %35: f32 = add %34, %34
      %36: f32 = add %35, %17
      %37: i32 = const 1
      %38: i32 = add %25, %37
      continue %33, %36, %38
    }
    %39: i64 = mul %3, %5
    %40: i64 = add %39, %2
    store.i32 %0, %40, %22
    yield
  }
  return
}
)");
  expect_as_interpreted(m, {{7, 6, 1}, {16, 8, 1}}, {array(std::vector<std::int32_t>(45 * 100), {45, 100}), scalar(50)});
}

}  // namespace
}  // namespace krait::test
