// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/emit/pure.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "codegen/cpu/control/fissioned.h"
#include "codegen/cpu/emit/float_quotients.h"
#include "codegen/cpu/lanes/lane_bounds.h"
#include "codegen/cpu/emit/hint_notes.h"
#include "ir/walk.h"
#include "passes/rewrite.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

namespace {

/// Without changes of its size: a warp has 32 lanes.
const ir::Inst* uncast(const ir::Function& f, ir::ValueId v) {
  const ir::Inst* d = f.def(v);
  while (d && d->op == Op::Cast && ir::is_int(d->type.scalar) && ir::bits_of(d->type.scalar) >= 32)
    d = f.def(d->operands[0]);
  return d;
}
bool is_number(const ir::Function& f, ir::ValueId v, std::uint64_t number) {
  return f.is_const(v) && f.const_bits(v) == (number & passes::mask_of(f.type_of(v).scalar));
}
/// (1 << lane) - 1
bool are_lanes_below(const ir::Function& f, ir::ValueId v) {
  const ir::Inst* minus = uncast(f, v);
  if (!minus || !((minus->op == Op::Sub && is_number(f, minus->operands[1], 1)) ||
                  (minus->op == Op::Add && is_number(f, minus->operands[1], ~std::uint64_t(0)))))
    return false;
  const ir::Inst* shift = f.def(minus->operands[0]);
  if (!shift || shift->op != Op::Shl || !is_number(f, shift->operands[0], 1)) return false;
  const ir::Inst* lane = uncast(f, shift->operands[1]);
  return lane && lane->op == Op::LaneId;
}

}  // namespace

ir::ValueId votes_below(const ir::Function& f, ir::ValueId number) {
  const ir::Inst* count = f.def(number);
  const ir::Inst* both = count && count->op == Op::Popcount ? f.def(count->operands[0]) : nullptr;
  if (!both || both->op != Op::And) return ir::none;
  for (const unsigned i : {0u, 1u}) {
    const ir::Inst* votes = uncast(f, both->operands[i]);
    if (votes && votes->op == Op::Ballot && are_lanes_below(f, both->operands[1 - i]))
      return votes->results[0];
  }
  return ir::none;
}

Pure::Pure(const Common& common, FloatQuotients& quotients, LaneBounds& lane_bounds,
           HintNotes& notes)
    : Part(common), float_quotients_(quotients), lane_bounds_(lane_bounds), hint_notes_(notes) {
  if (shape_.lone && f_.fp == ir::FpMode::Fast) find_sums();
}

/// Of loops of a thread that runs alone: sums of floats that nothing reads before the loop's end,
/// so that fast code may add them in any order, as by vectors. No other operation may be put in
/// another order: functions rely on how they round.
void Pure::find_sums() {
  const passes::LoopExits exits(f_);
  ir::for_each_inst(f_, [&](ir::InstId loop, ir::RegionId) {
    if (!ir::is_loop(f_.insts[loop].op) || exits.continues[loop].size() != 1) return;
    const ir::RegionId body = f_.insts[loop].regions[0];
    const std::size_t lead = f_.insts[loop].op == Op::Loop ? 0 : 1;
    const ir::Inst& next = f_.insts[exits.continues[loop].front()];
    for (std::size_t k = 0; k < next.operands.size(); ++k) {
      const ir::ValueId param = f_.regions[body].params[k + lead], v = next.operands[k];
      const ir::Inst* sum = f_.def(v);
      if (!sum || !ir::is_float(sum->type.scalar) || ir::size_of(sum->type.scalar) < 4 ||
          uses_[v] != 1 || uses_[param] != 1)
        continue;
      if ((sum->op == Op::Add && (sum->operands[0] == param || sum->operands[1] == param)) ||
          (sum->op == Op::Fma && sum->operands[2] == param))
        sums_.insert(v);
    }
  });
}

/// A product is apart from its sum here; instruction selection puts them together again.
V Pure::emit_sum(const ir::Inst& inst, llvm::ArrayRef<V> x) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(b_);
  llvm::FastMathFlags flags;
  flags.setAllowContract(true);
  b_.setFastMathFlags(flags);
  const V term = inst.op == Op::Fma ? b_.CreateFMul(x[0], x[1]) : x[0];
  flags.setAllowReassoc(true);
  b_.setFastMathFlags(flags);
  return b_.CreateFAdd(term, x.back());
}

