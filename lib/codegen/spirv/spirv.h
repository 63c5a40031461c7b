// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The SPIR-V code generator: straight from the structured IR to a compute module of Vulkan or a kernel of OpenCL, without LLVM.
// support/features.def has what it knows of a device.
#pragma once

#include "codegen/reply.h"
#include "codegen/spirv/module.h"
#include "ir/ir.h"
#include "support/target.h"

namespace krait::codegen::spirv {

/// Binary: an envelope with the words (support/spirv_blob.h or support/opencl_blob.h). Asm: the disassembly.
Reply compile(const ir::Module& module, const support::SpirvTarget& target, Dialect dialect, Emit emit);

}  // namespace krait::codegen::spirv
