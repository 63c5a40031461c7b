// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling ahead, and what kr::stats() says of it.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

/// A kernel of its own for each number, which nothing else in this process has.
auto numbered(int n) {
  return kr::kernel(
      [n](kr::view<int> out) {
        for (auto i : kr::grid_stride(out.size())) out[i] = kr::cast<int>(i) * 1000 + n;
      },
      {.name = "numbered"});
}

/// Where the code of calls with aligned, disjoint arrays is.
kr::array<int> place() { return kr::array<int>({100}); }

const kr::kernel_stats* find(const kr::statistics& s, const char* name) {
  for (const kr::kernel_stats& k : s)
    if (std::strcmp(k.name, name) == 0) return &k;
  return nullptr;
}

TEST(Compilation, InTheBackgroundThenTheCallUsesIt) {
  auto k = numbered(1);
  const kr::compilation c = k.compile_async();
  c.wait();
  EXPECT_TRUE(c.ready());
  const std::uint64_t before = kr::stats().compiled();
  kr::array<int> out = place();
  k.launch({1, 100}, out);
  EXPECT_EQ(kr::stats().compiled(), before);
  EXPECT_EQ(out.to_host()[99], 99'001);
}

TEST(Compilation, ACallMeanwhileWaits) {
  auto k = numbered(2);
  const std::uint64_t before = kr::stats().compiled();
  k.compile_async();
  kr::array<int> out = place();
  k.launch({1, 100}, out);
  EXPECT_EQ(out.to_host()[7], 7'002);
  EXPECT_EQ(kr::stats().compiled(), before + 1);
}

TEST(Compilation, ManyAtOnce) {
  auto a = numbered(10), b = numbered(11), c = numbered(12);
  const auto fixed = kr::kernel<1, 100>([](kr::view<int> out) { out[kr::thread_idx().x] = 13; });
  const std::uint64_t before = kr::stats().compiled();
  kr::compile_all(a, b, c, fixed);
  EXPECT_EQ(kr::stats().compiled(), before + 4);
  kr::array<int> out = place();
  b.launch({1, 100}, out);
  EXPECT_EQ(out.to_host()[1], 1'011);
  fixed(out);
  EXPECT_EQ(out.to_host()[1], 13);
  EXPECT_EQ(kr::stats().compiled(), before + 4);
}

TEST(Compilation, TheKernelMayGoMeanwhile) {
  kr::compilation last = numbered(20).compile_async();
  for (int n = 21; n < 28; ++n) last = numbered(n).compile_async();
  last.wait();
  EXPECT_TRUE(last.ready());
}

TEST(Compilation, ErrorsOfTheLambdaAreThrownAtOnce) {
  auto wrong = kr::kernel([](kr::view<int> out) { kr::if_(out[kr::thread_idx().x] > 0, [] {}); });
  krait::test::expect_usage({"return_"}, [&] { wrong.compile_async(); });
  krait::test::expect_library_works();
}

TEST(Compilation, ErrorsOfTheCompilerAreThrownByWaitAndByTheCall) {
  auto divergent = kr::kernel([](kr::view<int> out) {
    kr::if_(kr::thread_idx().x < 3, [&] { kr::syncthreads(); });
    out[kr::thread_idx().x] = 1;
  });
  kr::array<int> out = place();
  const auto kind = kr::error::kind_type::compile;
  const kr::compilation c = divergent.compile_async();
  krait::test::expect_error(kind, {"syncthreads"}, [&] { c.wait(); });
  krait::test::expect_error(kind, {"syncthreads"}, [&] { divergent.launch({1, 64}, out); });
  krait::test::expect_error(kind, {"syncthreads"}, [&] { divergent.compile(); });
  krait::test::expect_library_works();
}

TEST(Compilation, FromSeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<int> right(4, 0);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&right, t] {
      auto k = numbered(30 + t % 2);  // two of them equal
      k.compile_async();
      kr::array<int> out = place();
      k.launch({1, 100}, out);
      right[std::size_t(t)] = out.to_host()[3] == 3'030 + t % 2;
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, std::vector<int>(4, 1));
}

TEST(Compilation, AForkedChildCompilesWhatItsParentHasInTheMaking) {
  if (const char* why = krait::test::cannot_fork()) GTEST_SKIP() << why;
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP()
      << "this sanitizer's own lock stays taken in a child that was forked while another thread started a thread";
#endif
  if (std::string(kr::device().id()) != "cpu")
    GTEST_SKIP() << "a GPU driver does not survive a fork";
  numbered(40).compile();  // the code generator is loaded
  auto k = numbered(41);
  k.compile_async();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool right = false;
    try {
      std::vector<int> out(100);
      k.launch({1, 100}, out);
      right = out[99] == 99'041;
    } catch (...) {
    }
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

[[noreturn]] void exit_while_compiling() {
  for (int n = 0; n < 20; ++n) numbered(100 + n).compile_async();
  std::exit(7);
}

TEST(Compilation, ExitWhileCompiling) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // in a process of its own
  EXPECT_EXIT(exit_while_compiling(), testing::ExitedWithCode(7), "");
}

TEST(Compilation, ExitOfAForkedChildWhileCompiling) {
  if (const char* why = krait::test::cannot_fork()) GTEST_SKIP() << why;
  if (std::string(kr::device().id()).starts_with("cuda"))
    GTEST_SKIP() << "CUDA's driver does not survive a fork";
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    try {
      exit_while_compiling();
    } catch (const kr::error&) {  // a GPU is refused
      std::exit(7);
    }
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

TEST(Compilation, ALoopThatUnrollsWhileRecordingGetsAHint) {
  const auto sum_of = [](bool unrolled) {
    auto k = kr::kernel(
        [=](kr::view<const float> in, kr::view<float> out) {
          kr::var<float> sum = 0.f;
          if (unrolled) {
            for (int i = 0; i < 900; ++i) sum += in[i] * float(i * i % 899);
          } else {
            for (auto i : kr::range(900)) sum += in[i] * kr::cast<float>(i * i % 899);
          }
          out[kr::thread_idx().x] = sum;
        },
        {.name = unrolled ? "unrolled" : "kept"});
    kr::array<float> in(900), out(1);
    in.copy_from(std::vector<float>(900, 1.f));
    testing::internal::CaptureStderr();
    for (int i = 0; i < 2; ++i) k.launch({1, 1}, in, out);
    std::vector<float> result(1);
    out.copy_to(result);
    EXPECT_EQ(result[0], 388368.f);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(sum_of(false), "");
  const std::string said = sum_of(true);
  EXPECT_TRUE(krait::test::says(
      said,
      "compilation_test.cpp:" + std::to_string(__LINE__ - 20) +
          ": krait: hint: this line was recorded as {} operations, and lines like it as {} in all, which takes long to compile. A C++ loop runs while recording and unrolls; `for (auto i : kr::range(n))` stays a loop"))
      << said;
  EXPECT_EQ(said.find("krait: hint"), said.rfind("krait: hint")) << "once";
}

TEST(Statistics, OfAKernel) {
  auto k =
      kr::kernel([](kr::view<int> out) { out[kr::thread_idx().x] = 5050; }, {.name = "observed"});
  const unsigned line = __LINE__ - 1;
  EXPECT_EQ(find(kr::stats(), "observed"), nullptr);
  kr::array<int> out = place();
  for (int i = 0; i < 3; ++i) k.launch({1, 100}, out);
  {
    const kr::statistics s = kr::stats();
    const kr::kernel_stats* of = find(s, "observed");
    ASSERT_NE(of, nullptr);
    EXPECT_EQ(of->where, krait::test::place(line));
    EXPECT_EQ(std::strlen(of->hash), 32u);
    EXPECT_STREQ(of->device, kr::device().id());
    EXPECT_EQ(of->launches, 3u);
    EXPECT_EQ(of->found_in_memory, 0u);
    EXPECT_FALSE(of->from_disk);
    EXPECT_TRUE(of->record_ms > 0 && of->passes_ms > 0 && of->codegen_ms > 0 && of->load_ms > 0);
  }
  if (std::getenv("KRAIT_DEBUG")) return;  // names and lines are a part of the code there
  auto same = kr::kernel([](kr::view<int> x) { x[kr::thread_idx().x] = 5050; },
                         {.name = "under another name"});
  same.launch({1, 100}, out);
  const kr::statistics s = kr::stats();
  const kr::kernel_stats* of = find(s, "observed");
  ASSERT_NE(of, nullptr);
  EXPECT_EQ(of->launches, 4u);
  EXPECT_EQ(of->found_in_memory, 1u);
  EXPECT_EQ(find(s, "under another name"), nullptr);
}

TEST(Statistics, CodeThatNoKernelUsesIsLetGoAndStaysInTheSums) {
  kr::array<int> out = place();
  const kr::statistics before = kr::stats();
  constexpr std::uint64_t kernels = 600;
  for (unsigned n = 0; n < kernels; ++n) {
    // as no other test has it
    auto k = kr::kernel([n](kr::view<int> x) { x[0] = int(n) + 1'000'000; });
    k.launch({1, 1}, out);
  }
  const kr::statistics after = kr::stats();
  EXPECT_EQ(after.compiled() + after.from_disk(), before.compiled() + before.from_disk() + kernels);
  EXPECT_EQ(after.launches(), before.launches() + kernels);
  EXPECT_LE(after.size(), before.size() + 257);
}

}  // namespace