void Pure::emit_pure(const ir::Inst& inst) {
  bool varies = std::any_of(inst.operands.begin(), inst.operands.end(),
                            [&](ir::ValueId v) { return !values_.uniform(v); });
  Scalar operand = inst.operands.empty() ? Scalar::Void : values_.scalar_of(inst.operands[0]);
  if (inst.op == Op::Select) operand = inst.type.scalar;
  Few<V> x;
  if (!varies) {
    for (ir::ValueId v : inst.operands) x.push_back(values_.scalar(v));
    if (sums_.contains(inst.results[0]))
      return values_.set_uniform(inst.results[0], emit_sum(inst, x));
    values_.set_uniform(inst.results[0], arith_.pure(inst, f_.fp, operand, x));
    return;
  }
  if (emit_linear(inst) || emit_known(inst) || emit_linear_compare(inst)) return;
  hint_notes_.note_pure(inst);
  if (emit_close_quotients(inst) || float_quotients_.emit(inst)) return;
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p) {
    x.clear();
    for (std::size_t i = 0; i < inst.operands.size(); ++i) {
      ir::ValueId v = inst.operands[i];
      x.push_back(inst.op == Op::Select && i == 0 && values_.uniform(v) ? values_.scalar(v)
                                                                        : values_.part(v, p));
    }
    r.v.push_back(pure_part(inst, operand, x));
  }
  note_counted(inst, r);
  values_.set(inst.results[0], std::move(r));
}

/// Counted lanes, and these and a number that is equal, as an integer of any size that does not see
/// more than the narrower one holds.
void Pure::note_counted(const ir::Inst& inst, Lowered& r) {
  if (inst.op == Op::Popcount && shape_.machine.uses(Idiom::PrefixCounts))
    if (const ir::ValueId votes = votes_below(f_, inst.results[0]); votes != ir::none) {
      r.counted = values_.get(votes).counted;
      if (!r.counted.all()) r.from = b_.getInt32(0);
      return;
    }
  const bool adds = inst.op == Op::Add || inst.op == Op::Sub;
  if ((!adds && inst.op != Op::Cast) || !ir::is_int(inst.type.scalar)) return;
  const ir::ValueId first = inst.operands[0];
  const bool swaps = inst.op == Op::Add && values_.uniform(first);
  const Lowered& counted = values_.get(swaps ? inst.operands[1] : first);
  if (!counted.from) return;
  const Scalar s = inst.type.scalar, given = values_.scalar_of(first);
  if (adds) {
    const ir::ValueId other = inst.operands[swaps ? 0 : 1];
    if (!values_.uniform(other)) return;
    const V by = values_.scalar(other);
    r.from = inst.op == Op::Add ? b_.CreateAdd(counted.from, by) : b_.CreateSub(counted.from, by);
  } else {
    if (ir::bits_of(s) > ir::bits_of(given) && magnitude(first) >= ir::bits_of(given) - 1) return;
    r.from = arith_.cast(counted.from, given, s);
  }
  r.counted = counted.counted;
}

/// On vectors an operation of integers may be dozens of instructions, of which instruction
/// selection asks again and again what bits they can have: half of its time for a kernel that
/// counts bits at 16 places. Quick code calls such an operation.
V Pure::pure_part(const ir::Inst& inst, Scalar operand, llvm::ArrayRef<V> x) {
  const bool long_one = ir::is_int(operand) && ir::info(inst.op).cost != ir::Cost::Quick;
  if (!long_one || shape_.lanes == 1 || !shape_.machine.quick ||
      std::any_of(x.begin(), x.end(), llvm::IsaPred<llvm::Constant>))
    return arith_.pure(inst, f_.fp, operand, x);
  const std::string name = fmt::format("{}.{}", ir::info(inst.op).name, ir::name_of(operand));
  llvm::Function* function = code_.m.getFunction(name);
  if (!function) {
    std::vector<llvm::Type*> types;
    for (V v : x) types.push_back(v->getType());
    function = llvm::Function::Create(
        llvm::FunctionType::get(values_.lane_type(inst.type.scalar), types, false),
        llvm::GlobalValue::InternalLinkage, name, code_.m);
    code_.set_machine(*function);
    function->addFnAttr(llvm::Attribute::NoInline);
    llvm::IRBuilderBase::InsertPointGuard guard(b_);
    b_.SetInsertPoint(llvm::BasicBlock::Create(code_.c, "", function));
    b_.SetCurrentDebugLocation({});
    Few<V> parameters;
    for (llvm::Argument& a : function->args()) parameters.push_back(&a);
    b_.CreateRet(arith_.pure(inst, f_.fp, operand, parameters));
  }
  return b_.CreateCall(function, x);
}

