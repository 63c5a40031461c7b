// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that compile while the program goes on.
#pragma once

#include <functional>

namespace krait::driver {

/// Runs `work`, which does not throw, on a thread of ours. Where the system gives no thread, at once on this one. When the process
/// exits, what runs is waited for, because static objects of the code generator are destroyed then; what waits is dropped.
void run_in_background(std::function<void()> work);

/// To be called when the code generator was loaded: waiting at exit must come before its static objects are destroyed.
void wait_at_exit();

}  // namespace krait::driver
