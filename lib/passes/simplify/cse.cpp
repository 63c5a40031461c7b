// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common subexpressions, by a table of what is known where the walk stands; entries made in a
// region leave with it. A load is known for as long as no write that may reach its array
// intervenes: each array has an epoch that such a write renews, and a loop begins with new epochs
// for all that it writes. Branches that only compute are expressions like others: sin(x) and cos(x)
// share the rare path of their argument's reduction.
#include <algorithm>
#include <bit>
#include <unordered_map>

#include "ir/calls.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

/// What a piece of code may write.
struct Writes {
  bool everything = false;  // a barrier, a fence or an atomic: other threads' writes show
  bool views = false;       // a view that may overlap others
  std::vector<ValueId> arrays;
  void add(const Writes& other) {
    everything |= other.everything;
    views |= other.views;
    for (const ValueId a : other.arrays)
      if (std::find(arrays.begin(), arrays.end(), a) == arrays.end()) arrays.push_back(a);
  }
};

class Eliminator {
 public:
  Eliminator(Function& f, const Calls& calls)
      : f_(f),
        calls_(calls),
        writes_(f.insts.size()),
        computes_only_(f.insts.size()),
        epoch_(f.values.size(), 0),
        newest_(std::bit_ceil(f.insts.size() + 1), none) {}
  void run() {
    find_writes(f_.body);
    walk(f_.body);
  }

 private:
  /// What is known, newest last; entries of one hash are chained through `before`.
  struct Entry {
    std::uint64_t hash;
    InstId inst;
    std::uint32_t epoch, before;
  };
  using Inner = std::unordered_map<ValueId, ValueId>;
  struct Epochs {
    std::uint32_t everything, views;
  };

  Writes written_by(const Inst& inst) const {
    Writes w;
    const Effect effect = calls_.effect(inst);
    if (effect == Effect::Sync || effect == Effect::Atomic) w.everything = true;
    if (effect == Effect::Write) {
      w.arrays.push_back(inst.operands[0]);
      const Space space = f_.type_of(inst.operands[0]).space;
      w.views = space == Space::Global && !f_.facts.disjoint;
      w.everything |= space == Space::Cluster || (space == Space::Shared && f_.in_clusters());
    }
    return w;
  }
  Writes find_writes(RegionId r) {
    Writes all;
    for (const InstId i : f_.regions[r].insts) {
      Writes w = written_by(f_.insts[i]);
      for (const RegionId inner : f_.insts[i].regions) w.add(find_writes(inner));
      all.add(w);
      if (!f_.insts[i].regions.empty()) writes_[i] = std::move(w);
    }
    return all;
  }
  void invalidate(const Writes& w) {
    if (w.everything) everything_ = ++clock_;
    if (w.views) views_ = ++clock_;
    for (const ValueId a : w.arrays) set_epoch(a, ++clock_);
  }
  void set_epoch(ValueId array, std::uint32_t epoch) {
    undo_epochs_.push_back({array, epoch_[array]});
    epoch_[array] = epoch;
  }
  /// Local arrays are the thread's own: only their own stores count. Nothing writes arguments.
  std::uint32_t epoch_of(ValueId array) const {
    const Space space = f_.type_of(array).space;
    if (space == Space::Local || space == Space::Argument) return epoch_[array];
    return std::max({epoch_[array], everything_, space == Space::Global ? views_ : 0});
  }

  void walk(RegionId r) {
    const std::size_t scope = known_.size();
    for (const InstId i : take_insts(f_, r)) {
      resolve(same_, f_.insts[i]);
      const Inst& inst = f_.insts[i];
      if (!inst.regions.empty()) {
        control(i);
        if (!computes_only_[i] || !is_known(i)) f_.regions[r].insts.push_back(i);
      } else if ((calls_.is_pure(inst) || inst.op == Op::Load || inst.op == Op::LoadVec) &&
                 !inst.results.empty()) {
        if (!is_known(i)) f_.regions[r].insts.push_back(i);
      } else {
        invalidate(written_by(inst));
        f_.regions[r].insts.push_back(i);
      }
    }
    for (; known_.size() > scope; known_.pop_back())
      newest_[known_.back().hash & (newest_.size() - 1)] = known_.back().before;
  }

  void control(InstId i) {
    const std::vector<RegionId> regions = f_.insts[i].regions;
    if (is_loop(f_.insts[i].op)) invalidate(writes_[i]);
    for (const RegionId r : regions) {
      const Epochs before{everything_, views_};
      const std::size_t mark = undo_epochs_.size();
      walk(r);
      everything_ = before.everything;
      views_ = before.views;
      for (; undo_epochs_.size() > mark; undo_epochs_.pop_back())
        epoch_[undo_epochs_.back().first] = undo_epochs_.back().second;
    }
    invalidate(writes_[i]);
    computes_only_[i] = computes_only(f_.insts[i]);
  }

