// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../peers.h"
#include "cuda.h"

#define INDEX const int i = blockIdx.x * blockDim.x + threadIdx.x

__global__ void triangles_kernel(const int* start, const int* from, const int* to, int* total, int edges) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  int a = start[from[e]], b = start[to[e]], found = 0;
  const int a_end = start[from[e] + 1], b_end = start[to[e] + 1];
  while (a < a_end && b < b_end) {
    const int x = to[a], y = to[b];
    if (x == y) found++;
    if (x <= y) a++;
    if (y <= x) b++;
  }
  if (found > 0) atomicAdd(total, found);
}
void peer_triangles(const int* start, const int* from, const int* to, int* total, int edges) {
  cudaMemsetAsync(total, 0, sizeof(int));
  triangles_kernel<<<blocks(edges), 256>>>(start, from, to, total, edges);
}

__global__ void fir_kernel(const float* signal, const float* taps, float* out, int n, int count) {
  INDEX;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < count; k++) sum += taps[k] * signal[i + k];
  out[i] = sum;
}
void peer_fir(const float* signal, const float* taps, float* out, int n, int count) { fir_kernel<<<blocks(n), 256>>>(signal, taps, out, n, count); }

__global__ void acoustic_kernel(const float* now, const float* speed, float* next, int n) {
  constexpr float weight[5] = {-205.0f / 72, 8.0f / 5, -1.0f / 5, 8.0f / 315, -1.0f / 560};
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x < 4 || x >= n - 4 || y < 4 || y >= n - 4 || z < 4 || z >= n - 4) return;
  const int plane = n * n, i = z * plane + y * n + x;
  const float here = now[i];
  float laplacian = 3 * weight[0] * here;
#pragma unroll
  for (int r = 1; r <= 4; r++)
    laplacian += weight[r] * (now[i - r] + now[i + r] + now[i - r * n] + now[i + r * n] + now[i - r * plane] + now[i + r * plane]);
  next[i] = 2 * here - next[i] + speed[i] * laplacian;
}
void peer_acoustic(float* a, float* b, const float* speed, int n, int steps) {
  const dim3 grid((n + 31) / 32, (n + 7) / 8, n);
  for (int s = 0; s < steps; s++) acoustic_kernel<<<grid, dim3(32, 8, 1)>>>(s % 2 ? b : a, speed, s % 2 ? a : b, n);
}

__global__ void trsm_kernel(const double* lower, const double* b, double* x, int n, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  for (int i = 0; i < n; i++) {
    double sum = b[i * columns + column];
    for (int k = 0; k < i; k++) sum -= lower[i * n + k] * x[k * columns + column];
    x[i * columns + column] = sum / lower[i * n + i];
  }
}
void peer_trsm(const double* lower, const double* b, double* x, int n, int columns) {
  trsm_kernel<<<blocks(columns, 128), 128>>>(lower, b, x, n, columns);
}

__global__ void adam_kernel(float* weights, float* mean, float* square, const float* gradient, int n, float rate, float beta1, float beta2, float epsilon,
                            float correction1, float correction2) {
  INDEX;
  if (i >= n) return;
  const float g = gradient[i], m = beta1 * mean[i] + (1 - beta1) * g, v = beta2 * square[i] + (1 - beta2) * g * g;
  mean[i] = m;
  square[i] = v;
  weights[i] -= rate * (m / correction1) / (sqrtf(v / correction2) + epsilon);
}
void peer_adam(float* weights, float* mean, float* square, const float* gradient, int n, float rate, float beta1, float beta2, float epsilon,
               float correction1, float correction2) {
  adam_kernel<<<blocks(n), 256>>>(weights, mean, square, gradient, n, rate, beta1, beta2, epsilon, correction1, correction2);
}

