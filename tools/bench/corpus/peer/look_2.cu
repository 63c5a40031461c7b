// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>
#include <utility>

#include "../peers.h"
#include "cuda.h"

#define INDEX const int i = blockIdx.x * blockDim.x + threadIdx.x

// The last row of threads makes the walls.
__global__ void cavity_horizontal(const double* u, const double* v, double* f, double step, double dt, double reynolds, double mix, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x + 1, i = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (i > n || j > n) return;
  const auto at = [=](int i, int j) { return i * (n + 2) + j; };
  if (i == n) {
    f[at(0, j)] = u[at(0, j)], f[at(n, j)] = u[at(n, j)];
    return;
  }
  const double here = u[at(i, j)], west = u[at(i - 1, j)], east = u[at(i + 1, j)], south = u[at(i, j - 1)], north = u[at(i, j + 1)];
  const double right = here + east, left = west + here, above = v[at(i, j)] + v[at(i + 1, j)], below = v[at(i, j - 1)] + v[at(i + 1, j - 1)];
  const double du2dx = (right * right - left * left + mix * (fabs(right) * (here - east) - fabs(left) * (west - here))) / (4 * step);
  const double duvdy =
      (above * (here + north) - below * (south + here) + mix * (fabs(above) * (here - north) - fabs(below) * (south - here))) / (4 * step);
  const double bend = (east + west + north + south - 4 * here) / (step * step);
  f[at(i, j)] = here + dt * (bend / reynolds - du2dx - duvdy);
}
__global__ void cavity_vertical(const double* u, const double* v, double* g, double step, double dt, double reynolds, double mix, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x + 1, i = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (i > n || j > n) return;
  const auto at = [=](int i, int j) { return i * (n + 2) + j; };
  if (j == n) {
    g[at(i, 0)] = v[at(i, 0)], g[at(i, n)] = v[at(i, n)];
    return;
  }
  const double here = v[at(i, j)], west = v[at(i - 1, j)], east = v[at(i + 1, j)], south = v[at(i, j - 1)], north = v[at(i, j + 1)];
  const double above = here + north, below = south + here, right = u[at(i, j)] + u[at(i, j + 1)], left = u[at(i - 1, j)] + u[at(i - 1, j + 1)];
  const double dv2dy = (above * above - below * below + mix * (fabs(above) * (here - north) - fabs(below) * (south - here))) / (4 * step);
  const double duvdx = (right * (here + east) - left * (west + here) + mix * (fabs(right) * (here - east) - fabs(left) * (west - here))) / (4 * step);
  const double bend = (east + west + north + south - 4 * here) / (step * step);
  g[at(i, j)] = here + dt * (bend / reynolds - duvdx - dv2dy);
}
void peer_cavity(const double* u, const double* v, double* f, double* g, double step, double dt, double reynolds, double mix, int n) {
  cavity_horizontal<<<grid2(n, n), block2>>>(u, v, f, step, dt, reynolds, mix, n);
  cavity_vertical<<<grid2(n, n), block2>>>(u, v, g, step, dt, reynolds, mix, n);
}

__device__ unsigned mixed(unsigned word) {
  word = (word ^ word >> 16) * 0x85ebca6bu;
  word = (word ^ word >> 13) * 0xc2b2ae35u;
  return word ^ word >> 16;
}

__global__ void hash_join_kernel(const uint2* table, const unsigned* rows, unsigned* joined, unsigned slots, int n) {
  INDEX;
  if (i >= n) return;
  const unsigned key = rows[i];
  unsigned at = mixed(key) & (slots - 1), found = ~0u;
  for (uint2 slot = table[at]; slot.x != 0; slot = table[at]) {
    if (slot.x == key) {
      found = slot.y;
      break;
    }
    at = (at + 1) & (slots - 1);
  }
  joined[i] = found;
}
void peer_hash_join(const unsigned* table, const unsigned* rows, unsigned* joined, unsigned slots, int n) {
  hash_join_kernel<<<blocks(n), 256>>>(reinterpret_cast<const uint2*>(table), rows, joined, slots, n);
}

