// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions, branches and loops under masks.
#include <algorithm>

#include <llvm/IR/MDBuilder.h>

#include "codegen/cpu/emitter.h"
#include "support/tuning_cpu.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

namespace {

constexpr unsigned deepest_condition = 16;  // operations from a thread's place to a guard

}  // namespace

// ---- regions ----------------------------------------------------------------------------------------------------------------

Emitter::Exit Emitter::emit_region(ir::RegionId r, std::size_t from) {
  const auto& insts = f_.regions[r].insts;
  const std::size_t end = region_end(r);
  for (std::size_t i = from; i < end; ++i) {
    const ir::Inst& inst = f_.insts[insts[i]];
    if (skipped(r, insts[i])) continue;
    if (inst.op == Op::Yield) {
      Exit exit{true, {}};
      for (ir::ValueId v : inst.operands) exit.values.push_back(get(v));
      return exit;
    }
    if (ir::is_terminator(inst.op)) {
      jump(insts[i]);
      return {};
    }
    if (emit_inst(insts[i]) == Flow::Dead) return {};
    if (d_.kills[insts[i]] && !some_ && !lone_jump(r, i + 1)) return emit_guarded(r, i + 1);
  }
  return {end < insts.size(), {}};
}

bool Emitter::lone_jump(ir::RegionId r, std::size_t from) const {
  const auto& insts = f_.regions[r].insts;
  return from == region_end(r) || (from + 1 == insts.size() && (f_.insts[insts[from]].op == Op::Yield || d_.masked[insts[from]]));
}

/// What follows a jump of some lanes runs if others are left.
Emitter::Exit Emitter::emit_guarded(ir::RegionId r, std::size_t from) {
  Block rest = new_block("rest"), next = new_block("next");
  Block skip_from = b_.GetInsertBlock();
  Mask none_left = active_;
  b_.CreateCondBr(any(active_), rest, next);
  start(rest);
  some_ = true;
  Exit exit = emit_region(r, from);
  if (!open_) {
    start(next);
    some_ = false;
    return {};
  }
  Block end = b_.GetInsertBlock();
  Mask after = active_;
  branch_to(next);
  start(next);
  some_ = false;
  if (!exit.yields) return {};
  active_ = join_masks({{end, after}, {skip_from, none_left}});
  if (exit.values.empty()) return exit;
  const ir::Inst& parent = f_.insts[f_.regions[r].parent];
  for (std::size_t i = 0; i < exit.values.size(); ++i) {
    Lowered value = exit.values[i];
    exit.values[i] = join(parent.results[i], {{end, &value}, {skip_from, nullptr}});
  }
  return exit;
}

/// Merges a value over edges; null where the edge brings none that counts. Uniform if all that come are.
Lowered Emitter::join(ir::ValueId v, llvm::ArrayRef<std::pair<Block, const Lowered*>> edges) {
  Scalar s = scalar_of(v);
  bool is_uniform = true;
  for (auto& [block, x] : edges) is_uniform &= !x || x->form == Lowered::Form::Uniform;
  Lowered r{is_uniform ? Lowered::Form::Uniform : Lowered::Form::Parts, {}, 0};
  llvm::Type* t = arith_.type(s, is_uniform ? 0 : shape_.lanes);
  Block here = b_.GetInsertBlock();
  for (unsigned p = 0; p < (is_uniform ? 1 : shape_.parts); ++p) {
    Few<V> incoming;
    for (auto& [block, x] : edges) {
      if (!x) {
        incoming.push_back(llvm::Constant::getNullValue(t));
        continue;
      }
      b_.SetInsertPoint(block->getTerminator());
      incoming.push_back(is_uniform ? x->v[0] : part(*x, s, p));
    }
    b_.SetInsertPoint(here, here->begin());
    llvm::PHINode* phi = b_.CreatePHI(t, unsigned(edges.size()));
    for (std::size_t i = 0; i < edges.size(); ++i) phi->addIncoming(incoming[i], edges[i].first);
    b_.SetInsertPoint(here);
    r.v.push_back(phi);
  }
  return r;
}

