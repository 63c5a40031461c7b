// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/plan/fission.h"

#include <algorithm>
#include <utility>

#include "ir/walk.h"

namespace krait::codegen::cpu {
namespace {

using ir::Op;

constexpr unsigned deepest_recomputation = 8;

/// Jumps under `r` to a loop around it, within `loops` of its own, or out of the thread.
bool jumps_out(const ir::Function& f, ir::RegionId r, unsigned loops) {
  for (ir::InstId id : f.regions[r].insts) {
    const ir::Inst& inst = f.insts[id];
    if (inst.op == Op::Return || (loops == 0 && (inst.op == Op::Break || inst.op == Op::Continue)))
      return true;
    for (ir::RegionId inner : inst.regions)
      if (jumps_out(f, inner, loops + ir::is_loop(inst.op))) return true;
  }
  return false;
}

/// Whether threads may leave the instruction's regions by a jump to a loop around it, or by return.
bool escapes(const ir::Function& f, const ir::Inst& inst) {
  return std::any_of(inst.regions.begin(), inst.regions.end(),
                     [&](ir::RegionId r) { return jumps_out(f, r, ir::is_loop(inst.op)); });
}

class Planner {
 public:
  Planner(const ir::Function& f, const Divergence& d, const Shape& shape)
      : f_(f), d_(d), shape_(shape) {
    p_.outside.assign(f.insts.size(), false), p_.outer.assign(f.insts.size(), false);
    p_.segment.assign(f.insts.size(), 0);
    p_.block_value.assign(f.values.size(), false), p_.recomputed.assign(f.values.size(), false);
    p_.place.assign(f.values.size(), Fission::no_place);
    depth_.assign(f.values.size(), 0);
    for (ir::ValueId v : f.params()) p_.block_value[v] = true;
  }

  Fission run() {
    cut(f_.body, true);
    place_crossing();
    p_.gang_bytes = (p_.gang_bytes + 63) & ~63u;
    return std::move(p_);
  }

 private:
  bool all_outside(const ir::Inst& inst) const {
    return std::all_of(inst.operands.begin(), inst.operands.end(),
                       [&](ir::ValueId v) { return p_.block_value[v]; });
  }

  void mark(ir::RegionId r) {  // everything under a construct belongs to its segment
    for (ir::InstId id : f_.regions[r].insts) {
      p_.segment[id] = segment_;
      for (ir::RegionId inner : f_.insts[id].regions) mark(inner);
    }
  }

