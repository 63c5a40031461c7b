// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of WebGPU, in an envelope (envelope.h): a WGSL module as text. And how a launch gives it
// what it needs.
//
// Binding 0 of group 0 is the uniform block: the grid's x, y, z as u32 and a zero, then the
// argument block (ir/abi.h), padded to a multiple of 16 bytes. There an array's address is the
// number of cells from the start of its binding to its first element. Binding 1 + p is the memory
// of parameter p, which is an array.
//
// Pipeline-overridable constants: block_x, block_y, block_z the block's shape, and shared_0, … the
// rows of arrays that are sized at launch (at least 1). A grid beyond 65,535 blocks a dimension is
// dispatched in any shape with at least as many workgroups, with folded = true; a workgroup's
// linear number gives the block, and those past the end return.
//
// Where `probed` is set, four more tell what the device does with f32: exact_fma, exact_division
// and exact_root (it rounds correctly, and keeps subnormal numbers there), flushes (sums, products
// or comparisons take subnormal numbers for zeros). Without them nothing is believed.
//
// A launch has fewer than 2^32 blocks in all, and fewer than 2^31 threads a dimension; arrays have
// fewer than 2^31 elements. A block has whole subgroups where the code uses them: its threads lie
// in one row.
#pragma once

#include <cstdint>

namespace krait::support {

struct WebGpuCode {
  static constexpr unsigned max_parameters = 64;
  struct Binding {
    std::uint8_t cell_bytes = 0;  // 0: the parameter is no array, or is not used
    std::uint8_t written = 0;
  };
  Binding bindings[max_parameters];  // by parameter
  std::uint32_t uses_warp = 0, uses_halves = 0, probed = 0;
};
inline constexpr std::uint32_t webgpu_launch_bytes = 16;  // in front of the argument block

}  // namespace krait::support
