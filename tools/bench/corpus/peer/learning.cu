// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../peers.h"
#include "cuda.h"

__device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  return v;
}
__device__ float warp_max(float v) {
  for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
  return v;
}

__global__ void softmax_kernel(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float most = -1e30f, sum = 0;
  for (int c = lane; c < columns; c += 32) most = fmaxf(most, x[row * columns + c]);
  most = warp_max(most);
  for (int c = lane; c < columns; c += 32) sum += expf(x[row * columns + c] - most);
  const float scale = 1 / warp_sum(sum);
  for (int c = lane; c < columns; c += 32) y[row * columns + c] = expf(x[row * columns + c] - most) * scale;
}
void peer_softmax(const float* x, float* y, int rows, int columns) { softmax_kernel<<<(rows + 3) / 4, 128>>>(x, y, rows, columns); }

template <int block, class Combine>
__device__ float over_block(float* partial, float v, Combine combine) {
  const int t = threadIdx.x;
  partial[t] = v;
  __syncthreads();
  for (int half = block / 2; half > 0; half /= 2) {
    if (t < half) partial[t] = combine(partial[t], partial[t + half]);
    __syncthreads();
  }
  const float all = partial[0];
  __syncthreads();
  return all;
}
struct Add { __device__ float operator()(float a, float b) const { return a + b; } };
struct Max { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };

__global__ void layer_norm_kernel(const float* x, const float* gain, const float* bias, float* y, int n) {
  __shared__ float partial[128];
  const int t = threadIdx.x, row = blockIdx.x;
  float sum = 0, squares = 0;
  for (int c = t; c < n; c += 128) sum += x[row * n + c];
  const float mean = over_block<128>(partial, sum, Add()) / n;
  for (int c = t; c < n; c += 128) squares += (x[row * n + c] - mean) * (x[row * n + c] - mean);
  const float scale = rsqrtf(over_block<128>(partial, squares, Add()) / n + 1e-5f);
  for (int c = t; c < n; c += 128) y[row * n + c] = (x[row * n + c] - mean) * scale * gain[c] + bias[c];
}
void peer_layer_norm(const float* x, const float* gain, const float* bias, float* y, int rows, int columns) {
  layer_norm_kernel<<<rows, 128>>>(x, gain, bias, y, columns);
}

__global__ void matvec_kernel(const float* a, const float* x, float* y, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int c = lane; c < columns; c += 32) sum += a[row * columns + c] * x[c];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) y[row] = sum;
}
void peer_matvec(const float* a, const float* x, float* y, int rows, int columns) { matvec_kernel<<<blocks(rows * 32L), 256>>>(a, x, y, rows, columns); }

__global__ void relu_bias_kernel(const float* x, const float* bias, float* y, int columns, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i] + bias[i % columns], 0.f);
}
void peer_relu_bias(const float* x, const float* bias, float* y, int rows, int columns) {
  relu_bias_kernel<<<blocks(rows * columns), 256>>>(x, bias, y, columns, rows * columns);
}

__global__ void embedding_kernel(const float* table, const int* words, float* out, int width) {
  const int i = blockIdx.x;
  for (int c = threadIdx.x; c < width; c += blockDim.x) out[i * width + c] = table[words[i] * width + c];
}
void peer_embedding(const float* table, const int* words, float* out, int width, int count) { embedding_kernel<<<count, 64>>>(table, words, out, width); }

__global__ void attention_kernel(const float* q, const float* k, const float* v, float* out, int n) {
  constexpr int width = 64, block = 128;
  extern __shared__ float scores[];
  __shared__ float partial[block], query[width];
  const int t = threadIdx.x, row = blockIdx.x;
  if (t < width) query[t] = q[row * width + t];
  __syncthreads();
  float most = -1e30f, sum = 0;
  for (int j = t; j < n; j += block) {
    float dot = 0;
    for (int c = 0; c < width; c++) dot += query[c] * k[j * width + c];
    scores[j] = dot * 0.125f, most = fmaxf(most, dot * 0.125f);
  }
  most = over_block<block>(partial, most, Max());
  for (int j = t; j < n; j += block) sum += scores[j] = expf(scores[j] - most);
  sum = over_block<block>(partial, sum, Add());
  if (t >= width) return;
  float all = 0;
  for (int j = 0; j < n; j++) all += scores[j] * v[j * width + t];
  out[row * width + t] = all / sum;
}
void peer_attention(const float* q, const float* k, const float* v, float* out, int rows, int keys) {
  attention_kernel<<<rows, 128, keys * sizeof(float)>>>(q, k, v, out, keys);
}

