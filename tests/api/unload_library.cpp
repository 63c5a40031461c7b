// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library with kernels, for unload.cpp and unload_error.cpp.
#include <krait/krait.h>

#include <vector>

namespace kr = krait;

/// Runs one kernel on all workers and leaves another one compiling.
extern "C" __attribute__((visibility("default"))) int run_kernels(int n) {
  auto add = kr::vectorize([n](auto x) { return x + n; });
  const std::vector<int> x(300'000, 1);
  auto later = kr::kernel([n](kr::view<float> v) {
    for (auto i : kr::grid_stride(v.size())) v[i] = kr::sin(v[i]) * kr::erfc(v[i]) + float(n);
  });
  const kr::compilation coming = later.compile_async();
  return add(x).back();
}

/// Throws what a misuse in a kernel gives.
extern "C" __attribute__((visibility("default"))) void fail() {
  const auto k = kr::kernel([](kr::view<float> v) {
    kr::break_();
    v[0] = 1;
  });
  std::vector<float> v(1);
  k.launch({1, 1}, v);
}
