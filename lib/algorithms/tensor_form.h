// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a block multiplies by tensor cores, and what that costs.
#pragma once

#include <cstdint>

#include "algorithms/record/element.h"

namespace krait::host {

/// A strip of a tile in shared memory (lib/ir/tiles.h).
inline constexpr int strip_bytes = 128;

/// Times in microseconds. `step` is a step of a block while a multiprocessor holds as many blocks
/// as it can, which are `together`; `least` is the least time of a step. `tile` is the work before
/// and after the steps.
struct TensorCost {
  int together;
  double step, least, tile;
};

/// A block's tile, its threads, and the places of its pipeline; with one place copies and products
/// take turns. A step takes a strip of each row of the left factor.
struct TensorForm {
  int rows, columns, threads, slots;
  TensorCost cost{};

  static int depth(scalar factor) { return strip_bytes / int(bytes_of(factor)); }
  /// The shared memory of a block: the slots, and a piece of 16 rows of the result for each warp.
  std::int64_t shared_bytes() const {
    return std::int64_t(slots) * (rows + columns) * strip_bytes +
           std::int64_t(threads / 32) * 16 * (strip_bytes + 16);
  }
};

}  // namespace krait::host