Mask Emitter::join_masks(llvm::ArrayRef<std::pair<Block, Mask>> edges) {
  bool same = true, all = true;
  for (auto& [block, mask] : edges) {
    same &= mask.parts == edges[0].second.parts;
    all &= mask.all();
  }
  if (same || all) return edges[0].second;
  Mask r;
  Block here = b_.GetInsertBlock();
  for (unsigned p = 0; p < shape_.parts; ++p) {
    b_.SetInsertPoint(here, here->begin());
    llvm::PHINode* phi = b_.CreatePHI(lane_type(Scalar::Bool), unsigned(edges.size()));
    b_.SetInsertPoint(here);
    for (auto& [block, mask] : edges) phi->addIncoming(mask_part(mask, p), block);
    r.parts.push_back(phi);
  }
  return r;
}

// ---- branches ---------------------------------------------------------------------------------------------------------------

Emitter::Flow Emitter::emit_uniform_branch(ir::InstId id) {
  const ir::Inst& inst = f_.insts[id];
  Mask before = active_;
  bool some = some_, tail = tail_;
  Few<Block> sides;
  for (std::size_t i = 0; i < inst.regions.size(); ++i) sides.push_back(new_block("side"));
  Block next = new_block("join");
  V condition = scalar(inst.operands[0]);
  if (inst.op == Op::If) {
    b_.CreateCondBr(condition, sides[0], sides.size() > 1 ? sides[1] : next);
  } else {
    llvm::SwitchInst* table = b_.CreateSwitch(condition, sides.back(), unsigned(inst.list.size()));
    for (std::size_t i = 0; i + 1 < inst.regions.size(); ++i) {
      llvm::APInt value(64, std::uint64_t(inst.list[i]));
      table->addCase(llvm::ConstantInt::get(c_, value.trunc(condition->getType()->getIntegerBitWidth())), sides[i]);
    }
  }
  struct Edge {
    Block from;
    Mask mask;
    Exit exit;
  };
  std::vector<Edge> edges;
  if (inst.op == Op::If && sides.size() == 1) edges.push_back({b_.GetInsertBlock(), before, {true, {}}});
  bool some_after = true;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    start(sides[i]);
    active_ = before, some_ = some, tail_ = tail;
    Exit exit = emit_region(inst.regions[i]);
    if (!open_) continue;
    edges.push_back({b_.GetInsertBlock(), active_, std::move(exit)});
    some_after &= some_ && edges.back().exit.yields;
    branch_to(next);
  }
  tail_ = tail;
  start(next);
  if (edges.empty()) {  // every side jumped
    b_.CreateUnreachable();
    open_ = false;
    return Flow::Dead;
  }
  some_ = some_after;
  std::vector<std::pair<Block, Mask>> masks;
  bool yields = false;
  for (Edge& e : edges) {
    yields |= e.exit.yields;
    if (!e.exit.yields) e.mask.parts.assign(shape_.parts, no_lane());  // they took a masked jump
    masks.emplace_back(e.from, e.mask);
  }
  if (!yields) return Flow::Dead;
  active_ = join_masks(masks);
  for (std::size_t r = 0; r < inst.results.size(); ++r) {
    std::vector<std::pair<Block, const Lowered*>> incoming;
    for (Edge& e : edges) incoming.emplace_back(e.from, e.exit.yields ? &e.exit.values[r] : nullptr);
    set(inst.results[r], incoming.size() == 1 ? *incoming[0].second : join(inst.results[r], incoming));
  }
  return Flow::Next;
}

bool Emitter::flattens(const ir::Inst& inst) const {
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
  return count <= tuning::cpu::flat_limit;
}

