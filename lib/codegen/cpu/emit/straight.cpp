// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/emit/straight.h"

#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/launch/arguments.h"
#include "codegen/cpu/access/atomics.h"
#include "codegen/cpu/emit/call.h"
#include "codegen/cpu/idioms/clamped_loads.h"
#include "codegen/cpu/idioms/absolute_differences.h"
#include "codegen/cpu/idioms/local_updates.h"
#include "codegen/cpu/access/members.h"
#include "codegen/cpu/access/memory.h"
#include "codegen/cpu/launch/row_gangs.h"
#include "codegen/cpu/lanes/positions.h"
#include "codegen/cpu/emit/pure.h"
#include "codegen/cpu/lanes/warp.h"
#include "codegen/reply.h"

namespace krait::codegen::cpu {

using ir::Op;

void Straight::emit(ir::InstId id) {
  const ir::Inst& inst = f_.insts[id];
  if (to_.local_updates.emit_local_update(id)) return;
  if (!to_.in_row.known.empty() && inst.results.size() == 1)
    if (const auto known = to_.in_row.known.find(inst.results[0]); known != to_.in_row.known.end())
      return values_.set(known->first, known->second);
  emit_by_part(id, inst);
}

void Straight::emit_by_part(ir::InstId id, const ir::Inst& inst) {
  switch (inst.op) {
    case Op::Const:
      values_.set_uniform(inst.results[0], arith_.constant(inst.type.scalar, inst.imm));
      break;
#define KRAIT_POSITION(Name, ...) case Op::Name:
#include "krait/ops.def"
      values_.set(inst.results[0], to_.positions.id_value(inst));
      break;
    case Op::Extent:
      values_.set_uniform(inst.results[0],
                          to_.arguments.extent_of(inst.operands[0], unsigned(inst.imm)));
      break;
    case Op::Stride:
      values_.set_uniform(inst.results[0],
                          to_.arguments.stride_of(inst.operands[0], unsigned(inst.imm)));
      break;
    case Op::Shared:
    case Op::Local: to_.arguments.declare_array(inst); break;
    case Op::Load:
    case Op::LoadVec:
      to_.clamped_loads.emit_load(inst, [&] {
        if (!to_.members.load(inst)) to_.memory.emit_load(inst);
      });
      break;
    case Op::Store:
    case Op::StoreVec:
      if (!to_.members.store_member(id)) to_.memory.emit_store(inst);
      break;
#define KRAIT_ATOMIC(Name, ...) case Op::Name:
#include "krait/ops.def"
      to_.atomics.emit_atomic(inst);
      break;
#define KRAIT_BARRIER(Name, ...) case Op::Name:
#include "krait/ops.def"
      to_.warp.emit_gang_barrier(inst);
      break;
    case Op::Fence:
      to_.memory.finish_streams(), b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
      break;
    case Op::Clock:
      values_.set_uniform(
          inst.results[0],
          b_.CreateIntrinsic(b_.getInt64Ty(), llvm::Intrinsic::readcyclecounter, {}));
      break;
    case Op::Nanosleep: to_.warp.emit_pause(); break;
    case Op::Poll: to_.warp.emit_poll(inst); break;
    case Op::WarpSize: values_.set_uniform(inst.results[0], b_.getInt32(32)); break;
    case Op::LaneId: to_.warp.emit_lane_id(inst); break;
#define KRAIT_WARP(Name, ...) case Op::Name:
#include "krait/ops.def"
      to_.warp.emit_warp(inst);
      break;
    case Op::Uniform:
      values_.set_uniform(inst.results[0], lanes_.first_active(inst.operands[0]));
      break;
    case Op::Call: to_.calls.emit_call(inst); break;
    case Op::Slot:
    case Op::Get:
    case Op::Set: unsupported("a mutable local that was not promoted");
#define KRAIT_VALUE(Name, ...) case Op::Name:
#include "krait/ops.def"
      if (!to_.differences.emit_byte_sum(id)) to_.pure.emit_pure(inst);
      break;
#define KRAIT_MATH(Name, ...) case Op::Name:
#include "krait/ops.def"
      // Rsqrt alone is kept for this target (passes/lower/math_targets.def); the others became
      // their bodies.
      if (inst.op != Op::Rsqrt || inst.type.scalar != ir::Scalar::F32)
        unsupported("the CPU has no instruction for " + std::string(ir::info(inst.op).name));
      to_.pure.emit_pure(inst);
      break;
    case Op::If:
    case Op::Switch:
#define KRAIT_LOOP(Name, ...) case Op::Name:
#include "krait/ops.def"
#define KRAIT_END(Name, ...) case Op::Name:
#include "krait/ops.def"
      defect("control flow among straight instructions");
    case Op::SharedOf: defect("run_pipeline has not refused clusters");
    case Op::Assume: defect("drop_assumptions has not run");
#define KRAIT_REPORT(Name, ...) case Op::Name:
#include "krait/ops.def"
      defect("lower_reports has not run");
#define KRAIT_TILE(Name, ...) case Op::Name:
#include "krait/ops.def"
      defect("expand_tiles has not run");
  }
}

}  // namespace krait::codegen::cpu
