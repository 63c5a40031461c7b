// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations across the warp, which is the gang: 32 lanes in `parts` vectors.
#include <algorithm>

#include "codegen/cpu/emitter.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

void Emitter::emit_warp(const ir::Inst& inst) {
  if (inst.op == Op::Shuffle) return emit_shuffle(inst);
  if (inst.op == Op::MatchAny) return emit_match(inst);
  const bool combines = inst.op == Op::WarpScan || inst.op == Op::WarpReduce, real = ir::is_float(inst.type.scalar);
  if (combines && real && ir::combining[inst.imm] == Op::Add) return emit_sum(inst);
  if (inst.op == Op::WarpScan || (combines && real)) return emit_scan(inst);
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

std::vector<Emitter::V> Emitter::active_words() {
  constexpr unsigned bits = 64;
  std::vector<V> words((shape_.gang() + bits - 1) / bits, b_.getInt64(0));
  for (unsigned p = 0; p < shape_.parts; ++p) {
    const V part = b_.CreateZExt(mask_bits(active_.all() ? every_lane() : active_.parts[p]), b_.getInt64Ty());
    V& word = words[p * shape_.lanes / bits];
    word = b_.CreateOr(word, b_.CreateShl(part, std::uint64_t(p * shape_.lanes % bits)));
  }
  return words;
}
Emitter::V Emitter::active_bits() {
  if (shape_.gang() > 64) defect("a gang of more lanes than a warp has");
  return active_words().front();
}

/// For each lane the lanes that have its bits.
void Emitter::emit_match(const ir::Inst& inst) {
  const Scalar s = scalar_of(inst.operands[0]);
  llvm::Type* element = b_.getIntNTy(8 * ir::size_of(s));
  llvm::Type* row = llvm::FixedVectorType::get(element, shape_.lanes);
  Few<V> x;
  for (unsigned p = 0; p < shape_.parts; ++p) x.push_back(b_.CreateBitCast(arith_.to_memory(part(inst.operands[0], p), s), row));
  const Row lanes = row_in_memory(x, 0), same = row_in_memory(lane_type(Scalar::I64), 1);
  const V active = active_.all() ? nullptr : active_bits();
  loop_over_lanes("match", [&](V lane) {
    V one = splat(load_lane(lanes, lane));
    V bits = b_.getInt64(0);
    for (unsigned p = 0; p < shape_.parts; ++p) {
      V word = b_.CreateZExt(mask_bits(b_.CreateICmpEQ(x[p], one)), b_.getInt64Ty());
      bits = b_.CreateOr(bits, b_.CreateShl(word, std::uint64_t(p * shape_.lanes)));
    }
    if (active) bits = b_.CreateAnd(bits, active);
    b_.CreateStore(bits, element_of_row(same, lane));
  });
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p) r.v.push_back(load_part(same, p));
  set(inst.results[0], std::move(r));
}

/// Combines the active lanes one after the other, where the order does not matter; a reduction is what the last one has.
void Emitter::emit_scan(const ir::Inst& inst) {
  const Scalar s = inst.type.scalar;
  ir::Inst step;
  step.op = ir::combining[inst.imm], step.type = inst.type;
  llvm::Type* element = arith_.scalar_type(s);
  Few<V> parts;
  for (unsigned p = 0; p < shape_.parts; ++p) parts.push_back(arith_.to_memory(part(inst.operands[0], p), s));
  const Row lanes = row_in_memory(parts, 0);
  llvm::IRBuilder<> top(allocas_);
  llvm::AllocaInst *sum = top.CreateAlloca(element, nullptr, "sum"), *some = top.CreateAlloca(b_.getInt1Ty(), nullptr, "some");
  b_.CreateStore(llvm::Constant::getNullValue(element), sum), b_.CreateStore(b_.getFalse(), some);
  const V active = active_.all() ? nullptr : active_bits();
  loop_over_lanes("scan", [&](V lane) {
    V place = element_of_row(lanes, lane), own = b_.CreateLoad(element, place);
    V before = b_.CreateLoad(element, sum), any_before = b_.CreateLoad(b_.getInt1Ty(), some);
    V all = arith_.to_memory(
        arith_.pure(step, ir::FpMode::Strict, s, {arith_.from_memory(before, s), arith_.from_memory(own, s)}), s);
    all = b_.CreateSelect(any_before, all, own);
    b_.CreateStore(all, place);
    V here = active ? b_.CreateTrunc(b_.CreateLShr(active, lane), b_.getInt1Ty()) : b_.getTrue();
    b_.CreateStore(b_.CreateSelect(here, all, before), sum);
    b_.CreateStore(b_.CreateOr(any_before, here), some);
  });
  if (inst.op == Op::WarpReduce) return set_uniform(inst.results[0], arith_.from_memory(b_.CreateLoad(element, sum), s));
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p) r.v.push_back(arith_.from_memory(load_part(lanes, p), s));
  set(inst.results[0], std::move(r));
}

