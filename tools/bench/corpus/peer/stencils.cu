// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <utility>

#include "../peers.h"
#include "cuda.h"

__global__ void jacobi2d_kernel(const float* a, float* b, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && j > 0 && i < n - 1 && j < n - 1)
    b[i * n + j] = 0.2f * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j]);
}
void peer_jacobi2d(float* a, float* b, int n, int steps) {
  for (int t = 0; t < steps; t++, std::swap(a, b)) jacobi2d_kernel<<<grid2(n, n), block2>>>(a, b, n);
}

__global__ void red_black_kernel(double* u, const double* f, int n, int colour) {
  const int half = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y, j = 2 * half + ((i + colour) & 1);
  if (i > 0 && j > 0 && i < n - 1 && j < n - 1)
    u[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1] - f[i * n + j]);
}
void peer_red_black(double* u, const double* f, int n, int sweeps) {
  for (int s = 0; s < sweeps; s++) red_black_kernel<<<grid2(n / 2, n), block2>>>(u, f, n, s % 2);
}

__global__ void fdtd_ey(float* ey, const float* hz, int n, float source) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  if (i == 0) ey[j] = source;
  else ey[i * n + j] -= 0.5f * (hz[i * n + j] - hz[(i - 1) * n + j]);
}
__global__ void fdtd_ex(float* ex, const float* hz, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j > 0 && j < n) ex[i * n + j] -= 0.5f * (hz[i * n + j] - hz[i * n + j - 1]);
}
__global__ void fdtd_hz(const float* ex, const float* ey, float* hz, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n - 1 && j < n - 1) hz[i * n + j] -= 0.7f * (ex[i * n + j + 1] - ex[i * n + j] + ey[(i + 1) * n + j] - ey[i * n + j]);
}
void peer_fdtd2d(float* ex, float* ey, float* hz, int n, int steps) {
  for (int t = 0; t < steps; t++) {
    fdtd_ey<<<grid2(n, n), block2>>>(ey, hz, n, float(t));
    fdtd_ex<<<grid2(n, n), block2>>>(ex, hz, n);
    fdtd_hz<<<grid2(n, n), block2>>>(ex, ey, hz, n);
  }
}

__global__ void heat3d_kernel(const double* a, double* b, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, i = blockIdx.z;
  if (i < 1 || j < 1 || k < 1 || i >= n - 1 || j >= n - 1 || k >= n - 1) return;
  const int at = (i * n + j) * n + k;
  const double here = a[at];
  b[at] = 0.125 * (a[at + n * n] - 2.0 * here + a[at - n * n]) + 0.125 * (a[at + n] - 2.0 * here + a[at - n]) + 0.125 * (a[at + 1] - 2.0 * here + a[at - 1]) + here;
}
void peer_heat3d(double* a, double* b, int n, int steps) {
  for (int t = 0; t < steps; t++, std::swap(a, b)) heat3d_kernel<<<dim3((n + 31) / 32, (n + 3) / 4, n), dim3(32, 4)>>>(a, b, n);
}

__global__ void hotspot_kernel(const float* a, const float* power, float* b, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  const int north = max(y - 1, 0), south = min(y + 1, n - 1), west = max(x - 1, 0), east = min(x + 1, n - 1);
  const float t = a[y * n + x];
  b[y * n + x] = t + 0.05f * (power[y * n + x] + (a[south * n + x] + a[north * n + x] - 2 * t) * 0.9f + (a[y * n + east] + a[y * n + west] - 2 * t) * 1.1f +
                              (80.f - t) * 0.02f);
}
void peer_hotspot(float* a, const float* power, float* b, int n, int steps) {
  for (int s = 0; s < steps; s++, std::swap(a, b)) hotspot_kernel<<<grid16(n, n), block16>>>(a, power, b, n);
}