/// Bits b with |v| < 2^b in every thread, or 64.
unsigned Pure::magnitude(ir::ValueId v, unsigned depth) const {
  const ir::Inst* inst = f_.def(v);
  Scalar s = values_.scalar_of(v);
  unsigned whole = ir::is_signed_int(s) ? ir::bits_of(s) - 1 : ir::bits_of(s);
  unsigned own = whole >= 63 ? 64 : whole;
  if (!inst || depth > 8 || !ir::is_int(s)) return own;
  auto of = [&](unsigned i) { return magnitude(inst->operands[i], depth + 1); };
  unsigned found = 64;
  switch (inst->op) {
    case Op::Const: {
      std::int64_t value =
          std::int64_t(inst->imm << (64 - ir::bits_of(s))) >> (64 - ir::bits_of(s));
      if (!ir::is_signed_int(s) && value < 0) return own;
      std::uint64_t m = value < 0 ? 0 - std::uint64_t(value) : std::uint64_t(value);
      found = 64 - unsigned(std::countl_zero(m));
      break;
    }
    case Op::ThreadIdx:
    case Op::BlockDim: found = 24; break;  // the runtime's limits
    case Op::BlockIdx:
    case Op::GridDim: found = 47; break;
    case Op::GlobalId:
    case Op::GlobalSize: found = 58; break;
    case Op::Extent: found = f_.facts.small ? 31 : 60; break;
    case Op::LaneId: found = 5; break;
    case Op::WarpPrefixCount: found = 5; break;
    case Op::Popcount: found = 7; break;
    case Op::Add:
    case Op::Sub: found = std::max(of(0), of(1)) + 1; break;
    case Op::Min:
    case Op::Max: found = std::max(of(0), of(1)); break;
    case Op::Mul: found = of(0) + of(1); break;
    case Op::Shr: found = of(0); break;  // rounds down: of -1 that is -1
    case Op::And:
    case Op::Div: {
      const ir::ValueId c = inst->operands[1];
      if (!f_.is_const(c) || f_.const_bits(c) == 0 ||
          (ir::is_signed_int(s) && f_.const_bits(c) >> whole & 1))
        return own;
      found = inst->op == Op::And ? magnitude(c, depth + 1) : of(0);
      break;
    }
    case Op::Cast: {
      if (!ir::is_int(values_.scalar_of(inst->operands[0]))) return own;
      found = of(0);
      break;
    }
    default: return own;
  }
  // A value that may be negative has no bound as an unsigned one, but for what a constant masks.
  if (!ir::is_signed_int(s) && inst->op != Op::Const && inst->op != Op::And) return own;
  return found <= whole ? found : own;
}

bool Pure::emit_linear(const ir::Inst& inst) {
  using Form = Lowered::Form;
  if (inst.results.size() != 1 || !ir::is_int(inst.type.scalar)) return false;
  if (inst.op != Op::Add && inst.op != Op::Sub && inst.op != Op::Mul && inst.op != Op::Cast)
    return false;
  for (ir::ValueId v : inst.operands)
    if (values_.get(v).form != Form::Linear && values_.get(v).form != Form::Uniform) return false;
  const Lowered& x = values_.get(inst.operands[0]);
  Scalar s = inst.type.scalar, from = values_.scalar_of(inst.operands[0]);
  Lowered r{Form::Linear, {}, 0};
  if (inst.op == Op::Cast) {
    if (!ir::is_int(from)) return false;
    // A wider type sees where the narrow one wraps.
    bool widens = ir::bits_of(s) > ir::bits_of(from);
    const unsigned bits = magnitude(inst.operands[0]);
    if (widens &&
        (ir::is_signed_int(from) ? bits >= ir::bits_of(from) - 1 : bits >= ir::bits_of(from)))
      return false;
    for (V base : x.v) r.v.push_back(arith_.cast(base, from, s));
    for (unsigned d : {0u, 1u, 2u})  // a step may be negative, whatever its type
      if (x.across[d]) r.across[d] = b_.CreateSExtOrTrunc(x.across[d], arith_.scalar_type(s));
    r.step = x.step;
    return values_.set(inst.results[0], std::move(r)), true;
  }
  const Lowered& y = values_.get(inst.operands[1]);
  if (inst.op == Op::Mul) {
    const Lowered& linear = x.form == Form::Linear ? x : y;
    const Lowered& factor = x.form == Form::Linear ? y : x;
    if (factor.form != Form::Uniform) return false;
    const V by = factor.v[0];
    for (V base : linear.v) r.v.push_back(b_.CreateMul(base, by));
    for (unsigned d : {0u, 1u, 2u})
      if (linear.across[d]) r.across[d] = b_.CreateMul(linear.across[d], by);
    if (auto* c = llvm::dyn_cast<llvm::ConstantInt>(by);
        c && c->getValue().abs().getActiveBits() <= 20) {
      r.step = linear.step * c->getSExtValue();
    } else if (linear.step) {
      const V along = b_.CreateMul(by, values_.integer(by->getType(), linear.step));
      r.across[0] = r.across[0] ? b_.CreateAdd(r.across[0], along) : along;
    }
    return values_.set(inst.results[0], std::move(r)), true;
  }
  bool add = inst.op == Op::Add;
  bool per_part = x.v.size() > 1 || y.v.size() > 1;
  for (unsigned p = 0; p < (per_part ? shape_.parts : 1); ++p) {
    V u = per_part ? values_.base_of_part(x, p) : x.v[0],
      w = per_part ? values_.base_of_part(y, p) : y.v[0];
    r.v.push_back(add ? b_.CreateAdd(u, w) : b_.CreateSub(u, w));
  }
  for (unsigned d : {0u, 1u, 2u}) {
    V u = x.across[d], w = y.across[d];
    if (u && w) r.across[d] = add ? b_.CreateAdd(u, w) : b_.CreateSub(u, w);
    else r.across[d] = w && !add ? b_.CreateNeg(w) : u ? u : w;
  }
  r.step = add ? x.step + y.step : x.step - y.step;
  return values_.set(inst.results[0], std::move(r)), true;
}

