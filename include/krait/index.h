// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a thread stands: CUDA's words. All positions and sizes are signed and 64 bits wide.
#pragma once

#include <krait/value.h>

namespace krait {

/// Three numbers, x fastest.
struct position3 {
  value<std::int64_t> x, y, z;
};
struct position2 {  ///< Two numbers, x fastest.
  value<std::int64_t> x, y;
};

namespace detail {

inline value<std::int64_t> dimension(op what, unsigned d) { return value<std::int64_t>(position(what, scalar::i64, d)); }
inline position3 dimensions(op what) { return {dimension(what, 0), dimension(what, 1), dimension(what, 2)}; }
template <int Rank>
auto ranked(op what) {
  static_assert(Rank >= 1 && Rank <= 3, "krait: a grid must have one to three dimensions");
  if constexpr (Rank == 1) return dimension(what, 0);
  else if constexpr (Rank == 2) return position2{dimension(what, 0), dimension(what, 1)};
  else return dimensions(what);
}

}  // namespace detail

/// A counter of the processor's cycles: differences tell how long a stretch of code took. Reads keep their order with each other and
/// with what kr::nanosleep waits, but arithmetic and accesses of memory may move past them. On the CPU, CUDA and Vulkan devices that have
/// it (VK_KHR_shader_clock); elsewhere the kernel does not compile. In the interpreter it counts its reads.
inline value<std::int64_t> clock(detail::location where = detail::location::here()) {
  detail::set_location(where);
  return detail::dimension(detail::op::Clock, 0);
}
/// Lets the thread wait for about so many nanoseconds, from none to twice as many: for loops that wait for another thread. On CUDA
/// devices; a short pause on the CPU, and nothing in the interpreter; elsewhere the kernel does not compile.
inline void nanosleep(detail::operand nanoseconds, detail::location where = detail::location::here()) {
  detail::perform(detail::op::Nanosleep, detail::scalar_of<std::uint32_t>, node_of(nanoseconds), where);
}

/// Thread in its block.
inline position3 thread_idx(detail::location where = detail::location::here()) {
  detail::set_location(where);
  return detail::dimensions(detail::op::ThreadIdx);
}
/// Block in the grid.
inline position3 block_idx(detail::location where = detail::location::here()) {
  detail::set_location(where);
  return detail::dimensions(detail::op::BlockIdx);
}
/// Threads of a block.
inline position3 block_dim(detail::location where = detail::location::here()) {
  detail::set_location(where);
  return detail::dimensions(detail::op::BlockDim);
}
/// Blocks of the grid.
inline position3 grid_dim(detail::location where = detail::location::here()) {
  detail::set_location(where);
  return detail::dimensions(detail::op::GridDim);
}
/// Thread in the grid: `auto [x, y] = kr::grid<2>();`, `auto i = kr::grid<1>();`.
template <int Rank = 1>
auto grid(detail::location where = detail::location::here()) {
  detail::set_location(where);
  return detail::ranked<Rank>(detail::op::GlobalId);
}
/// Threads of the grid, a dimension.
template <int Rank = 1>
auto gridsize(detail::location where = detail::location::here()) {
  detail::set_location(where);
  return detail::ranked<Rank>(detail::op::GlobalSize);
}

}  // namespace krait
