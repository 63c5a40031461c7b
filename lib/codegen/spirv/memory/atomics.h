// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics: one instruction on integers; floats by compare-and-swap on their bits where the device
// has no addition of its own.
#pragma once

#include "codegen/spirv/kit/frame.h"

namespace krait::codegen::spirv {

class Memory;
class Sync;

class Atomics : public Part {
 public:
  Atomics(Frame& frame, Memory& memory, Sync& sync) : Part(frame), memory_(memory), sync_(sync) {}
  void atomic(const ir::Inst& i);

 private:
  struct Place {
    Id pointer, scope;
  };
  Place place(const ir::Inst& i, Scalar s, Scalar as);
  Id order(const ir::Inst& i, bool failed = false);
  Id by_instruction(const ir::Inst& i, Scalar s);
  Id updated(const ir::Inst& i, Scalar s, Id old);
  Id by_exchange(const ir::Inst& i, Scalar s);
  bool native_float_add(const ir::Inst& i, Scalar s) const;

  Memory& memory_;
  Sync& sync_;
};

}  // namespace krait::codegen::spirv
