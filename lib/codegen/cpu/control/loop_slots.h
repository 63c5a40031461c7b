// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop-carried values, loop results and masks across loops live in memory of the function's frame,
// which mem2reg removes.
#pragma once

#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

class LoopSlots : public Part {
 public:
  explicit LoopSlots(const Common& common) : Part(common) {}
  Cell make_cell(ir::Scalar s, bool uniform, const char* name);
  Cell make_mask_cell(const char* name);
  Lowered read(const Cell& c);
  void write(const Cell& c, const Lowered& x);
  /// For the lanes of the mask.
  void blend(const Cell& c, const Lowered& x, const Mask& mask);
  Mask read_mask(const Cell& c);
  void write_mask(const Cell& c, const Mask& m);
};

}  // namespace krait::codegen::cpu
