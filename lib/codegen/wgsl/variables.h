// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared and local arrays.
#pragma once

#include "codegen/wgsl/frame.h"

namespace krait::codegen::wgsl {

class Variables : public Part {
 public:
  explicit Variables(Frame& frame) : Part(frame) {}
  void declare(const ir::Inst& i);
};

}  // namespace krait::codegen::wgsl
