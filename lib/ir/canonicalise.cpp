// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the order of instructions independent of the order in which the host compiler evaluated the
// operands of the recorded expressions. In every region the anchors (writes, atomics, barriers,
// assignments, control) keep their order. Everything else floats: it gets a rank by a walk of the
// operands, from the anchors in order, and stands before the first anchor that
//   - needs it, directly or through other floating instructions or within its regions, or
//   - would change its result: a write after a load, an assignment after a get of that slot,
//     control after a warp operation.
// Several at one anchor stand in the order of their ranks. What no anchor needs is dropped, but for
// what a check looks at, which stands before the last anchor at the latest. Instructions stay in
// their region. A call is what its function does (ir/calls.h). Functions get the order in which
// calls reach them; equal ones become one.
#include <algorithm>
#include <map>
#include <utility>

#include "ir/calls.h"
#include "ir/spots.h"
#include "ir/text/text.h"
#include "ir/walk.h"

namespace krait::ir {
namespace {

/// What a floating instruction must not move across.
enum class Pinned : std::uint8_t { Nowhere, Memory, Slot, Lanes };

class Canonicaliser {
 public:
  Canonicaliser(const Function& f, const Calls& calls)
      : f_(f),
        calls_(calls),
        builder_(out_),
        holders_(holders(f)),
        place_(f.insts.size(), none),
        rank_(f.insts.size(), none),
        when_(f.insts.size(), none),
        writes_(f.insts.size(), false),
        assigns_(f.insts.size()),
        ranked_(f.regions.size()),
        map_(f.values.size(), none) {}

  Function run() {
    summarise();
    walk(f_.body);
    for_each_inst(f_, [&](InstId i, RegionId r) { schedule_uses(i, r); });
    for_each_region(f_, [&](RegionId r) { pin(r), settle(r); });
    rebuild();
    return std::move(out_);
  }

 private:
  const Inst& inst(InstId i) const { return f_.insts[i]; }

  bool floats(InstId i) const {
    switch (calls_.effect(inst(i))) {
      case Effect::Pure:
      case Effect::Read:
      case Effect::Cross: return true;
      case Effect::Slot: return inst(i).op != Op::Set;
      case Effect::Write:
      case Effect::Atomic:
      case Effect::Sync:
      case Effect::Report:
      case Effect::Call:
      case Effect::Control: return false;
    }
    return false;
  }
  Pinned pinned(InstId i) const {
    if (inst(i).op == Op::Get) return Pinned::Slot;
    const Effect e = calls_.effect(inst(i));
    return e == Effect::Read    ? Pinned::Memory
           : e == Effect::Cross ? Pinned::Lanes
                                : Pinned::Nowhere;
  }

  /// Places of the anchors in their regions; what lies within the regions of control instructions.
  void summarise() {
    for_each_inst(f_, [&](InstId i, RegionId) {
      const Effect e = calls_.effect(inst(i));
      const bool writes = e == Effect::Write || e == Effect::Atomic || e == Effect::Sync;
      if (!writes && inst(i).op != Op::Set) return;
      for (InstId at = i; at != none; at = f_.regions[holders_[at]].parent) {
        if (writes) writes_[at] = true;
        else assigns_[at].push_back(inst(i).operands[0]);
      }
    });
    for_each_region(f_, [&](RegionId r) {
      std::uint32_t anchors = 0;
      for (const InstId i : f_.regions[r].insts)
        if (!floats(i)) place_[i] = anchors++;
    });
  }

  /// Ranks what the anchors of a region need, in the order of their operands.
  void walk(RegionId r) {
    for (const InstId i : f_.regions[r].insts) {
      if (floats(i)) continue;
      for (const ValueId v : inst(i).operands) demand(v);
      for (const RegionId inner : inst(i).regions) walk(inner);
    }
    if (!f_.checked) return;
    for (const InstId i : f_.regions[r].insts)
      if (is_kept(i)) demand(inst(i).results[0]);
  }
  /// Floats, and stays whatever needs it.
  bool is_kept(InstId i) const {
    return f_.checked && floats(i) && calls_.is_checked(inst(i)) && !inst(i).results.empty();
  }
  /// Depth-first, operands before users; with a stack of its own, as chains are long.
  void demand(ValueId root) {
    std::vector<std::pair<InstId, std::size_t>> open;
    const auto enter = [&](ValueId v) {
      const InstId d = f_.values[v].def;
      if (d == none || rank_[d] != none || !floats(d)) return;
      rank_[d] = 0;  // entered; the rank follows when its operands have theirs
      open.emplace_back(d, 0);
    };
    enter(root);
    while (!open.empty()) {
      auto& [i, next] = open.back();
      if (next < inst(i).operands.size()) {
        enter(inst(i).operands[next++]);
      } else {
        rank_[i] = next_rank_++;
        ranked_[holders_[i]].push_back(i);
        open.pop_back();
      }
    }
  }

  bool live(InstId i) const { return !floats(i) || rank_[i] != none; }

  void before(InstId i, std::uint32_t anchor) { when_[i] = std::min(when_[i], anchor); }

  /// Uses by anchors, and by anything in a region below that of the definition.
  void schedule_uses(InstId user, RegionId r) {
    if (!live(user)) return;
    for (const ValueId v : inst(user).operands) {
      const InstId d = f_.values[v].def;
      if (d == none || !floats(d)) continue;
      InstId at = user;
      for (RegionId here = r; here != holders_[d]; here = holders_[at])
        at = f_.regions[here].parent;
      if (place_[at] != none) before(d, place_[at]);
    }
  }

