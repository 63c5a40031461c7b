// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations, lane after lane in ascending order.
#pragma once

#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

class Addresses;
class Arguments;
class EachLane;
class Memory;
class HintNotes;
struct Address;

class Atomics : public Part {
 public:
  Atomics(const Common& common, const Arguments& arguments, EachLane& each_lane,
          Addresses& addresses, Memory& memory, HintNotes& notes)
      : Part(common),
        arguments_(arguments),
        each_lane_(each_lane),
        addresses_(addresses),
        memory_(memory),
        hint_notes_(notes) {}
  void emit_atomic(const ir::Inst& inst);

 private:
  bool is_alone(ir::ValueId array) const;
  void update_lanes(const ir::Inst& inst, const Address& a);
  void update_in_loop(const ir::Inst& inst, const Address& a);
  V update(const ir::Inst& inst, ir::Scalar s, V address, llvm::ArrayRef<V> operands);
  V update_atomic(const ir::Inst& inst, ir::Scalar s, V address, llvm::ArrayRef<V> operands);
  V update_alone(const ir::Inst& inst, ir::Scalar s, V address, llvm::ArrayRef<V> operands);

  const Arguments& arguments_;
  EachLane& each_lane_;
  Addresses& addresses_;
  Memory& memory_;
  HintNotes& hint_notes_;
  bool in_copy_ = false;  // what is lowered updates the worker's copy
};

}  // namespace krait::codegen::cpu
