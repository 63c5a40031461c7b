// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots become SSA values, in one walk over the region tree that knows each slot's current value.
// An `if` or `switch` gets a result for each slot that differs at some of its yields; a loop
// carries each slot that is assigned in it. What of that turns out unused or invariant, dce takes
// out again at once.
#include <algorithm>
#include <map>

#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

class Promoter {
 public:
  explicit Promoter(Function& f)
      : f_(f), b_(f), now_(f.values.size(), none), assigned_(f.insts.size()) {}

  void run() {
    find_assigned();
    walk(f_.body);
  }

 private:
  struct Change {
    ValueId slot, before;
  };
  using Values = std::vector<std::pair<ValueId, ValueId>>;  // (slot, value), ascending by slot

  /// For every loop the slots from outside that are assigned in it, ascending.
  void find_assigned() {
    std::vector<std::uint32_t> depth_of_slot(f_.values.size(), 0);
    std::vector<InstId> loops;
    find_assigned(f_.body, loops, depth_of_slot);
    for (auto& slots : assigned_) {
      std::sort(slots.begin(), slots.end());
      slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    }
  }
  void find_assigned(RegionId r, std::vector<InstId>& loops,
                     std::vector<std::uint32_t>& depth_of_slot) {
    for (const InstId i : f_.regions[r].insts) {
      const Inst& inst = f_.insts[i];
      if (inst.op == Op::Slot) depth_of_slot[inst.results[0]] = std::uint32_t(loops.size());
      if (inst.op == Op::Set) {
        const ValueId slot = inst.operands[0];
        for (std::size_t d = depth_of_slot[slot]; d < loops.size(); ++d)
          if (assigned_[loops[d]].empty() || assigned_[loops[d]].back() != slot)
            assigned_[loops[d]].push_back(slot);
      }
      if (is_loop(inst.op)) loops.push_back(i);
      for (const RegionId inner : inst.regions) find_assigned(inner, loops, depth_of_slot);
      if (is_loop(inst.op)) loops.pop_back();
    }
  }

  void assign(ValueId slot, ValueId value) {
    changes_.push_back({slot, now_[slot]});
    now_[slot] = value;
  }
  void undo(std::size_t mark) {
    for (; changes_.size() > mark; changes_.pop_back())
      now_[changes_.back().slot] = changes_.back().before;
  }
  /// Slots from before `mark` whose value differs from what it was then, with their present values.
  Values changed_since(std::size_t mark) {
    std::map<ValueId, ValueId> before;
    for (std::size_t k = mark; k < changes_.size(); ++k)
      before.try_emplace(changes_[k].slot, changes_[k].before);
    Values out;
    for (const auto& [slot, was] : before)
      if (was != none && was != now_[slot]) out.emplace_back(slot, now_[slot]);
    return out;
  }
  void append_current(InstId exit, InstId loop) {
    for (const ValueId slot : assigned_[loop]) f_.insts[exit].operands.push_back(now_[slot]);
  }

  void walk(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      resolve(replaced_, f_.insts[i]);
      const Inst& inst = f_.insts[i];
      if (inst.op == Op::Slot) {
        changes_.push_back({inst.results[0], none});
        now_[inst.results[0]] = inst.operands[0];
      } else if (inst.op == Op::Get) {
        replaced_.replace(inst.results[0], now_[inst.operands[0]]);
      } else if (inst.op == Op::Set) {
        assign(inst.operands[0], inst.operands[1]);
      } else {
        keep(i, r);
      }
    }
  }

  void keep(InstId i, RegionId r) {
    f_.regions[r].insts.push_back(i);
    const Op op = f_.insts[i].op;
    if (op == Op::If || op == Op::Switch) walk_branch(i);
    else if (is_loop(op)) walk_loop(i);
    else if ((op == Op::Break || op == Op::Continue) && loop_ != none) append_current(i, loop_);
  }

  void walk_branch(InstId branch) {
    struct Arm {
      InstId yield;
      Values values;
    };
    std::vector<Arm> arms;
    std::vector<ValueId> slots;
    const std::vector<RegionId> regions = f_.insts[branch].regions;
    for (const RegionId r : regions) {
      const std::size_t mark = changes_.size();
      walk(r);
      const InstId last = f_.regions[r].insts.back();
      if (f_.insts[last].op == Op::Yield) {
        arms.push_back({last, changed_since(mark)});
        for (const auto& change : arms.back().values) slots.push_back(change.first);
      }
      undo(mark);
    }
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    for (const Arm& arm : arms) {
      auto change = arm.values.begin();
      for (const ValueId slot : slots) {
        while (change != arm.values.end() && change->first < slot) ++change;
        const bool here = change != arm.values.end() && change->first == slot;
        f_.insts[arm.yield].operands.push_back(here ? change->second : now_[slot]);
      }
    }
    for (const ValueId slot : slots)
      assign(slot, b_.add_result(branch, value_type(f_.type_of(slot).scalar)));
  }

  void walk_loop(InstId loop) {
    const std::size_t mark = changes_.size();
    const RegionId body = f_.insts[loop].regions[0];
    append_current(loop, loop);
    for (const ValueId slot : assigned_[loop])
      assign(slot, b_.new_param(body, value_type(f_.type_of(slot).scalar)));
    const InstId outer = std::exchange(loop_, loop);
    walk(body);
    loop_ = outer;
    undo(mark);
    for (const ValueId slot : assigned_[loop])
      assign(slot, b_.add_result(loop, value_type(f_.type_of(slot).scalar)));
  }

  Function& f_;
  Builder b_;
  Substitution replaced_;
  std::vector<ValueId> now_;                    // current value by slot
  std::vector<Change> changes_;                 // undone at the end of each region
  std::vector<std::vector<ValueId>> assigned_;  // by InstId of a loop
  InstId loop_ = none;                          // innermost
};

}  // namespace

void promote_slots(Module& m, std::optional<Module>* written) {
  for (Function& f : m.functions) Promoter(f).run();
  dce(m, written);
}
void promote_slots(Module& m) { promote_slots(m, nullptr); }

}  // namespace krait::passes
