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
  emit_gangs({begin, begin, end}, split, place);
}
void Gangs::emit_gangs(const Row& row, bool split, llvm::function_ref<void(V)> place) {
  emit_gangs(row, split, place, [&](V x, V) {
    emit_gang({});
    return b_.CreateAdd(x, b_.getInt64(shape_.gang()));
  });
}

/// The lanes of the gang at x that lie in the row.
Mask Gangs::lanes_within(const Row& row, V x) {
  const auto before = [&](V end) {
    const V gang = b_.getInt64(shape_.gang());
    V threads = arith_.min_max(true, Scalar::I64, b_.CreateSub(end, x), gang);
    if (row.cut()) threads = arith_.min_max(false, Scalar::I64, threads, b_.getInt64(0));
    Mask mask;
    for (unsigned p = 0; p < shape_.parts; ++p) mask.parts.push_back(lanes_.lane_mask(p, threads));
    return mask;
  };
  Mask mask = before(row.end);
  if (row.cut()) {
    const Mask none = before(row.begin);
    for (unsigned p = 0; p < shape_.parts; ++p)
      mask.parts[p] = b_.CreateAnd(mask.parts[p], b_.CreateNot(none.parts[p]));
  }
  return mask;
}

/// `whole` lowers a whole gang, or several, from a place on.
void Gangs::emit_gangs(const Row& row, bool split, llvm::function_ref<void(V)> place,
                       llvm::function_ref<V(V, V)> whole) {
  code_.leave_lines();
  V gang = b_.getInt64(shape_.gang());
  auto masked = [&](V x) {
    place(x);
    emit_gang(lanes_within(row, x));
  };
  if (shape_.gang() == 1) {
    code_.count_loop(row.begin, row.end, gang, "x", [&](V x) { place(x), emit_gang({}); });
    return;
  }
  if (!split) {
    code_.count_loop(row.first, row.end, gang, "x", masked);
    return;
  }
  // Whole gangs as long as there are some, then a partial one: also the first of a row that is cut.
  const Block before = b_.GetInsertBlock(), head = code_.new_block("head"),
              inside = code_.new_block("inside"), after = code_.new_block("after"),
              tail = code_.new_block("tail"), done = code_.new_block("done");
  V whole_end = b_.CreateSub(row.end, b_.getInt64(shape_.gang() - 1));
  const V partial = b_.CreateICmpSLT(row.first, row.begin);
  if (row.cut()) b_.CreateCondBr(partial, after, head);
  else b_.CreateBr(head);
  code_.start(head);
  llvm::PHINode* x = b_.CreatePHI(b_.getInt64Ty(), 3, "x");
  x->addIncoming(row.first, before);
  b_.CreateCondBr(b_.CreateICmpSLT(x, whole_end), inside, after);
  code_.start(inside);
  place(x);
  V next = whole(x, whole_end);
  x->addIncoming(next, b_.GetInsertBlock());
  b_.CreateBr(head);
  code_.start(after);
  llvm::PHINode* rest = b_.CreatePHI(b_.getInt64Ty(), 2, "rest");
  rest->addIncoming(x, head);
  if (row.cut()) rest->addIncoming(row.first, before);
  b_.CreateCondBr(b_.CreateICmpSLT(rest, row.end), tail, done);
  code_.start(tail);
  masked(rest);
  if (row.cut()) {
    x->addIncoming(b_.CreateAdd(rest, gang), b_.GetInsertBlock());
    b_.CreateBr(head);
  } else {
    b_.CreateBr(done);
  }
  code_.start(done);
}

/// The first thread that the bound lets in, or the one behind the last, between begin and end.
V Gangs::limit(const GuardedRow::Bound& bound, V begin, V end) {
  const Scalar s = values_.scalar_of(bound.limit);
  const V given = values_.scalar(bound.limit);
  const V wide = arith_.cast(given, s, ir::is_signed_int(s) ? Scalar::I64 : Scalar::U64);
  // Threads before begin and behind end are all the same, so one more than it does not overflow.
  const V before = b_.CreateSub(begin, b_.getInt64(1));
  V place = wide;
  if (!ir::is_signed_int(s)) place = arith_.min_max(true, Scalar::U64, wide, end);
  place = arith_.min_max(true, Scalar::I64, arith_.min_max(false, Scalar::I64, place, before), end);
  const bool behind = bound.below == bound.equal;  // x <= limit, x > limit
  return behind ? b_.CreateAdd(place, b_.getInt64(1)) : place;
}

void Gangs::emit_row(V begin, V end, bool split, llvm::function_ref<void(V)> place) {
  Row row{begin, begin, end};
  if (const auto& guarded = code_.guarded) {
    for (const ir::InstId i : guarded->of_row) control_.emit_inst(i);
    for (const GuardedRow::Bound& bound : guarded->bounds) {
      V& side = bound.below ? row.end : row.begin;
      side = arith_.min_max(bound.below, Scalar::I64, side, limit(bound, begin, end));
    }
    for (const ir::ValueId v : guarded->conditions)
      row.end = b_.CreateSelect(values_.scalar(v), row.end, row.begin);
    if (row.begin != begin) {
      const V gang = b_.getInt64(shape_.gang());
      const V first = b_.CreateSub(row.begin, b_.CreateURem(b_.CreateSub(row.begin, begin), gang));
      row.first = b_.CreateSelect(b_.CreateICmpSLT(row.begin, row.end), first, row.end);
    }
  }
  emit_gangs(row, split, place);
}

void Gangs::emit_gang(const Mask& mask) {
  if (code_.lines) code_.lines->begin_copy();
  const Lanes::Scope gang(lanes_);
  static_cast<LaneState&>(lanes_) = {.active = mask, .threads = mask};
  loops_.gang_end = code_.new_block("gang_end");
  if (code_.guarded)
    for (const ir::InstId i : code_.guarded->of_thread) control_.emit_inst(i);
  if (code_.cut && code_.cut->in_segment()) code_.cut->emit_gang();
  else
    control_.emit_region(shape_.layout == Layout::Range
                             ? f_.insts[code_.traits.stride_loop].regions[0]
                         : code_.guarded ? code_.guarded->guarded
                                         : f_.body);
  if (code_.lines) code_.lines->end_copy();
  code_.leave_lines();
  if (code_.open) code_.branch_to(loops_.gang_end);
  code_.start(loops_.gang_end);
}

}  // namespace krait::codegen::cpu