// 16 bytes per thread, with the tables in shared memory.
__global__ void aes_kernel(const uint4* text, const uint4* keys, const unsigned* spread, const unsigned char* box, uint4* out, int n, int rounds) {
  __shared__ unsigned tables[4][256];
  __shared__ unsigned char last[256];
  const int t = threadIdx.x;
  for (int row = 0; row < 4; row++) tables[row][t] = spread[256 * row + t];
  last[t] = box[t];
  __syncthreads();
  INDEX;
  if (i >= n) return;
  const auto mix = [&](unsigned a, unsigned b, unsigned c, unsigned d) {
    return tables[0][a & 255] ^ tables[1][b >> 8 & 255] ^ tables[2][c >> 16 & 255] ^ tables[3][d >> 24];
  };
  const auto replace = [&](unsigned a, unsigned b, unsigned c, unsigned d) {
    return unsigned(last[a & 255]) | unsigned(last[b >> 8 & 255]) << 8 | unsigned(last[c >> 16 & 255]) << 16 | unsigned(last[d >> 24]) << 24;
  };
  const uint4 first = text[i];
  uint4 key = keys[0], s = make_uint4(first.x ^ key.x, first.y ^ key.y, first.z ^ key.z, first.w ^ key.w);
  for (int round = 1; round < rounds; round++) {
    key = keys[round];
    s = make_uint4(key.x ^ mix(s.x, s.y, s.z, s.w), key.y ^ mix(s.y, s.z, s.w, s.x), key.z ^ mix(s.z, s.w, s.x, s.y), key.w ^ mix(s.w, s.x, s.y, s.z));
  }
  key = keys[rounds];
  out[i] = make_uint4(key.x ^ replace(s.x, s.y, s.z, s.w), key.y ^ replace(s.y, s.z, s.w, s.x), key.z ^ replace(s.z, s.w, s.x, s.y),
                      key.w ^ replace(s.w, s.x, s.y, s.z));
}
void peer_aes(const unsigned* text, const unsigned* keys, const unsigned* spread, const unsigned char* box, unsigned* out, int n, int rounds) {
  aes_kernel<<<blocks(n), 256>>>(reinterpret_cast<const uint4*>(text), reinterpret_cast<const uint4*>(keys), spread, box, reinterpret_cast<uint4*>(out), n,
                                 rounds);
}

struct XteaKey {
  unsigned words[4];
};
__global__ void xtea_kernel(XteaKey key, const uint2* text, uint2* out, int n) {
  INDEX;
  if (i >= n) return;
  uint2 v = text[i];
  unsigned sum = 0;
  for (int cycle = 0; cycle < 32; cycle++) {
    v.x += ((v.y << 4 ^ v.y >> 5) + v.y) ^ (sum + key.words[sum & 3]);
    sum += 0x9e3779b9u;
    v.y += ((v.x << 4 ^ v.x >> 5) + v.x) ^ (sum + key.words[sum >> 11 & 3]);
  }
  out[i] = v;
}
void peer_xtea(const unsigned* key, const unsigned* text, unsigned* out, int n) {
  XteaKey own;  // the key is the host's
  std::memcpy(own.words, key, sizeof own.words);
  xtea_kernel<<<blocks(n), 256>>>(own, reinterpret_cast<const uint2*>(text), reinterpret_cast<uint2*>(out), n);
}

