// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of the algorithms' kernels: the form that is best on a device, and kernels that
// take a user's function.
#pragma once

#include <krait/algorithm/detail/erased.h>
#include <krait/algorithm/reduce.h>
#include <krait/krait.h>

namespace krait::detail {

/// Chunks: blocks of one thread walk through neighbours, as a core does. Warps: warps of 32
/// exchange values, and a block may wait for those with lower tickets. Blocks: shared memory and
/// barriers alone, for any width of warps and any order of blocks.
enum class algorithm_form : unsigned char { chunks, warps, blocks };
struct algorithm_device {
  algorithm_form form;
  std::int64_t workers;  // chunks or blocks that keep the device busy
  // bytes of shared memory of a block, where there are tensor cores
  std::int64_t tensor_shared = 0;
  bool wide = false;        // a processor with 32 registers of 512 bits
  bool dots_pairs = false;  // a processor with an instruction for kr::dot2_bf16
  // bytes of the smallest numbers of which it packs a register's lanes; 0: of none
  std::uint32_t least_packed = 0;
  bool halves_alone = false;  // these multiply f16 and bf16 alone
};
KRAIT_API algorithm_device algorithm_device_of(device on);

/// Runs use(kernel), where make(function) makes the kernel: once for a function without state,
/// whose type says all.
template <class Function, class Make, class Use>
void with_kernel(const Function& function, const Make& make, const Use& use) {
  if constexpr (std::is_empty_v<Function>) {
    static auto& kept = lasting(make(function));
    use(kept);
  } else {
    use(make(function));
  }
}

// <algorithm> costs more lines than all of Krait's headers.
constexpr std::int64_t smaller(std::int64_t x, std::int64_t y) { return y < x ? y : x; }
constexpr std::int64_t larger(std::int64_t x, std::int64_t y) { return x < y ? y : x; }
constexpr std::int64_t divided_up(std::int64_t n, std::int64_t by) {
  return n > 0 ? (n - 1) / by + 1 : 0;
}

/// Axis `axis` of an array's layout last, the others in their order before it.
KRAIT_API layout axis_last(const layout& of, std::int64_t axis);
/// The opposite: dimension `axis` is the last of `of`.
KRAIT_API layout axis_back(const layout& of, std::int64_t axis);

}  // namespace krait::detail
