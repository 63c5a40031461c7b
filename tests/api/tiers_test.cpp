// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First launches run code that was soon compiled, later ones the best, which is made in the
// background.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

constexpr int elements = 1000;

/// A kernel of its own for each number: functions, a loop that diverges, a guard.
auto numbered(int n) {
  return kr::kernel(
      [n](kr::view<const float> in, kr::view<float> out) {
        auto i = kr::grid();
        kr::if_(i < out.size(), [&] {
          kr::var x = in[i];
          kr::var steps = 0;
          kr::while_([&] { return x > 1.0f && steps < 40; },
                     [&] { x = kr::sqrt(x) * 0.99f, steps += 1; });
          out[i] = kr::sin(x) + kr::cast<float>(steps) + float(n);
        });
      },
      {.name = "tiered", .fp = kr::fp::reproducible});
}

struct Data {
  kr::array<float> in, out{elements};
  Data() {
    std::vector<float> values(elements);
    for (int i = 0; i < elements; ++i) values[std::size_t(i)] = float(i) * 37.0f;
    in = kr::to_device(values);
  }
};

std::vector<float> host(const kr::array<float>& a) { return a.to_host(); }

/// The entry of the last kernel of that name.
kr::kernel_stats last_of(const kr::statistics& s, const char* name) {
  kr::kernel_stats found{};
  for (const kr::kernel_stats& k : s)
    if (std::strcmp(k.name, name) == 0) found = k;
  return found;
}

bool has_tiers() {
  const char* off = std::getenv("KRAIT_TIERS");
  const auto is = [](const char* kind) {
    return std::strncmp(kr::device().id(), kind, std::strlen(kind)) == 0;
  };
  return !is("vulkan") && !is("opencl") && !(off && std::strcmp(off, "off") == 0);
}

TEST(Tiers, TheBestCodeTakesOverAndGivesTheSameBits) {
  auto k = numbered(1);
  Data d;
  k.launch({10, 100}, d.in, d.out);
  const std::vector<float> first = host(d.out);
  kr::wait_for_compilations();
  const std::uint64_t improved = kr::stats().improved();
  if (has_tiers()) {
    EXPECT_GT(improved, 0u);
  }
  k.launch({10, 100}, d.in, d.out);
  EXPECT_EQ(host(d.out), first);
  const kr::statistics s = kr::stats();
  const kr::kernel_stats of = last_of(s, "tiered");
  EXPECT_FALSE(of.quick);
  EXPECT_EQ(of.launches, 2u);
}

TEST(Tiers, WhatIsCompiledAheadIsTheBest) {
  auto k = numbered(2);
  const kr::statistics before = kr::stats();
  k.compile();
  const kr::statistics s = kr::stats();
  EXPECT_FALSE(last_of(s, "tiered").quick);
  EXPECT_EQ(s.compiled(), before.compiled() + 1);
  Data d;
  k.launch({10, 100}, d.in, d.out);
  EXPECT_EQ(kr::stats().compiled(), before.compiled() + 1);
}

TEST(Tiers, AskingForTheBestWhileItIsMadeWaitsForIt) {
  auto k = numbered(3);
  Data d;
  k.launch({10, 100}, d.in, d.out);
  EXPECT_GT(k.attributes().suggested_block, 0);
  const kr::statistics s = kr::stats();
  EXPECT_FALSE(last_of(s, "tiered").quick);
}

TEST(Tiers, AGraphHoldsTheBest) {
  auto k = numbered(4);
  Data d;
  k.launch({10, 100}, d.in, d.out);
  const std::vector<float> first = host(d.out);
  kr::graph g([&] { k.launch({10, 100}, d.in, d.out); });
  const kr::statistics s = kr::stats();
  EXPECT_FALSE(last_of(s, "tiered").quick);
  g.launch();
  EXPECT_EQ(host(d.out), first);
}