  void cut(ir::RegionId r, bool top) {
    const auto& insts = f_.regions[r].insts;
    std::size_t last_barrier = 0;
    for (std::size_t i = 0; i < insts.size(); ++i)
      if (d_.barrier[insts[i]]) last_barrier = i + 1;
    for (std::size_t i = 0; i < insts.size(); ++i) {
      ir::InstId id = insts[i];
      const ir::Inst& inst = f_.insts[id];
      p_.segment[id] = segment_;
      if (ir::is_barrier(inst.op) || inst.op == Op::Uniform) {
        for (ir::ValueId v : inst.results) p_.block_value[v] = true;
        if (!keeps_none_apart(f_, shape_, r, i)) ++segment_;
      } else if (!inst.regions.empty()) {
        // A return behind the last barrier only ends its threads.
        bool leaves = escapes(f_, inst) && !(top && i >= last_barrier);
        if (!d_.barrier[id] && !leaves) {
          mark_regions(inst);
          continue;
        }
        if (inst.op == Op::GridStride)
          unsupported(
              "a barrier in a grid_stride loop, where threads differ in their number of "
              "iterations");
        if (!inst.operands.empty() && inst.op != Op::Loop &&
            d_.values[inst.operands[0]] > passes::Uniform::Block)
          unsupported(
              d_.barrier[id]
                  ? "a barrier under a condition that differs between the threads of a block"
                  : "a thread leaves before a barrier that others reach");
        p_.outer[id] = true;
        ++segment_;
        if (ir::is_loop(inst.op)) {
          const std::size_t bounds = inst.op == Op::Loop ? 0 : 1;
          merge(inst.operands, bounds, f_.regions[inst.regions[0]].params, bounds);
          loops_.push_back(id);
        }
        for (ir::RegionId inner : inst.regions) {
          settle(f_.regions[inner].params);
          if (inst.op == Op::For) p_.block_value[f_.regions[inner].params[0]] = true;
          cut(inner, false);
          ++segment_;
        }
        if (ir::is_loop(inst.op)) loops_.pop_back();
        settle(inst.results);
      } else if (ir::is_terminator(inst.op)) {
        leave(r, inst);
      } else {
        single(id, inst);
      }
    }
  }
  /// What a region outside of the gangs ends with.
  void leave(ir::RegionId r, const ir::Inst& inst) {
    if (inst.op == Op::Yield && f_.regions[r].parent != ir::none)
      merge(inst.operands, 0, f_.insts[f_.regions[r].parent].results, 0);
    if ((inst.op != Op::Continue && inst.op != Op::Break) || loops_.empty()) return;
    const ir::Inst& loop = f_.insts[loops_.back()];
    if (inst.op == Op::Break) merge(inst.operands, 0, loop.results, 0);
    else merge(inst.operands, 0, f_.regions[loop.regions[0]].params, loop.op == Op::Loop ? 0 : 1);
  }
  void merge(const std::vector<ir::ValueId>& from, std::size_t skip,
             const std::vector<ir::ValueId>& to, std::size_t to_skip) {
    for (std::size_t i = skip; i < from.size(); ++i)
      merged_.emplace_back(from[i], to[i - skip + to_skip]);
  }
  void mark_regions(const ir::Inst& inst) {
    for (ir::RegionId r : inst.regions) mark(r);
  }
  /// Values that control flow outside of the gangs merges.
  void settle(const std::vector<ir::ValueId>& values) {
    for (ir::ValueId v : values) {
      if (d_.values[v] <= passes::Uniform::Block) p_.block_value[v] = true;
      else crossing_.push_back(v);
    }
  }

  void single(ir::InstId id, const ir::Inst& inst) {
    ir::Effect effect = ir::info(inst.op).effect;
    if (inst.op == Op::Shared) {
      p_.outside[id] = true;
      p_.block_value[inst.results[0]] = true;
      return;
    }
    bool pure = effect == ir::Effect::Pure, read = effect == ir::Effect::Read;
    if ((pure || read) && !inst.results.empty() &&
        d_.values[inst.results[0]] <= passes::Uniform::Block && all_outside(inst)) {
      p_.outside[id] = true;
      for (ir::ValueId v : inst.results) p_.block_value[v] = true;
      return;
    }
    if (inst.op == Op::Local) {
      std::uint64_t bytes = f_.type_of(inst.results[0]).elem_bytes;
      for (std::int64_t extent : inst.list) bytes *= std::uint64_t(extent);
      p_.place[inst.results[0]] = reserve(bytes * shape_.gang());
      return;
    }
    if (!pure || ir::divides(inst.op)) return;
    unsigned depth = 0;
    for (ir::ValueId v : inst.operands) {
      if (p_.block_value[v]) continue;
      if (!p_.recomputed[v]) return;
      depth = std::max(depth, depth_[v]);
    }
    if (depth >= deepest_recomputation) return;
    p_.recomputed[inst.results[0]] = true;
    depth_[inst.results[0]] = depth + 1;
  }

  std::uint32_t reserve(std::uint64_t bytes) {
    std::uint64_t at = p_.gang_bytes;
    if (at + bytes > (1u << 28))
      unsupported("more than 256 MiB of values are live across barriers");
    p_.gang_bytes = std::uint32_t(at + ((bytes + 63) & ~std::uint64_t(63)));
    return std::uint32_t(at);
  }
  void give_place(ir::ValueId v) {
    if (p_.place[v] != Fission::no_place) return;
    unsigned size = ir::size_of(f_.type_of(v).scalar);
    p_.place[v] = reserve(std::uint64_t(size) * (d_.varying(v) ? shape_.gang() : 1));
  }

