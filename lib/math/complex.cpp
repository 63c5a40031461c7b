// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of complex numbers on plain numbers: the bodies of kernels, so their bits in strict
// mode. Compiled here, without contraction, since a program's compiler may contract what it
// inlines.
#include "krait/detail/complex_functions.h"
#include "math/plain.h"

namespace krait::detail {

#define COMPLEX_FUNCTION(name)                                                          \
  KRAIT_PLAIN complex_parts<float> name(float x, float y) { return name<float>(x, y); } \
  KRAIT_PLAIN complex_parts<double> name(double x, double y) { return name<double>(x, y); }
COMPLEX_FUNCTION(complex_sqrt)
COMPLEX_FUNCTION(complex_log)
COMPLEX_FUNCTION(complex_exp)
COMPLEX_FUNCTION(complex_polar)
KRAIT_PLAIN complex_parts<float> complex_pow(float x, float y, float u, float v) {
  return complex_pow<float>(x, y, u, v);
}
KRAIT_PLAIN complex_parts<double> complex_pow(double x, double y, double u, double v) {
  return complex_pow<double>(x, y, u, v);
}

}  // namespace krait::detail
