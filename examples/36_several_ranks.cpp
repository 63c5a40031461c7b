// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heat on a ring-shaped plate, on as many processes as a launcher starts:
//   mpirun -n 4 36_several_ranks      srun 36_several_ranks      36_several_ranks
// Heat moves and is neither made nor lost, so the sum stays.
#include <cmath>
#include <cstdio>
#include <utility>

#include <krait/dist.h>
#include <krait/krait.h>
namespace kr = krait;

int main() {
  return kr::dist::run([](kr::dist::world& ranks) {
    constexpr int rows = 200, columns = 120, steps = 100;
    kr::dist::array<float, 2> t(ranks, {rows, columns}, kr::dist::halo(1).periodic());
    auto next = kr::dist::like(t);
    kr::dist::fill(t, [](auto i, auto j) { return kr::select(i < 20 && j < 30, 1.0f, 0.0f); });
    const double before = kr::sum(t), hottest = kr::max(t);
    for (int step = 0; step < steps; ++step) {
      kr::dist::stencil([](auto at) {
        return at(0, 0) + 0.2f * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4.0f * at(0, 0));
      }, t, next);
      std::swap(t, next);
    }
    const double after = kr::sum(t), now = kr::max(t);  // on all ranks, not within the if
    if (ranks.rank() == 0)
      std::printf("%d ranks: heat %.3f before, %.3f after; the hottest place %.2f before, %.2f after\n", ranks.size(), before, after,
                  hottest, now);
    if (!(std::abs(before - after) < 0.01)) throw kr::error(kr::error::kind_type::internal, "heat was lost");
  });
}