__global__ void srad_1(const float* image, float* c, float4* derivatives, int rows, int columns, float q0) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const int y = i / columns, x = i % columns;
  const float here = image[i];
  const float n = image[max(y - 1, 0) * columns + x] - here, s = image[min(y + 1, rows - 1) * columns + x] - here;
  const float w = image[y * columns + max(x - 1, 0)] - here, e = image[y * columns + min(x + 1, columns - 1)] - here;
  const float g2 = (n * n + s * s + w * w + e * e) / (here * here), l = (n + s + w + e) / here;
  const float numerator = 0.5f * g2 - 0.0625f * (l * l), denominator = 1 + 0.25f * l, q = numerator / (denominator * denominator);
  c[i] = fminf(fmaxf(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0.f), 1.f);
  derivatives[i] = make_float4(n, s, w, e);
}
__global__ void srad_2(float* image, const float* c, const float4* derivatives, int rows, int columns, float lambda) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const int y = i / columns, x = i % columns;
  const float here = c[i], south = c[min(y + 1, rows - 1) * columns + x], east = c[y * columns + min(x + 1, columns - 1)];
  const float4 d = derivatives[i];
  image[i] += 0.25f * lambda * (here * d.x + south * d.y + here * d.z + east * d.w);
}
void peer_srad(float* image, float* c, float* derivatives, int rows, int columns, float q0, float lambda) {
  srad_1<<<blocks(rows * columns), 256>>>(image, c, reinterpret_cast<float4*>(derivatives), rows, columns, q0);
  srad_2<<<blocks(rows * columns), 256>>>(image, c, reinterpret_cast<float4*>(derivatives), rows, columns, lambda);
}

__global__ void wave_kernel(const float* a, float* b, int n, float courant) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * n + x;
  if (x < 2 || y < 2 || x >= n - 2 || y >= n - 2) return;
  const float sum = -5 * a[i] + 1.3333334f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n]) - 0.083333336f * (a[i - 2] + a[i + 2] + a[i - 2 * n] + a[i + 2 * n]);
  b[i] = 2 * a[i] - b[i] + courant * sum;
}
void peer_wave(float* a, float* b, int n, int steps, float courant) {
  for (int t = 0; t < steps; t++, std::swap(a, b)) wave_kernel<<<grid2(n, n), block2>>>(a, b, n, courant);
}

__constant__ int cx[] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float weight[] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
__global__ void lattice_boltzmann_kernel(const float* a, float* b, int h, int w, float omega) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float in[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
  for (int q = 0; q < 9; q++) {
    in[q] = a[(q * h + (y - cy[q] + h) % h) * w + (x - cx[q] + w) % w];
    rho += in[q], ux += cx[q] * in[q], uy += cy[q] * in[q];
  }
  ux /= rho, uy /= rho;
  const float square = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int q = 0; q < 9; q++) {
    const float along = 3 * (cx[q] * ux + cy[q] * uy);
    b[(q * h + y) * w + x] = in[q] + omega * (weight[q] * rho * (1 + along + 0.5f * along * along - square) - in[q]);
  }
}
void peer_lattice_boltzmann(float* a, float* b, int h, int w, float omega) {
  lattice_boltzmann_kernel<<<grid2(w, h), block2>>>(a, b, h, w, omega);
  lattice_boltzmann_kernel<<<grid2(w, h), block2>>>(b, a, h, w, omega);
}

__global__ void stencil7_kernel(const float* a, float* out, int nx, int ny, float c0, float c1) {
  const int j = blockIdx.x + 1, k = blockIdx.y + 1;
  for (int x = threadIdx.x + 1; x < nx - 1; x += blockDim.x) {
    const int at = (k * ny + j) * nx + x;
    out[at] = c1 * (a[at - 1] + a[at + 1] + a[at - nx] + a[at + nx] + a[at - nx * ny] + a[at + nx * ny]) - c0 * a[at];
  }
}
void peer_stencil7(const float* a, float* out, int nx, int ny, int nz, float c0, float c1) {
  stencil7_kernel<<<dim3(ny - 2, nz - 2), 128>>>(a, out, nx, ny, c0, c1);
}

__global__ void pathfinder_kernel(const int* wall, const int* a, int* b, int columns) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= columns) return;
  int best = a[x];
  if (x > 0) best = min(best, a[x - 1]);
  if (x < columns - 1) best = min(best, a[x + 1]);
  b[x] = wall[x] + best;
}
void peer_pathfinder(const int* wall, int* a, int* b, int rows, int columns) {
  for (int r = 0; r < rows; r++, std::swap(a, b)) pathfinder_kernel<<<blocks(columns), 256>>>(wall + r * columns, a, b, columns);
}