__global__ void rainflow_kernel(const float* loads, const int* start, float* damage, int* cycles, int histories) {
  INDEX;
  if (i >= histories) return;
  float points[200], sum = 0;
  int depth = 0, full = 0;
  const int first = start[i], last = start[i + 1] - 1;
  for (int k = first; k <= last; k++) {
    if (k != first && k != last && (loads[k] - loads[k - 1]) * (loads[k + 1] - loads[k]) >= 0) continue;
    points[depth++] = loads[k];
    while (depth >= 3) {
      const float newest = fabsf(points[depth - 1] - points[depth - 2]), range = fabsf(points[depth - 2] - points[depth - 3]);
      if (newest < range) break;
      if (depth == 3) {
        sum += 0.5f * range * range * range;
        points[0] = points[1], points[1] = points[2];
        depth = 2;
      } else {
        sum += range * range * range;
        full++;
        points[depth - 3] = points[depth - 1];
        depth -= 2;
      }
    }
  }
  for (int k = 0; k + 1 < depth; k++) {
    const float range = fabsf(points[k + 1] - points[k]);
    sum += 0.5f * range * range * range;
  }
  damage[i] = sum, cycles[i] = full;
}
void peer_rainflow(const float* loads, const int* start, float* damage, int* cycles, int histories) {
  rainflow_kernel<<<blocks(histories), 256>>>(loads, start, damage, cycles, histories);
}

__global__ void census_kernel(const unsigned char* image, std::uint64_t* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  std::uint64_t bits = 0;
  if (y >= 3 && y < h - 3 && x >= 4 && x < w - 4) {
    const unsigned char centre = image[y * w + x];
#pragma unroll
    for (int dy = -3; dy <= 3; dy++)
#pragma unroll
      for (int dx = -4; dx <= 4; dx++)
        if (dy != 0 || dx != 0) bits = bits << 1 | (image[(y + dy) * w + x + dx] < centre ? 1u : 0u);
  }
  out[y * w + x] = bits;
}
__global__ void match_kernel(const std::uint64_t* left, const std::uint64_t* right, int shifts, unsigned char* disparity, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const std::uint64_t own = left[y * w + x];
  const int end = min(shifts, x + 1);
  int best = 0, least = 65;
  for (int d = 0; d < end; d++) {
    const int cost = __popcll(own ^ right[y * w + x - d]);
    if (cost < least) least = cost, best = d;
  }
  disparity[y * w + x] = best;
}
void peer_census(const unsigned char* left, const unsigned char* right, std::uint64_t* left_bits, std::uint64_t* right_bits, unsigned char* disparity, int w,
                 int h, int shifts) {
  census_kernel<<<grid2(w, h), block2>>>(left, left_bits, w, h);
  census_kernel<<<grid2(w, h), block2>>>(right, right_bits, w, h);
  match_kernel<<<grid2(w, h), block2>>>(left_bits, right_bits, shifts, disparity, w, h);
}

struct grid_point {
  double energy, section[5];
};
__global__ void cross_sections_kernel(const grid_point* tables, const int* start, const int* nuclides, const double* densities, const double* energies,
                                      const int* materials, double* out, int points, int lookups) {
  INDEX;
  if (i >= lookups) return;
  const double energy = energies[i];
  const int material = materials[i], end = start[material + 1];
  double sums[5] = {};
  for (int k = start[material]; k < end; k++) {
    const grid_point* table = tables + nuclides[k] * points;
    int low = 0, high = points - 1;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (table[middle].energy > energy) high = middle;
      else low = middle;
    }
    const grid_point below = table[low], above = table[high];
    const double part = (above.energy - energy) / (above.energy - below.energy), density = densities[k];
#pragma unroll
    for (int c = 0; c < 5; c++) sums[c] += density * (above.section[c] - part * (above.section[c] - below.section[c]));
  }
#pragma unroll
  for (int c = 0; c < 5; c++) out[5 * i + c] = sums[c];
}
void peer_cross_sections(const double* tables, const int* start, const int* nuclides, const double* densities, const double* energies, const int* materials,
                         double* out, int points, int lookups) {
  cross_sections_kernel<<<blocks(lookups), 256>>>(reinterpret_cast<const grid_point*>(tables), start, nuclides, densities, energies, materials, out, points,
                                                  lookups);
}

// The cell before a particle, and the weights of three cells from there.
__device__ int spline(float at, float& f, float* w) {
  const int base = int(at - 0.5f);
  f = at - float(base);
  w[0] = 0.5f * (1.5f - f) * (1.5f - f);
  w[1] = 0.75f - (f - 1) * (f - 1);
  w[2] = 0.5f * (f - 0.5f) * (f - 0.5f);
  return base;
}
__global__ void to_grid_kernel(const float2* places, const float2* speeds, const float4* gradients, const float* volumes, float dx, float dt, float2* momentum,
                               float* mass, int n, int count) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= count) return;
  const float2 at = places[p], v = speeds[p];
  const float4 c = gradients[p];
  float fx, fy, wx[3], wy[3];
  const int x = spline(at.x / dx, fx, wx), y = spline(at.y / dx, fy, wy);
  const float own = 0.25f * dx * dx, stress = -dt * 4 * 400 * own * (volumes[p] - 1) / (dx * dx);