  void place_crossing() {
    for (ir::ValueId v : crossing_) give_place(v);
    // A gang makes what becomes one value of the block: it is read outside of the gangs.
    for (const auto& [from, to] : merged_)
      if (p_.block_value[to] && !p_.block_value[from]) give_place(from);
    ir::for_each_inst(f_, [&](ir::InstId id, ir::RegionId) {
      const ir::Inst& inst = f_.insts[id];
      for (std::size_t k = 0; k < inst.operands.size(); ++k) {
        ir::ValueId v = inst.operands[k];
        ir::InstId def = f_.values[v].def;
        if (def == ir::none || p_.block_value[v] || !f_.type_of(v).is_value()) continue;
        // Conditions, bounds and promised-uniform values are read outside of the gangs.
        bool read_outside = inst.op == Op::Uniform || inst.op == Op::WordProduct ||
                            (p_.outer[id] && k == 0 && inst.op != Op::Loop);
        if (read_outside) give_place(v);
        else if (p_.segment[def] != p_.segment[id] && !p_.recomputed[v] && !p_.outer[def])
          give_place(v);
      }
    });
  }

  const ir::Function& f_;
  const Divergence& d_;
  const Shape& shape_;
  Fission p_;
  std::uint32_t segment_ = 0;
  std::vector<unsigned> depth_;
  std::vector<ir::ValueId> crossing_;
  // from, to: by control flow outside of the gangs
  std::vector<std::pair<ir::ValueId, ir::ValueId>> merged_;
  std::vector<ir::InstId> loops_;  // that are outside, and open
};

/// c, where the condition holds for none but the first c threads of a row: thread_idx.x < c,
/// thread_idx.x == c - 1, and more.
std::optional<std::int64_t> threads_below(const ir::Function& f, ir::ValueId condition) {
  const ir::Inst* d = f.def(condition);
  if (!d) return {};
  if (d->op == Op::And) {
    const auto x = threads_below(f, d->operands[0]), y = threads_below(f, d->operands[1]);
    return x && y ? std::min(*x, *y) : x ? x : y;
  }
  if ((d->op != Op::Lt && d->op != Op::Eq && d->op != Op::Le) || !f.is_const(d->operands[1]))
    return {};
  const ir::ValueId place = place_in_row(f, d->operands[0]);
  if (place == ir::none || f.def(place)->op != Op::ThreadIdx) return {};
  constexpr std::uint64_t largest_block = 1024;
  const std::uint64_t c = f.const_bits(d->operands[1]);
  return c < largest_block ? std::optional(std::int64_t(c) + (d->op != Op::Lt)) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> acting_threads(const ir::Function& f, ir::RegionId r, std::size_t begin,
                                           std::size_t end) {
  std::int64_t most = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const ir::Inst& inst = f.insts[f.regions[r].insts[i]];
    if (inst.op == Op::Barrier ||
        (inst.regions.empty() && ir::info(inst.op).effect == ir::Effect::Pure))
      continue;
    const bool one_sided =
        inst.op == Op::If && inst.results.empty() &&
        std::all_of(inst.regions.begin() + 1, inst.regions.end(),
                    [&](ir::RegionId other) { return f.regions[other].insts.size() == 1; });
    if (!one_sided || escapes(f, inst)) return {};
    const auto first = threads_below(f, inst.operands[0]);
    if (!first) return {};
    most = std::max(most, *first);
  }
  return most;
}

bool keeps_none_apart(const ir::Function& f, const Shape& shape, ir::RegionId r,
                      std::size_t barrier) {
  const auto& insts = f.regions[r].insts;
  if (f.insts[insts[barrier]].op != Op::Barrier) return false;
  if (barrier + 2 == insts.size()) return true;
  const bool one_row = f.block[0] ? f.block[1] == 1 && f.block[2] == 1 : f.facts.one_row;
  if (!one_row || shape.layout != Layout::Rows || shape.is_brick()) return false;
  std::size_t begin = barrier, end = barrier + 1;
  while (begin > 0 && !ir::is_barrier(f.insts[insts[begin - 1]].op)) --begin;
  while (!ir::is_terminator(f.insts[insts[end]].op) && !ir::is_barrier(f.insts[insts[end]].op))
    ++end;
  const auto acting = acting_threads(f, r, begin, end);
  return acting && *acting <= shape.gang();
}

Fission plan_fission(const ir::Function& f, const Divergence& d, const Shape& shape) {
  return Planner(f, d, shape).run();
}

}  // namespace krait::codegen::cpu
