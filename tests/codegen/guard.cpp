// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fatal error of LLVM's must not end the process: run against the guard itself, since no kernel
// is known to cause one.
#include "codegen/llvm/guard.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cfenv>
#include <fstream>
#include <functional>
#include <future>
#include <new>
#include <stdexcept>
#include <thread>

#include <llvm/Support/ErrorHandling.h>

namespace krait::codegen {
namespace {

TEST(Guard, RunsOnAThreadWithALargeStackAndDefaultRounding) {
  int rounding = -1;
  std::fesetround(FE_UPWARD);
  char first = 0;
  Failure result = run_guarded([&] {
    volatile char large[100 << 20];
    large[0] = 1;
    first = large[0];
    rounding = std::fegetround();
  });
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(result.status, 0) << result.message;
  EXPECT_EQ(first, 1);
  EXPECT_EQ(rounding, FE_TONEAREST);
}

TEST(Guard, FailuresAndExceptionsComeBack) {
  Failure refused = run_guarded([] { unsupported("no such thing"); });
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.message, "no such thing");
  Failure broken = run_guarded([] { throw std::runtime_error("odd"); });
  EXPECT_EQ(broken.status, 2);
  EXPECT_EQ(broken.message, "odd");
  Failure unknown = run_guarded([] { throw 1; });
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.message, "an unknown exception while compiling");
}

TEST(Guard, WhatTheHostIsShortOf) {
  EXPECT_EQ(run_guarded([] { throw std::bad_alloc(); }).status, 3);
  struct rlimit limit;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &limit), 0);
  std::size_t pages = 0;  // in use
  ASSERT_TRUE(std::ifstream("/proc/self/statm") >> pages);
  const struct rlimit tight {
    pages *std::size_t(sysconf(_SC_PAGESIZE)) + (std::size_t(200) << 20), limit.rlim_max
  };  // no room for a stack
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  Failure refused{0, {}};
  // the C library keeps the stacks of a few threads that ended
  std::function<void(int)> within = [&](int depth) {
    if (Failure failure = run_guarded([&] {
          if (depth < 20) within(depth + 1);
        });
        failure.status)
      refused = std::move(failure);
  };
  within(0);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  EXPECT_EQ(refused.status, 3);
  EXPECT_EQ(
      refused.message,
      "cannot start a compiler thread with a stack of 256 MiB of address space: raise the limits of processes and memory (ulimit "
      "-u, ulimit -v)");
  EXPECT_EQ(run_guarded([] {}).status, 0);
}

// The last tests of this program, each in a process of its own: afterwards nothing compiles here
// any more.
struct GuardSpent : testing::Test {
  /// Runs `check` in a child, and gives whether all of it held.
  static bool holds(bool (*check)()) {
    const pid_t child = fork();
    if (child == 0) _exit(check() ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0;
  }
  static bool is_spent() {
    bool ran = false;
    const Failure later = run_guarded([&] { ran = true; });
    return !ran && later.status == spent_status &&
           later.message ==
               "this copy of the code generator no longer compiles, because LLVM failed in it";
  }
};

TEST_F(GuardSpent, FatalErrorsAreAnsweredAndEndCompilation) {
  EXPECT_TRUE(holds([] {
    const Failure fatal = run_guarded([] { llvm::report_fatal_error("Cannot select: something"); });
    return fatal.status == 2 && fatal.message == "LLVM: Cannot select: something" && is_spent();
  }));
}

TEST_F(GuardSpent, SoDoesWantOfMemoryInsideLLVM) {
  EXPECT_TRUE(holds([] {
    const Failure short_of = run_guarded([] { llvm::report_bad_alloc_error("Allocation failed"); });
    return short_of.status == 3 && short_of.message == "out of memory" && is_spent();
  }));
  EXPECT_TRUE(holds([] {
    const Failure short_of = run_guarded([] { no_memory(); });
    return short_of.status == 3 && short_of.message == "out of memory" && is_spent();
  }));
}

// What the thread that failed holds, the others may wait for.
TEST_F(GuardSpent, CompilationsBesideAreGivenUp) {
  EXPECT_TRUE(holds([] {
    std::promise<void> begun;
    std::thread other([&] {
      begun.get_future().wait();
      run_guarded([] { llvm::report_fatal_error("Cannot select: something"); });
    });
    const Failure beside = run_guarded([&] {
      begun.set_value();
      for (;;) pause();
    });
    other.join();
    return beside.status == spent_status;
  }));
}

TEST(Guard, OutsideOfItWantOfMemoryIsAnException) { EXPECT_THROW(no_memory(), std::bad_alloc); }

}  // namespace
}  // namespace krait::codegen
