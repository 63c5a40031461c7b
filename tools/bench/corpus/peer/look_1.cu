// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cfloat>
#include <cstring>

#include "../peers.h"
#include "cuda.h"

#define INDEX const int i = blockIdx.x * blockDim.x + threadIdx.x
#define PIXEL const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y

// A tile per block, of those on one anti-diagonal.
__global__ void needleman_wunsch_kernel(const int* reference, int* score, int n, int diagonal, int first, int penalty) {
  constexpr int side = 16;
  __shared__ int temp[side + 1][side + 1], ref[side][side];
  const int t = threadIdx.x, by = first + blockIdx.x, bx = diagonal - by, row = by * side, column = bx * side, width = n + 1;
  for (int k = 0; k < side; k++) ref[k][t] = reference[(row + k) * n + column + t];
  if (t == 0) temp[0][0] = score[row * width + column];
  temp[t + 1][0] = score[(row + t + 1) * width + column];
  temp[0][t + 1] = score[row * width + column + t + 1];
  __syncthreads();
  const auto cell = [&](int y, int x) {
    temp[y][x] = max(temp[y - 1][x - 1] + ref[y - 1][x - 1], max(temp[y][x - 1] - penalty, temp[y - 1][x] - penalty));
  };
  for (int m = 0; m < side; m++) {
    if (t <= m) cell(m - t + 1, t + 1);
    __syncthreads();
  }
  for (int m = side - 2; m >= 0; m--) {
    if (t <= m) cell(side - t, t + side - m);
    __syncthreads();
  }
  for (int k = 0; k < side; k++) score[(row + k + 1) * width + column + t + 1] = temp[k + 1][t + 1];
}
void peer_needleman_wunsch(const int* reference, int* score, int n, int penalty) {
  const int tiles = n / 16;
  for (int d = 0; d < 2 * tiles - 1; d++) {
    const int first = d < tiles ? 0 : d - tiles + 1, last = d < tiles ? d : tiles - 1;
    needleman_wunsch_kernel<<<last - first + 1, 16>>>(reference, score, n, d, first, penalty);
  }
}

__global__ void shortest_paths_start(int* distance, int n) {
  INDEX;
  if (i < n) distance[i] = i == 0 ? 0 : 1 << 30;
}
__global__ void shortest_paths_relax(const int* start, const int* target, const int* weight, int* distance, int* changed, int n) {
  INDEX;
  if (i >= n) return;
  const int mine = distance[i];
  if (mine == 1 << 30) return;
  for (int e = start[i]; e < start[i + 1]; e++) {
    const int through = mine + weight[e], to = target[e];
    if (through < distance[to] && through < atomicMin(&distance[to], through)) *changed = 1;
  }
}
void peer_shortest_paths(const int* start, const int* target, const int* weight, int* distance, int n) {
  static int* changed = nullptr;  // kept for the next call
  if (!changed) cudaMalloc(&changed, sizeof(int));
  shortest_paths_start<<<blocks(n), 256>>>(distance, n);
  for (int again = 1; again;) {
    cudaMemsetAsync(changed, 0, sizeof(int));
    shortest_paths_relax<<<blocks(n), 256>>>(start, target, weight, distance, changed, n);
    if (cudaMemcpy(&again, changed, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return;
  }
}

// A thread counts in its own column.
__global__ void entropy_kernel(const unsigned char* in, float* out, int w, int h) {
  __shared__ int count[16][256];
  PIXEL;
  if (x >= w || y >= h) return;
  const int t = threadIdx.y * 16 + threadIdx.x;
  int total = 0;
  for (int k = 0; k < 16; k++) count[k][t] = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      const int xx = x + dx, yy = y + dy;
      if (xx >= 0 && yy >= 0 && yy < h && xx < w) count[in[yy * w + xx]][t]++, total++;
    }
  float entropy = 0;
  for (int k = 0; k < 16; k++)
    if (count[k][t] > 0) {
      const float p = float(count[k][t]) / float(total);
      entropy -= p * log2f(p);
    }
  out[y * w + x] = entropy;
}
void peer_entropy(const unsigned char* in, float* out, int w, int h) { entropy_kernel<<<grid16(w, h), block16>>>(in, out, w, h); }

struct ChaChaKey {
  unsigned key[8], nonce[3];
};
__device__ unsigned turned(unsigned v, int by) { return __funnelshift_l(v, v, by); }
__global__ void chacha20_kernel(ChaChaKey key, const uint4* text, uint4* out, int n) {
  INDEX;
  if (i >= n) return;
  unsigned start[16] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u}, x[16];
  for (int k = 0; k < 8; k++) start[4 + k] = key.key[k];
  start[12] = unsigned(i);
  for (int k = 0; k < 3; k++) start[13 + k] = key.nonce[k];
  for (int k = 0; k < 16; k++) x[k] = start[k];
  const auto quarter = [&](int a, int b, int c, int d) {
    x[a] += x[b], x[d] = turned(x[d] ^ x[a], 16);
    x[c] += x[d], x[b] = turned(x[b] ^ x[c], 12);
    x[a] += x[b], x[d] = turned(x[d] ^ x[a], 8);
    x[c] += x[d], x[b] = turned(x[b] ^ x[c], 7);
  };
  for (int round = 0; round < 10; round++) {
    quarter(0, 4, 8, 12), quarter(1, 5, 9, 13), quarter(2, 6, 10, 14), quarter(3, 7, 11, 15);
    quarter(0, 5, 10, 15), quarter(1, 6, 11, 12), quarter(2, 7, 8, 13), quarter(3, 4, 9, 14);
  }
  for (int k = 0; k < 16; k++) x[k] += start[k];
  for (int k = 0; k < 4; k++) {
    const uint4 v = text[4 * i + k];
    out[4 * i + k] = make_uint4(v.x ^ x[4 * k], v.y ^ x[4 * k + 1], v.z ^ x[4 * k + 2], v.w ^ x[4 * k + 3]);
  }
}
void peer_chacha20(const unsigned* key, const unsigned* nonce, const unsigned* text, unsigned* out, int n) {
  ChaChaKey both;  // the key and the nonce are the host's
  std::memcpy(both.key, key, sizeof both.key), std::memcpy(both.nonce, nonce, sizeof both.nonce);
  chacha20_kernel<<<blocks(n), 256>>>(both, reinterpret_cast<const uint4*>(text), reinterpret_cast<uint4*>(out), n);
}

