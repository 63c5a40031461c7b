// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds over the tree that only raise values, until nothing changes. A function comes after those
// that call it.
#include "passes/analysis/lane_steps.h"

#include <algorithm>

#include "ir/calls.h"
#include "ir/walk.h"

namespace krait::passes {
namespace {

using ir::Op;
using Kind = LaneStep::Kind;

constexpr std::uint64_t warp = 32;

__extension__ using Wide = __int128;
/// Steps are at most so large; others are as good as unknown.
constexpr Wide farthest = Wide(1) << 31;
LaneStep by(Wide step) {
  return step < -farthest || step > farthest ? LaneStep{Kind::Scaled}
         : step                              ? LaneStep{Kind::Step, std::int64_t(step)}
                                             : LaneStep{};
}

/// The higher of two; different steps have none in common.
LaneStep join(LaneStep a, LaneStep b) {
  if (a.kind != b.kind) return a.kind > b.kind ? a : b;
  return a.kind == Kind::Step && a.step != b.step ? LaneStep{Kind::Unknown} : a;
}

class Steps {
 public:
  Steps(const ir::Module& m, std::size_t number, const ir::Calls& calls,
        std::vector<std::vector<LaneStep>>& all)
      : m_(m), f_(m.functions[number]), calls_(calls), all_(all), of_(all[number]) {}

  void run() {
    do {
      changed_ = false;
      region(f_.body);
    } while (changed_);
  }

 private:
  void raise(ir::ValueId v, LaneStep to) { raise_in(of_, v, to); }
  void raise_in(std::vector<LaneStep>& of, ir::ValueId v, LaneStep to) {
    const LaneStep raised = join(of[v], to);
    if (raised == of[v]) return;
    of[v] = raised, changed_ = true;
  }
  LaneStep operand(const ir::Inst& inst, std::size_t k) const { return of_[inst.operands[k]]; }
  LaneStep any(const ir::Inst& inst) const {  // of what nothing is known
    LaneStep s;
    for (const ir::ValueId v : inst.operands) s = join(s, of_[v]);
    return s.kind == Kind::Same || s.kind == Kind::Data ? s : LaneStep{Kind::Unknown};
  }

  void region(ir::RegionId r) {
    for (const ir::InstId id : f_.regions[r].insts) {
      const ir::Inst& inst = f_.insts[id];
      if (ir::is_loop(inst.op)) loop(inst);
      else if (!inst.regions.empty()) branch(inst);
      else if (inst.op == Op::Break || inst.op == Op::Continue) jump(inst);
      else if (!inst.results.empty()) value(inst);
      else if (inst.op == Op::Call) call(inst);
    }
  }
  void branch(const ir::Inst& inst) {
    for (const ir::RegionId r : inst.regions) {
      region(r);
      const ir::Inst& last = ir::terminator(f_, r);
      for (std::size_t k = 0; last.op == Op::Yield && k < inst.results.size(); ++k)
        raise(inst.results[k], of_[last.operands[k]]);
    }
  }
  void loop(const ir::Inst& inst) {
    const auto& params = f_.regions[inst.regions[0]].params;
    const std::size_t lead = inst.op == Op::Loop ? 0 : 1;
    if (inst.op == Op::GridStride) raise(params[0], {Kind::Step, 1});
    for (std::size_t k = lead; k < inst.operands.size(); ++k) raise(params[k], operand(inst, k));
    loops_.push_back(&inst);
    region(inst.regions[0]);
    loops_.pop_back();
    for (std::size_t k = 0; lead && k < inst.results.size(); ++k)
      raise(inst.results[k], of_[params[k + lead]]);
  }
  void jump(const ir::Inst& inst) {
    if (loops_.empty()) return;
    const ir::Inst& loop = *loops_.back();
    const bool ends = inst.op == Op::Break;
    const auto& to = ends ? loop.results : f_.regions[loop.regions[0]].params;
    const std::size_t lead = ends || loop.op == Op::Loop ? 0 : 1;
    for (std::size_t k = 0; k < inst.operands.size(); ++k) raise(to[k + lead], operand(inst, k));
  }
  void call(const ir::Inst& inst) {
    const ir::Function& called = m_.callee(inst);
    for (std::size_t k = 0; k < inst.operands.size(); ++k)
      raise_in(all_[inst.imm], called.params()[k], operand(inst, k));
    const bool same = calls_.is_pure(inst) && any(inst).kind == Kind::Same;
    for (const ir::ValueId v : inst.results) raise(v, same ? LaneStep{} : LaneStep{Kind::Unknown});
  }

  void value(const ir::Inst& inst) {
    if (inst.op == Op::Call) return call(inst);
    const LaneStep s = step_of(inst);
    for (const ir::ValueId v : inst.results) raise(v, s);
  }

