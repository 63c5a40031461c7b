// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a block and of a warp together: barriers, fences, votes and exchanges.
#pragma once

#include <krait/control.h>

namespace krait {

/// How far a fence's order is seen.
enum class scope : unsigned char { block, device, system };

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
inline value<int> lane_id() { return value<int>(detail::position(detail::op::LaneId, detail::scalar::i32)); }
/// Lanes of a warp.
inline value<int> warp_size() { return value<int>(detail::position(detail::op::WarpSize, detail::scalar::i32)); }
/// x, which the caller promises to be equal in the whole block, so that barriers may depend on it.
template <detail::traced Type>
value<typename Type::traced_type> uniform(const Type& x) {
  using result = typename Type::traced_type;
  return value<result>(detail::apply(detail::op::Uniform, detail::scalar_of<result>, node_of(x)));
}

/// The active lanes of a warp. A lane that is not active has no part in them.
namespace warp {

/// Bit i is lane i's condition.
inline value<std::uint64_t> ballot(detail::operand condition) {
  return value<std::uint64_t>(detail::apply(detail::op::Ballot, detail::scalar::boolean, node_of(condition)));
}
inline value<bool> any(detail::operand condition) {
  return value<bool>(detail::apply(detail::op::WarpAny, detail::scalar::boolean, node_of(condition)));
}
inline value<bool> all(detail::operand condition) {
  return value<bool>(detail::apply(detail::op::WarpAll, detail::scalar::boolean, node_of(condition)));
}
/// The x of the lane that `lane` names, modulo the warp's size.
template <detail::traced Type>
value<typename Type::traced_type> shfl(const Type& x, detail::operand lane) {
  using result = typename Type::traced_type;
  return value<result>(detail::apply(detail::op::Shuffle, detail::scalar_of<result>, node_of(x), node_of(lane)));
}
/// The x of the lane `delta` below; the lowest lanes keep theirs.
template <detail::traced Type>
value<typename Type::traced_type> shfl_up(const Type& x, detail::operand delta) {
  const value<int> from = lane_id() - value<int>(detail::convert(detail::scalar::i32, node_of(delta)));
  return shfl(x, select(from < 0, lane_id(), from));
}
/// The x of the lane `delta` above; the highest lanes keep theirs.
template <detail::traced Type>
value<typename Type::traced_type> shfl_down(const Type& x, detail::operand delta) {
  const value<int> from = lane_id() + value<int>(detail::convert(detail::scalar::i32, node_of(delta)));
  return shfl(x, select(from >= warp_size(), lane_id(), from));
}
/// The x of the lane whose number differs in the bits of `mask`.
template <detail::traced Type>
value<typename Type::traced_type> shfl_xor(const Type& x, detail::operand mask) {
  return shfl(x, lane_id() ^ value<int>(detail::convert(detail::scalar::i32, node_of(mask))));
}
/// The x of one lane, for all.
template <detail::traced Type>
value<typename Type::traced_type> broadcast(const Type& x, detail::operand lane) {
  return shfl(x, lane);
}

}  // namespace warp
}  // namespace krait
