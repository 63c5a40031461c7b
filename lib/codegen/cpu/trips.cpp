// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `for` loops whose number of trips is computed from the thread's place: for (i = thread; i < bound; i += step). Lanes side by side make
// the same number of trips, or one more. What the number is at the two ends of the gang is computed on scalars, with tests at run time that
// it lies between these in every other lane. So many trips as all lanes make run first, without masks and by a scalar counter; the
// loop under masks makes what is left, and computes there what each lane's number is.
#include <algorithm>

#include "codegen/cpu/emitter.h"
#include "ir/walk.h"
#include "support/tuning_cpu.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

namespace {

constexpr unsigned deepest = 16;  // operations from a thread's place to a number of trips; a range has 7, casts on top

}  // namespace

/// Between which two numbers v is in all lanes of the gang: v's values for two lanes' positions that enclose all others, and whether they
/// do enclose v, by its type's order. Follows operations that keep or reverse order; none where there is another one.
std::optional<Emitter::Hull> Emitter::hull(ir::ValueId v, unsigned depth) {
  using Form = Lowered::Form;
  const Lowered& x = get(v);
  const Scalar s = scalar_of(v);
  if (segment_ && !at_hand(v)) return {};
  if (x.form == Form::Uniform) return Hull{x.v[0], x.v[0], b_.getTrue()};
  if (x.form == Form::Linear) {
    if (x.v.size() > 1 || x.across[0] || x.across[1] || ir::bits_of(s) < 32 || std::abs(x.step) > 1 << 20) return {};
    const V first = x.v[0], last = b_.CreateAdd(first, integer(first->getType(), x.step * (shape_.width() - 1)));
    return Hull{first, last, x.step >= 0 ? at_most(s, first, last) : at_most(s, last, first)};
  }
  const ir::Inst* def = f_.def(v);
  if (!def || depth == 0 || def->results.size() != 1) return {};
  const auto of = [&](unsigned k) { return hull(def->operands[k], depth - 1); };
  const auto apply = [&](Scalar operand, llvm::ArrayRef<V> operands) { return arith_.pure(*def, f_.fp, operand, operands); };
  /// The order of the results is that of the operands, or its reverse: of numbers that begin again at the type's end only a part does else.
  const auto ordered = [&](Scalar from, const Hull& h, V first, V last, bool reversed) {
    const V kept = b_.CreateICmpEQ(at_most(from, h.first, h.last), reversed ? at_most(s, last, first) : at_most(s, first, last));
    return Hull{first, last, b_.CreateAnd(h.holds, kept)};
  };
  switch (def->op) {
    case Op::Cast: {
      const Scalar from = scalar_of(def->operands[0]);
      if (!ir::is_int(from) || !ir::is_int(s)) return {};
      auto h = of(0);
      if (!h) return {};
      const V first = arith_.cast(h->first, from, s), last = arith_.cast(h->last, from, s);
      if (ir::bits_of(s) <
          ir::bits_of(from)) {  // what lies between two numbers that fit does too, unless the type begins again between them
        const auto fits = [&](V narrow, V number) { return b_.CreateICmpEQ(arith_.cast(narrow, s, from), number); };
        h->holds = b_.CreateAnd(h->holds, b_.CreateAnd(fits(first, h->first), fits(last, h->last)));
      }
      return ordered(from, *h, first, last, false);
    }
    case Op::Add:
    case Op::Sub: {
      if (!ir::is_int(s)) return {};
      const bool left = uniform(def->operands[0]);
      if (left == uniform(def->operands[1])) return {};
      const auto h = of(left ? 1 : 0);
      if (!h) return {};
      const V other = scalar(def->operands[left ? 0 : 1]);
      const auto result = [&](V end) { return left ? apply(s, {other, end}) : apply(s, {end, other}); };
      return ordered(s, *h, result(h->first), result(h->last), left && def->op == Op::Sub);
    }
    case Op::Div:
    case Op::Shr: {
      if (!ir::is_int(s) || ir::is_signed_int(s) || !uniform(def->operands[1])) return {};
      auto h = of(0);
      if (!h) return {};
      const V by = scalar(def->operands[1]);
      return Hull{apply(s, {h->first, by}), apply(s, {h->last, by}), h->holds};
    }
    case Op::Min:
    case Op::Max: {
      const bool left = uniform(def->operands[0]);
      if (!ir::is_int(s) || left == uniform(def->operands[1])) return {};
      const auto h = of(left ? 1 : 0);
      if (!h) return {};
      const V other = scalar(def->operands[left ? 0 : 1]);
      return Hull{apply(s, {h->first, other}), apply(s, {h->last, other}), h->holds};
    }
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge: {
      const Scalar from = scalar_of(def->operands[0]);
      const bool left = uniform(def->operands[0]);
      if (!ir::is_int(from) || left == uniform(def->operands[1])) return {};
      const auto h = of(left ? 1 : 0);
      if (!h) return {};
      const V other = scalar(def->operands[left ? 0 : 1]);
      const auto result = [&](V end) { return left ? apply(from, {other, end}) : apply(from, {end, other}); };
      return Hull{result(h->first), result(h->last), h->holds};
    }
    case Op::Select: {
      if (!ir::is_int(s)) return {};
      const auto of_three = [&](unsigned k) { return hull(def->operands[k], depth / 2); };
      const auto condition = of_three(0), chosen = of_three(1), other = of_three(2);
      if (!condition || !chosen || !other) return {};
      const V one = b_.CreateAnd(condition->holds, b_.CreateICmpEQ(condition->first, condition->last));
      const auto select = [&](V a, V b) { return b_.CreateSelect(condition->first, a, b); };
      return Hull{select(chosen->first, other->first), select(chosen->last, other->last),
                  b_.CreateAnd(one, select(chosen->holds, other->holds))};
    }
    default: return {};
  }
}

