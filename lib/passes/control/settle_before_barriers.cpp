// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pure operations move up over barriers to where their operands are made, for the CPU and WGSL, if
// fewer values then cross a barrier: on the CPU those lie in memory, one place a thread, and
// compilers of WGSL keep them in registers. The canonical order has operations close to their uses,
// which may be a sum behind the barrier of products whose factors were loaded before it. Last of
// all passes, since canonicalise would undo it.
#include <algorithm>

#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

class Settler {
 public:
  explicit Settler(Function& f)
      : f_(f),
        cuts_(f.insts.size(), false),
        made_(f.values.size(), false),
        place_(f.values.size(), 0) {}

  void run() {
    if (find_cuts(f_.body)) settle(f_.body);
  }

 private:
  bool find_cuts(RegionId r) {
    bool any = false;
    for (const InstId i : f_.regions[r].insts) {
      const Op op = f_.insts[i].op;
      cuts_[i] = is_barrier(op) || op == Op::Uniform;
      for (const RegionId inner : f_.insts[i].regions)
        if (find_cuts(inner)) cuts_[i] = true;
      any = any || cuts_[i];
    }
    return any;
  }

  void settle(RegionId r) {
    const std::vector<InstId> insts = f_.regions[r].insts;
    // A value that is made of something else than constants and positions, which are computed again
    // where they are needed.
    for (const ValueId v : f_.regions[r].params) made_[v] = r != f_.body;
    std::vector<unsigned> now(insts.size()), then(insts.size());
    unsigned segment = 0;
    for (std::size_t k = 0; k < insts.size(); ++k) {
      const Inst& inst = f_.insts[insts[k]];
      now[k] = segment;
      bool made = !is_pure(inst.op) && !cuts_[insts[k]];
      unsigned earliest = 0;
      for (const ValueId v : inst.operands)
        made = made || (is_pure(inst.op) && made_[v]), earliest = std::max(earliest, place_[v]);
      then[k] = is_pure(inst.op) && made ? earliest : segment;
      segment += cuts_[insts[k]];
      for (const ValueId v : inst.results) {
        made_[v] = made || !inst.regions.empty();
        // a pure operation can be anywhere from there on
        place_[v] = cuts_[insts[k]] || !is_pure(inst.op) ? segment : earliest;
      }
    }
    // What moved operations need of the rest goes with them.
    std::vector<unsigned> wanted(f_.values.size(), segment);
    for (std::size_t k = insts.size(); k-- > 0;) {
      const Inst& inst = f_.insts[insts[k]];
      for (const ValueId v : inst.results)
        if (is_pure(inst.op) && !made_[v]) then[k] = std::min(then[k], wanted[v]);
      for_each_operand(f_, insts[k], [&](ValueId v) { wanted[v] = std::min(wanted[v], then[k]); });
    }
    if (crossing(r, insts, then) < crossing(r, insts, now)) reorder(r, insts, now, then);
    for (const ValueId v : f_.regions[r].params) place_[v] = 0;
    for (const InstId i : insts)
      for (const ValueId v : f_.insts[i].results) place_[v] = 0;  // as those of an outer region
    for (const InstId i : insts)
      if (cuts_[i])
        for (const RegionId inner : f_.insts[i].regions) settle(inner);
  }

  /// Values that are used in a later segment than the one that makes them.
  std::size_t crossing(RegionId r, const std::vector<InstId>& insts,
                       const std::vector<unsigned>& segments) const {
    std::vector<unsigned> first(f_.values.size(), ~0u);
    for (const ValueId v : f_.regions[r].params) first[v] = 0;
    for (std::size_t k = 0; k < insts.size(); ++k)
      for (const ValueId v : f_.insts[insts[k]].results) first[v] = segments[k] + cuts_[insts[k]];
    std::vector<bool> crosses(f_.values.size(), false);
    for (std::size_t k = 0; k < insts.size(); ++k)
      for_each_operand(f_, insts[k], [&](ValueId v) {
        if (made_[v] && f_.type_of(v).is_value() && first[v] != ~0u && segments[k] > first[v])
          crosses[v] = true;
      });
    return std::size_t(std::count(crosses.begin(), crosses.end(), true));
  }

  void reorder(RegionId r, const std::vector<InstId>& insts, const std::vector<unsigned>& now,
               const std::vector<unsigned>& then) {
    std::vector<InstId>& out = f_.regions[r].insts;
    out.clear();
    for (std::size_t k = 0; k < insts.size(); ++k) {
      if (then[k] == now[k] && !cuts_[insts[k]]) out.push_back(insts[k]);
      if (!cuts_[insts[k]]) continue;
      for (std::size_t later = k + 1; later < insts.size(); ++later)
        if (then[later] == now[k] && now[later] > now[k]) out.push_back(insts[later]);
      out.push_back(insts[k]);
    }
  }

  Function& f_;
  std::vector<bool> cuts_;  // by InstId: a barrier, or control flow around one
  std::vector<bool> made_;  // by ValueId: not to be computed again
  // by ValueId: the segment of its region from which on it can be there
  std::vector<unsigned> place_;
};

}  // namespace

void settle_before_barriers(Module& m) { Settler(m.kernel()).run(); }

}  // namespace krait::passes
