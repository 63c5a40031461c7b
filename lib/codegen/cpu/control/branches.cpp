// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/control/branches.h"

#include <algorithm>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>

#include "codegen/cpu/control/one_lane.h"
#include "codegen/cpu/lanes/lane_bounds.h"
#include "codegen/cpu/emit/hint_notes.h"
#include "codegen/cpu/emit/pure.h"
#include "support/tuning/cpu.h"
#include "support/tuning/passes.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

/// Jumps to the side that the condition chooses, or to `next`.
void Branches::branch_on(const ir::Inst& inst, const Few<Block>& sides, Block next) {
  const V condition = values_.scalar(inst.operands[0]);
  if (inst.op == Op::If) {
    b_.CreateCondBr(condition, sides[0], sides.size() > 1 ? sides[1] : next,
                    branch_weights(code_.c, inst.expected));
    return;
  }
  llvm::SwitchInst* table = b_.CreateSwitch(condition, sides.back(), unsigned(inst.list.size()));
  for (std::size_t i = 0; i + 1 < inst.regions.size(); ++i) {
    llvm::APInt value(64, std::uint64_t(inst.list[i]));
    table->addCase(
        llvm::ConstantInt::get(code_.c, value.trunc(condition->getType()->getIntegerBitWidth())),
        sides[i]);
  }
}

Flow Branches::emit_uniform_branch(ir::InstId id) {
  const ir::Inst& inst = f_.insts[id];
  struct Edge {
    Block from;
    Mask mask;
    Exit exit;
  };
  std::vector<Edge> edges;
  Few<Block> sides;
  for (std::size_t i = 0; i < inst.regions.size(); ++i) sides.push_back(code_.new_block("side"));
  const Block here = b_.GetInsertBlock(), next = code_.new_block("join");
  branch_on(inst, sides, next);
  if (inst.op == Op::If && sides.size() == 1) edges.push_back({here, lanes_.active, {true, {}}});
  bool some_after = true;
  const ir::Inst* parted = lanes_.parted;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Lanes::Scope side(lanes_);
    code_.start(sides[i]);
    Exit exit = control_.emit_region(inst.regions[i]);
    if (!code_.open) continue;
    edges.push_back({b_.GetInsertBlock(), lanes_.active, std::move(exit)});
    some_after &= lanes_.some && edges.back().exit.yields;
    parted = lanes_.parted;
    code_.branch_to(next);
  }
  code_.start(next);
  if (edges.empty()) {  // every side jumped
    b_.CreateUnreachable();
    code_.open = false;
    return Flow::Dead;
  }
  std::vector<std::pair<Block, Mask>> masks;
  bool yields = false;
  for (Edge& e : edges) {
    yields |= e.exit.yields;
    // they took a masked jump
    if (!e.exit.yields) e.mask.parts.assign(shape_.parts, lanes_.no_lane());
    masks.emplace_back(e.from, e.mask);
  }
  lanes_.some = some_after, lanes_.parted = parted;
  if (!yields) return Flow::Dead;
  lanes_.active = lanes_.join_masks(masks);
  for (std::size_t r = 0; r < inst.results.size(); ++r) {
    std::vector<std::pair<Block, const Lowered*>> incoming;
    for (Edge& e : edges)
      incoming.emplace_back(e.from, e.exit.yields ? &e.exit.values[r] : nullptr);
    values_.set(inst.results[r], incoming.size() == 1 ? *incoming[0].second
                                                      : values_.join(inst.results[r], incoming));
  }
  return Flow::Next;
}

bool Branches::flattens(const ir::Inst& inst) const {
  unsigned count = 0;
  for (ir::RegionId r : inst.regions) {
    for (ir::InstId id : f_.regions[r].insts) {
      const ir::Inst& inner = f_.insts[id];
      if (inner.op == Op::Yield) continue;
      switch (ir::info(inner.op).effect) {
        case ir::Effect::Pure:
          if (ir::divides(inner.op)) count += 4;
          break;
        case ir::Effect::Read:
        case ir::Effect::Write:
          if (inner.operands.size() < 2 || !d_.varying(inner.operands[1])) return false;
          ++count;
          break;
        default: return false;
      }
      ++count;
    }
  }
  return count <= tuning::passes::flat_limit;
}

