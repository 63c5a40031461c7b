// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <set>

#include "ir/ir.h"

namespace krait::codegen::spirv {

/// Additions that do nothing but carry on a loop's sum of floats, which no vectoriser may split as
/// long as its order counts. A sum that is looked at meanwhile, as a compensated one is, is not
/// among them.
std::set<const ir::Inst*> sums_of_loops(const ir::Function& f);

}  // namespace krait::codegen::spirv
