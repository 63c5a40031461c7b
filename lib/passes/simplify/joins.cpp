// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where control flow joins, a value that is the same on every way in needs no join: a result whose
// yields all give one outer value, a carried value that every `continue` passes on. Inner joins go
// first, so that outer ones see through them.
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

class Simplifier {
 public:
  explicit Simplifier(Function& f)
      : f_(f),
        exits_(f),
        inst_region_(f.insts.size(), none),
        enter_(f.regions.size()),
        leave_(f.regions.size()) {
    number(f.body);
  }
  void run() {
    walk(f_.body);
    same_.apply(f_);
  }

 private:
  void number(RegionId r) {
    enter_[r] = clock_++;
    for (const InstId i : f_.regions[r].insts) {
      inst_region_[i] = r;
      for (const RegionId inner : f_.insts[i].regions) number(inner);
    }
    leave_[r] = clock_++;
  }
  /// True if v can be used where `inst` is: it is defined in a region around it.
  bool visible(ValueId v, InstId inst) const {
    const Value& value = f_.values[v];
    const RegionId home = value.def == none ? value.region : inst_region_[value.def],
                   here = inst_region_[inst];
    return enter_[home] <= enter_[here] && leave_[here] <= leave_[home];
  }

  void walk(RegionId r) {
    for (const InstId i : f_.regions[r].insts) {
      for (const RegionId inner : f_.insts[i].regions) walk(inner);
      if (is_loop(f_.insts[i].op)) loop(i);
      else if (!f_.insts[i].results.empty() && !f_.insts[i].regions.empty()) branch(i);
    }
  }

  void branch(InstId i) {
    const Inst& inst = f_.insts[i];
    std::vector<const Inst*> yields;
    for (const RegionId r : inst.regions)
      if (terminator(f_, r).op == Op::Yield) yields.push_back(&terminator(f_, r));
    if (yields.empty()) return;
    for (std::size_t k = 0; k < inst.results.size(); ++k) {
      const ValueId v = same_(yields[0]->operands[k]);
      bool one = visible(v, i);
      for (const Inst* yield : yields) one = one && same_(yield->operands[k]) == v;
      if (one) same_.replace(inst.results[k], v);
    }
  }

  void loop(InstId i) {
    const Inst& inst = f_.insts[i];
    const unsigned lead = loop_lead(inst.op);
    for (std::size_t k = 0; k < inst.results.size(); ++k) {
      const ValueId init = same_(inst.operands[lead + k]),
                    param = f_.regions[inst.regions[0]].params[lead + k];
      bool invariant = true;
      for (const InstId exit : exits_.continues[i]) {
        const ValueId v = same_(f_.insts[exit].operands[k]);
        invariant = invariant && (v == param || v == init);
      }
      if (invariant && same_(param) == param) same_.replace(param, init);
      result(i, k, invariant ? init : none);
    }
  }

  /// `carried`: the value that a counted loop ends with when it runs out of trips, if that is
  /// known.
  void result(InstId i, std::size_t k, ValueId carried) {
    const Inst& inst = f_.insts[i];
    const std::vector<InstId>& breaks = exits_.breaks[i];
    if (inst.op != Op::Loop && carried == none) return;
    if (inst.op == Op::Loop && breaks.empty()) return;
    const ValueId v = inst.op == Op::Loop ? same_(f_.insts[breaks[0]].operands[k]) : carried;
    bool one = visible(v, i);
    for (const InstId exit : breaks) one = one && same_(f_.insts[exit].operands[k]) == v;
    if (one) same_.replace(inst.results[k], v);
  }

  Function& f_;
  LoopExits exits_;
  std::vector<RegionId> inst_region_;
  std::vector<std::uint32_t> enter_, leave_;
  std::uint32_t clock_ = 0;
  Substitution same_;
};

}  // namespace

void simplify_joins(Function& f) { Simplifier(f).run(); }

}  // namespace krait::passes