llvm::Value* Emitter::at_most(Scalar s, V a, V b) {
  return b_.CreateICmp(ir::is_signed_int(s) ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_ULE, a, b);
}

/// Whether the lanes of a loop differ in nothing but how often they make all of its body.
bool Emitter::only_trips_differ(ir::InstId id) const {
  const ir::Inst& inst = f_.insts[id];
  if (inst.op != Op::For || uniform(inst.operands[0]) || d_.returns[id] || d_.continues[id] != 1) return false;
  const auto& insts = f_.regions[inst.regions[0]].insts;
  if (f_.insts[insts.back()].op != Op::Continue || d_.masked[insts.back()]) return false;
  std::size_t operations = 0;
  const auto stays = [&](auto&& self, ir::RegionId r, bool own) -> bool {
    for (const ir::InstId i : f_.regions[r].insts) {
      const ir::Inst& inner = f_.insts[i];
      ++operations;
      if (own && inner.op == Op::Break) return false;
      for (const ir::RegionId side : inner.regions)
        if (!self(self, side, own && !ir::is_loop(inner.op))) return false;
    }
    return true;
  };
  return stays(stays, inst.regions[0], true) && operations <= tuning::cpu::twice_limit;
}

/// Division of u64 by one number, for which x86 has no vectors, where no two lanes' quotients are more than 1 apart, as those of consecutive
/// numbers and a divisor of at least their count: a comparison with where the greater one begins. Tested at run time.
bool Emitter::emit_close_quotients(const ir::Inst& inst) {
  const ir::ValueId dividend = inst.operands[0];
  if (inst.op != Op::Div || inst.type.scalar != Scalar::U64 || shape_.lanes == 1 || shape_.machine.quick) return false;
  if (!uniform(inst.operands[1]) || f_.is_const(inst.operands[1]) || uniform(dividend)) return false;
  const auto ends = hull(dividend, deepest);
  if (!ends) return false;
  const V by = scalar(inst.operands[1]);
  const auto divided = [&](V x) { return arith_.pure(inst, f_.fp, Scalar::U64, {x, by}); };
  const V first = divided(ends->first), last = divided(ends->last);
  const V less = arith_.min_max(true, Scalar::U64, first, last), more = arith_.min_max(false, Scalar::U64, first, last);
  const V apart = b_.CreateSub(more, less), begins = b_.CreateMul(more, by);
  const V close = b_.CreateAnd(ends->holds, b_.CreateICmpULE(apart, b_.getInt64(1)));
  const Block near = new_block("near"), far = new_block("far"), next = new_block("divided");
  b_.CreateCondBr(close, near, far);
  Lowered r{Lowered::Form::Parts, {}, 0};
  Few<V> found, others;
  start(near);
  for (unsigned p = 0; p < shape_.parts; ++p) {
    const V plus = b_.CreateSelect(b_.CreateICmpUGE(part(dividend, p), splat(begins)), splat(apart), splat(b_.getInt64(0)));
    found.push_back(b_.CreateAdd(splat(less), plus));
  }
  branch_to(next);
  start(far);
  for (unsigned p = 0; p < shape_.parts; ++p)
    others.push_back(arith_.pure(inst, f_.fp, Scalar::U64, {part(dividend, p), splat(by)}));
  branch_to(next);
  start(next);
  for (unsigned p = 0; p < shape_.parts; ++p) {
    llvm::PHINode* x = b_.CreatePHI(lane_type(Scalar::U64), 2);
    x->addIncoming(found[p], near), x->addIncoming(others[p], far);
    r.v.push_back(x);
  }
  set(inst.results[0], std::move(r));
  return true;
}

