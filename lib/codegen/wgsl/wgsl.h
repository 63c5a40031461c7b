// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The WGSL code generator: text straight from the structured IR, for browsers and everything else that runs WebGPU.
#pragma once

#include "codegen/reply.h"
#include "ir/ir.h"
#include "support/target.h"

namespace krait::codegen::wgsl {

/// Binary: an envelope with the text (support/webgpu_blob.h). Asm: the text.
Reply compile(const ir::Module& module, const support::WebGpuTarget& target, Emit emit);

}  // namespace krait::codegen::wgsl
