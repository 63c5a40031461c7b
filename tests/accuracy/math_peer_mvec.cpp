// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// g++ -O3 -ffast-math: the C library's functions, by vectors (libmvec) where it has them.
#include <cmath>
#include <string_view>

#include "math_peer.h"

namespace {

template <class Float>
bool run(std::string_view function, const Float* x, const Float* y, Float* out, long n) {
#define ONE(name)                                                                           \
  if (function == #name) {                                                                  \
    _Pragma("omp parallel for simd") for (long i = 0; i < n; ++i) out[i] = std::name(x[i]); \
    return true;                                                                            \
  }
#define TWO(name)                                                                                 \
  if (function == #name) {                                                                        \
    _Pragma("omp parallel for simd") for (long i = 0; i < n; ++i) out[i] = std::name(x[i], y[i]); \
    return true;                                                                                  \
  }
  // clang-format off
  ONE(exp) ONE(exp2) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan)
  ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh) ONE(acosh) ONE(atanh) ONE(erf) ONE(erfc) ONE(tgamma) ONE(lgamma) ONE(cbrt)
  TWO(pow) TWO(atan2) TWO(hypot) TWO(fmod) TWO(remainder)
      // clang-format on
      return false;
}

bool run_either(const char* function, bool wide, const void* x, const void* y, void* out, long n) {
  if (wide)
    return run(function, static_cast<const double*>(x), static_cast<const double*>(y),
               static_cast<double*>(out), n);
  return run(function, static_cast<const float*>(x), static_cast<const float*>(y),
             static_cast<float*>(out), n);
}

}  // namespace

extern "C" __attribute__((visibility("default")))
const MathPeer krait_math_peer = {"libmvec (g++ -ffast-math)", run_either};
