// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exits of loops.
#include "passes/rewrite.h"

namespace krait::passes {

using namespace ir;

void LoopExits::walk(const Function& f, RegionId r, InstId loop) {
  for (const InstId i : f.regions[r].insts) {
    const Inst& inst = f.insts[i];
    if (inst.op == Op::Break && loop != none) breaks[loop].push_back(i);
    if (inst.op == Op::Continue && loop != none) continues[loop].push_back(i);
    for (const RegionId inner : inst.regions) walk(f, inner, is_loop(inst.op) ? i : loop);
  }
}

}  // namespace krait::passes
