// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cub/cub.cuh>

#include "cuda_peer.h"

namespace {

__global__ void saxpy_kernel(float a, const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ z, size_t n) {
  const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < n) z[i] = a * x[i] + y[i];
}
__global__ void saxpy4_kernel(float a, const float4* __restrict__ x, const float4* __restrict__ y, float4* __restrict__ z, size_t n) {
  const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  const float4 u = x[i], v = y[i];
  z[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
}
__global__ void black_scholes_kernel(const float* __restrict__ spot, const float* __restrict__ strike, const float* __restrict__ years,
                                     float* __restrict__ call, float* __restrict__ put, size_t n) {
  const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  const float s = spot[i], k = strike[i], t = years[i], v = 0.3f, r = 0.02f, q = sqrtf(t);
  const float d1 = (logf(s / k) + (r + 0.5f * v * v) * t) / (v * q), d2 = d1 - v * q;
  const float n1 = 0.5f * erfcf(-d1 * 0.70710678f), n2 = 0.5f * erfcf(-d2 * 0.70710678f), e = expf(-r * t);
  call[i] = s * n1 - k * e * n2, put[i] = k * e * (1 - n2) - s * (1 - n1);
}
__global__ void mandelbrot_kernel(int* out, int width, int height, int limit) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float cr = -2.f + 3.f * x / width, ci = -1.5f + 3.f * y / height;
  float zr = 0, zi = 0;
  int k = 0;
  while (k < limit && zr * zr + zi * zi < 4.f) {
    const float next = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci, zr = next, k++;
  }
  out[y * width + x] = k;
}
__global__ void nbody_kernel(const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z, float* __restrict__ force, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float xi = x[i], yi = y[i], zi = z[i];
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; j++) {
    const float dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f), s = inverse * inverse * inverse;
    ax += dx * s, ay += dy * s, az += dz * s;
  }
  force[i] = ax + ay + az;
}
__global__ void jacobi_kernel(const float* __restrict__ in, float* __restrict__ out, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < width - 1 && y < width - 1)
    out[y * width + x] = 0.25f * (in[y * width + x - 1] + in[y * width + x + 1] + in[(y - 1) * width + x] + in[(y + 1) * width + x]);
}