/// One side of a divergent branch: its lanes' mask and values where it ends.
Emitter::Exit Emitter::emit_side(ir::RegionId r, const Mask& mask, bool last, Mask& out, bool& alive) {
  active_ = mask;
  some_ = false;
  const auto& insts = f_.regions[r].insts;
  bool lone = insts.size() == 1 && (f_.insts[insts[0]].op == Op::Yield || d_.masked[insts[0]]);
  if (lone) {
    tail_ = false;
    Exit exit = emit_region(r);
    out = mask, alive = exit.yields;
    return exit;
  }
  Block body = new_block("side"), next = new_block("join");
  b_.CreateCondBr(any(mask), body, next);
  Block skip_from = b_.GetInsertBlock();
  start(body);
  some_ = true;
  tail_ = last;
  Exit exit = emit_region(r);
  alive = exit.yields;
  out = mask;
  if (!open_) {
    start(next);
    return exit;
  }
  Block end = b_.GetInsertBlock();
  Mask after = active_;
  branch_to(next);
  start(next);
  if (!alive) return exit;
  out = join_masks({{end, after}, {skip_from, mask}});
  const ir::Inst& parent = f_.insts[f_.regions[r].parent];
  for (std::size_t i = 0; i < exit.values.size(); ++i) {
    Lowered value = exit.values[i];
    if (!uses_[parent.results[i]]) continue;
    exit.values[i] = join(parent.results[i], {{end, &value}, {skip_from, nullptr}});
  }
  return exit;
}

/// An if that only computes, loops, loads and stores: a guard against the border, mostly. Without AVX-512 a masked store of a vector
/// costs a dozen plain ones (Zen 3: Jacobi was 2.6 times as slow), so gangs whose lanes all go there get code without masks. So do bricks
/// of short rows and members of aggregates, whose accesses are gathers under a mask. Large functions are made quickly without.
bool Emitter::gains_from_whole(const ir::Inst& inst) const {
  if (shape_.lanes == 1 || inst.op != Op::If || !inst.results.empty() || masked_copy_ || (shape_.machine.quick && is_large()))
    return false;
  if (f_.regions[inst.regions[1]].insts.size() > 1) return false;
  Guarded found;
  if (!only_accesses(inst.regions[0], found) || !found.stores || found.instructions > tuning::cpu::whole_limit) return false;
  const bool masks_are_free = shape_.machine.level >= CpuLevel::Avx512 && shape_.width() >= shape_.lanes;
  return !masks_are_free || found.members;
}

bool Emitter::only_accesses(ir::RegionId r, Guarded& found) const {
  for (ir::InstId id : f_.regions[r].insts) {
    const ir::Inst& inner = f_.insts[id];
    const ir::Effect effect = ir::info(inner.op).effect;
    ++found.instructions;
    if (!inner.regions.empty()) {
      if (d_.kills[id] || inner.op == Op::GridStride) return false;
      for (ir::RegionId side : inner.regions)
        if (!only_accesses(side, found)) return false;
      continue;
    }
    const bool access = inner.op == Op::Load || inner.op == Op::Store;
    found.stores = found.stores || effect == ir::Effect::Write;
    found.members = found.members || (access && f_.type_of(inner.operands[0]).index_bytes() > ir::size_of(inner.type.scalar));
    const bool goes_on = inner.op == Op::Yield || inner.op == Op::Continue || inner.op == Op::Break;
    if (!goes_on && effect != ir::Effect::Pure && effect != ir::Effect::Read && effect != ir::Effect::Write) return false;
  }
  return true;
}

/// A scalar: true only where v is true in all lanes of the gang, which a guard against the border is in all gangs but those at the
/// border. It is made of what comparisons give for the first and last lane, so that others need no masks at all. Null where v is
/// no comparison of places.
llvm::Value* Emitter::surely(ir::ValueId v, unsigned depth) {
  if (segment_ && !at_hand(v)) return nullptr;
  if (uniform(v)) return scalar(v);
  const ir::Inst* def = f_.def(v);
  if (def && depth != 0 && (def->op == Op::And || def->op == Op::Or)) {
    const V x = surely(def->operands[0], depth - 1), y = x ? surely(def->operands[1], depth - 1) : nullptr;
    return !y ? nullptr : def->op == Op::And ? b_.CreateAnd(x, y) : b_.CreateOr(x, y);
  }
  const auto ends = hull(v, depth);
  return ends ? b_.CreateAnd(ends->holds, b_.CreateAnd(ends->first, ends->last)) : nullptr;
}