/// One side of a divergent branch: tells its values and its lanes' mask where it ends.
void Branches::emit_side(Side& side, bool last) {
  const Lanes::Scope scope(lanes_);
  lanes_.active = side.mask, lanes_.some = false, lanes_.tail = false;
  side.after = side.mask;
  const auto& insts = f_.regions[side.region].insts;
  if (insts.size() == 1 && (f_.insts[insts[0]].op == Op::Yield || d_.masked[insts[0]])) {
    side.exit = control_.emit_region(side.region);
    side.alive = side.exit.yields;
    return;
  }
  Block body = code_.new_block("side"), next = code_.new_block("join");
  b_.CreateCondBr(lanes_.any(side.mask), body, next);
  Block skip_from = b_.GetInsertBlock();
  code_.start(body);
  lanes_.some = true, lanes_.tail = last;
  side.exit = emit_body(side);
  side.alive = side.exit.yields;
  if (!code_.open) return code_.start(next);
  Block end = b_.GetInsertBlock();
  code_.branch_to(next);
  code_.start(next);
  if (!side.alive) return;
  side.after = lanes_.join_masks({{end, lanes_.active}, {skip_from, side.mask}});
  const ir::Inst& parent = f_.insts[f_.regions[side.region].parent];
  for (std::size_t i = 0; i < side.exit.values.size(); ++i) {
    Lowered value = side.exit.values[i];
    if (!uses_[parent.results[i]]) continue;
    side.exit.values[i] = values_.join(parent.results[i], {{end, &value}, {skip_from, nullptr}});
  }
}

/// An if that only computes, loops, loads and stores: a guard against the border, mostly. Without
/// AVX-512 a masked store of a vector costs a dozen plain ones (Zen 3: Jacobi was 2.6 times as
/// slow), and there is no masked load of bytes, so gangs whose lanes all go there get code without
/// masks. So do accesses to elements apart, as by bricks of short rows, to members of aggregates,
/// and by data: under a mask they are gathers, or go lane by lane. Large functions are made quickly
/// without.
bool Branches::gains_from_whole(const ir::Inst& inst, ir::RegionId side) const {
  if (shape_.lanes == 1 || inst.op != Op::If || lanes_.masked_copy ||
      (shape_.machine.quick && code_.is_large()))
    return false;
  Guarded found;
  if (!only_accesses(side, found) || found.instructions > tuning::cpu::whole_limit || found.packed)
    return false;
  if (!inst.results.empty()) return found.narrow;
  if (!found.stores) return false;
  const bool masks_are_free =
      shape_.machine.level >= CpuLevel::Avx512 && shape_.width() >= shape_.lanes;
  return !masks_are_free || found.members || found.apart ||
         (found.shared && compares_place(inst.operands[0]));
}

/// Whether the machine has an instruction for a load under a mask, from wherever the lanes'
/// elements lie. None gathers bytes.
bool Branches::masks_load(const ir::Inst& inst) const {
  if (ir::size_of(inst.type.scalar) < 4 && lies_apart(inst.operands[1])) return false;
  return shape_.machine.level >= CpuLevel::Avx512 ||
         shape_.machine.gathers(ir::bits_of(inst.type.scalar)) || !d_.varying(inst.operands[1]);
}

/// Whether a condition holds on one side of a border: of most gangs for all lanes or for none.
bool Branches::compares_place(ir::ValueId condition) const {
  const ir::Inst* d = f_.def(condition);
  if (!d) return false;
  if (d->op == Op::And) return compares_place(d->operands[0]) && compares_place(d->operands[1]);
  if (d->op != Op::Lt && d->op != Op::Le && d->op != Op::Gt && d->op != Op::Ge) return false;
  const Lowered &x = values_.get(d->operands[0]), &y = values_.get(d->operands[1]);
  return (x.form == Lowered::Form::Linear && y.form == Lowered::Form::Uniform) ||
         (y.form == Lowered::Form::Linear && x.form == Lowered::Form::Uniform);
}

/// Whether lanes' indices are loaded, or a product of what differs between lanes.
bool Branches::lies_apart(ir::ValueId index, unsigned depth) const {
  const ir::Inst* d = f_.def(index);
  if (!d || depth == 0 || !d_.varying(index)) return false;
  if (d->op == Op::Load || d->op == Op::LoadVec || d->op == Op::Mul || d->op == Op::Shl)
    return true;
  if (d->op != Op::Cast && d->op != Op::Add && d->op != Op::Sub && d->op != Op::Or) return false;
  return std::any_of(d->operands.begin(), d->operands.end(),
                     [&](ir::ValueId v) { return lies_apart(v, depth - 1); });
}