__global__ void sgemm_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ float ta[16][16], tb[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    ta[ty][tx] = a[row * n + t + tx], tb[ty][tx] = b[(t + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; k++) sum += ta[ty][k] * tb[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
__global__ void transpose_kernel(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[size_t(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[size_t(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void histogram_kernel(const unsigned* __restrict__ x, unsigned* counts, size_t n) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) atomicAdd(&own[x[i] & 255], 1u);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}
__global__ void nbody_tiled_kernel(const float4* __restrict__ p, float4* __restrict__ force, int n) {
  __shared__ float4 tile[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 me = p[i];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += 256) {
    tile[threadIdx.x] = p[t + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < 256; j++) {
      const float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f), s = tile[j].w * inverse * inverse * inverse;
      ax += dx * s, ay += dy * s, az += dz * s;
    }
    __syncthreads();
  }
  force[i] = make_float4(ax, ay, az, 0);
}

unsigned blocks(long n, int block) { return unsigned((n + block - 1) / block); }

void saxpy4(float a, const float* x, const float* y, float* z, long n) {
  saxpy4_kernel<<<blocks(n / 4, 256), 256>>>(a, reinterpret_cast<const float4*>(x), reinterpret_cast<const float4*>(y), reinterpret_cast<float4*>(z), size_t(n / 4));
}
void saxpy(float a, const float* x, const float* y, float* z, long n) { saxpy_kernel<<<blocks(n, 256), 256>>>(a, x, y, z, size_t(n)); }
void black_scholes(const float* s, const float* k, const float* t, float* c, float* p, long n) {
  black_scholes_kernel<<<blocks(n, 256), 256>>>(s, k, t, c, p, size_t(n));
}
void mandelbrot(int* out, int w, int h, int limit) { mandelbrot_kernel<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(out, w, h, limit); }
void nbody(const float* x, const float* y, const float* z, float* f, int n) { nbody_kernel<<<blocks(n, 256), 256>>>(x, y, z, f, n); }
void jacobi(const float* in, float* out, int w) { jacobi_kernel<<<dim3(w / 32, w / 8), dim3(32, 8)>>>(in, out, w); }
void sgemm(const float* a, const float* b, float* c, int n) { sgemm_kernel<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n); }
void transpose(const float* in, float* out, int n) { transpose_kernel<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, out, n); }
void histogram(const unsigned* x, unsigned* counts, long n) { histogram_kernel<<<132 * 8, 256>>>(x, counts, size_t(n)); }
void nbody_tiled(const float* p, float* f, int n) {
  nbody_tiled_kernel<<<n / 256, 256>>>(reinterpret_cast<const float4*>(p), reinterpret_cast<float4*>(f), n);
}

/// CUB asks for its scratch memory once.
struct Scratch {
  void* memory = nullptr;
  size_t bytes = 0;
  long largest = 0;
  template <class Call>
  void run(long n, Call call) {
    if (n > largest) {
      cudaFree(memory);
      call(nullptr, bytes), cudaMalloc(&memory, bytes);
      largest = n;
    }
    call(memory, bytes);
  }
};
void sum(const float* x, float* out, long n) {
  static Scratch scratch;
  scratch.run(n, [&](void* memory, size_t& bytes) { cub::DeviceReduce::Sum(memory, bytes, x, out, n); });
}
void scan(const float* x, float* out, long n) {
  static Scratch scratch;
  scratch.run(n, [&](void* memory, size_t& bytes) { cub::DeviceScan::InclusiveSum(memory, bytes, x, out, n); });
}
void sort(const unsigned* keys, unsigned* out, long n) {
  static Scratch scratch;
  scratch.run(n, [&](void* memory, size_t& bytes) { cub::DeviceRadixSort::SortKeys(memory, bytes, keys, out, n); });
}
void sort_floats(const float* keys, float* out, long n) {
  static Scratch scratch;
  scratch.run(n, [&](void* memory, size_t& bytes) { cub::DeviceRadixSort::SortKeys(memory, bytes, keys, out, n); });
}
void sort_pairs(const unsigned* keys, unsigned* out, const unsigned* values, unsigned* moved, long n) {
  static Scratch scratch;
  scratch.run(n, [&](void* memory, size_t& bytes) { cub::DeviceRadixSort::SortPairs(memory, bytes, keys, out, values, moved, n); });
}
void sort_longs(const unsigned long* keys, unsigned long* out, long n) {
  static Scratch scratch;
  scratch.run(n, [&](void* memory, size_t& bytes) { cub::DeviceRadixSort::SortKeys(memory, bytes, keys, out, n); });
}
void sort_segments(const unsigned* keys, unsigned* out, const long* offsets, long segments, long n) {
  static Scratch scratch;
  scratch.run(n, [&](void* memory, size_t& bytes) {
    cub::DeviceSegmentedSort::SortKeys(memory, bytes, keys, out, n, segments, offsets, offsets + 1);
  });
}
/// out's axis d is in's axis order[d]; the last axis of both is read and written by rows of 32 through a tile.
__global__ void permute_tiles(const float* in, float* out, long rows, long columns, long others, long in_row, long in_other, long out_row,
                              long out_other) {
  __shared__ float tile[32][33];
  const long other = blockIdx.z, column = blockIdx.x * 32L + threadIdx.x, first = blockIdx.y * 32L;
  for (int r = threadIdx.y; r < 32; r += 8)
    if (first + r < rows && column < columns) tile[r][threadIdx.x] = in[other * in_other + (first + r) * in_row + column];
  __syncthreads();
  const long row = first + threadIdx.x, begin = blockIdx.x * 32L;
  for (int c = threadIdx.y; c < 32; c += 8)
    if (begin + c < columns && row < rows) out[other * out_other + (begin + c) * out_row + row] = tile[threadIdx.x][c];
}
/// Where the last axis stays last: rows as they are.
__global__ void permute_rows(const float* in, float* out, long columns, long in_first, long in_second, long second) {
  const long a = blockIdx.z, b = blockIdx.y, c = blockIdx.x * 256L + threadIdx.x;
  if (c < columns) out[(a * second + b) * columns + c] = in[a * in_first + b * in_second + c];
}
void permute(const float* in, float* out, const long* extents, const int* order) {
  const long in_strides[] = {extents[1] * extents[2], extents[2], 1};
  const long to[] = {extents[order[0]], extents[order[1]], extents[order[2]]};
  const long out_strides[] = {to[1] * to[2], to[2], 1};
  if (order[2] == 2) {
    const dim3 grid((extents[2] + 255) / 256, to[1], to[0]);
    return permute_rows<<<grid, 256>>>(in, out, extents[2], in_strides[order[0]], in_strides[order[1]], to[1]);
  }
  const int row = order[2], other = 3 - 2 - row;  // axes of `in`: the one that is last in `out`, and the third
  long of_column = 0, of_other = 0;
  for (int d = 0; d < 3; ++d) {
    if (order[d] == 2) of_column = out_strides[d];
    if (order[d] == other) of_other = out_strides[d];
  }
  const dim3 grid((extents[2] + 31) / 32, (extents[row] + 31) / 32, extents[other]);
  permute_tiles<<<grid, dim3(32, 8)>>>(in, out, extents[row], extents[2], extents[other], in_strides[row], in_strides[other], of_column,
                                       of_other);
}
void copy(const float* x, float* out, long n) { cudaMemcpyAsync(out, x, size_t(n) * 4, cudaMemcpyDeviceToDevice); }

}  // namespace

extern "C" __attribute__((visibility("default"))) const CudaPeer krait_cuda_peer = {
    saxpy4, saxpy, black_scholes, mandelbrot, nbody, jacobi, sgemm, transpose, histogram, nbody_tiled, sum, scan, copy, sort, sort_floats,
    sort_pairs, sort_longs, sort_segments, permute};
