// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two programs that introduce Numba, in C++: a universal function and a kernel.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

int main() try {
  // An element-wise function, specialised at each first call.
  auto add = kr::vectorize([](auto x, auto y) { return x + y; });
  std::vector<std::int64_t> a{1, 2, 3, 4}, b{10, 20, 30, 40};
  std::vector<std::int64_t> c = add(a, b);
  std::printf("[%ld %ld %ld %ld]\n", c[0], c[1], c[2], c[3]);
  std::printf("%d\n", add(3, 4));

  // A kernel: every thread strides over the grid.
  auto add_kernel = kr::kernel([](kr::view<const float> x, kr::view<const float> y, kr::view<float> out) {
    for (auto i : kr::grid_stride(out.size())) out[i] = x[i] + y[i];
  });
  constexpr std::size_t n = 100'000;
  std::vector<float> x(n), y(n), out(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i), y[i] = 2 * x[i];
#if defined(__cpp_multidimensional_subscript)
  add_kernel[30, 128](x, y, out);
#else
  add_kernel[{30, 128}](x, y, out);
#endif
  for (std::size_t i = 0; i < n; ++i)
    if (out[i] != x[i] + y[i]) {
      std::printf("element %zu is %g\n", i, static_cast<double>(out[i]));
      return 1;
    }
  std::printf("%zu elements: %g %g %g ...\n", n, static_cast<double>(out[0]), static_cast<double>(out[1]), static_cast<double>(out[2]));
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