/// The trips that all lanes make. Ends where the loop under masks begins, for what is left.
void Emitter::emit_common_trips(Loop& loop) {
  const ir::Inst& inst = *loop.inst;
  if (shape_.lanes == 1 || shape_.machine.quick || masked_copy_ || !everyone() || !only_trips_differ(loop.id)) return;
  const ir::ValueId bound = inst.operands[0];
  const Scalar s = scalar_of(bound);
  if (ir::is_signed_int(s)) return;
  const auto ends = hull(bound, deepest);
  if (!ends || (llvm::isa<llvm::ConstantInt>(ends->holds) && llvm::cast<llvm::ConstantInt>(ends->holds)->isZero())) return;
  const V zero = arith_.constant(s, 0);
  const V trips = b_.CreateSelect(ends->holds, arith_.min_max(true, s, ends->first, ends->last), zero);
  const V same = b_.CreateAnd(ends->holds, b_.CreateICmpEQ(ends->first, ends->last));

  const auto& params = f_.regions[inst.regions[0]].params;
  Loop common = loop;
  common.masked = false;
  common.head = new_block("common"), common.exit = new_block("common_left");
  const Mask before = active_;
  const bool tail = tail_, some = some_;
  branch_to(common.head);
  start(common.head);
  for (std::size_t i = 1; i < params.size(); ++i) set(params[i], read(loop.params[i - 1]));
  const V trip = read(loop.trip).v[0];
  set_uniform(params[0], trip);
  const Block body = new_block("body");
  b_.CreateCondBr(b_.CreateICmpULT(trip, trips), body, common.exit);
  start(body);
  b_.CreateStore(b_.CreateAdd(trip, llvm::ConstantInt::get(trip->getType(), 1)), loop.trip.at[0]);
  loops_.push_back(common);
  tail_ = true;
  emit_region(inst.regions[0]);
  loops_.pop_back();
  start(common.exit);
  active_ = before, tail_ = tail, some_ = some;
  for (std::size_t i = 0; i < inst.results.size(); ++i)
    if (uses_[inst.results[i]]) write(loop.results[i], read(loop.params[i]));
  const Block rest = new_block("rest");
  b_.CreateCondBr(same, loop.exit, rest);
  start(rest);
  loop.rest = true;
  compute_again(bound, deepest, loop.outside);
}

/// Lowers what `hull` followed once more, where the lanes' own values are wanted after all: gangs that get by with the hull do not compute them.
void Emitter::compute_again(ir::ValueId v, unsigned depth, std::vector<std::pair<ir::ValueId, Lowered>>& outside) {
  const ir::Inst* def = f_.def(v);
  if (get(v).form != Lowered::Form::Parts || !def || depth == 0 || (segment_ && !at_hand(v))) return;
  if (std::any_of(outside.begin(), outside.end(), [&](const auto& saved) { return saved.first == v; })) return;
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
  for (const ir::ValueId operand : def->operands) compute_again(operand, depth - 1, outside);
  outside.emplace_back(v, get(v));
  emit_pure(*def);
}

}  // namespace krait::codegen::cpu
