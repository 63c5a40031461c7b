// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a thread is in its block and grid, and how large these are.
#pragma once

#include "codegen/wgsl/frame.h"

namespace krait::codegen::wgsl {

class Positions : public Part {
 public:
  explicit Positions(Frame& frame) : Part(frame) {}
  /// The head of the entry point, behind which its body stands; and what it says of the block.
  void begin();
  /// The same as u32.
  Expr small(ir::Op op, unsigned dimension) const;
  /// i64, which is below 2^31.
  Expr position(ir::Op op, unsigned dimension) const;
  /// The thread's number in its block.
  static Expr linear_thread() {
    return term("(thread.z * block_dim.y + thread.y) * block_dim.x + thread.x");
  }

 private:
  void block_shape();
};

}  // namespace krait::codegen::wgsl
