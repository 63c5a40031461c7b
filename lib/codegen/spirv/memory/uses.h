// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a function uses its arrays: what they are made of, and what other threads may see, follow
// from it.
#pragma once

#include <vector>

#include "codegen/spirv/kit/frame.h"

namespace krait::codegen::spirv {

class Uses {
 public:
  explicit Uses(Frame& frame);

  struct Use {
    unsigned size = 8;  // bytes of the largest unit that all accesses are made of
    bool atomic = false, read = false, written = false;
    // of products; something smaller than a piece is accessed (ir/tiles.h)
    bool factor = false, parts = false;
  };
  const Use& of(ir::ValueId array) const { return uses_[array]; }
  /// Threads may read through this view what others wrote: through it, or through one that may
  /// overlap it.
  bool exchanges(ir::ValueId view) const;

 private:
  const ir::Function& f_;
  std::vector<Use> uses_;  // by ValueId of an array
};

}  // namespace krait::codegen::spirv