/// Sums of floats, in the order of Hillis and Steele ("Data parallel algorithms", 1986) among the active lanes: whose sum reaches so many
/// lanes down adds the one that begins below.
void Emitter::emit_sum(const ir::Inst& inst) {
  const Scalar s = inst.type.scalar;
  const unsigned lanes = shape_.lanes, gang = shape_.gang();
  ir::Inst step;
  step.op = Op::Add, step.type = inst.type;
  const auto add = [&](V x, V y) { return arith_.pure(step, f_.fp, s, {x, y}); };
  const bool reduces = inst.op == Op::WarpReduce;
  Few<V> x;
  for (unsigned p = 0; p < shape_.parts; ++p) x.push_back(part(inst.operands[0], p));

  if (reduces && active_.all()) {  // the last lane's sum is a tree: neighbours first
    std::vector<int> even(lanes), odd(lanes);
    for (unsigned i = 0; i < lanes; ++i) even[i] = int(2 * i), odd[i] = int(2 * i + 1);
    for (; x.size() > 1; x.resize(x.size() / 2))
      for (unsigned k = 0; k < x.size() / 2; ++k)
        x[k] = add(b_.CreateShuffleVector(x[2 * k], x[2 * k + 1], even), b_.CreateShuffleVector(x[2 * k], x[2 * k + 1], odd));
    for (unsigned left = lanes; left > 1; left /= 2) {
      for (unsigned i = left / 2; i < lanes; ++i) even[i] = odd[i] = -1;
      x[0] = add(b_.CreateShuffleVector(x[0], even), b_.CreateShuffleVector(x[0], odd));
    }
    return set_uniform(inst.results[0], b_.CreateExtractElement(x[0], std::uint64_t(0)));
  }

  // Active lanes come together at the front.
  const auto in_memory = [&](const Few<V>& parts, unsigned row) {
    Few<V> values;
    for (V v : parts) values.push_back(arith_.to_memory(v, s));
    return row_in_memory(values, row);
  };
  const auto within = [&](V lane) { return b_.CreateAnd(lane, b_.getInt64(gang - 1)); };
  const V active = active_.all() ? nullptr : active_bits();
  llvm::IRBuilder<> top(allocas_);
  llvm::AllocaInst* const counted = active ? top.CreateAlloca(b_.getInt64Ty(), nullptr, "active") : nullptr;
  const auto over_active = [&](const char* name, llvm::function_ref<void(V, V)> body) {
    b_.CreateStore(b_.getInt64(0), counted);
    loop_over_lanes(name, [&](V lane) {
      V place = b_.CreateLoad(b_.getInt64Ty(), counted);
      body(lane, place);
      b_.CreateStore(b_.CreateAdd(place, b_.CreateAnd(b_.CreateLShr(active, lane), b_.getInt64(1))), counted);
    });
  };
  if (active) {
    const Row from = in_memory(x, 0), packed = row_in_memory(arith_.to_memory(x[0], s)->getType(), 1);
    over_active("pack", [&](V lane, V place) { b_.CreateStore(load_lane(from, lane), element_of_row(packed, within(place))); });
    for (unsigned p = 0; p < shape_.parts; ++p) x[p] = arith_.from_memory(load_part(packed, p), s);
  }
  for (unsigned reach = 1; reach < gang; reach *= 2) {
    Few<V> sums;
    for (unsigned p = 0; p < shape_.parts; ++p) {
      std::vector<unsigned> below(lanes);
      std::vector<int> chosen(lanes);
      for (unsigned i = 0; i < lanes; ++i) {
        const unsigned lane = p * lanes + i;
        below[i] = lane < reach ? lane : lane - reach, chosen[i] = int(lane < reach ? i : lanes + i);
      }
      sums.push_back(b_.CreateShuffleVector(x[p], add(take_lanes(x, below), x[p]), chosen));
    }
    x = std::move(sums);
  }
  if (!active) return set(inst.results[0], {Lowered::Form::Parts, std::move(x), 0});
  const Row summed = in_memory(x, 0);
  if (reduces) {
    V last = b_.CreateSub(b_.CreateIntrinsic(llvm::Intrinsic::ctpop, {b_.getInt64Ty()}, {active}), b_.getInt64(1));
    return set_uniform(inst.results[0], arith_.from_memory(load_lane(summed, within(last)), s));
  }
  const Row spread = row_in_memory(arith_.to_memory(x[0], s)->getType(), 1);
  over_active("spread", [&](V lane, V place) { b_.CreateStore(load_lane(summed, within(place)), element_of_row(spread, lane)); });
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p) r.v.push_back(arith_.from_memory(load_part(spread, p), s));
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

