// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `if (i >= n) return;` in the kernel's body becomes a guard around what follows, which moves into
// the side that goes on: for the CPU, which has code without masks for guards that whole gangs
// pass, where everything behind a return would be under one. Stops at what threads do together and
// at arrays of the block, which stay where they are.
#include <algorithm>

#include "ir/text/text.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

bool meets(Op op) {
  return is_barrier(op) || is_warp_operation(op) || op == Op::Uniform || op == Op::GridStride;
}

bool may_move(const Function& f, InstId i) {
  if (meets(f.insts[i].op) || f.insts[i].op == Op::Shared) return false;
  const auto all_may = [&](RegionId r) {
    const std::vector<InstId>& insts = f.regions[r].insts;
    return std::all_of(insts.begin(), insts.end(),
                       [&](InstId inner) { return may_move(f, inner); });
  };
  return std::all_of(f.insts[i].regions.begin(), f.insts[i].regions.end(), all_may);
}

unsigned depth_of(const Function& f, RegionId r) {
  unsigned most = 0;
  for (const InstId i : f.regions[r].insts)
    for (const RegionId inner : f.insts[i].regions) most = std::max(most, 1 + depth_of(f, inner));
  return most;
}

/// The side of an if whose other one returns at its end; none where that is no such if.
RegionId side_that_goes_on(const Function& f, InstId i) {
  const Inst& inst = f.insts[i];
  if (inst.op != Op::If || !inst.results.empty() || inst.regions.size() != 2) return none;
  const auto returns = [&](unsigned k) { return terminator(f, inst.regions[k]).op == Op::Return; };
  if (returns(0) == returns(1)) return none;
  const RegionId other = inst.regions[returns(0) ? 1 : 0];
  return terminator(f, other).op == Op::Yield ? other : none;
}

}  // namespace

void guard_returns(Module& m) {
  Function& f = m.kernel();
  std::vector<InstId>& body = f.regions[f.body].insts;
  const InstId end = body.back();
  std::size_t first = body.size() - 1;  // from where on what follows may move
  while (first > 0 && may_move(f, body[first - 1])) --first;
  const std::vector<InstId> rest(body.begin() + std::ptrdiff_t(first), body.end() - 1);
  unsigned depth = 1 + depth_of(f, f.body);
  body.resize(first);
  RegionId into = f.body;
  InstId closing = end;  // what ends the region
  for (std::size_t k = 0; k < rest.size(); ++k) {
    f.regions[into].insts.push_back(rest[k]);
    const RegionId next =
        k + 1 < rest.size() && depth + 1 < max_region_depth ? side_that_goes_on(f, rest[k]) : none;
    if (next == none) continue;
    for (const RegionId r : f.insts[rest[k]].regions) passes::terminator(f, r).op = Op::Yield;
    f.regions[into].insts.push_back(closing);
    closing = f.regions[next].insts.back();
    f.regions[next].insts.pop_back();
    into = next, ++depth;
  }
  f.regions[into].insts.push_back(closing);
}

}  // namespace krait::passes
