// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "property/workers.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>

namespace krait::test {
namespace {

template <class T>
T* shared(std::size_t count) {
  void* const memory = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::perror("random_kernels: mmap"), std::exit(1);
  T* const all = static_cast<T*>(memory);
  for (std::size_t i = 0; i < count; ++i) new (all + i) T;
  return all;
}

}  // namespace

Progress& run_workers(unsigned jobs, const Work& work, const Died& died) {
  Progress& progress = *shared<Progress>(1);
  auto* const at = shared<std::atomic<long>>(jobs);
  if (jobs == 1) return work(progress, at[0]), progress;
  std::map<pid_t, unsigned> workers;
  const auto start = [&](unsigned worker) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child < 0) std::perror("random_kernels: fork"), std::exit(1);
    if (child > 0) return void(workers[child] = worker);
    setenv("KRAIT_NUM_THREADS", "1", 0);  // the processes are the threads
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    at[worker] = -1;
    work(progress, at[worker]);
    std::fflush(stdout);
    _exit(0);
  };
  for (unsigned i = 0; i < jobs; ++i) start(i);
  while (!workers.empty()) {
    int status = 0;
    const pid_t child = wait(&status);
    if (child < 0) break;
    const unsigned worker = workers[child];
    workers.erase(child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    died(progress, at[worker], WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    if (!progress.stop) start(worker);
  }
  return progress;
}

}  // namespace krait::test
