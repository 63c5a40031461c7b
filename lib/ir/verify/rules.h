// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What verify checks of one instruction by itself: counts, types and attributes.
#pragma once

#include <string>

#include "ir/ir.h"

namespace krait::ir {

/// Empty, or the rule that the instruction breaks. Its ids must be within the function's tables.
std::string broken_rule(const Module& module, const Function& f, const Inst& inst);

}  // namespace krait::ir
