// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations across the warp, which is the gang: 32 lanes in `parts` vectors.
#include "codegen/cpu/emitter.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

void Emitter::emit_warp(const ir::Inst& inst) {
  if (inst.op == Op::Shuffle) return emit_shuffle(inst);
  if (inst.op == Op::WarpReduce) return emit_reduce(inst);
  // Bit i is lane i; lanes that are not active count as false (any, ballot) or true (all).
  V bits = b_.getInt64(0);
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V x = part(inst.operands[0], p);
    if (inst.op == Op::WarpAll) x = b_.CreateNot(x);
    if (!active_.all()) x = b_.CreateAnd(x, active_.parts[p]);
    V word = b_.CreateZExt(mask_bits(x), b_.getInt64Ty());
    bits = b_.CreateOr(bits, b_.CreateShl(word, std::uint64_t(p * shape_.lanes)));
  }
  if (inst.op == Op::WarpAny) bits = b_.CreateICmpNE(bits, b_.getInt64(0));
  if (inst.op == Op::WarpAll) bits = b_.CreateICmpEQ(bits, b_.getInt64(0));
  set_uniform(inst.results[0], bits);
}

/// Of integers, whose order does not matter: lanes that are not active take a number that changes nothing.
void Emitter::emit_reduce(const ir::Inst& inst) {
  const Op by = ir::combining[inst.imm];
  const Scalar s = inst.type.scalar;
  const std::uint64_t ones = ~std::uint64_t(0) >> (64 - ir::bits_of(s)), top = ones ^ ones >> 1;
  const std::uint64_t neutral = by == Op::And   ? ones
                                : by == Op::Min ? (ir::is_signed_int(s) ? ones >> 1 : ones)
                                : by == Op::Max ? (ir::is_signed_int(s) ? top : 0)
                                                : 0;
  ir::Inst step;
  step.op = by, step.type = inst.type;
  V all = nullptr;
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V x = part(inst.operands[0], p);
    if (!active_.all()) x = b_.CreateSelect(active_.parts[p], x, splat(arith_.constant(s, neutral)));
    all = all ? arith_.pure(step, ir::FpMode::Strict, s, {all, x}) : x;
  }
  const bool sign = ir::is_signed_int(s);
  switch (by) {
    case Op::Add: all = b_.CreateAddReduce(all); break;
    case Op::Min: all = b_.CreateIntMinReduce(all, sign); break;
    case Op::Max: all = b_.CreateIntMaxReduce(all, sign); break;
    case Op::And: all = b_.CreateAndReduce(all); break;
    case Op::Or: all = b_.CreateOrReduce(all); break;
    default: all = b_.CreateXorReduce(all); break;
  }
  set_uniform(inst.results[0], all);
}

/// Through memory: the parts side by side, then a gather. Lanes that are not active give 0.
void Emitter::emit_shuffle(const ir::Inst& inst) {
  Scalar s = inst.type.scalar;
  if (uniform(inst.operands[0]) && active_.all()) return set(inst.results[0], get(inst.operands[0]));
  llvm::Type* element = s == Scalar::Bool ? b_.getInt8Ty() : arith_.scalar_type(s);
  llvm::Type* row = llvm::FixedVectorType::get(element, shape_.lanes);
  llvm::IRBuilder<> top(allocas_);
  llvm::AllocaInst* lanes = top.CreateAlloca(llvm::ArrayType::get(row, shape_.parts), nullptr, "lanes");
  lanes->setAlignment(llvm::Align(64));
  llvm::Align align(ir::size_of(s));
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V x = arith_.to_memory(part(inst.operands[0], p), s);
    if (!active_.all()) x = b_.CreateSelect(active_.parts[p], x, llvm::Constant::getNullValue(row));
    b_.CreateAlignedStore(x, b_.CreateConstGEP2_32(lanes->getAllocatedType(), lanes, 0, p), align);
  }
  ir::ValueId from = inst.operands[1];
  if (uniform(from)) {
    V lane = b_.CreateAnd(arith_.cast(scalar(from), scalar_of(from), Scalar::I32), b_.getInt32(shape_.gang() - 1));
    V x = b_.CreateAlignedLoad(element, b_.CreateGEP(element, lanes, b_.CreateZExt(lane, b_.getInt64Ty())), align);
    set(inst.results[0], {Lowered::Form::Uniform, {arith_.from_memory(x, s)}, 0});
    return;
  }
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V lane = arith_.cast(part(from, p), scalar_of(from), Scalar::I32);
    lane = b_.CreateAnd(lane, splat(b_.getInt32(shape_.gang() - 1)));
    V pointers = b_.CreateGEP(element, lanes, b_.CreateZExt(lane, lane_type(Scalar::I64)));
    V x = b_.CreateMaskedGather(row, pointers, align, every_lane(), llvm::Constant::getNullValue(row));
    r.v.push_back(arith_.from_memory(x, s));
  }
  set(inst.results[0], std::move(r));
}

}  // namespace krait::codegen::cpu
