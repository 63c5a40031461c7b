// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/lanes/warp.h"

#include <algorithm>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/cpu/lanes/each_lane.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

void Warp::emit_pause() { b_.CreateIntrinsic(llvm::Intrinsic::x86_sse2_pause, {}); }

void Warp::emit_poll(const ir::Inst& inst) {
  V trips = nullptr;  // of the lane that found something last
  if (values_.uniform(inst.operands[0])) {
    trips = values_.scalar(inst.operands[0]);
  } else {
    for (unsigned p = 0; p < shape_.parts; ++p) {
      V x = values_.part(inst.operands[0], p);
      if (!lanes_.active.all())
        x = b_.CreateSelect(lanes_.active.parts[p], x,
                            llvm::Constant::getAllOnesValue(x->getType()));
      trips = trips ? b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, trips, x) : x;
    }
    if (trips->getType()->isVectorTy()) trips = b_.CreateIntMinReduce(trips);
  }
  const Block waits = code_.new_block("waits"), next = code_.new_block("looks");
  b_.CreateCondBr(b_.CreateICmpNE(trips, b_.getInt32(0)), waits, next);
  code_.start(waits);
  llvm::FunctionType* const type =
      llvm::FunctionType::get(b_.getVoidTy(), {b_.getInt32Ty(), b_.getInt32Ty()}, false);
  llvm::CallInst* const call = b_.CreateCall(type, code_.helpers[unsigned(CpuHelper::Poll)],
                                             {b_.getInt32(std::uint32_t(inst.imm)), trips});
  call->setDoesNotThrow();
  code_.branch_to(next);
  code_.start(next);
}

void Warp::emit_warp(const ir::Inst& inst) {
  if (inst.op == Op::WarpSync) return;  // lanes run in step
  if (inst.op == Op::Shuffle) return emit_shuffle(inst);
  if (inst.op == Op::MatchAny) return emit_match(inst);
  if (inst.op == Op::WarpPrefixCount) return emit_prefix_count(inst);
  const bool combines = inst.op == Op::WarpScan || inst.op == Op::WarpReduce,
             real = ir::is_float(inst.type.scalar);
  if (combines && real && ir::combining[inst.imm] == Op::Add) return emit_sum(inst);
  if (inst.op == Op::WarpScan) return emit_scan(inst);
  if (inst.op == Op::WarpReduce) return emit_reduce(inst);
  // Bit i is lane i; lanes that are not active count as false (any, ballot) or true (all).
  Mask votes;
  for (unsigned p = 0; p < shape_.parts; ++p) {
    const V x = values_.part(inst.operands[0], p);
    votes.parts.push_back(inst.op == Op::WarpAll ? b_.CreateNot(x) : x);
  }
  votes = lanes_.both(lanes_.active, votes);
  V bits = b_.getInt64(0);
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V word = b_.CreateZExt(lanes_.mask_bits(votes.parts[p]), b_.getInt64Ty());
    bits = b_.CreateOr(bits, b_.CreateShl(word, std::uint64_t(p * shape_.lanes)));
  }
  if (inst.op == Op::WarpAny) bits = b_.CreateICmpNE(bits, b_.getInt64(0));
  if (inst.op == Op::WarpAll) bits = b_.CreateICmpEQ(bits, b_.getInt64(0));
  Lowered r{Lowered::Form::Uniform, {bits}, 0};
  if (inst.op == Op::Ballot) r.counted = std::move(votes);
  values_.set(inst.results[0], std::move(r));
}

void Warp::emit_lane_id(const ir::Inst& inst) {
  Lowered r{Lowered::Form::Linear, {b_.getInt32(0)}, 1};
  if (shape_.is_brick())
    r.across[1] = b_.getInt32(shape_.width()),
    r.across[2] = b_.getInt32(shape_.width() * shape_.rows);
  values_.set(inst.results[0], std::move(r));
}

