// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics: built-in functions on integers of 32 bits; floats, and what WGSL has no function for, by
// compare-and-swap on the bits.
#pragma once

#include "codegen/wgsl/frame.h"

namespace krait::codegen::wgsl {

class Memory;

class Atomics : public Part {
 public:
  Atomics(Frame& frame, Memory& memory) : Part(frame), memory_(memory) {}
  void atomic(const ir::Inst& i);

 private:
  void check(const ir::Inst& i, Scalar s) const;
  Expr to_cell(const Array& a, Scalar s, const Expr& e) const;
  Expr from_cell(const Array& a, Scalar s, const Expr& cell) const;
  Expr updated(const ir::Inst& i, Scalar s, const Expr& old);
  void by_exchange(const ir::Inst& i, Scalar s, const Expr& cell);
  void swap_if_equal(const ir::Inst& i, Scalar s, const Expr& cell);

  Memory& memory_;
};

}  // namespace krait::codegen::wgsl