// A vector per block: steps of radix 4, and one of radix 2 where the number of points is no power of 4.
__global__ void walsh_kernel(const float* in, float* out, int points) {
  extern __shared__ float line[];
  const int t = threadIdx.x, threads = blockDim.x;
  in += long(blockIdx.x) * points, out += long(blockIdx.x) * points;
  for (int k = t; k < points; k += threads) line[k] = in[k];
  int stride = points / 4;
  for (; stride > 0; stride /= 4) {
    const int low = t % stride, first = (t - low) * 4 + low;
    __syncthreads();
    const float d0 = line[first], d1 = line[first + stride], d2 = line[first + 2 * stride], d3 = line[first + 3 * stride];
    const float even = d0 + d2, even_less = d0 - d2, odd = d1 + d3, odd_less = d1 - d3;
    line[first] = even + odd, line[first + stride] = even - odd;
    line[first + 2 * stride] = even_less + odd_less, line[first + 3 * stride] = even_less - odd_less;
  }
  __syncthreads();
  if (__ffs(points) % 2 == 0) {
    for (int k = t; k < points / 2; k += threads) {
      const float a = line[2 * k], b = line[2 * k + 1];
      line[2 * k] = a + b, line[2 * k + 1] = a - b;
    }
    __syncthreads();
  }
  for (int k = t; k < points; k += threads) out[k] = line[k];
}
void peer_walsh(const float* in, float* out, int n, int points) { walsh_kernel<<<n, points / 4, points * sizeof(float)>>>(in, out, points); }

struct HestonModel {
  float spot, strike, rate, variance, speed, mean, spread, correlation;
};
__device__ float xorshift_uniform(unsigned& state) {
  state ^= state << 13, state ^= state >> 17, state ^= state << 5;
  return (float(state >> 8) + 0.5f) * 0x1p-24f;
}
__global__ void heston_kernel(HestonModel model, int steps, float dt, float* payoff, int n) {
  INDEX;
  if (i >= n) return;
  unsigned state = mixed(unsigned(i) + 1);
  const float rest = sqrtf(1 - model.correlation * model.correlation);
  float log_price = logf(model.spot), variance = model.variance;
  for (int step = 0; step < steps; step++) {
    const float u = xorshift_uniform(state), turn = xorshift_uniform(state), radius = sqrtf(-2 * logf(u));
    float sine, cosine;
    sincosf(6.2831853f * turn, &sine, &cosine);
    const float z = radius * cosine, own = model.correlation * z + rest * radius * sine;
    const float now = fmaxf(variance, 0.f), deviation = sqrtf(now * dt);
    log_price += (model.rate - 0.5f * now) * dt + deviation * z;
    variance += model.speed * (model.mean - now) * dt + model.spread * deviation * own;
  }
  payoff[i] = expf(-model.rate * dt * float(steps)) * fmaxf(expf(log_price) - model.strike, 0.f);
}
void peer_heston(const float* model, int steps, float dt, float* payoff, int n) {
  HestonModel own;  // the model is the host's
  std::memcpy(&own, model, sizeof own);
  heston_kernel<<<blocks(n, 128), 128>>>(own, steps, dt, payoff, n);
}

__global__ void cell_lists_kernel(const float4* positions, float origin, float width, int side, int* counts, int* lists, int room, int n) {
  INDEX;
  if (i >= n) return;
  const auto along = [=](float position) { return min(max(int(floorf((position - origin) / width)), 0), side - 1); };
  const float4 p = positions[i];
  const int cell = (along(p.z) * side + along(p.y)) * side + along(p.x), before = atomicAdd(&counts[cell], 1);
  if (before < room) lists[cell * room + before] = i;
}
void peer_cell_lists(const float* positions, float origin, float width, int side, int* counts, int* lists, int room, int n) {
  cudaMemsetAsync(counts, 0, std::size_t(side) * side * side * sizeof(int));
  cell_lists_kernel<<<blocks(n), 256>>>(reinterpret_cast<const float4*>(positions), origin, width, side, counts, lists, room, n);
}

