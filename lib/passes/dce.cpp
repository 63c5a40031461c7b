// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dead code by marking from effects: what writes memory that somebody reads, synchronises, reports, or ends the thread. Joins are marked
// value by value, so a loop loses what it carries for nobody. A loop that does nothing is removed even where it might not end.
#include "ir/calls.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

class Sweeper {
 public:
  Sweeper(Function& f, const Calls& calls)
      : f_(f),
        calls_(calls),
        b_(f),
        exits_(f),
        owner_(f.insts.size(), none),
        live_(f.insts.size()),
        used_(f.values.size()),
        writers_(f.values.size()),
        index_(f.values.size()) {}

  void run() {
    for_each_inst(f_, [&](InstId i, RegionId r) { owner_[i] = f_.regions[r].parent; });
    find_roots(f_.body);
    while (!work_.empty()) {
      const ValueId v = work_.back();
      work_.pop_back();
      follow(v);
    }
    sweep(f_.body);
  }

 private:
  /// Memory that only this kernel's own loads can see.
  bool is_private(ValueId v) const {
    const Space space = f_.type_of(v).space;
    return space == Space::Slot || space == Space::Local || space == Space::Shared;
  }

  void find_roots(RegionId r) {
    for (const InstId i : f_.regions[r].insts) {
      const Inst& inst = f_.insts[i];
      for (std::size_t k = 0; k < inst.results.size(); ++k) index_[inst.results[k]] = std::uint32_t(k);
      const Effect effect = calls_.effect(inst);
      const bool writes = effect == Effect::Write || inst.op == Op::Set;
      if (writes && is_private(inst.operands[0])) writers_[inst.operands[0]].push_back(i);
      else if (writes || effect == Effect::Atomic || effect == Effect::Sync || effect == Effect::Report || inst.op == Op::Return)
        mark(i);
      if (inst.op == Op::Yield && r == f_.body) use_all(inst);
      for (const RegionId inner : inst.regions) {
        const std::vector<ValueId>& params = f_.regions[inner].params;
        for (std::size_t k = loop_lead(inst.op); k < params.size(); ++k)
          index_[params[k]] = std::uint32_t(k - loop_lead(inst.op));
        find_roots(inner);
      }
    }
  }

  void use(ValueId v) {
    if (used_[v]) return;
    used_[v] = true;
    work_.push_back(v);
  }
  void use_all(const Inst& inst) {
    for (const ValueId v : inst.operands) use(v);
  }

  /// The instruction stays, and with it what decides whether it is reached.
  void mark(InstId i) {
    for (; i != none && !live_[i]; i = owner_[i]) {
      live_[i] = true;
      const Inst& inst = f_.insts[i];
      if (is_loop(inst.op)) {
        if (loop_lead(inst.op)) use(inst.operands[0]);
        for (const InstId exit : exits_.breaks[i]) mark_owner(exit);
        for (const InstId exit : exits_.continues[i]) mark_owner(exit);
      } else if (!inst.regions.empty()) {
        use(inst.operands[0]);
      } else if (!is_terminator(inst.op)) {
        use_all(inst);
      }
    }
  }
  void mark_owner(InstId exit) {
    live_[exit] = true;
    if (owner_[exit] != none) mark(owner_[exit]);
  }

  void follow(ValueId v) {
    const Value& value = f_.values[v];
    if (value.def == none) {
      const InstId owner = f_.regions[value.region].parent;
      if (owner != none) follow_param(v, owner);
      return;
    }
    mark(value.def);
    for (const InstId writer : writers_[v]) mark(writer);
    const Inst& inst = f_.insts[value.def];
    if (inst.regions.empty()) return;
    const std::uint32_t k = index_[v];
    if (is_loop(inst.op)) {
      for (const InstId exit : exits_.breaks[value.def]) use(f_.insts[exit].operands[k]);
      if (inst.op != Op::Loop) use_carried(value.def, k);
    } else {
      for (const RegionId r : inst.regions)
        if (terminator(f_, r).op == Op::Yield) use(terminator(f_, r).operands[k]);
    }
  }
  void follow_param(ValueId v, InstId loop) {
    mark(loop);
    const Inst& inst = f_.insts[loop];
    const bool counter = loop_lead(inst.op) && f_.regions[inst.regions[0]].params[0] == v;
    if (!counter) use_carried(loop, index_[v]);
  }
  void use_carried(InstId loop, std::size_t k) {
    use(f_.insts[loop].operands[loop_lead(f_.insts[loop].op) + k]);
    for (const InstId exit : exits_.continues[loop]) use(f_.insts[exit].operands[k]);
  }

