// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores. Cells of an array are its elements, or words of 32 bits in which elements of
// less lie and those of aggregates. What is less than a word is written into it atomically, where
// other threads may write its neighbours.
#pragma once

#include "codegen/wgsl/frame.h"

namespace krait::codegen::wgsl {

class Arguments;

class Memory : public Part {
 public:
  Memory(Frame& frame, Arguments& arguments) : Part(frame), arguments_(arguments) {}
  void load(const ir::Inst& i);
  void store(const ir::Inst& i);
  /// The number of the cell in which an access begins.
  Expr index(const ir::Inst& i, std::uint32_t further = 0);

 private:
  Expr plus(const Expr& x, const Expr& y) const;
  Expr byte(const ir::Inst& i, std::uint32_t further);
  Expr element(const ir::Inst& i, Scalar s, std::uint32_t further);
  Expr cell(const Array& a, const Expr& at) const;
  void set_element(const ir::Inst& i, Scalar s, std::uint32_t further, const Expr& e);
  void set_cell(const Array& a, const Expr& at, const Expr& e);
  void set_part(const Array& a, const Expr& byte, unsigned bits, const Expr& e);

  Arguments& arguments_;
};

/// The bits of a value of 32 bits or less as u32, and back.
Expr to_word(Scalar s, const Expr& e);
Expr from_word(Scalar s, const Expr& word);

}  // namespace krait::codegen::wgsl
