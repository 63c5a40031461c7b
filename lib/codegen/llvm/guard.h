// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a compilation so that LLVM cannot end the process: on a thread of its own with a large stack (LLVM recurses) and with
// default floating-point state; a fatal error of LLVM's parks that thread for ever and poisons the plug-in (design 3.7).
#pragma once

#include <functional>

#include "codegen/reply.h"

namespace krait::codegen {

/// Runs `work` on a new thread and waits. A Failure that it throws, and a fatal error of LLVM's, come back as status and message.
/// `work` must own what it uses: after a fatal error its thread never ends.
Failure run_guarded(std::function<void()> work);

}  // namespace krait::codegen
