// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions without regions: each goes to the part of its kind.
#pragma once

#include "codegen/wgsl/frame.h"

namespace krait::codegen::wgsl {

class Arguments;
class Atomics;
class Calls;
class Memory;
class Positions;
class Pure;
class Sync;
class Variables;
class Warp;

class Straight : public Part {
 public:
  struct Needs {
    Positions& positions;
    Arguments& arguments;
    Variables& variables;
    Memory& memory;
    Sync& sync;
    Atomics& atomics;
    Warp& warp;
    Pure& pure;
    Calls& calls;
  };
  Straight(Frame& frame, const Needs& needs) : Part(frame), to_(needs) {}
  /// What follows is lowered for this instruction: its line, and what messages name.
  void begin(const ir::Inst& i);
  void lower(const ir::Inst& i);

 private:
  Expr constant(const ir::Inst& i) const;
  void slot(const ir::Inst& i);

  const Needs to_;
};

}  // namespace krait::codegen::wgsl