#pragma unroll
  for (int i = 0; i < 3; i++)
#pragma unroll
    for (int j = 0; j < 3; j++) {
      const float ax = (float(i) - fx) * dx, ay = (float(j) - fy) * dx, weight = wx[i] * wy[j];
      const int cell = (x + i) * n + y + j;
      atomicAdd(&momentum[cell].x, weight * (own * (v.x + c.x * ax + c.y * ay) + stress * ax));
      atomicAdd(&momentum[cell].y, weight * (own * (v.y + c.z * ax + c.w * ay) + stress * ay));
      atomicAdd(&mass[cell], weight * own);
    }
}
__global__ void on_grid_kernel(float2* momentum, const float* mass, float dt, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  const float own = mass[i * n + j];
  if (own <= 0) return;
  float2 v = momentum[i * n + j];
  v.x /= own, v.y = v.y / own - dt * 9.8f;
  if ((i < 3 && v.x < 0) || (i > n - 3 && v.x > 0)) v.x = 0;
  if ((j < 3 && v.y < 0) || (j > n - 3 && v.y > 0)) v.y = 0;
  momentum[i * n + j] = v;
}
__global__ void to_points_kernel(const float2* cells, const float2* places, const float* volumes, float dx, float dt, float2* new_places, float2* new_speeds,
                                 float4* new_gradients, float* new_volumes, int n, int count) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= count) return;
  const float2 at = places[p];
  float fx, fy, wx[3], wy[3];
  const int x = spline(at.x / dx, fx, wx), y = spline(at.y / dx, fy, wy);
  float2 speed = make_float2(0, 0);
  float4 gradient = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int i = 0; i < 3; i++)
#pragma unroll
    for (int j = 0; j < 3; j++) {
      const float ax = (float(i) - fx) * dx, ay = (float(j) - fy) * dx, weight = wx[i] * wy[j], scale = 4 * weight / (dx * dx);
      const float2 v = cells[(x + i) * n + y + j];
      speed.x += weight * v.x, speed.y += weight * v.y;
      gradient.x += scale * v.x * ax, gradient.y += scale * v.x * ay;
      gradient.z += scale * v.y * ax, gradient.w += scale * v.y * ay;
    }
  new_places[p] = make_float2(at.x + dt * speed.x, at.y + dt * speed.y);
  new_speeds[p] = speed;
  new_gradients[p] = gradient;
  new_volumes[p] = volumes[p] * (1 + dt * (gradient.x + gradient.w));
}
void peer_material_points(const float* places, const float* speeds, const float* gradients, const float* volumes, float dx, float dt, float* momentum,
                          float* mass, float* new_places, float* new_speeds, float* new_gradients, float* new_volumes, int n, int count) {
  const auto *x = reinterpret_cast<const float2*>(places), *v = reinterpret_cast<const float2*>(speeds);
  const auto* c = reinterpret_cast<const float4*>(gradients);
  auto* cells = reinterpret_cast<float2*>(momentum);
  cudaMemsetAsync(momentum, 0, sizeof(float2) * n * n);
  cudaMemsetAsync(mass, 0, sizeof(float) * n * n);
  to_grid_kernel<<<blocks(count), 256>>>(x, v, c, volumes, dx, dt, cells, mass, n, count);
  on_grid_kernel<<<grid16(n, n), block16>>>(cells, mass, dt, n);
  to_points_kernel<<<blocks(count), 256>>>(cells, x, volumes, dx, dt, reinterpret_cast<float2*>(new_places), reinterpret_cast<float2*>(new_speeds),
                                           reinterpret_cast<float4*>(new_gradients), new_volumes, n, count);
}

