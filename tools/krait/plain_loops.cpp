// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built several times, as PLAIN_LEVEL says. Functions of C alone: an inline function of C++'s
// library would be one function for the whole program, perhaps with instructions that the processor
// lacks.
#include "plain_loops.h"

#include <math.h>  // NOLINT

namespace tool {
namespace {

void saxpy(float a, const float* x, const float* y, float* z, long n) {
  for (long i = 0; i < n; i++) z[i] = a * x[i] + y[i];
}

void transcendental(const float* x, const float* y, float* z, long n) {
  for (long i = 0; i < n; i++) z[i] = expf(x[i]) * sinf(y[i]) + logf(x[i]);
}

void black_scholes(const float* spot, const float* strike, const float* years, float* call,
                   long n) {
  for (long i = 0; i < n; i++) {
    const float s = spot[i], k = strike[i], t = years[i], v = 0.3f, r = 0.02f, q = sqrtf(t);
    const float d1 = (logf(s / k) + (r + 0.5f * v * v) * t) / (v * q), d2 = d1 - v * q;
    call[i] =
        s * 0.5f * erfcf(-d1 * 0.70710678f) - k * expf(-r * t) * 0.5f * erfcf(-d2 * 0.70710678f);
  }
}

void mandelbrot(int* out, int width, int limit) {
  for (int y = 0; y < width; y++)
    for (int x = 0; x < width; x++) {
      const float cr = -2.0f + 3.0f * float(x) / float(width),
                  ci = -1.5f + 3.0f * float(y) / float(width);
      float zr = 0, zi = 0;
      int k = 0;
      while (k < limit && zr * zr + zi * zi < 4.0f) {
        const float next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci, zr = next, k++;
      }
      out[y * width + x] = k;
    }
}

void nbody(const float* x, const float* y, const float* z, float* force, int n) {
  for (int i = 0; i < n; i++) {
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
      const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      const float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-6f),
                  s = inverse * inverse * inverse;
      ax += dx * s, ay += dy * s, az += dz * s;
    }
    force[i] = ax + ay + az;
  }
}

void jacobi(const float* in, float* out, int width) {
  for (int r = 1; r < width - 1; r++)
    for (int c = 1; c < width - 1; c++)
      out[r * width + c] = 0.25f * (in[r * width + c - 1] + in[r * width + c + 1] +
                                    in[(r - 1) * width + c] + in[(r + 1) * width + c]);
}

float sum(const float* x, long n) {
  float all = 0;
  for (long i = 0; i < n; i++) all += x[i];
  return all;
}

}  // namespace

#define PLAIN_TEXT_(x) #x
#define PLAIN_TEXT(x) PLAIN_TEXT_(x)
#ifdef __clang__
#define PLAIN_COMPILER "clang++ " PLAIN_TEXT(__clang_major__)
#else
#define PLAIN_COMPILER "g++ " PLAIN_TEXT(__GNUC__)
#endif
#if PLAIN_LEVEL == 4
#define PLAIN_NAME plain_v4
#define PLAIN_ISA "x86-64-v4 (AVX-512)"
#elif PLAIN_LEVEL == 3
#define PLAIN_NAME plain_v3
#define PLAIN_ISA "x86-64-v3 (AVX2)"
#else
#define PLAIN_NAME plain_v1
#define PLAIN_ISA "x86-64 (SSE2)"
#endif
const PlainLoops PLAIN_NAME = {PLAIN_COMPILER " -O3 -march=" PLAIN_ISA,
                               saxpy,
                               transcendental,
                               black_scholes,
                               mandelbrot,
                               nbody,
                               jacobi,
                               sum};

}  // namespace tool
