// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads that give the same in every trip of a counted loop stand before it. LLVM does so for PTX;
// drivers' compilers cannot, as nothing in SPIR-V says that the loop's stores reach other memory.
//   for n { …, load a[i], … }   becomes   x = if n != 0 { load a[i] } else { 0 }; for n { …, x, … }
// What computes the index is copied; dce takes the original. Inner loops come first, so that a load
// leaves as many loops as it can.
#include <algorithm>

#include "ir/calls.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "support/tuning/gpu.h"

namespace krait::passes {
namespace {

using namespace ir;

class Hoister {
 public:
  Hoister(Function& f, const Calls& calls)
      : f_(f), b_(f), calls_(calls), exits_(f), loop_of_(f.values.size(), none) {}
  void run() {
    walk(f_.body);
    before_.apply(f_);
  }

 private:
  void walk(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      const std::vector<RegionId> regions = f_.insts[i].regions;
      for (const RegionId inner : regions) walk(inner);
      b_.at(r);
      if (f_.insts[i].op == Op::For) hoist(i);
      f_.regions[r].insts.push_back(i);
    }
  }

  /// Appends the loads of a loop's first level that can stand before it.
  void hoist(InstId loop) {
    const ValueId trips = f_.insts[loop].operands[0];
    if (f_.is_const(trips) && f_.const_bits(trips) == 0) return;
    const RegionId body = f_.insts[loop].regions[0];
    const bool only_reads = mark(loop, body);
    std::vector<InstId> same;  // what gives the same in each trip: loads, and what may compute them
    std::size_t loads = 0;
    for (const InstId i : f_.regions[body].insts) {
      const Inst& inst = f_.insts[i];
      if (may_leave(i, loop)) break;  // what stands behind may not be reached
      const bool load = inst.op == Op::Load && loads < tuning::gpu::hoisted_loads &&
                        is_kept(f_.type_of(inst.operands[0]), only_reads);
      if ((!load && !is_value(inst)) || !is_from_outside(inst, loop)) continue;
      for (const ValueId v : inst.results) loop_of_[v] = none;
      same.push_back(i);
      loads += load;
    }
    if (loads != 0) move(loop, needed(same));
  }

  /// Notes what is defined in the loop. Whether it only reads memory.
  bool mark(InstId loop, RegionId body) {
    bool only_reads = true;
    for (const ValueId v : f_.regions[body].params) at(v) = loop;
    for_each_inst(f_, body, [&](InstId i, RegionId) {
      const Effect effect = calls_.effect(f_.insts[i]);
      only_reads = only_reads && effect != Effect::Write && effect != Effect::Atomic &&
                   effect != Effect::Sync && effect != Effect::Cross;
      for (const ValueId v : f_.insts[i].results) at(v) = loop;
      for (const RegionId r : f_.insts[i].regions)
        for (const ValueId v : f_.regions[r].params) at(v) = loop;
    });
    return only_reads;
  }
  InstId& at(ValueId v) {
    if (v >= loop_of_.size()) loop_of_.resize(f_.values.size(), none);
    return loop_of_[v];
  }

  /// Whether nothing in the loop changes such an array: nobody writes it, or the loop writes none.
  bool is_kept(const Type& array, bool only_reads) const {
    if (array.space == Space::Global && !array.writable && f_.facts.disjoint) return true;
    return only_reads && (array.space == Space::Global || array.space == Space::Shared);
  }
  /// Not an array, of which a copy would be another one.
  bool is_value(const Inst& inst) const {
    return is_pure(inst.op) && inst.regions.empty() && inst.results.size() == 1 &&
           f_.type_of(inst.results[0]).is_value();
  }
  bool is_from_outside(const Inst& inst, InstId loop) {
    return std::all_of(inst.operands.begin(), inst.operands.end(),
                       [&](ValueId v) { return at(before_(v)) != loop; });
  }
  bool may_leave(InstId i, InstId loop) const {
    const auto is_exit = [&](InstId k) {
      if (f_.insts[k].op == Op::Return) return true;
      if (loop >= exits_.breaks.size()) return is_terminator(f_.insts[k].op);
      const auto& breaks = exits_.breaks[loop];
      const auto& continues = exits_.continues[loop];
      return std::find(breaks.begin(), breaks.end(), k) != breaks.end() ||
             std::find(continues.begin(), continues.end(), k) != continues.end();
    };
    bool leaves = is_exit(i);
    for (const RegionId r : f_.insts[i].regions)
      for_each_inst(f_, r, [&](InstId k, RegionId) { leaves = leaves || is_exit(k); });
    return leaves;
  }

  /// The loads among them, and what they need, in order.
  std::vector<InstId> needed(const std::vector<InstId>& same) const {
    std::vector<bool> wanted(f_.values.size(), false);
    std::vector<InstId> all;
    for (std::size_t n = same.size(); n-- > 0;) {
      const Inst& inst = f_.insts[same[n]];
      if (inst.op != Op::Load && !wanted[inst.results[0]]) continue;
      all.push_back(same[n]);
      for (const ValueId v : inst.operands) wanted[v] = true;
    }
    std::reverse(all.begin(), all.end());
    return all;
  }

  void move(InstId loop, const std::vector<InstId>& moved) {
    const ValueId trips = f_.insts[loop].operands[0];
    const RegionId outside = b_.region();
    b_.location(f_.insts[loop].loc);
    InstId test = none;
    if (!f_.is_const(trips)) {
      const ValueId zero = b_.constant(f_.type_of(trips).scalar, 0);
      const ValueId any = b_.compare(Op::Ne, {trips, zero});
      test = b_.append(Op::If, {}, std::span(&any, 1));
      b_.at(b_.new_region(test));
    }
    std::vector<ValueId> map(f_.values.size(), none);
    std::vector<ValueId> values, loaded;  // of the loop, and what stands for them
    for (const InstId i : moved) {
      resolve(before_, f_.insts[i]);
      const InstId copy = clone_inst(f_, i, b_, map);
      if (f_.insts[i].op != Op::Load) continue;
      values.push_back(f_.insts[i].results[0]), loaded.push_back(f_.insts[copy].results[0]);
    }
    if (test != none) {
      b_.append(Op::Yield, {}, loaded);
      b_.at(b_.new_region(test));
      std::vector<ValueId> zeros;
      for (const ValueId v : values) zeros.push_back(b_.constant(f_.type_of(v).scalar, 0));
      b_.append(Op::Yield, {}, zeros);
      b_.at(outside);
      f_.insts[test].type = f_.type_of(values.front());
      for (ValueId& v : loaded) v = b_.add_result(test, Type(f_.type_of(v)));
    }
    for (std::size_t k = 0; k < values.size(); ++k) before_.replace(values[k], loaded[k]);
  }

  Function& f_;
  Builder b_;
  const Calls& calls_;
  const LoopExits exits_;
  std::vector<InstId> loop_of_;  // by ValueId: the loop looked at, of what it defines anew per trip
  Substitution before_;
};

}  // namespace

void hoist_loads(Module& m) {
  const Calls calls(m);
  for (Function& f : m.functions)
    if (f.flat && !f.checked && any_inst(f, [](const Inst& i) { return i.op == Op::For; }))
      Hoister(f, calls).run();
}

}  // namespace krait::passes
