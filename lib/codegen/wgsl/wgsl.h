// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The WGSL code generator: text straight from the structured IR, for browsers and everything else
// that runs WebGPU.
#pragma once

#include "codegen/raw.h"
#include "codegen/reply.h"
#include "ir/ir.h"
#include "support/target.h"

namespace krait::codegen::wgsl {

/// Binary: an envelope with the text (support/blobs/webgpu.h). Asm: the text.
Reply compile(const ir::Module& module, const support::WebGpuTarget& target, Emit emit);

/// WGSL that is given: an envelope, or as it is. Throws Failure.
Reply compile_raw(const ir::Module& module, const RawText& raw, Emit emit);

}  // namespace krait::codegen::wgsl
