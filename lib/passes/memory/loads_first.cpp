// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For PTX: loads move before operations that drivers' compilers make branches of. ptxas moves a
// load up within straight code, not over the slow path of a square root or a division: with several
// elements a thread the second element's load waited for the first one's result. Runs after
// canonicalise, which would move each load down to its use.
#include <algorithm>

#include "ir/calls.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "support/tuning/gpu.h"

namespace krait::passes {
namespace {

using namespace ir;

class LoadsFirst {
 public:
  LoadsFirst(Function& f, const Calls& calls)
      : f_(f), calls_(calls), place_(f.insts.size(), nowhere) {}

  void run(RegionId r) {
    const std::size_t begin = order_.size();
    const std::vector<InstId> insts = take_insts(f_, r);
    std::size_t branch = nowhere;  // where in order_ the first one stands that loads may pass
    unsigned moved = 0;
    for (const InstId i : insts) {
      for (const RegionId inner : f_.insts[i].regions) run(inner);
      if (branch != nowhere && is_load(i) &&
          moved + f_.insts[i].results.size() <= tuning::gpu::values_loaded_first) {
        if (const std::size_t behind = move_up(i, branch); behind != nowhere) {
          branch = behind, moved += unsigned(f_.insts[i].results.size());
          continue;
        }
      }
      if (!only_computes_and_loads(f_, calls_, i)) branch = nowhere, moved = 0;
      else if (branch == nowhere && becomes_branch(f_.insts[i])) branch = order_.size();
      append(i, order_.size());
    }
    f_.regions[r].insts.assign(order_.begin() + std::ptrdiff_t(begin), order_.end());
    // inner ones are no operands of outer ones
    for (std::size_t k = begin; k < order_.size(); ++k) place_[order_[k]] = nowhere;
    order_.resize(begin);
  }

 private:
  static constexpr std::size_t nowhere = ~std::size_t(0);

  bool is_load(InstId i) const {
    const Op op = f_.insts[i].op;
    return op == Op::Load || op == Op::LoadVec;
  }
  bool becomes_branch(const Inst& inst) const {
    if (!inst.regions.empty() || inst.op == Op::Call) return true;
    const bool divides = inst.op == Op::Div || inst.op == Op::Rem;
    const Scalar s = inst.type.scalar;
    if (inst.fast || f_.fp == FpMode::Fast) return divides && bits_of(s) == 64;
    return (is_float(s) && (divides || inst.op == Op::Sqrt)) || (divides && bits_of(s) == 64);
  }

  void append(InstId i, std::size_t at) {
    order_.insert(order_.begin() + std::ptrdiff_t(at), i);
    for (std::size_t k = at; k < order_.size(); ++k) place_[order_[k]] = k;
  }

  /// Puts a load, with what computes its index, before the branch; the branch's new place, or
  /// nowhere: then nothing is changed.
  std::size_t move_up(InstId load, std::size_t branch) {
    std::vector<InstId> chain{load};
    for (std::size_t k = 0; k < chain.size(); ++k) {
      bool can = k < tuning::gpu::steps_to_an_index;
      for_each_operand(f_, chain[k], [&](ValueId v) {
        const InstId def = f_.values[v].def;
        if (def == none || place_[def] == nowhere || place_[def] < branch) return;
        can = can && is_pure(f_.insts[def].op) && f_.insts[def].regions.empty() &&
              !becomes_branch(f_.insts[def]);
        if (std::find(chain.begin(), chain.end(), def) == chain.end()) chain.push_back(def);
      });
      if (!can) return nowhere;
    }
    std::sort(chain.begin() + 1, chain.end(),
              [&](InstId a, InstId b) { return place_[a] < place_[b]; });
    std::rotate(chain.begin(), chain.begin() + 1, chain.end());
    for (const InstId i : chain) {
      if (place_[i] != nowhere) order_.erase(order_.begin() + std::ptrdiff_t(place_[i]));
      append(i, branch++);
    }
    return branch;
  }

  Function& f_;
  const Calls& calls_;
  std::vector<InstId> order_;       // what the regions around have so far, from the outermost on
  std::vector<std::size_t> place_;  // by instruction: in order_
};

}  // namespace

void loads_first(Module& m) {
  const Calls calls(m);
  for (Function& f : m.functions) LoadsFirst(f, calls).run(f.body);
}

}  // namespace krait::passes
