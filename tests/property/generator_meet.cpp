// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that meet: shared arrays between barriers, votes, atomics whose order does not show,
// operations of the warp.
#include "property/generating.h"

namespace krait::test::generating {

constexpr std::int64_t accumulator_size = 8;

/// Parameters, so before anything is computed.
void Generator::make_accumulators(Kernel& k) {
  constexpr scalar types[] = {scalar::i32, scalar::u32, scalar::i64, scalar::u64, scalar::f32};
  constexpr op operations[] = {op::AtomicMin, op::AtomicMax, op::AtomicAdd,
                               op::AtomicAnd, op::AtomicOr,  op::AtomicXor};
  for (int i = 0; i < 3; ++i) {
    const scalar s = types[r_.below(5)];
    const op what = operations[r_.below(is_float(s) ? 2 : 6)];
    accumulators_.push_back(
        {{detail::parameter_array(s, 1, true, ir::size_of(Scalar(s))), s}, what, false});
    Argument a;
    a.rank = 1, a.extents[0] = accumulator_size;
    a.bytes.resize(std::size_t(accumulator_size) * ir::size_of(Scalar(s)));
    k.arguments.push_back(std::move(a));
  }
}

void Generator::empty_shared_accumulators() {
  constexpr scalar types[] = {scalar::u32, scalar::i32};
  const scalar s = types[r_.below(2)];
  const std::int64_t size = accumulator_size;
  const Accumulator a{{detail::make_array(op::Shared, s, ir::size_of(Scalar(s)), &size, 1), s},
                      r_.chance(50) ? op::AtomicAdd : op::AtomicXor,
                      true};
  const node first = detail::apply(op::Eq, scalar::i64, in_block_, literal(scalar::i64, 0));
  detail::record_if(
      first,
      [&] {
        for (std::int64_t i = 0; i < accumulator_size; ++i) {
          detail::place at{a.array.array, {literal(scalar::i64, std::uint64_t(i))}, 1};
          detail::store(at, literal(s, 0));
        }
      },
      nowhere);
  detail::synchronise(op::Barrier);
  accumulators_.push_back(a);
}

void Generator::write_shared_accumulators() {
  detail::synchronise(op::Barrier);
  for (const Accumulator& a : accumulators_) {
    if (!a.shared) continue;
    const node index =
        detail::apply(op::And, scalar::i64, in_block_, literal(scalar::i64, accumulator_size - 1));
    detail::place at{a.array.array, {index}, 1};
    here_.locals.push_back({detail::make_slot(a.array.type, detail::load(at)), a.array.type});
  }
}

/// The old value stays unused: it depends on the order of threads.
void Generator::accumulate() {
  const Accumulator& a = accumulators_[r_.below(unsigned(accumulators_.size()))];
  const node x = value(a.array.type, 2), any = value(scalar::i32, 1);
  const node index = detail::apply(op::And, scalar::i64, detail::convert(scalar::i64, any),
                                   literal(scalar::i64, accumulator_size - 1));
  const detail::place at{a.array.array, {index}, 1};
  detail::atomic(a.what, at, &x, 1, r_.below(4), r_.below(3));
}

/// Every thread gives a value and takes another thread's; or they vote.
void Generator::exchange() {
  if (r_.chance(30)) {
    constexpr op votes[] = {op::BarrierCount, op::BarrierAnd, op::BarrierOr};
    const op what = votes[r_.below(3)];
    const scalar s = what == op::BarrierCount ? scalar::i32 : scalar::boolean;
    here_.values.push_back({detail::apply(what, scalar::boolean, condition(2)), s});
    return;
  }
  if (options_.warps && r_.chance(25)) return pack_lanes();
  const scalar s = any_type();
  if (r_.chance(30)) return exchange_rows(s);
  const node array = detail::make_array(op::Shared, s, ir::size_of(Scalar(s)), &block_, 1);
  detail::place own{array, {in_block_}, 1};
  detail::store(own, value(s, 2));
  detail::synchronise(op::Barrier);
  const std::uint64_t factor = 1 + r_.below(7), step = r_.below(64);
  const node turned =
      detail::apply(op::Add, scalar::i64,
                    detail::apply(op::Mul, scalar::i64, in_block_, literal(scalar::i64, factor)),
                    literal(scalar::i64, step));
  detail::place other{
      array,
      {detail::apply(op::Rem, scalar::i64, turned, literal(scalar::i64, std::uint64_t(block_)))},
      1};
  here_.locals.push_back({detail::make_slot(s, detail::load(other)), s});
}

/// Several neighbours of each thread.
void Generator::exchange_rows(scalar s) {
  const std::int64_t width = 2 << r_.below(3), size = block_ * width;
  const node array = detail::make_array(op::Shared, s, ir::size_of(Scalar(s)), &size, 1);
  const auto neighbours = [&](node row, auto use) {
    const node first =
        detail::apply(op::Mul, scalar::i64, row, literal(scalar::i64, std::uint64_t(width)));
    for (std::int64_t k = 0; k < width; ++k) {
      const node index =
          detail::apply(op::Add, scalar::i64, first, literal(scalar::i64, std::uint64_t(k)));
      use(detail::place{array, {index}, 1});
    }
  };
  const node own = value(s, 2);
  neighbours(in_block_,
             [&](detail::place at) { detail::store(at, r_.chance(30) ? value(s, 1) : own); });
  detail::synchronise(op::Barrier);
  const node other = detail::convert(scalar::i64, index_below(block_, 1));
  neighbours(other, [&](detail::place at) {
    if (r_.chance(80)) absorb(detail::load(at), s);
  });
}

/// The lanes of a warp for which a condition holds write values side by side, and read them.
void Generator::pack_lanes() {
  const scalar s = any_type();
  const node array = detail::make_array(op::Shared, s, ir::size_of(Scalar(s)), &block_, 1);
  const node chosen = condition(2), x = value(s, 2);
  const node first =
      detail::apply(op::Sub, scalar::i64, in_block_,
                    detail::convert(scalar::i64, detail::position(op::LaneId, scalar::i32)));
  const auto at = [&](const node& condition) {
    node below = detail::apply(op::WarpPrefixCount, scalar::boolean, condition);
    if (r_.chance(40)) {  // as programs write it
      const node one = literal(scalar::u64, 1),
                 bit = detail::apply(op::Shl, scalar::u64, one,
                                     detail::position(op::LaneId, scalar::i32)),
                 votes = detail::apply(op::Ballot, scalar::boolean, condition);
      const node lower = detail::apply(op::Sub, scalar::u64, bit, one);
      below = detail::apply(op::Popcount, scalar::u64,
                            detail::apply(op::And, scalar::u64, votes, lower));
    }
    return detail::place{
        array,
        {detail::apply(op::Add, scalar::i64, first, detail::convert(scalar::i64, below))},
        1};
  };
  detail::place own{array, {in_block_}, 1};
  detail::store(own, value(s, 1));
  detail::synchronise(op::Barrier);
  detail::place packed = at(chosen);
  detail::record_if(
      chosen, [&] { detail::store(packed, x); }, nowhere);
  detail::synchronise(op::Barrier);
  const node reads = condition(2);
  detail::place apart = at(reads);
  const node slot = detail::make_slot(s, x);
  detail::record_if(
      reads, [&] { detail::assign(slot, detail::load(apart)); }, nowhere);
  here_.locals.push_back({slot, s});
}

/// What the active lanes of a warp make of their values.
node Generator::of_warp(scalar s, int depth) {
  const auto votes = [&](const node& c) { return detail::apply(op::Ballot, scalar::boolean, c); };
  if (s == scalar::boolean) {
    const op what = r_.chance(50) ? op::WarpAny : op::WarpAll;
    return detail::apply(what, s, condition(depth - 1));
  }
  if (s == scalar::i32 && r_.chance(40))
    return detail::apply(op::WarpPrefixCount, scalar::boolean, condition(depth - 1));
  switch (r_.below(4)) {
    case 0: {  // the lowest active lane's
      const node x = value(s, depth - 1);
      const node lane = detail::apply(op::Ctz, scalar::u64, votes(literal(scalar::boolean, 1)));
      return detail::apply(op::Shuffle, s, x, lane);
    }
    case 1:
      if (is_int(s)) {
        const scalar of = r_.chance(50) ? s : scalar::boolean;
        const node x = value(of, depth - 1);
        return detail::convert(
            s, r_.chance(70) ? detail::apply(op::MatchAny, of, x) : votes(condition(depth - 1)));
      }
      [[fallthrough]];
    default: {
      const op what = r_.chance(50) ? op::WarpReduce : op::WarpScan;
      const unsigned by = r_.below(is_float(s) ? 3 : 6);
      return detail::combine_lanes(what, s, value(s, depth - 1), by);
    }
  }
}

}  // namespace krait::test::generating
