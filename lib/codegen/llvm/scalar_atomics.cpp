// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/scalar_atomics.h"

#include "codegen/llvm/scalar_memory.h"
#include "codegen/reply.h"

namespace krait::codegen::scalar {

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
    case Op::AtomicInc: return B::UIncWrap;
    case Op::AtomicDec: return B::UDecWrap;
    case Op::AtomicExchange: return B::Xchg;
    default: defect("not an atomic operation");
  }
}

}  // namespace

/// The pair of the old bits and whether they were the expected ones.
Value* Atomics::compare_and_swap(const ir::Inst& inst, Value* pointer, Value* expected,
                                 Value* desired, llvm::SyncScope::ID scope) {
  AtomicOrdering order = ordering(inst.order);
  return b_.CreateAtomicCmpXchg(pointer, expected, desired,
                                llvm::Align(ir::size_of(inst.type.scalar)), order,
                                llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order), scope);
}

/// What a read-modify-write writes.
Value* Atomics::updated(Op op, Value* x, Value* operand, Scalar s) {
  llvm::Type* type = x->getType();
  switch (op) {
    case Op::AtomicAdd:
      return ir::is_float(s) ? b_.CreateFAdd(x, operand) : b_.CreateAdd(x, operand);
    case Op::AtomicMin:
    case Op::AtomicMax: return target_.numeric().min_max(op == Op::AtomicMin, s, x, operand);
    case Op::AtomicAnd: return b_.CreateAnd(x, operand);
    case Op::AtomicOr: return b_.CreateOr(x, operand);
    case Op::AtomicXor: return b_.CreateXor(x, operand);
    case Op::AtomicInc: {
      Value* next = b_.CreateAdd(x, llvm::ConstantInt::get(type, 1));
      return b_.CreateSelect(b_.CreateICmpUGE(x, operand), llvm::Constant::getNullValue(type),
                             next);
    }
    case Op::AtomicDec: {
      Value* wraps = b_.CreateOr(b_.CreateICmpEQ(x, llvm::Constant::getNullValue(type)),
                                 b_.CreateICmpUGT(x, operand));
      return b_.CreateSelect(wraps, operand, b_.CreateSub(x, llvm::ConstantInt::get(type, 1)));
    }
    case Op::AtomicExchange: return operand;
    default: defect("not a read-modify-write: " + std::string(ir::info(op).name));
  }
}

/// The lanes of a warp that are here leave the loop together, when none of them has to try again.
/// ptxas yields in loops with atomics, so that lanes which have left a loop run on while others are
/// in it (a lock's holder must), and keeps what is equal in a warp in uniform registers all the
/// same: those that ran on wrote over them, and an exchange hit another array (driver 580,
/// ptxas 13.0; not by -O0). The address and the operand are each lane's own for the same reason.
Value* Atomics::by_loop(const ir::Inst& inst, Value* pointer, Value* operand, Scalar s,
                        llvm::SyncScope::ID scope) {
  llvm::Type *type = operand->getType(), *bits = b_.getIntNTy(ir::bits_of(s));
  llvm::Align align(ir::size_of(s));
  Value* const lanes = target_.each_lanes_own(target_.running_lanes());
  pointer = target_.each_lanes_own(pointer), operand = target_.each_lanes_own(operand);
  llvm::LoadInst* first = b_.CreateAlignedLoad(bits, pointer, align);
  first->setAtomic(AtomicOrdering::Monotonic, scope);
  llvm::BasicBlock *before = b_.GetInsertBlock(), *loop = new_block("exchange"),
                   *attempt = new_block("attempt"), *vote = new_block("vote"),
                   *done = new_block("exchanged");
  b_.CreateBr(loop);

  b_.SetInsertPoint(loop);
  llvm::PHINode *old = b_.CreatePHI(bits, 2), *tries = b_.CreatePHI(b_.getInt1Ty(), 2);
  old->addIncoming(first, before), tries->addIncoming(b_.getTrue(), before);
  b_.CreateCondBr(tries, attempt, vote);

  b_.SetInsertPoint(attempt);
  Value* y = updated(inst.op, b_.CreateBitCast(old, type), operand, s);
  Value* result = compare_and_swap(inst, pointer, old, b_.CreateBitCast(y, bits), scope);
  Value *found = b_.CreateExtractValue(result, 0),
        *failed = b_.CreateNot(b_.CreateExtractValue(result, 1));
  llvm::BasicBlock* const attempted = b_.GetInsertBlock();
  b_.CreateBr(vote);

  b_.SetInsertPoint(vote);
  llvm::PHINode *next = b_.CreatePHI(bits, 2), *again = b_.CreatePHI(b_.getInt1Ty(), 2);
  // where the swap succeeded it found `old`
  next->addIncoming(old, loop), next->addIncoming(found, attempted);
  again->addIncoming(b_.getFalse(), loop), again->addIncoming(failed, attempted);
  old->addIncoming(next, vote), tries->addIncoming(again, vote);
  b_.CreateCondBr(target_.any(lanes, again), loop, done);

  b_.SetInsertPoint(done);
  return b_.CreateBitCast(next, type);
}

Value* Atomics::emit(const ir::Inst& inst) {
  const Array& array = arrays_.at(inst.operands[0]);
  const unsigned values = ir::values_of_access(inst.op);
  const auto indices = std::span(inst.operands).subspan(1, inst.operands.size() - 1 - values);
  Scalar s = inst.type.scalar;
  Value* pointer = memory_.address(array, indices, s, inst.imm);
  bool global = array.type.space == ir::Space::Global;
  llvm::SyncScope::ID scope = target_.sync_scope(inst.scope, global);
  llvm::Align align(ir::size_of(s));
  llvm::Type *type = value_type(context_, s), *bits = b_.getIntNTy(ir::bits_of(s));
  if (inst.op == Op::AtomicLoad) {
    llvm::LoadInst* load = b_.CreateAlignedLoad(bits, pointer, align);
    load->setAtomic(ordering(inst.order), scope);
    return b_.CreateBitCast(load, type);
  }
  Value* operand = value(inst.operands.back());

  const bool float_order =
      ir::is_float(s) && (inst.op == Op::AtomicMin || inst.op == Op::AtomicMax);
  if (float_order || target_.by_exchange(inst, global))
    return by_loop(inst, pointer, operand, s, scope);
  if (inst.op == Op::AtomicCas) {
    Value* expected = b_.CreateBitCast(value(inst.operands[inst.operands.size() - 2]), bits);
    Value* result =
        compare_and_swap(inst, pointer, expected, b_.CreateBitCast(operand, bits), scope);
    return b_.CreateBitCast(b_.CreateExtractValue(result, 0), type);
  }
  Value* bitwise = inst.op == Op::AtomicExchange ? b_.CreateBitCast(operand, bits) : operand;
  using ir::Order;
  auto fence = [&](Order alone) {
    if (inst.order == alone || inst.order == Order::AcquireRelease ||
        inst.order == Order::Sequential)
      b_.CreateFence(inst.order == Order::Sequential ? AtomicOrdering::SequentiallyConsistent
                                                     : AtomicOrdering::AcquireRelease,
                     scope);
  };
  fence(Order::Release);
  Value* old = target_.read_modify_write(inst, operation(inst.op, s), pointer, bitwise, scope);
  fence(Order::Acquire);
  return b_.CreateBitCast(old, type);
}

void Atomics::lower(const ir::Inst& inst) {
  Value* old = emit(inst);
  if (!inst.results.empty()) set(inst, old);
}

}  // namespace krait::codegen::scalar
