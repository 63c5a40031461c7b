// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls in the interpreter: values in and out under masks, arrays as arguments, what a function's
// own arrays hold.
#include "interp_fixture.h"

namespace krait::ir {
namespace {

TEST(InterpCalls, ResultsComeBackToTheActiveThreads) {
  std::vector<float> x{1, -2, 3, -4};
  std::vector<int> n(4, -1);
  EXPECT_EQ(
      run("kernel @k fp(strict) (%0: view<f32, 1>, %1: view<i32, 1>) {\n"
          "  %2: i64 = thread_idx {0}\n  %3: f32 = load %0, %2\n  %4: f32 = const 0\n  %5: bool = lt %3, %4\n"
          "  if %5 {\n    %6: f32, %7: i32 = call @halve(%3)\n    store.f32 %0, %2, %6\n    store.i32 %1, %2, %7\n    "
          "yield\n  }\n"
          "  return\n}\n"
          "func @halve (%0: f32) -> (f32, i32) {\n  %1: f32 = const 0.5\n  %2: f32 = mul %0, %1\n  %3: i32 = cast %2\n"
          "  yield %2, %3\n}\n",
          line(1, 4), {view(x), view(n)}),
      "");
  EXPECT_EQ(x, (std::vector<float>{1, -1, 3, -2}));
  EXPECT_EQ(n, (std::vector<int>{-1, -1, -1, -2}));
}

TEST(InterpCalls, ALoopInAFunctionRunsForEachThreadAsLongAsItsOwn) {
  std::vector<int> out(5);
  EXPECT_EQ(
      run("kernel @k fp(strict) (%0: view<i32, 1>) {\n"
          "  %1: i64 = thread_idx {0}\n  %2: u64 = cast %1\n  %3: i32 = call @sum(%2)\n  store.i32 %0, %1, %3\n  return\n}\n"
          "func @sum (%0: u64) -> i32 {\n  %1: i32 = const 0\n  %2: i32 = for %0, %1 {\n  ^(%3: u64, %4: i32):\n"
          "    %5: i32 = cast %3\n    %6: i32 = call @add(%4, %5)\n    continue %6\n  }\n  yield %2\n}\n"
          "func @add (%0: i32, %1: i32) -> i32 {\n  %2: i32 = add %0, %1\n  yield %2\n}\n",
          line(1, 5), {view(out)}),
      "");
  EXPECT_EQ(out, (std::vector<int>{0, 0, 1, 3, 6}));
}

TEST(InterpCalls, ViewsAndSharedArraysArePassedOn) {
  std::vector<int> out(4);
  EXPECT_EQ(
      run("kernel @k fp(strict) (%0: view<i32, 1>) {\n"
          "  %1: shared<i32, 1> = shared {4}\n  %2: i64 = thread_idx {0}\n  call @fill(%1, %2)\n  barrier\n"
          "  call @copy(%0, %1, %2)\n  return\n}\n"
          "func @fill (%0: shared<i32, 1>, %1: i64) {\n  %2: i32 = cast %1\n  store.i32 %0, %1, %2\n  yield\n}\n"
          "func @copy (%0: view<i32, 1>, %1: shared<i32, 1>, %2: i64) {\n  %3: i64 = extent %1 {0}\n  %4: i64 = const 1\n"
          "  %5: i64 = sub %3, %4\n  %6: i64 = sub %5, %2\n  %7: i32 = load %1, %6\n  store.i32 %0, %2, %7\n  yield\n}\n",
          line(1, 4), {view(out)}),
      "");
  EXPECT_EQ(out, (std::vector<int>{3, 2, 1, 0}));
}

TEST(InterpCalls, ALocalArrayBeginsWithZerosAtEveryCall) {
  std::vector<int> out(2);
  EXPECT_EQ(
      run("kernel @k fp(strict) (%0: view<i32, 1>) {\n"
          "  %1: i64 = thread_idx {0}\n  %2: i32 = call @count()\n  %3: i32 = call @count()\n  %4: i32 = add %2, %3\n"
          "  store.i32 %0, %1, %4\n  return\n}\n"
          "func @count () -> i32 {\n  %0: local<i32, 1> = local {2}\n  %1: i32 = const 1\n  %2: i32 = load %0, %1\n"
          "  %3: i32 = add %2, %1\n  store.i32 %0, %1, %3\n  %4: i32 = load %0, %1\n  yield %4\n}\n",
          line(1, 2), {view(out)}),
      "");
  EXPECT_EQ(out, (std::vector<int>{2, 2}));
}

TEST(InterpCalls, FaultsInAFunctionNameItsLine) {
  std::vector<int> out(2);
  EXPECT_EQ(
      run("kernel @k fp(strict) (%0: view<i32, 1>) {\n  call @f(%0) ; k.cpp:1\n  return\n}\n"
          "func @f (%0: view<i32, 1>) {\n  %1: i64 = const 5\n  %2: i32 = const 0\n  store.i32 %0, %1, %2 ; f.cpp:7\n  "
          "yield\n}\n",
          line(1, 1), {view(out)}),
      "out of bounds: store to parameter 1 at (5), extents (2), block (0, 0, 0), thread (0, 0, 0), f.cpp:7");
}

}  // namespace
}  // namespace krait::ir