/// Where the gang is the whole block a barrier orders nothing: its lanes run in step.
void Warp::emit_gang_barrier(const ir::Inst& inst) {
  if (inst.op == Op::Barrier) return;
  if (inst.op == Op::GridBarrier) return code_.wait_for_blocks();
  V count = b_.getInt32(0);
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V x = values_.part(inst.operands[0], p);
    if (inst.op == Op::BarrierAnd) x = b_.CreateNot(x);
    if (!lanes_.active.all()) x = b_.CreateAnd(x, lanes_.active.parts[p]);
    count = b_.CreateAdd(count, lanes_.count(x));
  }
  if (inst.op == Op::BarrierAnd) count = b_.CreateICmpEQ(count, b_.getInt32(0));
  if (inst.op == Op::BarrierOr) count = b_.CreateICmpNE(count, b_.getInt32(0));
  values_.set_uniform(inst.results[0], count);
}

/// Sums in each register, in steps that double the distance, behind the number of lanes in those
/// before. An access that lies by such a number needs only the mask (access/packed.cpp), and then
/// the sums are dead code.
void Warp::emit_prefix_count(const ir::Inst& inst) {
  const unsigned lanes = shape_.lanes;
  const ir::ValueId condition = inst.operands[0];
  const bool every = f_.is_const(condition) && f_.const_bits(condition);
  if (every && lanes_.active.all()) return emit_lane_id(inst);
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; !every && p < shape_.parts; ++p)
    r.counted.parts.push_back(values_.part(condition, p));
  r.counted = lanes_.both(lanes_.active, r.counted);
  r.from = b_.getInt32(0);
  V before = r.from;
  for (const V mask : r.counted.parts) {
    llvm::Type* row = values_.lane_type(Scalar::I32);
    const V own = b_.CreateZExt(mask, row), none = llvm::Constant::getNullValue(row);
    V sums = own;
    for (unsigned reach = 1; reach < lanes; reach *= 2) {
      std::vector<int> below(lanes);
      for (unsigned i = 0; i < lanes; ++i) below[i] = int(i < reach ? lanes : i - reach);
      sums = b_.CreateAdd(sums, b_.CreateShuffleVector(sums, none, below));
    }
    r.v.push_back(b_.CreateAdd(b_.CreateSub(sums, own), values_.splat(before)));
    before = b_.CreateAdd(before, lanes_.count(mask));
  }
  values_.set(inst.results[0], std::move(r));
}

/// For each lane the lanes that have its bits.
void Warp::emit_match(const ir::Inst& inst) {
  const Scalar s = values_.scalar_of(inst.operands[0]);
  llvm::Type* element = b_.getIntNTy(8 * ir::size_of(s));
  llvm::Type* row = llvm::FixedVectorType::get(element, shape_.lanes);
  Few<V> x;
  for (unsigned p = 0; p < shape_.parts; ++p)
    x.push_back(b_.CreateBitCast(arith_.to_memory(values_.part(inst.operands[0], p), s), row));
  const Row lanes = each_lane_.row_in_memory(x, 0),
            same = each_lane_.row_in_memory(values_.lane_type(Scalar::I64), 1);
  const V active = lanes_.active.all() ? nullptr : lanes_.active_bits();
  each_lane_.loop_over_lanes("match", [&](V lane) {
    V one = values_.splat(each_lane_.load_lane(lanes, lane));
    V bits = b_.getInt64(0);
    for (unsigned p = 0; p < shape_.parts; ++p) {
      V word = b_.CreateZExt(lanes_.mask_bits(b_.CreateICmpEQ(x[p], one)), b_.getInt64Ty());
      bits = b_.CreateOr(bits, b_.CreateShl(word, std::uint64_t(p * shape_.lanes)));
    }
    if (active) bits = b_.CreateAnd(bits, active);
    b_.CreateStore(bits, each_lane_.element_of_row(same, lane));
  });
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p) r.v.push_back(each_lane_.load_part(same, p));
  values_.set(inst.results[0], std::move(r));
}