__global__ void haversine_kernel(const double2* pairs, double* distance, int n) {
  INDEX;
  if (i >= n) return;
  const double degree = 3.14159265358979323846 / 180, radius = 6371;
  const double2 a = pairs[2 * i], b = pairs[2 * i + 1];
  const double ay = a.x * degree, ax = a.y * degree, by = b.x * degree, bx = b.y * degree;
  const double sine_x = sin((bx - ax) / 2), sine_y = sin((by - ay) / 2), scale = cos(ay) * cos(by);
  distance[i] = 2 * radius * asin(sqrt(sine_y * sine_y + sine_x * sine_x * scale));
}
void peer_haversine(const double* pairs, double* distance, int n) {
  haversine_kernel<<<blocks(n), 256>>>(reinterpret_cast<const double2*>(pairs), distance, n);
}

__device__ float bulb_distance(float cx, float cy, float cz) {
  float x = cx, y = cy, z = cz, derivative = 1, r = 0;
  for (int i = 0; i < 8; i++) {
    r = sqrtf(x * x + y * y + z * z);
    if (r > 2) break;
    const float theta = 8 * acosf(z / r), phi = 8 * atan2f(y, x);
    derivative = powf(r, 7.f) * 8 * derivative + 1;
    const float far = powf(r, 8.f);
    x = far * sinf(theta) * cosf(phi) + cx;
    y = far * sinf(theta) * sinf(phi) + cy;
    z = far * cosf(theta) + cz;
  }
  return 0.5f * logf(r) * r / derivative;
}
__global__ void mandelbulb_kernel(float* image, int w, int h) {
  PIXEL;
  if (x >= w || y >= h) return;
  const float u = (float(x) + 0.5f) / float(w) * 2 - 1, v = (float(y) + 0.5f) / float(h) * 2 - 1, length = sqrtf(u * u + v * v + 1.5f * 1.5f);
  float depth = 0;
  int steps = 0;
  while (steps < 64 && depth < 4) {
    const float d = bulb_distance(depth * u / length, depth * v / length, depth * 1.5f / length - 2.5f);
    if (d < 0.001f) break;
    depth += d, steps++;
  }
  image[y * w + x] = depth < 4 ? 1 - float(steps) / 64 : 0;
}
void peer_mandelbulb(float* image, int w, int h) { mandelbulb_kernel<<<grid16(w, h), block16>>>(image, w, h); }

