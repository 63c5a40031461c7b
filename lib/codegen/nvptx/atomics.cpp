// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics: relaxed, device scope for views and block scope for shared memory. What PTX lacks, or does with other rounding, is a
// compare-and-swap loop.
#include "codegen/nvptx/lower.h"
#include "codegen/target.h"

namespace krait::codegen::nvptx {

using ir::Op;
using ir::Scalar;
using llvm::AtomicOrdering;
using llvm::Value;

namespace {

llvm::AtomicRMWInst::BinOp operation(Op op, Scalar s) {
  using B = llvm::AtomicRMWInst;
  bool is_signed = ir::is_signed_int(s);
  switch (op) {
    case Op::AtomicAdd: return ir::is_float(s) ? B::FAdd : B::Add;
    case Op::AtomicMin: return is_signed ? B::Min : B::UMin;
    case Op::AtomicMax: return is_signed ? B::Max : B::UMax;
    case Op::AtomicAnd: return B::And;
    case Op::AtomicOr: return B::Or;
    case Op::AtomicXor: return B::Xor;
    case Op::AtomicExchange: return B::Xchg;
    default: defect("nvptx: not an atomic operation");
  }
}

}  // namespace

Value* Lowering::atomic_by_exchange(Op op, Value* pointer, Value* operand, Scalar s, llvm::SyncScope::ID scope) {
  llvm::Type *type = operand->getType(), *bits = b_.getIntNTy(ir::bits_of(s));
  llvm::Align align(ir::size_of(s));
  llvm::LoadInst* first = b_.CreateAlignedLoad(bits, pointer, align);
  first->setAtomic(AtomicOrdering::Monotonic, scope);
  llvm::BasicBlock *before = b_.GetInsertBlock(), *loop = new_block("exchange"), *done = new_block("exchanged");
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  llvm::PHINode* old = b_.CreatePHI(bits, 2);
  old->addIncoming(first, before);
  Value* x = b_.CreateBitCast(old, type);
  Value* y = op == Op::AtomicAdd ? b_.CreateFAdd(x, operand) : numeric_.min_max(x, operand, s, op == Op::AtomicMax);
  auto* result = b_.CreateAtomicCmpXchg(pointer, old, b_.CreateBitCast(y, bits), align, AtomicOrdering::Monotonic,
                                        AtomicOrdering::Monotonic, scope);
  old->addIncoming(b_.CreateExtractValue(result, 0), loop);
  b_.CreateCondBr(b_.CreateExtractValue(result, 1), done, loop);
  b_.SetInsertPoint(done);
  return x;
}

void Lowering::lower_atomic(const ir::Inst& inst) {
  const Array& array = arrays_.at(inst.operands[0]);
  unsigned values = inst.op == Op::AtomicCas ? 2 : 1;
  auto indices = std::span(inst.operands).subspan(1, inst.operands.size() - 1 - values);
  Value* old = emit_atomic(inst, array, indices);
  if (!inst.results.empty()) set(inst, old);
}

Value* Lowering::emit_atomic(const ir::Inst& inst, const Array& array, std::span<const ir::ValueId> indices) {
  Value* operand = value(inst.operands.back());
  Scalar s = kernel_.type_of(inst.operands.back()).scalar;
  Value* pointer = address(array, indices, s, inst.imm);
  bool global = array.type.space == ir::Space::Global;
  llvm::SyncScope::ID scope = context_.getOrInsertSyncScopeID(global ? "device" : "block");
  llvm::Align align(ir::size_of(s));
  llvm::Type* bits = b_.getIntNTy(ir::bits_of(s));

  // PTX ISA, atom: .add.f32 on global memory flushes subnormals.
  bool flushes = inst.op == Op::AtomicAdd && s == Scalar::F32 && global;
  bool exact = kernel_.fp == ir::FpMode::Strict || kernel_.fp == ir::FpMode::Reproducible;
  bool float_order = ir::is_float(s) && (inst.op == Op::AtomicMin || inst.op == Op::AtomicMax);
  if (float_order || (flushes && exact && !inst.fast)) {
    return atomic_by_exchange(inst.op, pointer, operand, s, scope);
  }
  if (inst.op == Op::AtomicCas) {
    Value* expected = b_.CreateBitCast(value(inst.operands[inst.operands.size() - 2]), bits);
    Value* result = b_.CreateAtomicCmpXchg(pointer, expected, b_.CreateBitCast(operand, bits), align, AtomicOrdering::Monotonic,
                                           AtomicOrdering::Monotonic, scope);
    return b_.CreateBitCast(b_.CreateExtractValue(result, 0), operand->getType());
  }
  Value* bitwise = inst.op == Op::AtomicExchange ? b_.CreateBitCast(operand, bits) : operand;
  Value* old = b_.CreateAtomicRMW(operation(inst.op, s), pointer, bitwise, align, AtomicOrdering::Monotonic, scope);
  return b_.CreateBitCast(old, operand->getType());
}

}  // namespace krait::codegen::nvptx
