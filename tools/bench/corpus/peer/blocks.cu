// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../peers.h"
#include "cuda.h"

// Memory between the kernels of a call, kept for the next one.
template <class T>
static T* scratch(int n) {
  static T* kept = nullptr;
  static int size = 0;
  if (size < n) cudaFree(kept), cudaMalloc(&kept, (size = n) * sizeof(T));
  return kept;
}

__global__ void reduction_kernel(const float* in, float* sums, int n) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  part[t] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}
void peer_reduction(const float* in, float* total, int n, int blocks) {
  float* sums = scratch<float>(blocks);
  reduction_kernel<<<blocks, 256>>>(in, sums, n);
  reduction_kernel<<<1, 256>>>(sums, total, blocks);
}

__global__ void scan_within(const int* in, int* out, int* sums, int n) {
  __shared__ int line[2][256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  int from = 0;
  line[0][t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    line[1 - from][t] = line[from][t] + (t >= step ? line[from][t - step] : 0);
    from = 1 - from;
    __syncthreads();
  }
  if (i < n) out[i] = line[from][t];
  if (t == 255) sums[blockIdx.x] = line[from][t];
}
__global__ void scan_add(int* out, const int* sums, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}
void peer_scan(const int* in, int* out, int n) {
  const int blocks = n / 256, upper = blocks / 256;
  int *sums = scratch<int>(2 * blocks + 2 * upper + 1), *scanned = sums + blocks, *tops = scanned + blocks, *top = tops + upper, *rest = top + upper;
  scan_within<<<blocks, 256>>>(in, out, sums, n);
  scan_within<<<upper, 256>>>(sums, scanned, tops, blocks);
  scan_within<<<1, 256>>>(tops, top, rest, upper);
  scan_add<<<upper, 256>>>(scanned, top, blocks);
  scan_add<<<blocks, 256>>>(out, scanned, n);
}

__global__ void histogram_kernel(const unsigned char* in, unsigned* counts, int n) {
  __shared__ unsigned mine[256];
  const int t = threadIdx.x;
  mine[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  atomicAdd(&counts[t], mine[t]);
}
void peer_histogram(const unsigned char* in, unsigned* counts, int n, int blocks) {
  cudaMemsetAsync(counts, 0, 256 * sizeof(unsigned));
  histogram_kernel<<<blocks, 256>>>(in, counts, n);
}
__global__ void histogram_global_kernel(const unsigned char* in, unsigned* counts, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&counts[in[i]], 1u);
}
void peer_histogram_global(const unsigned char* in, unsigned* counts, int n, int blocks) {
  cudaMemsetAsync(counts, 0, 256 * sizeof(unsigned));
  histogram_global_kernel<<<blocks, 256>>>(in, counts, n);
}

__global__ void scatter_kernel(const int* where, const float* value, float* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sums[where[i]], value[i]);
}
void peer_scatter_add(const int* where, const float* value, float* sums, int n, int cells) {
  cudaMemsetAsync(sums, 0, cells * sizeof(float));
  scatter_kernel<<<blocks(n), 256>>>(where, value, sums, n);
}

__global__ void sad_kernel(const unsigned char* now, const unsigned char* before, int* best, int w, int h) {
  const int bx = blockIdx.x * blockDim.x + threadIdx.x, by = blockIdx.y * blockDim.y + threadIdx.y;
  if (bx >= w / 8 || by >= h / 8) return;
  int least = 1 << 30, where = 0;
  for (int dy = -6; dy <= 6; dy++)
    for (int dx = -6; dx <= 6; dx++) {
      const int y0 = 8 * by + dy, x0 = 8 * bx + dx;
      if (y0 < 0 || x0 < 0 || y0 + 8 > h || x0 + 8 > w) continue;
      int sum = 0;
      for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) sum += abs(now[(8 * by + y) * w + 8 * bx + x] - before[(y0 + y) * w + x0 + x]);
      if (sum < least) least = sum, where = (dy + 6) * 13 + dx + 6;
    }
  best[by * (w / 8) + bx] = where;
}
void peer_sad(const unsigned char* now, const unsigned char* before, int* best, int w, int h) {
  sad_kernel<<<dim3(blocks(w / 8, 16), blocks(h / 8, 4)), dim3(16, 4)>>>(now, before, best, w, h);
}

__global__ void bitonic_kernel(const float* in, float* out) {
  __shared__ float own[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  own[t] = in[i];
  __syncthreads();
  for (int size = 2; size <= 256; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      const int other = t ^ stride;
      if (other > t) {
        const float a = own[t], b = own[other];
        if ((a > b) == ((t & size) == 0)) own[t] = b, own[other] = a;
      }
      __syncthreads();
    }
  out[i] = own[t];
}
void peer_sort_blocks(const float* in, float* out, int blocks) { bitonic_kernel<<<blocks, 256>>>(in, out); }

__global__ void compaction_kernel(const int* in, int* out, int* count, int bound, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const bool keep = i < n && in[i] < bound;
  const unsigned votes = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(votes));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(votes & ((1u << lane) - 1))] = in[i];
}
void peer_compaction(const int* in, int* out, int* count, int bound, int n) {
  cudaMemsetAsync(count, 0, sizeof(int));
  compaction_kernel<<<blocks(n), 256>>>(in, out, count, bound, n);
}
