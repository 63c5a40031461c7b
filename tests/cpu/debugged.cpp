// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What gdb.sh stops in: two kernels that are equal but for their lines.
#include <krait/krait.h>

#include <vector>

namespace kr = krait;

int main() {
  auto first = kr::kernel(
      [](kr::view<float> x) {
        const auto i = kr::grid<1>();
        const auto old = x[i];
        x[i] = old * 3;
      },
      {.name = "triple"});
  auto second = kr::kernel(
      [](kr::view<float> x) {
        const auto i = kr::grid<1>();
        const auto old = x[i];
        x[i] = old * 3;
      },
      {.name = "triple"});
  std::vector<float> x{10, 11, 12, 13};
  first.launch({1, 4}, x);
  second.launch({1, 4}, x);
  return x[3] == 117 ? 0 : 1;
}
