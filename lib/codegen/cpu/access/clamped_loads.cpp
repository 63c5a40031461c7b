// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/access/clamped_loads.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>

#include "codegen/cpu/control/fissioned.h"
#include "codegen/cpu/lanes/lane_bounds.h"
#include "codegen/cpu/emit/pure.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;
using Form = Lowered::Form;

/// Elements of 16 bytes and more are loaded a piece a lane anyway. Under a mask a row of small
/// numbers has an instruction with AVX-512 alone, and the copy of an `if` for gangs at the border
/// is there for those that do gather.
bool ClampedLoads::may_be_row(const ir::Inst& inst) const {
  constexpr std::uint64_t most_bytes = 16;
  if (!shape_.machine.uses(Idiom::ClampedLoads) || inst.op != Op::Load || shape_.lanes == 1 ||
      shape_.machine.quick || lanes_.masked_copy)
    return false;
  const ir::Type& array = f_.type_of(inst.operands[0]);
  if (array.space == ir::Space::Local || array.index_bytes() >= most_bytes) return false;
  if (!lanes_.active.all() && shape_.machine.level < CpuLevel::Avx512) return false;
  return values_.get(inst.operands[1]).form == Form::Parts;
}

void ClampedLoads::emit_load(const ir::Inst& inst, llvm::function_ref<void()> emit) {
  if (!may_be_row(inst)) return emit();
  const ir::ValueId result = inst.results[0];
  Lowered row;
  Block row_end = nullptr, other = nullptr;
  const Block next = code_.new_block("loaded");
  {
    Values::Again again(values_);
    const V inside = unheld(inst.operands[1], deepest, again);
    if (inside && values_.get(inst.operands[1]).form == Form::Linear) {
      const Block whole = code_.new_block("row");
      other = code_.new_block("held");
      b_.CreateCondBr(inside, whole, other, llvm::MDBuilder(code_.c).createLikelyBranchWeights());
      code_.start(whole);
      emit();
      row = values_.get(result);
      row_end = b_.GetInsertBlock();
      code_.branch_to(next);
    }
  }
  if (!other) {
    next->eraseFromParent();
    return emit();
  }
  code_.start(other);
  emit();
  const Lowered gathered = values_.get(result);
  const Block other_end = b_.GetInsertBlock();
  code_.branch_to(next);
  code_.start(next);
  values_.set(result, values_.join(result, {{row_end, &row}, {other_end, &gathered}}));
}

V ClampedLoads::unheld(ir::ValueId v, unsigned depth, Values::Again& again) {
  if (is_elsewhere(code_, v)) return nullptr;
  const Form form = values_.get(v).form;
  if (form == Form::Uniform || form == Form::Linear || again.keeps(v)) return b_.getTrue();
  const ir::Inst* def = f_.def(v);
  if (!def || depth == 0 || !ir::is_int(values_.scalar_of(v))) return nullptr;
  switch (def->op) {
    case Op::Min:
    case Op::Max: return unheld_by_bound(v, depth, again);
    case Op::Select: return unheld_by_choice(v, depth, again);
    case Op::Rem: return unheld_by_period(v, depth, again);
    case Op::Cast:
    case Op::Add:
    case Op::Sub:
    case Op::Mul: break;
    default: return nullptr;
  }
  V all = b_.getTrue();
  for (const ir::ValueId operand : def->operands) {
    const V one = unheld(operand, depth - 1, again);
    if (!one) return nullptr;
    all = b_.CreateAnd(all, one);
  }
  again.keep(v);
  return pure_.emit_linear(*def) ? all : nullptr;
}

