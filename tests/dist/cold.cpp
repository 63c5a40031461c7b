// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   krait_dist_cold [compile]
// Kernels that a job needs, in an empty folder of compiled kernels: each rank prints how many it
// compiled itself. With `compile` one rank of the machine does that for all.
#include <cstdio>

#include <krait/algorithm/reduce.h>
#include <krait/algorithm/sort.h>
#include <krait/dist.h>
#include <krait/krait.h>
namespace kr = krait;

int main(int argc, char**) {
  return kr::dist::run([&](kr::dist::world& ranks) {
    const auto twice = kr::kernel([](kr::view<double> x) {
      for (auto i : kr::grid_stride(x.size())) x[i] = 2.0 * x[i];
    });
    kr::array<double> x(100000);
    double total = 0;
    const auto calls = [&] {
      x.fill(1.0);
      const kr::array<double> y = kr::sort(kr::array<double>(kr::sin(x)));
      total = kr::sum(y * y);
    };
    if (argc > 1) ranks.compile(twice, calls);
    calls();
    twice.launch({30, 128}, x);
    ranks.barrier();
    kr::wait_for_compilations();
    std::printf("rank %d compiled %d kernels, %s\n", ranks.rank(), int(kr::stats().compiled()),
                total > 70807 && total < 70808 && x.to_host()[5] == 2 ? "right" : "wrong");
  });
}
