// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "peer.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace {

void saxpy(float a, const float* x, const float* y, float* z, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; i++) z[i] = a * x[i] + y[i];
}

void transcendental(const float* x, const float* y, float* z, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; i++) z[i] = std::exp(x[i]) * std::sin(y[i]) + std::log(x[i]);
}

void black_scholes(const float* spot, const float* strike, const float* years, float* call,
                   long n) {
#pragma omp parallel for
  for (long i = 0; i < n; i++) {
    const float s = spot[i], k = strike[i], t = years[i], v = 0.3f, r = 0.02f, q = std::sqrt(t);
    const float d1 = (std::log(s / k) + (r + 0.5f * v * v) * t) / (v * q), d2 = d1 - v * q;
    call[i] = s * 0.5f * std::erfc(-d1 * 0.70710678f) -
              k * std::exp(-r * t) * 0.5f * std::erfc(-d2 * 0.70710678f);
  }
}

void mandelbrot(int* out, int width, int limit) {
#pragma omp parallel for schedule(dynamic, 8)
  for (int py = 0; py < width; py++)
    for (int px = 0; px < width; px++) {
      const float cr = -2.f + 3.f * px / width, ci = -1.5f + 3.f * py / width;
      float zr = 0, zi = 0;
      int k = 0;
      while (k < limit && zr * zr + zi * zi < 4.f) {
        const float next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci, zr = next, k++;
      }
      out[py * width + px] = k;
    }
}

void nbody(const float* x, const float* y, const float* z, float* force, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
      const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i],
                  r2 = dx * dx + dy * dy + dz * dz + 1e-6f;
      const float inverse = 1.f / std::sqrt(r2), s = inverse * inverse * inverse;
      ax += dx * s, ay += dy * s, az += dz * s;
    }
    force[i] = ax + ay + az;
  }
}

void jacobi(const float* in, float* out, int width) {
#pragma omp parallel for
  for (int r = 1; r < width - 1; r++)
    for (int c = 1; c < width - 1; c++)
      out[r * width + c] = 0.25f * (in[r * width + c - 1] + in[r * width + c + 1] +
                                    in[(r - 1) * width + c] + in[(r + 1) * width + c]);
}

void sgemm(const float* a, const float* b, float* c, int width) {
#pragma omp parallel for
  for (int r = 0; r < width; r++) {
    for (int i = 0; i < width; i++) c[r * width + i] = 0;
    for (int k = 0; k < width; k++)
      for (int i = 0; i < width; i++) c[r * width + i] += a[r * width + k] * b[k * width + i];
  }
}

void sum(const float* x, float* total, long n) {
  float all = 0;
#pragma omp parallel for reduction(+ : all)
  for (long i = 0; i < n; i++) all += x[i];
  *total = all;
}

void histogram(const unsigned* x, unsigned* counts, long n) {
#pragma omp parallel for reduction(+ : counts[ : 256])
  for (long i = 0; i < n; i++) counts[x[i] & 255]++;
}

/// What thread `t` of `threads` takes of n elements begins here.
long part(long n, int t, int threads) { return n / threads * t + std::min<long>(t, n % threads); }

void copy(const float* x, float* out, long n) {
#pragma omp parallel
  {
    const int t = omp_get_thread_num(), threads = omp_get_num_threads();
    const long begin = part(n, t, threads), end = part(n, t + 1, threads);
    std::memcpy(out + begin, x + begin, std::size_t(end - begin) * sizeof *x);
  }
}

void transpose(const float* in, float* out, int width) {
  constexpr int tile = 32;
#pragma omp parallel for collapse(2)
  for (int r = 0; r < width; r += tile)
    for (int c = 0; c < width; c += tile)
      for (int i = c; i < std::min(c + tile, width); i++)
        for (int j = r; j < std::min(r + tile, width); j++)
          out[long(i) * width + j] = in[long(j) * width + i];
}

void scan(const float* x, float* out, long n) {
  std::vector<float> sums(std::size_t(omp_get_max_threads()) + 1);
#pragma omp parallel
  {
    const int t = omp_get_thread_num(), threads = omp_get_num_threads();
    const long begin = part(n, t, threads), end = part(n, t + 1, threads);
    float own = 0;
    for (long i = begin; i < end; i++) own += x[i];
    sums[std::size_t(t) + 1] = own;
#pragma omp barrier
    float run = 0;
    for (int before = 0; before <= t; before++) run += sums[std::size_t(before)];
    for (long i = begin; i < end; i++) out[i] = run += x[i];
  }
}

void sort(const unsigned* keys, unsigned* out, long n) {
  std::vector<unsigned> between(static_cast<std::size_t>(n));
  // of a thread and a digit
  std::vector<long> starts(static_cast<std::size_t>(omp_get_max_threads()) * 256);
#pragma omp parallel
  {
    const int t = omp_get_thread_num(), threads = omp_get_num_threads();
    const long begin = part(n, t, threads), end = part(n, t + 1, threads);
    for (int pass = 0; pass < 4; pass++) {
      const unsigned* from = pass == 0 ? keys : pass == 2 ? out : between.data();
      unsigned* to = pass % 2 ? out : between.data();
      long own[256] = {};
      for (long i = begin; i < end; i++) own[from[i] >> 8 * pass & 255]++;
      for (int d = 0; d < 256; d++) starts[std::size_t(t) * 256 + std::size_t(d)] = own[d];
#pragma omp barrier
#pragma omp single
      for (long run = 0, d = 0; d < 256; d++)
        for (int other = 0; other < threads; other++) {
          long& start = starts[std::size_t(other) * 256 + std::size_t(d)];
          const long count = start;
          start = run, run += count;
        }
      for (int d = 0; d < 256; d++) own[d] = starts[std::size_t(t) * 256 + std::size_t(d)];
      for (long i = begin; i < end; i++) to[own[from[i] >> 8 * pass & 255]++] = from[i];
#pragma omp barrier
    }
  }
}

}  // namespace

extern "C" __attribute__((visibility("default")))
const Peer krait_peer = {PEER_NAME, saxpy, transcendental, black_scholes, mandelbrot, nbody, jacobi,
                         sgemm,     sum,   histogram,      copy,          transpose,  scan,  sort};