struct Pair3 {
  float3 first, second;
};
__global__ void ray_boxes_kernel(const Pair3* rays, const Pair3* boxes, float* nearest, int* hit, int n, int count) {
  INDEX;
  if (i >= n) return;
  const float3 origin = rays[i].first, direction = rays[i].second;
  const float ix = 1 / direction.x, iy = 1 / direction.y, iz = 1 / direction.z;
  float best = 100;
  int which = -1;
  for (int b = 0; b < count; b++) {
    const float3 low = boxes[b].first, high = boxes[b].second;
    const float x0 = (low.x - origin.x) * ix, x1 = (high.x - origin.x) * ix;
    const float y0 = (low.y - origin.y) * iy, y1 = (high.y - origin.y) * iy;
    const float z0 = (low.z - origin.z) * iz, z1 = (high.z - origin.z) * iz;
    const float enter = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fminf(z0, z1));
    const float leave = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fmaxf(z0, z1));
    if (enter <= leave && leave > 0 && enter < best) best = enter, which = b;
  }
  nearest[i] = best, hit[i] = which;
}
void peer_ray_boxes(const float* rays, const float* boxes, float* nearest, int* hit, int n, int count) {
  ray_boxes_kernel<<<blocks(n, 128), 128>>>(reinterpret_cast<const Pair3*>(rays), reinterpret_cast<const Pair3*>(boxes), nearest, hit, n, count);
}

__global__ void syrk_kernel(float alpha, float beta, const float* a, float* c, int n, int m) {
  constexpr int tile = 16;
  __shared__ float rows[tile][tile], columns[tile][tile + 1];
  const int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * tile + ty, j = blockIdx.x * tile + tx, across = blockIdx.x * tile + ty;
  float sum = 0;
  for (int first = 0; first < m; first += tile) {
    const int k = first + tx;
    rows[ty][tx] = i < n && k < m ? a[i * m + k] : 0.f;
    columns[ty][tx] = across < n && k < m ? a[across * m + k] : 0.f;
    __syncthreads();
    for (int l = 0; l < tile; l++) sum += rows[ty][l] * columns[tx][l];
    __syncthreads();
  }
  if (i < n && j < n) c[i * n + j] = beta * c[i * n + j] + alpha * sum;
}
void peer_syrk(float alpha, float beta, const float* a, float* c, int n, int m) { syrk_kernel<<<grid16(n, n), block16>>>(alpha, beta, a, c, n, m); }

// Of v, m, h and n.
__device__ float4 plus(float4 a, float by, float4 b) { return make_float4(a.x + by * b.x, a.y + by * b.y, a.z + by * b.z, a.w + by * b.w); }
__device__ float trap(float x, float y) { return fabsf(x / y) < 1e-6f ? y * (1 - x / y / 2) : x / (expf(x / y) - 1); }
__device__ float4 change(float4 s, float current) {
  const float v = s.x, m = s.y, h = s.z, n = s.w;
  const float m_up = 0.1f * trap(-(v + 40), 10), m_down = 4 * expf(-(v + 65) / 18);
  const float h_up = 0.07f * expf(-(v + 65) / 20), h_down = 1 / (expf(-(v + 35) / 10) + 1);
  const float n_up = 0.01f * trap(-(v + 55), 10), n_down = 0.125f * expf(-(v + 65) / 80);
  return make_float4(current - 120 * m * m * m * h * (v - 50) - 36 * n * n * n * n * (v + 77) - 0.3f * (v + 54.387f), m_up * (1 - m) - m_down * m,
                     h_up * (1 - h) - h_down * h, n_up * (1 - n) - n_down * n);
}
__global__ void membranes_kernel(float4* cells, const float* currents, int n, int steps, float dt) {
  INDEX;
  if (i >= n) return;
  const float current = currents[i];
  float4 s = make_float4(-65.0f, 0.053f, 0.596f, 0.318f);
  for (int step = 0; step < steps; step++) {
    const float4 k1 = change(s, current), k2 = change(plus(s, 0.5f * dt, k1), current);
    const float4 k3 = change(plus(s, 0.5f * dt, k2), current), k4 = change(plus(s, dt, k3), current);
    s.x += dt / 6 * (k1.x + 2 * k2.x + 2 * k3.x + k4.x);
    s.y += dt / 6 * (k1.y + 2 * k2.y + 2 * k3.y + k4.y);
    s.z += dt / 6 * (k1.z + 2 * k2.z + 2 * k3.z + k4.z);
    s.w += dt / 6 * (k1.w + 2 * k2.w + 2 * k3.w + k4.w);
  }
  cells[i] = s;
}
void peer_membranes(float* cells, const float* currents, int n, int steps, float dt) {
  membranes_kernel<<<blocks(n, 128), 128>>>(reinterpret_cast<float4*>(cells), currents, n, steps, dt);
}

