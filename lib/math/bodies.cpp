// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the embedded text of a body.
#include "math/bodies.h"

#include "math/products.h"

namespace krait::math {

namespace texts {  // defined in the generated bodies_text.cpp
#define FUNCTION1(Name, name) extern const char name##_f32[], name##_f64[];
#define FUNCTION2(Name, name) FUNCTION1(Name, name)
#define FAST1(Name, name) FUNCTION1(Name, name##_fast)
#define FAST2(Name, name) FUNCTION1(Name, name##_fast)
#define PRODUCTS2(Name, name)      \
  FUNCTION1(Name, name##_products) \
  FUNCTION1(Name, name##_products_fast)
#include "math/functions.def"
}  // namespace texts

namespace {

constexpr int body_count = 0
#define FUNCTION1(Name, name) +1
#define FUNCTION2(Name, name) +1
#include "math/functions.def"
    ;
constexpr int row_count = 0
#define KRAIT_MATH(...) +1
#include "krait/ops.def"
    ;
static_assert(body_count == row_count, "every row of KRAIT_MATH has its line in functions.def");

std::string_view chosen(ir::Scalar scalar, const char* f32, const char* f64) {
  return scalar == ir::Scalar::F32 ? f32 : scalar == ir::Scalar::F64 ? f64 : std::string_view();
}

}  // namespace

bool has_products(ir::Op op, double second) {
#define FUNCTION1(Name, name)
#define FUNCTION2(Name, name)
#define PRODUCTS2(Name, name) \
  if (op == ir::Op::Name) return takes_products(second);
#include "math/functions.def"
  return false;
}

std::string_view body(ir::Op op, ir::Scalar scalar, bool fast, bool products) {
  if (products) {
#define FUNCTION1(Name, name)
#define FUNCTION2(Name, name)
#define PRODUCTS2(Name, name)                                                                      \
  if (op == ir::Op::Name)                                                                          \
    return fast ? chosen(scalar, texts::name##_products_fast_f32, texts::name##_products_fast_f64) \
                : chosen(scalar, texts::name##_products_f32, texts::name##_products_f64);
#include "math/functions.def"
  }
  if (fast) {
#define FUNCTION1(Name, name)
#define FUNCTION2(Name, name)
#define FAST1(Name, name) \
  if (op == ir::Op::Name) return chosen(scalar, texts::name##_fast_f32, texts::name##_fast_f64);
#define FAST2(Name, name) FAST1(Name, name)
#include "math/functions.def"
  }
#define FUNCTION1(Name, name) \
  if (op == ir::Op::Name) return chosen(scalar, texts::name##_f32, texts::name##_f64);
#define FUNCTION2(Name, name) FUNCTION1(Name, name)
#include "math/functions.def"
  return {};
}

}  // namespace krait::math
