// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of SPIR-V, in an envelope (envelope.h): a module's words. And how a launch gives them
// what they need.
//
// Push constants: the launch words (grid x, y, z as u32, one unused), then the argument block
// (ir/abi.h), or its address where arguments_in_memory is set.
//
// Specialisation constants: 0, 1, 2 the block size; 3 (bool) the grid is folded; 4 (bool) no thread
// has more than one trip of a grid_stride loop; from 5 on the bytes of each shared array that is
// sized at launch. A folded grid is dispatched in any shape with at least as many workgroups; a
// workgroup's linear number gives the block, and those past the end return. Code without constant 3
// takes the grid as it is.
#pragma once

#include <cstdint>

namespace krait::support {

/// What the launcher must know beside what all targets say (envelope.h).
struct SpirvCode {
  std::uint32_t push_bytes = 0;  // of the push constants
  std::uint32_t arguments_in_memory = 0;
  std::uint32_t local_bytes = 0;  // a thread's arrays
  std::uint32_t uses_warp = 0;    // needs whole subgroups, lanes in the order of the threads
  // of conditions and loops in each other, and of what follows early returns
  std::uint32_t depth = 0;
  std::uint32_t folds = 1;  // the grid may be folded
  // of loops of constant counts that a thread makes, where conditions let it
  std::uint32_t trips = 0;
};
// three extents of the grid, then a zero
inline constexpr std::uint32_t spirv_launch_bytes = 16, spirv_zero_offset = 12;
enum SpirvSpecConstant : std::uint32_t {
  SpirvBlockX,
  SpirvBlockY,
  SpirvBlockZ,
  SpirvFolded,
  SpirvOneTrip,
  SpirvSharedBytes
};

}  // namespace krait::support