__global__ void max_pool_kernel(const float* in, float* out, int h, int w) {
  PIXEL;
  if (x >= w || y >= h) return;
  const int plane = blockIdx.z;
  float most = -FLT_MAX;
  for (int r = 0; r < 2; r++)
    for (int c = 0; c < 2; c++) most = fmaxf(most, in[(plane * 2 * h + 2 * y + r) * 2 * w + 2 * x + c]);
  out[(plane * h + y) * w + x] = most;
}
void peer_max_pool(const float* in, float* out, int planes, int h, int w) {
  max_pool_kernel<<<dim3(blocks(w, 16), blocks(h, 16), planes), block16>>>(in, out, h, w);
}

__device__ void add_turned(unsigned& a, unsigned b, unsigned sum, int by) { a = b + turned(sum, by); }
__device__ void ff(unsigned& a, unsigned b, unsigned c, unsigned d, unsigned x, int by, unsigned t) { add_turned(a, b, a + ((b & c) | (~b & d)) + x + t, by); }
__device__ void gg(unsigned& a, unsigned b, unsigned c, unsigned d, unsigned x, int by, unsigned t) { add_turned(a, b, a + ((d & b) | (~d & c)) + x + t, by); }
__device__ void hh(unsigned& a, unsigned b, unsigned c, unsigned d, unsigned x, int by, unsigned t) { add_turned(a, b, a + (b ^ c ^ d) + x + t, by); }
__device__ void ii(unsigned& a, unsigned b, unsigned c, unsigned d, unsigned x, int by, unsigned t) { add_turned(a, b, a + (c ^ (b | ~d)) + x + t, by); }
__device__ uint4 md5_of_two(unsigned low, unsigned high, unsigned length) {
  unsigned a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
  const unsigned bits = 8 * length;
  ff(a, b, c, d, low, 7, 0xd76aa478u), ff(d, a, b, c, high, 12, 0xe8c7b756u), ff(c, d, a, b, 0, 17, 0x242070dbu), ff(b, c, d, a, 0, 22, 0xc1bdceeeu);
  ff(a, b, c, d, 0, 7, 0xf57c0fafu), ff(d, a, b, c, 0, 12, 0x4787c62au), ff(c, d, a, b, 0, 17, 0xa8304613u), ff(b, c, d, a, 0, 22, 0xfd469501u);
  ff(a, b, c, d, 0, 7, 0x698098d8u), ff(d, a, b, c, 0, 12, 0x8b44f7afu), ff(c, d, a, b, 0, 17, 0xffff5bb1u), ff(b, c, d, a, 0, 22, 0x895cd7beu);
  ff(a, b, c, d, 0, 7, 0x6b901122u), ff(d, a, b, c, 0, 12, 0xfd987193u), ff(c, d, a, b, bits, 17, 0xa679438eu), ff(b, c, d, a, 0, 22, 0x49b40821u);
  gg(a, b, c, d, high, 5, 0xf61e2562u), gg(d, a, b, c, 0, 9, 0xc040b340u), gg(c, d, a, b, 0, 14, 0x265e5a51u), gg(b, c, d, a, low, 20, 0xe9b6c7aau);
  gg(a, b, c, d, 0, 5, 0xd62f105du), gg(d, a, b, c, 0, 9, 0x02441453u), gg(c, d, a, b, 0, 14, 0xd8a1e681u), gg(b, c, d, a, 0, 20, 0xe7d3fbc8u);
  gg(a, b, c, d, 0, 5, 0x21e1cde6u), gg(d, a, b, c, bits, 9, 0xc33707d6u), gg(c, d, a, b, 0, 14, 0xf4d50d87u), gg(b, c, d, a, 0, 20, 0x455a14edu);
  gg(a, b, c, d, 0, 5, 0xa9e3e905u), gg(d, a, b, c, 0, 9, 0xfcefa3f8u), gg(c, d, a, b, 0, 14, 0x676f02d9u), gg(b, c, d, a, 0, 20, 0x8d2a4c8au);
  hh(a, b, c, d, 0, 4, 0xfffa3942u), hh(d, a, b, c, 0, 11, 0x8771f681u), hh(c, d, a, b, 0, 16, 0x6d9d6122u), hh(b, c, d, a, bits, 23, 0xfde5380cu);
  hh(a, b, c, d, high, 4, 0xa4beea44u), hh(d, a, b, c, 0, 11, 0x4bdecfa9u), hh(c, d, a, b, 0, 16, 0xf6bb4b60u), hh(b, c, d, a, 0, 23, 0xbebfbc70u);
  hh(a, b, c, d, 0, 4, 0x289b7ec6u), hh(d, a, b, c, low, 11, 0xeaa127fau), hh(c, d, a, b, 0, 16, 0xd4ef3085u), hh(b, c, d, a, 0, 23, 0x04881d05u);
  hh(a, b, c, d, 0, 4, 0xd9d4d039u), hh(d, a, b, c, 0, 11, 0xe6db99e5u), hh(c, d, a, b, 0, 16, 0x1fa27cf8u), hh(b, c, d, a, 0, 23, 0xc4ac5665u);
  ii(a, b, c, d, low, 6, 0xf4292244u), ii(d, a, b, c, 0, 10, 0x432aff97u), ii(c, d, a, b, bits, 15, 0xab9423a7u), ii(b, c, d, a, 0, 21, 0xfc93a039u);
  ii(a, b, c, d, 0, 6, 0x655b59c3u), ii(d, a, b, c, 0, 10, 0x8f0ccc92u), ii(c, d, a, b, 0, 15, 0xffeff47du), ii(b, c, d, a, high, 21, 0x85845dd1u);
  ii(a, b, c, d, 0, 6, 0x6fa87e4fu), ii(d, a, b, c, 0, 10, 0xfe2ce6e0u), ii(c, d, a, b, 0, 15, 0xa3014314u), ii(b, c, d, a, 0, 21, 0x4e0811a1u);
  ii(a, b, c, d, 0, 6, 0xf7537e82u), ii(d, a, b, c, 0, 10, 0xbd3af235u), ii(c, d, a, b, 0, 15, 0x2ad7d2bbu), ii(b, c, d, a, 0, 21, 0xeb86d391u);
  return make_uint4(a + 0x67452301u, b + 0xefcdab89u, c + 0x98badcfeu, d + 0x10325476u);
}
// A thread tries the keys that differ in the first byte.
__global__ void md5_search_kernel(uint4 wanted, int values, int keys, int* found, unsigned* digest) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * values;
  unsigned low = 0, high = 0x80u << 24;
  for (int byte = 0, rest = first; byte < 7; byte++, rest /= values) {
    if (byte < 4) low |= unsigned(rest % values) << (8 * byte);
    else high |= unsigned(rest % values) << (8 * byte - 32);
  }
  for (int k = 0; k < values && first + k < keys; k++, low++) {
    const uint4 own = md5_of_two(low, high, 7);
    if (own.x == wanted.x && own.y == wanted.y && own.z == wanted.z && own.w == wanted.w) {
      *found = first + k;
      digest[0] = own.x, digest[1] = own.y, digest[2] = own.z, digest[3] = own.w;
    }
  }
}
void peer_md5_search(const unsigned* wanted, int values, int keys, int* found, unsigned* digest) {
  md5_search_kernel<<<blocks((keys + values - 1) / values), 256>>>(make_uint4(wanted[0], wanted[1], wanted[2], wanted[3]), values, keys, found, digest);
}