void Emitter::emit_whole_or_masked(const ir::Inst& inst, const Mask& before, const Mask& mask) {
  const ir::RegionId r = inst.regions[0];
  Block whole = new_block("whole"), masked = new_block("masked"), next = new_block("join");
  const V sure = before.all() ? surely(inst.operands[0], deepest_condition) : nullptr;
  b_.CreateCondBr(sure ? sure : every(mask), whole, masked);
  start(whole);
  active_ = full_, some_ = true, tail_ = false;
  emit_region(r);
  branch_to(next);
  start(masked);
  Mask after, own = mask;
  bool alive = false;
  std::vector<std::pair<ir::ValueId, Lowered>> outside;
  if (sure) {
    compute_again(inst.operands[0], deepest_condition, outside);
    for (unsigned p = 0; p < shape_.parts; ++p) own.parts[p] = part(inst.operands[0], p);
  }
  masked_copy_ = true;
  emit_side(r, own, false, after, alive);
  masked_copy_ = false;
  for (auto saved = outside.rbegin(); saved != outside.rend(); ++saved) set(saved->first, saved->second);
  branch_to(next);
  start(next);
}

/// The region of an if that computes, where the other one only passes values on; none where both do either.
ir::RegionId Emitter::only_body(const ir::Inst& inst) const {
  if (inst.op != Op::If || inst.regions.size() != 2) return ir::none;
  const auto passes_on = [&](ir::RegionId r) { return f_.insts[f_.regions[r].insts[0]].op == Op::Yield; };
  const bool first = passes_on(inst.regions[0]), second = passes_on(inst.regions[1]);
  return first == second ? ir::none : inst.regions[first];
}

/// Such an if. Its values are blended where the body ends, so that a gang that jumps over it pays for the test and nothing else:
/// blended behind the join, a logarithm kept four vectors on the stack for a path that it did not take.
void Emitter::emit_one_sided(const ir::Inst& inst, ir::RegionId body, const Few<V>& chosen, const Mask& mask) {
  const ir::RegionId other = inst.regions[body == inst.regions[0]];
  std::vector<Lowered> kept, results;
  for (ir::ValueId v : f_.insts[f_.regions[other].insts[0]].operands) kept.push_back(get(v));
  const Mask before = active_;
  const bool some = some_, tail = tail_;
  Block side = new_block("side"), next = new_block("join");
  const auto calls_rare = [&](ir::InstId id) {
    return f_.insts[id].op == Op::Call && functions_.module.callee(f_.insts[id]).rare;
  };
  const auto& insts = f_.regions[body].insts;
  const bool rare = std::any_of(insts.begin(), insts.end(), calls_rare);
  b_.CreateCondBr(any(mask), side, next, rare ? llvm::MDBuilder(c_).createUnlikelyBranchWeights() : nullptr);
  const Block skip_from = b_.GetInsertBlock();
  start(side);
  active_ = mask, some_ = true, tail_ = false;
  const Exit exit = emit_region(body);
  for (std::size_t r = 0; exit.yields && r < kept.size(); ++r) {
    Lowered blended{Lowered::Form::Parts, {}, 0};
    const Scalar s = scalar_of(inst.results[r]);
    for (unsigned p = 0; uses_[inst.results[r]] && p < shape_.parts; ++p)
      blended.v.push_back(b_.CreateSelect(chosen[p], part(exit.values[r], s, p), part(kept[r], s, p)));
    results.push_back(std::move(blended));
  }
  const Block end = b_.GetInsertBlock();
  branch_to(next);
  start(next);
  active_ = before, some_ = some, tail_ = tail;
  for (std::size_t r = 0; r < kept.size(); ++r) {
    if (!uses_[inst.results[r]]) continue;
    set(inst.results[r], exit.yields ? join(inst.results[r], {{end, &results[r]}, {skip_from, &kept[r]}}) : kept[r]);
  }
}

