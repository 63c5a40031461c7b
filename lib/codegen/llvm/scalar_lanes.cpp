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
    Value* taken = inst.op == Op::If
                       ? selector
                       : b_.CreateICmpEQ(selector, llvm::ConstantInt::getSigned(selector->getType(),
                                                                                inst.list[i]));
    // In a uniform register a mask would be lost where the lanes of another way call a function
    // (support/quirks.def).
    ways[i] = target_.each_lanes_own(target_.ballot(taken));
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
    schedule.own = [](const ir::Inst& inst,
                      const passes::Uniformity&) -> std::optional<passes::Uniform> {
      if (ir::info(inst.op).effect == ir::Effect::Read) return passes::Uniform::Varying;
      return {};
    };
    uniformity_ = passes::UniformityAnalysis(f_, code_.all.calls, schedule).levels;
  }
  return uniformity_->values[v] <= passes::Uniform::Block;
}

/// ptxas yields in loops with atomics, so that lanes which have left run on while others are in the
/// loop: the holder of a lock must. It keeps what is equal in a warp in uniform registers all the
/// same, and those that ran on overwrite what the loop still needs (support/quirks.def). So lanes
/// wait for each other behind such a loop, as they do behind any other. Not where one may be waited
/// for: where a loop ends by what an atomic found, which may be another lane's doing, and where a
/// lane leaves the function from within.
bool Lanes::gathers_behind(const ir::Inst& loop) {
  const auto is_atomic = [](const ir::Inst& i) {
    return ir::info(i.op).effect == ir::Effect::Atomic;
  };
  bool atomics = false, may_wait = false;
  if (uses_.empty()) uses_ = ir::use_counts(f_);
  ir::for_each_inst(f_, loop.regions[0], [&](ir::InstId id, ir::RegionId) {
    const ir::Inst& inst = f_.insts[id];
    const bool calls =
        inst.op == Op::Call && ir::any_inst(code_.all.module.callee(inst), is_atomic);
    atomics = atomics || calls || is_atomic(inst);
    may_wait = may_wait || inst.op == Op::Return;
    if (loop.op == Op::Loop)
      may_wait = may_wait || calls ||
                 (is_atomic(inst) && !inst.results.empty() && uses_[inst.results[0]] > 0);
  });
  return atomics && !may_wait;
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

/// A `for` of uniform count that no thread leaves early takes all threads through the same trips;
/// other loops may not.
bool Lanes::is_divergent_loop(const ir::Inst& loop) {
  return loop.op != Op::For || !is_uniform(loop.operands[0]) ||
         count_jumps(loop.regions[0], Op::Break) > 0;
}

}  // namespace krait::codegen::scalar
