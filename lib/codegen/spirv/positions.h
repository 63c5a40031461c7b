// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a thread is in its block and grid, and how large these are.
#pragma once

#include "codegen/spirv/kit/frame.h"

namespace krait::codegen::spirv {

class Positions : public Part {
 public:
  explicit Positions(Frame& frame) : Part(frame) {}

  /// Of a shader: the block's shape, which the pipeline is told, before there is code.
  void declare();
  /// Begins a shader's body: the block's position, in a folded grid out of the workgroup's linear
  /// number.
  void begin();
  /// The same of a kernel of OpenCL.
  void begin_kernel();

  Id position(ir::Op op, unsigned dimension);
  /// As `id_type`.
  Id narrow_position(ir::Op op, unsigned dimension);
  /// u32 in a small launch, whose ids are below 2^31, else u64.
  Scalar id_type() const { return id_type_; }
  bool narrow_ids() const { return id_type_ == Scalar::U32; }
  /// What the pipeline is told: no thread has a second trip of grid_stride.
  Id one_trip() const { return one_trip_; }

 private:
  Id builtin_component(spv::BuiltIn which, unsigned component);
  void thread_position();

  Id block_spec_[3]{}, folded_ = 0, one_trip_ = 0;
  Id flat_threads_ = 0;  // rows of a block whose workgroup has one dimension, where there are warps
  Scalar id_type_ = Scalar::U64;
  Id grid_[3]{}, block_[3]{}, block_idx_[3]{}, thread_[3]{};  // of that type
};

}  // namespace krait::codegen::spirv
