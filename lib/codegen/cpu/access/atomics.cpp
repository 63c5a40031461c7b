// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/access/atomics.h"

#include <map>
#include <optional>

#include <llvm/IR/IRBuilder.h>
#include <llvm/Support/SaveAndRestore.h>

#include "codegen/cpu/access/addresses.h"
#include "codegen/cpu/launch/arguments.h"
#include "codegen/cpu/lanes/each_lane.h"
#include "codegen/cpu/access/memory.h"
#include "codegen/cpu/emit/hint_notes.h"
#include "codegen/llvm/numeric.h"
#include "codegen/reply.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

void Atomics::emit_atomic(const ir::Inst& inst) {
  const ir::ValueId array = inst.operands[0];
  if (inst.order != ir::Order::Relaxed) memory_.finish_streams();
  const Address a = addresses_.address(array, inst.operands[1], 0, inst.imm, inst.type.scalar);
  hint_notes_.note_atomic(inst, a);
  const auto copied = arguments_.copied.find(array);
  if (copied == arguments_.copied.end()) return update_lanes(inst, a);
  Block own = code_.new_block("own_copy"), all = code_.new_block("in_place"),
        done = code_.new_block("updated");
  b_.CreateCondBr(copied->second, own, all);
  code_.start(own);
  {
    const llvm::SaveAndRestore<bool> in_copy(in_copy_, true);
    update_lanes(inst, a);
  }
  b_.CreateBr(done);
  code_.start(all);
  update_lanes(inst, a);
  b_.CreateBr(done);
  code_.start(done);
}

/// Whether no other worker sees the array: its block's, or a copy of this worker's
/// (private_copies.cpp).
bool Atomics::is_alone(ir::ValueId array) const {
  return in_copy_ || f_.type_of(array).space == ir::Space::Shared;
}

/// Lane after lane, in ascending order.
void Atomics::update_lanes(const ir::Inst& inst, const Address& a) {
  Scalar s = inst.type.scalar;
  bool used = uses_[inst.results[0]] != 0;
  // Of plain updates at any places the processor predicts by the instruction which will meet an
  // earlier one: many instructions for one loop's lanes are predicted badly. A histogram took 8 ns
  // an element with one for each lane, 0.6 in a loop, and 2.2 locked (Zen 4, `bench_corpus --filter
  // histogram --cpu-time`).
  const bool alone = is_alone(inst.operands[0]) && shape_.lanes > 1 && inst.op != Op::AtomicLoad;
  if (a.kind == Address::Kind::Lanes && (alone || code_.lanes_in_loops()))
    return update_in_loop(inst, a);
  if (a.kind == Address::Kind::One && code_.lanes_in_loops()) return update_in_loop(inst, a);
  Lowered r{Lowered::Form::Parts, {}, 0};
  llvm::Type* row = values_.lane_type(s);
  llvm::Type* word = b_.getIntNTy(shape_.lanes);
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V pointers = a.kind == Address::Kind::Lanes ? a.v[p] : nullptr;
    Few<V> operands;
    for (std::size_t k = 2; k < inst.operands.size(); ++k)
      operands.push_back(values_.part(inst.operands[k], p));
    // `take` gives a lane of a vector: of the pointers, 0, or of an operand, 2 and on.
    const auto of_lane = [&](V lane, llvm::function_ref<V(V, unsigned)> take) {
      V pointer = pointers ? take(pointers, 0) : a.v[a.kind == Address::Kind::One ? 0 : p];
      if (a.kind == Address::Kind::Row)
        pointer = b_.CreatePtrAdd(pointer, b_.CreateMul(lane, b_.getInt64(ir::size_of(s))));
      Few<V> x;
      for (unsigned k = 0; k < operands.size(); ++k)
        x.push_back(values_.uniform(inst.operands[k + 2]) ? values_.scalar(inst.operands[k + 2])
                                                          : take(operands[k], k + 2));
      return update(inst, s, pointer, x);
    };
    if (is_alone(inst.operands[0]) && lanes_.everyone()) {  // as cheap as finding the lane
      V old = llvm::Constant::getNullValue(row);
      for (unsigned lane = 0; lane < shape_.lanes; ++lane) {
        if (!shape_.has_thread(p * shape_.lanes + lane)) continue;
        V one = of_lane(b_.getInt64(lane),
                        [&](V v, unsigned) { return b_.CreateExtractElement(v, lane); });
        if (used) old = b_.CreateInsertElement(old, one, std::uint64_t(lane));
      }
      if (used) r.v.push_back(old);
      continue;
    }
    // Vectors lie in memory from before the loop on: LLVM would store them anew for each lane, and
    // a locked instruction waits for these stores (500,000 counters by AVX-512, 19 ms instead of
    // 10: `bench_corpus --class look --filter "cell lists" --cpu-time`).
    std::map<unsigned, Row> rows;
    if (pointers) rows[0] = each_lane_.row_in_memory({pointers}, 0);
    for (unsigned k = 0; k < operands.size(); ++k)
      if (!values_.uniform(inst.operands[k + 2]))
        rows[k + 2] = each_lane_.row_in_memory({operands[k]}, k + 2);
    Block before = b_.GetInsertBlock(), loop = code_.new_block("lane"),
          body = code_.new_block("update"), done = code_.new_block("updated");
    V all = lanes_.mask_bits(lanes_.mask_part(lanes_.active, p));
    b_.CreateBr(loop);
    code_.start(loop);
    llvm::PHINode* rest = b_.CreatePHI(word, 2);
    llvm::PHINode* result = used ? b_.CreatePHI(row, 2) : nullptr;
    rest->addIncoming(all, before);
    if (used) result->addIncoming(llvm::Constant::getNullValue(row), before);
    b_.CreateCondBr(b_.CreateICmpNE(rest, llvm::ConstantInt::get(word, 0)), body, done);
    code_.start(body);
    V lane = b_.CreateZExt(b_.CreateIntrinsic(llvm::Intrinsic::cttz, {word}, {rest, b_.getTrue()}),
                           b_.getInt64Ty());
    V old = of_lane(lane,
                    [&](V, unsigned which) { return each_lane_.load_lane(rows.at(which), lane); });
    if (used) result->addIncoming(b_.CreateInsertElement(result, old, lane), b_.GetInsertBlock());
    V next = b_.CreateAnd(rest, b_.CreateSub(rest, llvm::ConstantInt::get(word, 1)));
    rest->addIncoming(next, b_.GetInsertBlock());
    b_.CreateBr(loop);
    code_.start(done);
    if (used) r.v.push_back(result);
  }
  if (used) values_.set(inst.results[0], std::move(r));
}

