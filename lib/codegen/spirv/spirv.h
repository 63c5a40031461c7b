// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The SPIR-V code generator: straight from the structured IR to a compute module of Vulkan or a
// kernel of OpenCL, without LLVM. support/features.def has what it knows of a device.
#pragma once

#include "codegen/raw.h"
#include "codegen/reply.h"
#include "codegen/spirv/module/module.h"
#include "ir/ir.h"
#include "support/target.h"

namespace krait::codegen::spirv {

/// Binary: an envelope with the words (support/blobs/spirv.h or support/blobs/opencl.h). Asm: the
/// disassembly.
Reply compile(const ir::Module& module, const support::SpirvTarget& target, Dialect dialect,
              Emit emit);

std::string disassembled(const Words& words);

/// A module of Vulkan that is given, as words or as text for the assembler. Throws Failure.
Reply compile_raw(const ir::Module& module, const support::SpirvTarget& target, const RawText& raw,
                  Emit emit);

}  // namespace krait::codegen::spirv