/// Whether lanes' elements lie by how many lanes are below: these are lanes of a mask, as the
/// side's are, and one access of all lanes is no faster.
bool Branches::is_counted(ir::ValueId index, unsigned depth) const {
  const ir::Inst* d = f_.def(index);
  if (!d || depth == 0 || !d_.varying(index)) return false;
  if (d->op == Op::Cast || d->op == Op::Add || d->op == Op::Sub)
    return std::any_of(d->operands.begin(), d->operands.end(),
                       [&](ir::ValueId v) { return is_counted(v, depth - 1); });
  return d->op == Op::WarpPrefixCount ||
         (shape_.machine.uses(Idiom::PrefixCounts) && votes_below(f_, index) != ir::none);
}

/// `within`: in a loop of the side, which lanes may leave, as they meet again behind it.
bool Branches::only_accesses(ir::RegionId r, Guarded& found, bool within) const {
  for (ir::InstId id : f_.regions[r].insts) {
    const ir::Inst& inner = f_.insts[id];
    const ir::Effect effect = ir::info(inner.op).effect;
    ++found.instructions;
    if (!inner.regions.empty()) {
      if ((d_.kills[id] && !within) || d_.returns[id] || inner.op == Op::GridStride) return false;
      for (ir::RegionId side : inner.regions)
        if (!only_accesses(side, found, within || ir::is_loop(inner.op))) return false;
      continue;
    }
    const bool access = inner.op == Op::Load || inner.op == Op::Store;
    found.stores = found.stores || effect == ir::Effect::Write;
    found.members = found.members || (access && f_.type_of(inner.operands[0]).index_bytes() >
                                                    ir::size_of(inner.type.scalar));
    found.shared = found.shared || (effect == ir::Effect::Write &&
                                    f_.type_of(inner.operands[0]).space == ir::Space::Shared);
    found.apart = found.apart || ((access || inner.op == Op::LoadVec || inner.op == Op::StoreVec) &&
                                  lies_apart(inner.operands[1]));
    found.packed = found.packed || (access && is_counted(inner.operands[1]));
    found.narrow = found.narrow || (inner.op == Op::Load && !masks_load(inner));
    const bool goes_on = inner.op == Op::Yield || inner.op == Op::Continue || inner.op == Op::Break;
    if (!goes_on && inner.op != Op::Local && effect != ir::Effect::Pure &&
        effect != ir::Effect::Read && effect != ir::Effect::Write)
      return false;
  }
  return true;
}

/// Whether all lanes go to the side: by the condition for the gang's first and last lane, where the
/// other side has nothing to do, so that nobody else wants to know which lanes go there. Null where
/// that does not tell.
V Branches::surely_whole(const ir::Inst& inst, const Side& side) {
  const bool first = side.region == inst.regions[0];
  const bool alone = f_.regions[inst.regions[first ? 1 : 0]].insts.size() == 1;
  return alone && lanes_.active.all() ? lane_bounds_.surely(inst.operands[0], first) : nullptr;
}

/// The side's code for gangs whose lanes all go there.
Exit Branches::emit_whole(ir::RegionId side) {
  const Lanes::Scope scope(lanes_);
  lanes_.active = lanes_.full, lanes_.some = true, lanes_.tail = false;
  return control_.emit_region(side);
}

/// The side's lanes, where gangs that get by with the condition for two lanes have not computed
/// them.
void Branches::find_lanes_again(const ir::Inst& inst, Side& side, Values::Again& again) {
  pure_.compute_again(inst.operands[0], LaneBounds::deepest, again);
  side.chosen.clear(), side.mask.parts.clear();
  for (unsigned p = 0; p < shape_.parts; ++p) {
    const V c = values_.part(inst.operands[0], p);
    side.chosen.push_back(side.region == inst.regions[0] ? c : b_.CreateNot(c));
  }
  side.mask.parts = side.chosen;
}

void Branches::emit_whole_or_masked(const ir::Inst& inst, Side& side) {
  Block whole = code_.new_block("whole"), masked = code_.new_block("masked"),
        next = code_.new_block("join");
  const V sure = surely_whole(inst, side);
  b_.CreateCondBr(sure ? sure : lanes_.every(side.mask), whole, masked);
  code_.start(whole);
  const Exit exit = emit_whole(side.region);
  const Block whole_end = b_.GetInsertBlock();
  code_.branch_to(next);
  code_.start(masked);
  Side rest = side;
  {
    const Lanes::Scope scope(lanes_);
    Values::Again again(values_);
    if (sure) find_lanes_again(inst, rest, again);
    lanes_.masked_copy = true;
    emit_side(rest, false);
  }
  const Block masked_end = b_.GetInsertBlock();
  code_.branch_to(next);
  code_.start(next);
  side.exit = std::move(rest.exit), side.alive = true;
  join_copies(inst, whole_end, exit.values, masked_end, side.exit.values);
}

