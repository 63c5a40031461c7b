// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random structured kernels. They go through the recorder's own functions, so recording is under
// test too.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/interp/interp.h"
#include "ir/ir.h"
#include "support/runner.h"

namespace krait::test {

struct GeneratorOptions {
  ir::FpMode fp = ir::FpMode::Strict;
  // Kernels whose threads meet: shared arrays between barriers, votes, atomics whose order does not
  // show, operations of the warp.
  bool meet = false;
  int warp = 32;      // lanes of the device's warps
  bool warps = true;  // operations of the warp, which a device may lack
  bool any_flow =
      // operations of the warp in loops of varying trips too, where hardware need not bring lanes
      // together again
      true;
  bool f16 = true, f64 = true, small_ints = true;  // types that a device may lack
  // a third of the statements, for a driver that compiles slowly
  bool small = false;
  // arrays of aggregates, and aggregates by value; not together with reports
  bool aggregates = false;
  bool tiles = false;  // kernels of tiles, and of nothing else
  // a checked kernel that prints, checks conditions, and leaves its arrays now and then
  bool reports = false;
};

/// The kernel of a seed: the same on every machine.
Kernel random_kernel(std::uint64_t seed, const GeneratorOptions& options = {});

}  // namespace krait::test
