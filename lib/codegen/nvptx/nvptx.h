// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX for NVIDIA GPUs, through LLVM's NVPTX. Needs neither toolkit nor libdevice.
//
// What a launcher needs to know, beside what the envelope says (support/blobs/envelope.h):
//   - The entry's parameters are the items of the argument block in order, so cuLaunchKernel takes
//     the block as it is by CU_LAUNCH_PARAM_BUFFER_POINTER and _SIZE.
//   - Shared arrays sized at launch lie in the dynamic segment one behind the other
//     (ir/shared_lengths.h); in front of them those of fixed size, where they need more than 48 KiB
//     together: Envelope::fixed_shared.
#pragma once

#include <string>

#include <llvm/ADT/StringRef.h>

#include "codegen/raw.h"
#include "codegen/reply.h"
#include "ir/ir.h"
#include "support/target.h"

namespace krait::codegen::nvptx {

/// Binary: an envelope with PTX. Asm: PTX. It is for that device, or the newest before it that the
/// PTX version knows, in no newer version. `verified`: LLVM's machine verifier reads the code
/// behind each pass. Throws Failure.
Reply compile(const ir::Module& module, const support::PtxTarget& target, Emit emit, bool verified);

/// PTX that is given: an envelope, or as it is. Throws Failure where its entry takes other
/// parameters than the items of the block.
Reply compile_raw(const ir::Module& module, const RawText& raw, Emit emit);

/// The same program, without the instructions that ptxas gets wrong.
std::string for_ptxas(llvm::StringRef ptx);

}  // namespace krait::codegen::nvptx
