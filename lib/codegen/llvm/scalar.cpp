// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/scalar.h"

#include <fmt/core.h>

#include "codegen/reply.h"
#include "ir/walk.h"

namespace krait::codegen {

using ir::Op;
using ir::Scalar;
using llvm::Value;

ScalarLowering::ScalarLowering(Session& session, Lowered& all, std::size_t function)
    : session_(session),
      all_(all),
      number_(function),
      kernel_(all.module.functions[function]),
      context_(session.context()),
      b_(context_),
      values_(kernel_.values.size(), nullptr) {}

bool ScalarLowering::is_written(ir::ValueId array) const {
  return ir::any_inst(kernel_, [&](const ir::Inst& inst) {
    for (std::size_t k = 0; k < inst.operands.size(); ++k)
      if (inst.operands[k] == array && all_.calls.writes(inst, k)) return true;
    return false;
  });
}

void ScalarLowering::make_strides(Array& array) {
  Value* stride = b_.getInt64(1);
  for (int d = array.type.rank - 1; d >= 0; --d) {
    array.strides[d] = stride;
    stride = b_.CreateMul(stride, array.extents[d]);
  }
}

void ScalarLowering::run() {
  if (kernel_.called) create_called();
  else create_kernel();
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  if (kernel_.fp == ir::FpMode::Fast) function_->addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
  entry_ = llvm::BasicBlock::Create(context_, "entry", function_);
  all_.functions[number_] = function_;
  b_.SetInsertPoint(entry_);
  lines_.emplace(session_.module(), *function_, kernel_, llvm::DICompileUnit::DebugDirectivesOnly);
  if (kernel_.called) {
    bind_called();
  } else {
    bind_kernel();
    lanes_ = all_lanes();
  }
  llvm::BasicBlock* body = new_block("body");
  b_.SetInsertPoint(body);
  lower_region(kernel_.body, nullptr, nullptr);
  b_.SetCurrentDebugLocation({});
  if (exit_) {
    exit_->insertInto(function_);
    b_.SetInsertPoint(exit_);
    b_.CreateRetVoid();
  }
  b_.SetInsertPoint(entry_);
  b_.CreateBr(body);
  lines_->finish();
}

llvm::BasicBlock* ScalarLowering::new_block(const char* name) { return llvm::BasicBlock::Create(context_, name, function_); }

Value* ScalarLowering::value(ir::ValueId v) const {
  if (!values_[v]) defect(fmt::format("value %{} is used before it is lowered", v));
  return values_[v];
}

Value* ScalarLowering::signed_i64(ir::ValueId v) { return numeric().cast(value(v), kernel_.type_of(v).scalar, Scalar::I64); }

void ScalarLowering::lower_slot(const ir::Inst& inst) {
  llvm::IRBuilder<> at_entry(entry_, entry_->begin());
  Value* slot = at_entry.CreateAlloca(value_type(context_, inst.type.scalar));
  b_.CreateStore(value(inst.operands[0]), slot);
  set(inst, slot);
}

void ScalarLowering::lower(const ir::Inst& inst) {
  switch (inst.op) {
    case Op::Const: set(inst, literal(context_, inst.type.scalar, inst.imm)); return;
#define KRAIT_VALUE(Name, ...) case Op::Name:
#include "krait/ops.def"
      set(inst, pure(inst));
      return;
#define KRAIT_MATH(Name, ...) case Op::Name:
#include "krait/ops.def"
      set(inst, function_of(inst));
      return;
#define KRAIT_POSITION(Name, ...) case Op::Name:
#include "krait/ops.def"
      set(inst, position(inst.op, unsigned(inst.imm)));
      return;
    case Op::Shared: lower_shared(inst); return;
    case Op::Local: lower_local(inst); return;
    case Op::Extent: set(inst, arrays_.at(inst.operands[0]).extents[inst.imm]); return;
    case Op::Stride: set(inst, arrays_.at(inst.operands[0]).strides[inst.imm]); return;
    case Op::Load: lower_load(inst); return;
    case Op::Store: lower_store(inst); return;
    case Op::LoadVec: lower_load_vec(inst); return;
    case Op::StoreVec: lower_store_vec(inst); return;
#define KRAIT_ATOMIC(Name, ...) case Op::Name:
#include "krait/ops.def"
      lower_atomic(inst);
      return;
    case Op::Fence:
#define KRAIT_BARRIER(Name, ...) case Op::Name:
#include "krait/ops.def"
      lower_sync(inst);
      return;
    case Op::WarpSize:
    case Op::LaneId:
#define KRAIT_WARP(Name, ...) case Op::Name:
#include "krait/ops.def"
      lower_warp(inst);
      return;
    case Op::Uniform: set(inst, value(inst.operands[0])); return;
    case Op::Slot: lower_slot(inst); return;
    case Op::Get: set(inst, b_.CreateLoad(value_type(context_, inst.type.scalar), value(inst.operands[0]))); return;
    case Op::Set: b_.CreateStore(value(inst.operands[1]), value(inst.operands[0])); return;
    case Op::Call: lower_call(inst); return;
    case Op::If:
    case Op::Switch:  // lower_region's, as are loops and the ends of regions; lower_reports has replaced reports
#define KRAIT_LOOP(Name, ...) case Op::Name:
#define KRAIT_END(Name, ...) case Op::Name:
#define KRAIT_REPORT(Name, ...) case Op::Name:
#include "krait/ops.def"
      break;
  }
  defect(std::string(ir::info(inst.op).name) + " in the wrong place");
}

}  // namespace krait::codegen
