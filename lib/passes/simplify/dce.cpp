// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dead code by marking from effects: what writes memory that somebody reads, synchronises, reports,
// or ends the thread. Joins are marked value by value, so a loop loses what it carries for nobody.
// A loop that does nothing is removed even where it might not end. In a checked function everything
// stays that a check looks at.
#include "ir/calls.h"
#include "passes/analysis/liveness.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

class Sweeper {
 public:
  Sweeper(Function& f, const Calls& calls) : f_(f), calls_(calls), b_(f), live_(f) {
    find_roots(f_.body);
    live_.follow_all();
  }

  /// Whether something is dead that a check would have looked at.
  bool hides() const {
    bool any = false;
    for_each_inst(f_, [&](InstId i, RegionId) {
      any = any || (!live_.live(i) && calls_.is_checked(f_.insts[i]));
    });
    return any;
  }
  void sweep() { sweep(f_.body); }

 private:
  void find_roots(RegionId r) {
    for (const InstId i : f_.regions[r].insts) {
      const Inst& inst = f_.insts[i];
      const Effect effect = calls_.effect(inst);
      const bool writes = effect == Effect::Write || inst.op == Op::Set;
      if (writes && live_.is_private(inst.operands[0])) live_.write(i);
      else if (writes || effect == Effect::Atomic || effect == Effect::Sync ||
               effect == Effect::Report || inst.op == Op::Return)
        live_.mark(i);
      if (f_.checked && calls_.is_checked(inst)) live_.mark(i);
      if (inst.op == Op::Yield && r == f_.body) live_.use_all(inst);
      for (const RegionId inner : inst.regions) find_roots(inner);
    }
  }

  void sweep(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      if (!live_.live(i) && !is_terminator(f_.insts[i].op)) continue;
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
    for (const ValueId v : inst.results) keep.push_back(live_.used(v));
    for (const RegionId r : inst.regions)
      if (terminator(f_, r).op == Op::Yield) filter(terminator(f_, r).operands, 0, keep);
    filter(inst.results, 0, keep);
    set_type(i);
  }

  /// A value that is carried but not read afterwards leaves as it is; one that is only read
  /// afterwards is not carried anew.
  void shrink_loop(InstId i) {
    const unsigned lead = loop_lead(f_.insts[i].op);
    const RegionId body = f_.insts[i].regions[0];
    std::vector<bool> keep;
    for (std::size_t k = 0; k < f_.insts[i].results.size(); ++k) {
      const ValueId result = f_.insts[i].results[k], param = f_.regions[body].params[lead + k];
      keep.push_back(live_.used(result) || live_.used(param));
      if (live_.used(param) && !live_.used(result))
        for (const InstId exit : live_.exits().breaks[i]) f_.insts[exit].operands[k] = param;
      if (live_.used(result) && !live_.used(param) && f_.insts[i].op == Op::Loop) {
        const ValueId zero = b_.constant(f_.type_of(result).scalar, 0);
        f_.insts[i].operands[k] = zero;
        for (const InstId exit : live_.exits().continues[i]) f_.insts[exit].operands[k] = param;
      }
    }
    for (const InstId exit : live_.exits().breaks[i]) filter(f_.insts[exit].operands, 0, keep);
    for (const InstId exit : live_.exits().continues[i]) filter(f_.insts[exit].operands, 0, keep);
    filter(f_.insts[i].operands, lead, keep);
    filter(f_.regions[body].params, lead, keep);
    filter(f_.insts[i].results, 0, keep);
    set_type(i);
  }

  Function& f_;
  const Calls& calls_;
  Builder b_;
  Liveness live_;
};

}  // namespace

void dce(Module& m, std::optional<Module>* written) {
  const Calls calls(m);
  for (Function& f : m.functions) {
    simplify_joins(f);
    Sweeper sweeper(f, calls);
    if (written && !*written && sweeper.hides()) *written = m;
    sweeper.sweep();
  }
  if (!written || !*written) return;
  for (Function& f : (*written)->functions) f.checked = true;
  dce(**written);
}
void dce(Module& m) { dce(m, nullptr); }

}  // namespace krait::passes
