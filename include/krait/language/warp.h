// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperation of the threads of a block and of a warp: barriers, fences, votes and exchanges.
#pragma once

#include <krait/atomic.h>
#include <krait/control.h>
#include <krait/math.h>

namespace krait {

/// A barrier for all threads of the block, which then see what the others wrote before it.
/// All threads must reach it. It is CUDA's __syncthreads().
/// \code
/// kr::syncthreads();
/// \endcode
inline void syncthreads(detail::location where = detail::location::here()) {
  detail::set_location(where);
  detail::synchronise(detail::op::Barrier);
}
/// A barrier that gives the number of threads with a true condition.
/// \code
/// auto positive = kr::syncthreads_count(x[i] > 0);
/// \endcode
inline value<int> syncthreads_count(detail::operand condition,
                                    detail::location where = detail::location::here()) {
  detail::set_location(where);
  return value<int>(
      detail::apply(detail::op::BarrierCount, detail::scalar::boolean, node_of(condition)));
}
/// A barrier that tells whether the condition is true in every thread.
/// \code
/// auto done = kr::syncthreads_and(x[i] < 1e-6f);
/// \endcode
inline value<bool> syncthreads_and(detail::operand condition,
                                   detail::location where = detail::location::here()) {
  detail::set_location(where);
  return value<bool>(
      detail::apply(detail::op::BarrierAnd, detail::scalar::boolean, node_of(condition)));
}
/// A barrier that tells whether the condition is true in some thread.
inline value<bool> syncthreads_or(detail::operand condition,
                                  detail::location where = detail::location::here()) {
  detail::set_location(where);
  return value<bool>(
      detail::apply(detail::op::BarrierOr, detail::scalar::boolean, node_of(condition)));
}
/// A barrier for all threads of the launch, which then see what the others wrote before it.
/// All threads must reach it. The blocks run at the same time: a launch of more blocks than fit is
/// an error{usage} that states the limit. It works on CUDA devices, on the CPU with up to 1024
/// blocks, and in the interpreter; elsewhere the kernel does not compile. If some blocks end
/// without it, the CPU and the interpreter report that, and a CUDA device hangs.
/// \code
/// y[i] = x[i];
/// kr::grid_sync();
/// \endcode
inline void grid_sync(detail::location where = detail::location::here()) {
  detail::set_location(where);
  detail::synchronise(detail::op::GridBarrier);
}
/// A barrier for the active threads of the warp.
inline void syncwarp(detail::location where = detail::location::here()) {
  detail::set_location(where);
  detail::synchronise(detail::op::WarpSync);
}
/// A memory fence: earlier writes of this thread become visible before its later ones.
/// \code
/// y[i] = x[i];
/// kr::fence();
/// kr::atomic(counts[0]).add(1);
/// \endcode
inline void fence(scope how_far = scope::device,
                  detail::location where = detail::location::here()) {
  detail::set_location(where);
  detail::synchronise(detail::op::Fence, static_cast<unsigned>(how_far));
}

/// The lane of this thread in its warp, from 0 on.
/// \code
/// kr::if_(kr::lane_id() == 0, [&] { counts[0] = kr::warp_size(); });
/// \endcode
[[gnu::noinline, gnu::cold]] inline value<int> lane_id() {
  detail::set_caller();
  return value<int>(detail::position(detail::op::LaneId, detail::scalar::i32));
}
/// The number of lanes per warp.
[[gnu::noinline, gnu::cold]] inline value<int> warp_size() {
  detail::set_caller();
  return value<int>(detail::position(detail::op::WarpSize, detail::scalar::i32));
}
/// x, with the promise that it is equal in the whole block, so that barriers may depend on it.
/// \code
/// kr::if_(kr::uniform(x[0]) > 0, [&] { kr::syncthreads(); });
/// \endcode
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> uniform(const Type& x) {
  detail::set_caller();
  using result = typename Type::traced_type;
  return value<result>(detail::apply(detail::op::Uniform, detail::scalar_of<result>, node_of(x)));
}

/// The operator that warp::reduce and the scans combine values with.
/// `min` and `max` are kr::min and kr::max.
enum class combine : unsigned char { add, min, max, and_, or_, xor_ };

namespace detail {

/// The neutral element of an operator.
template <class Type>
constexpr Type neutral_of(combine by) {
  if constexpr (is_float_v<Type>) {
    constexpr float infinity = __builtin_huge_valf();
    return static_cast<Type>(by == combine::min ? infinity : by == combine::max ? -infinity : 0.0f);
  } else {
    const auto ones = from_bits<Type>(~std::uint64_t{0}),
               largest = from_bits<Type>(~std::uint64_t{0} >>
                                         (64 - 8 * sizeof(Type) + std::is_signed_v<Type>));
    if (by == combine::and_) return ones;
    if (by == combine::min) return largest;
    return by == combine::max ? static_cast<Type>(~largest) : Type(0);
  }
}

}  // namespace detail

/// Operations of the active lanes of a warp: those of its threads that are at this place.
/// Under a condition, other lanes give no votes and no values, and nothing is read from them.
namespace warp {

/// A vote of all active lanes: bit i is the condition of lane i.
/// \code
/// auto positive = kr::popcount(kr::warp::ballot(x[i] > 0));
/// \endcode
[[gnu::noinline, gnu::cold]] inline value<std::uint64_t> ballot(detail::operand condition) {
  detail::set_caller();
  return value<std::uint64_t>(
      detail::apply(detail::op::Ballot, detail::scalar::boolean, node_of(condition)));
}
/// Tells whether the condition is true in some active lane.
/// \code
/// kr::if_(kr::warp::any(x[i] < 0), [&] { counts[0] = 1; });
/// \endcode
[[gnu::noinline, gnu::cold]] inline value<bool> any(detail::operand condition) {
  detail::set_caller();
  return value<bool>(
      detail::apply(detail::op::WarpAny, detail::scalar::boolean, node_of(condition)));
}
/// Tells whether the condition is true in all active lanes.
[[gnu::noinline, gnu::cold]] inline value<bool> all(detail::operand condition) {
  detail::set_caller();
  return value<bool>(
      detail::apply(detail::op::WarpAll, detail::scalar::boolean, node_of(condition)));
}
/// The x of the lane with number `lane`, modulo the warp's size.
/// \code
/// auto neighbour = kr::warp::shfl(x[i], kr::lane_id() + 1);
/// \endcode
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> shfl(const Type& x,
                                                                    detail::operand lane) {
  detail::set_caller();
  using result = typename Type::traced_type;
  return value<result>(
      detail::apply(detail::op::Shuffle, detail::scalar_of<result>, node_of(x), node_of(lane)));
}
/// The x of the lane `delta` below this one; the lowest lanes keep their own.
/// \code
/// auto below = kr::warp::shfl_up(x[i], 1);
/// \endcode
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> shfl_up(const Type& x,
                                                                       detail::operand delta) {
  detail::set_caller();
  const value<int> from =
      lane_id() - value<int>(detail::convert(detail::scalar::i32, node_of(delta)));
  return shfl(x, select(from < 0, lane_id(), from));
}
/// The x of the lane `delta` above this one; the highest lanes keep their own.
/// \code
/// auto sum = x[i] + kr::warp::shfl_down(x[i], 16);
/// \endcode
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> shfl_down(const Type& x,
                                                                         detail::operand delta) {
  detail::set_caller();
  const value<int> from =
      lane_id() + value<int>(detail::convert(detail::scalar::i32, node_of(delta)));
  return shfl(x, select(from >= warp_size(), lane_id(), from));
}
/// The x of the lane whose number differs in the bits of `mask`.
/// \code
/// auto sum = x[i] + kr::warp::shfl_xor(x[i], 1);
/// \endcode
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> shfl_xor(const Type& x,
                                                                        detail::operand mask) {
  detail::set_caller();
  return shfl(x, lane_id() ^ value<int>(detail::convert(detail::scalar::i32, node_of(mask))));
}
/// The x of one lane, in all lanes.
/// \code
/// auto first = kr::warp::broadcast(x[i], 0);
/// \endcode
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> broadcast(const Type& x,
                                                                         detail::operand lane) {
  detail::set_caller();
  return shfl(x, lane);
}

/// The number of active lanes below this one with a true condition: the place of this lane's value
/// where those of such lanes are written without gaps.
/// \code
/// kr::if_(x[i] > 0, [&] { y[kr::warp::prefix_count(true)] = x[i]; });
/// \endcode
[[gnu::noinline, gnu::cold]] inline value<int> prefix_count(detail::operand condition) {
  detail::set_caller();
  return value<int>(
      detail::apply(detail::op::WarpPrefixCount, detail::scalar::boolean, node_of(condition)));
}
/// Writes the x of the active lanes with a true condition side by side, in the order of lanes, from
/// to[begin] on; `begin` is equal in the warp. Gives their number, in every active lane. Other
/// elements are not touched. It is ISPC's packed_store_active.
/// \code
/// auto kept = kr::warp::packed_store(y, 0, x[i], x[i] > 0);
/// \endcode
template <class View, detail::operand_type Begin, class Type>
value<int> packed_store(const View& to, const Begin& begin, const Type& x,
                        detail::operand condition,
                        detail::location where = detail::location::here()) {
  detail::set_location(where);
  const value<bool> chosen(detail::convert(detail::scalar::boolean, node_of(condition)));
  const auto place = begin + prefix_count(chosen);
  if_(
      chosen, [&] { to[detail::subscript(place, where)] = x; }, where);
  return popcount(ballot(chosen));
}
/// Reads elements side by side, from from[begin] on: one for each active lane with a true
/// condition, in the order of lanes; `begin` is equal in the warp. Other lanes get 0. It is ISPC's
/// packed_load_active.
/// \code
/// auto value = kr::warp::packed_load(y, 0, x[i] > 0);
/// \endcode
template <class View, detail::operand_type Begin>
auto packed_load(const View& from, const Begin& begin, detail::operand condition,
                 detail::location where = detail::location::here()) {
  detail::set_location(where);
  const value<bool> chosen(detail::convert(detail::scalar::boolean, node_of(condition)));
  const auto place = begin + prefix_count(chosen);
  using type = detail::storage_type_t<std::remove_cvref_t<decltype(from[place])>>;
  var loaded = type(0);
  if_(
      chosen, [&] { loaded = from[detail::subscript(place, where)]; }, where);
  return value<type>(loaded);
}

/// The x of the active lanes with a true condition in the first lanes, in the order of lanes; 0 in
/// the others. Where one of the first lanes is not active, its value is lost.
/// \code
/// auto kept = kr::warp::pack(x[i], x[i] > 0);
/// \endcode
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> pack(const Type& x,
                                                                    detail::operand condition) {
  detail::set_caller();
  const value<std::uint64_t> chosen = ballot(condition), one(std::uint64_t(1));
  const value<int> own = lane_id();
  // The last lane that has no more chosen ones below it than this one's number.
  var from = 0;
  for (int step = 32; step > 0; step /= 2) {
    const value<int> next = from + step;
    from = select(popcount(chosen & ((one << next) - 1)) <= own, next, from);
  }
  const value<bool> has = own < popcount(chosen);
  return select(has, shfl(x, select(has, from, own)), typename Type::traced_type(0));
}

/// The active lanes: bit i is 1 if lane i is active.
[[gnu::noinline, gnu::cold]] inline value<std::uint64_t> active_mask() {
  detail::set_caller();
  return ballot(true);
}
/// True in exactly one active lane, the lowest.
/// \code
/// kr::if_(kr::warp::elect(), [&] { kr::atomic(counts[0]).add(1); });
/// \endcode
[[gnu::noinline, gnu::cold]] inline value<bool> elect() {
  detail::set_caller();
  return ctz(active_mask()) == lane_id();
}
/// The active lanes with the same bits of x as this one: bit i is lane i.
/// \code
/// auto equals = kr::popcount(kr::warp::match_any(p[i]));
/// \endcode
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<std::uint64_t> match_any(const Type& x) {
  detail::set_caller();
  using type = typename Type::traced_type;
  return value<std::uint64_t>(
      detail::apply(detail::op::MatchAny, detail::scalar_of<type>, node_of(x)));
}
/// Tells whether all active lanes have the same bits of x.
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<bool> match_all(const Type& x) {
  detail::set_caller();
  using type = typename Type::traced_type;
  const value<type> own(x);
  if constexpr (detail::is_float_v<type>) {
    using bits =
        std::conditional_t<sizeof(type) == 2, std::uint16_t,
                           std::conditional_t<sizeof(type) == 4, std::uint32_t, std::uint64_t>>;
    return match_all(bitcast<bits>(own));
  } else {
    return all(own == shfl(own, ctz(active_mask())));
  }
}
/// The x of all active lanes combined by an operator; every lane gets the result.
/// Floats are added in the order of inclusive_scan, which is the same on every device.
/// \code
/// auto total = kr::warp::reduce(x[i]);
/// \endcode
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> reduce(const Type& x,
                                                                      combine by = combine::add) {
  detail::set_caller();
  using result = typename Type::traced_type;
  return value<result>(detail::combine_lanes(detail::op::WarpReduce, detail::scalar_of<result>,
                                             node_of(x), unsigned(by)));
}
/// The x of this lane and of the active lanes below it, combined by an operator.
/// Floats are added in steps of distance 1, 2, 4, 8 and 16 among the active lanes: x' = x of the
/// lane at that distance + x.
/// \code
/// y[i] = kr::warp::inclusive_scan(x[i]);
/// \endcode
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> inclusive_scan(
    const Type& x, combine by = combine::add) {
  detail::set_caller();
  using result = typename Type::traced_type;
  return value<result>(detail::combine_lanes(detail::op::WarpScan, detail::scalar_of<result>,
                                             node_of(x), unsigned(by)));
}
/// The x of the active lanes below this one, combined by an operator.
/// The lowest lane gets the neutral element: 0, all ones, or the largest or smallest number or
/// infinity.
/// \code
/// auto place = kr::warp::exclusive_scan(kr::cast<int>(x[i] > 0));
/// \endcode
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<typename Type::traced_type> exclusive_scan(
    const Type& x, combine by = combine::add) {
  detail::set_caller();
  using result = typename Type::traced_type;
  const value<result> sums = inclusive_scan(x, by);
  const value<std::uint64_t> below = active_mask() & ((value<std::uint64_t>(1u) << lane_id()) - 1u);
  const value<result> before = shfl(sums, 63 - clz(below));
  return select(below == 0u, detail::neutral_of<result>(by), before);
}

}  // namespace warp
}  // namespace krait
