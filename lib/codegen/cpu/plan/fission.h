// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a kernel with barriers is cut. Control flow around barriers is the same for the whole block,
// so it stays outside; what lies between two barriers is a segment, which becomes a loop over the
// block's gangs. A value that one segment makes and another one uses lies in scratch memory, one
// place a gang, unless it is cheap to compute again; values that are equal in the whole block are
// computed once, outside the gangs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/cpu/plan/divergence.h"
#include "codegen/cpu/plan/shape.h"
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
/// Whether the barrier keeps no gangs apart: nothing stands behind it but the end of a region of
/// outer control flow, where all gangs come to anyway; or before and behind it, up to the next
/// barriers, only the block's first gang does anything that others could see, as in the last steps
/// of a sum: `if (t < 4) s[t] += s[t + 4]`.
bool keeps_none_apart(const ir::Function& f, const Shape& shape, ir::RegionId r,
                      std::size_t barrier);
/// How many threads of a row, from its first, have effects in the instructions [begin, end) of the
/// region; none where that is not known.
std::optional<std::int64_t> acting_threads(const ir::Function& f, ir::RegionId r, std::size_t begin,
                                           std::size_t end);
/// Throws Failure 1 for jumps that would leave other threads at a barrier.
Fission plan_fission(const ir::Function& f, const Divergence& d, const Shape& shape);

}  // namespace krait::codegen::cpu