__device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }
__device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__global__ void cloth_kernel(const float3* places, const float3* speeds, float3* new_places, float3* new_speeds, int n, float width, float dt) {
  constexpr float stiffness = 3e4f, damping = 1e4f, drag = 1, ball = 0.3f;
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  const float3 at = places[i * n + j], v = speeds[i * n + j];
  float3 force = make_float3(0, -9.8f, 0);
#pragma unroll
  for (int di = -2; di <= 2; di++)
#pragma unroll
    for (int dj = -2; dj <= 2; dj++) {
      const int steps = abs(di) + abs(dj), there = (i + di) * n + j + dj;
      if (steps == 0 || steps > 2) continue;
      if (i + di < 0 || i + di >= n || j + dj < 0 || j + dj >= n) continue;
      const float3 apart = at - places[there];
      const float length = sqrtf(dot(apart, apart)), rest = width * sqrtf(float(di * di + dj * dj));
      const float3 direction = 1 / length * apart;
      force = force - stiffness * (length / rest - 1) * direction;
      force = force - damping * width * dot(v - speeds[there], direction) * direction;
    }
  float3 moved = expf(-drag * dt) * (v + dt * force);
  const float height = sqrtf(dot(at, at));
  if (height <= ball) {
    const float3 outward = 1 / height * at;
    moved = moved - fminf(dot(moved, outward), 0) * outward;
  }
  new_speeds[i * n + j] = moved;
  new_places[i * n + j] = at + dt * moved;
}
void peer_cloth(float* places, float* speeds, float* new_places, float* new_speeds, int n, int steps, float width, float dt) {
  auto *x = reinterpret_cast<float3*>(places), *v = reinterpret_cast<float3*>(speeds);
  auto *new_x = reinterpret_cast<float3*>(new_places), *new_v = reinterpret_cast<float3*>(new_speeds);
  for (int s = 0; s < steps; s += 2) {
    cloth_kernel<<<grid16(n, n), block16>>>(x, v, new_x, new_v, n, width, dt);
    cloth_kernel<<<grid16(n, n), block16>>>(new_x, new_v, x, v, n, width, dt);
  }
}

__global__ void density_kernel(const float* points, const float* samples, const float* widths, float* out, int n, int count, int dimensions) {
  INDEX;
  if (i >= n) return;
  float sum = 0;
  for (int j = 0; j < count; j++) {
    float product = 1;
    for (int d = 0; d < dimensions; d++) {
      const float u = (points[i * dimensions + d] - samples[j * dimensions + d]) / widths[d];
      product *= 0.39894228f * expf(-0.5f * u * u) / widths[d];
    }
    sum += product;
  }
  out[i] = sum / float(count);
}
void peer_density(const float* points, const float* samples, const float* widths, float* out, int n, int count, int dimensions) {
  density_kernel<<<blocks(n), 256>>>(points, samples, widths, out, n, count, dimensions);
}

__global__ void greens_kernel(const unsigned short* sensor, unsigned short* green, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * w + x;
  if (x < 1 || x >= w - 1 || y < 1 || y >= h - 1) return;
  if ((x + y) % 2 == 0) green[i] = sensor[i];
  else {
    const int left = sensor[i - 1], right = sensor[i + 1], up = sensor[i - w], down = sensor[i + w];
    green[i] = abs(left - right) < abs(up - down) ? (left + right) / 2 : (up + down) / 2;
  }
}
__global__ void colours_kernel(const unsigned short* sensor, const unsigned short* green, unsigned short* rgb, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * w + x;
  if (x < 2 || x >= w - 2 || y < 2 || y >= h - 2) return;
  const auto over = [&](int by) { return sensor[i + by] - green[i + by]; };
  const int g = green[i];
  int red, blue;
  if ((x + y) % 2 == 0) {
    const int beside = g + (over(-1) + over(1)) / 2, above = g + (over(-w) + over(w)) / 2;
    red = y % 2 == 0 ? beside : above;
    blue = y % 2 == 0 ? above : beside;
  } else {
    const int falling = abs(sensor[i - w - 1] - sensor[i + w + 1]), rising = abs(sensor[i + w - 1] - sensor[i - w + 1]), own = sensor[i];
    const int other = g + (falling < rising ? (over(-w - 1) + over(w + 1)) / 2 : (over(w - 1) + over(-w + 1)) / 2);
    red = y % 2 == 0 ? own : other;
    blue = y % 2 == 0 ? other : own;
  }
  rgb[3 * i] = min(max(red, 0), 1023);
  rgb[3 * i + 1] = g;
  rgb[3 * i + 2] = min(max(blue, 0), 1023);
}
void peer_demosaicing(const unsigned short* sensor, unsigned short* green, unsigned short* rgb, int w, int h) {
  greens_kernel<<<grid2(w, h), block2>>>(sensor, green, w, h);
  colours_kernel<<<grid2(w, h), block2>>>(sensor, green, rgb, w, h);
}
