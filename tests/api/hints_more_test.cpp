// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints about whole powers, lone loops, volatile loads and arrays of a thread's own: a kernel that
// gets each, at its line, and one beside it that does not.
#include <gtest/gtest.h>
#include <krait/krait.h>
#include <krait/volatile.h>

#include <string>

#include "expect.h"

namespace kr = krait;
using kr::value, kr::view;

namespace {

const kr::target avx512("cpu x86-64 lanes=16 parts=2 cpu=x86-64-v4"), ptx = kr::target::sm(90);

template <class Kernel>
std::string hints(Kernel& k, const kr::target& on) {
  k.compile();
  return k.hints(on).data();
}

/// The whole hint, of that line.
std::string hint(unsigned line, const std::string& text) {
  return krait::test::place(line) + ": krait: hint: " + text + "\n";
}

testing::AssertionResult has(const std::string& said, const std::string& wanted) {
  if (said.find(wanted) != said.npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no " << wanted << "in:\n" << said;
}

TEST(HintsMore, LoneLoop) {
  auto first = kr::kernel([](view<const float> x, view<float> y) {
    kr::if_(kr::thread_idx().x == 0, [&] {
      kr::var sum = 0.0f;
      for (auto i : kr::range(x.size())) sum += x[i];
      y[kr::block_idx().x] = sum;
    });
  });
  const unsigned line = __LINE__ - 4;
  const std::string text =
      "lone loop: one thread runs it, an element at a time, as the lanes of a vector are threads and loops of a thread are not "
      "vectorised. Give each thread of a block some of the iterations (kr::grid_stride, or a step of kr::block_dim().x)";
  EXPECT_TRUE(has(hints(first, avx512), hint(line, text)));
  auto all = kr::kernel([](view<const float> x, view<float> y) {
    kr::var sum = 0.0f;
    for (auto i : kr::range(x.size())) sum += x[i];
    y[kr::grid<1>()] = sum;
  });
  EXPECT_EQ(hints(all, avx512).find("lone loop"), std::string::npos);
}

TEST(HintsMore, LoneLoopOfScalarCode) {
  const auto of_mode = [](kr::fp mode) {
    return kr::kernel<8, 1>(
        [](view<const float> x, view<float> y) {
          kr::var sum = 0.0f;
          for (auto i : kr::range(x.size())) sum += x[i];
          y[kr::block_idx().x] = sum;
        },
        {.fp = mode});
  };
  const unsigned line = __LINE__ - 5;
  auto native = of_mode(kr::fp::native), fast = of_mode(kr::fp::fast);
  EXPECT_TRUE(has(
      hints(native, avx512),
      hint(
          line,
          "lone loop: one thread runs it, and its floating-point sum keeps its order, an element at a time. Allow any "
          "order by kr::fp::fast, or give each thread of a block some of the iterations (kr::grid_stride, or a step of "
          "kr::block_dim().x)")));
  EXPECT_EQ(hints(fast, avx512).find("lone loop"), std::string::npos);
}

TEST(HintsMore, VolatileLoad) {
  auto watched = kr::kernel([](view<int> x, view<int> y) {
    kr::volatile_view seen(x);
    for (auto i : kr::grid_stride(y.size())) y[i] = seen.load(i);
  });
  const unsigned line = __LINE__ - 2;
  EXPECT_TRUE(has(
      hints(watched, avx512),
      hint(
          line,
          "volatile load: 32 threads read one after another, because each read of memory that others change is a separate access. Read constant memory by a plain view, or let one thread read and kr::warp::broadcast the value")));
  auto plain = kr::kernel([](view<const int> x, view<int> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[i];
  });
  EXPECT_EQ(hints(plain, avx512), "");
}

/// A stack whose first element is a thread's own; one that is equal in all threads is one array.
TEST(HintsMore, IndexFromAnArrayOfTheThread) {
  auto own = kr::kernel([](view<const float> tree, view<float> out) {
    kr::var sum = 0.0f;
    kr::var top = 1;
    auto todo = kr::local<int, 16>();
    todo[0] = kr::cast<int>(kr::grid<1>());
    kr::while_([&] { return top > 0; },
               [&] {
                 top -= 1;
                 auto next = todo[top];
                 sum += tree[next];
               });
    out[kr::grid<1>()] = sum;
  });
  const unsigned line = __LINE__ - 4;
  EXPECT_TRUE(has(
      hints(own, avx512),
      krait::test::place(line) +
          ": krait: hint: gather: the index comes from a thread's own array (kr::local), and each thread has its own copy, and 32 threads access 32 places, which is one instruction but as many accesses. "
          "If all threads of a warp keep equal numbers there, such as a stack, read them by kr::warp::broadcast(v, 0), or use a shared array\n"));
  EXPECT_EQ(hints(own, avx512).find("Sort the work"), std::string::npos);
  auto equal = kr::kernel([](view<const float> tree, view<float> out) {
    auto todo = kr::local<int, 16>();
    for (auto i : kr::range(16)) todo[i] = 15 - i;
    kr::var sum = 0.0f;
    for (auto i : kr::range(kr::cast<int>(tree.size()))) sum += tree[todo[i & 15]];
    out[kr::grid<1>()] = sum;
  });
  EXPECT_EQ(hints(equal, avx512).find("gather: "), std::string::npos);
  if (const std::string why = krait::test::no_warps(); !why.empty()) GTEST_SKIP() << why;
  auto same = kr::kernel([](view<const float> tree, view<float> out) {
    auto todo = kr::local<int, 16>();
    todo[kr::cast<int>(kr::lane_id() & 15)] = 3;
    out[kr::grid<1>()] = tree[kr::warp::broadcast(todo[3], 0)];
  });
  EXPECT_EQ(hints(same, avx512).find("gather: "), std::string::npos);
}

}  // namespace
