// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A walk over the tree that only raises spans and sets flags, repeated until nothing changes.
#include "codegen/cpu/divergence.h"

#include <algorithm>
#include <bit>

#include "ir/walk.h"

namespace krait::codegen::cpu {
namespace {

using ir::Op;

class Analysis {
 public:
  Analysis(const ir::Function& f, const ir::Calls& calls, const Shape& shape, ir::InstId range_loop,
           const std::vector<Span>& parameters)
      : f_(f), calls_(calls), shape_(shape), range_loop_(range_loop) {
    d_.values.assign(f.values.size(), Span::Block);
    for (auto* flags : {&d_.masked, &d_.kills, &d_.barrier, &d_.returns}) flags->assign(f.insts.size(), false);
    d_.continues.assign(f.insts.size(), 0);
    for (std::size_t p = 0; p < parameters.size(); ++p) d_.values[f.params()[p]] = parameters[p];
    find_written();
  }

  Divergence run() {
    do {
      changed_ = false;
      loops_.assign(1, {});
      std::fill(d_.continues.begin(), d_.continues.end(), 0);
      region(f_.body);
    } while (changed_);
    return std::move(d_);
  }

 private:
  struct Frame {
    ir::InstId inst = ir::none;
    unsigned varying_ifs = 0;                            // around this point, inside the loop
    Span control = Span::Block;                          // of the conditions around this point, inside the loop
    Span exits = Span::Block;                            // of the conditions that its jumps depend on
    bool waits_at_latch = false, waits_at_exit = false;  // lanes that took a masked jump
  };
  struct Way {  // how control leaves a region
    bool yields = false, kills_loop = false, kills_thread = false, barrier = false;
    const ir::Inst* yield = nullptr;
  };

  void raise(ir::ValueId v, Span s) {
    if (shape_.lone) s = std::min(s, Span::Gang);
    if (d_.values[v] < s) d_.values[v] = s, changed_ = true;
  }
  static void raise(Span& to, Span s) { to = std::max(to, s); }
  void flag(std::vector<bool>& flags, ir::InstId i) {
    if (!flags[i]) flags[i] = true, changed_ = true;
  }
  Span of(ir::ValueId v) const { return d_.values[v]; }
  Span of_operands(const ir::Inst& inst) const {
    Span s = Span::Block;
    for (ir::ValueId v : inst.operands) s = std::max(s, of(v));
    return s;
  }

  void find_written() {
    writes_ = ir::any_inst(f_, [&](const ir::Inst& inst) {
      const ir::Effect effect = calls_.effect(inst);
      return effect == ir::Effect::Write || effect == ir::Effect::Atomic;
    });
  }

  Span of_id(const ir::Inst& inst) const {
    unsigned dim = unsigned(inst.imm);
    switch (shape_.layout) {
      case Layout::Grid:
      case Layout::Range: return dim == 0 ? Span::Varying : Span::Gang;
      case Layout::Rows:
        if (!shape_.is_brick()) return dim == 0 ? Span::Varying : Span::Gang;
        return (dim == 0 ? shape_.width() : dim == 1 ? shape_.rows : shape_.layers) > 1 ? Span::Varying : Span::Gang;
      case Layout::PartRows:
      case Layout::Linear: return Span::Varying;
    }
    return Span::Varying;
  }

  Span of_load(const ir::Inst& inst) const {
    const ir::Type& array = f_.type_of(inst.operands[0]);
    Span s = Span::Block;
    for (std::size_t i = 1; i < inst.operands.size(); ++i) s = std::max(s, of(inst.operands[i]));
    if (array.space == ir::Space::Local) return Span::Varying;
    bool constant = !writes_ || array.space == ir::Space::Argument ||
                    (array.space == ir::Space::Global && !array.writable && f_.facts.disjoint);
    return constant ? s : std::max(s, Span::Gang);
  }