  /// What an anchor would change stands before the first such anchor that follows it.
  void pin(RegionId r) {
    std::vector<InstId> memory, lanes;
    std::map<ValueId, std::vector<InstId>> slots;
    const auto close = [&](std::vector<InstId>& open, std::uint32_t anchor) {
      for (const InstId i : open) before(i, anchor);
      open.clear();
    };
    for (const InstId i : f_.regions[r].insts) {
      if (floats(i)) {
        if (!live(i)) continue;
        switch (pinned(i)) {
          case Pinned::Nowhere: break;
          case Pinned::Memory: memory.push_back(i); break;
          case Pinned::Lanes: lanes.push_back(i); break;
          case Pinned::Slot: slots[inst(i).operands[0]].push_back(i); break;
        }
        continue;
      }
      const Effect e = calls_.effect(inst(i));
      if (writes_[i]) close(memory, place_[i]);
      if (e == Effect::Control || e == Effect::Sync) close(lanes, place_[i]);
      for (const ValueId slot : assigns_[i])
        if (const auto it = slots.find(slot); it != slots.end()) close(it->second, place_[i]);
    }
  }

  /// Operands stand where their users in the same region do, or before: users have the higher
  /// ranks.
  void settle(RegionId r) {
    for (const InstId i : ranked_[r])
      if (is_kept(i)) before(i, place_[f_.regions[r].insts.back()]);
    for (std::size_t k = ranked_[r].size(); k-- > 0;) {
      const InstId user = ranked_[r][k];
      for (const ValueId v : inst(user).operands) {
        const InstId d = f_.values[v].def;
        if (d != none && floats(d) && holders_[d] == r) before(d, when_[user]);
      }
    }
    std::stable_sort(ranked_[r].begin(), ranked_[r].end(),
                     [&](InstId x, InstId y) { return when_[x] < when_[y]; });
  }

  void rebuild() {
    out_ = new_function(f_.name);
    out_.header() = f_;
    region(f_.body, out_.body);
  }
  void region(RegionId from, RegionId to) {
    for (const ValueId v : f_.regions[from].params)
      map_[v] = builder_.new_param(to, f_.values[v].type);
    std::size_t next = 0;
    const std::vector<InstId>& floating = ranked_[from];
    for (const InstId i : f_.regions[from].insts) {
      if (floats(i)) continue;
      for (; next < floating.size() && when_[floating[next]] <= place_[i]; ++next)
        emit(floating[next], to);
      emit(i, to);
    }
  }
  void emit(InstId i, RegionId to) {
    builder_.at(to);
    std::vector<ValueId> operands = inst(i).operands;
    for (ValueId& v : operands) v = map_[v];
    const InstId copy = builder_.append(inst(i).op, inst(i).type, operands);
    out_.insts[copy].attributes() = inst(i);
    out_.insts[copy].loc = location(inst(i).loc);
    for (const ValueId v : inst(i).results) map_[v] = builder_.add_result(copy, f_.values[v].type);
    for (const RegionId inner : inst(i).regions) region(inner, builder_.new_region(copy));
  }
  std::uint32_t location(std::uint32_t loc) {
    if (loc == 0 || (loc & is_spot)) return loc;
    const Location& place = f_.locations[loc];
    const auto [it, fresh] = places_.emplace(std::pair(std::string_view(place.file), place.line),
                                             std::uint32_t(out_.locations.size()));
    if (fresh) out_.locations.push_back(place);
    return it->second;
  }

  const Function& f_;
  const Calls& calls_;
  Function out_;
  Builder builder_;
  std::vector<RegionId> holders_;
  std::vector<std::uint32_t> place_;  // anchors: the how manieth of the region
  std::vector<std::uint32_t> rank_;   // floating instructions that something needs
  // floating: the place of the anchor before which it stands
  std::vector<std::uint32_t> when_;
  // anchors: memory is written or ordered, here or within
  std::vector<bool> writes_;
  std::vector<std::vector<ValueId>> assigns_;  // anchors: slots set, here or within
  // by region: floating instructions by rank, in the end by place and rank
  std::vector<std::vector<InstId>> ranked_;
  std::vector<ValueId> map_;
  std::map<std::pair<std::string_view, std::uint32_t>, std::uint32_t> places_;
  std::uint32_t next_rank_ = 0;
};

/// Functions of equal text become one, callees first. True if there were any.
bool merge_functions(Module& module) {
  std::vector<std::uint64_t> stands_for(module.functions.size());
  std::map<std::string, std::uint64_t> known;
  bool merged = false;
  for (std::size_t k = module.functions.size(); k-- > 0;) {
    Function& f = module.functions[k];
    for_each_inst(f, [&](InstId i, RegionId) {
      if (f.insts[i].op == Op::Call) f.insts[i].imm = stands_for[f.insts[i].imm];
    });
    stands_for[k] = known.emplace(print(f, {.names = false, .locations = false}), k).first->second;
    merged = merged || stands_for[k] != k;
  }
  return merged;
}

}  // namespace

void canonicalise(Module& module) {
  {
    const Calls calls(module);
    for (Function& f : module.functions) f = Canonicaliser(f, calls).run();
  }
  sort_functions(module);
  if (module.functions.size() > 2 && merge_functions(module)) sort_functions(module);
}

}  // namespace krait::ir