/// The smaller or the greater of a number that steps and a bound that is equal in the gang.
V ClampedLoads::unheld_by_bound(ir::ValueId v, unsigned depth, Values::Again& again) {
  const ir::Inst& def = *f_.def(v);
  if (is_elsewhere(code_, def.operands[0]) || is_elsewhere(code_, def.operands[1])) return nullptr;
  const bool left = values_.uniform(def.operands[0]);
  if (left == values_.uniform(def.operands[1])) return nullptr;
  const ir::ValueId steps = def.operands[left ? 1 : 0];
  const V inner = unheld(steps, depth - 1, again);
  const auto ends = inner ? lane_bounds_.bounds_of(steps) : std::nullopt;
  if (!ends || values_.get(steps).form != Form::Linear) return nullptr;
  const Scalar s = values_.scalar_of(v);
  const V bound = values_.scalar(def.operands[left ? 0 : 1]);
  const bool rises = values_.get(steps).step >= 0;
  const V free = def.op == Op::Min ? at_most(s, rises ? ends->last : ends->first, bound)
                                   : at_most(s, bound, rises ? ends->first : ends->last);
  again.keep(v);
  values_.set(v, Lowered(values_.get(steps)));
  return b_.CreateAnd(b_.CreateAnd(inner, ends->holds), free);
}

/// A choice between a number that steps and one that is equal in the gang: the one that steps,
/// where all lanes choose it.
V ClampedLoads::unheld_by_choice(ir::ValueId v, unsigned depth, Values::Again& again) {
  const ir::Inst& def = *f_.def(v);
  for (const ir::ValueId operand : def.operands)
    if (is_elsewhere(code_, operand)) return nullptr;
  const bool first = !values_.uniform(def.operands[1]);
  if (first == !values_.uniform(def.operands[2]) || values_.uniform(def.operands[0]))
    return nullptr;
  const ir::ValueId steps = def.operands[first ? 1 : 2];
  const V inner = unheld(steps, depth - 1, again),
          chosen = inner ? lane_bounds_.surely(def.operands[0], first) : nullptr;
  if (!chosen || values_.get(steps).form != Form::Linear) return nullptr;
  again.keep(v);
  values_.set(v, Lowered(values_.get(steps)));
  return b_.CreateAnd(inner, chosen);
}

/// What is left of a division by a number that is equal in the gang, for numbers in the first or
/// second period.
V ClampedLoads::unheld_by_period(ir::ValueId v, unsigned depth, Values::Again& again) {
  const ir::Inst& def = *f_.def(v);
  const ir::ValueId steps = def.operands[0];
  if (is_elsewhere(code_, steps) || is_elsewhere(code_, def.operands[1])) return nullptr;
  if (!values_.uniform(def.operands[1]) || values_.uniform(steps)) return nullptr;
  const V inner = unheld(steps, depth - 1, again);
  const auto ends = inner ? lane_bounds_.bounds_of(steps) : std::nullopt;
  if (!ends || values_.get(steps).form != Form::Linear) return nullptr;
  const Scalar s = values_.scalar_of(v);
  const V period = values_.scalar(def.operands[1]), zero = arith_.constant(s, 0);
  const bool rises = values_.get(steps).step >= 0;
  const V least = rises ? ends->first : ends->last, most = rises ? ends->last : ends->first;
  const V less = b_.CreateSelect(at_most(s, period, least), period, zero);
  // Of a most that is at least `less` the difference is less than the period; so is none of a
  // negative one.
  V free =
      b_.CreateAnd(at_most(s, zero, least), b_.CreateICmpULT(b_.CreateSub(most, less), period));
  free = b_.CreateAnd(free, at_most(s, zero, b_.CreateSub(period, arith_.constant(s, 1))));
  Lowered moved = values_.get(steps);
  for (V& base : moved.v) base = b_.CreateSub(base, less);
  again.keep(v);
  values_.set(v, std::move(moved));
  return b_.CreateAnd(b_.CreateAnd(inner, ends->holds), free);
}

V ClampedLoads::at_most(Scalar s, V a, V b) {
  return b_.CreateICmp(ir::is_signed_int(s) ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_ULE, a,
                       b);
}

}  // namespace krait::codegen::cpu
