// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The n-body problem with shared memory: a block brings the places of 128 bodies at a time, which all its threads then use. The
// accelerations are compared with the host's doubles.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

int main() try {
  constexpr int n = 1000, block = 128;
  constexpr float softening = 0.01f;

  // Rows of p are x, y, z and the mass; rows of a are the acceleration's components.
  auto accelerate = kr::kernel([](kr::view<const float, 2> p, kr::view<float, 2> a) {
    auto tile = kr::shared<float, 4, block>();
    auto t = kr::thread_idx().x, i = kr::grid(), count = p.extent(1);
    auto me = kr::min(i, count - 1);  // threads beyond the last body help to load
    auto x = p(0, me), y = p(1, me), z = p(2, me);
    kr::var ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (auto first : kr::range(0, count, block)) {
      auto other = first + t;
      for (int row = 0; row < 4; ++row) tile(row, t) = kr::select(other < count, [&] { return p(row, other); }, 0.0f);
      kr::syncthreads();
      for (auto j : kr::range(block)) {
        auto dx = tile(0, j) - x, dy = tile(1, j) - y, dz = tile(2, j) - z;
        auto s = kr::rsqrt(dx * dx + dy * dy + dz * dz + softening);
        auto pull = tile(3, j) * s * s * s;
        ax += pull * dx, ay += pull * dy, az += pull * dz;
      }
      kr::syncthreads();
    }
    kr::if_(i < count, [&] { a(0, i) = ax, a(1, i) = ay, a(2, i) = az; });
  }, {.name = "nbody_tiled"});

  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> p(4 * n);
  for (float& v : p) v = uniform(random);
  for (int i = 0; i < n; ++i) p[3 * n + i] = (1.5f + p[3 * n + i]) / n;
  kr::array<float, 2> places(4, n), accelerations(3, n);
  places.copy_from(p);
  accelerate.launch({(n + block - 1) / block, block}, places, accelerations);
  const std::vector<float> a = accelerations.to_host();

  double worst = 0, largest = 0;
  for (int i = 0; i < n; ++i) {
    double sum[3] = {};
    for (int j = 0; j < n; ++j) {
      double d[3], square = static_cast<double>(softening);
      for (int k = 0; k < 3; ++k) d[k] = double(p[k * n + j]) - p[k * n + i], square += d[k] * d[k];
      for (int k = 0; k < 3; ++k) sum[k] += p[3 * n + j] * d[k] / (square * std::sqrt(square));
    }
    for (int k = 0; k < 3; ++k) {
      largest = std::fmax(largest, std::abs(sum[k]));
      worst = std::fmax(worst, std::abs(sum[k] - a[k * n + i]));
    }
  }
  std::printf("%d bodies: largest acceleration %.3f, largest difference to the host %.1e\n", n, largest, worst);
  return worst < 1e-5 * largest ? 0 : 1;
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
