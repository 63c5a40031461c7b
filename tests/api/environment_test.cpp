// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the caller's thread state must not change, and what calls must not change in it:
// floating-point control, other threads.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "expect.h"

namespace {

#if defined(__x86_64__)
constexpr unsigned flush = 0x8040;  // FTZ and DAZ of MXCSR

/// As in a program linked with -Ofast.
struct Flushing {
  unsigned saved = _mm_getcsr();
  Flushing() { _mm_setcsr(saved | flush); }
  ~Flushing() { _mm_setcsr(saved); }
};

TEST(Environment, SubnormalsSurviveInAProgramThatFlushesThem) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  const std::vector<float> x(100'000, tiny);  // enough for every worker
  std::vector<float> twice, folded;
  float number = 0;
  unsigned after = 0;
  {
    Flushing on;
    const unsigned before = _mm_getcsr() & flush;
    ASSERT_EQ(before, flush);
    twice = kr::vectorize([](auto v) { return v + v; }, {.fp = kr::fp::strict})(x);
    // Of literals alone: folded while compiling.
    folded = kr::vectorize([](auto v) { return kr::value<float>(1e-40f) * 0.5f + 0.0f * v; },
                           {.fp = kr::fp::strict})(x);
    number = kr::vectorize([](auto v) { return v * 3; })(tiny);
    after = _mm_getcsr() & flush;
  }
  EXPECT_EQ(after, flush);  // the caller's setting is as it was
  for (float v : twice) ASSERT_EQ(std::memcmp(&v, "\x02\0\0\0", 4), 0);
  EXPECT_EQ(folded[0], 1e-40f * 0.5f);
  EXPECT_EQ(number, 3 * tiny);
}
#endif

TEST(Environment, RoundingModeOfTheCaller) {
  const int before = std::fegetround();
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  std::vector<float> x(1000, 1.0f);
  std::vector<float> y = kr::vectorize([](auto v) { return v / 3; }, {.fp = kr::fp::strict})(x);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(before);
  for (float v : y) ASSERT_EQ(v, 0x1.555556p-2f);  // the nearest
}

TEST(Environment, ConcurrentFirstCalls) {
  auto k = kr::kernel([](kr::value<int> c, kr::view<const int> x, kr::view<int> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[i] * x[i] + c;
  });
  auto f = kr::vectorize([](auto x, auto y) { return x * 7 + y; });
  std::atomic<int> ready{0};
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  std::vector<int> wrong(8, 0);
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      std::vector<int> x(5000), y(5000);
      for (int i = 0; i < 5000; ++i) x[std::size_t(i)] = i % 1000;
      ++ready;
      while (!go) std::this_thread::yield();
      for (int round = 0; round < 20; ++round) {
        k.launch({4, 64}, t + round, x, y);
        for (int i = 0; i < 5000; ++i)
          wrong[std::size_t(t)] += y[std::size_t(i)] != (i % 1000) * (i % 1000) + t + round;
        const std::vector<int> z = f(x, t);
        wrong[std::size_t(t)] += z[999] != 999 * 7 + t || f(round, t) != 7 * round + t;
      }
    });
  while (ready < 8) std::this_thread::yield();
  go = true;
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
}

TEST(Environment, ForkedChildren) {
  if (const char* why = krait::test::cannot_fork()) GTEST_SKIP() << why;
  auto f = kr::vectorize([](auto x) { return x * 3 + 1; });
  const std::vector<int> x(300'000, 2);  // enough for every worker
  ASSERT_EQ(std::vector<int>(f(x)).back(), 7);
  const bool survives = std::string(kr::device().id()) == "cpu";  // drivers of GPUs do not
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool right = false;
    try {
      right = std::vector<int>(f(x)) == std::vector<int>(x.size(), 7) &&
              kr::vectorize([](auto v) { return v + 5; })(1) == 6;
    } catch (const kr::error& e) {
      right =
          !survives && e.kind() == kr::error::kind_type::device && std::strstr(e.message(), "fork");
    }
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(std::vector<int>(f(x)).back(), 7);  // the parent's workers are as they were
}

// Mesa's handler of exit joins its threads, which a fork does not have: not even their stacks, once
// others took the place.
TEST(Environment, ForkedChildrenExit) {
  if (const char* why = krait::test::cannot_fork()) GTEST_SKIP() << why;
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP()
      << "this sanitizer ends a forked child that starts threads under ids which threads of its parent have";
#endif
  if (std::string(kr::device().id()).starts_with("cuda"))
    GTEST_SKIP() << "CUDA's driver does not survive a fork";
  kr::array<int> x(1000);
  x.copy_from(std::vector<int>(1000, 3));  // the device is open
  int written[2];
  ASSERT_EQ(pipe(written), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    for (int round = 0; round < 4; ++round) {
      std::vector<std::thread> threads;
      for (int t = 0; t < 16; ++t)
        threads.emplace_back([] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
      for (std::thread& t : threads) t.join();
    }
    std::fputs("written at exit", fdopen(written[1], "w"));
    std::exit(7);
  }
  close(written[1]);
  char text[32] = {};
  EXPECT_EQ(read(written[0], text, sizeof text - 1), 15);
  EXPECT_STREQ(text, "written at exit");
  close(written[0]);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

TEST(Environment, RecordingsOfSeveralThreadsDoNotMeet) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&wrong, t] {
      for (int i = 0; i < 5; ++i) {
        auto f = kr::vectorize([t, i](auto x) { return x * (t + 1) + i; });
        if (f(10) != 10 * (t + 1) + i) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