__global__ void likelihoods_kernel(const float* data, const float* means, const float* inverses, const float* constants, float* member, int n) {
  constexpr int dims = 8;
  __shared__ float mean[dims], inverse[dims][dims];
  const int t = threadIdx.x, cluster = blockIdx.y, event = blockIdx.x * blockDim.x + t;
  if (t < dims) mean[t] = means[cluster * dims + t];
  if (t < dims * dims) inverse[t / dims][t % dims] = inverses[cluster * dims * dims + t];
  __syncthreads();
  if (event >= n) return;
  float off[dims], like = 0;
  for (int k = 0; k < dims; k++) off[k] = data[k * n + event] - mean[k];
  for (int k = 0; k < dims; k++)
    for (int l = 0; l < dims; l++) like += off[k] * off[l] * inverse[k][l];
  member[cluster * n + event] = -0.5f * like + constants[cluster];
}
__global__ void normalise_kernel(float* member, float* total, int n, int clusters) {
  const int event = blockIdx.x * blockDim.x + threadIdx.x;
  if (event >= n) return;
  float most = member[event], sum = 0;
  for (int c = 1; c < clusters; c++) most = fmaxf(most, member[c * n + event]);
  for (int c = 0; c < clusters; c++) sum += expf(member[c * n + event] - most);
  const float all = most + logf(sum);
  total[event] = all;
  for (int c = 0; c < clusters; c++) member[c * n + event] = expf(member[c * n + event] - all);
}
void peer_responsibilities(const float* data, const float* means, const float* inverses, const float* constants, float* member, float* total, int n,
                           int clusters) {
  likelihoods_kernel<<<dim3(blocks(n), clusters), 256>>>(data, means, inverses, constants, member, n);
  normalise_kernel<<<blocks(n), 256>>>(member, total, n, clusters);
}
