// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/plan/gang_cost.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "codegen/cpu/plan/divergence.h"
#include "ir/latency.h"
#include "ir/walk.h"
#include "ir/weight.h"
#include "passes/analysis/lane_steps.h"
#include "passes/rewrite.h"
#include "support/tuning/gangs.h"

namespace krait::codegen::cpu {
namespace {

using ir::Op;
using Kind = passes::LaneStep::Kind;
namespace costs = krait::tuning::gangs;

/// Cycles from a trip's begin until what it passes to the next one is there, of what the loop
/// carries.
double carried_chain(const ir::Function& f, const ir::Inst& loop) {
  const ir::RegionId body = loop.regions[0];
  std::map<ir::ValueId, double> since;
  const auto& params = f.regions[body].params;
  for (std::size_t k = passes::loop_lead(loop.op); k < params.size(); ++k) since[params[k]] = 0;
  const auto latest = [&](const ir::Inst& inst) {
    double at = -1;
    for (const ir::ValueId v : inst.operands)
      if (const auto found = since.find(v); found != since.end()) at = std::max(at, found->second);
    return at;
  };
  double chain = 0;
  const auto walk = [&](auto&& self, ir::RegionId r) -> void {
    for (const ir::InstId i : f.regions[r].insts) {
      const ir::Inst& inst = f.insts[i];
      if (inst.op == Op::Continue) chain = std::max(chain, latest(inst));
      if (ir::is_loop(inst.op)) continue;  // counts itself
      for (const ir::RegionId side : inst.regions) {
        self(self, side);
        const ir::Inst& last = ir::terminator(f, side);
        for (std::size_t k = 0; last.op == Op::Yield && k < inst.results.size(); ++k)
          if (const auto found = since.find(last.operands[k]); found != since.end())
            since[inst.results[k]] = std::max(since[inst.results[k]], found->second + 1);
      }
      const double at = latest(inst);
      for (const ir::ValueId v : inst.results)
        if (at >= 0 && inst.regions.empty()) since[v] = at + ir::latency(inst);
    }
  };
  walk(walk, body);
  return chain;
}

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
    ir::for_each_inst(f_, [&](ir::InstId i, ir::RegionId) {
      const ir::Inst& inst = f_.insts[i];
      if (!ir::is_loop(inst.op)) return;
      const auto& params = f_.regions[inst.regions[0]].params;
      for (std::size_t k = passes::loop_lead(inst.op); k < params.size(); ++k)
        begins_[params[k]] = inst.operands[k];
    });
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

  /// Trips of the lane that makes most count once: where it runs on alone, lanes that differ in the
  /// trips of loops inside are few.
  void loop(ir::InstId i, const ir::Inst& inst, double gangs, double threads) {
    const bool known = inst.op == Op::For && f_.is_const(inst.operands[0]);
    const double trips = known ? double(f_.const_bits(inst.operands[0])) : ir::usual_trips;
    const bool by_data = inst.op == Op::Loop || place_of(inst.operands[0]) == Place::Data;
    double of_gang = trips;
    if (d_.masked[i]) {
      sum_.diverges = sum_.diverges || by_data;
      if (!apart_) of_gang *= costs::longest_lane;
      const double masks = shape_.parts * costs::mask_operations / costs::vector_ports;
      const double missed = !by_data                           ? costs::missed_branch
                            : waits_for_loads(inst.regions[0]) ? costs::waited_exit
                                                               : costs::missed_exit;
      add(masks, gangs * of_gang, missed, threads);
      for (const ir::ValueId v : inst.results)
        if (d_.varying(v))
          add(registers(f_.type_of(v).scalar) / costs::vector_ports, gangs * of_gang, 0, 0);
    }
    add_scalar(2 / costs::scalar_ports, gangs * of_gang, threads * trips);
    const GangCost before = sum_;
    masks_ += d_.masked[i];
    const bool around = std::exchange(apart_, apart_ || d_.masked[i]);
    region(inst.regions[0], gangs * of_gang, threads * trips);
    apart_ = around, masks_ -= d_.masked[i];
    // A trip takes no less than what the next one waits for, unless the core looks past the loop's
    // end, to the threads that come next.
    const double chain = carried_chain(f_, inst);
    const auto waits = [&](double now, double begin, double times, double made) {
      const double loop = times > 0 ? (now - begin) / times : 0;
      const double behind = by_data ? 1 : std::min(loop * costs::scalar_ports / costs::window, 1.0);
      return std::max(now, begin + chain * behind * times * made);
    };
    sum_.lane = waits(sum_.lane, before.lane, gangs, of_gang);
    sum_.scalar = waits(sum_.scalar, before.scalar, threads, trips);
  }

