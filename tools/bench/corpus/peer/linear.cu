// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../peers.h"
#include "cuda.h"

__global__ void gemm_kernel(float alpha, const float* a, const float* b, float beta, float* c, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
  c[i * n + j] = beta * c[i * n + j] + alpha * sum;
}
void peer_gemm(float alpha, const float* a, const float* b, float beta, float* c, int n) {
  gemm_kernel<<<grid2(n, n), block2>>>(alpha, a, b, beta, c, n);
}

__global__ void rank_two(const double* a, const double* u1, const double* v1, const double* u2, const double* v2, double* out, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) out[i * n + j] = a[i * n + j] + u1[i] * v1[j] + u2[i] * v2[j];
}
/// out[i] = alpha * (sum of A's row or column i times x) + beta * z[i]
template <class T>
__global__ void product(const T* a, const T* x, const T* z, T* out, int rows, int columns, bool transposed, T alpha) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (transposed ? columns : rows)) return;
  T sum = 0;
  if (transposed)
    for (int j = 0; j < rows; j++) sum += a[j * columns + i] * x[j];
  else
    for (int j = 0; j < columns; j++) sum += a[i * columns + j] * x[j];
  out[i] = alpha * sum + (z ? z[i] : T(0));
}
void peer_gemver(double alpha, double beta, const double* a, const double* u1, const double* v1, const double* u2, const double* v2,
                 const double* y, const double* z, double* ahat, double* x, double* w, int n) {
  rank_two<<<grid2(n, n), block2>>>(a, u1, v1, u2, v2, ahat, n);
  product<double><<<blocks(n), 256>>>(ahat, y, z, x, n, n, true, beta);
  product<double><<<blocks(n), 256>>>(ahat, x, nullptr, w, n, n, false, alpha);
}
void peer_mvt(const float* a, const float* y1, const float* y2, float* x1, float* x2, int n) {
  product<float><<<blocks(n), 256>>>(a, y1, nullptr, x1, n, n, false, 1.f);
  product<float><<<blocks(n), 256>>>(a, y2, nullptr, x2, n, n, true, 1.f);
}
void peer_atax(const double* a, const double* x, double* t, double* y, int m, int n) {
  product<double><<<blocks(m), 256>>>(a, x, nullptr, t, m, n, false, 1.);
  product<double><<<blocks(n), 256>>>(a, t, nullptr, y, m, n, true, 1.);
}

__global__ void multiply_first(float alpha, const float* a, const float* b, float* t, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += alpha * a[i * n + k] * b[k * n + j];
  t[i * n + j] = sum;
}
__global__ void multiply_second(float beta, const float* t, const float* c, const float* d0, float* d, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  float sum = beta * d0[i * n + j];
  for (int k = 0; k < n; k++) sum += t[i * n + k] * c[k * n + j];
  d[i * n + j] = sum;
}
void peer_2mm(float alpha, float beta, const float* a, const float* b, const float* c, float* t, const float* d0, float* d, int n) {
  multiply_first<<<grid16(n, n), block16>>>(alpha, a, b, t, n);
  multiply_second<<<grid16(n, n), block16>>>(beta, t, c, d0, d, n);
}

__global__ void statistics(const double* data, double* mean, double* deviation, int m, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= m) return;
  double sum = 0, squares = 0;
  for (int i = 0; i < n; i++) sum += data[i * m + j];
  const double average = sum / n;
  for (int i = 0; i < n; i++) squares += (data[i * m + j] - average) * (data[i * m + j] - average);
  const double s = sqrt(squares / n);
  mean[j] = average, deviation[j] = s <= 0.1 ? 1.0 : s;
}
__global__ void scale(const double* data, const double* mean, const double* deviation, double* scaled, int m, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < m) scaled[i * m + j] = (data[i * m + j] - mean[j]) / (sqrt(double(n)) * deviation[j]);
}
__global__ void correlate(const double* scaled, double* out, int m, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (j >= m || i > j) return;
  double sum = 0;
  for (int k = 0; k < n; k++) sum += scaled[k * m + i] * scaled[k * m + j];
  out[i * m + j] = out[j * m + i] = sum;
}
void peer_correlation(const double* data, double* mean, double* deviation, double* scaled, double* out, int m, int n) {
  statistics<<<blocks(m), 256>>>(data, mean, deviation, m, n);
  scale<<<grid2(m, n), block2>>>(data, mean, deviation, scaled, m, n);
  correlate<<<grid2(m, m), block2>>>(scaled, out, m, n);
}

__global__ void doitgen_kernel(const double* a, const double* c4, double* out, int r, int q, int p) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, i = blockIdx.z;
  if (k >= p || j >= q) return;
  double sum = 0;
  for (int s = 0; s < p; s++) sum += a[(i * q + j) * p + s] * c4[s * p + k];
  out[(i * q + j) * p + k] = sum;
}
void peer_doitgen(const double* a, const double* c4, double* out, int r, int q, int p) {
  doitgen_kernel<<<dim3((p + 31) / 32, (q + 1) / 2, r), dim3(32, 2)>>>(a, c4, out, r, q, p);
}

__global__ void gesummv_kernel(float alpha, float beta, const float* a, const float* b, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float first = 0, second = 0;
  for (int j = 0; j < n; j++) first += a[i * n + j] * x[j], second += b[i * n + j] * x[j];
  y[i] = alpha * first + beta * second;
}
void peer_gesummv(float alpha, float beta, const float* a, const float* b, const float* x, float* y, int n) {
  gesummv_kernel<<<blocks(n), 256>>>(alpha, beta, a, b, x, y, n);
}

__global__ void spmv_thread(const int* start, const int* column, const float* value, const float* x, float* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = start[row]; k < start[row + 1]; k++) sum += value[k] * x[column[k]];
  y[row] = sum;
}
void peer_spmv(const int* start, const int* column, const float* value, const float* x, float* y, int rows) {
  spmv_thread<<<blocks(rows), 256>>>(start, column, value, x, y, rows);
}
__global__ void spmv_warp(const int* start, const int* column, const double* value, const double* x, double* y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  double sum = 0;
  for (int k = start[row] + lane; k < start[row + 1]; k += 32) sum += value[k] * x[column[k]];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) y[row] = sum;
}
void peer_spmv_long(const int* start, const int* column, const double* value, const double* x, double* y, int rows) {
  spmv_warp<<<blocks(rows * 32L), 256>>>(start, column, value, x, y, rows);
}

__global__ void sgemm_kernel(const float* a, const float* b, float* c, int n) {
  constexpr int tile = 16;
  __shared__ float ta[tile][tile], tb[tile][tile];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * tile + ty, column = blockIdx.x * tile + tx;
  float sum = 0;
  for (int t = 0; t < n / tile; t++) {
    ta[ty][tx] = a[row * n + t * tile + tx], tb[ty][tx] = b[(t * tile + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < tile; k++) sum += ta[ty][k] * tb[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
void peer_sgemm(const float* a, const float* b, float* c, int n) { sgemm_kernel<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n); }

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
  for (int j = 0; j < 32; j += 8) tile[ty + j][tx] = in[(y + j) * columns + x];
  __syncthreads();
  const int ox = blockIdx.y * 32 + tx, oy = blockIdx.x * 32 + ty;
  for (int j = 0; j < 32; j += 8) out[(oy + j) * rows + ox] = tile[tx][ty + j];
}
void peer_transpose(const float* a, float* b, int rows, int columns) {
  transpose_kernel<<<dim3(columns / 32, rows / 32), dim3(32, 8)>>>(a, b, rows, columns);
}
