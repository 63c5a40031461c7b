// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that compile while the program goes on.
#pragma once

#include <functional>

namespace krait::driver {

/// Runs `work`, which does not throw, on a thread of ours. Where the system gives no thread, at once on this one. When the process
/// exits, what runs is waited for, because the devices' drivers shut down then; what waits is dropped.
void run_in_background(std::function<void()> work);

}  // namespace krait::driver