/// The values of an if's side, of which there are two copies: those of the second one become what
/// both give.
void Branches::join_copies(const ir::Inst& inst, Block whole, const std::vector<Lowered>& values,
                           Block masked, std::vector<Lowered>& joined) {
  for (std::size_t r = 0; r < inst.results.size(); ++r)
    if (uses_[inst.results[r]])
      joined[r] = values_.join(inst.results[r], {{whole, &values[r]}, {masked, &joined[r]}});
}

/// The region of an if that computes, where the other one only passes values on; none where both do
/// either.
ir::RegionId Branches::only_body(const ir::Inst& inst) const {
  if (inst.op != Op::If || inst.regions.size() != 2) return ir::none;
  const auto passes_on = [&](ir::RegionId r) {
    return f_.insts[f_.regions[r].insts[0]].op == Op::Yield;
  };
  const bool first = passes_on(inst.regions[0]), second = passes_on(inst.regions[1]);
  return first == second ? ir::none : inst.regions[first];
}

/// Such an if. Its values are blended where the body ends, so that a gang that jumps over it pays
/// for the test and nothing else: blended behind the join, a logarithm kept four vectors on the
/// stack for a path that it did not take.
void Branches::emit_one_sided(const ir::Inst& inst, ir::RegionId body,
                              const std::vector<Side>& sides) {
  const bool first = body == inst.regions[0];
  const Side& own = sides[first ? 0 : 1];
  Few<V> chosen = own.chosen;
  if (chosen.empty())
    for (V c : sides[0].chosen) chosen.push_back(b_.CreateNot(c));
  std::vector<Lowered> kept, results;
  for (ir::ValueId v : f_.insts[f_.regions[inst.regions[first]].insts[0]].operands)
    kept.push_back(values_.get(v));
  Block side = code_.new_block("side"), next = code_.new_block("join");
  const bool rare = ir::calls_rare(code_.functions.module, f_, body);
  b_.CreateCondBr(lanes_.any(own.mask), side, next,
                  rare ? llvm::MDBuilder(code_.c).createUnlikelyBranchWeights() : nullptr);
  const Block skip_from = b_.GetInsertBlock();
  code_.start(side);
  Exit exit;
  {
    const Lanes::Scope scope(lanes_);
    enter_side(inst, body);
    lanes_.active = own.mask, lanes_.some = true, lanes_.tail = false;
    exit = emit_body(own);
  }
  if (!code_.open) {  // all lanes left together
    code_.start(next);
    for (std::size_t r = 0; r < kept.size(); ++r) values_.set(inst.results[r], kept[r]);
    return;
  }
  for (std::size_t r = 0; exit.yields && r < kept.size(); ++r) {
    Lowered blended{Lowered::Form::Parts, {}, 0};
    const Scalar s = values_.scalar_of(inst.results[r]);
    for (unsigned p = 0; uses_[inst.results[r]] && p < shape_.parts; ++p)
      blended.v.push_back(b_.CreateSelect(chosen[p], values_.part(exit.values[r], s, p),
                                          values_.part(kept[r], s, p)));
    results.push_back(std::move(blended));
  }
  const Block end = b_.GetInsertBlock();
  code_.branch_to(next);
  code_.start(next);
  for (std::size_t r = 0; r < kept.size(); ++r) {
    const ir::ValueId v = inst.results[r];
    if (uses_[v])
      values_.set(
          v, exit.yields ? values_.join(v, {{end, &results[r]}, {skip_from, &kept[r]}}) : kept[r]);
  }
}

