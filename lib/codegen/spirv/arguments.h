// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a kernel: push constants or memory that they say the address of in a shader; in
// the kernel dialect each item of the argument block is a parameter, and a view is the memory that
// it lies in and a distance: drivers see which arrays are which, and memory needs no address. What
// arrays measure is among them.
#pragma once

#include <map>

#include "codegen/spirv/kit/frame.h"

namespace krait::codegen::spirv {

/// Decides where arguments lie, and declares the push constants.
void declare_push_constants(Unit& unit);

class Uses;

class Arguments : public Part {
 public:
  Arguments(Frame& frame, const Uses& uses)
      : Part(frame), uses_(uses), layout_(unit_.envelope.arguments) {}

  /// Gives the parameters of a shader their values and arrays, and those of a kernel of OpenCL.
  void bind();
  void bind_kernel();

  Id extent(ir::ValueId array, unsigned dimension);
  Id stride(ir::ValueId array, unsigned dimension);

 private:
  Id block_word(std::uint32_t offset);
  Id argument(Scalar s, std::uint32_t offset);
  Id parameter(Scalar s, const ir::ArgumentSlot& slot);

  const Uses& uses_;
  const ir::ArgumentLayout& layout_;
  Id base_ = 0;  // of arguments in memory
  // bits of what a kernel of OpenCL gets, by its offset in the argument block
  std::map<std::uint32_t, Id> passed_;
};

}  // namespace krait::codegen::spirv
