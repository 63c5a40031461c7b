// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread pool: every chunk once, launches from several threads, after fork; and blobs that are
// not what they should be.
#include "runtime/cpu/pool.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <initializer_list>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "krait/error.h"
#include "runtime/cpu/executable.h"
#include "runtime/cpu/host.h"
#include "runtime/cpu/share.h"
#include "targets.h"

namespace krait::test {
namespace {

using runtime::cpu::Pool;

struct Counts {
  explicit Counts(std::size_t n) : each(n) {}
  std::vector<std::atomic<int>> each;
  static void add(void* self, Pool::Chunks& chunks) {
    for (std::int64_t chunk; (chunk = chunks.take()) >= 0;)
      ++static_cast<Counts*>(self)->each[std::size_t(chunk)];
  }
  bool all_once() const {
    for (const auto& c : each)
      if (c != 1) return false;
    return true;
  }
};

bool run_counts(std::size_t n) {
  Counts counts(n);
  Pool::get().run(std::int64_t(n), Counts::add, &counts);
  return counts.all_once();
}

TEST(CpuPool, EveryChunkOnce) {
  for (std::size_t n : {0, 1, 2, 3, 17, 1000}) EXPECT_TRUE(run_counts(n)) << n;
}

TEST(CpuPool, LaunchesOfSeveralThreads) {
  std::atomic<bool> good{true};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i)
        if (!run_counts(std::size_t(2 + i % 37))) good = false;
    });
  for (std::thread& t : threads) t.join();
  EXPECT_TRUE(good);
}

TEST(CpuPool, AfterFork) {
  ASSERT_TRUE(run_counts(64));  // the parent's workers exist
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(run_counts(64) && run_counts(3) ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(run_counts(64));
}

/// What a process with these variables says and takes.
unsigned ranks_with(std::initializer_list<std::pair<const char*, const char*>> variables) {
  for (const auto& [name, value] : variables) setenv(name, value, 1);
  const unsigned ranks = runtime::cpu::ranks_of_node();
  for (const auto& [name, value] : variables) unsetenv(name);
  return ranks;
}

TEST(CpuPool, RanksOfANodeShareItsProcessors) {
  EXPECT_EQ(ranks_with({}), 1u);
  EXPECT_EQ(ranks_with({{"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}}), 4u);
  EXPECT_EQ(ranks_with({{"MPI_LOCALNRANKS", "6"}}), 6u);
  EXPECT_EQ(ranks_with({{"OMPI_COMM_WORLD_LOCAL_SIZE", "four"}}), 1u);
  EXPECT_EQ(ranks_with({{"MPI_LOCALNRANKS", "-3"}}), 1u);
  for (const auto& [node, ranks] : {std::pair("0", 2u), {"2", 2u}, {"3", 1u}, {"4", 8u}})
    EXPECT_EQ(ranks_with({{"SLURM_STEP_TASKS_PER_NODE", "2(x3),1,8"}, {"SLURM_NODEID", node}}),
              ranks);
  // A script of SLURM's is one process, whatever its job has.
  EXPECT_EQ(ranks_with({{"SLURM_NTASKS_PER_NODE", "8"}}), 1u);

  using runtime::cpu::threads_of_rank;
  EXPECT_EQ(threads_of_rank(64, 64, 8), 8u);   // not bound
  EXPECT_EQ(threads_of_rank(8, 64, 8), 8u);    // bound to its own
  EXPECT_EQ(threads_of_rank(32, 64, 8), 8u);   // four ranks on a socket
  EXPECT_EQ(threads_of_rank(1, 64, 2), 1u);    // bound to a core
  EXPECT_EQ(threads_of_rank(2, 2, 4), 1u);     // more ranks than processors
  EXPECT_EQ(threads_of_rank(12, 64, 1), 12u);  // no launcher
  EXPECT_EQ(threads_of_rank(16, 8, 2), 8u);    // the first process is bound, too

  using runtime::cpu::unused_processors;
  EXPECT_EQ(unused_processors(64, 64, 8),
            "8 ranks share the 64 processors of this node, and each computes with 8 of them: "
            "KRAIT_NUM_THREADS is another number");
  EXPECT_EQ(unused_processors(1, 64, 2),
            "each of 2 ranks may use 1 of the 64 processors of this node: start them with "
            "--bind-to none, or with more processors each");
  EXPECT_EQ(unused_processors(8, 64, 8), "");
}

TEST(CpuPool, ScratchIsAlignedAndDistinct) {
  Pool::Scratch a(Pool::get(), 1000), b(Pool::get(), 1000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0u);
  EXPECT_NE(a.data(), b.data());
}

TEST(CpuPool, NoMemoryForScratchIsAnError) {
  constexpr std::size_t much = std::size_t(1) << 60;
  try {
    Pool::get().reserve(much);
    ADD_FAILURE() << "no error";
  } catch (const error& e) {
    EXPECT_EQ(e.kind(), error::kind_type::device);
    EXPECT_STREQ(e.message(),
                 "cpu: no memory for 1152921504606846976 bytes of shared arrays per thread");
  }
}

TEST(CpuBlob, DamagedCodeIsRefused) {
  const std::string kernel = "kir 1\nkernel @f fp(strict) flat (%0: view<i32, 1>) {\n  return\n}\n";
  Compiled code = compile(kernel, targets().front());
  ASSERT_EQ(code.status, 0) << code.log;
  auto load = [](const std::string& bytes) {
    runtime::cpu::Code(std::as_bytes(std::span(bytes.data(), bytes.size())), "f");
  };
  EXPECT_NO_THROW(load(code.data));
  EXPECT_THROW(load(code.data.substr(0, 10)), error);
  EXPECT_THROW(load(code.data.substr(0, code.data.size() - 1)), error);
  std::string other = code.data;
  other[0] ^= 1;
  EXPECT_THROW(load(other), error);
}

TEST(CpuLaunch, FlushedSubnormalsOfTheCallerDoNotReachTheKernel) {
  const ir::Module module = lowered("saxpy", {}, {.contiguous = true});
  std::vector<Argument> args = {scalar(0.5f), array(std::vector<float>(40, 0x1p-130f)),
                                array(std::vector<float>(40))};
  std::string why;
  const unsigned before = runtime::cpu::float_control();
  // flush results, take subnormal operands for zero
  runtime::cpu::set_float_control(before | 0x8040);
  const std::string problem =
      run_on(*find_device("cpu", why), support::parse_target(targets().back()).target, module,
             line(1, 40), args);
  const unsigned after = runtime::cpu::float_control();
  runtime::cpu::set_float_control(before);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(after & 0x8040, 0x8040u);
  EXPECT_EQ(args[2].bytes, array(std::vector<float>(40, 0x1p-131f)).bytes);
}

}  // namespace
}  // namespace krait::test
