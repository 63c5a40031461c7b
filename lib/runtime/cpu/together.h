// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that meet at barriers of the grid. Each runs in a thread of its own, made for the launch:
// the system lets every one of them get on, however few processors there are, and a block that
// waits sleeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "krait/detail/function_ref.h"

namespace krait::runtime::cpu {

/// Blocks of a launch that may meet.
inline constexpr std::int64_t most_together = 1024;

/// A block by its number; `run(code)` calls its code, which may be left where it waits in a loop.
using BlockOfMany = detail::function_ref<void(
    std::int64_t, detail::function_ref<void(detail::function_ref<void()>)>)>;

/// Runs all of them at once; returns when all have ended: the number of the loop in which some were
/// left waiting (waiting.h), or -1. Throws usage where there are more than `most_together`, or some
/// ended while others waited for them, and device where the system has no thread for each. `block`
/// does not throw.
std::int64_t run_together(std::int64_t blocks, const std::string& kernel_name, BlockOfMany block);

/// Called by a block: waits for all others of its launch.
void wait_for_blocks();

}  // namespace krait::runtime::cpu