/// Combines the active lanes one after the other, where the order does not matter.
void Warp::emit_scan(const ir::Inst& inst) {
  const Scalar s = inst.type.scalar;
  ir::Inst step;
  step.op = ir::combining[inst.imm], step.type = inst.type;
  llvm::Type* element = arith_.scalar_type(s);
  Few<V> parts;
  for (unsigned p = 0; p < shape_.parts; ++p)
    parts.push_back(arith_.to_memory(values_.part(inst.operands[0], p), s));
  const Row lanes = each_lane_.row_in_memory(parts, 0);
  llvm::AllocaInst* const sum = code_.room(element, "sum");
  llvm::AllocaInst* const some = code_.room(b_.getInt1Ty(), "some");
  b_.CreateStore(llvm::Constant::getNullValue(element), sum), b_.CreateStore(b_.getFalse(), some);
  const V active = lanes_.active.all() ? nullptr : lanes_.active_bits();
  each_lane_.loop_over_lanes("scan", [&](V lane) {
    V place = each_lane_.element_of_row(lanes, lane), own = b_.CreateLoad(element, place);
    V before = b_.CreateLoad(element, sum), any_before = b_.CreateLoad(b_.getInt1Ty(), some);
    V all =
        arith_.to_memory(arith_.pure(step, ir::FpMode::Strict, s,
                                     {arith_.from_memory(before, s), arith_.from_memory(own, s)}),
                         s);
    all = b_.CreateSelect(any_before, all, own);
    b_.CreateStore(all, place);
    V here = active ? b_.CreateTrunc(b_.CreateLShr(active, lane), b_.getInt1Ty()) : b_.getTrue();
    b_.CreateStore(b_.CreateSelect(here, all, before), sum);
    b_.CreateStore(b_.CreateOr(any_before, here), some);
  });
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p)
    r.v.push_back(arith_.from_memory(each_lane_.load_part(lanes, p), s));
  values_.set(inst.results[0], std::move(r));
}

V Warp::combine(const ir::Inst& inst, V x, V y) {
  ir::Inst step;
  step.op = ir::combining[inst.imm], step.type = inst.type;
  // what is known of the lanes' floats stays known: the smaller or the larger one is one of them
  if (lanes_.active.all() && step.op != Op::Add)
    step.operands = {inst.operands[0], inst.operands[0]};
  return arith_.pure(step, step.op == Op::Add ? f_.fp : ir::FpMode::Strict, inst.type.scalar,
                     {x, y});
}

/// All lanes combined in a tree, neighbours first, as a sum asks: the last one's of those below.
V Warp::tree(const ir::Inst& inst, Few<V> x) {
  const unsigned lanes = shape_.lanes;
  std::vector<int> even(lanes), odd(lanes);
  for (unsigned i = 0; i < lanes; ++i) even[i] = int(2 * i), odd[i] = int(2 * i + 1);
  for (; x.size() > 1; x.resize(x.size() / 2))
    for (unsigned k = 0; k < x.size() / 2; ++k) {
      const V second = b_.CreateShuffleVector(x[2 * k], x[2 * k + 1], odd),
              first = b_.CreateShuffleVector(x[2 * k], x[2 * k + 1], even);
      x[k] = combine(inst, first, second);
    }
  for (unsigned left = lanes; left > 1; left /= 2) {
    for (unsigned i = left / 2; i < lanes; ++i) even[i] = odd[i] = -1;
    const V second = b_.CreateShuffleVector(x[0], odd), first = b_.CreateShuffleVector(x[0], even);
    x[0] = combine(inst, first, second);
  }
  return b_.CreateExtractElement(x[0], std::uint64_t(0));
}

