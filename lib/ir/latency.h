// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ir/ir.h"

namespace krait::ir {

/// About how many cycles of a CPU pass before an operation's result is there.
inline unsigned latency(const Inst& inst) {
  switch (inst.op) {
    case Op::Const: return 0;
    case Op::Div: case Op::Rem: case Op::Sqrt: return 14;
    case Op::Load: return 6;
    default: return is_float(inst.type.scalar) && inst.op != Op::Select && inst.op != Op::Bitcast ? 4 : 1;
  }
}

}  // namespace krait::ir