  void sweep(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      if (!live_[i] && !is_terminator(f_.insts[i].op)) continue;
      b_.at(r);
      if (is_loop(f_.insts[i].op)) shrink_loop(i);
      else if (!f_.insts[i].regions.empty()) shrink_branch(i);
      f_.regions[r].insts.push_back(i);
      const std::vector<RegionId> inner = f_.insts[i].regions;
      for (const RegionId region : inner) sweep(region);
    }
  }

  static void filter(std::vector<ValueId>& list, unsigned lead, const std::vector<bool>& keep) {
    std::size_t out = lead;
    for (std::size_t k = 0; k < keep.size(); ++k)
      if (keep[k]) list[out++] = list[lead + k];
    list.resize(out);
  }
  void set_type(InstId i) {
    Inst& inst = f_.insts[i];
    inst.type = inst.results.empty() ? Type{} : f_.type_of(inst.results[0]);
  }

  void shrink_branch(InstId i) {
    Inst& inst = f_.insts[i];
    std::vector<bool> keep;
    for (const ValueId v : inst.results) keep.push_back(used_[v]);
    for (const RegionId r : inst.regions)
      if (terminator(f_, r).op == Op::Yield) filter(terminator(f_, r).operands, 0, keep);
    filter(inst.results, 0, keep);
    set_type(i);
  }

  /// A value that is carried but not read afterwards leaves as it is; one that is only read afterwards is not carried anew.
  void shrink_loop(InstId i) {
    const unsigned lead = loop_lead(f_.insts[i].op);
    const RegionId body = f_.insts[i].regions[0];
    std::vector<bool> keep;
    for (std::size_t k = 0; k < f_.insts[i].results.size(); ++k) {
      const ValueId result = f_.insts[i].results[k], param = f_.regions[body].params[lead + k];
      keep.push_back(used_[result] || used_[param]);
      if (used_[param] && !used_[result])
        for (const InstId exit : exits_.breaks[i]) f_.insts[exit].operands[k] = param;
      if (used_[result] && !used_[param] && f_.insts[i].op == Op::Loop) {
        const ValueId zero = b_.constant(f_.type_of(result).scalar, 0);
        f_.insts[i].operands[k] = zero;
        for (const InstId exit : exits_.continues[i]) f_.insts[exit].operands[k] = param;
      }
    }
    for (const InstId exit : exits_.breaks[i]) filter(f_.insts[exit].operands, 0, keep);
    for (const InstId exit : exits_.continues[i]) filter(f_.insts[exit].operands, 0, keep);
    filter(f_.insts[i].operands, lead, keep);
    filter(f_.regions[body].params, lead, keep);
    filter(f_.insts[i].results, 0, keep);
    set_type(i);
  }

  Function& f_;
  const Calls& calls_;
  Builder b_;
  LoopExits exits_;
  std::vector<InstId> owner_;                 // the instruction whose region holds it
  std::vector<bool> live_, used_;             // instructions, values
  std::vector<std::vector<InstId>> writers_;  // by value of a private array or slot
  std::vector<std::uint32_t> index_;          // by value: which result, or which carried parameter
  std::vector<ValueId> work_;
};

}  // namespace

void dce(Module& m) {
  const Calls calls(m);
  for (Function& f : m.functions) {
    simplify_joins(f);
    Sweeper(f, calls).run();
  }
}

}  // namespace krait::passes
