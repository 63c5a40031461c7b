// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many threads run together, and how they lie on lanes: by the blocks' shape, by what the
// kernel asks of its block, and by what a thread costs as a lane and as scalar code.
#pragma once

#include <string>

#include "codegen/cpu/plan/shape.h"

namespace krait::codegen::cpu {

struct Gang {
  bool whole_block = false;  // it is the whole block
  std::string why;           // for people
};

/// Sets the shape's layout and size; parts that the target gives stay.
Gang choose_gang(const ir::Module& module, const Traits& traits, Shape& shape);

/// "32 threads (16 lanes x 2 vectors)".
std::string describe(const Shape& shape);

}  // namespace krait::codegen::cpu
