// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that meet at barriers of the grid. Each runs in a thread of its own, made for the launch: the system lets every one of them get
// on, however few processors there are, and a block that waits sleeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "krait/detail/function_ref.h"

namespace krait::runtime::cpu {

/// Blocks of a launch that may meet.
inline constexpr std::int64_t most_together = 1024;

/// Runs `block(number)` for all of them at once; returns when all have ended. Throws usage where there are more than `most_together`, or
/// some ended while others waited for them, and device where the system has no thread for each. `block` does not throw.
void run_together(std::int64_t blocks, const std::string& kernel_name, detail::function_ref<void(std::int64_t)> block);

/// Called by a block: waits for all others of its launch.
void wait_for_blocks();

}  // namespace krait::runtime::cpu
