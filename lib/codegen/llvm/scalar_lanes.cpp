// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/scalar_lanes.h"

#include "ir/walk.h"

namespace krait::codegen::scalar {

using ir::Op;
using llvm::Value;

bool Lanes::asks(const ir::Inst& construct) const {
  bool found = false;
  for (ir::RegionId region : construct.regions)
    ir::for_each_inst(f_, region, [&](ir::InstId i, ir::RegionId) {
      const Op op = f_.insts[i].op;
      found = found || ir::is_warp_operation(op);
    });
  return found;
}

/// A divergent condition is put to the vote of all that come, which also
/// brings them together again after whatever parted them before.
std::vector<Value*> Lanes::split(const ir::Inst& inst, bool all_come) {
  std::vector<Value*> ways(inst.regions.size(), code_.lanes);
  if (!code_.lanes || is_uniform(inst.operands[0])) return ways;
  if (all_come && !asks(inst)) return std::vector<Value*>(inst.regions.size(), nullptr);
  Value *selector = value(inst.operands[0]), *rest = code_.lanes;
  for (std::size_t i = 0; i + 1 < ways.size(); ++i) {
    Value* taken =
        inst.op == Op::If ? selector : b_.CreateICmpEQ(selector, llvm::ConstantInt::getSigned(selector->getType(), inst.list[i]));
    ways[i] = target_.ballot(taken);
    rest = b_.CreateAnd(rest, b_.CreateNot(ways[i]));
  }
  ways.back() = rest;
  return ways;
}

bool Lanes::is_uniform(ir::ValueId v) {
  if (!uniformity_) {
    passes::Schedule schedule;
    schedule.trips_apart = true;
    if (f_.called) schedule.parameters.assign(f_.params().size(), passes::Uniform::Varying);
    // Other views of an array may be written, and other kernels may run.
    schedule.own = [](const ir::Inst& inst, const passes::Uniformity&) -> std::optional<passes::Uniform> {
      if (ir::info(inst.op).effect == ir::Effect::Read) return passes::Uniform::Varying;
      return {};
    };
    uniformity_ = passes::UniformityAnalysis(f_, code_.all.calls, schedule).levels;
  }
  return uniformity_->values[v] <= passes::Uniform::Block;
}

std::size_t Lanes::count_jumps(ir::RegionId region, Op kind) const {
  std::size_t count = 0;
  for (ir::InstId id : f_.regions[region].insts) {
    const ir::Inst& inst = f_.insts[id];
    count += inst.op == kind;
    if (!ir::is_loop(inst.op))
      for (ir::RegionId inner : inst.regions) count += count_jumps(inner, kind);
  }
  return count;
}

/// A `for` of uniform count that no thread leaves early takes all threads through the same trips; other loops may not.
bool Lanes::is_divergent_loop(const ir::Inst& loop) {
  return loop.op != Op::For || !is_uniform(loop.operands[0]) || count_jumps(loop.regions[0], Op::Break) > 0;
}

}  // namespace krait::codegen::scalar
