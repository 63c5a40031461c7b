// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mathematical functions on plain numbers: the same bodies, so the same bits as in kernels. On x86-64 each is compiled twice,
// with and without fused multiply-add instructions; without them std::fma computes the same. (Clang cannot combine the attributes
// that this takes; there the C library's fma chooses.)
#include "krait/detail/export.h"
#include "math/functions.h"

#if defined(__x86_64__) && !defined(__clang__)
#define KRAIT_PLAIN KRAIT_API __attribute__((target_clones("fma", "default"), flatten))
#else
#define KRAIT_PLAIN KRAIT_API __attribute__((flatten))
#endif

namespace krait::detail {

#define FUNCTION1(Op, name)                                               \
  KRAIT_PLAIN float math_##name(float x) { return math::name<float>(x); } \
  KRAIT_PLAIN double math_##name(double x) { return math::name<double>(x); }
#define FUNCTION2(Op, name)                                                           \
  KRAIT_PLAIN float math_##name(float x, float y) { return math::name<float>(x, y); } \
  KRAIT_PLAIN double math_##name(double x, double y) { return math::name<double>(x, y); }
#include "math/functions.def"

}  // namespace krait::detail
