// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The position of a thread, with CUDA's names. All positions and sizes are signed numbers of 64
// bits.
#pragma once

#include <krait/value.h>

namespace krait {

/// A position or size with three numbers; x is the fastest dimension.
struct position3 {
  /// Along the fastest dimension.
  value<std::int64_t> x;
  /// Along the second dimension.
  value<std::int64_t> y;
  /// Along the third dimension.
  value<std::int64_t> z;
};
/// A position or size with two numbers; x is the fastest dimension.
struct position2 {
  /// Along the fastest dimension.
  value<std::int64_t> x;
  /// Along the second dimension.
  value<std::int64_t> y;
};

/// One number of kr::thread_idx and the other positions, as `kr::block_idx.x` names it. It is read
/// where it is used.
template <detail::op What, unsigned Dimension>
struct position_number {
  /// The type of all positions and sizes.
  using traced_type = std::int64_t;

  constexpr position_number() noexcept = default;  // no aggregate: a struct is another thing
  friend detail::node node_of(const position_number&) {
    return detail::position(What, detail::scalar::i64, Dimension);
  }
  friend constexpr detail::expected expected_of(const position_number&) noexcept {
    return detail::expected::nothing;
  }
};

namespace detail {

inline value<std::int64_t> dimension(op what, unsigned d) {
  return value<std::int64_t>(position(what, scalar::i64, d));
}
inline position3 dimensions(op what) {
  return {dimension(what, 0), dimension(what, 1), dimension(what, 2)};
}
template <int Rank>
auto ranked(op what) {
  static_assert(Rank >= 1 && Rank <= 3, "krait: a grid must have one to three dimensions");
  if constexpr (Rank == 1) return dimension(what, 0);
  else if constexpr (Rank == 2) return position2{dimension(what, 0), dimension(what, 1)};
  else return dimensions(what);
}

}  // namespace detail

/// A counter of the processor's cycles; differences tell how long a stretch of code took.
/// Reads keep their order with each other and with kr::nanosleep; arithmetic and memory accesses
/// may move past them. The CPU, CUDA and Vulkan devices with VK_KHR_shader_clock have it; elsewhere
/// the kernel does not compile. The interpreter counts the reads.
/// \code
/// auto before = kr::clock();
/// y[i] = kr::sqrt(x[i]);
/// auto cycles = kr::clock() - before;
/// \endcode
inline value<std::int64_t> clock(detail::location where = detail::location::here()) {
  detail::set_location(where);
  return detail::dimension(detail::op::Clock, 0);
}
/// Lets the thread wait for 0 to 2n nanoseconds: for loops that wait for another thread.
/// It works on CUDA devices, is a short pause on the CPU, and does nothing in the interpreter.
/// Elsewhere the kernel does not compile.
/// \code
/// kr::nanosleep(100);
/// \endcode
inline void nanosleep(detail::operand nanoseconds,
                      detail::location where = detail::location::here()) {
  detail::perform(detail::op::Nanosleep, detail::scalar_of<std::uint32_t>, node_of(nanoseconds),
                  where);
}

/// A position in three dimensions, as `kr::block_idx` is one: call it, or name a number of it as in
/// CUDA.
/// \code
/// auto i = kr::block_idx().x * kr::block_dim().x + kr::thread_idx().x;
/// auto same = kr::block_idx.x * kr::block_dim.x + kr::thread_idx.x;
/// \endcode
template <detail::op What>
struct position_of {
  /// Along the fastest dimension.
  [[no_unique_address]] position_number<What, 0> x{};
  /// Along the second dimension.
  [[no_unique_address]] position_number<What, 1> y{};
  /// Along the third dimension.
  [[no_unique_address]] position_number<What, 2> z{};
  /// The three numbers.
  position3 operator()(detail::location where = detail::location::here()) const {
    detail::set_location(where);
    return detail::dimensions(What);
  }
};

/// The position of the thread in its block: threadIdx in CUDA.
/// \code
/// auto t = kr::thread_idx().x;
/// \endcode
inline constexpr position_of<detail::op::ThreadIdx> thread_idx;
/// The position of the block in the grid: blockIdx in CUDA.
/// \code
/// auto first = kr::block_idx().x * kr::block_dim().x;
/// \endcode
inline constexpr position_of<detail::op::BlockIdx> block_idx;
/// The number of threads per block, for each dimension: blockDim in CUDA.
inline constexpr position_of<detail::op::BlockDim> block_dim;
/// The number of blocks in the grid, for each dimension: gridDim in CUDA.
/// \code
/// auto threads = kr::block_dim().x * kr::grid_dim().x;
/// \endcode
inline constexpr position_of<detail::op::GridDim> grid_dim;
/// The position of the thread in the grid, with Rank numbers of 64 bits: cuda.grid in Numba.
/// \code
/// auto [column, row] = kr::grid<2>();
/// auto index = kr::grid<1>();
/// \endcode
template <int Rank = 1>
auto grid(detail::location where = detail::location::here()) {
  detail::set_location(where);
  return detail::ranked<Rank>(detail::op::GlobalId);
}
/// The number of threads in the grid, for each of Rank dimensions.
template <int Rank = 1>
auto gridsize(detail::location where = detail::location::here()) {
  detail::set_location(where);
  return detail::ranked<Rank>(detail::op::GlobalSize);
}

}  // namespace krait
