// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uniformity in four levels, by rounds over the function until nothing rises. A value is as uniform as what it is computed from
// and as the decision which of several values it is; a load as its index, from arrays that the kernel never writes. Several views
// of one memory do not count as writes of each other: barrier legality must not depend on the arguments of one launch.
#include <algorithm>

#include "passes/flow.h"

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

void Flow::join(const Flow& other) {
  relative = std::max(relative, other.relative);
  if (other.level <= level) return;
  level = other.level;
  why = other.why;
  exit = other.exit;
}
void Flow::divide(Uniform by, InstId branch) { join({by, by, branch, none}); }

void FlowAnalysis::Left::join(const Left& other) {
  broke.join(other.broke);
  continued.join(other.continued);
  returned.join(other.returned);
}

FlowAnalysis::FlowAnalysis(const Function& f, const Calls& calls)
    : levels{std::vector(f.values.size(), Uniform::Launch), std::vector(f.regions.size(), Uniform::Launch)},
      f_(f),
      calls_(calls),
      exits_(f),
      written_(f.values.size()),
      left_(f.insts.size()) {
  for_each_inst(f, [&](InstId i, RegionId) {
    const Inst& inst = f.insts[i];
    for (std::size_t k = 0; k < inst.operands.size(); ++k)
      if (calls.writes(inst, k)) written_[inst.operands[k]] = true;
  });
  do {
    changed_ = false;
    barriers.clear();
    walk(f.body, {});
  } while (changed_);
}

void FlowAnalysis::raise(ValueId v, Uniform level) {
  if (level <= levels.values[v]) return;
  levels.values[v] = level;
  changed_ = true;
}

Uniform FlowAnalysis::operands(const Inst& inst, std::size_t begin) const {
  Uniform level = Uniform::Launch;
  for (std::size_t k = begin; k < inst.operands.size(); ++k) level = std::max(level, of(inst.operands[k]));
  return level;
}

FlowAnalysis::Left FlowAnalysis::walk(RegionId r, Flow flow) {
  levels.regions[r] = std::max(levels.regions[r], flow.level);
  Left left;
  for (const InstId i : f_.regions[r].insts) {
    const Inst& inst = f_.insts[i];
    Flow gone = flow;
    gone.exit = i;
    if (inst.op == Op::Break) left.broke.join(gone);
    else if (inst.op == Op::Continue) left.continued.join(gone);
    else if (inst.op == Op::Return) left.returned.join(gone);
    else if (inst.regions.empty()) simple(i, flow);
    else {
      const Left inner = is_loop(inst.op) ? loop(i, flow) : branch(i, flow);
      flow.join(inner.broke);
      flow.join(inner.continued);
      flow.join(inner.returned);
      left.join(inner);
    }
  }
  return left;
}

FlowAnalysis::Left FlowAnalysis::branch(InstId i, const Flow& flow) {
  const Inst& inst = f_.insts[i];
  const Uniform condition = of(inst.operands[0]);
  Flow inside = flow;
  inside.divide(condition, i);
  Left left;
  std::size_t yields = 0;
  for (const RegionId r : inst.regions) {
    left.join(walk(r, inside));
    const Inst& last = terminator(f_, r);
    if (last.op != Op::Yield) continue;
    ++yields;
    for (std::size_t k = 0; k < inst.results.size(); ++k) raise(inst.results[k], of(last.operands[k]));
  }
  if (yields > 1)
    for (const ValueId v : inst.results) raise(v, condition);
  return left;
}

FlowAnalysis::Left FlowAnalysis::loop(InstId i, const Flow& flow) {
  const Inst& inst = f_.insts[i];
  Flow inside = flow;
  inside.relative = Uniform::Launch;
  Uniform trips = Uniform::Launch;
  if (inst.op == Op::For) trips = of(inst.operands[0]);
  if (inst.op == Op::GridStride) {
    trips = Uniform::Varying;
    raise(f_.regions[inst.regions[0]].params[0], Uniform::Varying);
  }
  inside.divide(trips, i);
  inside.join(left_[i].broke);
  inside.join(left_[i].returned);

  const Left left = walk(inst.regions[0], inside);
  Left known = left_[i];
  known.join(left);
  changed_ = changed_ || known.broke.level != left_[i].broke.level || known.broke.relative != left_[i].broke.relative ||
             known.returned.level != left_[i].returned.level || known.returned.relative != left_[i].returned.relative;
  left_[i] = known;
  joins_of_loop(i, std::max(trips, left.broke.relative), left.continued.relative);
  Left out;
  out.returned = left.returned;
  return out;
}

/// `exit`: how far threads leave the loop together; `again`: how far they come to one `continue` together.
void FlowAnalysis::joins_of_loop(InstId i, Uniform exit, Uniform again) {
  const Inst& inst = f_.insts[i];
  const unsigned lead = loop_lead(inst.op);
  for (std::size_t k = 0; k < inst.results.size(); ++k) {
    const ValueId param = f_.regions[inst.regions[0]].params[lead + k];
    raise(param, of(inst.operands[lead + k]));
    ValueId passed = none;
    for (const InstId next : exits_.continues[i]) {
      const ValueId v = f_.insts[next].operands[k];
      raise(param, of(v));
      if (passed != none && passed != v) raise(param, again);
      passed = v;
    }
    raise(inst.results[k], exit);
    for (const InstId end : exits_.breaks[i]) raise(inst.results[k], of(f_.insts[end].operands[k]));
    if (inst.op != Op::Loop) raise(inst.results[k], of(param));
  }
}

void FlowAnalysis::simple(InstId i, const Flow& flow) {
  const Inst& inst = f_.insts[i];
  if (is_barrier(inst.op)) barriers.emplace_back(i, flow);
  if (inst.op == Op::Set) raise(inst.operands[0], std::max(of(inst.operands[1]), flow.level));
  Uniform level = level_of(info(inst.op).level);
  switch (info(inst.op).level) {
    case Level::Operands: level = operands(inst); break;
    case Level::Custom: {
      const bool load = inst.op == Op::Load || inst.op == Op::LoadVec;
      const Space space = load ? f_.type_of(inst.operands[0]).space : Space::Value;
      const bool stable = space == Space::Argument || (space == Space::Global && !written_[inst.operands[0]]);
      const bool calls_for_more = inst.op == Op::Call && (!calls_.is_pure(inst) || calls_.is_placed(inst));
      level = (load && !stable) || calls_for_more ? Uniform::Varying : operands(inst);
      break;
    }
    case Level::Launch:
    case Level::Block:
    case Level::Warp:
    case Level::Varying: break;
  }
  if (inst.op == Op::Uniform) level = std::min(level, operands(inst));
  for (const ValueId v : inst.results) raise(v, level);
}

Uniformity uniformity(const Module& m) { return FlowAnalysis(m.kernel(), Calls(m)).levels; }

}  // namespace krait::passes
