// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which threads come to a place together. The walk knows at each instruction over which set of threads control is guaranteed to
// agree, and if not over the launch, which branch divided them; uniformity gives the levels, check_barriers tells of the branch.
#pragma once

#include "ir/calls.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {

/// Control at a place: all threads of a set that entered come here, or none does.
struct Flow {
  Uniform level = Uniform::Launch;     // since the kernel began
  Uniform relative = Uniform::Launch;  // since the innermost loop began
  ir::InstId why = ir::none;           // the branch or loop that divides the threads
  ir::InstId exit = ir::none;          // the return, break or continue by which some left; none: the place is inside `why`

  void join(const Flow& other);
  void divide(Uniform by, ir::InstId branch);
};

class FlowAnalysis {
 public:
  FlowAnalysis(const ir::Function& f, const ir::Calls& calls);
  Uniformity levels;
  /// By InstId: control at each instruction of the block's that is a barrier.
  std::vector<std::pair<ir::InstId, Flow>> barriers;

 private:
  /// Threads that left a piece of code otherwise than at its end.
  struct Left {
    Flow broke, continued, returned;
    void join(const Left& other);
  };
  Left walk(ir::RegionId r, Flow flow);
  Left branch(ir::InstId i, const Flow& flow);
  Left loop(ir::InstId i, const Flow& flow);
  void joins_of_loop(ir::InstId i, Uniform exit, Uniform again);
  void simple(ir::InstId i, const Flow& flow);
  Uniform of(ir::ValueId v) const { return levels.values[v]; }
  void raise(ir::ValueId v, Uniform level);
  Uniform operands(const ir::Inst& inst, std::size_t begin = 0) const;

  const ir::Function& f_;
  const ir::Calls& calls_;
  LoopExits exits_;
  std::vector<bool> written_;  // arrays that the kernel writes
  std::vector<Left> left_;     // of loops, from the round before
  bool changed_ = false;
};

}  // namespace krait::passes
