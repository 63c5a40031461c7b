// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fatal error of LLVM's must not end the process: run against the guard itself, since no kernel is known to cause one.
#include "codegen/llvm/guard.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cfenv>
#include <fstream>
#include <functional>
#include <new>
#include <stdexcept>

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
  std::function<void(int)> within = [&](int depth) {  // the C library keeps the stacks of a few threads that ended
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

// The last test of this program: afterwards nothing compiles any more.
TEST(GuardPoisoned, FatalErrorsAreAnsweredAndEndCompilation) {
  Failure fatal = run_guarded([] { llvm::report_fatal_error("Cannot select: something"); });
  EXPECT_EQ(fatal.status, 2);
  EXPECT_EQ(fatal.message, "LLVM: Cannot select: something");
  bool ran = false;
  Failure later = run_guarded([&] { ran = true; });
  EXPECT_EQ(later.status, 2);
  EXPECT_FALSE(ran);
  EXPECT_EQ(later.message, "an earlier compilation ended in a fatal error of LLVM: this process cannot compile any more kernels");
}

}  // namespace
}  // namespace krait::codegen