__global__ void nearest_four_kernel(const float* points, const float* queries, int* out, int n, int m) {
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= m) return;
  float best[4] = {1e30f, 1e30f, 1e30f, 1e30f};
  int who[4] = {};
  const float x = queries[3 * q], y = queries[3 * q + 1], z = queries[3 * q + 2];
  for (int p = 0; p < n; p++) {
    const float dx = points[3 * p] - x, dy = points[3 * p + 1] - y, dz = points[3 * p + 2] - z, d = dx * dx + dy * dy + dz * dz;
    if (d >= best[3]) continue;
    best[3] = d, who[3] = p;
#pragma unroll
    for (int k = 3; k > 0; k--)
      if (best[k] < best[k - 1]) {
        const float b = best[k];
        const int w = who[k];
        best[k] = best[k - 1], best[k - 1] = b, who[k] = who[k - 1], who[k - 1] = w;
      }
  }
  for (int k = 0; k < 4; k++) out[4 * q + k] = who[k];
}
void peer_nearest_four(const float* points, const float* queries, int* out, int n, int m) {
  nearest_four_kernel<<<blocks(m), 256>>>(points, queries, out, n, m);
}

__global__ void matrices4_kernel(const float* a, const float* b, float* c, int n) {
  const int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= n) return;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      float sum = 0;
      for (int k = 0; k < 4; k++) sum += a[m * 16 + i * 4 + k] * b[m * 16 + k * 4 + j];
      c[m * 16 + i * 4 + j] = sum;
    }
}
void peer_matrices4(const float* a, const float* b, float* c, int n) { matrices4_kernel<<<blocks(n), 256>>>(a, b, c, n); }

__global__ void eigen3_kernel(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float xx = in[6 * i], xy = in[6 * i + 1], xz = in[6 * i + 2], yy = in[6 * i + 3], yz = in[6 * i + 4], zz = in[6 * i + 5];
  const float mean = (xx + yy + zz) / 3, off = xy * xy + xz * xz + yz * yz, dx = xx - mean, dy = yy - mean, dz = zz - mean;
  const float p = sqrtf((dx * dx + dy * dy + dz * dz + 2 * off) / 6);
  const float determinant = dx * (dy * dz - yz * yz) - xy * (xy * dz - yz * xz) + xz * (xy * yz - dy * xz);
  const float phi = acosf(fminf(fmaxf(determinant / (2 * p * p * p), -1.f), 1.f)) / 3;
  const float first = mean + 2 * p * cosf(phi), third = mean + 2 * p * cosf(phi + 2.0943952f);
  out[3 * i] = first, out[3 * i + 1] = 3 * mean - first - third, out[3 * i + 2] = third;
}
void peer_eigen3(const float* in, float* out, int n) { eigen3_kernel<<<blocks(n), 256>>>(in, out, n); }

__global__ void backprop_forward(const float* in, const float* weights, float* out, int inputs, int outputs) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= outputs) return;
  float sum = weights[j];
  for (int k = 0; k < inputs; k++) sum += weights[(k + 1) * outputs + j] * in[k];
  out[j] = 1 / (1 + expf(-sum));
}
__global__ void backprop_adjust(const float* in, const float* out, const float* target, const float* weights, float* adjusted, int inputs, int outputs) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y * blockDim.y + threadIdx.y;
  if (j >= outputs || k > inputs) return;
  const float delta = out[j] * (1 - out[j]) * (target[j] - out[j]), activation = k == 0 ? 1.f : in[k - 1];
  adjusted[k * outputs + j] = weights[k * outputs + j] + 0.3f * delta * activation;
}
void peer_backprop(const float* in, const float* target, const float* weights, float* out, float* adjusted, int inputs, int outputs) {
  backprop_forward<<<blocks(outputs), 256>>>(in, weights, out, inputs, outputs);
  backprop_adjust<<<grid16(outputs, inputs + 1), block16>>>(in, out, target, weights, adjusted, inputs, outputs);
}

__global__ void kmeans_kernel(const float* points, const float* centres, int* member, int n, int features, int clusters) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float best = 1e30f;
  int who = 0;
  for (int c = 0; c < clusters; c++) {
    float distance = 0;
    for (int f = 0; f < features; f++) distance += (points[i * features + f] - centres[c * features + f]) * (points[i * features + f] - centres[c * features + f]);
    if (distance < best) best = distance, who = c;
  }
  member[i] = who;
}
void peer_kmeans(const float* points, const float* centres, int* member, int n, int features, int clusters) {
  kmeans_kernel<<<blocks(n), 256>>>(points, centres, member, n, features, clusters);
}

__global__ void nn_kernel(const float2* places, float* distance, float latitude, float longitude, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 p = places[i];
  distance[i] = sqrtf((latitude - p.x) * (latitude - p.x) + (longitude - p.y) * (longitude - p.y));
}
void peer_nn(const float* places, float* distance, float latitude, float longitude, int n) {
  nn_kernel<<<blocks(n), 256>>>(reinterpret_cast<const float2*>(places), distance, latitude, longitude, n);
}
