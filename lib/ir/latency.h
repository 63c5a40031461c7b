// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long results take on a CPU: for schedules and for the choice of how many vectors a kernel's
// lanes lie in.
#pragma once

#include "ir/ir.h"

namespace krait::ir {

/// About how many cycles of a CPU pass before an operation's result is there.
inline unsigned latency(const Inst& inst) {
  if (inst.op == Op::Const) return 0;
  if (inst.op == Op::Load) return 6;
  if (divides(inst.op)) return 14;
  return is_float(inst.type.scalar) && inst.op != Op::Select && inst.op != Op::Bitcast ? 4 : 1;
}

}  // namespace krait::ir