/// Sums of floats, in the order of Hillis and Steele ("Data parallel algorithms", 1986) among the
/// active lanes: whose sum reaches so many lanes down adds the one that begins below.
void Warp::emit_sum(const ir::Inst& inst) {
  const Scalar s = inst.type.scalar;
  const unsigned lanes = shape_.lanes, gang = shape_.gang();
  const bool reduces = inst.op == Op::WarpReduce;
  Few<V> x;
  for (unsigned p = 0; p < shape_.parts; ++p) x.push_back(values_.part(inst.operands[0], p));
  if (reduces && lanes_.active.all())
    return values_.set_uniform(inst.results[0], tree(inst, std::move(x)));

  // Active lanes come together at the front.
  const auto in_memory = [&](const Few<V>& parts, unsigned row) {
    Few<V> values;
    for (V v : parts) values.push_back(arith_.to_memory(v, s));
    return each_lane_.row_in_memory(values, row);
  };
  const auto within = [&](V lane) { return b_.CreateAnd(lane, b_.getInt64(gang - 1)); };
  const V active = lanes_.active.all() ? nullptr : lanes_.active_bits();
  llvm::AllocaInst* const counted = active ? code_.room(b_.getInt64Ty(), "active") : nullptr;
  const auto over_active = [&](const char* name, llvm::function_ref<void(V, V)> body) {
    b_.CreateStore(b_.getInt64(0), counted);
    each_lane_.loop_over_lanes(name, [&](V lane) {
      V place = b_.CreateLoad(b_.getInt64Ty(), counted);
      body(lane, place);
      b_.CreateStore(b_.CreateAdd(place, b_.CreateAnd(b_.CreateLShr(active, lane), b_.getInt64(1))),
                     counted);
    });
  };
  if (active) {
    const Row from = in_memory(x, 0),
              packed = each_lane_.row_in_memory(arith_.to_memory(x[0], s)->getType(), 1);
    over_active("pack", [&](V lane, V place) {
      b_.CreateStore(each_lane_.load_lane(from, lane),
                     each_lane_.element_of_row(packed, within(place)));
    });
    for (unsigned p = 0; p < shape_.parts; ++p)
      x[p] = arith_.from_memory(each_lane_.load_part(packed, p), s);
  }
  for (unsigned reach = 1; reach < gang; reach *= 2) {
    Few<V> sums;
    for (unsigned p = 0; p < shape_.parts; ++p) {
      std::vector<unsigned> below(lanes);
      std::vector<int> chosen(lanes);
      for (unsigned i = 0; i < lanes; ++i) {
        const unsigned lane = p * lanes + i;
        below[i] = lane < reach ? lane : lane - reach,
        chosen[i] = int(lane < reach ? i : lanes + i);
      }
      sums.push_back(
          b_.CreateShuffleVector(x[p], combine(inst, values_.take_lanes(x, below), x[p]), chosen));
    }
    x = std::move(sums);
  }
  if (!active) return values_.set(inst.results[0], {Lowered::Form::Parts, std::move(x), 0});
  const Row summed = in_memory(x, 0);
  if (reduces) {
    V last = b_.CreateSub(b_.CreateIntrinsic(llvm::Intrinsic::ctpop, {b_.getInt64Ty()}, {active}),
                          b_.getInt64(1));
    return values_.set_uniform(inst.results[0],
                               arith_.from_memory(each_lane_.load_lane(summed, within(last)), s));
  }
  const Row spread = each_lane_.row_in_memory(arith_.to_memory(x[0], s)->getType(), 1);
  over_active("spread", [&](V lane, V place) {
    b_.CreateStore(each_lane_.load_lane(summed, within(place)),
                   each_lane_.element_of_row(spread, lane));
  });
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p)
    r.v.push_back(arith_.from_memory(each_lane_.load_part(spread, p), s));
  values_.set(inst.results[0], std::move(r));
}

/// Where the order does not matter: lanes that are not active take a number that changes nothing.
void Warp::emit_reduce(const ir::Inst& inst) {
  const Op by = ir::combining[inst.imm];
  const Scalar s = inst.type.scalar;
  const std::uint64_t ones = ~std::uint64_t(0) >> (64 - ir::bits_of(s)), top = ones ^ ones >> 1;
  const std::uint64_t neutral = ir::is_float(s) ? ones ^ top  // a quiet NaN
                                : by == Op::And ? ones
                                : by == Op::Min ? (ir::is_signed_int(s) ? ones >> 1 : ones)
                                : by == Op::Max ? (ir::is_signed_int(s) ? top : 0)
                                                : 0;
  V all = nullptr;
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V x = values_.part(inst.operands[0], p);
    if (!lanes_.active.all())
      x = b_.CreateSelect(lanes_.active.parts[p], x, values_.splat(arith_.constant(s, neutral)));
    all = all ? combine(inst, all, x) : x;
  }
  const bool sign = ir::is_signed_int(s);
  if (ir::is_float(s)) all = tree(inst, {all});
  else switch (by) {
      case Op::Add: all = b_.CreateAddReduce(all); break;
      case Op::Min: all = b_.CreateIntMinReduce(all, sign); break;
      case Op::Max: all = b_.CreateIntMaxReduce(all, sign); break;
      case Op::And: all = b_.CreateAndReduce(all); break;
      case Op::Or: all = b_.CreateOrReduce(all); break;
      case Op::Xor: all = b_.CreateXorReduce(all); break;
      default: defect("lanes are not combined by " + std::string(ir::info(by).name));
    }
  values_.set_uniform(inst.results[0], all);
}

