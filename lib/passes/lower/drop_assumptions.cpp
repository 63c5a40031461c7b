// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {

using namespace ir;

void drop_assumptions(Module& m) {
  for (Function& f : m.functions)
    for_each_region(f, [&](RegionId r) {
      std::erase_if(f.regions[r].insts, [&](InstId i) { return f.insts[i].op == Op::Assume; });
    });
}

}  // namespace krait::passes
