// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What holds of operations on tiles (tiles.h).
#pragma once

#include <string>

#include "ir/ir.h"

namespace krait::ir {

/// Empty, or what is broken.
std::string broken_tile(const Function& f, const Inst& inst);

}  // namespace krait::ir