TEST(Tiers, ALongLaunchWaitsForTheBestOnTheCpu) {
  if (std::strcmp(kr::device().id(), "cpu") != 0) GTEST_SKIP() << "a GPU's launches are not long";
  // How long it takes is known by the numbers that loops run to: an argument's, or its extent's.
  const auto by_value = [](int unique) {
    return kr::kernel(
        [unique](kr::view<int> out, kr::value<int> n) {
          auto i = kr::grid();
          kr::var sum = kr::cast<int>(i);
          for (auto k : kr::range(n)) sum = (sum ^ k) * 5 + unique;
          out[i] = sum;
        },
        {.name = "long"});
  };
  const auto by_extent = [](int unique) {
    return kr::kernel(
        [unique](kr::view<int> out, kr::view<const int> in) {
          auto i = kr::grid();
          kr::var sum = kr::cast<int>(i);
          for (auto k : kr::range(i % 2, in.size(), 2)) sum = (sum ^ in[k]) * 5 + unique;
          out[i] = sum;
        },
        {.name = "long"});
  };
  std::vector<int> out(65536);
  const auto quick = [](const auto& launch) {
    const std::uint64_t before = kr::stats().compiled();
    launch();
    const kr::statistics s = kr::stats();
    EXPECT_EQ(s.compiled(), before + 1);
    kr::wait_for_compilations();
    return last_of(s, "long").quick;
  };
  for (const int n : {2, 6000}) {
    const std::vector<int> in(std::size_t(n), 1);
    const auto value = by_value(n);
    const auto extent = by_extent(n);
    EXPECT_EQ(quick([&] { value.launch({256, 256}, out, n); }), n == 2 && has_tiers());
    EXPECT_EQ(quick([&] { extent.launch({256, 256}, out, in); }), n == 2 && has_tiers());
  }
}

TEST(Tiers, ManyThreadsTakeOver) {
  auto k = numbered(5);
  Data d;
  std::vector<std::thread> threads;
  std::vector<kr::array<float>> outs;
  for (int t = 0; t < 4; ++t) outs.emplace_back(kr::shape<1>(elements));
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int r = 0; r < 200; ++r) k.launch({10, 100}, d.in, outs[std::size_t(t)]);
    });
  for (std::thread& t : threads) t.join();
  kr::wait_for_compilations();
  k.launch({10, 100}, d.in, d.out);
  const std::vector<float> best = host(d.out);
  for (const auto& out : outs) EXPECT_EQ(host(out), best);
}

TEST(Tiers, AKernelThatIsGoneIsNotImproved) {
  Data d;
  for (int n = 100; n < 130; ++n) numbered(n).launch({10, 100}, d.in, d.out);
  kr::wait_for_compilations();
  auto again = numbered(129);
  again.launch({10, 100}, d.in, d.out);  // what was left out begins again
  kr::wait_for_compilations();
  const kr::statistics s = kr::stats();
  EXPECT_FALSE(last_of(s, "tiered").quick);
}

TEST(Tiers, AForkInTheMiddle) {
  if (const char* why = krait::test::cannot_fork()) GTEST_SKIP() << why;
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP()
      << "this sanitizer ends a forked child that starts threads under ids which threads of its parent have";
#endif
  if (std::strcmp(kr::device().id(), "cpu") != 0)
    GTEST_SKIP() << "a child of fork cannot use a GPU";
  auto k = numbered(6);
  Data d;
  k.launch({10, 100}, d.in, d.out);
  const std::vector<float> first = host(d.out);
  const pid_t child = fork();
  if (child == 0) {
    k.launch({10, 100}, d.in, d.out);
    const auto same = [&] { return host(d.out) == first; };
    bool right = same();
    kr::wait_for_compilations();
    k.launch({10, 100}, d.in, d.out);
    right = right && same() && !last_of(kr::stats(), "tiered").quick;
    _exit(right ? 7 : 8);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  kr::wait_for_compilations();
  k.launch({10, 100}, d.in, d.out);
  EXPECT_EQ(host(d.out), first);
}

}  // namespace
