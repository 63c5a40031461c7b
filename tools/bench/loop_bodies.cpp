// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop bodies of bench_compile's kernels as plain C++, a function each, for
// `tools/bench/first_calls`, which compiles them one by one: -DBODY_saxpy leaves that one. Kernels
// of blocks are loops over a block's threads, one from barrier to barrier; nothing is included,
// since what a header costs is not the body's. They are compiled only.
using size = long;

extern float exp_of(float) __asm__("expf");
extern float log_of(float) __asm__("logf");
extern float sin_of(float) __asm__("sinf");
extern float cos_of(float) __asm__("cosf");
extern float tan_of(float) __asm__("tanf");
extern float tanh_of(float) __asm__("tanhf");
extern float atan_of(float) __asm__("atanf");
extern float erf_of(float) __asm__("erff");
extern float erfc_of(float) __asm__("erfcf");
extern float cbrt_of(float) __asm__("cbrtf");
extern float pow_of(float, float) __asm__("powf");
extern void report(const char*, size, float);

#ifdef BODY_saxpy
void saxpy(float a, const float* x, const float* y, float* z, size n) {
  for (size i = 0; i < n; i++) z[i] = a * x[i] + y[i];
}
#endif

#if defined(BODY_exp_sin_log) || defined(BODY_exp_sin_log_fast)
void transcendental(const float* x, const float* y, float* z, size n) {
  for (size i = 0; i < n; i++) z[i] = exp_of(x[i]) * sin_of(y[i]) + log_of(x[i]);
}
#endif

#ifdef BODY_black_scholes
void black_scholes(const float* spot, const float* strike, const float* years, float* call,
                   size n) {
  for (size i = 0; i < n; i++) {
    const float s = spot[i], k = strike[i], t = years[i], v = 0.3f, r = 0.02f,
                q = __builtin_sqrtf(t);
    const float d1 = (log_of(s / k) + (r + 0.5f * v * v) * t) / (v * q), d2 = d1 - v * q;
    call[i] = s * 0.5f * erfc_of(-d1 * 0.70710678f) -
              k * exp_of(-r * t) * 0.5f * erfc_of(-d2 * 0.70710678f);
  }
}
#endif

#ifdef BODY_ten_functions
void ten_functions(const float* in, float* out, size n) {
  for (size i = 0; i < n; i++) {
    const float x = in[i];
    out[i] = exp_of(x) + log_of(x) + sin_of(x) + cos_of(x) + tan_of(x) + tanh_of(x) + atan_of(x) +
             erf_of(x) + cbrt_of(x) + pow_of(x, x);
  }
}
#endif

#ifdef BODY_mandelbrot
void mandelbrot(int* out, size width, size height, int limit) {
  for (size y = 0; y < height; y++)
    for (size x = 0; x < width; x++) {
      const float cr = -2.f + 3.f * float(x) / float(width),
                  ci = -1.5f + 3.f * float(y) / float(height);
      float zr = 0, zi = 0;
      int k = 0;
      while (k < limit && zr * zr + zi * zi < 4.f) {
        const float next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci, zr = next, k++;
      }
      out[y * width + x] = k;
    }
}
#endif

#ifdef BODY_nbody
void nbody(const float* x, const float* y, const float* z, float* force, int n) {
  for (int i = 0; i < n; i++) {
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
      const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i],
                  r2 = dx * dx + dy * dy + dz * dz + 1e-6f;
      const float inverse = 1.f / __builtin_sqrtf(r2), s = inverse * inverse * inverse;
      ax += dx * s, ay += dy * s, az += dz * s;
    }
    force[i] = ax + ay + az;
  }
}
#endif

#ifdef BODY_jacobi
void jacobi(const float* in, float* out, size width, size height) {
  for (size r = 1; r < height - 1; r++)
    for (size c = 1; c < width - 1; c++)
      out[r * width + c] = 0.25f * (in[r * width + c - 1] + in[r * width + c + 1] +
                                    in[(r - 1) * width + c] + in[(r + 1) * width + c]);
}
#endif

#ifdef BODY_sgemm
void sgemm(const float* a, const float* b, float* c, size n) {
  constexpr int tile = 16;
  float ta[tile][tile], tb[tile][tile], sum[tile][tile];
  for (size by = 0; by < n; by += tile)
    for (size bx = 0; bx < n; bx += tile) {
      for (int ty = 0; ty < tile; ty++)
        for (int tx = 0; tx < tile; tx++) sum[ty][tx] = 0;
      for (size first = 0; first < n; first += tile) {
        for (int ty = 0; ty < tile; ty++)
          for (int tx = 0; tx < tile; tx++)
            ta[ty][tx] = a[(by + ty) * n + first + tx], tb[ty][tx] = b[(first + ty) * n + bx + tx];
        for (int ty = 0; ty < tile; ty++)
          for (int tx = 0; tx < tile; tx++)
            for (int k = 0; k < tile; k++) sum[ty][tx] += ta[ty][k] * tb[k][tx];
      }
      for (int ty = 0; ty < tile; ty++)
        for (int tx = 0; tx < tile; tx++) c[(by + ty) * n + bx + tx] = sum[ty][tx];
    }
}
#endif

#ifdef BODY_transpose
void transpose(const float* a, float* b, size width, size height) {
  float tile[32][33];
  for (size y = 0; y < height; y += 32)
    for (size x = 0; x < width; x += 32) {
      for (int ty = 0; ty < 8; ty++)
        for (int tx = 0; tx < 32; tx++)
          for (int j = 0; j < 32; j += 8) tile[ty + j][tx] = a[(y + ty + j) * width + x + tx];
      for (int ty = 0; ty < 8; ty++)
        for (int tx = 0; tx < 32; tx++)
          for (int j = 0; j < 32; j += 8) b[(x + ty + j) * height + y + tx] = tile[tx][ty + j];
    }
}
#endif

#ifdef BODY_histogram
void histogram(const unsigned* x, unsigned* counts, size n, size step) {
  unsigned own[256];
  for (int t = 0; t < 256; t++) own[t] = 0;
  for (int t = 0; t < 256; t++)
    for (size i = t; i < n; i += step) own[x[i] & 255]++;
  for (int t = 0; t < 256; t++) __atomic_fetch_add(counts + t, own[t], __ATOMIC_RELAXED);
}
#endif

#ifdef BODY_block_sum
void block_sum(const float* x, float* sums, size n, size blocks) {
  constexpr int block = 1024;
  float part[block];
  for (size b = 0; b < blocks; b++) {
    for (int t = 0; t < block; t++) {
      float sum = 0;
      for (size i = b * block + t; i < n; i += blocks * block) sum += x[i];
      part[t] = sum;
    }
#pragma clang loop unroll(full)
    for (int half = block / 2; half > 0; half /= 2)
      for (int t = 0; t < half; t++) part[t] += part[t + half];
    sums[b] = part[0];
  }
}
#endif

#ifdef BODY_reports
void reports(const float* x, float* y, size n, size threads) {
  for (size i = 0; i < threads; i++) {
    if (i >= n) report("thread {} of {}", i, float(n));
    if (x[i] < 0) report("element {} is {}", i, x[i]);
    if (!(x[i] <= 1)) report("element {} is {}", i, x[i]);
    y[i] = __builtin_sqrtf(x[i]);
  }
}
#endif