  LaneStep step_of(const ir::Inst& inst) const {
    switch (inst.op) {
      case Op::ThreadIdx:
      case Op::GlobalId: {
        const std::uint64_t along = f_.block[0] == 1 && f_.block[1] != 1 ? 1 : 0;
        return inst.imm == along ? LaneStep{Kind::Step, 1} : LaneStep{};
      }
      case Op::LaneId: return {Kind::Step, 1};
      case Op::Load:
      case Op::LoadVec: return loaded(inst);
      case Op::Shuffle:
        return operand(inst, 0).kind == Kind::Same ? LaneStep{} : LaneStep{Kind::Unknown};
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::Div:
      case Op::Rem:
      case Op::Shl:
      case Op::Shr:
      case Op::And:
      case Op::Or:
      case Op::Xor:
      case Op::Min:
      case Op::Max:
      case Op::Neg:
      case Op::Select:
      case Op::Cast:
      case Op::Uniform: return arithmetic(inst);
      default: break;
    }
    switch (ir::info(inst.op).effect) {
      case ir::Effect::Pure: return any(inst);
      case ir::Effect::Cross:
      case ir::Effect::Atomic:
        return ir::info(inst.op).level == ir::Level::Varying ? LaneStep{Kind::Unknown} : LaneStep{};
      default: return {};
    }
  }

  LaneStep loaded(const ir::Inst& inst) const {
    LaneStep s;
    for (std::size_t k = 1; k < inst.operands.size(); ++k) s = join(s, operand(inst, k));
    if (s.kind == Kind::Same && f_.type_of(inst.operands[0]).space != ir::Space::Local) return s;
    // What a block has sorted in its shared arrays often lies side by side.
    return f_.type_of(inst.operands[0]).space == ir::Space::Global ? LaneStep{Kind::Data}
                                                                   : LaneStep{Kind::Unknown};
  }

  const std::uint64_t* constant(ir::ValueId v) const {
    return f_.is_const(v) ? &f_.def(v)->imm : nullptr;
  }
  std::int64_t number(ir::ValueId v) const {
    const ir::Scalar s = f_.type_of(v).scalar;
    const unsigned unused = 64 - ir::bits_of(s);
    return ir::is_signed_int(s) ? std::int64_t(f_.const_bits(v) << unused) >> unused
                                : std::int64_t(f_.const_bits(v));
  }

  LaneStep arithmetic(const ir::Inst& inst) const {
    if (!ir::is_int(inst.type.scalar)) return any(inst);
    const LaneStep x = operand(inst, 0);
    if (inst.op == Op::Cast) return ir::is_int(f_.type_of(inst.operands[0]).scalar) ? x : any(inst);
    if (inst.op == Op::Uniform) return {};
    if (inst.op == Op::Neg) return {x.kind, -x.step};  // far from the ends of 64 bits
    if (inst.op == Op::Select) return join(operand(inst, 1), operand(inst, 2));
    const LaneStep y = operand(inst, 1);
    if (x.kind == Kind::Data || y.kind == Kind::Data) return {Kind::Data};
    if (x.kind == Kind::Unknown || y.kind == Kind::Unknown) return {Kind::Unknown};
    if (x.kind == Kind::Same && y.kind == Kind::Same) return {};
    const LaneStep differs = x.kind == Kind::Same ? y : x;
    const bool one = x.kind == Kind::Same || y.kind == Kind::Same;  // of two
    switch (inst.op) {
      case Op::Add:
      case Op::Sub: {
        if (x.kind == Kind::Scaled || y.kind == Kind::Scaled) return {Kind::Scaled};
        return by(inst.op == Op::Add ? Wide(x.step) + y.step : Wide(x.step) - y.step);
      }
      case Op::Mul: {
        if (!one) return {Kind::Unknown};
        const ir::ValueId factor = inst.operands[x.kind == Kind::Same ? 0 : 1];
        return constant(factor) && differs.kind == Kind::Step
                   ? by(Wide(differs.step) * number(factor))
                   : LaneStep{Kind::Scaled};
      }
      case Op::Shl: {
        const std::uint64_t* places = constant(inst.operands[1]);
        return places && *places < 32 && differs.kind == Kind::Step
                   ? by(Wide(differs.step) * (Wide(1) << *places))
                   : LaneStep{Kind::Scaled};
      }
      // Of neighbours nearly all have the same quotient, and remainders that follow one another.
      case Op::Div:
      case Op::Shr: return one && y.kind == Kind::Same ? LaneStep{} : LaneStep{Kind::Unknown};
      case Op::Rem: return y.kind == Kind::Same ? x : LaneStep{Kind::Unknown};
      case Op::And: {
        const std::uint64_t* mask = constant(inst.operands[x.kind == Kind::Same ? 0 : 1]);
        if (!one || !mask) return {Kind::Unknown};
        return *mask % warp == 0          ? LaneStep{}
               : *mask % warp == warp - 1 ? differs
                                          : LaneStep{Kind::Unknown};
      }
      case Op::Or:
      case Op::Xor:
      case Op::Min:
      case Op::Max: return one ? differs : join(x, y);
      default: return {Kind::Unknown};
    }
  }

  const ir::Module& m_;
  const ir::Function& f_;
  const ir::Calls& calls_;
  std::vector<std::vector<LaneStep>>& all_;
  std::vector<LaneStep>& of_;
  std::vector<const ir::Inst*> loops_;
  bool changed_ = false;
};

}  // namespace

std::vector<std::vector<LaneStep>> find_lane_steps(const ir::Module& module) {
  std::vector<std::vector<LaneStep>> all;
  for (const ir::Function& f : module.functions) all.emplace_back(f.values.size());
  const ir::Calls calls(module);
  for (std::size_t i = 0; i < module.functions.size(); ++i) Steps(module, i, calls, all).run();
  return all;
}

}  // namespace krait::passes
