// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor cores (wgmma) and copies of tiles by the hardware go to shared memory past the threads'
// own accesses (PTX ISA, "async proxy"): a thread that has accessed a factor's memory itself has a
// fence before the barrier that hands it over. A fence waits for all that the thread has under way,
// so it stands only where such accesses come from: not in the steps of a pipeline that the hardware
// fills.
#pragma once

#include <unordered_set>

#include "ir/ir.h"
#include "support/target.h"

namespace krait::codegen::nvptx {

class ProxyFences {
 public:
  ProxyFences(const ir::Function& f, const support::PtxTarget& on);
  /// Whether a fence stands before this instruction: a barrier, or the end of a side of a branch.
  bool before(ir::InstId i) const { return fences_.contains(i); }

 private:
  void find_factors();
  bool touches(const ir::Inst& inst) const;
  bool walk(ir::RegionId r, bool pending);
  bool through(ir::InstId i, bool pending);
  bool meet(const std::vector<ir::RegionId>& sides, bool pending);

  const ir::Function& f_;
  const support::PtxTarget& on_;
  std::unordered_set<ir::ValueId> factors_;  // and the same arrays of other blocks
  bool copies_rows_ = false;
  std::unordered_set<ir::InstId> fences_;
};

}  // namespace krait::codegen::nvptx