/// If and switch on a varying condition: the sides run in turn, each under its mask, if it has lanes.
Emitter::Flow Emitter::emit_varying_if(ir::InstId id) {
  const ir::Inst& inst = f_.insts[id];
  struct Side {
    ir::RegionId region;
    Few<V> chosen;
    Mask mask;
    Exit exit;
    Mask after;
    bool alive = false;
  };
  std::vector<Side> sides;
  Mask rest = active_;
  for (std::size_t i = 0; i < inst.regions.size(); ++i) {
    Side side{inst.regions[i], {}, {}, {}, {}};
    bool last = i + 1 == inst.regions.size() && (inst.op == Op::Switch || i > 0);
    if (last) {
      side.mask = rest;
    } else {
      Mask others;
      for (unsigned p = 0; p < shape_.parts; ++p) {
        V c = part(inst.operands[0], p);
        if (inst.op == Op::Switch) {
          unsigned width = c->getType()->getScalarSizeInBits();
          c = b_.CreateICmpEQ(c, llvm::ConstantInt::get(c->getType(), llvm::APInt(64, std::uint64_t(inst.list[i])).trunc(width)));
        }
        side.chosen.push_back(c);
        others.parts.push_back(b_.CreateNot(c));
      }
      side.mask = both(rest, {side.chosen});
      rest = both(rest, others);
    }
    sides.push_back(std::move(side));
  }
  Mask before = active_;
  bool some = some_, tail = tail_;
  const ir::Inst* const parted = parted_;
  const bool one_lane = one_lane_;
  bool flat = flattens(inst) && !d_.kills[id];
  if (!flat) note_branch(inst);
  if (const ir::RegionId body = only_body(inst); body != ir::none && !flat && !d_.kills[id] && !gains_from_whole(inst)) {
    const auto& side = sides[body == inst.regions[1]];
    Few<V> chosen = side.chosen;
    if (chosen.empty())
      for (V c : sides[0].chosen) chosen.push_back(b_.CreateNot(c));
    parted_ = &inst, one_lane_ = one_lane || (body == inst.regions[0] && chooses_one(inst.operands[0]));
    emit_one_sided(inst, body, chosen, side.mask);
    parted_ = parted, one_lane_ = one_lane;
    return Flow::Next;
  }
  // A side that only jumps goes first: then the other one is the last, and may go on to the next trip by itself.
  std::vector<Side*> order;
  for (Side& s : sides) order.push_back(&s);
  auto only_jumps = [&](const Side* s) { return ir::is_terminator(f_.insts[f_.regions[s->region].insts[0]].op); };
  std::stable_partition(order.begin(), order.end(), only_jumps);
  bool others_yield = false;
  for (Side* s : order) {
    parted_ = &inst, one_lane_ = one_lane || (inst.op == Op::If && s->region == inst.regions[0] && chooses_one(inst.operands[0]));
    if (!d_.kills[id] && s->region == inst.regions[0] && gains_from_whole(inst)) {
      emit_whole_or_masked(inst, before, s->mask);
      s->alive = true;
    } else if (flat) {
      active_ = s->mask, some_ = false, tail_ = false;
      s->exit = emit_region(s->region);
      s->after = s->mask, s->alive = true;
    } else {
      s->exit = emit_side(s->region, s->mask, tail && s == order.back() && !others_yield, s->after, s->alive);
    }
    others_yield |= s->alive;
  }
  tail_ = tail, one_lane_ = one_lane;
  parted_ = d_.kills[id] ? &inst : parted;
  bool alive = others_yield || (inst.op == Op::If && sides.size() == 1);
  if (!d_.kills[id]) {
    active_ = before, some_ = some;
  } else {
    std::optional<Mask> joined;
    for (Side& s : sides)
      if (s.alive) joined = joined ? either(*joined, s.after) : s.after;
    if (inst.op == Op::If && sides.size() == 1) joined = joined ? either(*joined, rest) : rest;
    if (joined) active_ = *joined;
    some_ = false;
  }
  if (!alive) return Flow::Dead;
  for (std::size_t r = 0; r < inst.results.size(); ++r) {
    if (!uses_[inst.results[r]]) continue;
    Scalar s = scalar_of(inst.results[r]);
    std::vector<Side*> from;
    for (Side& side : sides)
      if (side.alive) from.push_back(&side);
    Lowered value = from.back()->exit.values[r];
    from.pop_back();
    for (; !from.empty(); from.pop_back()) {
      Lowered blended{Lowered::Form::Parts, {}, 0};
      const Lowered& x = from.back()->exit.values[r];
      for (unsigned p = 0; p < shape_.parts; ++p)
        blended.v.push_back(b_.CreateSelect(from.back()->chosen[p], part(x, s, p), part(value, s, p)));
      value = std::move(blended);
    }
    set(inst.results[r], std::move(value));
  }
  return Flow::Next;
}

