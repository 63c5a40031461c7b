// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of a warp, which is a subgroup of WebGPU.
#pragma once

#include "codegen/wgsl/frame.h"

namespace krait::codegen::wgsl {

class Warp : public Part {
 public:
  explicit Warp(Frame& frame) : Part(frame) {}
  void lower(const ir::Inst& i);

 private:
  Expr shuffled(Scalar s, const Expr& x, const Expr& lane);
};

}  // namespace krait::codegen::wgsl
