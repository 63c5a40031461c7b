// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>

#include "../peers.h"

void peer_nbody(const float* bodies, float* acceleration, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
      const float dx = bodies[4 * j] - bodies[4 * i], dy = bodies[4 * j + 1] - bodies[4 * i + 1],
                  dz = bodies[4 * j + 2] - bodies[4 * i + 2];
      const float inverse = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f),
                  s = bodies[4 * j + 3] * inverse * inverse * inverse;
      ax += dx * s, ay += dy * s, az += dz * s;
    }
    acceleration[3 * i] = ax, acceleration[3 * i + 1] = ay, acceleration[3 * i + 2] = az;
  }
}

void peer_soa_update(float* x, float* y, float* z, float* vx, float* vy, float* vz, float dt,
                     int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    vy[i] -= 9.81f * dt;
    x[i] += vx[i] * dt, y[i] += vy[i] * dt, z[i] += vz[i] * dt;
    if (y[i] < 0) y[i] = -y[i], vy[i] = -0.9f * vy[i];
  }
}

struct Body {
  float px, py, pz, vx, vy, vz, mass, charge;
  int kind, hits;
};
void peer_aos_update(void* bodies, float dt, int n) {
  Body* all = static_cast<Body*>(bodies);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    Body& b = all[i];
    b.vy -= 9.81f * dt, b.vx += b.charge / b.mass * dt;
    b.px += b.vx * dt, b.py += b.vy * dt, b.pz += b.vz * dt;
    if (b.py < 0) b.py = -b.py, b.vy = -0.9f * b.vy, b.hits++;
  }
}

void peer_md_lj(const float* position, const int* neighbours, float* force, int n, int count,
                float cutoff) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float fx = 0, fy = 0, fz = 0;
    for (int j = 0; j < count; j++) {
      const float* other = position + 4 * neighbours[j * n + i];
      const float dx = position[4 * i] - other[0], dy = position[4 * i + 1] - other[1],
                  dz = position[4 * i + 2] - other[2], r2 = dx * dx + dy * dy + dz * dz;
      if (r2 >= cutoff) continue;
      const float r2inv = 1 / r2, r6inv = r2inv * r2inv * r2inv,
                  f = r2inv * r6inv * (1.5f * r6inv - 2);
      fx += dx * f, fy += dy * f, fz += dz * f;
    }
    force[4 * i] = fx, force[4 * i + 1] = fy, force[4 * i + 2] = fz, force[4 * i + 3] = 0;
  }
}

void peer_lava_md(const float* rv, const float* qv, float* fv, int side, float a2) {
  constexpr int per_box = 64;
#pragma omp parallel for collapse(3)
  for (int bz = 0; bz < side; bz++)
    for (int by = 0; by < side; by++)
      for (int bx = 0; bx < side; bx++)
        for (int t = 0; t < per_box; t++) {
          const int own = ((bz * side + by) * side + bx) * per_box + t;
          const float x = rv[4 * own], y = rv[4 * own + 1], z = rv[4 * own + 2],
                      w = rv[4 * own + 3];
          float sv = 0, sx = 0, sy = 0, sz = 0;
          for (int nz = std::max(bz - 1, 0); nz < std::min(bz + 2, side); nz++)
            for (int ny = std::max(by - 1, 0); ny < std::min(by + 2, side); ny++)
              for (int nx = std::max(bx - 1, 0); nx < std::min(bx + 2, side); nx++)
                for (int j = 0; j < per_box; j++) {
                  const int at = ((nz * side + ny) * side + nx) * per_box + j;
                  const float* o = rv + 4 * at;
                  const float vij = std::exp(-a2 * (w + o[3] - (x * o[0] + y * o[1] + z * o[2]))),
                              fs = 2 * a2 * vij, q = qv[at];
                  sv += q * vij, sx += q * fs * (x - o[0]), sy += q * fs * (y - o[1]),
                      sz += q * fs * (z - o[2]);
                }
          fv[4 * own] = sv, fv[4 * own + 1] = sx, fv[4 * own + 2] = sy, fv[4 * own + 3] = sz;
        }
}

void peer_mri_q(const float* kx, const float* ky, const float* kz, const float* magnitude,
                const float* x, const float* y, const float* z, float* qr, float* qi, int n,
                int k) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float re = 0, im = 0;
    for (int j = 0; j < k; j++) {
      const float angle = 6.2831855f * (kx[j] * x[i] + ky[j] * y[i] + kz[j] * z[i]);
      re += magnitude[j] * std::cos(angle), im += magnitude[j] * std::sin(angle);
    }
    qr[i] = re, qi[i] = im;
  }
}

void peer_tpacf(const float* stars, const float* bounds, int* counts, int n) {
  int all[32] = {};
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : all)
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      const float angle = stars[3 * i] * stars[3 * j] + stars[3 * i + 1] * stars[3 * j + 1] +
                          stars[3 * i + 2] * stars[3 * j + 2];
      int low = 0, high = 31;
      while (low < high) {
        const int middle = (low + high) / 2;
        if (angle >= bounds[middle]) high = middle;
        else low = middle + 1;
      }
      all[low]++;
    }
  std::copy(all, all + 32, counts);
}

void peer_triad(const double* a, const double* b, double* c, double s, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) c[i] = a[i] + s * b[i];
}
