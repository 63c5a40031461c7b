// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/plan/gang_cost.h"

#include <algorithm>
#include <cstdlib>

#include "codegen/cpu/plan/divergence.h"
#include "ir/walk.h"
#include "ir/weight.h"
#include "passes/analysis/lane_steps.h"
#include "support/tuning/gangs.h"

namespace krait::codegen::cpu {
namespace {

using ir::Op;
using Kind = passes::LaneStep::Kind;
namespace costs = krait::tuning::gangs;

class Counter {
 public:
  Counter(const ir::Module& m, const Traits& traits, const Shape& shape)
      : m_(m),
        f_(m.kernel()),
        shape_(shape),
        steps_(std::move(passes::find_lane_steps(m).front())),
        uses_(ir::use_counts(m.kernel())),
        range_(traits.stride_loop == ir::none
                   ? ir::none
                   : f_.regions[f_.insts[traits.stride_loop].regions[0]].params[0]),
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
      sum_.diverges =
          sum_.diverges || inst.op == Op::Loop || place_of(inst.operands[0]) == Place::Data;
      of_gang *= costs::longest_lane;
      const double masks = shape_.parts * costs::mask_operations / costs::vector_ports;
      add(masks, gangs * of_gang, costs::missed_branch, threads);
      for (const ir::ValueId v : inst.results)
        if (d_.varying(v))
          add(registers(f_.type_of(v).scalar) / costs::vector_ports, gangs * of_gang, 0, 0);
    }
    add_scalar(2 / costs::scalar_ports, gangs * of_gang, threads * trips);
    region(inst.regions[0], gangs * of_gang, threads * trips);
  }

  void branch(const ir::Inst& inst, double gangs, double threads) {
    const bool varies = d_.varying(inst.operands[0]);
    sum_.diverges = sum_.diverges || (varies && place_of(inst.operands[0]) == Place::Data);
    if (inst.op == Op::If)
      if (const int rare = rare_side(inst); rare >= 0) {
        const double seldom = costs::rare_branch;
        add(varies ? costs::mask_operations / costs::vector_ports * shape_.parts : 1, gangs,
            1 / costs::scalar_ports, threads);
        region(inst.regions[std::size_t(1 - rare)], gangs, threads);
        return region(inst.regions[std::size_t(rare)],
                      gangs * std::min(seldom * shape_.gang(), 1.0), threads * seldom);
      }
    const double share = 1.0 / double(inst.regions.size());
    if (varies)
      add(shape_.parts * costs::mask_operations / costs::vector_ports, gangs,
          costs::missed_branch * share, threads);
    else add_scalar(1 / costs::scalar_ports, gangs, threads);
    for (const ir::RegionId r : inst.regions)
      region(r, varies ? gangs : gangs * share, threads * share);
  }

  /// The side of a branch that is said to be seldom taken, or calls what is; -1: neither is.
  int rare_side(const ir::Inst& inst) const {
    if (inst.expected != ir::Expected::Nothing) return inst.expected == ir::Expected::Likely;
    for (int side = 0; side < 2; ++side)
      if (ir::calls_rare(m_, f_, inst.regions[std::size_t(side)])) return side;
    return -1;
  }

  void simple(const ir::Inst& inst, double gangs, double threads) {
    const ir::OpInfo& row = ir::info(inst.op);
    if (row.effect == ir::Effect::Read || row.effect == ir::Effect::Write)
      return access(inst, gangs, threads);
    if (row.effect == ir::Effect::Atomic) {  // one after the other in any case
      const bool used = !inst.results.empty() && uses_[inst.results[0]];
      const double one = used ? costs::locked : costs::updated;
      const bool by_lane = place_of(inst.operands[1]) == Place::Data;
      return add(shape_.gang() * (one + by_lane * costs::lane_by_lane), gangs, one, threads);
    }
    if (inst.op == Op::Call) {
      const double weight = ir::weight(m_, m_.callee(inst), m_.callee(inst).body);
      return add(weight * registers(ir::Scalar::F32) / costs::vector_ports, gangs,
                 weight / costs::scalar_ports, threads);
    }
    if (inst.results.empty() || f_.is_const(inst.results[0]) || row.effect != ir::Effect::Pure ||
        inst.op == Op::Extent || inst.op == Op::Stride)
      return;
    const ir::ValueId v = inst.results[0];
    const ir::Scalar s = f_.type_of(v).scalar;
    const double times = ir::divides(inst.op) || inst.op == Op::Sqrt || ir::is_math(inst.op)
                             ? costs::slow_operation
                             : 1;
    // what is equal, or a number that steps, is one for the gang
    if (!d_.varying(v) || (steps_[v].kind == Kind::Step && ir::is_int(s)))
      return add_scalar(times / costs::scalar_ports, gangs, threads);
    add(times * registers(s) / costs::vector_ports, gangs, times / costs::scalar_ports, threads);
  }