// An element of a product per thread.
__global__ void su3_kernel(const double2* a, const double2* b, double2* c, int n) {
  INDEX;
  const int site = i / 36, link = i % 36 / 9, row = i % 9 / 3, column = i % 3;
  if (site >= n) return;
  const double2 *left = a + (site * 4 + link) * 9 + 3 * row, *right = b + link * 9 + column;
  double2 sum = make_double2(0, 0);
  for (int m = 0; m < 3; m++) {
    const double2 x = left[m], y = right[3 * m];
    sum.x += x.x * y.x - x.y * y.y, sum.y += x.x * y.y + x.y * y.x;
  }
  c[i] = sum;
}
void peer_su3(const double* a, const double* b, double* c, int n) {
  su3_kernel<<<blocks(36L * n), 256>>>(reinterpret_cast<const double2*>(a), reinterpret_cast<const double2*>(b), reinterpret_cast<double2*>(c), n);
}

// A part per thread; a block counts in shared memory, and a warp adds its sums by shuffles.
__global__ void gaussian_pairs_kernel(int batch, int parts, std::uint64_t jump, int* counts, double* sums) {
  constexpr std::uint64_t factor = 1220703125, mask = (std::uint64_t(1) << 46) - 1;
  __shared__ int of_block[10];
  const int t = threadIdx.x, part = blockIdx.x * blockDim.x + t;
  if (t < 10) of_block[t] = 0;
  __syncthreads();
  int count[10] = {};
  double sum_x = 0, sum_y = 0;
  if (part < parts) {
    std::uint64_t x = 271828183, power = jump;
    for (int left = part; left > 0; left /= 2) {
      if (left % 2) x = x * power & mask;
      power = power * power & mask;
    }
    for (int k = 0; k < batch; k++) {
      x = x * factor & mask;
      const double a = 2 * (double(x) * 0x1p-46) - 1;
      x = x * factor & mask;
      const double b = 2 * (double(x) * 0x1p-46) - 1;
      const double square = a * a + b * b;
      if (square > 1) continue;
      const double scale = sqrt(-2 * log(square) / square), gx = a * scale, gy = b * scale;
      count[int(fmax(fabs(gx), fabs(gy)))]++;
      sum_x += gx, sum_y += gy;
    }
  }
  for (int l = 0; l < 10; l++) atomicAdd(&of_block[l], count[l]);
  for (int d = 16; d > 0; d /= 2) sum_x += __shfl_down_sync(~0u, sum_x, d), sum_y += __shfl_down_sync(~0u, sum_y, d);
  if (t % 32 == 0) atomicAdd(&sums[0], sum_x), atomicAdd(&sums[1], sum_y);
  __syncthreads();
  if (t < 10) atomicAdd(&counts[t], of_block[t]);
}
void peer_gaussian_pairs(int batch, int parts, int* counts, double* sums) {
  std::uint64_t jump = 1;
  for (int k = 0; k < 2 * batch; k++) jump = jump * 1220703125 & ((std::uint64_t(1) << 46) - 1);
  cudaMemsetAsync(counts, 0, 10 * sizeof(int));
  cudaMemsetAsync(sums, 0, 2 * sizeof(double));
  gaussian_pairs_kernel<<<blocks(parts, 128), 128>>>(batch, parts, jump, counts, sums);
}

// One block: the length of column k of a, and the column of that direction.
__global__ void gram_schmidt_direction(const float* a, float* r, float* q, int m, int n, int k) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  float sum = 0;
  for (int i = t; i < m; i += 256) sum += a[i * n + k] * a[i * n + k];
  part[t] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  const float length = sqrtf(part[0]);
  if (t == 0) r[k * n + k] = length;
  for (int i = t; i < m; i += 256) q[i * n + k] = a[i * n + k] / length;
}
// A later column per thread.
__global__ void gram_schmidt_project(float* a, float* r, const float* q, int m, int n, int k) {
  const int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  float sum = 0;
  for (int i = 0; i < m; i++) sum += q[i * n + k] * a[i * n + j];
  r[k * n + j] = sum;
  for (int i = 0; i < m; i++) a[i * n + j] -= q[i * n + k] * sum;
}
void peer_gram_schmidt(const float* initial, float* a, float* r, float* q, int m, int n) {
  cudaMemcpyAsync(a, initial, std::size_t(m) * n * sizeof(float), cudaMemcpyDeviceToDevice);
  for (int k = 0; k < n; k++) {
    gram_schmidt_direction<<<1, 256>>>(a, r, q, m, n, k);
    if (k + 1 < n) gram_schmidt_project<<<blocks(n - k - 1), 256>>>(a, r, q, m, n, k);
  }
}