/// What the analysis of lanes found: one number, by scalars, and the lanes' distances from it.
bool Pure::emit_known(const ir::Inst& inst) {
  const LaneForm* form = d_.forms.find(inst.results[0]);
  if (!form) return false;
  V first = nullptr;
  if (form->multiple == 0) {
    first = values_.integer(arith_.scalar_type(inst.type.scalar), form->lanes[0]);
  } else {
    Few<V> x;
    for (const ir::ValueId v : inst.operands) {
      const Lowered& of = values_.get(v);
      const bool vectors = of.form == Lowered::Form::Parts || of.v.size() > 1;
      // where its lanes came through memory
      if (vectors && !form->equal()) return false;
      x.push_back(of.form == Lowered::Form::Uniform ? of.v[0]
                  : vectors ? b_.CreateExtractElement(values_.part(v, 0), std::uint64_t(0))
                            : values_.base_of_lane(of, 0));
    }
    first = arith_.pure(inst, f_.fp, values_.scalar_of(inst.operands[0]), x);
  }
  values_.set_known(inst.results[0], first, form->lanes);
  return true;
}

/// base + lane < bound is lane < bound - base: a comparison of 32-bit lane numbers, or steps,
/// instead of 64-bit indices.
bool Pure::emit_linear_compare(const ir::Inst& inst) {
  switch (inst.op) {
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge: break;
    default: return false;
  }
  Op op = inst.op;
  ir::ValueId linear = inst.operands[0], bound = inst.operands[1];
  // The linear side is the left one from here on.
  if (values_.get(linear).form == Lowered::Form::Uniform) {
    std::swap(linear, bound);
    op = op == Op::Lt ? Op::Gt : op == Op::Le ? Op::Ge : op == Op::Gt ? Op::Lt : Op::Le;
  }
  const Lowered& x = values_.get(linear);
  if (values_.scalar_of(linear) != Scalar::I64 || x.form != Lowered::Form::Linear ||
      (x.step != 1 && !shape_.is_brick()))
    return false;
  if (values_.get(bound).form != Lowered::Form::Uniform || magnitude(linear) > 61) return false;
  const auto steps = values_.known_steps(x);
  if (!steps) return false;
  // Neither side may overflow when they are subtracted: bounds beyond 2^61 compare as 2^61 does.
  V limit = values_.scalar(bound);
  if (magnitude(bound) > 61) {
    limit = arith_.min_max(true, Scalar::I64, limit, b_.getInt64(std::int64_t(1) << 61));
    limit = arith_.min_max(false, Scalar::I64, limit, b_.getInt64(-(std::int64_t(1) << 61)));
  }
  using P = llvm::CmpInst::Predicate;
  P predicate = op == Op::Lt   ? P::ICMP_SLT
                : op == Op::Le ? P::ICMP_SLE
                : op == Op::Gt ? P::ICMP_SGT
                               : P::ICMP_SGE;
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p) {
    const auto first = steps->begin() + p * shape_.lanes, end = first + shape_.lanes;
    Few<llvm::Constant*> lanes;
    for (auto step = first; step != end; ++step)
      lanes.push_back(values_.integer(b_.getInt32Ty(), *step - *first));
    // Clipped to just outside of the lanes' steps, so that 32 bits hold it and no comparison
    // changes.
    V rest = b_.CreateSub(limit, values_.base_of_part(x, p));
    rest = arith_.min_max(true, Scalar::I64, rest,
                          b_.getInt64(*std::max_element(first, end) - *first + 1));
    rest = arith_.min_max(false, Scalar::I64, rest,
                          b_.getInt64(*std::min_element(first, end) - *first - 1));
    V narrow = values_.splat(b_.CreateTrunc(rest, b_.getInt32Ty()));
    r.v.push_back(b_.CreateICmp(predicate, llvm::ConstantVector::get(lanes), narrow));
  }
  return values_.set(inst.results[0], std::move(r)), true;
}

