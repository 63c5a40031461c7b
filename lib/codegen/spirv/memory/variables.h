// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared and local arrays are variables of their element type; aggregates, and floats that atomics
// touch, are arrays of unsigned units out of which values are put together.
#pragma once

#include "codegen/spirv/kit/frame.h"

namespace krait::codegen::spirv {

class Uses;

class Variables : public Part {
 public:
  Variables(Frame& frame, const Uses& uses) : Part(frame), uses_(uses) {}
  void declare(const ir::Inst& i);

 private:
  void clear(const ir::Inst& i, const Array& a, std::uint32_t units);
  void shared_parameter(const ir::Inst& i, std::uint32_t row_bytes);

  const Uses& uses_;
  std::uint32_t sized_at_launch_ = 0;  // shared arrays so far
};

}  // namespace krait::codegen::spirv