  void access(const ir::Inst& inst, double gangs, double threads) {
    const bool stores = ir::info(inst.op).effect == ir::Effect::Write;
    const auto elements = double(stores ? inst.operands.size() - 2 : inst.results.size());
    const double one = 1 / costs::vector_ports;
    const ir::ValueId index = inst.operands[1];
    const bool own = f_.type_of(inst.operands[0]).space == ir::Space::Local;
    if (!d_.varying(index)) {
      const bool row = own || (stores && d_.varying(inst.operands[2]));
      return add(elements * (row ? registers(inst.type.scalar) : 1) * one, gangs, elements * one,
                 threads);
    }
    const std::int64_t size = ir::size_of(inst.type.scalar),
                       step = std::abs(steps_[index].step) *
                              std::int64_t(f_.type_of(inst.operands[0]).index_bytes());
    const Place place = own ? Place::Data : place_of(index);
    const bool known = place == Place::Linear && steps_[index].kind == Kind::Step;
    if (known && step == size)
      return add(elements * registers(inst.type.scalar) * one, gangs, elements * one, threads);
    const bool rows = inst.op == Op::LoadVec || inst.op == Op::StoreVec;
    const bool fast = shape_.machine.scatters() && (size >= 4 || !stores);
    const double lane = place == Place::Linear && (rows || (known && step <= costs::near_bytes))
                            ? costs::shuffled
                        : fast ? (stores ? costs::scattered_wide : costs::gathered_wide)
                        : place == Place::Data ? (stores ? costs::scattered : costs::gathered)
                                               : costs::stepped;
    add(elements * lane * shape_.gang(), gangs, elements * one, threads);
  }

  /// What lanes' places in an array follow from: their numbers, by steps that are the same for all
  /// or otherwise, or what is in memory or differs by then.
  enum class Place : std::uint8_t { Linear, Smooth, Data };
  Place place_of(ir::ValueId v, unsigned depth = 0) const {
    constexpr unsigned deepest = 12;
    if (!d_.varying(v) || d_.forms.find(v)) return Place::Linear;
    const ir::Inst* inst = f_.def(v);
    if (!inst) return v == range_ ? Place::Linear : Place::Data;
    const ir::OpInfo& row = ir::info(inst->op);
    if (row.family == ir::Family::Position || inst->op == Op::LaneId) return Place::Linear;
    if (row.effect != ir::Effect::Pure || !inst->regions.empty() || depth == deepest)
      return Place::Data;
    Place place = Place::Linear;
    unsigned varying = 0;
    for (const ir::ValueId operand : inst->operands)
      place = std::max(place, place_of(operand, depth + 1)), varying += d_.varying(operand);
    const bool steps = inst->op == Op::Add || inst->op == Op::Sub || inst->op == Op::Neg ||
                       ((inst->op == Op::Mul || inst->op == Op::Shl) && varying == 1) ||
                       (inst->op == Op::Cast && ir::is_int(f_.type_of(inst->operands[0]).scalar));
    return steps ? place : std::max(place, Place::Smooth);
  }

  const ir::Module& m_;
  const ir::Function& f_;
  const Shape& shape_;
  const std::vector<passes::LaneStep> steps_;
  const std::vector<std::uint32_t> uses_;  // by ValueId
  const ir::ValueId range_;                // index of the loop that lanes share out
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
