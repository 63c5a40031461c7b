// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the SPIR-V code generator hands to the Vulkan launcher: this header, then the module's words.
//
// Push constants: the launch words (grid x, y, z as u32, one unused), then the argument block (ir/abi.h), or its address where
// arguments_in_memory is set. The entry point is "main".
//
// Specialisation constants: 0, 1, 2 the block size; 3 (bool) the grid is folded; 4 (bool) no thread has more than one trip of a
// grid_stride loop; from 5 on the bytes of each shared array that is sized at launch. A folded grid is dispatched in any shape with
// at least as many workgroups; a workgroup's linear number gives the block, and those past the end return.
#pragma once

#include <cstdint>

namespace krait::support {

struct SpirvBlobHeader {
  static constexpr std::uint32_t current_magic = 0x3256534b;  // "KSV2"

  std::uint32_t magic = current_magic;
  std::uint32_t words = 0;           // of the module that follows
  std::uint32_t argument_bytes = 0;  // of the argument block
  std::uint32_t push_bytes = 0;      // of the push constants
  std::uint32_t arguments_in_memory = 0;
  std::uint32_t static_shared = 0;   // bytes
  std::uint32_t sized_at_launch = 0;  // shared arrays
  std::uint32_t local_bytes = 0;     // a thread's arrays
  std::uint32_t block[3]{};          // a fixed block size, or 0
  std::uint32_t uses_warp = 0;       // needs whole subgroups, lanes in the order of the threads
  std::uint32_t depth = 0;           // of conditions and loops in each other, and of what follows early returns
  std::uint32_t trips = 0;           // of loops of constant counts that a thread makes, where conditions let it
};
inline constexpr std::uint32_t spirv_launch_bytes = 16;
enum SpirvSpecConstant : std::uint32_t { SpirvBlockX, SpirvBlockY, SpirvBlockZ, SpirvFolded, SpirvOneTrip, SpirvSharedBytes };

}  // namespace krait::support
