// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/emit/straight.h"

#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/launch/arguments.h"
#include "codegen/cpu/access/atomics.h"
#include "codegen/cpu/emit/call.h"
#include "codegen/cpu/access/clamped_loads.h"
#include "codegen/cpu/access/members.h"
#include "codegen/cpu/access/memory.h"
#include "codegen/cpu/launch/row_gangs.h"
#include "codegen/cpu/lanes/positions.h"
#include "codegen/cpu/emit/pure.h"
#include "codegen/cpu/lanes/warp.h"
#include "codegen/cpu/emit/word_products.h"

namespace krait::codegen::cpu {

using ir::Op;

void Straight::emit(ir::InstId id) {
  const ir::Inst& inst = f_.insts[id];
  if (!to_.in_row.known.empty() && inst.results.size() == 1)
    if (const auto known = to_.in_row.known.find(inst.results[0]); known != to_.in_row.known.end())
      return values_.set(known->first, known->second);
  by_family(inst);
}

void Straight::constant(const ir::Inst& inst) {
  values_.set_uniform(inst.results[0], arith_.constant(inst.type.scalar, inst.imm));
}
void Straight::position(const ir::Inst& inst) {
  if (code_.one_lane) return;
  // Known before the launch is that of the only gang along a dimension.
  const LaneForm* form = d_.forms.find(inst.results[0]);
  if (form && form->multiple == 0)
    return values_.set_known(inst.results[0], b_.getInt64(std::uint64_t(form->lanes[0])),
                             form->lanes);
  values_.set(inst.results[0], to_.positions.id_value(inst));
}
void Straight::extent(const ir::Inst& inst) {
  values_.set_uniform(inst.results[0],
                      to_.arguments.extent_of(inst.operands[0], unsigned(inst.imm)));
}
void Straight::stride(const ir::Inst& inst) {
  values_.set_uniform(inst.results[0],
                      to_.arguments.stride_of(inst.operands[0], unsigned(inst.imm)));
}
void Straight::array(const ir::Inst& inst) { to_.arguments.declare_array(inst); }
void Straight::load(const ir::Inst& inst) {
  to_.clamped_loads.emit_load(inst, [&] {
    if (!to_.members.load(inst)) to_.memory.emit_load(inst);
  });
}
void Straight::load_vec(const ir::Inst& inst) { load(inst); }
void Straight::store(const ir::Inst& inst) {
  if (!to_.members.store_member(number_of(inst))) to_.memory.emit_store(inst);
}
void Straight::store_vec(const ir::Inst& inst) { store(inst); }
void Straight::atomic(const ir::Inst& inst) { to_.atomics.emit_atomic(inst); }
void Straight::barrier(const ir::Inst& inst) { to_.warp.emit_gang_barrier(inst); }
void Straight::fence(const ir::Inst&) {
  to_.memory.finish_streams();
  b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
}
void Straight::clock(const ir::Inst& inst) {
  values_.set_uniform(inst.results[0],
                      b_.CreateIntrinsic(b_.getInt64Ty(), llvm::Intrinsic::readcyclecounter, {}));
}
void Straight::nanosleep(const ir::Inst&) { to_.warp.emit_pause(); }
void Straight::poll(const ir::Inst& inst) { to_.warp.emit_poll(inst); }
void Straight::warp(const ir::Inst& inst) {
  if (inst.op == Op::WarpSize) return values_.set_uniform(inst.results[0], b_.getInt32(32));
  if (inst.op == Op::LaneId) return code_.one_lane ? void() : to_.warp.emit_lane_id(inst);
  to_.warp.emit_warp(inst);
}
void Straight::uniform(const ir::Inst& inst) {
  values_.set_uniform(inst.results[0], lanes_.first_active(inst.operands[0]));
}
/// Where the gang is the block.
void Straight::tile(const ir::Inst& inst) {
  if (inst.op != Op::WordProduct) return StraightLowering<Straight>::tile(inst);
  to_.word_products.emit(inst, [&](ir::ValueId v) { return lanes_.first_active(v); });
}
void Straight::call(const ir::Inst& inst) { to_.calls.emit_call(inst); }
void Straight::slot(const ir::Inst&) { unsupported("a mutable local that was not promoted"); }
void Straight::pure(const ir::Inst& inst) { to_.pure.emit_pure(inst); }

/// Rsqrt alone is kept for this target (passes/lower/math_targets.def); the others became their
/// bodies.
void Straight::function(const ir::Inst& inst) {
  if (inst.op != Op::Rsqrt || inst.type.scalar != ir::Scalar::F32)
    unsupported("the CPU has no instruction for " + std::string(ir::info(inst.op).name));
  to_.pure.emit_pure(inst);
}

}  // namespace krait::codegen::cpu
