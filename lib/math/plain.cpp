// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mathematical functions on plain numbers: the same bodies, so the same bits as in kernels.
#include "math/plain.h"

#include "math/functions.h"

namespace krait::detail {

#define FUNCTION1(Op, name)                                               \
  KRAIT_PLAIN float math_##name(float x) { return math::name<float>(x); } \
  KRAIT_PLAIN double math_##name(double x) { return math::name<double>(x); }
#define FUNCTION2(Op, name)                                                           \
  KRAIT_PLAIN float math_##name(float x, float y) { return math::name<float>(x, y); } \
  KRAIT_PLAIN double math_##name(double x, double y) { return math::name<double>(x, y); }
#include "math/functions.def"

}  // namespace krait::detail
