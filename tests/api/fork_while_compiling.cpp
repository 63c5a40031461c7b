// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forks while other threads compile one new kernel after the other, so that some compilation runs
// at every moment. The fork waits for those that run, and not for those that begin after it. Exit
// status 1: the other threads came to the end of their many kernels before the fork returned, or a
// child went wrong.
#include <krait/krait.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

namespace kr = krait;

namespace {

// seconds; a child that waits for a thread it does not have waits for ever
constexpr unsigned patience = 60;
constexpr int threads = 4, forks = 3, most_kernels = 150;  // of each thread between two forks

bool runs(int n) {
  auto f = kr::vectorize([n](auto x) { return x * 3 + n; });
  const std::vector<int> x(100, 1);
  return f(x)[99] == 3 + n;
}

}  // namespace

int main() {
  std::atomic<int> forked{0}, begun{0}, tired{0};
  std::atomic<bool> right{runs(0)};
  std::vector<std::thread> compiling;
  for (int t = 0; t < threads; ++t)
    compiling.emplace_back([&, t] {
      int number = (t + 1) * 1'000'000;
      for (int round = 0; round < forks; ++round) {
        int kernels = 0;
        while (forked == round && kernels < most_kernels) {
          if (!runs(++number)) right = false;
          if (++kernels == 1) ++begun;
        }
        if (kernels == most_kernels) ++tired;
        while (forked == round) std::this_thread::yield();
      }
    });
  int wrong = 0;
  for (int round = 0; round < forks; ++round) {
    while (begun < threads * (round + 1)) std::this_thread::yield();
    const pid_t child = fork();
    if (child == 0) {
      alarm(patience);
      _exit(runs(-1 - round) ? 0 : 1);
    }
    ++forked;
    int status = -1;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      std::printf("a child ended with status %d\n", status), ++wrong;
  }
  for (std::thread& t : compiling) t.join();
  if (tired > 0)
    std::printf("%d times a thread compiled %d kernels while a fork waited\n", tired.load(),
                most_kernels);
  return wrong != 0 || tired > 0 || !right;
}
