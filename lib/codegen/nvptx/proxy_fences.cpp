// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/nvptx/proxy_fences.h"

#include <algorithm>

#include "codegen/nvptx/tiles.h"
#include "ir/tiles.h"
#include "ir/walk.h"

namespace krait::codegen::nvptx {

using ir::Op;

ProxyFences::ProxyFences(const ir::Function& f, const support::PtxTarget& on) : f_(f), on_(on) {
  find_factors();
  if (!factors_.empty()) walk(f.body, false);
}

void ProxyFences::find_factors() {
  ir::for_each_inst(f_, [&](ir::InstId i, ir::RegionId) {
    const ir::Inst& inst = f_.insts[i];
    copies_rows_ = copies_rows_ || inst.op == Op::CopyRow;
    if (is_warpgroup_product(inst, f_, on_)) factors_.insert({inst.operands[0], inst.operands[2]});
    if (inst.op == Op::CopyTile) factors_.insert(inst.operands[ir::TileCopy::shared]);
  });
  ir::for_each_inst(f_, [&](ir::InstId i, ir::RegionId) {
    const ir::Inst& inst = f_.insts[i];
    if (inst.op == Op::SharedOf && factors_.contains(inst.operands[0]))
      factors_.insert(inst.results[0]);
  });
}

/// Accesses by the thread. A copy of a row is one where the thread has waited for it.
bool ProxyFences::touches(const ir::Inst& inst) const {
  if (is_warpgroup_product(inst, f_, on_) || inst.op == Op::CopyTile) return false;
  if (inst.op == Op::CopyWait) return copies_rows_;
  return inst.op == Op::Call || std::any_of(inst.operands.begin(), inst.operands.end(),
                                            [&](ir::ValueId v) { return factors_.contains(v); });
}

/// Whether accesses wait for their fence behind the region, if they do so before it.
bool ProxyFences::walk(ir::RegionId r, bool pending) {
  const ir::InstId around = f_.regions[r].parent;
  const bool trip = around != ir::none && ir::is_loop(f_.insts[around].op);
  for (const ir::InstId i : f_.regions[r].insts)
    if (!trip || f_.insts[i].op != Op::Continue) pending = through(i, pending);
  return pending;
}

bool ProxyFences::through(ir::InstId i, bool pending) {
  const ir::Inst& inst = f_.insts[i];
  const auto fence = [&] {
    if (pending) fences_.insert(i);
    return false;
  };
  // Where a jump goes on is not looked for.
  if (ir::info(inst.op).family == ir::Family::Barrier || inst.op == Op::Break ||
      inst.op == Op::Continue)
    return fence();
  if (inst.regions.empty()) return pending || touches(inst);
  if (!ir::is_loop(inst.op)) return meet(inst.regions, pending);
  // What the first trip leaves comes before the second.
  const bool after_one = walk(inst.regions[0], pending);
  return (after_one && !pending ? walk(inst.regions[0], true) : after_one) || pending;
}

/// Sides that disagree: those with accesses have their fence at their ends.
bool ProxyFences::meet(const std::vector<ir::RegionId>& sides, bool pending) {
  std::vector<ir::InstId> ends;
  for (const ir::RegionId side : sides)
    if (walk(side, pending) && ir::terminator(f_, side).op == Op::Yield)
      ends.push_back(f_.regions[side].insts.back());
  if (ends.size() == sides.size()) return true;
  fences_.insert(ends.begin(), ends.end());
  return false;
}

}  // namespace krait::codegen::nvptx
