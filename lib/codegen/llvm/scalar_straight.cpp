// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/scalar_straight.h"

#include "codegen/llvm/scalar_atomics.h"
#include "codegen/llvm/scalar_calls.h"
#include "codegen/llvm/scalar_memory.h"
#include "codegen/reply.h"

namespace krait::codegen::scalar {

using ir::Op;
using llvm::Value;

void Straight::slot(const ir::Inst& inst) {
  llvm::IRBuilder<> at_entry(code_.entry, code_.entry->begin());
  Value* slot = at_entry.CreateAlloca(value_type(context_, inst.type.scalar));
  b_.CreateStore(value(inst.operands[0]), slot);
  set(inst, slot);
}

void Straight::lower(const ir::Inst& inst) {
  switch (inst.op) {
    case Op::Const: set(inst, literal(context_, inst.type.scalar, inst.imm)); return;
#define KRAIT_VALUE(Name, ...) case Op::Name:
#include "krait/ops.def"
      set(inst, target_.pure(inst));
      return;
#define KRAIT_MATH(Name, ...) case Op::Name:
#include "krait/ops.def"
      set(inst, target_.function_of(inst));
      return;
#define KRAIT_POSITION(Name, ...) case Op::Name:
#include "krait/ops.def"
      set(inst, target_.position(inst.op, unsigned(inst.imm)));
      return;
    case Op::Shared:
    case Op::SharedOf: target_.lower_shared(inst); return;
    case Op::Local: memory_.local(inst); return;
    case Op::Extent: set(inst, arrays_.at(inst.operands[0]).extents[inst.imm]); return;
    case Op::Stride: set(inst, arrays_.at(inst.operands[0]).strides[inst.imm]); return;
    case Op::Load: memory_.load(inst); return;
    case Op::Store: memory_.store(inst); return;
    case Op::LoadVec: memory_.load_vec(inst); return;
    case Op::StoreVec: memory_.store_vec(inst); return;
#define KRAIT_ATOMIC(Name, ...) case Op::Name:
#include "krait/ops.def"
      atomics_.lower(inst);
      return;
    case Op::Poll: defect("loops that wait are marked for the CPU alone");
    case Op::Fence:
    case Op::Clock:
    case Op::Nanosleep:
#define KRAIT_BARRIER(Name, ...) case Op::Name:
#include "krait/ops.def"
      target_.lower_sync(inst);
      return;
#define KRAIT_TILE(Name, ...) case Op::Name:
#include "krait/ops.def"
      target_.lower_tile(inst);
      return;
    case Op::WarpSize:
    case Op::LaneId:
#define KRAIT_WARP(Name, ...) case Op::Name:
#include "krait/ops.def"
      target_.lower_warp(inst);
      return;
    case Op::Assume: b_.CreateAssumption(value(inst.operands[0])); return;
    case Op::Uniform: set(inst, value(inst.operands[0])); return;
    case Op::Slot: slot(inst); return;
    case Op::Get:
      set(inst, b_.CreateLoad(value_type(context_, inst.type.scalar), value(inst.operands[0])));
      return;
    case Op::Set: b_.CreateStore(value(inst.operands[1]), value(inst.operands[0])); return;
    case Op::Call: calls_.lower(inst); return;
    case Op::If:
    // Control's, as are loops and the ends of regions; lower_reports has replaced reports
    case Op::Switch:
#define KRAIT_LOOP(Name, ...) case Op::Name:
#define KRAIT_END(Name, ...) case Op::Name:
#define KRAIT_REPORT(Name, ...) case Op::Name:
#include "krait/ops.def"
      break;
  }
  defect(std::string(ir::info(inst.op).name) + " in the wrong place");
}

}  // namespace krait::codegen::scalar
