// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many vectors a gang has. Two keep a core busy where each waits for memory or for a chain of operations now and then. A loop whose
// trips wait for each other, as the sum of a dot product does, wants as many as a trip's chain has cycles for: the parts' chains run
// side by side, and what all parts need, as an element of the other matrix's row, is loaded once. A long body keeps a core busy alone.
#include <algorithm>
#include <bit>

#include "codegen/cpu/shape.h"
#include "ir/latency.h"
#include "ir/walk.h"
#include "passes/lane_steps.h"
#include "support/tuning_cpu.h"

namespace krait::codegen::cpu {
namespace {

using ir::Op;
using Kind = passes::LaneStep::Kind;

class Loops {
 public:
  Loops(const ir::Module& m, const Shape& shape)
      : f_(m.kernel()), shape_(shape), steps_(std::move(passes::find_lane_steps(m).front())) {}
  unsigned parts() {
    walk(f_.body, 0);
    return wanted_;
  }

 private:
  /// The most that every loop of the deepest level can use.
  void walk(ir::RegionId r, unsigned depth) {
    for (const ir::InstId i : f_.regions[r].insts) {
      const ir::Inst& inst = f_.insts[i];
      const bool loop = ir::is_loop(inst.op);
      if (loop && depth + 1 >= deepest_) {
        const unsigned parts = of(inst);
        wanted_ = depth + 1 > deepest_ ? parts : std::min(wanted_, parts);
        deepest_ = depth + 1;
      }
      for (const ir::RegionId inner : inst.regions) walk(inner, depth + loop);
    }
  }

  /// Whether a value takes a register in each part: neither equal in the gang nor a row of numbers.
  bool is_vector(ir::ValueId v) const {
    if (!f_.type_of(v).is_value() || f_.is_const(v)) return false;
    const Kind k = steps_[v].kind;
    return k != Kind::Same && !(k == Kind::Step && ir::is_int(f_.type_of(v).scalar));
  }
  /// A row, or one address for all.
  bool is_row(const ir::Inst& inst) const {
    const passes::LaneStep& s = steps_[inst.operands[1]];
    return inst.imm == 0 && (s.kind == Kind::Same || (s.kind == Kind::Step && s.step == 1));
  }

  /// Of one loop: as many as the chain from trip to trip leaves room for.
  unsigned of(const ir::Inst& loop) const {
    if (loop.op != Op::For || steps_[loop.operands[0]].kind != Kind::Same)
      return tuning::cpu::usual_parts;  // some lanes would wait for others
    const ir::RegionId body = loop.regions[0];
    const auto& params = f_.regions[body].params;
    std::vector<int> since(f_.values.size(), -1);  // cycles from the trip's begin, of what depends on the trip before
    unsigned registers = 0;
    for (std::size_t k = 1; k < params.size(); ++k) since[params[k]] = 0, registers += is_vector(params[k]);
    double work = 0;
    for (const ir::InstId i : f_.regions[body].insts) {
      const ir::Inst& inst = f_.insts[i];
      if (!inst.regions.empty() || inst.op == Op::Break || inst.op == Op::Call) return tuning::cpu::usual_parts;
      const bool access = inst.op == Op::Load || inst.op == Op::Store;
      if (access ? !is_row(inst) : ir::info(inst.op).effect != ir::Effect::Pure && !ir::is_terminator(inst.op))
        return tuning::cpu::usual_parts;
      int at = -1;
      for (const ir::ValueId v : inst.operands) at = std::max(at, since[v]);
      for (const ir::ValueId v : inst.results)
        if (at >= 0) since[v] = at + int(ir::latency(inst));
      const bool each =
          access ? inst.op == Op::Store || is_vector(inst.results[0]) : !inst.results.empty() && is_vector(inst.results[0]);
      if (each) work += inst.op == Op::Div || inst.op == Op::Sqrt || ir::is_math(inst.op) ? 8 : 1;
    }
    const ir::Inst& next = ir::terminator(f_, body);
    int chain = 0;
    for (const ir::ValueId v : next.operands) chain = std::max(chain, since[v]);
    if (work == 0 || chain == 0) return tuning::cpu::usual_parts;
    const auto wanted = std::bit_ceil(unsigned(std::max(chain * tuning::cpu::ports / work, 1.0)));
    const unsigned held = shape_.machine.level == CpuLevel::Avx512 ? 32 : 16;
    const unsigned room = std::bit_floor(std::max((held - tuning::cpu::shared_registers) / (registers + 1), 1u));
    return std::clamp(std::min(wanted, room), tuning::cpu::usual_parts,
                      std::max(tuning::cpu::largest_gang / shape_.lanes, tuning::cpu::usual_parts));
  }

