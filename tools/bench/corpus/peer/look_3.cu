// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../peers.h"
#include "cuda.h"

#define INDEX const int i = blockIdx.x * blockDim.x + threadIdx.x

__global__ void string_match_kernel(const unsigned char* text, const int* start, const unsigned char* word, int* first, int lines, int length) {
  INDEX;
  if (i >= lines) return;
  const int end = start[i + 1];
  int found = -1;
  for (int at = start[i]; at + length <= end && found < 0; at++) {
    int same = 0;
    while (same < length && text[at + same] == word[same]) same++;
    if (same == length) found = at;
  }
  first[i] = found;
}
void peer_string_match(const unsigned char* text, const int* start, const unsigned char* word, int* first, int lines, int length) {
  string_match_kernel<<<blocks(lines), 256>>>(text, start, word, first, lines, length);
}

__global__ void levenshtein_kernel(const unsigned char* words, const int* lengths, const unsigned char* query, int* distance, int n, int letters) {
  constexpr int longest = 32;
  INDEX;
  if (i >= n) return;
  const unsigned char* word = words + i * longest;
  const int length = lengths[i];
  int row[longest + 1];
  for (int j = 0; j <= letters; j++) row[j] = j;
  for (int k = 0; k < length; k++) {
    const unsigned char letter = word[k];
    int corner = row[0];
    row[0] = k + 1;
    for (int j = 0; j < letters; j++) {
      const int above = row[j + 1], replaced = corner + (letter == query[j] ? 0 : 1);
      row[j + 1] = min(min(above, row[j]) + 1, replaced);
      corner = above;
    }
  }
  distance[i] = row[letters];
}
void peer_levenshtein(const unsigned char* words, const int* lengths, const unsigned char* query, int* distance, int n, int letters) {
  levenshtein_kernel<<<blocks(n), 256>>>(words, lengths, query, distance, n, letters);
}

__global__ void hough_kernel(const unsigned char* image, const float* cosines, const float* sines, int threshold, int* votes, int w, int h, int angles,
                             int middle) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h || image[y * w + x] < threshold) return;
  const float right = float(x - w / 2), down = float(y - h / 2);
  for (int a = 0; a < angles; a++) {
    const float rho = right * cosines[a] + down * sines[a];
    atomicAdd(&votes[(middle + int(rintf(rho))) * angles + a], 1);
  }
}
void peer_hough(const unsigned char* image, const float* cosines, const float* sines, int threshold, int* votes, int w, int h, int angles, int radii) {
  cudaMemsetAsync(votes, 0, std::size_t(radii) * angles * sizeof(int));
  hough_kernel<<<grid16(w, h), block16>>>(image, cosines, sines, threshold, votes, w, h, angles, radii / 2);
}

__device__ void dct8(float* d) {
  constexpr float c1 = 0.49039264f, c2 = 0.46193977f, c3 = 0.41573481f, c4 = 0.35355339f, c5 = 0.27778512f, c6 = 0.19134172f, c7 = 0.09754516f;
  const float s0 = d[0] + d[7], s1 = d[1] + d[6], s2 = d[2] + d[5], s3 = d[3] + d[4];
  const float t0 = d[0] - d[7], t1 = d[1] - d[6], t2 = d[2] - d[5], t3 = d[3] - d[4];
  d[0] = c4 * ((s0 + s3) + (s1 + s2));
  d[4] = c4 * ((s0 + s3) - (s1 + s2));
  d[2] = c2 * (s0 - s3) + c6 * (s1 - s2);
  d[6] = c6 * (s0 - s3) - c2 * (s1 - s2);
  d[1] = c1 * t0 + c3 * t1 + c5 * t2 + c7 * t3;
  d[3] = c3 * t0 - c7 * t1 - c1 * t2 - c5 * t3;
  d[5] = c5 * t0 - c1 * t1 + c7 * t2 + c3 * t3;
  d[7] = c7 * t0 - c5 * t1 + c3 * t2 - c1 * t3;
}
// 32x16 pixels per block: a thread transforms a row of eight in shared memory, then a column.
__global__ void dct_kernel(const float* in, float* out, int w, int h) {
  __shared__ float tile[16][32 + 1];
  const int x = threadIdx.x, y = 8 * threadIdx.y, own = x % 8, column = 32 * blockIdx.x + x, row = 16 * blockIdx.y + y;
  const bool inside = column < w && row < h;  // so is all of the 8x8
  float d[8];
  if (inside)
    for (int k = 0; k < 8; k++) tile[y + k][x] = in[(row + k) * w + column];
  __syncthreads();
  if (inside) {
    for (int k = 0; k < 8; k++) d[k] = tile[y + own][x - own + k];
    dct8(d);
    for (int k = 0; k < 8; k++) tile[y + own][x - own + k] = d[k];
  }
  __syncthreads();
  if (!inside) return;
  for (int k = 0; k < 8; k++) d[k] = tile[y + k][x];
  dct8(d);
  for (int k = 0; k < 8; k++) out[(row + k) * w + column] = d[k];
}
void peer_dct(const float* in, float* out, int w, int h) { dct_kernel<<<dim3(blocks(w, 32), blocks(h, 16)), dim3(32, 2)>>>(in, out, w, h); }