/// Of lanes that are known now by instructions; else through memory: the parts side by side, then a
/// gather. Lanes that are not active give 0.
void Warp::emit_shuffle(const ir::Inst& inst) {
  Scalar s = inst.type.scalar;
  const ir::ValueId from = inst.operands[1];
  if (values_.uniform(inst.operands[0]) && lanes_.active.all() && values_.uniform(from))
    return values_.set(inst.results[0], values_.get(inst.operands[0]));
  llvm::Type* element = s == Scalar::Bool ? b_.getInt8Ty() : arith_.scalar_type(s);
  llvm::Type* row = llvm::FixedVectorType::get(element, shape_.lanes);
  Few<V> parts;
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V x = arith_.to_memory(values_.part(inst.operands[0], p), s);
    parts.push_back(lanes_.active.all() ? x
                                        : b_.CreateSelect(lanes_.active.parts[p], x,
                                                          llvm::Constant::getNullValue(row)));
  }
  const unsigned last = shape_.gang() - 1;
  std::vector<unsigned> known;
  Few<V> numbers;  // of lanes, by part
  if (!values_.uniform(from))
    for (unsigned p = 0; p < shape_.parts; ++p) {
      numbers.push_back(
          b_.CreateAnd(arith_.cast(values_.part(from, p), values_.scalar_of(from), Scalar::I32),
                       values_.splat(b_.getInt32(last))));
      if (auto* c = llvm::dyn_cast<llvm::Constant>(numbers[p]))
        for (unsigned i = 0; i < shape_.lanes; ++i)
          if (auto* n = llvm::dyn_cast_or_null<llvm::ConstantInt>(c->getAggregateElement(i)))
            known.push_back(unsigned(n->getZExtValue()));
    }
  Lowered r{Lowered::Form::Parts, {}, 0};
  if (known.size() == shape_.gang()) {
    for (unsigned p = 0; p < shape_.parts; ++p)
      r.v.push_back(arith_.from_memory(
          values_.take_lanes(parts, llvm::ArrayRef(known).slice(p * shape_.lanes, shape_.lanes)),
          s));
    return values_.set(inst.results[0], std::move(r));
  }
  V lane =
      values_.uniform(from)
          ? b_.CreateAnd(arith_.cast(values_.scalar(from), values_.scalar_of(from), Scalar::I32),
                         b_.getInt32(last))
          : nullptr;
  if (auto* c = llvm::dyn_cast_or_null<llvm::ConstantInt>(lane)) {
    const auto number = unsigned(c->getZExtValue());
    return values_.set_uniform(
        inst.results[0],
        arith_.from_memory(b_.CreateExtractElement(parts[number / shape_.lanes],
                                                   std::uint64_t(number % shape_.lanes)),
                           s));
  }
  const Row lanes = each_lane_.row_in_memory(parts, 0);
  if (lane)
    return values_.set_uniform(
        inst.results[0],
        arith_.from_memory(each_lane_.load_lane(lanes, b_.CreateZExt(lane, b_.getInt64Ty())), s));
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V pointers =
        b_.CreateGEP(element, lanes.at, b_.CreateZExt(numbers[p], values_.lane_type(Scalar::I64)));
    V x = b_.CreateMaskedGather(row, pointers, llvm::Align(ir::size_of(s)), lanes_.every_lane(),
                                llvm::Constant::getNullValue(row));
    r.v.push_back(arith_.from_memory(x, s));
  }
  values_.set(inst.results[0], std::move(r));
}

}  // namespace krait::codegen::cpu
