// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact values of many single-precision arguments: loops that the compiler turns into calls of the
// C library's vector functions (libmvec, at most 4 ULP of double, which is 1e-8 ULP of float).
// Built with -O3 -fopenmp-simd; the declarations repeat those of <math.h> with the attribute that
// glibc gives them under -ffast-math alone, which would lose NaN here.
#include <cmath>
#include <string_view>

#include "reference.h"

#define KRAIT_VECTOR1(function) \
  extern "C" __attribute__((simd("notinbranch"))) double function(double) noexcept;
#define KRAIT_VECTOR2(function) \
  extern "C" __attribute__((simd("notinbranch"))) double function(double, double) noexcept;
#define KRAIT_VECTOR_FUNCTIONS(one, two)                                                       \
  one(exp) one(exp2) one(exp10) one(expm1) one(log) one(log2) one(log10) one(log1p) one(sin)   \
      one(cos) one(tan) one(asin) one(acos) one(atan) one(sinh) one(cosh) one(tanh) one(asinh) \
          one(acosh) one(atanh) one(erf) one(erfc) one(cbrt) two(atan2) two(hypot)
KRAIT_VECTOR_FUNCTIONS(KRAIT_VECTOR1, KRAIT_VECTOR2)

namespace krait::accuracy {

void wide_values(const Reference& f, const float* x, const float* y, double* out,
                 std::size_t count) {
  const std::string_view name = f.name;
#define KRAIT_LOOP1(function)                                                                      \
  if (name == #function) {                                                                         \
    _Pragma("omp simd") for (std::size_t i = 0; i < count; ++i) out[i] = ::function(double(x[i])); \
    return;                                                                                        \
  }
#define KRAIT_LOOP2(function)                                            \
  if (name == #function) {                                               \
    _Pragma("omp simd") for (std::size_t i = 0; i < count; ++i) out[i] = \
        ::function(double(x[i]), double(y[i]));                          \
    return;                                                              \
  }
  KRAIT_VECTOR_FUNCTIONS(KRAIT_LOOP1, KRAIT_LOOP2)
  for (std::size_t i = 0; i < count; ++i) out[i] = f.wide(double(x[i]), double(y[i]));
}

}  // namespace krait::accuracy
