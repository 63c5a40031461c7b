// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <vector>

#include "../peers.h"

void peer_softmax(const float* x, float* y, int rows, int columns) {
#pragma omp parallel for
  for (int r = 0; r < rows; r++) {
    const float* in = x + r * columns;
    float* out = y + r * columns;
    float most = -1e30f, sum = 0;
    for (int c = 0; c < columns; c++) most = std::max(most, in[c]);
    for (int c = 0; c < columns; c++) sum += out[c] = std::exp(in[c] - most);
    for (int c = 0; c < columns; c++) out[c] /= sum;
  }
}

void peer_layer_norm(const float* x, const float* gain, const float* bias, float* y, int rows,
                     int columns) {
#pragma omp parallel for
  for (int r = 0; r < rows; r++) {
    const float* in = x + r * columns;
    float sum = 0, squares = 0;
    for (int c = 0; c < columns; c++) sum += in[c];
    const float mean = sum / columns;
    for (int c = 0; c < columns; c++) squares += (in[c] - mean) * (in[c] - mean);
    const float scale = 1 / std::sqrt(squares / columns + 1e-5f);
    for (int c = 0; c < columns; c++)
      y[r * columns + c] = (in[c] - mean) * scale * gain[c] + bias[c];
  }
}

void peer_matvec(const float* a, const float* x, float* y, int rows, int columns) {
#pragma omp parallel for
  for (int r = 0; r < rows; r++) {
    float sum = 0;
    for (int c = 0; c < columns; c++) sum += a[r * columns + c] * x[c];
    y[r] = sum;
  }
}

void peer_relu_bias(const float* x, const float* bias, float* y, int rows, int columns) {
#pragma omp parallel for
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++)
      y[r * columns + c] = std::max(x[r * columns + c] + bias[c], 0.f);
}

void peer_embedding(const float* table, const int* words, float* out, int width, int count) {
#pragma omp parallel for
  for (int i = 0; i < count; i++)
    for (int c = 0; c < width; c++) out[i * width + c] = table[words[i] * width + c];
}

void peer_attention(const float* q, const float* k, const float* v, float* out, int rows,
                    int keys) {
  constexpr int width = 64;
#pragma omp parallel for
  for (int r = 0; r < rows; r++) {
    std::vector<float> scores(keys);
    float most = -1e30f, sum = 0, all[width] = {};
    for (int j = 0; j < keys; j++) {
      float dot = 0;
      for (int c = 0; c < width; c++) dot += q[r * width + c] * k[j * width + c];
      scores[j] = dot * 0.125f, most = std::max(most, scores[j]);
    }
    for (int j = 0; j < keys; j++) sum += scores[j] = std::exp(scores[j] - most);
    for (int j = 0; j < keys; j++)
      for (int c = 0; c < width; c++) all[c] += scores[j] * v[j * width + c];
    for (int c = 0; c < width; c++) out[r * width + c] = all[c] / sum;
  }
}

void peer_nearest_four(const float* points, const float* queries, int* out, int n, int m) {
#pragma omp parallel for
  for (int q = 0; q < m; q++) {
    float best[4] = {1e30f, 1e30f, 1e30f, 1e30f};
    int who[4] = {};
    const float x = queries[3 * q], y = queries[3 * q + 1], z = queries[3 * q + 2];
    for (int p = 0; p < n; p++) {
      const float dx = points[3 * p] - x, dy = points[3 * p + 1] - y, dz = points[3 * p + 2] - z,
                  d = dx * dx + dy * dy + dz * dz;
      if (d >= best[3]) continue;
      best[3] = d, who[3] = p;
      for (int k = 3; k > 0 && best[k] < best[k - 1]; k--)
        std::swap(best[k], best[k - 1]), std::swap(who[k], who[k - 1]);
    }
    for (int k = 0; k < 4; k++) out[4 * q + k] = who[k];
  }
}

void peer_matrices4(const float* a, const float* b, float* c, int n) {
#pragma omp parallel for
  for (int m = 0; m < n; m++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        float sum = 0;
        for (int k = 0; k < 4; k++) sum += a[m * 16 + i * 4 + k] * b[m * 16 + k * 4 + j];
        c[m * 16 + i * 4 + j] = sum;
      }
}

void peer_eigen3(const float* in, float* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const float xx = in[6 * i], xy = in[6 * i + 1], xz = in[6 * i + 2], yy = in[6 * i + 3],
                yz = in[6 * i + 4], zz = in[6 * i + 5];
    const float mean = (xx + yy + zz) / 3, off = xy * xy + xz * xz + yz * yz, dx = xx - mean,
                dy = yy - mean, dz = zz - mean;
    const float p = std::sqrt((dx * dx + dy * dy + dz * dz + 2 * off) / 6);
    const float determinant =
        dx * (dy * dz - yz * yz) - xy * (xy * dz - yz * xz) + xz * (xy * yz - dy * xz);
    const float phi = std::acos(std::min(std::max(determinant / (2 * p * p * p), -1.f), 1.f)) / 3;
    const float first = mean + 2 * p * std::cos(phi),
                third = mean + 2 * p * std::cos(phi + 2.0943952f);
    out[3 * i] = first, out[3 * i + 1] = 3 * mean - first - third, out[3 * i + 2] = third;
  }
}

void peer_backprop(const float* in, const float* target, const float* weights, float* out,
                   float* adjusted, int inputs, int outputs) {
#pragma omp parallel for
  for (int j = 0; j < outputs; j++) {
    float sum = weights[j];
    for (int k = 0; k < inputs; k++) sum += weights[(k + 1) * outputs + j] * in[k];
    out[j] = 1 / (1 + std::exp(-sum));
  }
#pragma omp parallel for
  for (int k = 0; k <= inputs; k++)
    for (int j = 0; j < outputs; j++) {
      const float delta = out[j] * (1 - out[j]) * (target[j] - out[j]),
                  activation = k == 0 ? 1.f : in[k - 1];
      adjusted[k * outputs + j] = weights[k * outputs + j] + 0.3f * delta * activation;
    }
}

void peer_kmeans(const float* points, const float* centres, int* member, int n, int features,
                 int clusters) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float best = 1e30f;
    int who = 0;
    for (int c = 0; c < clusters; c++) {
      float distance = 0;
      for (int f = 0; f < features; f++)
        distance += (points[i * features + f] - centres[c * features + f]) *
                    (points[i * features + f] - centres[c * features + f]);
      if (distance < best) best = distance, who = c;
    }
    member[i] = who;
  }
}

void peer_nn(const float* places, float* distance, float latitude, float longitude, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const float dy = latitude - places[2 * i], dx = longitude - places[2 * i + 1];
    distance[i] = std::sqrt(dy * dy + dx * dx);
  }
}
