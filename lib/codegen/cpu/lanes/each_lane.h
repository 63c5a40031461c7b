// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done lane after lane: in loops, through memory. Straight code for 32 lanes is hundreds of
// instructions for one operation, which takes the compiler long and the processor no less than the
// loop does.
#pragma once

#include <vector>

#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

/// Room for the parts of a value side by side, one of few that are used again and again: what is in
/// it is read before another operation is lowered.
struct Row {
  V at = nullptr;
  llvm::Type* part = nullptr;  // as it lies in memory
};

class EachLane : public Part {
 public:
  explicit EachLane(const Common& common) : Part(common), gang_(shape_.gang()) {}
  Row row_in_memory(llvm::Type* part, unsigned which);
  Row row_in_memory(llvm::ArrayRef<V> parts, unsigned which);
  V part_of_row(const Row& row, unsigned p);
  V element_of_row(const Row& row, V lane);
  V load_part(const Row& row, unsigned p);
  V load_lane(const Row& row, V lane);
  /// `body(i)` emits what happens for lane i, an i64: once, however many lanes there are.
  void loop_over_lanes(const char* name, llvm::function_ref<void(V)> body);
  /// The same for lanes that are active, in ascending order.
  void loop_over_active_lanes(const char* name, llvm::function_ref<void(V)> body);

 private:
  void loop_over_word(const char* name, V word, V first, llvm::function_ref<void(V)> body);
  const unsigned gang_;                   // also in code for one of its lanes
  std::vector<llvm::AllocaInst*> rooms_;  // by number
};

}  // namespace krait::codegen::cpu