  /// An if or switch that only computes its results.
  bool computes_only(const Inst& inst) const {
    if (inst.op != Op::If && inst.op != Op::Switch) return false;
    for (const RegionId r : inst.regions)
      for (const InstId k : f_.regions[r].insts)
        if (const Inst& inner = f_.insts[k];
            !computes_only_[k] && !calls_.is_pure(inner) && inner.op != Op::Yield)
          return false;
    return true;
  }

  static std::uint64_t mix(std::uint64_t h, std::uint64_t x) {
    h = (h ^ x) * 0x9e3779b97f4a7c15;
    return h ^ (h >> 29);
  }
  std::uint64_t hash_of(const Inst& inst, std::uint32_t epoch) const {
    std::uint64_t h = mix(std::uint64_t(inst.op) << 8 | std::uint64_t(inst.type.scalar), inst.imm);
    const std::size_t commuted = is_commutative(inst.op) ? 2 : 0;
    if (commuted) h = mix(h, std::uint64_t(inst.operands[0]) + inst.operands[1]);
    for (std::size_t i = commuted; i < inst.operands.size(); ++i) h = mix(h, inst.operands[i]);
    return mix(h, epoch);
  }
  /// `first` gives for what is computed inside of b what stands for it inside of a. The order of
  /// commutative operands is looked through, but not changed: contract goes by it.
  bool equal(const Inst& a, const Inst& b, Inner& first) const {
    if (a.op != b.op || a.fast != b.fast || a.streaming != b.streaming || a.type != b.type ||
        a.imm != b.imm || a.list != b.list || a.results.size() != b.results.size() ||
        a.operands.size() != b.operands.size() || a.regions.size() != b.regions.size())
      return false;
    const auto same = [&](std::size_t i, std::size_t j) {
      const auto stands = first.find(b.operands[j]);
      return a.operands[i] == (stands == first.end() ? b.operands[j] : stands->second);
    };
    // the first two, and those after them, which never change places
    bool direct = true, rest = true;
    for (std::size_t i = 0; i < a.operands.size(); ++i) (i < 2 ? direct : rest) &= same(i, i);
    if (!rest || !(direct || (is_commutative(a.op) && same(0, 1) && same(1, 0)))) return false;
    for (std::size_t r = 0; r < a.regions.size(); ++r)
      if (!equal_regions(f_.regions[a.regions[r]], f_.regions[b.regions[r]], first)) return false;
    return true;
  }
  bool equal_regions(const Region& a, const Region& b, Inner& first) const {
    if (a.insts.size() != b.insts.size()) return false;
    for (std::size_t k = 0; k < a.insts.size(); ++k) {
      const Inst &x = f_.insts[a.insts[k]], &y = f_.insts[b.insts[k]];
      if (!equal(x, y, first)) return false;
      for (std::size_t r = 0; r < x.results.size(); ++r) first[y.results[r]] = x.results[r];
    }
    return true;
  }

  /// Replaces the instruction by an earlier equal one, or makes it known.
  bool is_known(InstId i) {
    const Inst& inst = f_.insts[i];
    const bool load = inst.op == Op::Load || inst.op == Op::LoadVec;
    const std::uint32_t epoch = load ? epoch_of(inst.operands[0]) : 0;
    const std::uint64_t hash = hash_of(inst, epoch);
    std::uint32_t& newest = newest_[hash & (newest_.size() - 1)];
    for (std::uint32_t k = newest; k != none; k = known_[k].before) {
      const Entry& e = known_[k];
      const Inst& earlier = f_.insts[e.inst];
      Inner first;
      if (e.hash != hash || e.epoch != epoch || !equal(earlier, inst, first)) continue;
      for (std::size_t r = 0; r < inst.results.size(); ++r)
        same_.replace(inst.results[r], earlier.results[r]);
      return true;
    }
    known_.push_back({hash, i, epoch, newest});
    newest = std::uint32_t(known_.size() - 1);
    return false;
  }

  Function& f_;
  const Calls& calls_;
  std::vector<Writes> writes_;        // by InstId of what has regions
  std::vector<bool> computes_only_;   // the same
  std::vector<std::uint32_t> epoch_;  // by ValueId of an array
  std::uint32_t clock_ = 0, everything_ = 0, views_ = 0;
  std::vector<std::pair<ValueId, std::uint32_t>> undo_epochs_;
  std::vector<Entry> known_;
  std::vector<std::uint32_t> newest_;  // by the hash's low bits: index into known_
  Substitution same_;
};

}  // namespace

void cse(Module& m) {
  const Calls calls(m);
  for (Function& f : m.functions) Eliminator(f, calls).run();
}

}  // namespace krait::passes
