// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/control/loops.h"

#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/control/loop_slots.h"
#include "codegen/cpu/lanes/lane_bounds.h"
#include "codegen/cpu/emit/hint_notes.h"
#include "codegen/cpu/lanes/positions.h"
#include "codegen/cpu/emit/pure.h"
#include "support/tuning/cpu.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

Loops::Loops(const Common& common, const Needs& needs)
    : Part(common),
      positions_(needs.positions),
      loop_slots_(needs.loop_slots),
      control_(needs.control),
      lane_bounds_(needs.lane_bounds),
      pure_(needs.pure),
      hint_notes_(needs.notes) {}

/// Whether the lanes of a loop differ in nothing but how often they make all of its body.
bool Loops::only_trips_differ(ir::InstId id) const {
  const ir::Inst& inst = f_.insts[id];
  if (inst.op != Op::For || values_.uniform(inst.operands[0]) || d_.returns[id] ||
      d_.continues[id] != 1)
    return false;
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

Loops::Loop Loops::open_loop(ir::InstId id) {
  const ir::Inst& inst = f_.insts[id];
  const auto& params = f_.regions[inst.regions[0]].params;
  const std::size_t bounds = inst.op == Op::Loop ? 0 : 1;
  Loop loop;
  loop.inst = &inst, loop.id = id;
  loop.masked = d_.masked[id], loop.loses = loop.masked && d_.returns[id];
  loop.single_continue = d_.continues[id] <= 1;
  loop.head = code_.new_block("loop"), loop.latch = code_.new_block("latch"),
  loop.exit = code_.new_block("left");
  for (std::size_t i = bounds; i < params.size(); ++i) {
    loop.params.push_back(
        loop_slots_.make_cell(values_.scalar_of(params[i]), !d_.varying(params[i]), "carried"));
    loop_slots_.write(loop.params.back(), values_.get(inst.operands[i]));
  }
  for (ir::ValueId r : inst.results) {
    const Scalar s = values_.scalar_of(r);
    loop.results.push_back(uses_[r] ? loop_slots_.make_cell(s, !d_.varying(r), "result") : Cell{});
    const V zero = llvm::Constant::getNullValue(arith_.scalar_type(s));
    if (uses_[r]) loop_slots_.write(loop.results.back(), {Lowered::Form::Uniform, {zero}, 0});
  }
  if (bounds) {
    const Scalar s = inst.op == Op::For ? values_.scalar_of(params[0]) : Scalar::I64;
    loop.trip = loop_slots_.make_cell(s, true, "trip");
    loop_slots_.write(loop.trip, {Lowered::Form::Uniform, {arith_.constant(s, 0)}, 0});
  }
  return loop;
}

void Loops::emit_loop(ir::InstId id) {
  Loop loop = open_loop(id);
  const ir::Inst& inst = *loop.inst;
  const ir::Inst* parted = nullptr;
  hint_notes_.note_lone_loop(inst);
  {
    const Lanes::Scope scope(lanes_);
    Values::Again again(values_);
    if (loop.masked) enter_masked(loop, again);
    emit_trips(loop);
    code_.start(loop.exit);
    parted = lanes_.parted;
  }
  if (loop.loses)
    lanes_.active = loop_slots_.read_mask(loop.left), lanes_.some = false, lanes_.parted = parted;
  for (std::size_t i = 0; i < inst.results.size(); ++i)
    if (uses_[inst.results[i]]) values_.set(inst.results[i], loop_slots_.read(loop.results[i]));
}

/// Before the first trip of a loop that lanes leave at different times.
void Loops::enter_masked(Loop& loop, Values::Again& again) {
  if (emit_common_trips(loop, again)) lanes_.masked_copy = true;
  hint_notes_.note_loop(*loop.inst);
  lanes_.parted = loop.inst;
  loop.active = loop_slots_.make_mask_cell("active"),
  loop.waiting = loop_slots_.make_mask_cell("waiting");
  loop_slots_.write_mask(loop.active, lanes_.active);
  if (!loop.loses) return;
  loop.left = loop_slots_.make_mask_cell("left");
  for (V at : loop.left.at) b_.CreateStore(lanes_.no_lane(), at);
}

void Loops::emit_trips(Loop& loop) {
  const ir::Inst& inst = *loop.inst;
  const auto& params = f_.regions[inst.regions[0]].params;
  const std::size_t bounds = inst.op == Op::Loop ? 0 : 1;
  code_.branch_to(loop.head);
  code_.start(loop.head);
  if (loop.masked) {
    lanes_.active = loop_slots_.read_mask(loop.active);
    for (V at : loop.waiting.at) b_.CreateStore(lanes_.no_lane(), at);
  }
  lanes_.some = true;
  for (std::size_t i = bounds; i < params.size(); ++i)
    values_.set(params[i], loop_slots_.read(loop.params[i - bounds]));
  if (bounds) emit_trip_test(loop);
  lanes_.tail = true;
  emit_body(loop);
  if (code_.open) {
    loop.latch_used |= loop.masked;
    code_.branch_to(loop.masked ? loop.latch : loop.exit);
  }
  if (loop.latch_used) {
    code_.start(loop.latch);
    Mask waiting = loop_slots_.read_mask(loop.waiting);
    loop_slots_.write_mask(loop.active, waiting);
    b_.CreateCondBr(lanes_.any(waiting), loop.head, loop.exit);
  } else {
    loop.latch->eraseFromParent();
  }
}

void Loops::emit_body(Loop& loop) {
  around_.push_back(&loop);
  control_.emit_region(loop.inst->regions[0]);
  around_.pop_back();
}

/// The trips that all lanes make. Ends where the loop under masks begins, for what is left; false
/// where there are none.
bool Loops::emit_common_trips(const Loop& loop, Values::Again& again) {
  const ir::Inst& inst = *loop.inst;
  if (shape_.lanes == 1 || shape_.machine.quick || lanes_.masked_copy || !lanes_.everyone() ||
      !only_trips_differ(loop.id))
    return false;
  const ir::ValueId bound = inst.operands[0];
  const Scalar s = values_.scalar_of(bound);
  if (ir::is_signed_int(s)) return false;
  const auto ends = lane_bounds_.bounds_of(bound);
  if (!ends || (llvm::isa<llvm::ConstantInt>(ends->holds) &&
                llvm::cast<llvm::ConstantInt>(ends->holds)->isZero()))
    return false;
  // All lanes make the trips of the lane with the fewest. Bounds that are not known leave none.
  const V zero = arith_.constant(s, 0);
  const V trips =
      b_.CreateSelect(ends->holds, arith_.min_max(true, s, ends->first, ends->last), zero);
  const V same = b_.CreateAnd(ends->holds, b_.CreateICmpEQ(ends->first, ends->last));

  const auto& params = f_.regions[inst.regions[0]].params;
  // The body once more, without masks. It works on the slots of the loop under masks, so that this
  // one begins where the common trips end.
  Loop common = loop;
  common.masked = false;
  common.head = code_.new_block("common"), common.exit = code_.new_block("common_left");
  code_.branch_to(common.head);
  code_.start(common.head);
  for (std::size_t i = 1; i < params.size(); ++i)
    values_.set(params[i], loop_slots_.read(loop.params[i - 1]));
  const V trip = loop_slots_.read(loop.trip).v[0];
  values_.set_uniform(params[0], trip);
  const Block body = code_.new_block("body");
  b_.CreateCondBr(b_.CreateICmpULT(trip, trips), body, common.exit);
  code_.start(body);
  b_.CreateStore(b_.CreateAdd(trip, llvm::ConstantInt::get(trip->getType(), 1)), loop.trip.at[0]);
  {
    const Lanes::Scope scope(lanes_);
    lanes_.tail = true;
    emit_body(common);
  }
  code_.start(common.exit);
  for (std::size_t i = 0; i < inst.results.size(); ++i)
    if (uses_[inst.results[i]])
      loop_slots_.write(loop.results[i], loop_slots_.read(loop.params[i]));
  // Equal bounds leave nothing to do under masks.
  const Block rest = code_.new_block("rest");
  b_.CreateCondBr(same, loop.exit, rest);
  code_.start(rest);
  pure_.compute_again(bound, LaneBounds::deepest, again);
  return true;
}

/// Of `for` and `grid_stride`: gives the index; lanes whose trips have ended leave with the carried
/// values.
void Loops::emit_trip_test(const Loop& loop) {
  const ir::Inst& inst = *loop.inst;
  const auto& params = f_.regions[inst.regions[0]].params;
  V trip = loop_slots_.read(loop.trip).v[0];
  Few<V> goes_on;  // per part, or one scalar
  if (inst.op == Op::For) {
    values_.set_uniform(params[0], trip);
    b_.CreateStore(b_.CreateAdd(trip, llvm::ConstantInt::get(trip->getType(), 1)), loop.trip.at[0]);
    if (values_.uniform(inst.operands[0]))
      goes_on.push_back(b_.CreateICmpULT(trip, values_.scalar(inst.operands[0])));
    else
      for (unsigned p = 0; p < shape_.parts; ++p)
        goes_on.push_back(b_.CreateICmpULT(values_.splat(trip), values_.part(inst.operands[0], p)));
  } else {
    ir::Inst id;
    id.op = Op::GlobalId;
    Lowered index = positions_.id_value(id);
    for (V& base : index.v)
      base = b_.CreateAdd(base, base->getType()->isVectorTy() ? values_.splat(trip) : trip);
    V step = b_.CreateMul(positions_.grid[0], positions_.block[0]);
    b_.CreateStore(b_.CreateAdd(trip, step), loop.trip.at[0]);
    values_.set(params[0], index);
    for (unsigned p = 0; p < shape_.parts; ++p)
      goes_on.push_back(
          b_.CreateICmpSLT(values_.part(params[0], p), values_.part(inst.operands[0], p)));
  }
  bool scalar_test = !goes_on[0]->getType()->isVectorTy();
  Mask leaving = lanes_.active;
  if (!scalar_test) {
    lanes_.active = lanes_.both(lanes_.active, {goes_on});
    leaving = lanes_.others(leaving, lanes_.active);
  }
  Block body = code_.new_block("body");
  auto leave = [&] {
    for (std::size_t i = 0; i < inst.results.size(); ++i) {
      if (!uses_[inst.results[i]]) continue;
      if (loop.masked) loop_slots_.blend(loop.results[i], values_.get(params[i + 1]), leaving);
      else loop_slots_.write(loop.results[i], values_.get(params[i + 1]));
    }
    if (!loop.left.at.empty())
      loop_slots_.write_mask(loop.left, lanes_.either(loop_slots_.read_mask(loop.left), leaving));
  };
  if (scalar_test) {
    Block done = code_.new_block("done");
    b_.CreateCondBr(goes_on[0], body, done);
    code_.start(done);
    leave();
    code_.branch_to(loop.exit);
  } else {
    leave();
    b_.CreateCondBr(lanes_.any(lanes_.active), body, loop.exit);
  }
  code_.start(body);
}

/// The one trip of a sweep's loop.
void Loops::emit_element(ir::InstId id) {
  const ir::RegionId body = f_.insts[id].regions[0];
  const ir::ValueId trip = f_.regions[body].params[0];
  values_.set_uniform(trip, arith_.constant(values_.scalar_of(trip), 0));
  control_.emit_region(body);
  if (code_.open) code_.branch_to(gang_end);
}

/// Break, continue, return, unreachable.
void Loops::jump(ir::InstId id) {
  const ir::Inst& inst = f_.insts[id];
  if (inst.op == Op::Unreachable) return;
  bool masked = d_.masked[id];
  // the next trip of a range's loop is another lane's
  if (inst.op == Op::Return || around_.empty()) {
    if (!masked) code_.branch_to(gang_end);
    return;
  }
  Loop& loop = *around_.back();
  if (inst.op == Op::Break) {
    for (std::size_t i = 0; i < inst.operands.size(); ++i) {
      if (!uses_[loop.inst->results[i]]) continue;
      if (loop.masked)
        loop_slots_.blend(loop.results[i], values_.get(inst.operands[i]), lanes_.active);
      else loop_slots_.write(loop.results[i], values_.get(inst.operands[i]));
    }
    if (!loop.left.at.empty())
      loop_slots_.write_mask(loop.left,
                             lanes_.either(loop_slots_.read_mask(loop.left), lanes_.active));
    if (!masked) code_.branch_to(loop.exit);
    return;
  }
  for (std::size_t i = 0; i < inst.operands.size(); ++i) {
    if (loop.single_continue || !masked)
      loop_slots_.write(loop.params[i], values_.get(inst.operands[i]));
    else loop_slots_.blend(loop.params[i], values_.get(inst.operands[i]), lanes_.active);
  }
  if (!loop.masked) return code_.branch_to(loop.head);
  if (lanes_.some && (!masked || (loop.single_continue && lanes_.tail))) {
    loop_slots_.write_mask(loop.active, lanes_.active);
    return code_.branch_to(loop.head);
  }
  loop_slots_.write_mask(loop.waiting,
                         lanes_.either(loop_slots_.read_mask(loop.waiting), lanes_.active));
  if (!masked) {
    loop.latch_used = true;
    code_.branch_to(loop.latch);
  }
}

}  // namespace krait::codegen::cpu