/// Such an if, with a copy without masks.
void Branches::emit_whole_or_one_sided(const ir::Inst& inst, ir::RegionId body,
                                       std::vector<Side> sides) {
  const Lanes::Scope scope(lanes_);
  enter_side(inst, body);
  Side& own = sides[body == inst.regions[0] ? 0 : 1];
  const Block whole = code_.new_block("whole"), masked = code_.new_block("masked"),
              next = code_.new_block("join");
  const V sure = surely_whole(inst, own);
  b_.CreateCondBr(sure ? sure : lanes_.every(own.mask), whole, masked);
  code_.start(whole);
  const Exit exit = emit_whole(body);
  const Block whole_end = b_.GetInsertBlock();
  code_.branch_to(next);
  code_.start(masked);
  std::vector<Lowered> results;
  {
    Values::Again again(values_);
    if (sure) find_lanes_again(inst, own, again);
    lanes_.masked_copy = true;
    emit_one_sided(inst, body, sides);
    for (const ir::ValueId v : inst.results) results.push_back(values_.get(v));
  }
  const Block masked_end = b_.GetInsertBlock();
  code_.branch_to(next);
  code_.start(next);
  join_copies(inst, whole_end, exit.values, masked_end, results);
  for (std::size_t r = 0; r < inst.results.size(); ++r)
    if (uses_[inst.results[r]]) values_.set(inst.results[r], std::move(results[r]));
}

/// The sides with their masks; `rest` becomes that of the lanes that go to none of them but the
/// last.
std::vector<Branches::Side> Branches::sides_of(const ir::Inst& inst, Mask& rest) {
  std::vector<Side> sides;
  for (std::size_t i = 0; i < inst.regions.size(); ++i) {
    Side side{inst.regions[i], {}, {}, {}, {}, {}, {}};
    const bool last = i + 1 == inst.regions.size() && (inst.op == Op::Switch || i > 0);
    if (last) {
      side.mask = rest;
    } else {
      for (unsigned p = 0; p < shape_.parts; ++p) {
        V c = values_.part(inst.operands[0], p);
        if (inst.op == Op::Switch) {
          const unsigned width = c->getType()->getScalarSizeInBits();
          c = b_.CreateICmpEQ(
              c, llvm::ConstantInt::get(c->getType(),
                                        llvm::APInt(64, std::uint64_t(inst.list[i])).trunc(width)));
        }
        side.chosen.push_back(c);
      }
      side.mask = lanes_.both(rest, {side.chosen});
      rest = lanes_.others(rest, side.mask);
    }
    sides.push_back(std::move(side));
  }
  return sides;
}

/// An if both of whose sides have a copy without masks, on a condition of places: a gang that is on
/// one side of the border goes there, and only gangs in which the border lies know masks. False
/// where it is no such if.
bool Branches::emit_either_or_masked(const ir::Inst& inst) {
  if (inst.op != Op::If || inst.regions.size() != 2 || !lanes_.active.all()) return false;
  for (const ir::RegionId r : inst.regions)
    if (f_.regions[r].insts.size() == 1 || !gains_from_whole(inst, r)) return false;
  const V all = lane_bounds_.surely(inst.operands[0], true);
  if (!all) return false;
  const V none = lane_bounds_.surely(inst.operands[0], false);
  const Block masked = code_.new_block("masked"), next = code_.new_block("join");
  std::vector<std::pair<Block, std::vector<Lowered>>> edges;
  for (const unsigned k : {0u, 1u}) {
    const Block whole = code_.new_block("whole"), other = k ? masked : code_.new_block("other");
    b_.CreateCondBr(k ? none : all, whole, other);
    code_.start(whole);
    const Lanes::Scope scope(lanes_);
    enter_side(inst, inst.regions[k]);
    std::vector<Lowered> values = emit_whole(inst.regions[k]).values;
    edges.emplace_back(b_.GetInsertBlock(), std::move(values));
    code_.branch_to(next);
    code_.start(other);
  }
  {
    const Lanes::Scope scope(lanes_);
    Values::Again again(values_);
    pure_.compute_again(inst.operands[0], LaneBounds::deepest, again);
    lanes_.masked_copy = true;
    emit_sides(inst, false);
    edges.emplace_back(b_.GetInsertBlock(), std::vector<Lowered>());
    for (const ir::ValueId v : inst.results) edges.back().second.push_back(values_.get(v));
  }
  code_.branch_to(next);
  code_.start(next);
  for (std::size_t r = 0; r < inst.results.size(); ++r) {
    if (!uses_[inst.results[r]]) continue;
    std::vector<std::pair<Block, const Lowered*>> incoming;
    for (const auto& [from, values] : edges) incoming.emplace_back(from, &values[r]);
    values_.set(inst.results[r], values_.join(inst.results[r], incoming));
  }
  return true;
}

