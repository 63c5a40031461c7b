// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions without regions: each goes to the part of its kind, or to the target.
#pragma once

#include "codegen/llvm/scalar.h"
#include "codegen/straight.h"

namespace krait::codegen::scalar {

class Atomics;
class Calls;
class Memory;

class Straight : public Part, private StraightLowering<Straight> {
 public:
  Straight(Code& code, Target& target, Memory& memory, Atomics& atomics, Calls& calls)
      : Part(code), target_(target), memory_(memory), atomics_(atomics), calls_(calls) {}
  void lower(const ir::Inst& inst);

 private:
  friend StraightLowering<Straight>;
  void constant(const ir::Inst& inst);
  void pure(const ir::Inst& inst);
  void function(const ir::Inst& inst);
  void position(const ir::Inst& inst);
  void extent(const ir::Inst& inst);
  void stride(const ir::Inst& inst);
  void array(const ir::Inst& inst);
  void load(const ir::Inst& inst);
  void store(const ir::Inst& inst);
  void load_vec(const ir::Inst& inst);
  void store_vec(const ir::Inst& inst);
  void atomic(const ir::Inst& inst);
  void barrier(const ir::Inst& inst);
  void fence(const ir::Inst& inst);
  void warp(const ir::Inst& inst);
  void uniform(const ir::Inst& inst);
  void shared_of(const ir::Inst& inst);
  void tile(const ir::Inst& inst);
  void clock(const ir::Inst& inst);
  void nanosleep(const ir::Inst& inst);
  void assume(const ir::Inst& inst);
  void slot(const ir::Inst& inst);
  void call(const ir::Inst& inst);

  Target& target_;
  Memory& memory_;
  Atomics& atomics_;
  Calls& calls_;
};

}  // namespace krait::codegen::scalar
