// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/lanes/each_lane.h"

#include <llvm/IR/IRBuilder.h>

namespace krait::codegen::cpu {

Row EachLane::row_in_memory(llvm::Type* part, unsigned which) {
  if (rooms_.size() <= which) rooms_.resize(which + 1, nullptr);
  llvm::AllocaInst*& room = rooms_[which];
  // 8 bytes: no type has more
  if (!room) room = code_.room(llvm::ArrayType::get(b_.getInt64Ty(), gang_), "lanes", 64);
  return {room, part};
}

Row EachLane::row_in_memory(llvm::ArrayRef<V> parts, unsigned which) {
  const Row row = row_in_memory(parts[0]->getType(), which);
  for (unsigned p = 0; p < parts.size(); ++p) b_.CreateStore(parts[p], part_of_row(row, p));
  return row;
}

V EachLane::part_of_row(const Row& row, unsigned p) {
  return b_.CreateConstGEP1_32(row.part, row.at, p);
}

V EachLane::element_of_row(const Row& row, V lane) {
  return b_.CreateGEP(row.part->getScalarType(), row.at, lane);
}

V EachLane::load_part(const Row& row, unsigned p) {
  return b_.CreateLoad(row.part, part_of_row(row, p));
}

V EachLane::load_lane(const Row& row, V lane) {
  return b_.CreateLoad(row.part->getScalarType(), element_of_row(row, lane));
}

/// `body(i)` emits what happens for lane i, an i64: once, however many lanes there are.
void EachLane::loop_over_lanes(const char* name, llvm::function_ref<void(V)> body) {
  Block before = b_.GetInsertBlock(), loop = code_.new_block(name),
        done = code_.new_block("each_lane_done");
  code_.branch_to(loop), code_.start(loop);
  llvm::PHINode* lane = b_.CreatePHI(b_.getInt64Ty(), 2);
  lane->addIncoming(b_.getInt64(0), before);
  body(lane);
  V next = b_.CreateAdd(lane, b_.getInt64(1));
  lane->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt64(shape_.gang())), loop, done);
  code_.start(done);
}

/// The same for lanes that are active, in ascending order.
void EachLane::loop_over_active_lanes(const char* name, llvm::function_ref<void(V)> body) {
  if (lanes_.active.all()) return loop_over_lanes(name, body);
  const std::vector<V> words = lanes_.active_words();
  if (words.size() == 1) return loop_over_word(name, words.front(), b_.getInt64(0), body);
  // A block that is one gang may have more lanes than a word has bits.
  constexpr unsigned behind_operands = 4;
  const Row row = row_in_memory(b_.getInt64Ty(), behind_operands);
  for (std::size_t w = 0; w < words.size(); ++w)
    b_.CreateStore(words[w], part_of_row(row, unsigned(w)));
  code_.count_loop(b_.getInt64(0), b_.getInt64(words.size()), b_.getInt64(1), "word", [&](V w) {
    loop_over_word(name, load_lane(row, w), b_.CreateMul(w, b_.getInt64(64)), body);
  });
}

/// For the lanes first + b whose bit b is set.
void EachLane::loop_over_word(const char* name, V word, V first, llvm::function_ref<void(V)> body) {
  Block before = b_.GetInsertBlock(), loop = code_.new_block(name),
        inside = code_.new_block("one_lane"), done = code_.new_block("each_lane_done");
  code_.branch_to(loop), code_.start(loop);
  llvm::PHINode* rest = b_.CreatePHI(b_.getInt64Ty(), 2);
  rest->addIncoming(word, before);
  b_.CreateCondBr(b_.CreateICmpNE(rest, b_.getInt64(0)), inside, done);
  code_.start(inside);
  body(b_.CreateAdd(
      first, b_.CreateIntrinsic(llvm::Intrinsic::cttz, {b_.getInt64Ty()}, {rest, b_.getTrue()})));
  rest->addIncoming(b_.CreateAnd(rest, b_.CreateSub(rest, b_.getInt64(1))), b_.GetInsertBlock());
  code_.branch_to(loop);
  code_.start(done);
}

}  // namespace krait::codegen::cpu
