// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of docs/shipping.md.
#include <krait/krait.h>
#include <krait/pack.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace kr = krait;

namespace {

void make() {
  // [pack]
  auto saxpy = kr::kernel(
      [](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
        for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
      },
      {.name = "saxpy"});
  kr::pack("kernels.kpack", {.targets = "x86-64-v3; sm_80; vulkan"}, saxpy);
  // [/pack]
}

}  // namespace

int main() {
  make();
  std::vector<float> x(1000, 1.0f), y(1000, 3.0f);
  // [load]
  kr::kernel_pack pack = kr::load_pack("kernels.kpack");
  auto shipped = pack.get<void(float, kr::view<const float>, kr::view<float>)>("saxpy");
  shipped.launch({30, 128}, 2.0f, x, y);               // like any other kernel
  // [/load]
  kr::synchronize();
  std::remove("kernels.kpack");
  return y[999] == 5.0f ? EXIT_SUCCESS : EXIT_FAILURE;
}
