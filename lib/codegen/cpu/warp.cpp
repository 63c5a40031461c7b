// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations across the warp, which is the gang: 32 lanes in `parts` vectors.
#include "codegen/cpu/emitter.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

void Emitter::emit_warp(const ir::Inst& inst) {
  if (inst.op == Op::Shuffle) return emit_shuffle(inst);
  if (inst.op == Op::MatchAny) return emit_match(inst);
  if (inst.op == Op::WarpScan || (inst.op == Op::WarpReduce && ir::is_float(inst.type.scalar))) return emit_scan(inst);
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

Emitter::V Emitter::active_bits() {
  V bits = b_.getInt64(0);
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V word = b_.CreateZExt(mask_bits(active_.all() ? every_lane() : active_.parts[p]), b_.getInt64Ty());
    bits = b_.CreateOr(bits, b_.CreateShl(word, std::uint64_t(p * shape_.lanes)));
  }
  return bits;
}

/// Room for the parts side by side.
llvm::AllocaInst* Emitter::lanes_in_memory(llvm::Type* row, const char* name) {
  llvm::IRBuilder<> top(allocas_);
  llvm::AllocaInst* lanes = top.CreateAlloca(llvm::ArrayType::get(row, shape_.parts), nullptr, name);
  lanes->setAlignment(llvm::Align(64));
  return lanes;
}

/// `body(i)` emits what happens for lane i, an i64: once, however many lanes there are.
template <class Body>
void Emitter::loop_over_lanes(const char* name, Body body) {
  Block before = b_.GetInsertBlock(), loop = new_block(name), done = new_block("each_lane_done");
  branch_to(loop), start(loop);
  llvm::PHINode* lane = b_.CreatePHI(b_.getInt64Ty(), 2);
  lane->addIncoming(b_.getInt64(0), before);
  body(lane);
  V next = b_.CreateAdd(lane, b_.getInt64(1));
  lane->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt64(shape_.gang())), loop, done);
  start(done);
}

/// For each lane the lanes that have its bits.
void Emitter::emit_match(const ir::Inst& inst) {
  const Scalar s = scalar_of(inst.operands[0]);
  llvm::Type* element = b_.getIntNTy(8 * ir::size_of(s));
  llvm::Type* row = llvm::FixedVectorType::get(element, shape_.lanes);
  llvm::AllocaInst *lanes = lanes_in_memory(row, "lanes"), *same = lanes_in_memory(lane_type(Scalar::I64), "same");
  std::vector<V> x;
  for (unsigned p = 0; p < shape_.parts; ++p) {
    x.push_back(b_.CreateBitCast(arith_.to_memory(part(inst.operands[0], p), s), row));
    b_.CreateStore(x[p], b_.CreateConstGEP2_32(lanes->getAllocatedType(), lanes, 0, p));
  }
  const V active = active_.all() ? nullptr : active_bits();
  loop_over_lanes("match", [&](V lane) {
    V one = splat(b_.CreateLoad(element, b_.CreateGEP(element, lanes, lane)));
    V bits = b_.getInt64(0);
    for (unsigned p = 0; p < shape_.parts; ++p) {
      V word = b_.CreateZExt(mask_bits(b_.CreateICmpEQ(x[p], one)), b_.getInt64Ty());
      bits = b_.CreateOr(bits, b_.CreateShl(word, std::uint64_t(p * shape_.lanes)));
    }
    if (active) bits = b_.CreateAnd(bits, active);
    b_.CreateStore(bits, b_.CreateGEP(b_.getInt64Ty(), same, lane));
  });
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p)
    r.v.push_back(b_.CreateLoad(lane_type(Scalar::I64), b_.CreateConstGEP2_32(same->getAllocatedType(), same, 0, p)));
  set(inst.results[0], std::move(r));
}

/// Combines the active lanes one after the other, where the order does not matter; a reduction is what the last one has.
void Emitter::emit_scan(const ir::Inst& inst) {
  const Scalar s = inst.type.scalar;
  ir::Inst step;
  step.op = ir::combining[inst.imm], step.type = inst.type;
  llvm::Type* element = arith_.scalar_type(s);
  llvm::Type* row = llvm::FixedVectorType::get(element, shape_.lanes);
  llvm::AllocaInst* lanes = lanes_in_memory(row, "lanes");
  for (unsigned p = 0; p < shape_.parts; ++p)
    b_.CreateStore(arith_.to_memory(part(inst.operands[0], p), s), b_.CreateConstGEP2_32(lanes->getAllocatedType(), lanes, 0, p));
  llvm::IRBuilder<> top(allocas_);
  llvm::AllocaInst *sum = top.CreateAlloca(element, nullptr, "sum"), *some = top.CreateAlloca(b_.getInt1Ty(), nullptr, "some");
  b_.CreateStore(llvm::Constant::getNullValue(element), sum), b_.CreateStore(b_.getFalse(), some);
  const V active = active_.all() ? nullptr : active_bits();
  loop_over_lanes("scan", [&](V lane) {
    V place = b_.CreateGEP(element, lanes, lane), own = b_.CreateLoad(element, place);
    V before = b_.CreateLoad(element, sum), any_before = b_.CreateLoad(b_.getInt1Ty(), some);
    V all = arith_.to_memory(arith_.pure(step, ir::FpMode::Strict, s, {arith_.from_memory(before, s), arith_.from_memory(own, s)}), s);
    all = b_.CreateSelect(any_before, all, own);
    b_.CreateStore(all, place);
    V here = active ? b_.CreateTrunc(b_.CreateLShr(active, lane), b_.getInt1Ty()) : b_.getTrue();
    b_.CreateStore(b_.CreateSelect(here, all, before), sum);
    b_.CreateStore(b_.CreateOr(any_before, here), some);
  });
  if (inst.op == Op::WarpReduce) return set_uniform(inst.results[0], arith_.from_memory(b_.CreateLoad(element, sum), s));
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p)
    r.v.push_back(arith_.from_memory(b_.CreateLoad(row, b_.CreateConstGEP2_32(lanes->getAllocatedType(), lanes, 0, p)), s));
  set(inst.results[0], std::move(r));
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
  llvm::AllocaInst* lanes = lanes_in_memory(row, "lanes");
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