// ---- loops ------------------------------------------------------------------------------------------------------------------

void Emitter::emit_loop(ir::InstId id) {
  const ir::Inst& inst = f_.insts[id];
  const auto& params = f_.regions[inst.regions[0]].params;
  std::size_t bounds = inst.op == Op::Loop ? 0 : 1;
  Loop loop;
  loop.inst = &inst, loop.id = id;
  loop.masked = d_.masked[id];
  loop.single_continue = d_.continues[id] <= 1;
  bool loses = loop.masked && d_.returns[id];
  loop.head = new_block("loop"), loop.latch = new_block("latch"), loop.exit = new_block("left");
  for (std::size_t i = bounds; i < params.size(); ++i) {
    loop.params.push_back(make_cell(scalar_of(params[i]), !d_.varying(params[i]), "carried"));
    write(loop.params.back(), get(inst.operands[i]));
  }
  for (ir::ValueId r : inst.results) {
    loop.results.push_back(uses_[r] ? make_cell(scalar_of(r), !d_.varying(r), "result") : Cell{});
    if (!uses_[r]) continue;
    write(loop.results.back(), {Lowered::Form::Uniform, {llvm::Constant::getNullValue(arith_.scalar_type(scalar_of(r)))}, 0});
  }
  if (bounds) {
    Scalar s = inst.op == Op::For ? scalar_of(params[0]) : Scalar::I64;
    loop.trip = make_cell(s, true, "trip");
    write(loop.trip, {Lowered::Form::Uniform, {arith_.constant(s, 0)}, 0});
  }
  Mask before = active_;
  bool tail = tail_, some = some_;
  const ir::Inst* const parted = parted_;
  const bool masked_copy = masked_copy_;
  if (loop.masked) {
    emit_common_trips(loop);
    masked_copy_ = masked_copy_ || loop.rest;
    note_loop(inst);
    parted_ = &inst;
    loop.active = make_mask_cell("active"), loop.waiting = make_mask_cell("waiting");
    write_mask(loop.active, active_);
    if (loses) {
      loop.left = make_mask_cell("left");
      for (V at : loop.left.at) b_.CreateStore(no_lane(), at);
    }
  }
  branch_to(loop.head);
  start(loop.head);
  if (loop.masked) {
    active_ = read_mask(loop.active);
    for (V at : loop.waiting.at) b_.CreateStore(no_lane(), at);
  }
  some_ = true;
  for (std::size_t i = bounds; i < params.size(); ++i) set(params[i], read(loop.params[i - bounds]));
  if (bounds) emit_trip_test(loop);
  loops_.push_back(loop);
  tail_ = true;
  emit_region(inst.regions[0]);
  loop = loops_.back();
  loops_.pop_back();
  if (open_) {
    loop.latch_used |= loop.masked;
    branch_to(loop.masked ? loop.latch : loop.exit);
  }
  if (loop.latch_used) {
    start(loop.latch);
    Mask waiting = read_mask(loop.waiting);
    write_mask(loop.active, waiting);
    b_.CreateCondBr(any(waiting), loop.head, loop.exit);
  } else {
    loop.latch->eraseFromParent();
  }
  start(loop.exit);
  tail_ = tail, masked_copy_ = masked_copy;
  for (auto saved = loop.outside.rbegin(); saved != loop.outside.rend(); ++saved) set(saved->first, saved->second);
  if (!loses) parted_ = parted;
  active_ = loses ? read_mask(loop.left) : before;
  some_ = some && !loses;
  for (std::size_t i = 0; i < inst.results.size(); ++i)
    if (uses_[inst.results[i]]) set(inst.results[i], read(loop.results[i]));
}

