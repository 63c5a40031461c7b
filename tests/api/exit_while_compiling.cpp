// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that end by exit while kernels are compiled in the background, after the main thread or
// any other has called it: a driver that is opened by the compilations would end before them. Each
// time a moment later.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <krait/krait.h>

namespace kr = krait;

namespace {

auto numbered(int n) {
  return kr::kernel([n](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + float(n);
  });
}

enum class How { Main, Thread, Quick };

[[noreturn]] void compile_and_exit(int n, How how) {
  alarm(200);
  auto& kernels = *new std::vector<decltype(numbered(0))>;
  for (int k = 0; k < 6; ++k) kernels.push_back(numbered(100 * n + k));
  for (auto& k : kernels) k.compile_async();
  usleep(useconds_t(5000 * n));
  if (how == How::Thread) std::thread([] { std::exit(0); }).join();
  if (how == How::Quick) std::quick_exit(0);
  std::exit(0);
}

}  // namespace

int main() {
  setenv("KRAIT_CACHE", "off", 0);
  int bad = 0;
  for (const How how : {How::Main, How::Thread, How::Quick})
    for (int n = 0; n < (how == How::Thread ? 10 : 3); ++n) {
      const pid_t child = fork();
      if (child == 0) compile_and_exit(n, how);
      int status = 0;
      waitpid(child, &status, 0);
      if (status) ++bad, std::printf("way %d, try %d: status %x\n", int(how), n, unsigned(status));
    }
  return bad != 0;
}
