// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heat spreads over a plate: u_t = a (u_xx + u_yy) in explicit steps, with the edges held at 0. Two grids change roles at each
// step and stay on the device; the host computes the same steps in double and compares.
//   06_heat [out.png]
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include <krait/files.h>
#include <krait/krait.h>
#include <krait/span.h>
namespace kr = krait;

int main(int argc, char** argv) try {
  constexpr int n = 160, steps = 300;
  constexpr float rate = 0.2f;  // a dt / h², stable up to 0.25

  // [kernel]
  auto step = kr::kernel([](kr::value<float> r, kr::view<const float, 2> u, kr::view<float, 2> next) {
    auto [x, y] = kr::grid<2>();
    kr::if_(x > 0 && y > 0 && x < u.extent(1) - 1 && y < u.extent(0) - 1, [&] {
      next(y, x) = u(y, x) + r * (u(y - 1, x) + u(y + 1, x) + u(y, x - 1) + u(y, x + 1) - 4.0f * u(y, x));
    });
  }, {.name = "heat_step"});
  // [/kernel]

  std::vector<float> start(n * n);  // two hot squares and a hot ring
  for (int y = 1; y < n - 1; ++y)
    for (int x = 1; x < n - 1; ++x) {
      const bool square = (x / 20 == 1 && y / 20 == 1) || (x / 20 == 6 && y / 20 == 5);
      const bool ring = std::abs(std::hypot(x - 60.0, y - 110.0) - 30.0) < 4;
      start[y * n + x] = square || ring ? 1.0f : 0.0f;
    }

  kr::array<float, 2> u(n, n), next(n, n);
  u.copy_from(start), next.copy_from(start);
  for (int k = 0; k < steps; ++k) {
    step.launch({{(n + 31) / 32, (n + 7) / 8}, {32, 8}}, rate, u, next);
    std::swap(u, next);
  }
  const std::vector<float> result = u.to_host();

  std::vector<double> host(start.begin(), start.end()), other = host;
  for (int k = 0; k < steps; ++k, std::swap(host, other))
    for (int y = 1; y < n - 1; ++y)
      for (int x = 1; x < n - 1; ++x) {
        const double* at = &host[y * n + x];
        other[y * n + x] = *at + static_cast<double>(rate) * (at[-n] + at[n] + at[-1] + at[1] - 4 * *at);
      }
  double worst = 0, total = 0;
  for (int i = 0; i < n * n; ++i) worst = std::fmax(worst, std::abs(host[i] - result[i])), total += result[i];
  std::printf("after %d steps: heat left %.2f, largest difference to the host %.1e\n", steps, total, worst);
  if (!(worst < 1e-5)) return 1;

  if (argc > 1) {
    std::vector<std::uint8_t> rgb(3 * n * n);
    for (int i = 0; i < 3 * n * n; ++i) {  // black, red, yellow, white
      const float shade = 3 * 255 * std::sqrt(result[i / 3]) - 255.0f * static_cast<float>(i % 3);
      rgb[i] = static_cast<std::uint8_t>(std::fmin(std::fmax(shade, 0.0f), 255.0f));
    }
    kr::save_png(argv[1], kr::wrap(rgb.data(), {n, n, 3})), std::printf("wrote %s\n", argv[1]);
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
