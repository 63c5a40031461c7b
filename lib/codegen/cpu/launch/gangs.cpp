// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/launch/gangs.h"

#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/control/control.h"
#include "codegen/cpu/control/fissioned.h"
#include "codegen/cpu/control/loops.h"
#include "codegen/llvm/session.h"
#include "support/tuning/cpu.h"

namespace krait::codegen::cpu {

using ir::Scalar;

/// A costly body is lowered once where a mask costs little: with AVX-512. Atomic operations go lane
/// by lane, which takes a loop over the lanes under a mask.
bool Gangs::splits() const {
  if (shape_.machine.quick) return false;
  return shape_.machine.level != CpuLevel::Avx512 ||
         code_.traits.cost <= tuning::cpu::split_limit || code_.traits.atomics;
}

/// Gangs over [begin, end): whole ones without a mask and the rest under one, or all under a mask.
void Gangs::emit_gangs(V begin, V end, bool split, llvm::function_ref<void(V)> place) {
  emit_gangs(begin, end, split, place, [&](V x, V) {
    emit_gang({});
    return b_.CreateAdd(x, b_.getInt64(shape_.gang()));
  });
}

/// `whole` lowers a whole gang, or several, from a place on.
void Gangs::emit_gangs(V begin, V end, bool split, llvm::function_ref<void(V)> place,
                       llvm::function_ref<V(V, V)> whole) {
  code_.leave_lines();
  V gang = b_.getInt64(shape_.gang());
  auto masked = [&](V x) {
    place(x);
    V remaining = arith_.min_max(true, Scalar::I64, b_.CreateSub(end, x), gang);
    Mask mask;
    for (unsigned p = 0; p < shape_.parts; ++p)
      mask.parts.push_back(lanes_.lane_mask(p, remaining));
    emit_gang(mask);
  };
  if (shape_.gang() == 1) {
    code_.count_loop(begin, end, gang, "x", [&](V x) { place(x), emit_gang({}); });
    return;
  }
  if (!split) {
    code_.count_loop(begin, end, gang, "x", masked);
    return;
  }
  V whole_end = b_.CreateSub(end, b_.getInt64(shape_.gang() - 1));
  V rest = begin;
  {
    Block before = b_.GetInsertBlock(), head = code_.new_block("head"),
          inside = code_.new_block("inside"), after = code_.new_block("after");
    b_.CreateBr(head);
    code_.start(head);
    llvm::PHINode* x = b_.CreatePHI(b_.getInt64Ty(), 2, "x");
    x->addIncoming(begin, before);
    b_.CreateCondBr(b_.CreateICmpSLT(x, whole_end), inside, after);
    code_.start(inside);
    place(x);
    V next = whole(x, whole_end);
    x->addIncoming(next, b_.GetInsertBlock());
    b_.CreateBr(head);
    code_.start(after);
    rest = x;
  }
  Block tail = code_.new_block("tail"), done = code_.new_block("done");
  b_.CreateCondBr(b_.CreateICmpSLT(rest, end), tail, done);
  code_.start(tail);
  masked(rest);
  b_.CreateBr(done);
  code_.start(done);
}

void Gangs::emit_gang(const Mask& mask) {
  if (code_.lines) code_.lines->begin_copy();
  const Lanes::Scope gang(lanes_);
  static_cast<LaneState&>(lanes_) = {.active = mask, .threads = mask};
  loops_.gang_end = code_.new_block("gang_end");
  if (code_.cut && code_.cut->in_segment()) code_.cut->emit_gang();
  else
    control_.emit_region(
        shape_.layout == Layout::Range ? f_.insts[code_.traits.stride_loop].regions[0] : f_.body);
  if (code_.lines) code_.lines->end_copy();
  code_.leave_lines();
  if (code_.open) code_.branch_to(loops_.gang_end);
  code_.start(loops_.gang_end);
}

}  // namespace krait::codegen::cpu
