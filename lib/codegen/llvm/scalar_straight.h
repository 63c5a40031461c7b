// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions without regions: each goes to the part of its kind, or to the target.
#pragma once

#include "codegen/llvm/scalar.h"

namespace krait::codegen::scalar {

class Atomics;
class Calls;
class Memory;

class Straight : public Part {
 public:
  Straight(Code& code, Target& target, Memory& memory, Atomics& atomics, Calls& calls)
      : Part(code), target_(target), memory_(memory), atomics_(atomics), calls_(calls) {}
  void lower(const ir::Inst& inst);

 private:
  void slot(const ir::Inst& inst);

  Target& target_;
  Memory& memory_;
  Atomics& atomics_;
  Calls& calls_;
};

}  // namespace krait::codegen::scalar
