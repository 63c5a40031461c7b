// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exits of loops, where they begin to count, and the effects of what regions hold.
#include "passes/rewrite.h"

namespace krait::passes {

using namespace ir;

namespace {

template <class Allowed>
bool has_only(const Function& f, const Calls& calls, InstId i, const Allowed& allowed) {
  const Inst& inst = f.insts[i];
  if (is_loop(inst.op)) return false;
  if (inst.regions.empty()) return allowed(calls.effect(inst));
  for (const RegionId r : inst.regions)
    for (const InstId inner : f.regions[r].insts)
      if (f.insts[inner].op != Op::Yield && !has_only(f, calls, inner, allowed)) return false;
  return true;
}

}  // namespace

bool only_computes(const Function& f, const Calls& calls, InstId i) {
  return has_only(f, calls, i, [](Effect e) { return e == Effect::Pure; });
}
bool only_computes_and_loads(const Function& f, const Calls& calls, InstId i) {
  return has_only(f, calls, i, [](Effect e) { return e == Effect::Pure || e == Effect::Read; });
}

void LoopExits::walk(const Function& f, RegionId r, InstId loop) {
  for (const InstId i : f.regions[r].insts) {
    const Inst& inst = f.insts[i];
    if (inst.op == Op::Break && loop != none) breaks[loop].push_back(i);
    if (inst.op == Op::Continue && loop != none) continues[loop].push_back(i);
    for (const RegionId inner : inst.regions) walk(f, inner, is_loop(inst.op) ? i : loop);
  }
}

void count_on(Function& f, Builder& b, RegionId body, ValueId done) {
  const ValueId counter = f.regions[body].params[0];
  const std::vector<InstId> insts = take_insts(f, body);
  b.at(body);
  const ValueId element = b.binary(Op::Add, {done, counter});
  const InstId first = f.regions[body].insts.back();
  f.regions[body].insts.insert(f.regions[body].insts.end(), insts.begin(), insts.end());
  Substitution from_here;
  from_here.replace(counter, element);
  for_each_inst(f, body, [&](InstId i, RegionId) {
    if (i != first) resolve(from_here, f.insts[i]);
  });
}

}  // namespace krait::passes
