// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   krait_dist_faults MODE
// Rank 1, or the only one, goes wrong in the middle of a job, each time in another way (faults.sh
// looks at the end).
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <krait/dist.h>
#include <krait/krait.h>
namespace kr = krait;

namespace {

void go_wrong(std::string_view mode, kr::dist::world& ranks, kr::dist::array<double>& x) {
  if (mode == "error") {
    kr::array<float> y(3);
    y.copy_from(std::vector<float>(5));
  }
  if (mode == "exception") throw std::runtime_error("no more of this");
  if (mode == "stopped") raise(SIGSTOP);
  if (mode == "killed") raise(SIGKILL);
  if (mode == "gone") _exit(0);
  if (mode == "gone_3") _exit(3);
  if (mode == "exit") std::exit(3);
  if (mode == "call") ranks.barrier();
  if (mode == "order") kr::dist::exchange(x);
  if (mode == "length") {
    kr::dist::array<double> longer(ranks, {31});
    kr::sum(longer);
  }
  if (mode == "type") kr::sum(kr::cast<float>(x));
}

void work(std::string_view mode, kr::dist::world& ranks) {
  kr::dist::array<double> x(ranks, {30}, kr::dist::halo(1).periodic());
  x = 1.0;
  for (int k = 0; k < 20; ++k) {
    if (k == 7 && ranks.rank() == std::min(1, ranks.size() - 1)) {
      if (mode == "return") return;
      if (mode == "swallowed") {
        try {
          kr::array<float>(3).copy_from(std::vector<float>(5));
        } catch (const kr::error&) {
          continue;
        }
      }
      go_wrong(mode, ranks, x);
    }
    if (mode == "order" && k > 7) kr::dist::exchange(x);
    if (kr::sum(x) != 30) std::printf("rank %d: a wrong sum\n", ranks.rank());
  }
  if (ranks.rank() == 0) std::puts("done");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "none";
  if (mode != "world") return kr::dist::run([&](kr::dist::world& ranks) { work(mode, ranks); });
  try {
    kr::dist::world ranks;
    work("exception", ranks);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "main: %s\n", e.what());
    return 1;
  }
  return 0;
}
