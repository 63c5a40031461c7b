// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds everybody to the invariant that entries of a function's tables that no region reaches mean
// nothing (ir.h).
#pragma once

#include "ir/ir.h"

namespace krait::ir {

/// Adds such entries to every function: stale ones, and ones whose ids lie beyond the tables.
/// Whoever looks at them reads out of bounds, which a sanitizer sees, or comes to another result.
/// Debug builds do this before each pass and each code generator.
void add_unreachable_entries(Module& module);

}  // namespace krait::ir
