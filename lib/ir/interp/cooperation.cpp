// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations across threads: barriers of the block, and the operations of a warp, which is a run of
// warp_size linear thread ids.
#include <algorithm>

#include <fmt/core.h>

#include "ir/interp/cooperation.h"

namespace krait::ir::interpreter {

Cooperation::Cooperation(State& state)
    : s_(state), warp_epochs_(state.warp_of(state.threads - 1) + 1) {}

void Cooperation::begin_block() {
  epoch_ = 0;
  std::fill(warp_epochs_.begin(), warp_epochs_.end(), 0);
}

Place Cooperation::place_of(std::size_t lane) const {
  const unsigned warp = s_.warp_of(lane);
  return {s_.block_number, epoch_, warp_epochs_[warp], warp, std::uint32_t(lane)};
}

void Cooperation::barrier(const Inst& inst, const Mask& active, const Mask& returned) {
  if (active.count() != s_.threads) {
    Mask missing = s_.all;
    missing.remove(active);
    const std::size_t gone = returned.count();
    s_.fault(inst, [&] {
      return fmt::format("{}: {} of {} threads do not arrive{}, block ({}, {}, {})",
                         info(inst.op).name, missing.count(), s_.threads,
                         gone ? fmt::format(" ({} have returned)", gone) : "", s_.block_index[0],
                         s_.block_index[1], s_.block_index[2]);
    });
  }
  ++epoch_;
  if (inst.operands.empty()) return;
  const std::uint64_t* operand = s_.column(inst.operands[0]);
  const std::size_t true_ones =
      active.where([&](std::size_t lane) { return operand[lane] != 0; }).count();
  std::uint64_t result = true_ones;
  if (inst.op == Op::BarrierAnd) result = true_ones == active.count();
  if (inst.op == Op::BarrierOr) result = true_ones != 0;
  s_.fill(inst.results[0], result, active);
}

void Cooperation::warp_barrier(const Mask& active) {
  std::size_t last = warp_epochs_.size();
  active.for_each([&](std::size_t lane) {
    if (s_.warp_of(lane) == last) return;
    last = s_.warp_of(lane);
    ++warp_epochs_[last];
  });
}

void Cooperation::ballot(const Inst& inst, const Mask& active) {
  const auto warp_size = std::size_t(s_.launch.warp_size);
  const std::uint64_t* operand = s_.column(inst.operands[0]);
  std::uint64_t* out = s_.column(inst.results[0]);
  for (std::size_t first = 0; first < s_.threads; first += warp_size) {
    const std::size_t end = std::min(first + warp_size, s_.threads);
    std::uint64_t votes = 0, present = 0;
    for (std::size_t lane = first; lane < end; ++lane) {
      if (!active.has(lane)) continue;
      present |= std::uint64_t(1) << (lane - first);
      votes |= std::uint64_t(operand[lane] != 0) << (lane - first);
    }
    std::uint64_t result = votes;
    if (inst.op == Op::WarpAny) result = votes != 0;
    if (inst.op == Op::WarpAll) result = votes == present;
    for (std::size_t lane = first; lane < end; ++lane)
      if (active.has(lane)) out[lane] = result;
  }
}

/// An inactive lane gives 0.
void Cooperation::shuffle(const Inst& inst, const Mask& active) {
  const auto warp_size = std::int64_t(s_.launch.warp_size);
  const std::uint64_t* value = s_.column(inst.operands[0]);
  const std::uint64_t* source = s_.column(inst.operands[1]);
  const Scalar type = s_.f().type_of(inst.operands[1]).scalar;
  std::uint64_t* out = s_.column(inst.results[0]);
  active.for_each([&](std::size_t lane) {
    const std::int64_t named = signed_value(source[lane], type) % warp_size;
    const auto from =
        std::size_t(s_.warp_of(lane) * warp_size + (named < 0 ? named + warp_size : named));
    out[lane] = from < s_.threads && active.has(from) ? value[from] : 0;
  });
}

/// Calls `fn` with the active lanes of each warp that has some, as threads of the block in
/// ascending order.
template <class Fn>
void Cooperation::for_each_warp(const Mask& active, Fn&& fn) {
  std::vector<std::size_t> lanes;
  for (std::size_t lane = 0; lane < s_.threads; ++lane) {
    if (active.has(lane)) lanes.push_back(lane);
    const bool last = lane + 1 == s_.threads || s_.warp_of(lane + 1) != s_.warp_of(lane);
    if (!last || lanes.empty()) continue;
    fn(lanes);
    lanes.clear();
  }
}

void Cooperation::match_any(const Inst& inst, const Mask& active) {
  const std::uint64_t* operand = s_.column(inst.operands[0]);
  std::uint64_t* out = s_.column(inst.results[0]);
  for_each_warp(active, [&](const std::vector<std::size_t>& lanes) {
    for (const std::size_t lane : lanes) {
      std::uint64_t same = 0;
      for (const std::size_t other : lanes)
        same |= std::uint64_t(operand[other] == operand[lane])
                << other % unsigned(s_.launch.warp_size);
      out[lane] = same;
    }
  });
}

void Cooperation::prefix_count(const Inst& inst, const Mask& active) {
  const std::uint64_t* operand = s_.column(inst.operands[0]);
  std::uint64_t* out = s_.column(inst.results[0]);
  for_each_warp(active, [&](const std::vector<std::size_t>& lanes) {
    std::uint64_t count = 0;
    for (const std::size_t lane : lanes) {
      const bool counted = operand[lane] != 0;  // the result may take the operand's place
      out[lane] = count;
      count += counted;
    }
  });
}

/// In steps that double the distance: the order of additions is part of the meaning.
void Cooperation::combine(const Inst& inst, const Mask& active) {
  const Scalar type = inst.type.scalar;
  const LaneFunction function = lane_function(combining[inst.imm], type, type);
  const std::uint64_t* operand = s_.column(inst.operands[0]);
  std::uint64_t* out = s_.column(inst.results[0]);
  for_each_warp(active, [&](const std::vector<std::size_t>& lanes) {
    std::vector<std::uint64_t> sums, below;
    for (const std::size_t lane : lanes) sums.push_back(operand[lane]);
    for (std::size_t distance = 1; distance < sums.size(); distance *= 2) {
      below = sums;
      for (std::size_t i = distance; i < sums.size(); ++i) {
        const std::uint64_t* const operands[] = {&below[i - distance], &below[i]};
        function(operands, &sums[i], 1);
      }
    }
    for (std::size_t i = 0; i < lanes.size(); ++i)
      out[lanes[i]] = inst.op == Op::WarpScan ? sums[i] : sums.back();
  });
}

void Cooperation::uniform(const Inst& inst, const Mask& active) {
  const std::uint64_t* operand = s_.column(inst.operands[0]);
  std::size_t first = s_.threads;
  active.for_each([&](std::size_t lane) {
    if (first == s_.threads) first = lane;
    else if (operand[lane] != operand[first])
      s_.fault(inst, [&] {
        return "uniform: the operand is not equal in the whole block" + s_.who(lane);
      });
  });
  if (first < s_.threads) s_.fill(inst.results[0], operand[first], active);
}

}  // namespace krait::ir::interpreter