__global__ void bootstrap_kernel(const float* data, unsigned seed, float* means, int n, int samples) {
  INDEX;
  if (i >= samples) return;
  unsigned state = seed + 747796405u * unsigned(i);
  float sum = 0;
  for (int draw = 0; draw < n; draw++) {
    state = state * 1664525u + 1013904223u;
    sum += data[(state >> 8) % unsigned(n)];
  }
  means[i] = sum / float(n);
}
void peer_bootstrap(const float* data, unsigned seed, float* means, int n, int samples) {
  bootstrap_kernel<<<blocks(samples), 256>>>(data, seed, means, n, samples);
}

__global__ void libor_kernel(const float* shocks, const float* volatility, const int* maturity, const float* swap_rate, float delta, float* value, int paths,
                             int options) {
  constexpr int rates = 80, steps = 40;
  const int path = blockIdx.x * blockDim.x + threadIdx.x;
  if (path >= paths) return;
  float rate[rates];
  for (int i = 0; i < rates; i++) rate[i] = 0.05f;
  for (int n = 0; n < steps; n++) {
    const float shock = sqrtf(delta) * shocks[n * paths + path];
    float drift = 0;
    for (int i = n + 1; i < rates; i++) {
      const float vol = volatility[i - n - 1], scaled = delta * vol, before = rate[i];
      drift += scaled * before / (1 + delta * before);
      rate[i] = before * expf(scaled * drift + vol * (shock - 0.5f * scaled));
    }
  }
  float bonds[rates - steps], annuities[rates - steps], bond = 1, annuity = 0;
  for (int m = 0; m < rates - steps; m++) {
    bond /= 1 + delta * rate[steps + m];
    annuity += delta * bond;
    bonds[m] = bond, annuities[m] = annuity;
  }
  float payoff = 0, discount = 1;
  for (int k = 0; k < options; k++) {
    const int m = maturity[k] - 1;
    const float swap = bonds[m] + swap_rate[k] * annuities[m] - 1;
    if (swap < 0) payoff -= 100 * swap;
  }
  for (int n = 0; n < steps; n++) discount /= 1 + delta * rate[n];
  value[path] = discount * payoff;
}
void peer_libor(const float* shocks, const float* volatility, const int* maturity, const float* swap_rate, float delta, float* value, int paths,
                int options) {
  libor_kernel<<<blocks(paths, 64), 64>>>(shocks, volatility, maturity, swap_rate, delta, value, paths, options);
}

// A row of blocks per dimension. Between the points of a thread, a power of two apart, all lower direction numbers but one cancel out.
__global__ void sobol_kernel(const unsigned* directions, float* out, int n) {
  __shared__ unsigned v[32];
  const int t = threadIdx.x, first = blockIdx.x * blockDim.x + t, stride = gridDim.x * blockDim.x, log = __ffs(stride) - 1;
  if (t < 32) v[t] = directions[32 * blockIdx.y + t];
  __syncthreads();
  out += std::size_t(blockIdx.y) * n;
  const int gray = first ^ first >> 1;
  unsigned x = 0;
  for (int k = 0; k < log; k++)
    if (gray >> k & 1) x ^= v[k];
  if (first < n) out[first] = float(x) * (1.0f / 4294967296.0f);
  for (int i = first + stride; i < n; i += stride) {
    x ^= v[log - 1] ^ v[__ffs(~((i - stride) | (stride - 1))) - 1];
    out[i] = float(x) * (1.0f / 4294967296.0f);
  }
}
void peer_sobol(const unsigned* directions, float* out, int n, int dimensions) { sobol_kernel<<<dim3(128, dimensions), 64>>>(directions, out, n); }

