// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a process that makes kernels all the time keeps of them, and whether those that it launches
// often get their best code:
//   krait_growth destroyed   thousands of kernels, each called once: nothing of them stays in the queue of what is to be improved
//   krait_growth starved     a kernel is launched again and again while another thread never ceases to compile
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <krait/krait.h>
#include <krait/stats.h>

namespace kr = krait;

namespace {

void call_once(int n) {
  auto k = kr::kernel([n](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + float(n);
  });
  std::vector<float> x(64, 1.f), y(64);
  k.launch({1, 64}, 2.f, x, y);
  if (y[3] != 2.f + float(n)) std::puts("another result"), std::exit(1);
}

int destroyed() {
  constexpr int warming = 600, count = 1000;  // of the first, the table of code keeps some hundreds
  for (int n = 0; n < warming; ++n) call_once(n);
  const std::size_t before = mallinfo2().uordblks;
  for (int n = 0; n < count; ++n) call_once(warming + n);
  const std::size_t after = mallinfo2().uordblks;
  std::printf("%zu KB before, %zu KB after %d kernels more\n", before / 1024, after / 1024, count);
  return after > before + std::size_t(count) * 1024;
}

/// Whether the kernel of that name runs its best code.
bool is_best(const char* name) {
  for (const kr::kernel_stats& k : kr::stats())
    if (std::strcmp(k.name, name) == 0 && !k.quick) return true;
  return false;
}

int starved() {
  alarm(300);  // where it never comes
  auto hot = kr::kernel(
      [](kr::view<float> y) {
        for (auto i : kr::grid_stride(y.size())) {
          kr::var<float> v = y[i];
          for (auto j : kr::range(200)) v = kr::sin(v) + kr::exp(-v) + kr::cast<float>(j);
          y[i] = v;
        }
      },
      {.name = "hot"});
  auto y = kr::zeros<float>(2000);
  std::atomic<bool> stop{false};
  std::thread other([&] {
    for (int n = 0; !stop; ++n) call_once(n);
  });
  while (!is_best("hot")) {
    hot.launch({20, 64}, y);
    kr::synchronize();
  }
  stop = true;
  other.join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  setenv("KRAIT_CACHE", "off", 0);
  const char* const what = argc > 1 ? argv[1] : "";
  if (!std::strcmp(what, "destroyed")) return destroyed();
  if (!std::strcmp(what, "starved")) return starved();
  return std::puts("say destroyed or starved"), 2;
}
