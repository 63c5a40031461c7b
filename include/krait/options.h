// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel is made with, and the shape of a launch.
#pragma once

#include <concepts>
#include <cstdint>

#include <krait/detail/cpp20.h>

namespace krait {

class stream;

/// How floating-point operations may be computed (docs/numbers.md has the bounds).
enum class fp : unsigned char {
  strict,        ///< as written: no contraction, IEEE division and square root, subnormals kept
  reproducible,  ///< strict, with a*b + c fused in the IR: the same bits on every target
  native,        ///< reproducible, but a target may use its own function where the published bound holds, and need not fuse
  fast,          ///< reassociation, approximate division, root and functions
};

/// Up to three extents, x first: blocks of a grid or threads of a block.
struct dims {
  std::int64_t x = 1, y = 1, z = 1;

  constexpr dims() = default;
  template <std::integral X>
  constexpr dims(X x_) : x(static_cast<std::int64_t>(x_)) {}
  template <std::integral X, std::integral Y>
  constexpr dims(X x_, Y y_) : x(static_cast<std::int64_t>(x_)), y(static_cast<std::int64_t>(y_)) {}
  template <std::integral X, std::integral Y, std::integral Z>
  constexpr dims(X x_, Y y_, Z z_)
      : x(static_cast<std::int64_t>(x_)), y(static_cast<std::int64_t>(y_)), z(static_cast<std::int64_t>(z_)) {}
  friend constexpr bool operator==(const dims&, const dims&) = default;
};

/// What a kernel object is made with: `kr::kernel(f, {.name = "saxpy", .fp = kr::fp::strict})`.
struct options {
  const char* name = nullptr;  ///< for messages and listings; by default the file and line
  krait::fp fp = krait::fp::native;
  bool checked = false;  ///< accesses are checked; KRAIT_CHECK=1 checks every kernel
  dims block{0, 0,
             0};  ///< the block of every launch, where the kernel's code depends on it, as that of tiles; 0: each launch chooses
  dims cluster{0, 0, 0};          ///< blocks of a cluster, 8 at most (krait/cluster.h); grids are multiples of it. 0: no clusters
  std::uint32_t max_threads = 0;  ///< blocks have no more threads: launches with more are refused; 0: the device's limit
  std::uint32_t min_blocks = 0;   ///< blocks that a multiprocessor of a CUDA device is to hold at once; 0: the compiler chooses
  std::uint32_t max_registers =
      0;  ///< registers of a thread on a CUDA device at most, others go to memory; 0: the compiler chooses
};

/// Grid, block and stream of a launch. Without a stream: the device's default one.
struct launch_config {
  dims grid, block;
  const stream* on = nullptr;

  constexpr launch_config(dims grid_, dims block_) : grid(grid_), block(block_) {}
  constexpr launch_config(dims grid_, dims block_, const stream& on_) : grid(grid_), block(block_), on(&on_) {}
};

}  // namespace krait
