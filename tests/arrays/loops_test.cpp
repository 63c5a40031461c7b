// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over indices, and measuring.
#include <krait/algorithm/loops.h>
#include <krait/benchmark.h>
#include <krait/progress.h>

#include <cstdio>
#include <list>
#include <string>
#include <thread>
#include <vector>

#include "arrays/algorithm_cases.h"

using krait::test::expect_usage;

namespace {

std::vector<float> host(const kr::array<float>& a) { return a.to_host(); }

TEST(Loops, ParallelFor) {
  const std::vector<float> numbers{1, 2, 3, 4, 5};
  const auto x = kr::to_device(numbers);
  auto y = kr::zeros<float>(5);
  kr::parallel_for(
      5, [](auto i, auto from, auto to, auto by) { to[i] = by * from[4 - i]; }, x, y, 2.0f);
  EXPECT_EQ(host(y), (std::vector<float>{10, 8, 6, 4, 2}));
  const float more = 3;  // a capture is part of the kernel
  kr::parallel_for(
      4, [more](auto i, auto to) { to[i] = to[i] + more; }, y);
  EXPECT_EQ(host(y), (std::vector<float>{13, 11, 9, 7, 2}));
  kr::parallel_for(
      0, [](auto i, auto to) { to[i] = 0.0f; }, y);
  EXPECT_EQ(float(y(0)), 13.0f);
}

/// Sizes around a block's lanes, the four indices that a lane takes at a time, and the blocks;
/// integers, of which every order gives the same.
TEST(Loops, Reduce) {
  const auto add = [](auto a, auto b) { return a + b; };
  for (const std::int64_t n : {0, 1, 2, 31, 32, 33, 63, 65, 159, 161, 255, 256, 257, 1279, 1281,
                               65535, 65536, 65537, 300000}) {
    const auto squares = kr::reduce(n, std::int64_t(5), add, [](auto i) { return i * i; });
    EXPECT_EQ(squares, 5 + (n - 1) * n * (2 * n - 1) / 6) << n;
    // it has no identity that a lane without an index could start from
    const auto both = [](auto a, auto b) { return a + b + 1; };
    const auto sum = kr::reduce(n, std::int64_t(-3), both, [](auto i) { return i; });
    EXPECT_EQ(sum, -3 + (n - 1) * n / 2 + n) << n;
  }
  const auto x = kr::to_device(std::vector<int>{3, 9, -4, 9, 7});
  const auto largest = [](auto a, auto b) { return kr::max(a, b); };
  EXPECT_EQ(kr::reduce(
                5, -100, largest, [](auto i, auto from) { return from[i]; }, x),
            9);
  EXPECT_EQ(kr::reduce(
                5, 100, largest, [](auto i, auto from) { return from[i]; }, x),
            100);
  const int modulus = 7;
  EXPECT_EQ(
      kr::reduce(
          1000, 0, add, [modulus](auto i, auto by) { return kr::cast<int>(i % modulus) * by; }, 2),
      2 * (142 * 21 + 15));
  EXPECT_EQ(kr::reduce(10, 0.5f, add, [](auto i) { return kr::cast<float>(i); }), 45.5f);
}

TEST(Loops, BadInput) {
  auto y = kr::zeros<float>(5);
  expect_usage({"-1"}, [&] {
    kr::parallel_for(
        -1, [](auto i, auto to) { to[i] = 0.0f; }, y);
  });
  expect_usage({"-1"}, [&] {
    kr::reduce(
        -1, 0, [](auto a, auto b) { return a + b; }, [](auto i) { return kr::cast<int>(i); });
  });
  krait::test::expect_library_works();
}

TEST(Benchmark, TakesWhatTheFunctionTakes) {
  int calls = 0;
  const auto sleep = [&] {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  const kr::benchmark_result few = kr::benchmark(sleep, {.warm_up = 2, .runs = 4, .seconds = 0});
  EXPECT_EQ(few.runs, 4);
  EXPECT_EQ(calls, 6);
  EXPECT_GE(few.host.min_ms, 2.0);
  EXPECT_LE(few.host.min_ms, few.host.mean_ms);
  EXPECT_LE(few.host.mean_ms, few.host.max_ms);
  EXPECT_GE(few.host.std_ms, 0.0);
  EXPECT_LE(few.host.std_ms, few.host.max_ms - few.host.min_ms);
  const auto began = std::chrono::steady_clock::now();
  const kr::benchmark_result some =
      kr::benchmark(sleep, {.warm_up = 0, .runs = 1, .seconds = 0.02});
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(20));
  EXPECT_EQ(calls, 6 + some.runs);
}
TEST(Benchmark, OfKernels) {
  auto y = kr::zeros<float>(100000);
  const kr::benchmark_result took =
      kr::benchmark([&] { y += 1.0f; }, {.warm_up = 1, .runs = 5, .seconds = 0});
  EXPECT_EQ(float(y(99999)), 6.0f);
  EXPECT_GT(took.device.mean_ms, 0.0);
  EXPECT_LE(took.device.min_ms, took.device.max_ms);
}
TEST(Benchmark, BadInput) {
  expect_usage(
      {"benchmark: 3 runs to warm up, then 0 for 0.1 s: it needs at least one run, and no number may be negative"},
      [] { kr::benchmark([] {}, {.runs = 0}); });
  expect_usage({"then 10 for -1 s"}, [] { kr::benchmark([] {}, {.seconds = -1}); });
}

/// What a loop writes, with times left out.
template <class Loop>
std::string written(kr::progress_options with, const Loop& loop) {
  std::FILE* const file = std::tmpfile();
  with.to = fileno(file);
  loop(with);
  std::string text(1000, 0);
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  for (std::size_t point; (point = text.find('.')) != text.npos;) {
    const std::size_t first = text.rfind(' ', point) + 1;
    text.replace(first, point + 2 - first, "T");
  }
  return text;
}
TEST(Progress, TellsHowFarALoopIs) {
  std::int64_t sum = 0;
  const auto counts = [&](const auto& with) {
    for (const std::int64_t i : kr::progress(4, with)) sum += i;
  };
  EXPECT_EQ(
      written({.name = "steps", .every = 0, .always = true}, counts),
      "steps: 1 of 4, 25 %, T s, T s to go\nsteps: 2 of 4, 50 %, T s, T s to go\nsteps: 3 of 4, 75 %, T s, T s to "
      "go\nsteps: 4 of 4, T s\n");
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(written({.every = 0}, counts), "");  // a file is no terminal
  EXPECT_EQ(written({.every = 100, .always = true}, counts), "");
  std::vector<int> names{3, 4};
  const auto elements = [&](const auto& with) {
    for (int& x : kr::progress(names, with)) x += 1;
    for (const int x : kr::progress(std::list<int>{7}, with)) sum += x;
    for (const std::int64_t i : kr::progress(-1, with)) sum += i;
  };
  EXPECT_EQ(written({.every = 0, .always = true}, elements),
            "1 of 2, 50 %, T s, T s to go\n2 of 2, T s\n1 of 1, T s\n");
  EXPECT_EQ(names, (std::vector<int>{4, 5}));
  expect_usage({"progress: the time between two texts must not be negative: -1 s"},
               [] { kr::progress(3, {.every = -1}); });
}

}  // namespace