/// What holds of the lanes of a side.
void Branches::enter_side(const ir::Inst& inst, ir::RegionId side) {
  lanes_.together = one_lane_.together(inst, side);
  lanes_.parted = &inst;
}

Exit Branches::emit_body(const Side& side) {
  return side.scalar ? one_lane_.emit(side.region) : control_.emit_region(side.region);
}

/// The sides in turn. One that only jumps goes first: then the other one is the last, and may go on
/// to the next trip by itself.
void Branches::emit_in_turn(const ir::Inst& inst, std::vector<Side>& sides, bool flat, bool kills) {
  std::vector<Side*> order;
  for (Side& s : sides) order.push_back(&s);
  const auto only_jumps = [&](const Side* s) {
    return ir::is_terminator(f_.insts[f_.regions[s->region].insts[0]].op);
  };
  std::stable_partition(order.begin(), order.end(), only_jumps);
  bool others_yield = false;
  for (Side* s : order) {
    const Lanes::Scope scope(lanes_);
    const bool last = lanes_.tail && s == order.back() && !others_yield;
    enter_side(inst, s->region);
    if (!kills && !s->scalar && gains_from_whole(inst, s->region)) {
      emit_whole_or_masked(inst, *s);
    } else if (flat) {
      lanes_.active = s->mask, lanes_.some = false, lanes_.tail = false;
      s->exit = control_.emit_region(s->region);
      s->after = s->mask, s->alive = true;
    } else {
      emit_side(*s, last);
    }
    others_yield |= s->alive;
  }
}

/// The branch's results, of the sides that come to its end.
void Branches::join_sides(const ir::Inst& inst, std::vector<Side>& sides) {
  std::vector<Side*> all;
  for (Side& side : sides)
    if (side.alive) all.push_back(&side);
  for (std::size_t r = 0; r < inst.results.size(); ++r) {
    if (!uses_[inst.results[r]]) continue;
    const Scalar s = values_.scalar_of(inst.results[r]);
    std::vector<Side*> from = all;
    Lowered value = from.back()->exit.values[r];
    from.pop_back();
    for (; !from.empty(); from.pop_back()) {
      Lowered blended{Lowered::Form::Parts, {}, 0};
      const Lowered& x = from.back()->exit.values[r];
      for (unsigned p = 0; p < shape_.parts; ++p)
        blended.v.push_back(b_.CreateSelect(from.back()->chosen[p], values_.part(x, s, p),
                                            values_.part(value, s, p)));
      value = std::move(blended);
    }
    values_.set(inst.results[r], std::move(value));
  }
}

/// If and switch on a varying condition: the sides run in turn, each under its mask, if it has
/// lanes.
Flow Branches::emit_varying_if(ir::InstId id) {
  if (!d_.kills[id] && emit_either_or_masked(f_.insts[id])) return Flow::Next;
  return emit_sides(f_.insts[id], d_.kills[id]);
}

Flow Branches::emit_sides(const ir::Inst& inst, bool kills) {
  Mask rest = lanes_.active;
  std::vector<Side> sides = sides_of(inst, rest);
  bool scalar = false;
  for (Side& side : sides)
    scalar |= side.scalar = !kills && !flattens(inst) && one_lane_.takes(inst, side.region);
  const bool gives = !inst.results.empty();
  const ir::RegionId body = kills ? ir::none : only_body(inst);
  const bool gains = body != ir::none && !scalar && gains_from_whole(inst, body),
             flat = !kills && !scalar && !(gains && gives) && flattens(inst);
  if (!flat) hint_notes_.note_branch(inst);
  if (body != ir::none && !flat && (!gains || gives)) {
    if (gains) emit_whole_or_one_sided(inst, body, std::move(sides));
    else emit_one_sided(inst, body, sides);
    return Flow::Next;
  }
  emit_in_turn(inst, sides, flat, kills);
  const bool passes = inst.op == Op::If && sides.size() == 1;  // lanes that go to no side
  if (kills) {
    std::optional<Mask> joined;
    for (Side& s : sides)
      if (s.alive) joined = joined ? lanes_.either(*joined, s.after) : s.after;
    if (passes) joined = joined ? lanes_.either(*joined, rest) : rest;
    if (joined) lanes_.active = *joined;
    lanes_.some = false, lanes_.parted = &inst;
  }
  if (!passes && std::none_of(sides.begin(), sides.end(), [](const Side& s) { return s.alive; }))
    return Flow::Dead;
  join_sides(inst, sides);
  return Flow::Next;
}

}  // namespace krait::codegen::cpu
