// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done lane after lane: in loops, through memory. Straight code for 32 lanes is hundreds of instructions for one operation,
// which takes the compiler long and the processor no less than the loop does.
#include <algorithm>

#include "codegen/cpu/emitter.h"
#include "support/tuning_cpu.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

Emitter::Row Emitter::row_in_memory(llvm::Type* part, unsigned which) {
  if (rows_.size() <= which) rows_.resize(which + 1, nullptr);
  llvm::AllocaInst*& room = rows_[which];
  if (!room) {
    llvm::IRBuilder<> top(allocas_);
    room = top.CreateAlloca(llvm::ArrayType::get(b_.getInt64Ty(), shape_.gang()), nullptr, "lanes");  // 8 bytes: no type has more
    room->setAlignment(llvm::Align(64));
  }
  return {room, part};
}
Emitter::Row Emitter::row_in_memory(llvm::ArrayRef<V> parts, unsigned which) {
  const Row row = row_in_memory(parts[0]->getType(), which);
  for (unsigned p = 0; p < parts.size(); ++p) b_.CreateStore(parts[p], part_of_row(row, p));
  return row;
}
llvm::Value* Emitter::part_of_row(const Row& row, unsigned p) { return b_.CreateConstGEP1_32(row.part, row.at, p); }
llvm::Value* Emitter::element_of_row(const Row& row, V lane) { return b_.CreateGEP(row.part->getScalarType(), row.at, lane); }
llvm::Value* Emitter::load_part(const Row& row, unsigned p) { return b_.CreateLoad(row.part, part_of_row(row, p)); }
llvm::Value* Emitter::load_lane(const Row& row, V lane) {
  return b_.CreateLoad(row.part->getScalarType(), element_of_row(row, lane));
}

