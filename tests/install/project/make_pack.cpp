// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that krait_pack runs: make_pack PACK TARGETS
#include <krait/krait.h>
#include <krait/pack.h>

namespace kr = krait;

// [program]
int main(int, char** argv) {
  auto scale = kr::kernel(
      [](kr::value<int> by, kr::view<int> x) {
        for (auto i : kr::grid_stride(x.size())) x[i] = x[i] * by;
      },
      {.name = "scale"});
  kr::pack(argv[1], {.targets = argv[2]}, scale);
}
// [/program]
