// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value is as uniform as what it is computed from and as the decision which of several values it
// is; a load as its index, from arrays that the kernel never writes. Several views of one memory do
// not count as writes of each other: barrier legality must not depend on the arguments of one
// launch.
#include "passes/analysis/uniformity.h"

#include <algorithm>

#include "passes/passes.h"

namespace krait::passes {

using namespace ir;

namespace {
Uniform level_of(Level level) {
  switch (level) {
    case Level::Launch: return Uniform::Launch;
    case Level::Block: return Uniform::Block;
    case Level::Warp: return Uniform::Warp;
    case Level::Varying: return Uniform::Varying;
    case Level::Operands:
    case Level::Custom: break;
  }
  return Uniform::Launch;
}
}  // namespace

Uniform level_of_operands(const Inst& inst, const Uniformity& known, std::size_t begin) {
  Uniform level = Uniform::Launch;
  for (std::size_t k = begin; k < inst.operands.size(); ++k)
    level = std::max(level, known.values[inst.operands[k]]);
  return level;
}

void Flow::join(const Flow& other) {
  relative = std::max(relative, other.relative);
  if (other.level <= level) return;
  level = other.level;
  why = other.why;
  exit = other.exit;
}
void Flow::divide(Uniform by, InstId branch) { join({by, by, branch, none}); }

void UniformityAnalysis::Left::join(const Left& other) {
  broke.join(other.broke);
  continued.join(other.continued);
  returned.join(other.returned);
  kills_loop |= other.kills_loop, kills_thread |= other.kills_thread, barrier |= other.barrier;
}

UniformityAnalysis::UniformityAnalysis(const Function& f, const Calls& calls,
                                       const Schedule& schedule)
    : levels{std::vector(f.values.size(), Uniform::Launch),
             std::vector(f.regions.size(), Uniform::Launch),
             std::vector<bool>(f.insts.size()),
             std::vector<bool>(f.insts.size()),
             std::vector<bool>(f.insts.size()),
             std::vector<bool>(f.insts.size()),
             std::vector<unsigned>(f.insts.size())},
      f_(f),
      calls_(calls),
      schedule_(schedule),
      exits_(f),
      written_(f.values.size()),
      left_(f.insts.size()) {
  for_each_inst(f, [&](InstId i, RegionId) {
    const Inst& inst = f.insts[i];
    for (std::size_t k = 0; k < inst.operands.size(); ++k)
      if (calls.writes(inst, k)) written_[inst.operands[k]] = true;
    if (is_loop(inst.op)) levels.continues[i] = unsigned(exits_.continues[i].size());
  });
  for (std::size_t p = 0; p < schedule.parameters.size(); ++p)
    levels.values[f.params()[p]] = schedule.parameters[p];
  do {
    changed_ = false;
    barriers.clear();
    frames_.assign(1, {});
    walk(f.body, {});
  } while (changed_);
}

void UniformityAnalysis::raise(ValueId v, Uniform level) {
  level = std::min(level, schedule_.most);
  if (level <= levels.values[v]) return;
  levels.values[v] = level;
  changed_ = true;
}
void UniformityAnalysis::flag(std::vector<bool>& flags, InstId i) {
  if (!flags[i]) flags[i] = true, changed_ = true;
}

UniformityAnalysis::Left UniformityAnalysis::walk(RegionId r, Flow flow) {
  levels.regions[r] = std::max(levels.regions[r], flow.level);
  Left left;
  for (const InstId i : f_.regions[r].insts) {
    const Inst& inst = f_.insts[i];
    Left inner;
    if (is_terminator(inst.op)) {
      inner = jump(i, flow);
    } else if (inst.regions.empty()) {
      simple(i, flow);
      inner.barrier = is_barrier(inst.op);
    } else {
      inner = is_loop(inst.op) ? loop(i, flow) : branch(i, flow);
      flow.join(inner.broke);
      flow.join(inner.continued);
      flow.join(inner.returned);
    }
    if (inner.barrier) flag(levels.barrier, i);
    if (inner.kills_loop || inner.kills_thread) flag(levels.kills, i);
    left.join(inner);
  }
  return left;
}

// ---- lanes in step ------------------------------------------------------------------------------

bool UniformityAnalysis::lanes_wait() const {
  return std::any_of(frames_.begin(), frames_.end(), [](const Frame& f) {
    return f.varying_branches || f.waits_at_latch || f.waits_at_exit;
  });
}

/// Whether the jump takes only some of the lanes that run; the loops that it leaves learn of it.
bool UniformityAnalysis::mask_jump(InstId i, const Inst& inst) {
  Frame& frame = frames_.back();
  if (inst.op == Op::Return) {
    const bool some = lanes_wait();
    for (Frame& around : frames_) {
      around.exits = std::max(around.exits, around.control);
      if (around.loop == none) continue;
      flag(levels.returns, around.loop);
      if (some) flag(levels.masked, around.loop);
    }
    if (some) flag(levels.masked, i);
    return some;
  }
  frame.exits = std::max(frame.exits, frame.control);
  if (!frame.varying_branches && !frame.waits_at_latch) return false;
  flag(levels.masked, i);
  if (frame.loop != none) flag(levels.masked, frame.loop);
  (inst.op == Op::Break ? frame.waits_at_exit : frame.waits_at_latch) = true;
  return true;
}

void UniformityAnalysis::begin_loop(InstId i, Uniform trips) {
  frames_.push_back({.loop = i});
  if (i != schedule_.shared_out) frames_.back().exits = trips;
  if (frames_.back().exits != Uniform::Varying) return;
  flag(levels.masked, i);
  frames_.back().waits_at_exit = true;
}

// ---- control ------------------------------------------------------------------------------------

UniformityAnalysis::Left UniformityAnalysis::jump(InstId i, const Flow& flow) {
  const Inst& inst = f_.insts[i];
  Left left;
  Flow gone = flow;
  gone.exit = i;
  switch (inst.op) {
    case Op::Break: left.broke.join(gone); break;
    case Op::Continue: left.continued.join(gone); break;
    case Op::Return: left.returned.join(gone); break;
    default: return left;
  }
  if (schedule_.in_step)
    (inst.op == Op::Return ? left.kills_thread : left.kills_loop) = mask_jump(i, inst);
  return left;
}

UniformityAnalysis::Left UniformityAnalysis::branch(InstId i, const Flow& flow) {
  const Inst& inst = f_.insts[i];
  const Uniform condition = of(inst.operands[0]), around = frames_.back().control;
  const unsigned varies = condition == Uniform::Varying;
  Flow inside = flow;
  inside.divide(condition, i);
  frames_.back().control = std::max(around, condition);
  frames_.back().varying_branches += varies;
  Left left;
  std::size_t yields = 0;
  for (const RegionId r : inst.regions) {
    left.join(walk(r, inside));
    const Inst& last = terminator(f_, r);
    if (last.op != Op::Yield) continue;
    ++yields;
    for (std::size_t k = 0; k < inst.results.size(); ++k)
      raise(inst.results[k], of(last.operands[k]));
  }
  if (yields > 1)
    for (const ValueId v : inst.results) raise(v, condition);
  frames_.back().control = around;
  frames_.back().varying_branches -= varies;
  return left;
}

UniformityAnalysis::Left UniformityAnalysis::loop(InstId i, const Flow& flow) {
  const Inst& inst = f_.insts[i];
  const auto& params = f_.regions[inst.regions[0]].params;
  Flow inside = flow;
  inside.relative = Uniform::Launch;
  Uniform trips = Uniform::Launch;
  if (inst.op == Op::For) trips = of(inst.operands[0]);
  if (inst.op == Op::GridStride) {
    trips = Uniform::Varying;
    raise(params[0], Uniform::Varying);
  }
  if (schedule_.trips_apart &&
      (inst.op != Op::For || trips > Uniform::Block || !exits_.breaks[i].empty()))
    for (const ValueId v : params) raise(v, Uniform::Varying);
  inside.divide(trips, i);
  inside.join(left_[i].broke);
  inside.join(left_[i].returned);

  begin_loop(i, trips);
  const Left left = walk(inst.regions[0], inside);
  const Frame frame = frames_.back();
  frames_.pop_back();
  Left known = left_[i];
  known.join(left);
  changed_ = changed_ || known.broke.level != left_[i].broke.level ||
             known.broke.relative != left_[i].broke.relative ||
             known.returned.level != left_[i].returned.level ||
             known.returned.relative != left_[i].returned.relative;
  left_[i] = known;
  if (schedule_.in_step) {
    const Uniform together = std::min(frame.exits, Uniform::Warp);
    joins_of_loop(i, frame.waits_at_exit ? Uniform::Varying : together,
                  frame.waits_at_latch ? Uniform::Varying : together, true);
  } else {
    joins_of_loop(i, std::max(trips, left.broke.relative), left.continued.relative, false);
  }
  Left out;
  out.returned = left.returned;
  out.kills_thread = left.kills_thread, out.barrier = left.barrier;
  return out;
}

/// `exit`: how far threads leave the loop together; `again`: how far they come to one `continue`
/// together. `even_of_one`: lanes that came by different ways may have what one value was at
/// different times.
void UniformityAnalysis::joins_of_loop(InstId i, Uniform exit, Uniform again, bool even_of_one) {
  const Inst& inst = f_.insts[i];
  const unsigned lead = loop_lead(inst.op);
  for (std::size_t k = 0; k < inst.results.size(); ++k) {
    const ValueId param = f_.regions[inst.regions[0]].params[lead + k];
    raise(param, of(inst.operands[lead + k]));
    ValueId passed = none;
    for (const InstId next : exits_.continues[i]) {
      const ValueId v = f_.insts[next].operands[k];
      raise(param, of(v));
      if (passed != none && (passed != v || even_of_one)) raise(param, again);
      passed = v;
    }
    raise(inst.results[k], exit);
    for (const InstId end : exits_.breaks[i]) raise(inst.results[k], of(f_.insts[end].operands[k]));
    if (inst.op != Op::Loop) raise(inst.results[k], of(param));
  }
}

// ---- values -------------------------------------------------------------------------------------

Uniform UniformityAnalysis::result(const Inst& inst) const {
  if (schedule_.own)
    if (const auto own = schedule_.own(inst, levels)) return *own;
  const Level level = info(inst.op).level;
  if (inst.op == Op::Uniform) return std::min(level_of(level), level_of_operands(inst, levels));
  if (level == Level::Operands) return level_of_operands(inst, levels);
  if (level != Level::Custom) return level_of(level);
  const bool load = inst.op == Op::Load || inst.op == Op::LoadVec;
  const Space space = load ? f_.type_of(inst.operands[0]).space : Space::Value;
  const bool stable =
      space == Space::Argument || (space == Space::Global && !written_[inst.operands[0]]);
  const bool calls_for_more =
      inst.op == Op::Call && (!calls_.is_pure(inst) || calls_.is_placed(inst));
  return (load && !stable) || calls_for_more ? Uniform::Varying : level_of_operands(inst, levels);
}

void UniformityAnalysis::simple(InstId i, const Flow& flow) {
  const Inst& inst = f_.insts[i];
  if (schedule_.in_step) own_arrays(inst, flow);
  if (is_barrier(inst.op)) barriers.emplace_back(i, flow);
  if (inst.op == Op::Set) raise(inst.operands[0], std::max(of(inst.operands[1]), flow.level));
  const Uniform level = result(inst);
  for (const ValueId v : inst.results) raise(v, level);
}

/// A thread's own array is equal in a warp while all of it stores equal elements to equal places.
void UniformityAnalysis::own_arrays(const Inst& inst, const Flow& flow) {
  if (inst.op == Op::Extent || inst.op == Op::Stride) return;
  const bool load = inst.op == Op::Load || inst.op == Op::LoadVec,
             store = inst.op == Op::Store || inst.op == Op::StoreVec;
  if (load) return;
  const Uniform stored =
      store ? std::max(level_of_operands(inst, levels, 1), flow.level) : Uniform::Varying;
  for (std::size_t k = 0; k < inst.operands.size(); ++k)
    if (f_.type_of(inst.operands[k]).space == Space::Local)
      raise(inst.operands[k], stored == Uniform::Varying ? stored : Uniform::Warp);
}

Uniformity uniformity(const Module& m) { return UniformityAnalysis(m.kernel(), Calls(m)).levels; }

}  // namespace krait::passes
