// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs kernels of packs that the build made, by code that they have.
#include <krait/krait.h>
#include <krait/pack.h>

#include <cstring>
#include <vector>

namespace kr = krait;

int main() {
  const kr::kernel_pack kernels = kr::load_pack(KERNELS), more = kr::load_pack(MORE);
  if (std::strcmp(kernels.targets("sum").c_str(),
                  "\"cpu x86-64 lanes=4 cpu=x86-64-v2 tune=x86-64-v2\", \"ptx sm=80 isa=80\""))
    return 1;
  std::vector<float> x = {1, 2, 3, 4};
  kernels.get<void(kr::view<float>)>("sum").launch({1, 4}, x);
  std::vector<int> n = {1, 2, 3, 4};
  more.get<void(int, kr::view<int>)>("scale").launch({1, 4}, 10, n);
  return x == std::vector<float>{2, 4, 6, 8} && n == std::vector<int>{10, 20, 30, 40} &&
                 kr::stats().compiled() == 0
             ? 0
             : 1;
}
