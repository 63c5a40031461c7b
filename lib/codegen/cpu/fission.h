// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a kernel with barriers is cut. Control flow around barriers is the same for the whole block, so it stays outside; what lies
// between two barriers is a segment, which becomes a loop over the block's gangs. A value that one segment makes and another one
// uses lies in scratch memory, one place a gang, unless it is cheap to compute again; values that are equal in the whole block
// are computed once, outside the gangs.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/cpu/divergence.h"
#include "codegen/cpu/shape.h"
#include "ir/ir.h"

namespace krait::codegen::cpu {

struct Fission {
  static constexpr std::uint32_t no_place = ~std::uint32_t(0);

  std::vector<bool> outside;           // by InstId: computed once for the block
  std::vector<bool> outer;             // by InstId: control flow that stays outside the gangs
  std::vector<bool> block_value;       // by ValueId: a scalar outside the gangs
  std::vector<bool> recomputed;        // by ValueId: computed again where another segment needs it
  std::vector<std::uint32_t> place;    // by ValueId: offset in the gang's scratch
  std::vector<std::uint32_t> segment;  // by InstId
  std::uint32_t gang_bytes = 0;
};
/// A barrier with nothing behind it but the end of a region of outer control flow, where all gangs come to anyway.
bool ends_region(const ir::Function& f, ir::RegionId r, std::size_t barrier);
/// Throws Failure 1 for jumps that would leave other threads at a barrier.
Fission plan_fission(const ir::Function& f, const Divergence& d, const Shape& shape);

}  // namespace krait::codegen::cpu
