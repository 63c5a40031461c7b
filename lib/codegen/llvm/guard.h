// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a compilation so that LLVM cannot end the process: on a thread of its own with a large stack
// (LLVM recurses) and with default floating-point state. A fatal error of LLVM's, or an allocation
// that fails there, parks that thread for ever and spends this copy of the plug-in: the host loads
// another.
#pragma once

#include <functional>

#include "codegen/reply.h"

namespace krait::codegen {

/// Of what was not compiled because this copy is spent, by this compilation's predecessor or by one
/// beside it.
constexpr int spent_status = 4;

/// Runs `work` on a new thread and waits. A Failure that it throws, and a fatal error of LLVM's,
/// come back as status and message. `work` must own what it uses: after a fatal error its thread
/// never ends.
Failure run_guarded(std::function<void()> work);

/// For operator new (new.cpp): on a compile thread this never returns, elsewhere it throws
/// std::bad_alloc. An exception would pass frames of LLVM's, which clean up nothing, and then
/// destroy what those still refer to.
[[noreturn]] void no_memory();
/// From now on, what the plug-in allocates may fail (new.cpp).
void end_of_loading() noexcept;
/// Whether this thread has the plug-in's thread-local data, or there is memory for it, without
/// which the loader would end the process.
bool has_thread_data() noexcept;

}  // namespace krait::codegen
