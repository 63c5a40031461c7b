// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/scalar_straight.h"

#include "codegen/llvm/scalar_atomics.h"
#include "codegen/llvm/scalar_calls.h"
#include "codegen/llvm/scalar_memory.h"

namespace krait::codegen::scalar {

using ir::Op;
using llvm::Value;

void Straight::lower(const ir::Inst& inst) { by_family(inst); }

void Straight::constant(const ir::Inst& inst) {
  set(inst, literal(context_, inst.type.scalar, inst.imm));
}
void Straight::pure(const ir::Inst& inst) { set(inst, target_.pure(inst)); }
void Straight::function(const ir::Inst& inst) { set(inst, target_.function_of(inst)); }
void Straight::position(const ir::Inst& inst) {
  set(inst, target_.position(inst.op, unsigned(inst.imm)));
}
void Straight::extent(const ir::Inst& inst) {
  set(inst, arrays_.at(inst.operands[0]).extents[inst.imm]);
}
void Straight::stride(const ir::Inst& inst) {
  set(inst, arrays_.at(inst.operands[0]).strides[inst.imm]);
}
void Straight::array(const ir::Inst& inst) {
  inst.op == Op::Local ? memory_.local(inst) : target_.lower_shared(inst);
}
void Straight::shared_of(const ir::Inst& inst) { target_.lower_shared(inst); }
void Straight::load(const ir::Inst& inst) { memory_.load(inst); }
void Straight::store(const ir::Inst& inst) { memory_.store(inst); }
void Straight::load_vec(const ir::Inst& inst) { memory_.load_vec(inst); }
void Straight::store_vec(const ir::Inst& inst) { memory_.store_vec(inst); }
void Straight::atomic(const ir::Inst& inst) { atomics_.lower(inst); }
void Straight::barrier(const ir::Inst& inst) { target_.lower_sync(inst); }
void Straight::fence(const ir::Inst& inst) { target_.lower_sync(inst); }
void Straight::clock(const ir::Inst& inst) { target_.lower_sync(inst); }
void Straight::nanosleep(const ir::Inst& inst) { target_.lower_sync(inst); }
void Straight::warp(const ir::Inst& inst) { target_.lower_warp(inst); }
void Straight::uniform(const ir::Inst& inst) { set(inst, value(inst.operands[0])); }
void Straight::tile(const ir::Inst& inst) { target_.lower_tile(inst); }
void Straight::assume(const ir::Inst& inst) { b_.CreateAssumption(value(inst.operands[0])); }
void Straight::call(const ir::Inst& inst) { calls_.lower(inst); }

void Straight::slot(const ir::Inst& inst) {
  llvm::Type* type = value_type(context_, inst.type.scalar);
  if (inst.op == Op::Get) return set(inst, b_.CreateLoad(type, value(inst.operands[0])));
  if (inst.op == Op::Set)
    return void(b_.CreateStore(value(inst.operands[1]), value(inst.operands[0])));
  llvm::IRBuilder<> at_entry(code_.entry, code_.entry->begin());
  Value* slot = at_entry.CreateAlloca(type);
  b_.CreateStore(value(inst.operands[0]), slot);
  set(inst, slot);
}

}  // namespace krait::codegen::scalar
