// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose threads share the elements of a row out by steps of their block's width, and do
// nothing else:
//   for (i = thread + c; i < bound; i += width) …
// Whatever the width is, the block's threads together take each element from c to the bound once.
// So the gangs of a block sweep over the row as over one long row of threads, each of which makes
// one trip: a scalar count, and one gang under a mask. A thread's later elements come after its
// earlier ones, since a row of threads is at least as long as a gang.
#pragma once

#include <optional>
#include <vector>

#include "ir/calls.h"
#include "ir/ir.h"

namespace krait::codegen::cpu {

struct BlockStridedLoop {
  ir::InstId loop = ir::none;
  std::int64_t first = 0;        // c
  ir::ValueId bound = ir::none;  // the same in the whole block, and made of what `needed` holds
  std::vector<bool> needed;      // by InstId: all but what computes the number of trips
};

std::optional<BlockStridedLoop> find_sweep(const ir::Function& f, const ir::Calls& calls);

}  // namespace krait::codegen::cpu
