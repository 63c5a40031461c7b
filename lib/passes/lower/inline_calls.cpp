// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions that belong to the kernel as a whole become copies of their bodies: a barrier,
// a warp operation or a shared array has its meaning, and its checks, in the kernel's control flow;
// positions decide how threads lie on lanes. All other calls stay calls. A shared array of a
// function is one array, however often the function is called, as in CUDA.
#include <map>

#include "ir/calls.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

class Inliner {
 public:
  Inliner(Module& m, const Calls& calls, std::size_t function)
      : m_(m), calls_(calls), f_(m.functions[function]), b_(f_) {}
  void run() {
    walk(f_.body);
    results_.apply(f_);
  }

 private:
  void walk(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      const bool inlined = f_.insts[i].op == Op::Call && calls_.belongs_to_kernel(f_.insts[i].imm);
      if (inlined) paste(i, r);
      else f_.regions[r].insts.push_back(i);
      const std::vector<RegionId> regions = f_.insts[i].regions;
      for (const RegionId inner : regions) walk(inner);
    }
    if (r == f_.body)
      f_.regions[r].insts.insert(f_.regions[r].insts.begin(), shared_insts_.begin(),
                                 shared_insts_.end());
  }

  /// The callee has no calls of this kind any more: functions are done from the last to the first.
  void paste(InstId call, RegionId r) {
    const Function& callee = m_.callee(f_.insts[call]);
    const std::size_t number = f_.insts[call].imm;
    std::vector<ValueId> map(callee.values.size(), none);
    for (std::size_t k = 0; k < callee.params().size(); ++k)
      map[callee.params()[k]] = f_.insts[call].operands[k];
    const InstId first = InstId(f_.insts.size());
    for (const InstId i : callee.regions[callee.body].insts) {
      const Inst& inst = callee.insts[i];
      if (inst.op == Op::Shared) {
        map[inst.results[0]] = shared(number, callee, i);
      } else if (!is_terminator(inst.op)) {
        b_.at(r);
        clone_inst(callee, i, b_, map);
      }
    }
    const std::vector<ValueId>& yields = ir::terminator(callee, callee.body).operands;
    for (std::size_t k = 0; k < yields.size(); ++k)
      results_.replace(f_.insts[call].results[k], map[yields[k]]);
    const std::uint32_t base = locations(number, callee);
    for (InstId i = first; i < f_.insts.size(); ++i)
      if (f_.insts[i].loc) f_.insts[i].loc += base;
  }

  /// Where the callee's locations begin in the caller's table.
  std::uint32_t locations(std::size_t number, const Function& callee) {
    const auto [at, fresh] = locations_.emplace(number, std::uint32_t(f_.locations.size()) - 1);
    if (fresh)
      f_.locations.insert(f_.locations.end(), callee.locations.begin() + 1, callee.locations.end());
    return at->second;
  }

  ValueId shared(std::size_t number, const Function& callee, InstId i) {
    const auto [at, fresh] = shared_.emplace(std::pair(number, i), none);
    if (!fresh) return at->second;
    std::vector<ValueId> map(callee.values.size(), none);
    const RegionId aside = b_.new_region(none);
    b_.at(aside);
    const InstId copy = clone_inst(callee, i, b_, map, false);
    shared_insts_.push_back(copy);
    f_.regions[aside].insts.clear();
    return at->second = f_.insts[copy].results[0];
  }

  Module& m_;
  const Calls& calls_;
  Function& f_;
  Builder b_;
  Substitution results_;
  std::map<std::size_t, std::uint32_t> locations_;            // by function
  std::map<std::pair<std::size_t, InstId>, ValueId> shared_;  // by function and declaration
  std::vector<InstId> shared_insts_;
};

}  // namespace

void inline_calls(Module& m) {
  const Calls calls(m);
  for (std::size_t f = m.functions.size(); f-- > 0;) Inliner(m, calls, f).run();
  sort_functions(m);
}

}  // namespace krait::passes