__constant__ char base64_letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
// Three bytes per thread become four letters, which are looked up in shared memory.
__global__ void base64_kernel(const unsigned char* in, char4* out, int n) {
  __shared__ char letters[64];
  if (threadIdx.x < 64) letters[threadIdx.x] = base64_letters[threadIdx.x];
  __syncthreads();
  INDEX;
  const int at = 3 * i, rest = n - at;
  if (rest <= 0) return;
  unsigned bits = unsigned(in[at]) << 16;
  if (rest > 1) bits |= unsigned(in[at + 1]) << 8;
  if (rest > 2) bits |= in[at + 2];
  out[i] = make_char4(letters[bits >> 18], letters[bits >> 12 & 63], rest > 1 ? letters[bits >> 6 & 63] : '=', rest > 2 ? letters[bits & 63] : '=');
}
void peer_base64(const unsigned char* in, char* out, int n) { base64_kernel<<<blocks((n + 2) / 3), 256>>>(in, reinterpret_cast<char4*>(out), n); }

__global__ void resampling_kernel(const double* x, const double* y, const double* sums, const double* u, double* new_x, double* new_y, int n) {
  INDEX;
  if (i >= n) return;
  const double wanted = u[i];
  int index = n - 1;
  for (int k = 0; k < n; k++)
    if (sums[k] >= wanted) {
      index = k;
      break;
    }
  new_x[i] = x[index], new_y[i] = y[index];
}
void peer_resampling(const double* x, const double* y, const double* sums, const double* u, double* new_x, double* new_y, int n) {
  resampling_kernel<<<blocks(n, 512), 512>>>(x, y, sums, u, new_x, new_y, n);
}

__global__ void ell_kernel(const float* value, const int* column, const int* lengths, const float* x, float* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const int length = lengths[row];
  float sum = 0;
  for (int k = 0; k < length; k++) sum += value[k * rows + row] * x[column[k * rows + row]];
  y[row] = sum;
}
void peer_ell(const float* value, const int* column, const int* lengths, const float* x, float* y, int rows) {
  ell_kernel<<<blocks(rows, 128), 128>>>(value, column, lengths, x, y, rows);
}

// A row per thread; four neighbours share a row of blocks.
__global__ void block_rows_kernel(const int* start, const int* column, const float4* value, const float4* x, float* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const int end = start[row / 4 + 1];
  float sum = 0;
  for (int b = start[row / 4]; b < end; b++) {
    const float4 v = value[4 * b + row % 4], at = x[column[b]];
    sum += v.x * at.x + v.y * at.y + v.z * at.z + v.w * at.w;
  }
  y[row] = sum;
}
void peer_block_rows(const int* start, const int* column, const float* value, const float* x, float* y, int block_rows) {
  block_rows_kernel<<<blocks(4L * block_rows), 256>>>(start, column, reinterpret_cast<const float4*>(value), reinterpret_cast<const float4*>(x), y,
                                                      4 * block_rows);
}

__device__ unsigned spread(unsigned v) {
  v = (v | v << 16) & 0x030000ffu;
  v = (v | v << 8) & 0x0300f00fu;
  v = (v | v << 4) & 0x030c30c3u;
  return (v | v << 2) & 0x09249249u;
}
__global__ void morton_kernel(const float3* points, float3 low, float3 scale, unsigned* codes, int n) {
  INDEX;
  if (i >= n) return;
  const auto place = [](float at) { return spread(unsigned(fminf(fmaxf(at, 0.f), 1023.f))); };
  const float3 p = points[i];
  codes[i] = place((p.x - low.x) * scale.x) << 2 | place((p.y - low.y) * scale.y) << 1 | place((p.z - low.z) * scale.z);
}
void peer_morton(const float* points, const float* low, const float* scale, unsigned* codes, int n) {
  morton_kernel<<<blocks(n), 256>>>(reinterpret_cast<const float3*>(points), make_float3(low[0], low[1], low[2]), make_float3(scale[0], scale[1], scale[2]),
                                    codes, n);
}
