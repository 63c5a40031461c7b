// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a thread may touch memory again that it has written, without a barrier between. Compilers
// that run a block's threads as the lanes of a loop have to keep the order of such accesses, and
// one of them does not (support/quirks.def, Regroups).
#pragma once

#include "ir/calls.h"
#include "ir/ir.h"

namespace krait::codegen::spirv {

/// By kind of memory, of a module.
struct Revisits {
  Revisits() = default;
  explicit Revisits(const ir::Module& module, const ir::Calls& calls);
  bool global = false, shared = false, local = false;
  bool in(ir::Space space) const {
    return space == ir::Space::Shared ? shared : space == ir::Space::Local ? local : global;
  }
};

}  // namespace krait::codegen::spirv