  void branch(const ir::Inst& inst, double gangs, double threads) {
    const bool varies = d_.varying(inst.operands[0]),
               by_data = varies && place_of(inst.operands[0]) == Place::Data;
    sum_.diverges = sum_.diverges || by_data;
    const double tests = shape_.parts * costs::mask_operations / costs::vector_ports;
    if (inst.op == Op::If)
      if (const int rare = rare_side(inst); rare >= 0) {
        const double seldom = costs::rare_branch;
        add(varies ? tests : 1, gangs, 1 / costs::scalar_ports, threads);
        region(inst.regions[std::size_t(1 - rare)], gangs, threads);
        return region(inst.regions[std::size_t(rare)],
                      gangs * std::min(seldom * shape_.gang(), 1.0), threads * seldom);
      }
    // A guard against the border lets nearly all threads pass. Of other conditions on places most
    // gangs are on one side.
    const bool guard = !by_data && inst.op == Op::If && is_alone(inst);
    const double share = guard ? 1 : 1.0 / double(inst.regions.size());
    if (!varies) add_scalar(1 / costs::scalar_ports, gangs, threads);
    else if (!by_data) add(tests, gangs, 1 / costs::scalar_ports, threads);
    else if (waits_for_far(inst.operands[0])) add(tests, gangs, costs::waited_branch, threads);
    else add(tests, gangs, costs::missed_branch * share, threads);
    masks_ += by_data;
    for (const ir::RegionId r : inst.regions)
      region(r, by_data ? gangs : gangs * share, threads * share);
    masks_ -= by_data;
  }

  /// Whether v waits for a load from a place that was loaded.
  bool waits_for_far(ir::ValueId v) const {
    return loads_before(v, [this](const ir::Inst& x) { return loads_before(x.operands[1]); });
  }
  /// Whether threads leave a loop by what lies at a place that was loaded.
  bool waits_for_loads(ir::RegionId body) const {
    bool found = false;
    ir::for_each_inst(f_, body, [&](ir::InstId i, ir::RegionId) {
      const ir::Inst& inst = f_.insts[i];
      for (const ir::RegionId r : inst.regions)
        found = found || (ir::terminator(f_, r).op == Op::Break && inst.op == Op::If &&
                          waits_for_far(inst.operands[0]));
    });
    return found;
  }
  /// Whether a load that counts is among what v is computed from; of what loops carry, what they
  /// begin with.
  bool loads_before(ir::ValueId v) const {
    return loads_before(v, [](const ir::Inst&) { return true; });
  }
  template <class Counts>
  bool loads_before(ir::ValueId v, const Counts& counts, unsigned depth = 0) const {
    if (depth == deepest) return false;
    const auto before = [&](ir::ValueId x) { return loads_before(x, counts, depth + 1); };
    const ir::Inst* inst = f_.def(v);
    if (!inst) {
      const auto begin = begins_.find(v);
      return begin != begins_.end() && before(begin->second);
    }
    if (inst->op == Op::Load && counts(*inst)) return true;
    for (const ir::RegionId r : inst->regions)
      if (const ir::Inst& last = ir::terminator(f_, r);
          inst->op == Op::If && last.op == Op::Yield &&
          std::any_of(last.operands.begin(), last.operands.end(), before))
        return true;
    return ir::info(inst->op).effect == ir::Effect::Pure &&
           std::any_of(inst->operands.begin(), inst->operands.end(), before);
  }

