// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipeline with somebody who looks on.
#pragma once

#include <functional>
#include <string>

#include "passes/passes.h"

namespace krait::passes {

/// Gets the module as it was recorded, and after each pass, with the pass's name.
using Watch = std::function<void(const char* pass, const ir::Module& m)>;
std::string run_pipeline(ir::Module& m, const support::Target& target, bool checked, Effort effort,
                         const Watch& watch);

}  // namespace krait::passes