  Span result_span(const ir::Inst& inst) const {
    const ir::OpInfo& row = ir::info(inst.op);
    if (inst.op == Op::Shuffle) return of(inst.operands[1]) == Span::Varying ? Span::Varying : Span::Gang;
    switch (row.effect) {
      case ir::Effect::Read: return of_load(inst);
      case ir::Effect::Atomic: return Span::Varying;
      case ir::Effect::Sync:
      case ir::Effect::Cross:
        return row.level == ir::Level::Varying ? Span::Varying : row.level == ir::Level::Warp ? Span::Gang : Span::Block;
      default: break;
    }
    if (shape_.layout == Layout::Rows)  // whose gangs begin at multiples of their size
      if (const auto part = row_part_of(f_, inst); part && part->high && 1u << part->bits >= shape_.width()) return Span::Gang;
    if (inst.op == Op::Call) return calls_.is_pure(inst) ? of_operands(inst) : Span::Varying;
    switch (inst.op) {
      case Op::ThreadIdx:
      case Op::GlobalId: return of_id(inst);
      case Op::LaneId: return Span::Varying;
      default: return of_operands(inst);
    }
  }

  bool lanes_wait() const {
    for (const Frame& frame : loops_)
      if (frame.varying_ifs || frame.waits_at_latch || frame.waits_at_exit) return true;
    return false;
  }

  Way jump(ir::InstId id, const ir::Inst& inst) {
    Way way;
    Frame& loop = loops_.back();
    switch (inst.op) {
      case Op::Yield: way.yields = true, way.yield = &inst; break;
      case Op::Break:
      case Op::Continue: {
        bool masked = loop.varying_ifs || loop.waits_at_latch;
        raise(loop.exits, loop.control);
        if (masked) {
          flag(d_.masked, id);
          flag(d_.masked, loop.inst);
          (inst.op == Op::Break ? loop.waits_at_exit : loop.waits_at_latch) = true;
          way.kills_loop = true;
        }
        if (inst.op == Op::Continue) ++d_.continues[loop.inst];
        const ir::Inst& target = f_.insts[loop.inst];
        auto& targets = inst.op == Op::Continue ? f_.regions[target.regions[0]].params : target.results;
        std::size_t skip = inst.op == Op::Continue && f_.insts[loop.inst].op != Op::Loop ? 1 : 0;
        for (std::size_t i = 0; i < inst.operands.size(); ++i) raise(targets[i + skip], of(inst.operands[i]));
        break;
      }
      case Op::Return:
        for (Frame& frame : loops_) {
          raise(frame.exits, frame.control);
          if (frame.inst != ir::none) flag(d_.returns, frame.inst);
        }
        if (lanes_wait()) {
          flag(d_.masked, id);
          way.kills_thread = true;
          for (Frame& frame : loops_)
            if (frame.inst != ir::none) flag(d_.masked, frame.inst);
        }
        break;
      default: break;  // unreachable
    }
    return way;
  }

  Way region(ir::RegionId r) {
    Way way;
    for (ir::InstId id : f_.regions[r].insts) {
      const ir::Inst& inst = f_.insts[id];
      Way w;
      if (ir::is_terminator(inst.op)) {
        w = jump(id, inst);
        way.yields = w.yields, way.yield = w.yield;
      } else if (inst.op == Op::If || inst.op == Op::Switch) {
        w = branch(id, inst);
      } else if (ir::is_loop(inst.op)) {
        w = loop(id, inst);
      } else {
        w.barrier = ir::is_barrier(inst.op);
        Span s = result_span(inst);
        for (ir::ValueId v : inst.results) raise(v, s);
      }
      if (w.barrier) flag(d_.barrier, id);
      if (w.kills_loop || w.kills_thread) flag(d_.kills, id);
      way.kills_loop |= w.kills_loop, way.kills_thread |= w.kills_thread, way.barrier |= w.barrier;
    }
    return way;
  }