  /// Whether one side of an if does all that is done.
  bool is_alone(const ir::Inst& inst) const {
    std::size_t busy = 0;
    for (const ir::RegionId r : inst.regions) busy += f_.regions[r].insts.size() > 1;
    return busy <= 1;
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
    if (row.effect == ir::Effect::Atomic) {  // one after the other, of active lanes, in any case
      const bool used = !inst.results.empty() && uses_[inst.results[0]];
      const double one = used ? costs::locked : costs::updated;
      const Place place = place_of(inst.operands[1]);
      const bool by_lane = place == Place::Data || (place == Place::Smooth && masks_);
      return add(shape_.gang() * (one + by_lane * costs::lane_by_lane), threads, one, threads);
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
    const double ports = ir::is_float(s) ? costs::vector_ports : costs::scalar_ports;
    const double alone = times / ports / pack(inst);
    // what is equal, or a number that steps, is one for the gang
    if (!d_.varying(v) || (steps_[v].kind == Kind::Step && ir::is_int(s)))
      return add(times / ports, gangs, alone, threads);
    add(times * registers(s) / costs::vector_ports, gangs, alone, threads);
  }

  /// Operations of scalar code that LLVM makes one, of integers of a row that was loaded at once,
  /// and of their sum, which takes any order.
  double pack(const ir::Inst& inst) {
    const ir::ValueId v = inst.results[0];
    if (!ir::is_int(f_.type_of(v).scalar)) return 1;
    double together = 1;
    for (const ir::ValueId operand : inst.operands)
      if (const auto found = packed_.find(operand); found != packed_.end())
        together = std::max(together, found->second);
    if (together > 1) packed_[v] = together;
    return together;
  }

  void access(const ir::Inst& inst, double gangs, double threads) {
    const bool stores = ir::info(inst.op).effect == ir::Effect::Write;
    const auto elements = double(stores ? inst.operands.size() - 2 : inst.results.size());
    const double one = 1 / costs::vector_ports;
    const ir::ValueId index = inst.operands[1];
    const double alone = pack_row(inst) ? one : elements * one;
    const bool own = f_.type_of(inst.operands[0]).space == ir::Space::Local;
    if (!d_.varying(index)) {
      const bool row = own || (stores && d_.varying(inst.operands[2]));
      return add(elements * (row ? registers(inst.type.scalar) : 1) * one, gangs, alone, threads);
    }
    const std::int64_t size = ir::size_of(inst.type.scalar),
                       step = std::abs(steps_[index].step) *
                              std::int64_t(f_.type_of(inst.operands[0]).index_bytes());
    const Place place = own ? Place::Data : place_of(index);
    const bool known = place == Place::Linear && steps_[index].kind == Kind::Step;
    if (known && step == size)
      return add(elements * registers(inst.type.scalar) * one, gangs, alone, threads);
    const bool rows = inst.op == Op::LoadVec || inst.op == Op::StoreVec;
    const bool fast = shape_.machine.scatters() && (size >= 4 || !stores);
    const double lane =
        place == Place::Linear && (rows || (known && step <= costs::near_bytes)) ? costs::shuffled
        : fast ? (stores ? costs::scattered_wide : costs::gathered_wide)
        : place == Place::Data
            ? (stores ? costs::scattered : costs::gathered) + (masks_ ? costs::under_mask : 0)
            : costs::stepped;
    add(elements * lane * shape_.gang(), gangs, alone, threads);
  }

  /// Whether a load gives a row of integers at once to scalar code.
  bool pack_row(const ir::Inst& inst) {
    if (inst.op != Op::LoadVec || !ir::is_int(inst.type.scalar) ||
        inst.results.size() < costs::packed_row)
      return false;
    for (const ir::ValueId v : inst.results) packed_[v] = double(inst.results.size());
    return true;
  }

  /// What lanes' places in an array follow from: their numbers, by steps that are the same for all
  /// or otherwise, or what is in memory or differs by then.
  static constexpr unsigned deepest = 12;  // operations from a position to a place
  enum class Place : std::uint8_t { Linear, Smooth, Data };
  Place place_of(ir::ValueId v, unsigned depth = 0) const {
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
  std::map<ir::ValueId, ir::ValueId> begins_;  // of what loops carry
  std::map<ir::ValueId, double> packed_;       // of how many that scalar code computes at once
  GangCost sum_;
  unsigned masks_ = 0;  // around, of conditions by data and of loops
  bool apart_ = false;  // inside a loop that lanes leave at different times
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
