// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mathematical functions as IR: recorded from their templates when Krait is built
// (generate.cpp), embedded as text.
#pragma once

#include <string_view>

#include "ir/ir.h"

namespace krait::math {

/// A module without kernel: the function `math.<name>.<f32|f64>`, and those that it calls. Empty
/// where there is none. `scalar` is F32 or F64. fast: accuracy may give way to speed
/// (docs/numbers.md). products: of a second operand that is a constant with has_products.
std::string_view body(ir::Op op, ir::Scalar scalar, bool fast, bool products = false);
/// Whether a function of two operands is some products for that second one.
bool has_products(ir::Op op, double second);

}  // namespace krait::math
