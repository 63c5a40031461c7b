// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For WGSL: a load moves down to the first instruction that takes its value, except over what
// writes, waits or leaves. Compilers of WGSL for processors keep the order of the text, and the
// canonical order has all loads of a sum of products, the last product's first, before the first
// product: a trip of sixteen products kept 32 values.
#include "ir/calls.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

class LoadsAtUses {
 public:
  LoadsAtUses(Function& f, const Calls& calls)
      : f_(f), calls_(calls), waits_(f.insts.size(), false) {}

  void run(RegionId r) {
    std::vector<InstId> order, waiting;
    for (const InstId i : take_insts(f_, r)) {
      const Inst& inst = f_.insts[i];
      if (inst.op == Op::Load || inst.op == Op::LoadVec) {
        waiting.push_back(i), waits_[i] = true;
        continue;
      }
      const Effect effect = calls_.effect(inst);
      if (!inst.regions.empty() || (effect != Effect::Pure && effect != Effect::Read)) {
        for (const InstId load : waiting) put(load, order);
        waiting.clear();
      }
      put(i, order);
      for (const RegionId inner : inst.regions) run(inner);
    }
    f_.regions[r].insts = std::move(order);
  }

 private:
  /// Appends an instruction behind the loads that it needs.
  void put(InstId i, std::vector<InstId>& order) {
    if (f_.insts[i].op == Op::Load || f_.insts[i].op == Op::LoadVec) {
      if (!waits_[i]) return;
      waits_[i] = false;
    }
    for (const ValueId v : f_.insts[i].operands)
      if (const InstId def = f_.values[v].def; def != none && waits_[def]) put(def, order);
    order.push_back(i);
  }

  Function& f_;
  const Calls& calls_;
  std::vector<bool> waits_;  // by InstId: loads that stand nowhere yet
};

}  // namespace

void loads_at_uses(Module& m) {
  const Calls calls(m);
  for (Function& f : m.functions) LoadsAtUses(f, calls).run(f.body);
}

}  // namespace krait::passes