void Atomics::update_in_loop(const ir::Inst& inst, const Address& a) {
  const Scalar s = inst.type.scalar;
  const Places places = addresses_.places_in_memory(a, 0);
  const bool used = uses_[inst.results[0]] != 0;
  const Row old = each_lane_.row_in_memory(values_.lane_type(s), 1);
  for (unsigned p = 0; used && !lanes_.active.all() && p < shape_.parts; ++p)
    b_.CreateStore(llvm::Constant::getNullValue(values_.lane_type(s)),
                   each_lane_.part_of_row(old, p));
  std::vector<Row> rows;
  for (std::size_t k = 2; k < inst.operands.size(); ++k) {
    Few<V> parts;
    for (unsigned p = 0; !values_.uniform(inst.operands[k]) && p < shape_.parts; ++p)
      parts.push_back(values_.part(inst.operands[k], p));
    rows.push_back(parts.empty() ? Row{} : each_lane_.row_in_memory(parts, unsigned(k)));
  }
  each_lane_.loop_over_active_lanes("update", [&](V lane) {
    Few<V> x;
    for (std::size_t k = 0; k < rows.size(); ++k)
      x.push_back(rows[k].at ? each_lane_.load_lane(rows[k], lane)
                             : values_.scalar(inst.operands[k + 2]));
    V before = update(inst, s, addresses_.place_of_lane(places, lane), x);
    if (used) b_.CreateStore(before, each_lane_.element_of_row(old, lane));
  });
  if (!used) return;
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p) r.v.push_back(each_lane_.load_part(old, p));
  values_.set(inst.results[0], std::move(r));
}

/// One lane's turn; the old value.
V Atomics::update(const ir::Inst& inst, Scalar s, V address, llvm::ArrayRef<V> operands) {
  return is_alone(inst.operands[0]) && inst.op != Op::AtomicLoad
             ? update_alone(inst, s, address, operands)
             : update_atomic(inst, s, address, operands);
}

