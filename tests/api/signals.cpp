// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program takes its signals where it likes, by sigwait for one: no thread of the library, or of a
// driver, takes them instead. Those that a fault of a thread raises reach the program's handlers
// from any thread.
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <krait/krait.h>

namespace kr = krait;

namespace {

constexpr int raised_by_a_thread[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};

bool has(unsigned long long mask, int signal) { return mask >> (signal - 1) & 1; }

/// The number of threads besides this one; -1, and why, where one of them has not blocked what it
/// should.
int count_threads() {
  int count = 0;
  DIR* const folder = opendir("/proc/self/task");
  for (dirent* entry; (entry = readdir(folder));) {
    if (entry->d_name[0] == '.' || std::atoi(entry->d_name) == gettid()) continue;
    std::ifstream status(std::string("/proc/self/task/") + entry->d_name + "/status");
    std::string line, name;
    unsigned long long mask = ~0ull;
    while (std::getline(status, line)) {
      if (line.starts_with("Name:")) name = line;
      if (line.starts_with("SigBlk:")) mask = std::strtoull(line.c_str() + 7, nullptr, 16);
    }
    for (int s = 1; s < 32; ++s) {
      bool raised = false;
      for (const int r : raised_by_a_thread) raised |= s == r;
      if (s == SIGKILL || s == SIGSTOP || has(mask, s) || raised) continue;
      std::printf("%s takes signal %d\n", name.c_str(), s);
      return -1;
    }
    ++count;
  }
  closedir(folder);
  return count;
}

}  // namespace

int main() {
  auto fill = kr::kernel([](kr::view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = 2.f;
  });
  auto later = kr::kernel([](kr::view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = kr::sin(y[i]);
  });
  std::vector<float> y(3'000'000);
  later.compile_async();
  fill.launch({64, 64}, y);
  const int threads = count_threads();
  if (threads < 1) return std::printf("%d threads\n", threads), 1;
  std::printf("%d threads\n", threads);

  sigset_t ours, before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  if (sigismember(&before, SIGTERM))
    return std::puts("the program's own thread has its signals blocked"), 1;
  sigemptyset(&ours), sigaddset(&ours, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ours, nullptr);
  kill(getpid(), SIGTERM);
  int got = 0;
  sigwait(&ours, &got);
  return got != SIGTERM;
}
