// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <utility>

#include "../peers.h"

void peer_jacobi2d(float* a, float* b, int n, int steps) {
  for (int t = 0; t < steps; t++, std::swap(a, b)) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i * n + j] = 0.2f * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] +
                               a[(i - 1) * n + j] + a[(i + 1) * n + j]);
  }
}

void peer_red_black(double* u, const double* f, int n, int sweeps) {
  for (int s = 0; s < sweeps; s++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      for (int j = 1 + (i + s % 2 + 1) % 2; j < n - 1; j += 2)
        u[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] +
                               u[i * n + j + 1] - f[i * n + j]);
  }
}

void peer_fdtd2d(float* ex, float* ey, float* hz, int n, int steps) {
  for (int t = 0; t < steps; t++) {
#pragma omp parallel
    {
#pragma omp for
      for (int i = 0; i < n; i++)
        if (i == 0)
          for (int j = 0; j < n; j++) ey[j] = float(t);
        else
          for (int j = 0; j < n; j++) ey[i * n + j] -= 0.5f * (hz[i * n + j] - hz[(i - 1) * n + j]);
#pragma omp for
      for (int i = 0; i < n; i++)
        for (int j = 1; j < n; j++) ex[i * n + j] -= 0.5f * (hz[i * n + j] - hz[i * n + j - 1]);
#pragma omp for
      for (int i = 0; i < n - 1; i++)
        for (int j = 0; j < n - 1; j++)
          hz[i * n + j] -=
              0.7f * (ex[i * n + j + 1] - ex[i * n + j] + ey[(i + 1) * n + j] - ey[i * n + j]);
    }
  }
}

void peer_heat3d(double* a, double* b, int n, int steps) {
  for (int t = 0; t < steps; t++, std::swap(a, b)) {
    const auto at = [n](int i, int j, int k) { return (i * n + j) * n + k; };
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          b[at(i, j, k)] =
              0.125 * (a[at(i + 1, j, k)] - 2.0 * a[at(i, j, k)] + a[at(i - 1, j, k)]) +
              0.125 * (a[at(i, j + 1, k)] - 2.0 * a[at(i, j, k)] + a[at(i, j - 1, k)]) +
              0.125 * (a[at(i, j, k + 1)] - 2.0 * a[at(i, j, k)] + a[at(i, j, k - 1)]) +
              a[at(i, j, k)];
  }
}

void peer_hotspot(float* a, const float* power, float* b, int n, int steps) {
  for (int s = 0; s < steps; s++, std::swap(a, b)) {
#pragma omp parallel for
    for (int y = 0; y < n; y++)
      for (int x = 0; x < n; x++) {
        const int north = std::max(y - 1, 0), south = std::min(y + 1, n - 1),
                  west = std::max(x - 1, 0), east = std::min(x + 1, n - 1);
        const float t = a[y * n + x];
        b[y * n + x] =
            t + 0.05f * (power[y * n + x] + (a[south * n + x] + a[north * n + x] - 2 * t) * 0.9f +
                         (a[y * n + east] + a[y * n + west] - 2 * t) * 1.1f + (80.f - t) * 0.02f);
      }
  }
}

void peer_srad(float* image, float* c, float* derivatives, int rows, int columns, float q0,
               float lambda) {
#pragma omp parallel for
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < columns; x++) {
      const int i = y * columns + x;
      const float here = image[i];
      const float n = image[std::max(y - 1, 0) * columns + x] - here,
                  s = image[std::min(y + 1, rows - 1) * columns + x] - here;
      const float w = image[y * columns + std::max(x - 1, 0)] - here,
                  e = image[y * columns + std::min(x + 1, columns - 1)] - here;
      const float g2 = (n * n + s * s + w * w + e * e) / (here * here), l = (n + s + w + e) / here;
      const float numerator = 0.5f * g2 - 0.0625f * (l * l), denominator = 1 + 0.25f * l,
                  q = numerator / (denominator * denominator);
      c[i] = std::min(std::max(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0.f), 1.f);
      derivatives[4 * i] = n, derivatives[4 * i + 1] = s, derivatives[4 * i + 2] = w,
                      derivatives[4 * i + 3] = e;
    }
#pragma omp parallel for
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < columns; x++) {
      const int i = y * columns + x;
      const float here = c[i], south = c[std::min(y + 1, rows - 1) * columns + x],
                  east = c[y * columns + std::min(x + 1, columns - 1)];
      image[i] += 0.25f * lambda *
                  (here * derivatives[4 * i] + south * derivatives[4 * i + 1] +
                   here * derivatives[4 * i + 2] + east * derivatives[4 * i + 3]);
    }
}

void peer_wave(float* a, float* b, int n, int steps, float courant) {
  for (int t = 0; t < steps; t++, std::swap(a, b)) {
#pragma omp parallel for
    for (int y = 2; y < n - 2; y++)
      for (int x = 2; x < n - 2; x++) {
        const int i = y * n + x;
        const float sum = -5 * a[i] + 1.3333334f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n]) -
                          0.083333336f * (a[i - 2] + a[i + 2] + a[i - 2 * n] + a[i + 2 * n]);
        b[i] = 2 * a[i] - b[i] + courant * sum;
      }
  }
}

void peer_lattice_boltzmann(float* a, float* b, int h, int w, float omega) {
  constexpr int cx[] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  constexpr float weight[] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                              1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
  for (int t = 0; t < 2; t++, std::swap(a, b)) {
#pragma omp parallel for
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) {
        float in[9], rho = 0, ux = 0, uy = 0;
        for (int q = 0; q < 9; q++) {
          in[q] = a[(q * h + (y - cy[q] + h) % h) * w + (x - cx[q] + w) % w];
          rho += in[q], ux += cx[q] * in[q], uy += cy[q] * in[q];
        }
        ux /= rho, uy /= rho;
        const float square = 1.5f * (ux * ux + uy * uy);
        for (int q = 0; q < 9; q++) {
          const float along = 3 * (cx[q] * ux + cy[q] * uy);
          b[(q * h + y) * w + x] =
              in[q] +
              omega * (weight[q] * rho * (1 + along + 0.5f * along * along - square) - in[q]);
        }
      }
  }
}

void peer_stencil7(const float* a, float* out, int nx, int ny, int nz, float c0, float c1) {
#pragma omp parallel for
  for (int k = 1; k < nz - 1; k++)
    for (int j = 1; j < ny - 1; j++)
      for (int i = 1; i < nx - 1; i++) {
        const int at = (k * ny + j) * nx + i;
        out[at] = c1 * (a[at - 1] + a[at + 1] + a[at - nx] + a[at + nx] + a[at - nx * ny] +
                        a[at + nx * ny]) -
                  c0 * a[at];
      }
}

void peer_pathfinder(const int* wall, int* a, int* b, int rows, int columns) {
  for (int r = 0; r < rows; r++, std::swap(a, b)) {
#pragma omp parallel for
    for (int x = 0; x < columns; x++) {
      int best = a[x];
      if (x > 0) best = std::min(best, a[x - 1]);
      if (x < columns - 1) best = std::min(best, a[x + 1]);
      b[x] = wall[r * columns + x] + best;
    }
  }
}