  const ir::Function& f_;
  const Shape& shape_;
  const std::vector<passes::LaneStep> steps_;
  unsigned deepest_ = 0, wanted_ = tuning::cpu::usual_parts;
};

/// Whether updates of places that data choose are most of what the kernel does.
bool updates_by_data(const ir::Module& m) {
  const ir::Function& f = m.kernel();
  const auto steps = std::move(passes::find_lane_steps(m).front());
  unsigned updates = 0, others = 0;
  bool light = true;
  ir::for_each_inst(f, [&](ir::InstId i, ir::RegionId) {
    const ir::Inst& inst = f.insts[i];
    const ir::OpInfo& row = ir::info(inst.op);
    if (row.effect == ir::Effect::Atomic) {
      updates += steps[inst.operands[1]].kind == Kind::Data;
    } else if (inst.op == Op::If) {
      light = light && steps[inst.operands[0]].kind != Kind::Data;
    } else if (inst.op == Op::For || inst.op == Op::Loop || inst.op == Op::Switch || inst.op == Op::Call ||
               inst.op == Op::LoadVec || row.family == ir::Family::Math) {
      light = false;
    } else if (row.effect == ir::Effect::Pure && !inst.results.empty() && !f.is_const(inst.results[0]) && inst.op != Op::Cast) {
      const Kind k = steps[inst.results[0]].kind;
      others += k != Kind::Same && k != Kind::Step;
    }
  });
  return updates > 0 && light && others <= tuning::cpu::operations_by_lane * updates;
}

/// Whether all innermost loops are of as many trips as data say, thread by thread, and access places that data choose more often than
/// they compute: sparse rows, neighbours in a graph. Lanes would wait for the longest row, and their elements be taken together one by one.
class DataLoops {
 public:
  explicit DataLoops(const ir::Module& m) : f_(m.kernel()), steps_(std::move(passes::find_lane_steps(m).front())) {}
  bool all() {
    ir::for_each_inst(f_, [&](ir::InstId i, ir::RegionId) {
      const ir::Inst& inst = f_.insts[i];
      if (!ir::is_loop(inst.op) || has_loop(inst.regions[0])) return;
      ++loops_;
      accesses_ = operations_ = 0;
      if (inst.op != Op::For || kind(inst.operands[0]) != Kind::Data || !count(inst.regions[0]) || operations_ > accesses_)
        others_ = true;
    });
    return loops_ > 0 && !others_;
  }

 private:
  Kind kind(ir::ValueId v) const { return steps_[v].kind; }
  bool has_loop(ir::RegionId r) const {
    for (const ir::InstId i : f_.regions[r].insts) {
      if (ir::is_loop(f_.insts[i].op)) return true;
      for (const ir::RegionId inner : f_.insts[i].regions)
        if (has_loop(inner)) return true;
    }
    return false;
  }
  /// False where there is more than accesses and arithmetic.
  bool count(ir::RegionId r) {
    for (const ir::InstId i : f_.regions[r].insts) {
      const ir::Inst& inst = f_.insts[i];
      const ir::OpInfo& row = ir::info(inst.op);
      if (inst.op == Op::Call || row.family == ir::Family::Math) return false;
      const bool load = row.effect == ir::Effect::Read, store = row.effect == ir::Effect::Write;
      if (load || store)
        accesses_ += kind(inst.operands[1]) == Kind::Data ? unsigned(load ? inst.results.size() : inst.operands.size() - 2) : 0;
      else if (row.effect == ir::Effect::Pure && inst.op != Op::Cast && !inst.results.empty() && !f_.is_const(inst.results[0])) {
        const Kind k = kind(inst.results[0]);
        operations_ += k != Kind::Same && k != Kind::Step;
      } else if (row.effect != ir::Effect::Pure && !ir::is_terminator(inst.op)) {
        return false;
      }
    }
    return true;
  }

  const ir::Function& f_;
  const std::vector<passes::LaneStep> steps_;
  unsigned loops_ = 0, accesses_ = 0, operations_ = 0;
  bool others_ = false;
};

}  // namespace

void choose_scalar(const ir::Module& module, const Traits& traits, Shape& shape, bool in_blocks) {
  const bool gathers = shape.machine.level == CpuLevel::Avx512 && !shape.machine.tune.starts_with("znver");
  if (!in_blocks && shape.parts == 0 && !gathers && !traits.atomics && !traits.strides && DataLoops(module).all()) {
    shape.lanes = shape.parts = 1;
    return;
  }
  if (in_blocks || shape.parts != 0 || !traits.atomics || !updates_by_data(module)) return;
  shape.lanes = 1, shape.parts = tuning::cpu::scalars;
}

unsigned choose_parts(const ir::Module& module, const Traits& traits, const Shape& shape, bool in_blocks) {
  if (!in_blocks &&
      (shape.machine.quick || (traits.cost >= tuning::cpu::costly_body && traits.chain <= tuning::cpu::short_chain)))
    return 1;
  const bool loops = ir::any_inst(module.kernel(), [](const ir::Inst& i) { return i.op == Op::For; });
  return loops ? Loops(module, shape).parts() : tuning::cpu::usual_parts;
}

}  // namespace krait::codegen::cpu