/// A vector of known lanes of a value: for each of two parts that they are in one instruction.
llvm::Value* Emitter::take_lanes(llvm::ArrayRef<V> parts, llvm::ArrayRef<unsigned> lanes) {
  const int width = int(shape_.lanes);
  std::vector<int> own(lanes.size());
  std::vector<unsigned> from;  // parts
  for (const unsigned lane : lanes)
    if (const unsigned p = lane / shape_.lanes; std::find(from.begin(), from.end(), p) == from.end()) from.push_back(p);
  const auto place = [&](unsigned p) { return std::find(from.begin(), from.end(), p) - from.begin(); };
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const auto k = place(lanes[i] / shape_.lanes);
    own[i] = k > 1 ? int(i) : int(k) * width + int(lanes[i] % shape_.lanes);
  }
  V x = from.size() == 1 ? b_.CreateShuffleVector(parts[from[0]], own)
                         : b_.CreateShuffleVector(parts[from[0]], parts[from[1]], own);
  for (std::size_t k = 2; k < from.size(); ++k) {
    for (std::size_t i = 0; i < lanes.size(); ++i)
      own[i] = lanes[i] / shape_.lanes == from[k] ? width + int(lanes[i] % shape_.lanes) : int(i);
    x = b_.CreateShuffleVector(x, parts[from[k]], own);
  }
  return x;
}

/// Of lanes that are known now by instructions; else through memory: the parts side by side, then a gather. Lanes that are not active give 0.
void Emitter::emit_shuffle(const ir::Inst& inst) {
  Scalar s = inst.type.scalar;
  const ir::ValueId from = inst.operands[1];
  if (uniform(inst.operands[0]) && active_.all() && uniform(from)) return set(inst.results[0], get(inst.operands[0]));
  llvm::Type* element = s == Scalar::Bool ? b_.getInt8Ty() : arith_.scalar_type(s);
  llvm::Type* row = llvm::FixedVectorType::get(element, shape_.lanes);
  Few<V> parts;
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V x = arith_.to_memory(part(inst.operands[0], p), s);
    parts.push_back(active_.all() ? x : b_.CreateSelect(active_.parts[p], x, llvm::Constant::getNullValue(row)));
  }
  const unsigned last = shape_.gang() - 1;
  std::vector<unsigned> known;
  Few<V> numbers;  // of lanes, by part
  if (!uniform(from))
    for (unsigned p = 0; p < shape_.parts; ++p) {
      numbers.push_back(b_.CreateAnd(arith_.cast(part(from, p), scalar_of(from), Scalar::I32), splat(b_.getInt32(last))));
      if (auto* c = llvm::dyn_cast<llvm::Constant>(numbers[p]))
        for (unsigned i = 0; i < shape_.lanes; ++i)
          if (auto* n = llvm::dyn_cast_or_null<llvm::ConstantInt>(c->getAggregateElement(i)))
            known.push_back(unsigned(n->getZExtValue()));
    }
  Lowered r{Lowered::Form::Parts, {}, 0};
  if (known.size() == shape_.gang()) {
    for (unsigned p = 0; p < shape_.parts; ++p)
      r.v.push_back(arith_.from_memory(take_lanes(parts, llvm::ArrayRef(known).slice(p * shape_.lanes, shape_.lanes)), s));
    return set(inst.results[0], std::move(r));
  }
  V lane = uniform(from) ? b_.CreateAnd(arith_.cast(scalar(from), scalar_of(from), Scalar::I32), b_.getInt32(last)) : nullptr;
  if (auto* c = llvm::dyn_cast_or_null<llvm::ConstantInt>(lane)) {
    const auto number = unsigned(c->getZExtValue());
    return set_uniform(
        inst.results[0],
        arith_.from_memory(b_.CreateExtractElement(parts[number / shape_.lanes], std::uint64_t(number % shape_.lanes)), s));
  }
  const Row lanes = row_in_memory(parts, 0);
  if (lane) return set_uniform(inst.results[0], arith_.from_memory(load_lane(lanes, b_.CreateZExt(lane, b_.getInt64Ty())), s));
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V pointers = b_.CreateGEP(element, lanes.at, b_.CreateZExt(numbers[p], lane_type(Scalar::I64)));
    V x = b_.CreateMaskedGather(row, pointers, llvm::Align(ir::size_of(s)), every_lane(), llvm::Constant::getNullValue(row));
    r.v.push_back(arith_.from_memory(x, s));
  }
  set(inst.results[0], std::move(r));
}

}  // namespace krait::codegen::cpu
