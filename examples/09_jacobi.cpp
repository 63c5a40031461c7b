// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laplace's equation on a square by Jacobi's iteration, until a step changes nothing by more than a tolerance. The upper edge is
// held at sin(pi x), the others at 0; the solution is sin(pi x) sinh(pi y) / sinh(pi).
#include <cmath>
#include <cstdio>
#include <numbers>
#include <utility>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

int main() try {
  constexpr int n = 65, between_checks = 100;
  constexpr double pi = std::numbers::pi;
  constexpr float tolerance = 1e-6f;
  const auto inside = [](auto x, auto y, const auto& u) { return x > 0 && y > 0 && x < u.extent(1) - 1 && y < u.extent(0) - 1; };
  const auto average = [](auto x, auto y, const kr::view<const float, 2>& u) {
    return 0.25f * (u(y - 1, x) + u(y + 1, x) + u(y, x - 1) + u(y, x + 1));
  };

  auto step = kr::kernel([=](kr::view<const float, 2> u, kr::view<float, 2> next) {
    auto [x, y] = kr::grid<2>();
    kr::if_(inside(x, y, u), [&] { next(y, x) = average(x, y, u); });
  }, {.name = "jacobi"});
  // What a step would change at most, times 2^30: integers so that every device has the atomic maximum.
  auto residual = kr::kernel([=](kr::view<const float, 2> u, kr::view<int> most) {
    auto [x, y] = kr::grid<2>();
    kr::if_(inside(x, y, u), [&] {
      auto change = kr::abs(average(x, y, u) - u(y, x));
      kr::atomic(most[0]).max(kr::cast<int>(change * 0x1p30f));
    });
  }, {.name = "residual"});

  std::vector<float> start(n * n);
  for (int x = 0; x < n; ++x) start[(n - 1) * n + x] = static_cast<float>(std::sin(pi * x / (n - 1)));
  kr::array<float, 2> u(n, n), next(n, n);
  u.copy_from(start), next.copy_from(start);

  const kr::launch_config covering{{(n + 31) / 32, (n + 7) / 8}, {32, 8}};
  std::printf("  steps  residual\n");
  float change = 1;
  int steps = 0;
  while (change > tolerance && steps < 20'000) {
    for (int k = 0; k < between_checks; ++k) step.launch(covering, u, next), std::swap(u, next);
    std::vector<int> most{0};
    residual.launch(covering, u, most);
    change = std::ldexp(static_cast<float>(most[0]), -30), steps += between_checks;
    if (steps % 500 == 0 || change <= tolerance) std::printf("%7d  %.2e\n", steps, static_cast<double>(change));
  }

  const std::vector<float> result = u.to_host();
  double worst = 0;
  for (int i = 0; i < n * n; ++i) {
    const double x = double(i % n) / (n - 1), y = double(i / n) / (n - 1);
    worst = std::fmax(worst, std::abs(result[i] - std::sin(pi * x) * std::sinh(pi * y) / std::sinh(pi)));
  }
  std::printf("largest difference to the solution of the differential equation: %.1e\n", worst);
  return change <= tolerance && worst < 2e-3 ? 0 : 1;
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
