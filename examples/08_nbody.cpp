// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies that attract each other, in leapfrog steps. Checked: the first accelerations against the host's doubles, and the energy,
// which such steps keep.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;
namespace {
constexpr int n = 512;
constexpr double softening = 0.01, mass = 1.0 / n;

struct Reference { double energy = 0, largest = 0, difference = 0; };  // the latter two of accelerations
Reference reference(const std::vector<float> (&p)[3], const std::vector<float> (&v)[3], const std::vector<float> (&a)[3]) {
  Reference r;
  for (int i = 0; i < n; ++i) {
    double force[3] = {};
    for (int j = 0; j < n; ++j) {
      const double d[] = {double(p[0][j]) - p[0][i], double(p[1][j]) - p[1][i], double(p[2][j]) - p[2][i]};
      const double s = 1 / std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening);
      for (int k = 0; k < 3; ++k) force[k] += mass * d[k] * s * s * s;
      if (j < i) r.energy -= mass * mass * s;
    }
    for (int k = 0; k < 3; ++k) {
      r.energy += 0.5 * mass * v[k][i] * v[k][i];
      r.largest = std::fmax(r.largest, std::abs(force[k]));
      r.difference = std::fmax(r.difference, std::abs(force[k] - a[k][i]));
    }
  }
  return r;
}
}  // namespace

int main() try {
  auto accelerate = kr::kernel([](auto x, auto y, auto z, auto ax, auto ay, auto az) {
    for (auto i : kr::grid_stride(x.size())) {
      kr::var sx = 0.0f, sy = 0.0f, sz = 0.0f;
      for (auto j : kr::range(x.size())) {
        auto dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
        auto s = kr::rsqrt(dx * dx + dy * dy + dz * dz + float(softening));
        auto pull = float(mass) * s * s * s;
        sx += pull * dx, sy += pull * dy, sz += pull * dz;
      }
      ax[i] = sx, ay[i] = sy, az[i] = sz;
    }
  }, {.name = "accelerate"});
  auto advance = kr::vectorize([](auto x, auto change, auto dt) { return x + dt * change; });

  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> p[3], v[3], a[3];
  kr::array<float> dp[3], dv[3], da[3];
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < n; ++i) p[k].push_back(uniform(random)), v[k].push_back(0.2f * uniform(random));
    dp[k] = kr::to_device(p[k]), dv[k] = kr::to_device(v[k]), da[k] = kr::array<float>(n);
  }
  const auto accelerations = [&] { accelerate.forall(n)(dp[0], dp[1], dp[2], da[0], da[1], da[2]); };
  const auto check = [&] {
    for (int k = 0; k < 3; ++k) dp[k].copy_to(p[k]), dv[k].copy_to(v[k]), da[k].copy_to(a[k]);
    return reference(p, v, a);
  };
  constexpr float dt = 0.005f;
  accelerations();
  const Reference before = check();
  for (int step = 0; step < 100; ++step) {
    for (int k = 0; k < 3; ++k) advance.into(dv[k])(dv[k], da[k], dt / 2), advance.into(dp[k])(dp[k], dv[k], dt);
    accelerations();
    for (int k = 0; k < 3; ++k) advance.into(dv[k])(dv[k], da[k], dt / 2);
  }
  const Reference after = check();
  std::printf("accelerations: largest %.3f, largest difference to the host %.1e\n", before.largest, before.difference);
  std::printf("energy: %.9f at first, %.9f after 100 steps\n", before.energy, after.energy);
  return before.difference < 1e-5 * before.largest && std::abs(after.energy / before.energy - 1) < 1e-3 ? 0 : 1;
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
