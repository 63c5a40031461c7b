// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of a pipeline may run on while the next step begins, if nothing but the next step's
// product reads their sums. Then the sums are complete behind the loop, where product_end says so;
// other products are complete at once.
#include <algorithm>

#include "ir/tiles.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

class Ender {
 public:
  explicit Ender(Function& f) : f_(f), b_(f), uses_(use_counts(f)), exits_(f) {}
  void run() {
    walk(f_.body, none);
    results_.apply(f_);
    // Not through the substitution: these read what it replaces.
    for (const auto& [end, sums] : ends_) f_.insts[end].operands = sums;
  }

 private:
  void walk(RegionId r, InstId loop) {
    for (const InstId i : take_insts(f_, r)) {
      f_.regions[r].insts.push_back(i);
      if (f_.insts[i].op == Op::Product) {
        Product p(f_.insts[i]);
        if (p.overlapped && !only_carried(i, r, loop)) {
          p.overlapped = false;
          f_.insts[i].list = p.list();
        } else if (p.overlapped) {
          found_ = i;
        }
      }
      const std::vector<RegionId> regions = f_.insts[i].regions;
      for (const RegionId inner : regions) walk(inner, is_loop(f_.insts[i].op) ? i : loop);
      if (found_ != none && f_.insts[i].op == Op::For &&
          f_.regions[f_.insts[i].regions[0]].insts.end() !=
              std::find(f_.regions[f_.insts[i].regions[0]].insts.begin(),
                        f_.regions[f_.insts[i].regions[0]].insts.end(), found_))
        end(i, r);
    }
  }

  /// Sum number e comes from, and goes to, one carried value of the loop around it, which nothing
  /// else reads there.
  bool only_carried(InstId product, RegionId r, InstId loop) const {
    if (loop == none || f_.insts[loop].op != Op::For || f_.insts[loop].regions[0] != r ||
        !exits_.breaks[loop].empty() || exits_.continues[loop].size() != 1)
      return false;
    const Inst& inst = f_.insts[product];
    const std::vector<ValueId>& next = f_.insts[exits_.continues[loop][0]].operands;
    const std::vector<ValueId>& params = f_.regions[r].params;
    for (std::size_t e = 0; e < inst.results.size(); ++e) {
      const ValueId sum = inst.operands[product_lead + e], result = inst.results[e];
      const auto at = std::find(next.begin(), next.end(), result);
      if (at == next.end() || uses_[result] != 1 || uses_[sum] != 1 ||
          params[std::size_t(at - next.begin()) + 1] != sum)
        return false;
    }
    return true;
  }

  void end(InstId loop, RegionId r) {
    const std::vector<ValueId>& next = f_.insts[exits_.continues[loop][0]].operands;
    std::vector<ValueId> sums;
    for (const ValueId v : f_.insts[found_].results)
      sums.push_back(
          f_.insts[loop]
              .results[std::size_t(std::find(next.begin(), next.end(), v) - next.begin())]);
    const Type type = f_.insts[found_].type;
    b_.at(r);
    b_.location(f_.insts[found_].loc);
    const InstId end = b_.append(Op::ProductEnd, type, sums);
    for (const ValueId v : sums) results_.replace(v, b_.add_result(end, Type(type)));
    ends_.emplace_back(end, sums);
    found_ = none;
  }

  Function& f_;
  Builder b_;
  std::vector<std::uint32_t> uses_;
  LoopExits exits_;
  InstId found_ = none;
  Substitution results_;
  std::vector<std::pair<InstId, std::vector<ValueId>>> ends_;
};

}  // namespace

void end_products(Module& m) {
  for (Function& f : m.functions)
    if (any_inst(f, [](const Inst& i) { return i.op == Op::Product && Product(i).overlapped; }))
      Ender(f).run();
}

}  // namespace krait::passes