__device__ float sigmoid(float v) { return 1 / (1 + expf(-v)); }
// A sequence per thread, with the weights in shared memory.
__global__ void lstm_kernel(const float* x, const float* in_weight, const float* weight, const float* bias, const float* out_weight, const float* out_bias,
                            float* y, int n, int steps) {
  constexpr int hidden = 5, gates = 4 * hidden;
  __shared__ float in_weights[gates], weights[gates][hidden], biases[gates], out_weights[hidden];
  const int t = threadIdx.x;
  if (t < gates) in_weights[t] = in_weight[t], biases[t] = bias[t];
  if (t < gates * hidden) weights[t / hidden][t % hidden] = weight[t];
  if (t < hidden) out_weights[t] = out_weight[t];
  __syncthreads();
  INDEX;
  if (i >= n) return;
  float h[hidden] = {}, c[hidden] = {};
  for (int step = 0; step < steps; step++) {
    const float now = x[i * steps + step];
    float sums[gates], result = out_bias[0];
    for (int k = 0; k < gates; k++) {
      sums[k] = in_weights[k] * now + biases[k];
      for (int l = 0; l < hidden; l++) sums[k] += h[l] * weights[k][l];
    }
    for (int j = 0; j < hidden; j++) {
      const float in = sigmoid(sums[j]), forget = sigmoid(sums[hidden + j]), out = sigmoid(sums[2 * hidden + j]), change = tanhf(sums[3 * hidden + j]);
      c[j] = c[j] * forget + change * in;
      h[j] = tanhf(c[j]) * out;
      result += h[j] * out_weights[j];
    }
    y[i * steps + step] = result;
  }
}
void peer_lstm(const float* x, const float* in_weight, const float* weight, const float* bias, const float* out_weight, const float* out_bias, float* y,
               int n, int steps) {
  lstm_kernel<<<blocks(n), 256>>>(x, in_weight, weight, bias, out_weight, out_bias, y, n, steps);
}

// The points come through shared memory.
__global__ void mean_shift_kernel(const float3* points, float3* moved, int n, float radius2, float sigma) {
  constexpr int tile = 64;
  __shared__ float3 near[tile];
  const int t = threadIdx.x, i = blockIdx.x * tile + t;
  const float3 own = i < n ? points[i] : make_float3(0, 0, 0);
  float sum_x = 0, sum_y = 0, sum_z = 0, total = 0;
  for (int first = 0; first < n; first += tile) {
    if (first + t < n) near[t] = points[first + t];
    __syncthreads();
    for (int k = 0; k < min(n - first, tile); k++) {
      const float3 other = near[k];
      const float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z, distance2 = dx * dx + dy * dy + dz * dz;
      if (distance2 <= radius2) {
        const float weight = expf(-distance2 / (2 * sigma * sigma));
        sum_x += weight * other.x, sum_y += weight * other.y, sum_z += weight * other.z;
        total += weight;
      }
    }
    __syncthreads();
  }
  if (i < n) moved[i] = make_float3(sum_x / total, sum_y / total, sum_z / total);
}
void peer_mean_shift(const float* initial, float* points, float* next, int n, int iterations, float radius2, float sigma) {
  cudaMemcpyAsync(points, initial, 3 * std::size_t(n) * sizeof(float), cudaMemcpyDeviceToDevice);
  for (int step = 0; step < iterations; step++) {
    mean_shift_kernel<<<blocks(n, 64), 64>>>(reinterpret_cast<const float3*>(points), reinterpret_cast<float3*>(next), n, radius2, sigma);
    std::swap(points, next);
  }
}