/// One atomic update; the old value.
V Atomics::update_atomic(const ir::Inst& inst, Scalar s, V address, llvm::ArrayRef<V> x) {
  using Rmw = llvm::AtomicRMWInst;
  llvm::AtomicOrdering order = ordering(inst.order),
                       failed = llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order);
  llvm::Align align(ir::size_of(s));
  llvm::Type* bits = b_.getIntNTy(ir::bits_of(s));
  llvm::Type* own = arith_.scalar_type(s);
  bool sign = ir::is_signed_int(s), whole = ir::is_int(s);
  auto rmw = [&](Rmw::BinOp op, V value) -> V {
    return b_.CreateAtomicRMW(op, address, value, align, order);
  };
  std::optional<Rmw::BinOp> op;
  switch (inst.op) {
    case Op::AtomicLoad: {
      llvm::LoadInst* load = b_.CreateAlignedLoad(bits, address, align);
      load->setAtomic(order);
      return b_.CreateBitCast(load, own);
    }
    case Op::AtomicInc: op = Rmw::UIncWrap; break;
    case Op::AtomicDec: op = Rmw::UDecWrap; break;
    case Op::AtomicAdd:
      if (whole) op = Rmw::Add;
      else if (s != Scalar::F16) op = Rmw::FAdd;
      break;
    case Op::AtomicMin:
      if (whole) op = sign ? Rmw::Min : Rmw::UMin;
      break;
    case Op::AtomicMax:
      if (whole) op = sign ? Rmw::Max : Rmw::UMax;
      break;
    case Op::AtomicAnd: op = Rmw::And; break;
    case Op::AtomicOr: op = Rmw::Or; break;
    case Op::AtomicXor: op = Rmw::Xor; break;
    case Op::AtomicExchange:
      return b_.CreateBitCast(rmw(Rmw::Xchg, b_.CreateBitCast(x[0], bits)), own);
    case Op::AtomicCas: {
      V expected = b_.CreateBitCast(x[0], bits), desired = b_.CreateBitCast(x[1], bits);
      V pair = b_.CreateAtomicCmpXchg(address, expected, desired, align, order, failed);
      return b_.CreateBitCast(b_.CreateExtractValue(pair, 0), own);
    }
    default: break;
  }
  if (op) return rmw(*op, x[0]);
  // What the processor has no instruction for, by the operation that the table names: until nobody
  // came between.
  V first = b_.CreateAlignedLoad(bits, address, align);
  llvm::cast<llvm::LoadInst>(first)->setAtomic(llvm::AtomicOrdering::Monotonic);
  Block before = b_.GetInsertBlock(), again = code_.new_block("retry"),
        done = code_.new_block("stored");
  b_.CreateBr(again);
  code_.start(again);
  llvm::PHINode* old = b_.CreatePHI(bits, 2);
  old->addIncoming(first, before);
  ir::Inst step;
  step.op = ir::info(inst.op).by;
  step.type = ir::value_type(s);
  V next = arith_.pure(step, ir::FpMode::Strict, s, {b_.CreateBitCast(old, own), x[0]});
  V pair = b_.CreateAtomicCmpXchg(address, old, b_.CreateBitCast(next, bits), align, order, failed);
  old->addIncoming(b_.CreateExtractValue(pair, 0), b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateExtractValue(pair, 1), done, again);
  code_.start(done);
  return b_.CreateBitCast(old, own);
}

/// One lane's turn on memory that no other worker sees: no lock. Gives the old value.
V Atomics::update_alone(const ir::Inst& inst, Scalar s, V address, llvm::ArrayRef<V> x) {
  llvm::Align align(ir::size_of(s));
  llvm::Type* bits = b_.getIntNTy(ir::bits_of(s));
  V old = b_.CreateAlignedLoad(arith_.scalar_type(s), address, align);
  auto pure = [&](Op op) {
    ir::Inst step;
    step.op = op, step.type = ir::value_type(s);
    return arith_.pure(step, ir::FpMode::Strict, s, {old, x[0]});
  };
  V next = nullptr;
  switch (inst.op) {
    case Op::AtomicExchange: next = x[0]; break;
    case Op::AtomicInc:
      next = b_.CreateSelect(b_.CreateICmpUGE(old, x[0]), llvm::ConstantInt::get(bits, 0),
                             b_.CreateAdd(old, llvm::ConstantInt::get(bits, 1)));
      break;
    case Op::AtomicDec: {
      V wraps = b_.CreateOr(b_.CreateICmpEQ(old, llvm::ConstantInt::get(bits, 0)),
                            b_.CreateICmpUGT(old, x[0]));
      next = b_.CreateSelect(wraps, x[0], b_.CreateSub(old, llvm::ConstantInt::get(bits, 1)));
      break;
    }
    case Op::AtomicCas:
      next = b_.CreateSelect(
          b_.CreateICmpEQ(b_.CreateBitCast(old, bits), b_.CreateBitCast(x[0], bits)), x[1], old);
      break;
    default: next = pure(ir::info(inst.op).by);  // as the table says
  }
  b_.CreateAlignedStore(next, address, align);
  return old;
}

}  // namespace krait::codegen::cpu
