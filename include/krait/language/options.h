// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of a kernel, and the shape of a launch.
#pragma once

#include <concepts>
#include <cstdint>

#include <krait/detail/cpp20.h>

namespace krait {

class stream;

/// How floating-point operations may be computed; docs/numbers.md has the error bounds.
enum class fp : unsigned char {
  /// As written: no contraction, IEEE division and square root, subnormals kept.
  strict,
  /// As strict, with a * b + c fused in the IR: the same bits on every target.
  reproducible,
  /// As reproducible, but a target may use its own functions within the published bounds, and need
  /// not fuse.
  native,
  /// Reassociation, and approximate division, square root and functions.
  fast,
};

/// Up to three extents, x first: the blocks of a grid or the threads of a block.
struct dims {
  /// The extent of the fastest dimension.
  std::int64_t x = 1;
  /// The extent of the second dimension.
  std::int64_t y = 1;
  /// The extent of the third dimension.
  std::int64_t z = 1;

  constexpr dims() = default;
  template <std::integral X>
  constexpr dims(X x_) : x(static_cast<std::int64_t>(x_)) {}
  template <std::integral X, std::integral Y>
  constexpr dims(X x_, Y y_) : x(static_cast<std::int64_t>(x_)), y(static_cast<std::int64_t>(y_)) {}
  template <std::integral X, std::integral Y, std::integral Z>
  constexpr dims(X x_, Y y_, Z z_)
      : x(static_cast<std::int64_t>(x_)),
        y(static_cast<std::int64_t>(y_)),
        z(static_cast<std::int64_t>(z_)) {}
  friend constexpr bool operator==(const dims&, const dims&) = default;
};

/// Options of a kernel.
/// \code
/// auto k = kr::kernel([](kr::view<float> v) { v[0] = 1; }, {.name = "one", .fp = kr::fp::strict});
/// \endcode
struct options {
  /// The name in messages and listings; by default the file and line.
  const char* name = nullptr;
  /// The mode of floating-point operations.
  krait::fp fp = krait::fp::native;
  /// Whether all memory accesses are checked; KRAIT_CHECK=1 checks every kernel.
  bool checked = false;
  /// The block size of every launch, for code that depends on it, as tiles do; 0: each launch
  /// chooses.
  dims block{0, 0, 0};
  /// The blocks per cluster, at most 8 (krait/cluster.h), which divide the grid; 0: no clusters.
  dims cluster{0, 0, 0};
  /// The most threads per block: larger launches are refused. 0: the device's limit.
  std::uint32_t max_threads = 0;
  /// The blocks that a CUDA multiprocessor should hold at the same time; 0: the compiler chooses.
  std::uint32_t min_blocks = 0;
  /// The most registers per thread on CUDA, others spill to memory; 0: the compiler chooses.
  std::uint32_t max_registers = 0;
};

/// Grid, block and stream of a launch.
/// \code
/// scale.launch({64, 256}, x);     // 64 blocks of 256 threads each
/// \endcode
struct launch_config {
  /// The number of blocks, for each dimension.
  dims grid;
  /// The number of threads per block, for each dimension.
  dims block;
  /// The stream; null: the default stream of the device.
  const stream* on = nullptr;

  constexpr launch_config(dims grid_, dims block_) : grid(grid_), block(block_) {}
  constexpr launch_config(dims grid_, dims block_, const stream& on_)
      : grid(grid_), block(block_), on(&on_) {}
};

}  // namespace krait
