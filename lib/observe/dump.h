// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `krait dump --run` shows: every kernel the process compiles, stage by stage. The tool asks
// for it through the environment, KRAIT_DUMP="FD STAGES TARGET": a file descriptor to write to, a
// comma list of stages, and a target or "-". A user asks with KRAIT_DUMP=folder:stage,…, and gets a
// file per kernel and stage. KRAIT_DUMP_KERNEL is a part of the kernels' names; without it Krait's
// own kernels are left out.
#pragma once

#include <string>

#include "host/jit.h"

namespace krait::host {

/// Text of a stage: "ir" as recorded, "passes" what each pass leaves, its changes marked, "diff"
/// those alone, "final" as the back end gets it, "llvm", "asm", "ptx", "spirv", "spv" (the SPIR-V
/// module's words), "hints" what makes it slow, "stats" what it takes (kernel_report.h).
std::string stage_text(const Recorded& recorded, const ir::Facts& facts, const std::string& stage,
                       const std::string& target);

}  // namespace krait::host