/// Division of u64 by one number, for which x86 has no vectors, where no two lanes' quotients are
/// more than 1 apart, as those of consecutive numbers and a divisor of at least their count: a
/// comparison with where the greater one begins. Tested at run time.
bool Pure::emit_close_quotients(const ir::Inst& inst) {
  const ir::ValueId dividend = inst.operands[0];
  if (inst.op != Op::Div || inst.type.scalar != Scalar::U64 || shape_.lanes == 1 ||
      shape_.machine.quick)
    return false;
  if (!values_.uniform(inst.operands[1]) || f_.is_const(inst.operands[1]) ||
      values_.uniform(dividend))
    return false;
  const auto ends = lane_bounds_.bounds_of(dividend);
  if (!ends) return false;
  const V by = values_.scalar(inst.operands[1]);
  const auto divided = [&](V x) { return arith_.pure(inst, f_.fp, Scalar::U64, {x, by}); };
  const V first = divided(ends->first), last = divided(ends->last);
  const V less = arith_.min_max(true, Scalar::U64, first, last),
          more = arith_.min_max(false, Scalar::U64, first, last);
  // The quotients of the ends bound those between: one apart, and a comparison tells which it is.
  const V apart = b_.CreateSub(more, less), begins = b_.CreateMul(more, by);
  const V close = b_.CreateAnd(ends->holds, b_.CreateICmpULE(apart, b_.getInt64(1)));
  const Block near = code_.new_block("near"), far = code_.new_block("far"),
              next = code_.new_block("divided");
  b_.CreateCondBr(close, near, far);
  Lowered r{Lowered::Form::Parts, {}, 0};
  Few<V> found, others;
  code_.start(near);
  for (unsigned p = 0; p < shape_.parts; ++p) {
    const V plus =
        b_.CreateSelect(b_.CreateICmpUGE(values_.part(dividend, p), values_.splat(begins)),
                        values_.splat(apart), values_.splat(b_.getInt64(0)));
    found.push_back(b_.CreateAdd(values_.splat(less), plus));
  }
  code_.branch_to(next);
  code_.start(far);
  for (unsigned p = 0; p < shape_.parts; ++p)
    others.push_back(
        arith_.pure(inst, f_.fp, Scalar::U64, {values_.part(dividend, p), values_.splat(by)}));
  code_.branch_to(next);
  code_.start(next);
  for (unsigned p = 0; p < shape_.parts; ++p) {
    llvm::PHINode* x = b_.CreatePHI(values_.lane_type(Scalar::U64), 2);
    x->addIncoming(found[p], near), x->addIncoming(others[p], far);
    r.v.push_back(x);
  }
  values_.set(inst.results[0], std::move(r));
  return true;
}

void Pure::compute_again(ir::ValueId v, unsigned depth, Values::Again& again) {
  const ir::Inst* def = f_.def(v);
  if (values_.get(v).form != Lowered::Form::Parts || !def || depth == 0 || is_elsewhere(code_, v))
    return;
  if (again.keeps(v)) return;
  switch (def->op) {
    case Op::Cast:
    case Op::Add:
    case Op::Sub:
    case Op::Div:
    case Op::Shr:
    case Op::Min:
    case Op::Max:
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge:
    case Op::And:
    case Op::Or:
    case Op::Select: break;
    default: return;
  }
  for (const ir::ValueId operand : def->operands) compute_again(operand, depth - 1, again);
  again.keep(v);
  emit_pure(*def);
}

}  // namespace krait::codegen::cpu
