// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a recording means: the module on which the interpreter says what every back end has to
// compute. It knows no launch facts and no target, so that whatever a pass makes of those is under
// test.
#pragma once

#include <algorithm>

#include "ir/walk.h"
#include "passes/passes.h"

namespace krait::test {

/// Called functions take over the kernel's facts.
inline void set_facts(ir::Module& m, const ir::Facts& facts) {
  m.kernel().facts = facts;
  for (ir::Function& f : m.called()) f.inherit(m.kernel());
}

/// Mathematical functions by their exact bodies: native mode's own are the target's business.
inline void expand_functions(ir::Module& m) {
  bool math = false;
  for (const ir::Function& f : m.functions)
    ir::for_each_inst(
        f, [&](ir::InstId i, ir::RegionId) { math = math || ir::is_math(f.insts[i].op); });
  if (math) passes::expand_math(m, passes::expand_all);
}

/// In strict mode the recording itself. Else the recording after contraction, which changes
/// results, and what has to come in front of it; `singles` as the target's. Functions are expanded.
inline ir::Module meaning_of(const ir::Module& recorded, bool singles = true) {
  ir::Module m = recorded;
  set_facts(m, {});
  if (m.kernel().fp != ir::FpMode::Strict) {
    if (m.functions.size() > 1) passes::inline_calls(m);
    passes::check_accesses(m);  // before anything is removed that would be a fault
    passes::promote_slots(m);
    passes::fold(m), passes::cse(m), passes::dce(m);
    passes::contract(m, singles);
  }
  expand_functions(m);
  return m;
}

}  // namespace krait::test
