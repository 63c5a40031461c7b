// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forks while another thread makes the process's first call, which probes devices, loads the code
// generator and compiles. A child finds all of that done or not begun, and runs kernels of its own.
// The program runs itself some times, as each process has one first call. Exit status 1: a child
// ended otherwise, or did not end; before first uses were behind a gate, one of some forty did not.
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

bool runs(int n) {
  auto f = kr::vectorize([n](auto x) { return x * 3 + n; });
  const std::vector<int> x(1000, 1);
  return f(x)[999] == 3 + n;
}

int wait_for(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

int first_use(int number) {
  alarm(patience);
  std::atomic<bool> right{true}, begun{false};
  std::thread first([&] {
    begun = true;
    right = runs(0);
  });
  while (!begun) std::this_thread::yield();
  usleep(unsigned(number % 24) * 10);  // each process forks at other points of the call
  pid_t children[6];
  for (pid_t& child : children) {
    child = fork();
    if (child == 0) {
      alarm(patience);  // is not inherited
      _exit(runs(number) ? 0 : 1);
    }
  }
  int wrong = 0;
  for (const pid_t child : children) {
    const int status = wait_for(child);
    if (status != 0) std::printf("process %d: a child ended with %d\n", number, status);
    wrong += status != 0;
  }
  first.join();
  return wrong != 0 || !right;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return first_use(std::atoi(argv[1]));
  int wrong = 0;
  for (int number = 0; number < 48; ++number) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      execl("/proc/self/exe", argv[0], std::to_string(number).c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    wrong += wait_for(child) != 0;
  }
  std::printf("%d of 48 processes went wrong\n", wrong);
  return wrong != 0;
}
