// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = a x + y on arrays that stay on the device, in five ways.
#include <cmath>
#include <cstdio>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

int main() try {
  constexpr std::size_t n = 1'000'003;
  std::vector<float> hx(n), hy(n);
  for (std::size_t i = 0; i < n; ++i) hx[i] = 0.5f * static_cast<float>(i % 1000), hy[i] = static_cast<float>(i % 7);

  const kr::array<float> dx = kr::to_device(hx);
  kr::array<float> dy = kr::to_device(hy);

  auto saxpy = kr::kernel(
      [](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
        for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
      },
      {.name = "saxpy"});
  saxpy.launch({30, 128}, 2.0f, dx, dy);  // grid and block chosen here
  saxpy.forall(static_cast<std::int64_t>(n))(2.0f, dx, dy);  // or by Krait

  auto fixed = kr::kernel<30, 128>([](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
  });
  fixed(2.0f, dx, dy);  // or as part of the kernel

  auto axpy = kr::vectorize([](auto a, auto x, auto y) { return a * x + y; });
  axpy.into(dy)(2.0f, dx, dy);  // or element-wise
  const kr::array<float> z = 2.0f * dx + dy;  // or as one expression, which is one launch too

  const std::vector<float> result = z.to_host();
  for (std::size_t i = 0; i < n; ++i)
    if (const float expected = 10.0f * hx[i] + hy[i]; std::abs(result[i] - expected) > 1e-3f * std::abs(expected)) {
      std::printf("element %zu is %g, expected %g\n", i, static_cast<double>(result[i]), static_cast<double>(expected));
      return 1;
    }
  std::printf("10 x + y for %zu elements on %s: as expected\n", n, z.device().name());
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
