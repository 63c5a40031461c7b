// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../peers.h"

void peer_reduction(const float* in, float* total, int n, int) {
  float sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += in[i];
  *total = sum;
}

void peer_scan(const int* in, int* out, int n) {
  std::vector<int> sums(omp_get_max_threads() + 1);
#pragma omp parallel
  {
    const int t = omp_get_thread_num(), threads = omp_get_num_threads();
    const int begin = int(long(n) * t / threads), end = int(long(n) * (t + 1) / threads);
    int sum = 0;
    for (int i = begin; i < end; i++) sum += in[i];
    sums[t + 1] = sum;
#pragma omp barrier
    sum = 0;
    for (int k = 0; k <= t; k++) sum += sums[k];
    for (int i = begin; i < end; i++) out[i] = sum += in[i];
  }
}

void peer_histogram(const unsigned char* in, unsigned* counts, int n, int) {
  unsigned all[256] = {};
#pragma omp parallel for reduction(+ : all)
  for (int i = 0; i < n; i++) all[in[i]]++;
  std::copy(all, all + 256, counts);
}
void peer_histogram_global(const unsigned char* in, unsigned* counts, int n, int blocks) {
  peer_histogram(in, counts, n, blocks);
}

void peer_scatter_add(const int* where, const float* value, float* sums, int n, int cells) {
  std::memset(sums, 0, cells * sizeof(float));
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    sums[where[i]] += value[i];
  }
}

void peer_sad(const unsigned char* now, const unsigned char* before, int* best, int w, int h) {
#pragma omp parallel for
  for (int by = 0; by < h / 8; by++)
    for (int bx = 0; bx < w / 8; bx++) {
      int least = 1 << 30, where = 0;
      for (int dy = -6; dy <= 6; dy++)
        for (int dx = -6; dx <= 6; dx++) {
          const int y0 = 8 * by + dy, x0 = 8 * bx + dx;
          if (y0 < 0 || x0 < 0 || y0 + 8 > h || x0 + 8 > w) continue;
          int sum = 0;
          for (int y = 0; y < 8; y++)
            for (int x = 0; x < 8; x++)
              sum += std::abs(now[(8 * by + y) * w + 8 * bx + x] - before[(y0 + y) * w + x0 + x]);
          if (sum < least) least = sum, where = (dy + 6) * 13 + dx + 6;
        }
      best[by * (w / 8) + bx] = where;
    }
}

void peer_sort_blocks(const float* in, float* out, int blocks) {
#pragma omp parallel for
  for (int b = 0; b < blocks; b++) {
    std::copy(in + 256 * b, in + 256 * (b + 1), out + 256 * b);
    std::sort(out + 256 * b, out + 256 * (b + 1));
  }
}

void peer_compaction(const int* in, int* out, int* count, int bound, int n) {
  std::vector<int> counts(omp_get_max_threads() + 1);
#pragma omp parallel
  {
    const int t = omp_get_thread_num(), threads = omp_get_num_threads();
    const int begin = int(long(n) * t / threads), end = int(long(n) * (t + 1) / threads);
    int kept = 0;
    for (int i = begin; i < end; i++) kept += in[i] < bound;
    counts[t + 1] = kept;
#pragma omp barrier
    int at = 0;
    for (int k = 0; k <= t; k++) at += counts[k];
    for (int i = begin; i < end; i++)
      if (in[i] < bound) out[at++] = in[i];
    if (t == threads - 1) *count = at;
  }
}
