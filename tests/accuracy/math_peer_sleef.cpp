// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SLEEF 3 at its 1.0 ULP level (erfc 1.5, hypot and the functions of pi x 0.5), with AVX-512 where
// the machine has it, else AVX2.
#include <immintrin.h>
#include <sleef.h>

#include <string_view>

#include "math_peer.h"

namespace {

#ifdef __AVX512F__
using Floats = __m512;
using Doubles = __m512d;
#define SINGLE(name, bound) Sleef_##name##f16_##bound##avx512f
#define DOUBLE(name, bound) Sleef_##name##d8_##bound##avx512f
Floats load(const float* x) { return _mm512_loadu_ps(x); }
Doubles load(const double* x) { return _mm512_loadu_pd(x); }
void store(float* out, Floats v) { _mm512_storeu_ps(out, v); }
void store(double* out, Doubles v) { _mm512_storeu_pd(out, v); }
#else
using Floats = __m256;
using Doubles = __m256d;
#define SINGLE(name, bound) Sleef_##name##f8_##bound##avx2
#define DOUBLE(name, bound) Sleef_##name##d4_##bound##avx2
Floats load(const float* x) { return _mm256_loadu_ps(x); }
Doubles load(const double* x) { return _mm256_loadu_pd(x); }
void store(float* out, Floats v) { _mm256_storeu_ps(out, v); }
void store(double* out, Doubles v) { _mm256_storeu_pd(out, v); }
#endif

/// n lanes at a time; the rest through a padded vector.
template <class Float, class Vector, class Function>
bool each(Function f, const Float* x, const Float* y, Float* out, long n) {
  constexpr long lanes = sizeof(Vector) / sizeof(Float);
#pragma omp parallel for
  for (long i = 0; i < n / lanes; ++i)
    store(out + i * lanes, f(load(x + i * lanes), load(y + i * lanes)));
  if (const long rest = n % lanes) {
    Float px[lanes] = {}, py[lanes] = {}, po[lanes];
    for (long i = 0; i < rest; ++i) px[i] = x[n - rest + i], py[i] = y[n - rest + i];
    store(po, f(load(px), load(py)));
    for (long i = 0; i < rest; ++i) out[n - rest + i] = po[i];
  }
  return true;
}

#define FUNCTIONS(one, two)                                                                     \
  one(exp, u10) one(exp2, u10) one(exp10, u10) one(expm1, u10) one(log, u10) one(log2, u10)     \
      one(log10, u10) one(log1p, u10) one(sin, u10) one(cos, u10) one(tan, u10) one(sinpi, u05) \
          one(cospi, u05) one(asin, u10) one(acos, u10) one(atan, u10) one(sinh, u10)           \
              one(cosh, u10) one(tanh, u10) one(asinh, u10) one(acosh, u10) one(atanh, u10)     \
                  one(erf, u10) one(erfc, u15) one(tgamma, u10) one(lgamma, u10) one(cbrt, u10) \
                      two(pow, u10) two(atan2, u10) two(hypot, u05)

bool singles(std::string_view function, const float* x, const float* y, float* out, long n) {
#define ONE(name, bound)                                                                           \
  if (function == #name)                                                                           \
    return each<float, Floats>([](Floats a, Floats) { return SINGLE(name, bound)(a); }, x, y, out, \
                               n);
#define TWO(name, bound)                                                                           \
  if (function == #name)                                                                           \
    return each<float, Floats>([](Floats a, Floats b) { return SINGLE(name, bound)(a, b); }, x, y, \
                               out, n);
  FUNCTIONS(ONE, TWO)
#undef ONE
#undef TWO
  return false;
}
bool doubles(std::string_view function, const double* x, const double* y, double* out, long n) {
#define ONE(name, bound)                                                                          \
  if (function == #name)                                                                          \
    return each<double, Doubles>([](Doubles a, Doubles) { return DOUBLE(name, bound)(a); }, x, y, \
                                 out, n);
#define TWO(name, bound)                                                                         \
  if (function == #name)                                                                         \
    return each<double, Doubles>([](Doubles a, Doubles b) { return DOUBLE(name, bound)(a, b); }, \
                                 x, y, out, n);
  FUNCTIONS(ONE, TWO)
  return false;
}

bool run(const char* function, bool wide, const void* x, const void* y, void* out, long n) {
  if (wide)
    return doubles(function, static_cast<const double*>(x), static_cast<const double*>(y),
                   static_cast<double*>(out), n);
  return singles(function, static_cast<const float*>(x), static_cast<const float*>(y),
                 static_cast<float*>(out), n);
}

}  // namespace

extern "C" __attribute__((visibility("default")))
const MathPeer krait_math_peer = {"SLEEF 1.0 ULP", run};
