// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/launch/gang_cost.h"

#include <algorithm>

#include "codegen/cpu/lanes/divergence.h"
#include "ir/walk.h"
#include "ir/weight.h"
#include "passes/lane_steps.h"
#include "support/tuning_cpu.h"

namespace krait::codegen::cpu {
namespace {

using ir::Op;
using Kind = passes::LaneStep::Kind;
namespace tuning = krait::tuning::cpu;

class Counter {
 public:
  Counter(const ir::Module& m, const Traits& traits, const Shape& shape)
      : m_(m),
        f_(m.kernel()),
        shape_(shape),
        steps_(std::move(passes::find_lane_steps(m).front())),
        d_(find_divergence(m.kernel(), ir::Calls(m), shape, traits.stride_loop)) {}

  /// Of a gang, and of one thread.
  GangCost run(ir::RegionId body) {
    region(body, 1, 1);
    return sum_;
  }

 private:
  bool wide() const { return shape_.machine.level == CpuLevel::Avx512; }
  /// Registers of a value of the gang.
  double registers(ir::Scalar s) const {
    const double bits = wide() ? 512 : shape_.machine.level == CpuLevel::Avx2 ? 256 : 128;
    return shape_.parts * std::max(shape_.lanes * double(ir::bits_of(s)) / bits, 1.0);
  }
  void add(double gang, double gangs, double thread, double threads) {
    sum_.lane += gang * gangs, sum_.scalar += thread * threads;
  }
  /// The same of both.
  void add_scalar(double cycles, double gangs, double threads) {
    add(cycles, gangs, cycles, threads);
  }

  /// How often a gang comes there, and a thread.
  void region(ir::RegionId r, double gangs, double threads) {
    for (const ir::InstId i : f_.regions[r].insts) {
      const ir::Inst& inst = f_.insts[i];
      if (ir::is_loop(inst.op)) loop(i, inst, gangs, threads);
      else if (!inst.regions.empty()) branch(inst, gangs, threads);
      else simple(inst, gangs, threads);
    }
  }

  void loop(ir::InstId i, const ir::Inst& inst, double gangs, double threads) {
    const bool known = inst.op == Op::For && f_.is_const(inst.operands[0]);
    const double trips = known ? double(f_.const_bits(inst.operands[0])) : ir::usual_trips;
    double of_gang = trips;
    if (d_.masked[i]) {
      of_gang *= tuning::longest_lane;
      const double masks = shape_.parts * tuning::mask_operations / tuning::ports;
      add(masks, gangs * of_gang, tuning::missed_branch, threads);
      for (const ir::ValueId v : inst.results)
        if (d_.varying(v))
          add(registers(f_.type_of(v).scalar) / tuning::ports, gangs * of_gang, 0, 0);
    }
    add_scalar(2 / tuning::scalar_ports, gangs * of_gang, threads * trips);
    region(inst.regions[0], gangs * of_gang, threads * trips);
  }

  void branch(const ir::Inst& inst, double gangs, double threads) {
    const bool varies = d_.varying(inst.operands[0]);
    const double share = 1.0 / double(inst.regions.size());
    if (varies)
      add(shape_.parts * tuning::mask_operations / tuning::ports, gangs,
          tuning::missed_branch * share, threads);
    else add_scalar(1 / tuning::scalar_ports, gangs, threads);
    for (const ir::RegionId r : inst.regions)
      region(r, varies ? gangs : gangs * share, threads * share);
  }

  void simple(const ir::Inst& inst, double gangs, double threads) {
    const ir::OpInfo& row = ir::info(inst.op);
    if (row.effect == ir::Effect::Read || row.effect == ir::Effect::Write)
      return access(inst, gangs, threads);
    if (row.effect == ir::Effect::Atomic)  // one after the other in any case
      return add(shape_.gang() * (tuning::locked + tuning::lane_by_lane), gangs, tuning::locked,
                 threads);
    if (inst.op == Op::Call) {
      const double weight = ir::weight(m_, m_.callee(inst), m_.callee(inst).body);
      return add(weight * registers(ir::Scalar::F32) / tuning::ports, gangs,
                 weight / tuning::scalar_ports, threads);
    }
    if (inst.results.empty() || f_.is_const(inst.results[0]) || row.effect != ir::Effect::Pure ||
        inst.op == Op::Extent || inst.op == Op::Stride)
      return;
    const ir::ValueId v = inst.results[0];
    const ir::Scalar s = f_.type_of(v).scalar;
    const double times = ir::divides(inst.op) || inst.op == Op::Sqrt || ir::is_math(inst.op)
                             ? tuning::slow_operation
                             : 1;
    // what is equal, or a number that steps, is one for the gang
    if (!d_.varying(v) || (steps_[v].kind == Kind::Step && ir::is_int(s)))
      return add_scalar(times / tuning::scalar_ports, gangs, threads);
    add(times * registers(s) / tuning::ports, gangs, times / tuning::scalar_ports, threads);
  }

  void access(const ir::Inst& inst, double gangs, double threads) {
    const bool stores = ir::info(inst.op).effect == ir::Effect::Write;
    const auto elements = double(stores ? inst.operands.size() - 2 : inst.results.size());
    const double one = 1 / tuning::ports;
    const ir::ValueId index = inst.operands[1];
    const bool own = f_.type_of(inst.operands[0]).space == ir::Space::Local;
    if (!d_.varying(index)) {
      const bool row = own || (stores && d_.varying(inst.operands[2]));
      return add(elements * (row ? registers(inst.type.scalar) : 1) * one, gangs, elements * one,
                 threads);
    }
    const passes::LaneStep& step = steps_[index];
    if (!own && step.kind == Kind::Step && (step.step == 1 || step.step == -1) &&
        f_.type_of(inst.operands[0]).elem_bytes == ir::size_of(inst.type.scalar))
      return add(elements * registers(inst.type.scalar) * one, gangs, elements * one, threads);
    const bool fast = wide() && !shape_.machine.tune.starts_with("znver") &&
                      ir::size_of(inst.type.scalar) >= 4;
    const double lane = stores ? (fast ? tuning::scattered_wide : tuning::scattered)
                               : (fast ? tuning::gathered_wide : tuning::gathered);
    add(elements * lane * shape_.gang(), gangs, elements * one, threads);
  }

  const ir::Module& m_;
  const ir::Function& f_;
  const Shape& shape_;
  const std::vector<passes::LaneStep> steps_;
  const Divergence d_;
  GangCost sum_;
};

}  // namespace

GangCost cost_of(const ir::Module& module, const Traits& traits, const Shape& shape,
                 unsigned active) {
  const ir::Function& f = module.kernel();
  const ir::RegionId body =
      traits.stride_loop == ir::none ? f.body : f.insts[traits.stride_loop].regions[0];
  GangCost cost = Counter(module, traits, shape).run(body);
  cost.lane /= active;
  return cost;
}

}  // namespace krait::codegen::cpu
