// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lanes of a warp run a region, for operations that must name them.
#include "codegen/llvm/scalar.h"
#include "ir/walk.h"

namespace krait::codegen {

using ir::Op;
using llvm::Value;

/// Whether warp operations stand in it.
bool ScalarLowering::asks_lanes(const ir::Inst& construct) const {
  bool found = false;
  for (ir::RegionId region : construct.regions)
    ir::for_each_inst(kernel_, region, [&](ir::InstId i, ir::RegionId) {
      const Op op = kernel_.insts[i].op;
      found = found || ir::is_warp_operation(op);
    });
  return found;
}

/// By region of an if or switch: the lanes that go there. A divergent condition is put to the vote of all that come, which also
/// brings them together again after whatever parted them before.
std::vector<Value*> ScalarLowering::split_lanes(const ir::Inst& inst, const Join& join) {
  std::vector<Value*> ways(inst.regions.size(), lanes_);
  if (!lanes_ || is_uniform(inst.operands[0])) return ways;
  if (join.all_come && !asks_lanes(inst)) return std::vector<Value*>(inst.regions.size(), nullptr);
  Value *selector = value(inst.operands[0]), *rest = lanes_;
  for (std::size_t i = 0; i + 1 < ways.size(); ++i) {
    Value* taken =
        inst.op == Op::If ? selector : b_.CreateICmpEQ(selector, llvm::ConstantInt::getSigned(selector->getType(), inst.list[i]));
    ways[i] = ballot(taken);
    rest = b_.CreateAnd(rest, b_.CreateNot(ways[i]));
  }
  ways.back() = rest;
  return ways;
}

/// Whether all threads of a block that have not returned see one value.
bool ScalarLowering::is_uniform(ir::ValueId v) {
  if (!uniformity_) {
    passes::Schedule schedule;
    schedule.trips_apart = true;
    if (kernel_.called) schedule.parameters.assign(kernel_.params().size(), passes::Uniform::Varying);
    // Other views of an array may be written, and other kernels may run.
    schedule.own = [](const ir::Inst& inst, const passes::Uniformity&) -> std::optional<passes::Uniform> {
      if (ir::info(inst.op).effect == ir::Effect::Read) return passes::Uniform::Varying;
      return {};
    };
    uniformity_ = passes::UniformityAnalysis(kernel_, all_.calls, schedule).levels;
  }
  return uniformity_->values[v] <= passes::Uniform::Block;
}

/// The breaks or continues under a region that belong to a loop around it.
std::size_t ScalarLowering::count_jumps(ir::RegionId region, Op kind) const {
  std::size_t count = 0;
  for (ir::InstId id : kernel_.regions[region].insts) {
    const ir::Inst& inst = kernel_.insts[id];
    count += inst.op == kind;
    if (!ir::is_loop(inst.op))
      for (ir::RegionId inner : inst.regions) count += count_jumps(inner, kind);
  }
  return count;
}

/// A `for` of uniform count that no thread leaves early takes all threads through the same trips; other loops may not.
bool ScalarLowering::is_divergent_loop(const ir::Inst& loop) {
  return loop.op != Op::For || !is_uniform(loop.operands[0]) || count_jumps(loop.regions[0], Op::Break) > 0;
}

}  // namespace krait::codegen
