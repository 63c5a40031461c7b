// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many vectors a gang has. Two keep a core busy where each waits for memory or for a chain of
// operations now and then. A loop whose trips wait for each other, as the sum of a dot product
// does, wants as many as a trip's chain has cycles for: the parts' chains run side by side, and
// what all parts need, as an element of the other matrix's row, is loaded once. A long body keeps a
// core busy alone.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "codegen/cpu/plan/shape.h"
#include "ir/latency.h"
#include "ir/walk.h"
#include "ir/weight.h"
#include "passes/analysis/lane_steps.h"
#include "support/tuning/cpu.h"

namespace krait::codegen::cpu {
namespace {

using ir::Op;
using Kind = passes::LaneStep::Kind;

/// Whether a value takes a register in each part: neither equal in the gang nor a row of numbers.
bool takes_register(const ir::Function& f, const std::vector<passes::LaneStep>& steps,
                    ir::ValueId v) {
  if (!f.type_of(v).is_value() || f.is_const(v)) return false;
  const Kind k = steps[v].kind;
  return k != Kind::Same && !(k == Kind::Step && ir::is_int(f.type_of(v).scalar));
}

class Loops {
 public:
  Loops(const ir::Module& m, const Shape& shape)
      : f_(m.kernel()), shape_(shape), steps_(std::move(passes::find_lane_steps(m).front())) {}
  unsigned parts() {
    walk(f_.body, 0);
    return wanted_ == 0 ? tuning::cpu::usual_parts : wanted_;
  }

 private:
  /// The most that every loop of the deepest level can use.
  void walk(ir::RegionId r, unsigned depth) {
    for (const ir::InstId i : f_.regions[r].insts) {
      const ir::Inst& inst = f_.insts[i];
      const bool loop = ir::is_loop(inst.op);
      if (loop && depth + 1 >= deepest_) {
        if (depth + 1 > deepest_) wanted_ = 0, deepest_ = depth + 1;
        const unsigned parts = of(inst);
        if (parts != 0) wanted_ = wanted_ == 0 ? parts : std::min(wanted_, parts);
      }
      for (const ir::RegionId inner : inst.regions) walk(inner, depth + loop);
    }
  }

  bool is_vector(ir::ValueId v) const { return takes_register(f_, steps_, v); }
  /// A row, or one address for all.
  bool is_row(const ir::Inst& inst) const {
    const passes::LaneStep& s = steps_[inst.operands[1]];
    return inst.imm == 0 && (s.kind == Kind::Same || (s.kind == Kind::Step && s.step == 1));
  }

  /// Of a loop of other kinds: more than usual where its trips wait for what lies where data say,
  /// in arrays that no cache need hold.
  unsigned parts_that_load(const ir::Inst& loop) const {
    bool waits = false, alone = true;
    ir::for_each_inst(f_, loop.regions[0], [&](ir::InstId i, ir::RegionId) {
      const ir::Inst& inst = f_.insts[i];
      alone = alone && ir::info(inst.op).effect != ir::Effect::Atomic && inst.op != Op::Call &&
              inst.op != Op::Barrier;
      waits = waits || (inst.op == Op::Load && steps_[inst.operands[1]].kind == Kind::Data &&
                        f_.type_of(inst.operands[0]).space != ir::Space::Local &&
                        f_.type_of(inst.operands[0]).space != ir::Space::Shared);
    });
    unsigned registers = 0;
    for (const ir::ValueId v : loop.results) registers += is_vector(v);
    return waits && alone && registers <= tuning::cpu::carried_while_waiting
               ? std::min(tuning::cpu::parts_that_wait, tuning::cpu::largest_gang / shape_.lanes)
               : tuning::cpu::usual_parts;
  }
  /// How far from a loop's trip an index lies; none where it is something else.
  std::optional<std::int64_t> from_trip(const ir::Inst& loop, ir::ValueId index) const {
    std::int64_t far = 0;
    for (const ir::Inst* d = f_.def(index); d; d = f_.def(index)) {
      const bool adds = d->op == Op::Add && f_.is_const(d->operands[1]);
      if (!adds && d->op != Op::Cast) return {};
      if (adds) far += std::int32_t(f_.const_bits(d->operands[1]));
      index = d->operands[0];
    }
    return index == f_.regions[loop.regions[0]].params[0] ? std::optional(far) : std::nullopt;
  }
  /// Arrays of the thread's own of which a trip loads what one before has stored: it waits for
  /// that as for what the loop carries.
  std::set<ir::ValueId> chains_in_memory(const ir::Inst& loop) const {
    std::set<ir::ValueId> chains;
    std::map<ir::ValueId, std::int64_t> least;  // of loads
    for (const Op op : {Op::Load, Op::Store})
      for (const ir::InstId i : f_.regions[loop.regions[0]].insts) {
        const ir::Inst& inst = f_.insts[i];
        if (inst.op != op || f_.type_of(inst.operands[0]).space != ir::Space::Local) continue;
        const auto far = from_trip(loop, inst.operands[1]);
        if (!far) continue;
        const auto [first, fresh] = least.emplace(inst.operands[0], *far);
        if (op == Op::Load) first->second = std::min(first->second, *far);
        else if (!fresh && first->second < *far) chains.insert(inst.operands[0]);
      }
    return chains;
  }