/// `body(i)` emits what happens for lane i, an i64: once, however many lanes there are.
void Emitter::loop_over_lanes(const char* name, llvm::function_ref<void(V)> body) {
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

/// The same for lanes that are active, in ascending order.
void Emitter::loop_over_active_lanes(const char* name, llvm::function_ref<void(V)> body) {
  if (active_.all()) return loop_over_lanes(name, body);
  const std::vector<V> words = active_words();
  if (words.size() == 1) return loop_over_word(name, words.front(), b_.getInt64(0), body);
  // A block that is one gang may have more lanes than a word has bits.
  constexpr unsigned behind_operands = 4;
  const Row row = row_in_memory(b_.getInt64Ty(), behind_operands);
  for (std::size_t w = 0; w < words.size(); ++w) b_.CreateStore(words[w], part_of_row(row, unsigned(w)));
  count_loop(b_.getInt64(0), b_.getInt64(words.size()), b_.getInt64(1), "word",
             [&](V w) { loop_over_word(name, load_lane(row, w), b_.CreateMul(w, b_.getInt64(64)), body); });
}

/// For the lanes first + b whose bit b is set.
void Emitter::loop_over_word(const char* name, V word, V first, llvm::function_ref<void(V)> body) {
  Block before = b_.GetInsertBlock(), loop = new_block(name), inside = new_block("one_lane"), done = new_block("each_lane_done");
  branch_to(loop), start(loop);
  llvm::PHINode* rest = b_.CreatePHI(b_.getInt64Ty(), 2);
  rest->addIncoming(word, before);
  b_.CreateCondBr(b_.CreateICmpNE(rest, b_.getInt64(0)), inside, done);
  start(inside);
  body(b_.CreateAdd(first, b_.CreateIntrinsic(llvm::Intrinsic::cttz, {b_.getInt64Ty()}, {rest, b_.getTrue()})));
  rest->addIncoming(b_.CreateAnd(rest, b_.CreateSub(rest, b_.getInt64(1))), b_.GetInsertBlock());
  branch_to(loop);
  start(done);
}

bool Emitter::is_large() const { return operations_ * shape_.parts >= tuning::cpu::large; }

/// In functions that would be large with every lane's own code, and where code is to be made quickly.
bool Emitter::lanes_in_loops() const { return shape_.lanes > 1 && (shape_.machine.quick || is_large()); }

Emitter::Places Emitter::places_in_memory(const Address& a, unsigned which) {
  if (a.kind != Address::Kind::Lanes) return {a.v[0], a.steps.size() > 1 ? a.steps[1] : 0, nullptr, {}};
  // Of a base and an index a lane, in the 32 bits that it may come from.
  std::vector<V> indices;
  bool narrow = true, sign = true;
  for (V pointers : a.v) {
    V index = llvm::cast<llvm::GetElementPtrInst>(pointers)->getOperand(1);
    auto* wider = llvm::dyn_cast<llvm::CastInst>(index);
    narrow = narrow && wider && (llvm::isa<llvm::SExtInst>(wider) || llvm::isa<llvm::ZExtInst>(wider)) &&
             wider->getSrcTy()->getScalarSizeInBits() >= 8;
    indices.push_back(index);
  }
  if (narrow) {
    sign = llvm::isa<llvm::SExtInst>(indices.front());
    for (V& v : indices) v = llvm::cast<llvm::CastInst>(v)->getOperand(0);
  }
  auto* first = llvm::cast<llvm::GetElementPtrInst>(a.v.front());
  return {first->getPointerOperand(), 0, first->getSourceElementType(), row_in_memory(indices, which), sign};
}
llvm::Value* Emitter::place_of_lane(const Places& places, V lane) {
  if (!places.index.at)
    return places.step ? b_.CreatePtrAdd(places.base, b_.CreateMul(lane, b_.getInt64(places.step))) : places.base;
  V index = load_lane(places.index, lane);
  index = places.sign ? b_.CreateSExt(index, b_.getInt64Ty()) : b_.CreateZExt(index, b_.getInt64Ty());
  return b_.CreateGEP(places.element, places.base, index);
}

/// What the active lanes read, 0 for others.
Few<llvm::Value*> Emitter::load_in_loop(const Address& a, llvm::Type* memory, ir::ValueId array, llvm::Align align) {
  const Places places = places_in_memory(a, 0);
  llvm::Type* row = llvm::FixedVectorType::get(memory, shape_.lanes);
  const Row loaded = row_in_memory(row, 1);
  for (unsigned p = 0; !active_.all() && p < shape_.parts; ++p)
    b_.CreateStore(llvm::Constant::getNullValue(row), part_of_row(loaded, p));
  loop_over_active_lanes("load", [&](V lane) {
    llvm::LoadInst* one = b_.CreateAlignedLoad(memory, place_of_lane(places, lane), align);
    annotate(one, array);
    b_.CreateStore(one, element_of_row(loaded, lane));
  });
  Few<V> parts;
  for (unsigned p = 0; p < shape_.parts; ++p) parts.push_back(load_part(loaded, p));
  return parts;
}

void Emitter::store_in_loop(const Address& a, Scalar s, ir::ValueId value, ir::ValueId array, llvm::Align align) {
  const Places places = places_in_memory(a, 0);
  V one = uniform(value) ? arith_.to_memory(scalar(value), s) : nullptr;
  Few<V> parts;
  for (unsigned p = 0; !one && p < shape_.parts; ++p) parts.push_back(arith_.to_memory(part(value, p), s));
  const Row values = one ? Row{} : row_in_memory(parts, 1);
  loop_over_active_lanes("store", [&](V lane) {
    V x = one ? one : load_lane(values, lane);
    annotate(b_.CreateAlignedStore(x, place_of_lane(places, lane), align), array);
  });
}

void Emitter::update_in_loop(const ir::Inst& inst, const Address& a) {
  const Scalar s = inst.type.scalar;
  const Places places = places_in_memory(a, 0);
  const bool used = uses_[inst.results[0]] != 0;
  const Row old = row_in_memory(lane_type(s), 1);
  for (unsigned p = 0; used && !active_.all() && p < shape_.parts; ++p)
    b_.CreateStore(llvm::Constant::getNullValue(lane_type(s)), part_of_row(old, p));
  std::vector<Row> rows;
  for (std::size_t k = 2; k < inst.operands.size(); ++k) {
    Few<V> parts;
    for (unsigned p = 0; !uniform(inst.operands[k]) && p < shape_.parts; ++p) parts.push_back(part(inst.operands[k], p));
    rows.push_back(parts.empty() ? Row{} : row_in_memory(parts, unsigned(k)));
  }
  loop_over_active_lanes("update", [&](V lane) {
    Few<V> x;
    for (std::size_t k = 0; k < rows.size(); ++k)
      x.push_back(rows[k].at ? load_lane(rows[k], lane) : scalar(inst.operands[k + 2]));
    V before = update(inst, s, place_of_lane(places, lane), x);
    if (used) b_.CreateStore(before, element_of_row(old, lane));
  });
  if (!used) return;
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p) r.v.push_back(load_part(old, p));
  set(inst.results[0], std::move(r));
}

}  // namespace krait::codegen::cpu