  Way branch(ir::InstId, const ir::Inst& inst) {
    Span condition = of(inst.operands[0]);
    Span saved = loops_.back().control;
    loops_.back().control = std::max(saved, condition);
    loops_.back().varying_ifs += condition == Span::Varying;
    Way way;
    unsigned yields = 0;
    for (ir::RegionId r : inst.regions) {
      Way w = region(r);
      if (w.yields) {
        ++yields;
        for (std::size_t i = 0; i < inst.results.size(); ++i) raise(inst.results[i], of(w.yield->operands[i]));
      }
      way.kills_loop |= w.kills_loop, way.kills_thread |= w.kills_thread, way.barrier |= w.barrier;
    }
    if (yields > 1)
      for (ir::ValueId v : inst.results) raise(v, condition);
    loops_.back().varying_ifs -= condition == Span::Varying;
    loops_.back().control = saved;
    return way;
  }

  Way loop(ir::InstId id, const ir::Inst& inst) {
    const auto& params = f_.regions[inst.regions[0]].params;
    std::size_t bounds = inst.op == Op::Loop ? 0 : 1;
    for (std::size_t i = bounds; i < inst.operands.size(); ++i) raise(params[i], of(inst.operands[i]));
    loops_.push_back({.inst = id});
    if (inst.op == Op::GridStride) raise(params[0], Span::Varying);
    if (inst.op == Op::GridStride && id != range_loop_) raise(loops_.back().exits, Span::Varying);
    if (inst.op == Op::For && id != range_loop_) raise(loops_.back().exits, of(inst.operands[0]));
    if (loops_.back().exits == Span::Varying) {
      flag(d_.masked, id);
      loops_.back().waits_at_exit = true;
    }
    Way way = region(inst.regions[0]);
    Frame frame = loops_.back();
    loops_.pop_back();
    if (bounds)  // the carried values are the results when the trips end
      for (std::size_t i = 0; i < inst.results.size(); ++i) raise(inst.results[i], of(params[i + 1]));
    Span exits = frame.waits_at_exit ? Span::Varying : std::min(frame.exits, Span::Gang);
    for (ir::ValueId v : inst.results) raise(v, exits);
    if (d_.continues[id] > 1) {
      Span latch = frame.waits_at_latch ? Span::Varying : std::min(frame.exits, Span::Gang);
      for (std::size_t i = bounds; i < params.size(); ++i) raise(params[i], latch);
    }
    way.kills_loop = false;
    return way;
  }

  const ir::Function& f_;
  const ir::Calls& calls_;
  const Shape& shape_;
  ir::InstId range_loop_;
  Divergence d_;
  std::vector<Frame> loops_;
  bool changed_ = false, writes_ = false;
};

}  // namespace

ir::ValueId place_in_row(const ir::Function& f, ir::ValueId v) {
  const ir::Inst* inst = f.def(v);
  while (inst && inst->op == Op::Cast && ir::is_int(inst->type.scalar) && ir::bits_of(inst->type.scalar) >= 32)
    v = inst->operands[0], inst = f.def(v);
  if (!inst || inst->imm != 0) return ir::none;
  return inst->op == Op::ThreadIdx || (inst->op == Op::GlobalId && f.facts.whole_rows && f.facts.small) ? v : ir::none;
}

std::optional<RowPart> row_part_of(const ir::Function& f, const ir::Inst& inst) {
  const bool rest = inst.op == Op::Rem, quotient = inst.op == Op::Div, shifts = inst.op == Op::Shr;
  if (!rest && !quotient && !shifts && inst.op != Op::And) return {};
  if (!ir::is_int(inst.type.scalar) || !f.is_const(inst.operands[1])) return {};
  const ir::ValueId of = place_in_row(f, inst.operands[0]);
  if (of == ir::none) return {};
  const std::uint64_t c = f.const_bits(inst.operands[1]);
  constexpr std::uint64_t most = 20;
  if (shifts) return c <= most ? std::optional(RowPart{true, unsigned(c), of}) : std::nullopt;
  const std::uint64_t power = inst.op == Op::And ? c + 1 : c;
  if (!std::has_single_bit(power) || power > 1u << most) return {};
  return RowPart{quotient, unsigned(std::countr_zero(power)), of};
}

Divergence find_divergence(const ir::Function& f, const ir::Calls& calls, const Shape& shape, ir::InstId range_loop,
                           const std::vector<Span>& parameters) {
  return Analysis(f, calls, shape, range_loop, parameters).run();
}

}  // namespace krait::codegen::cpu