  /// Of one loop: as many as the chain from trip to trip leaves room for; 0 where no trip waits for
  /// another, and any number does.
  unsigned of(const ir::Inst& loop) const {
    if (loop.op != Op::For || steps_[loop.operands[0]].kind != Kind::Same)
      return parts_that_load(loop);  // some lanes would wait for others
    const ir::RegionId body = loop.regions[0];
    const auto& params = f_.regions[body].params;
    // cycles from the trip's begin, of what depends on the trip before
    std::vector<int> since(f_.values.size(), -1);
    unsigned registers = 0;
    for (std::size_t k = 1; k < params.size(); ++k)
      since[params[k]] = 0, registers += is_vector(params[k]);
    const std::set<ir::ValueId> own = chains_in_memory(loop);
    double work = 0;
    int chain = 0;
    bool meets = false;  // the block's threads, so that its gangs make a trip one after the other
    for (const ir::InstId i : f_.regions[body].insts) {
      const ir::Inst& inst = f_.insts[i];
      if (inst.op == Op::Barrier) {
        meets = true;
        continue;
      }
      if (!inst.regions.empty() || inst.op == Op::Break || inst.op == Op::Call)
        return parts_that_load(loop);
      const bool access = inst.op == Op::Load || inst.op == Op::Store;
      if (access ? !is_row(inst)
                 : ir::info(inst.op).effect != ir::Effect::Pure && !ir::is_terminator(inst.op))
        return parts_that_load(loop);
      int at = inst.op == Op::Load && own.contains(inst.operands[0]) ? 0 : -1;
      for (const ir::ValueId v : inst.operands) at = std::max(at, since[v]);
      if (inst.op == Op::Store && own.contains(inst.operands[0])) chain = std::max(chain, at);
      for (const ir::ValueId v : inst.results)
        if (at >= 0) since[v] = at + int(ir::latency(inst));
      const bool each = access ? inst.op == Op::Store || is_vector(inst.results[0])
                               : !inst.results.empty() && is_vector(inst.results[0]);
      if (each) work += inst.op == Op::Div || inst.op == Op::Sqrt || ir::is_math(inst.op) ? 8 : 1;
    }
    const ir::Inst& next = ir::terminator(f_, body);
    for (const ir::ValueId v : next.operands) chain = std::max(chain, since[v]);
    if (work == 0 || chain == 0) return 0;
    const auto wanted =
        std::bit_ceil(unsigned(std::ceil(std::max(chain * tuning::cpu::ports / work, 1.0))));
    const unsigned held = shape_.machine.level == CpuLevel::Avx512 ? 32 : 16;
    const unsigned room =
        std::bit_floor(std::max((held - tuning::cpu::shared_registers) / (registers + 1), 1u));
    // what the parts share, and what goes through memory from trip to trip, is the less often
    // needed
    if (meets)
      return std::clamp(std::min(tuning::cpu::largest_gang_at_barriers / shape_.lanes, room),
                        tuning::cpu::usual_parts, tuning::cpu::most_parts);
    return std::clamp(std::min(wanted, room), tuning::cpu::usual_parts,
                      std::max(tuning::cpu::largest_gang / shape_.lanes, tuning::cpu::usual_parts));
  }

  const ir::Function& f_;
  const Shape& shape_;
  const std::vector<passes::LaneStep> steps_;
  unsigned deepest_ = 0, wanted_ = 0;
};

}  // namespace

unsigned most_carried(const ir::Module& module) {
  const ir::Function& f = module.kernel();
  const std::vector<passes::LaneStep> steps = std::move(passes::find_lane_steps(module).front());
  unsigned most = 0;
  ir::for_each_inst(f, [&](ir::InstId i, ir::RegionId) {
    if (!ir::is_loop(f.insts[i].op)) return;
    unsigned carried = 0;
    for (const ir::ValueId v : f.insts[i].results)
      if (takes_register(f, steps, v)) carried += ir::size_of(f.type_of(v).scalar) == 8 ? 2 : 1;
    most = std::max(most, carried);
  });
  return most;
}

unsigned choose_parts(const ir::Module& module, const Traits& traits, const Shape& shape,
                      bool in_blocks) {
  if (!in_blocks && (shape.machine.quick || (traits.cost >= tuning::cpu::costly_body &&
                                             traits.chain <= tuning::cpu::short_chain)))
    return 1;
  const bool loops =
      ir::any_inst(module.kernel(), [](const ir::Inst& i) { return i.op == Op::For; });
  return loops ? Loops(module, shape).parts() : tuning::cpu::usual_parts;
}

}  // namespace krait::codegen::cpu
