// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/workers.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <thread>

namespace krait::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int go_on_without = 3;  // exit status of a process whose device is lost

struct Worker {
  unsigned number;
  long seen_at;
  Clock::time_point since;  // it has been at that piece
  bool late = false;        // and was ended
};

template <class T>
T* shared(std::size_t count) {
  void* const memory =
      mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::perror("workers: mmap"), std::exit(1);
  T* const all = static_cast<T*>(memory);
  for (std::size_t i = 0; i < count; ++i) new (all + i) T;
  return all;
}

}  // namespace

Progress& run_workers(unsigned jobs, const Work& work, const Died& died, const Patience& patience) {
  Progress& progress = *shared<Progress>(1);
  auto* const at = shared<std::atomic<long>>(jobs);
  if (jobs == 1 && !patience.apart) return static_cast<void>(work(progress, at[0])), progress;
  std::map<pid_t, Worker> workers;
  const auto start = [&](unsigned number) {
    std::fflush(stdout);
    at[number] = -1;
    const pid_t child = fork();
    if (child < 0) std::perror("workers: fork"), std::exit(1);
    if (child > 0) return void(workers[child] = {number, -1, Clock::now()});
    if (jobs > 1) setenv("KRAIT_NUM_THREADS", "1", 0);  // the processes are the threads
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    const bool done = work(progress, at[number]);
    std::fflush(stdout);
    _exit(done ? 0 : go_on_without);
  };
  // Ends those that stay at one piece: the death is told as any other.
  const auto end_hanging = [&] {
    for (auto& [child, w] : workers)
      if (const long now_at = at[w.number]; now_at != w.seen_at)
        w.seen_at = now_at, w.since = Clock::now();
      else if (std::chrono::duration<double>(Clock::now() - w.since).count() > patience.seconds)
        kill(child, SIGKILL), w.since = Clock::now(), w.late = true;
  };
  for (unsigned i = 0; i < jobs; ++i) start(i);
  while (!workers.empty()) {
    int status = 0;
    const pid_t child = waitpid(-1, &status, WNOHANG);
    if (child < 0) break;
    if (child == 0) {
      end_hanging();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      continue;
    }
    const unsigned worker = workers[child].number;
    const bool late = workers[child].late && WIFSIGNALED(status);
    workers.erase(child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    if (late && patience.late && at[worker] >= 0) patience.late(progress, at[worker]);
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != go_on_without)
      died(progress, at[worker], WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    if (!progress.stop) start(worker);
  }
  return progress;
}

}  // namespace krait::test
