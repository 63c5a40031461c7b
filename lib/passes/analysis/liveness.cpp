// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/liveness.h"

namespace krait::passes {

using namespace ir;

Liveness::Liveness(const Function& f)
    : f_(f),
      exits_(f),
      owner_(f.insts.size(), none),
      live_(f.insts.size()),
      used_(f.values.size()),
      writers_(f.values.size()),
      index_(f.values.size()) {
  number(f.body);
}

void Liveness::number(RegionId r) {
  for (const InstId i : f_.regions[r].insts) {
    const Inst& inst = f_.insts[i];
    owner_[i] = f_.regions[r].parent;
    for (std::size_t k = 0; k < inst.results.size(); ++k)
      index_[inst.results[k]] = std::uint32_t(k);
    for (const RegionId inner : inst.regions) {
      const std::vector<ValueId>& params = f_.regions[inner].params;
      for (std::size_t k = loop_lead(inst.op); k < params.size(); ++k)
        index_[params[k]] = std::uint32_t(k - loop_lead(inst.op));
      number(inner);
    }
  }
}

bool Liveness::is_private(ValueId v) const {
  const Space space = f_.type_of(v).space;
  return space == Space::Slot || space == Space::Local || space == Space::Shared;
}

void Liveness::follow_all() {
  while (!work_.empty()) {
    const ValueId v = work_.back();
    work_.pop_back();
    follow(v);
  }
}

void Liveness::use(ValueId v) {
  if (used_[v]) return;
  used_[v] = true;
  work_.push_back(v);
}

void Liveness::mark(InstId i) {
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

void Liveness::mark_owner(InstId exit) {
  live_[exit] = true;
  if (owner_[exit] != none) mark(owner_[exit]);
}

void Liveness::follow(ValueId v) {
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

void Liveness::follow_param(ValueId v, InstId loop) {
  mark(loop);
  const Inst& inst = f_.insts[loop];
  const bool counter = loop_lead(inst.op) && f_.regions[inst.regions[0]].params[0] == v;
  if (!counter) use_carried(loop, index_[v]);
}

void Liveness::use_carried(InstId loop, std::size_t k) {
  use(f_.insts[loop].operands[loop_lead(f_.insts[loop].op) + k]);
  for (const InstId exit : exits_.continues[loop]) use(f_.insts[exit].operands[k]);
}

}  // namespace krait::passes