/// Of `for` and `grid_stride`: gives the index; lanes whose trips have ended leave with the carried values.
void Emitter::emit_trip_test(Loop& loop) {
  const ir::Inst& inst = *loop.inst;
  const auto& params = f_.regions[inst.regions[0]].params;
  V trip = read(loop.trip).v[0];
  Few<V> goes_on;  // per part, or one scalar
  if (inst.op == Op::For) {
    set_uniform(params[0], trip);
    b_.CreateStore(b_.CreateAdd(trip, llvm::ConstantInt::get(trip->getType(), 1)), loop.trip.at[0]);
    if (uniform(inst.operands[0])) goes_on.push_back(b_.CreateICmpULT(trip, scalar(inst.operands[0])));
    else
      for (unsigned p = 0; p < shape_.parts; ++p) goes_on.push_back(b_.CreateICmpULT(splat(trip), part(inst.operands[0], p)));
  } else {
    ir::Inst id;
    id.op = Op::GlobalId;
    Lowered index = id_value(id);
    for (V& base : index.v) base = b_.CreateAdd(base, base->getType()->isVectorTy() ? splat(trip) : trip);
    V step = b_.CreateMul(launch_grid_[0], launch_block_[0]);
    b_.CreateStore(b_.CreateAdd(trip, step), loop.trip.at[0]);
    set(params[0], index);
    for (unsigned p = 0; p < shape_.parts; ++p)
      goes_on.push_back(b_.CreateICmpSLT(part(params[0], p), part(inst.operands[0], p)));
  }
  bool scalar_test = !goes_on[0]->getType()->isVectorTy();
  Mask leaving = active_;
  if (!scalar_test) {
    Mask stays{goes_on}, goes;
    for (V c : goes_on) goes.parts.push_back(b_.CreateNot(c));
    leaving = both(active_, goes);
    active_ = both(active_, stays);
  }
  Block body = new_block("body");
  auto leave = [&] {
    for (std::size_t i = 0; i < inst.results.size(); ++i) {
      if (!uses_[inst.results[i]]) continue;
      if (loop.masked) blend(loop.results[i], get(params[i + 1]), leaving);
      else write(loop.results[i], get(params[i + 1]));
    }
    if (!loop.left.at.empty()) write_mask(loop.left, either(read_mask(loop.left), leaving));
  };
  if (scalar_test) {
    Block done = new_block("done");
    b_.CreateCondBr(goes_on[0], body, done);
    start(done);
    leave();
    branch_to(loop.exit);
  } else {
    leave();
    b_.CreateCondBr(any(active_), body, loop.exit);
  }
  start(body);
}

/// Break, continue, return, unreachable.
void Emitter::jump(ir::InstId id) {
  const ir::Inst& inst = f_.insts[id];
  if (inst.op == Op::Unreachable) return;
  bool masked = d_.masked[id];
  if (inst.op == Op::Return || loops_.empty()) {  // the next trip of a range's loop is another lane's
    if (!masked) branch_to(gang_end_);
    return;
  }
  Loop& loop = loops_.back();
  if (inst.op == Op::Break) {
    for (std::size_t i = 0; i < inst.operands.size(); ++i) {
      if (!uses_[loop.inst->results[i]]) continue;
      if (loop.masked) blend(loop.results[i], get(inst.operands[i]), active_);
      else write(loop.results[i], get(inst.operands[i]));
    }
    if (!loop.left.at.empty()) write_mask(loop.left, either(read_mask(loop.left), active_));
    if (!masked) branch_to(loop.exit);
    return;
  }
  for (std::size_t i = 0; i < inst.operands.size(); ++i) {
    if (loop.single_continue || !masked) write(loop.params[i], get(inst.operands[i]));
    else blend(loop.params[i], get(inst.operands[i]), active_);
  }
  if (!loop.masked) return branch_to(loop.head);
  if (some_ && (!masked || (loop.single_continue && tail_))) {
    write_mask(loop.active, active_);
    return branch_to(loop.head);
  }
  write_mask(loop.waiting, either(read_mask(loop.waiting), active_));
  if (!masked) {
    loop.latch_used = true;
    branch_to(loop.latch);
  }
}

}  // namespace krait::codegen::cpu
