// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>

#include "../peers.h"

void peer_gemm(float alpha, const float* a, const float* b, float beta, float* c, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) c[i * n + j] *= beta;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) c[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
  }
}

void peer_gemver(double alpha, double beta, const double* a, const double* u1, const double* v1,
                 const double* u2, const double* v2, const double* y, const double* z, double* ahat,
                 double* x, double* w, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) ahat[i * n + j] = a[i * n + j] + u1[i] * v1[j] + u2[i] * v2[j];
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += ahat[j * n + i] * y[j];
    x[i] = beta * sum + z[i];
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += ahat[i * n + j] * x[j];
    w[i] = alpha * sum;
  }
}

void peer_mvt(const float* a, const float* y1, const float* y2, float* x1, float* x2, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int j = 0; j < n; j++) sum += a[i * n + j] * y1[j];
    x1[i] = sum;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int j = 0; j < n; j++) sum += a[j * n + i] * y2[j];
    x2[i] = sum;
  }
}

void peer_atax(const double* a, const double* x, double* t, double* y, int m, int n) {
#pragma omp parallel for
  for (int i = 0; i < m; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += a[i * n + j] * x[j];
    t[i] = sum;
  }
#pragma omp parallel for
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < m; i++) sum += a[i * n + j] * t[i];
    y[j] = sum;
  }
}

void peer_2mm(float alpha, float beta, const float* a, const float* b, const float* c, float* t,
              const float* d0, float* d, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) t[i * n + j] = 0;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) t[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) d[i * n + j] = beta * d0[i * n + j];
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) d[i * n + j] += t[i * n + k] * c[k * n + j];
  }
}

void peer_correlation(const double* data, double* mean, double* deviation, double* scaled,
                      double* out, int m, int n) {
#pragma omp parallel for
  for (int j = 0; j < m; j++) {
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) sum += data[i * m + j];
    mean[j] = sum / n;
    for (int i = 0; i < n; i++)
      squares += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
    deviation[j] = std::sqrt(squares / n);
    if (deviation[j] <= 0.1) deviation[j] = 1;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      scaled[i * m + j] = (data[i * m + j] - mean[j]) / (std::sqrt(double(n)) * deviation[j]);
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < m; i++) {
    for (int j = i; j < m; j++) out[i * m + j] = 0;
    for (int k = 0; k < n; k++)
      for (int j = i; j < m; j++) out[i * m + j] += scaled[k * m + i] * scaled[k * m + j];
    for (int j = i; j < m; j++) out[j * m + i] = out[i * m + j];
  }
}

void peer_doitgen(const double* a, const double* c4, double* out, int r, int q, int p) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < r; i++)
    for (int j = 0; j < q; j++) {
      for (int k = 0; k < p; k++) out[(i * q + j) * p + k] = 0;
      for (int s = 0; s < p; s++)
        for (int k = 0; k < p; k++)
          out[(i * q + j) * p + k] += a[(i * q + j) * p + s] * c4[s * p + k];
    }
}

void peer_gesummv(float alpha, float beta, const float* a, const float* b, const float* x, float* y,
                  int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float first = 0, second = 0;
    for (int j = 0; j < n; j++) first += a[i * n + j] * x[j], second += b[i * n + j] * x[j];
    y[i] = alpha * first + beta * second;
  }
}

void peer_spmv(const int* start, const int* column, const float* value, const float* x, float* y,
               int rows) {
#pragma omp parallel for
  for (int i = 0; i < rows; i++) {
    float sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++) sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

void peer_spmv_long(const int* start, const int* column, const double* value, const double* x,
                    double* y, int rows) {
#pragma omp parallel for
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++) sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

void peer_sgemm(const float* a, const float* b, float* c, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) c[i * n + j] = 0;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

void peer_transpose(const float* a, float* b, int rows, int columns) {
  constexpr int tile = 32;
#pragma omp parallel for collapse(2)
  for (int y0 = 0; y0 < rows; y0 += tile)
    for (int x0 = 0; x0 < columns; x0 += tile)
      for (int x = x0; x < x0 + tile; x++)
        for (int y = y0; y < y0 + tile; y++) b[x * rows + y] = a[y * columns + x];
}
