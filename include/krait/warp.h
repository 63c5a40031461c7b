// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a block and of a warp together: barriers, fences, votes and exchanges.
#pragma once

#include <krait/atomic.h>
#include <krait/control.h>
#include <krait/math.h>

namespace krait {

/// Every thread of the block arrives before one goes on, and sees what the others wrote. All threads must reach it.
inline void syncthreads(detail::location where = detail::location::here()) {
  detail::set_location(where);
  detail::synchronise(detail::op::Barrier);
}
/// A barrier that counts the threads whose condition holds.
inline value<int> syncthreads_count(detail::operand condition, detail::location where = detail::location::here()) {
  detail::set_location(where);
  return value<int>(detail::apply(detail::op::BarrierCount, detail::scalar::boolean, node_of(condition)));
}
/// A barrier that tells whether every thread's condition holds.
inline value<bool> syncthreads_and(detail::operand condition, detail::location where = detail::location::here()) {
  detail::set_location(where);
  return value<bool>(detail::apply(detail::op::BarrierAnd, detail::scalar::boolean, node_of(condition)));
}
/// A barrier that tells whether some thread's condition holds.
inline value<bool> syncthreads_or(detail::operand condition, detail::location where = detail::location::here()) {
  detail::set_location(where);
  return value<bool>(detail::apply(detail::op::BarrierOr, detail::scalar::boolean, node_of(condition)));
}
/// Every thread of the launch arrives before one goes on, and sees what the others wrote. All threads must reach it. The blocks run at
/// once: a launch of more than fit on the device is an error{usage} that says how many do. On CUDA devices, the CPU, which takes up to 1024
/// blocks, and the interpreter; elsewhere the kernel does not compile. Where some blocks end without it, the CPU and the interpreter say
/// so, and a CUDA device waits for ever.
inline void grid_sync(detail::location where = detail::location::here()) {
  detail::set_location(where);
  detail::synchronise(detail::op::GridBarrier);
}
/// The active threads of the warp arrive before one goes on.
inline void syncwarp(detail::location where = detail::location::here()) {
  detail::set_location(where);
  detail::synchronise(detail::op::WarpSync);
}
/// What this thread wrote before is seen before what it writes after.
inline void fence(scope how_far = scope::device, detail::location where = detail::location::here()) {
  detail::set_location(where);
  detail::synchronise(detail::op::Fence, static_cast<unsigned>(how_far));
}

/// This thread's lane in its warp.
[[gnu::noinline, gnu::cold]] inline value<int> lane_id() {
  detail::set_caller();
  return value<int>(detail::position(detail::op::LaneId, detail::scalar::i32));
}
/// Lanes of a warp.
[[gnu::noinline, gnu::cold]] inline value<int> warp_size() {
  detail::set_caller();
  return value<int>(detail::position(detail::op::WarpSize, detail::scalar::i32));
}
/// x, which the caller promises to be equal in the whole block, so that barriers may depend on it.
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> uniform(const Type& x) {
  detail::set_caller();
  using result = typename Type::traced_type;
  return value<result>(detail::apply(detail::op::Uniform, detail::scalar_of<result>, node_of(x)));
}

/// What warp::reduce and the scans combine values by. min and max are kr::min and kr::max.
enum class combine : unsigned char { add, min, max, and_, or_, xor_ };

namespace detail {

/// What changes nothing.
template <class Type>
constexpr Type neutral_of(combine by) {
  if constexpr (is_float_v<Type>) {
    constexpr float infinity = __builtin_huge_valf();
    return static_cast<Type>(by == combine::min ? infinity : by == combine::max ? -infinity : 0.0f);
  } else {
    const auto ones = from_bits<Type>(~std::uint64_t{0}),
               largest = from_bits<Type>(~std::uint64_t{0} >> (64 - 8 * sizeof(Type) + std::is_signed_v<Type>));
    if (by == combine::and_) return ones;
    if (by == combine::min) return largest;
    return by == combine::max ? static_cast<Type>(~largest) : Type(0);
  }
}

}  // namespace detail

/// The active lanes of a warp: those of its threads that are at this place. Under a condition that only some lanes meet the others
/// have no part: they give no votes and no values, and nothing is read from them.
namespace warp {

/// Bit i is lane i's condition.
[[gnu::noinline, gnu::cold]] inline value<std::uint64_t> ballot(detail::operand condition) {
  detail::set_caller();
  return value<std::uint64_t>(detail::apply(detail::op::Ballot, detail::scalar::boolean, node_of(condition)));
}
[[gnu::noinline, gnu::cold]] inline value<bool> any(detail::operand condition) {
  detail::set_caller();
  return value<bool>(detail::apply(detail::op::WarpAny, detail::scalar::boolean, node_of(condition)));
}
[[gnu::noinline, gnu::cold]] inline value<bool> all(detail::operand condition) {
  detail::set_caller();
  return value<bool>(detail::apply(detail::op::WarpAll, detail::scalar::boolean, node_of(condition)));
}
/// The x of the lane that `lane` names, modulo the warp's size.
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> shfl(const Type& x, detail::operand lane) {
  detail::set_caller();
  using result = typename Type::traced_type;
  return value<result>(detail::apply(detail::op::Shuffle, detail::scalar_of<result>, node_of(x), node_of(lane)));
}
/// The x of the lane `delta` below; the lowest lanes keep theirs.
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> shfl_up(const Type& x, detail::operand delta) {
  detail::set_caller();
  const value<int> from = lane_id() - value<int>(detail::convert(detail::scalar::i32, node_of(delta)));
  return shfl(x, select(from < 0, lane_id(), from));
}
/// The x of the lane `delta` above; the highest lanes keep theirs.
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> shfl_down(const Type& x, detail::operand delta) {
  detail::set_caller();
  const value<int> from = lane_id() + value<int>(detail::convert(detail::scalar::i32, node_of(delta)));
  return shfl(x, select(from >= warp_size(), lane_id(), from));
}
/// The x of the lane whose number differs in the bits of `mask`.
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> shfl_xor(const Type& x, detail::operand mask) {
  detail::set_caller();
  return shfl(x, lane_id() ^ value<int>(detail::convert(detail::scalar::i32, node_of(mask))));
}
/// The x of one lane, for all.
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> broadcast(const Type& x, detail::operand lane) {
  detail::set_caller();
  return shfl(x, lane);
}

/// Bit i: lane i is active.
[[gnu::noinline, gnu::cold]] inline value<std::uint64_t> active_mask() {
  detail::set_caller();
  return ballot(true);
}
/// True in one active lane, the lowest.
[[gnu::noinline, gnu::cold]] inline value<bool> elect() {
  detail::set_caller();
  return ctz(active_mask()) == lane_id();
}
/// Bit i: lane i is active and its x has the same bits as this lane's.
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<std::uint64_t> match_any(const Type& x) {
  detail::set_caller();
  using type = typename Type::traced_type;
  return value<std::uint64_t>(detail::apply(detail::op::MatchAny, detail::scalar_of<type>, node_of(x)));
}
/// The x of all active lanes have the same bits.
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<bool> match_all(const Type& x) {
  detail::set_caller();
  using type = typename Type::traced_type;
  const value<type> own(x);
  if constexpr (detail::is_float_v<type>) {
    using bits =
        std::conditional_t<sizeof(type) == 2, std::uint16_t, std::conditional_t<sizeof(type) == 4, std::uint32_t, std::uint64_t>>;
    return match_all(bitcast<bits>(own));
  } else {
    return all(own == shfl(own, ctz(active_mask())));
  }
}
/// The x of the active lanes combined, the same in each of them. Floats are added in the order of inclusive_scan, which is the
/// same on every device.
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> reduce(const Type& x, combine by = combine::add) {
  detail::set_caller();
  using result = typename Type::traced_type;
  return value<result>(detail::combine_lanes(detail::op::WarpReduce, detail::scalar_of<result>, node_of(x), unsigned(by)));
}
/// The x of this lane and of the active lanes below it combined. Floats are added in steps of distance 1, 2, 4, 8 and 16 among the
/// active lanes: x' = x of the lane at that distance + x.
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> inclusive_scan(const Type& x, combine by = combine::add) {
  detail::set_caller();
  using result = typename Type::traced_type;
  return value<result>(detail::combine_lanes(detail::op::WarpScan, detail::scalar_of<result>, node_of(x), unsigned(by)));
}
/// The x of the active lanes below this one combined; in the lowest what changes nothing: 0, the largest or smallest number or
/// infinity, all ones.
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> exclusive_scan(const Type& x, combine by = combine::add) {
  detail::set_caller();
  using result = typename Type::traced_type;
  const value<result> sums = inclusive_scan(x, by);
  const value<std::uint64_t> below = active_mask() & ((value<std::uint64_t>(1u) << lane_id()) - 1u);
  const value<result> before = shfl(sums, 63 - clz(below));
  return select(below == 0u, detail::neutral_of<result>(by), before);
}

}  // namespace warp
}  // namespace krait
