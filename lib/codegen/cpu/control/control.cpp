// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/control/control.h"

#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/control/branches.h"
#include "codegen/cpu/control/fissioned.h"
#include "codegen/cpu/control/loops.h"
#include "codegen/cpu/emit/straight.h"
#include "codegen/cpu/kit/variables.h"
#include "codegen/llvm/session.h"

namespace krait::codegen::cpu {

using ir::Op;

Exit Control::emit_region(ir::RegionId r, std::size_t from) {
  const auto& insts = f_.regions[r].insts;
  const std::size_t end = region_end(r);
  for (std::size_t i = from; i < end; ++i) {
    const ir::Inst& inst = f_.insts[insts[i]];
    if (skipped(r, insts[i])) continue;
    if (ir::is_terminator(inst.op) && code_.variables) code_.variables->tell(values_);
    if (inst.op == Op::Yield) {
      Exit exit{true, {}};
      for (ir::ValueId v : inst.operands) exit.values.push_back(values_.get(v));
      return exit;
    }
    if (ir::is_terminator(inst.op)) {
      loops_.jump(insts[i]);
      return {};
    }
    if (emit_inst(insts[i]) == Flow::Dead) return {};
    if (d_.kills[insts[i]] && !lanes_.some && !lone_jump(r, i + 1)) return emit_guarded(r, i + 1);
  }
  return {end < insts.size(), {}};
}

bool Control::lone_jump(ir::RegionId r, std::size_t from) const {
  const auto& insts = f_.regions[r].insts;
  return from == region_end(r) ||
         (from + 1 == insts.size() &&
          (f_.insts[insts[from]].op == Op::Yield || d_.masked[insts[from]]));
}

/// What follows a jump of some lanes runs if others are left.
Exit Control::emit_guarded(ir::RegionId r, std::size_t from) {
  Block rest = code_.new_block("rest"), next = code_.new_block("next");
  Block skip_from = b_.GetInsertBlock();
  Mask none_left = lanes_.active;
  b_.CreateCondBr(lanes_.any(lanes_.active), rest, next);
  code_.start(rest);
  lanes_.some = true;
  Exit exit = emit_region(r, from);
  if (!code_.open) {
    code_.start(next);
    lanes_.some = false;
    return {};
  }
  Block end = b_.GetInsertBlock();
  Mask after = lanes_.active;
  code_.branch_to(next);
  code_.start(next);
  lanes_.some = false;
  if (!exit.yields) return {};
  lanes_.active = lanes_.join_masks({{end, after}, {skip_from, none_left}});
  if (exit.values.empty()) return exit;
  const ir::Inst& parent = f_.insts[f_.regions[r].parent];
  for (std::size_t i = 0; i < exit.values.size(); ++i) {
    Lowered value = exit.values[i];
    exit.values[i] = values_.join(parent.results[i], {{end, &value}, {skip_from, nullptr}});
  }
  return exit;
}

Flow Control::emit_inst(ir::InstId id) {
  const ir::Inst& inst = f_.insts[id];
  if (code_.lines) b_.SetCurrentDebugLocation(code_.lines->at(inst.loc));
  if (code_.variables) code_.variables->tell(values_);
  if (inst.op == Op::If || inst.op == Op::Switch)
    return values_.uniform(inst.operands[0]) ? branches_.emit_uniform_branch(id)
                                             : branches_.emit_varying_if(id);
  if (!ir::is_loop(inst.op)) return straight_.emit(id), Flow::Next;
  if (code_.sweep && code_.sweep->loop == id) return loops_.emit_element(id), Flow::Dead;
  loops_.emit_loop(id);
  return Flow::Next;
}

/// Where the segment at hand ends in this region, or the region's end.
std::size_t Control::region_end(ir::RegionId r) const {
  return code_.cut && code_.cut->in_segment(r) ? code_.cut->end() : f_.regions[r].insts.size();
}
bool Control::skipped(ir::RegionId r, ir::InstId id) const {
  return (code_.cut && code_.cut->in_segment(r) && code_.cut->outside(id)) ||
         (code_.sweep && !code_.sweep->needed[id]);
}

}  // namespace krait::codegen::cpu
