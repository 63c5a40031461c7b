// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls: under masks, of scalars and vectors, with views, and the rare paths of mathematical functions.
#include "fixture.h"

namespace krait::test {
namespace {

const std::string loop_of_its_own =
    "func @steps (%0: i32, %1: f32) -> (i32, f32, bool) {\n"
    "  %2: i32 = const 0\n  %3: i32, %4: i32, %5: f32 = loop %0, %2, %1 {\n  ^(%6: i32, %7: i32, %8: f32):\n"
    "    %9: i32 = const 1\n    %10: bool = gt %6, %9\n    if %10 {\n      yield\n    } else {\n      break %6, %7, %8\n    }\n"
    "    %11: i32 = and %6, %9\n    %12: bool = eq %11, %2\n    %13: i32 = const 2\n    %14: i32 = div %6, %13\n"
    "    %15: i32 = const 3\n    %16: i32 = mul %6, %15\n    %17: i32 = add %16, %9\n    %18: i32 = select %12, %14, %17\n"
    "    %19: i32 = add %7, %9\n    %20: f32 = add %8, %8\n    continue %18, %19, %20\n  }\n"
    "  %21: i32 = and %4, %3\n  %22: i32 = const 0\n  %23: bool = ne %21, %22\n  yield %4, %5, %23\n}\n";

TEST(CpuCalls, EveryThreadLoopsAsOftenAsItWants) {
  check(
      "kernel @k fp(strict) (%0: view<i32, 1>, %1: view<f32, 1>, %2: view<bool, 1>) {\n"
      "  %3: i64 = extent %0 {0}\n  grid_stride %3 {\n  ^(%4: i64):\n    %5: i32 = cast %4\n    %6: f32 = load %1, %4\n"
      "    %7: f32 = const 100\n    %8: bool = lt %6, %7\n    if %8 {\n"
      "      %9: i32, %10: f32, %11: bool = call @steps(%5, %6)\n      store.i32 %0, %4, %9\n      store.f32 %1, %4, %10\n"
      "      store.bool %2, %4, %11\n      yield\n    }\n    continue\n  }\n  return\n}\n" +
          loop_of_its_own,
      line(3, 20), [] {
        std::vector<float> x(77);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i * 7 % 130);
        return std::vector<Arg>{array(std::vector<int>(77)), array(x), array(std::vector<std::uint8_t>(77))};
      }());
}

TEST(CpuCalls, EqualArgumentsAreCalledOnce) {
  check(
      "kernel @k fp(strict) (%0: view<f32, 1>, %1: i32, %2: f32) {\n"
      "  %3: i64 = global_id {0}\n  %4: i32, %5: f32, %6: bool = call @steps(%1, %2)\n  %7: f32 = load %0, %3\n"
      "  %8: i32, %9: f32, %10: bool = call @steps(%1, %7)\n  %11: f32 = add %5, %9\n  %12: f32 = select %10, %11, %5\n"
      "  store.f32 %0, %3, %12\n  return\n}\n" +
          loop_of_its_own,
      line(2, 33), {array(std::vector<float>(66, 1.5f)), scalar(27), scalar(0.25f)});
}

TEST(CpuCalls, ViewsStoresAndAtomics) {
  check(
      "kernel @k fp(strict) (%0: view<i32, 2>, %1: view<i32, 1>) {\n"
      "  %2: i64 = global_id {0}\n  %3: i64 = const 3\n  %4: i64 = rem %2, %3\n  %5: i64 = const 0\n  %6: bool = ne %4, %5\n"
      "  if %6 {\n    call @put(%0, %1, %2, %4)\n    yield\n  }\n  return\n}\n"
      "func @put (%0: view<i32, 2>, %1: view<i32, 1>, %2: i64, %3: i64) {\n"
      "  %4: i32 = cast %2\n  store.i32 %0, %3, %2, %4\n  %5: i32 = const 1\n  %6: i32 = atomic_add %1, %3, %5\n"
      "  %7: local<i32, 1> = local {4}\n  store.i32 %7, %3, %4\n  %8: i32 = load %7, %3\n  store.i32 %0, %3, %2, %8\n  "
      "yield\n}\n",
      line(2, 25), {array(std::vector<int>(150, -1), {3, 50}), array(std::vector<int>(3))});
}

TEST(CpuCalls, RarePathsOfFunctions) {
  std::vector<float> x{0.5f, 1e6f, -3e30f, 100.25f, 2.5e5f, 1e-30f, 7.0f, -0.0f};
  while (x.size() < 61) x.push_back(x[x.size() - 7] * 1.5f + 1);
  check(
      "kernel @k fp(reproducible) (%0: view<f32, 1>) {\n"
      "  %1: i64 = extent %0 {0}\n  grid_stride %1 {\n  ^(%2: i64):\n    %3: f32 = load %0, %2\n    %4: f32 = sin %3\n"
      "    %5: f32 = cos %3\n    %6: f32 = tan %3\n    %7: f32 = mul %5, %6\n    %8: f32 = add %4, %7\n"
      "    store.f32 %0, %2, %8\n    continue\n  }\n  return\n}\n",
      line(1, 64), {array(x)});
}

TEST(CpuCalls, BetweenBarriers) {
  check(
      "kernel @k fp(strict) (%0: view<i32, 1>, %1: i32) {\n"
      "  %2: shared<i32, 1> = shared {40}\n  %3: i64 = thread_idx {0}\n  %4: i32 = cast %3\n  %5: f32 = const 1\n"
      "  %6: i32, %7: f32, %8: bool = call @steps(%4, %5)\n  store.i32 %2, %3, %6\n  barrier\n  %9: i64 = const 39\n"
      "  %10: i64 = sub %9, %3\n  %11: i32 = load %2, %10\n  %12: i32, %13: f32, %14: bool = call @steps(%1, %5)\n"
      "  %15: i32 = add %11, %12\n  barrier\n  %16: i32 = add %15, %6\n  store.i32 %0, %3, %16\n  return\n}\n" +
          loop_of_its_own,
      line(1, 40), {array(std::vector<int>(40)), scalar(9)});
}

}  // namespace
}  // namespace krait::test
