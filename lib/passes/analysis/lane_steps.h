// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How integer values differ from a thread to its neighbour along x. It is for hints and for what
// pays, not for what is right, so it takes the usual for given: rows of blocks are as long as a
// warp, and sums do not wrap. The CPU's generator knows it from the form of its values.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/ir.h"

namespace krait::passes {

struct LaneStep {
  /// Same: one number for neighbours. Step: so far apart. Scaled: a multiple, but of what only the
  /// launch knows. Data: it comes from memory.
  enum class Kind : std::uint8_t { Same, Step, Scaled, Unknown, Data } kind = Kind::Same;
  std::int64_t step = 0;
  friend bool operator==(const LaneStep&, const LaneStep&) = default;
};

/// By function of the module and ValueId.
std::vector<std::vector<LaneStep>> find_lane_steps(const ir::Module& module);

}  // namespace krait::passes
