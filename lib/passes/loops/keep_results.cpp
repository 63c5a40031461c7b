// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the CPU: a function that a loop computes, and a later loop of as many trips computes again
// for the same arguments, is kept in an array of the thread's own, as in a softmax, whose
// exponentials are summed up and then divided by their sum. A GPU's threads compute it once more
// sooner than they store it; a core loads it in a tenth of that.
//   for n { i: … e = exp(x[i] - p) … }   …   for n { i: … exp(x[i] - p) … }   becomes
//   for n { i: … e = exp(x[i] - p), if (i < most) kept[i] = e … }   …   for n { i: … i < most ? kept[i] : exp(x[i] - p) … }
// What is loaded must be of arrays that nobody writes.
#include <algorithm>
#include <optional>

#include "passes/passes.h"
#include "passes/rewrite.h"
#include "support/tuning_cpu.h"

namespace krait::passes {
namespace {

using namespace ir;

class Keeper {
 public:
  explicit Keeper(Function& f)
      : f_(f),
        b_(f),
        exits_(f),
        barriers_(any_inst(f, [](const Inst& i) { return is_barrier(i.op); })),
        holders_(holders(f)) {}
  void run() { walk(f_.body); }

 private:
  struct Use {
    InstId loop, inst;
  };
  /// A result of a loop's trips, and the later ones that are equal.
  struct Kept {
    InstId loop, inst;
    std::vector<Use> again;
    ValueId array = none;
  };

  void walk(RegionId r) {
    const std::vector<Kept> found = find(r);
    if (!found.empty()) keep(r, found);
    const std::vector<InstId> insts = f_.regions[r].insts;
    for (const InstId i : insts)
      for (const RegionId inner : std::vector<RegionId>(f_.insts[i].regions)) walk(inner);
  }

  bool is_costly(const Inst& inst) const {
    return info(inst.op).family == Family::Math && inst.results.size() == 1 &&
           is_float(inst.type.scalar) && size_of(inst.type.scalar) >= 4;
  }
  /// Whether each trip of a thread makes all of the body.
  bool is_whole(InstId loop) const {
    return loop < exits_.breaks.size() && exits_.breaks[loop].empty() &&
           exits_.continues[loop].size() == 1 &&
           terminator(f_, f_.insts[loop].regions[0]).op == Op::Continue;
  }

  std::vector<Kept> find(RegionId r) {
    std::vector<Kept> found;
    std::vector<InstId> loops;
    for (const InstId i : f_.regions[r].insts) {
      if (f_.insts[i].op != Op::For || !is_whole(i)) continue;
      for (const InstId k : f_.regions[f_.insts[i].regions[0]].insts)
        if (is_costly(f_.insts[k])) find_earlier(loops, {i, k}, found);
      loops.push_back(i);
    }
    return found;
  }
  void find_earlier(const std::vector<InstId>& loops, Use again, std::vector<Kept>& found) {
    for (const InstId loop : loops) {
      if (f_.insts[loop].operands[0] != f_.insts[again.loop].operands[0]) continue;
      for (const InstId k : f_.regions[f_.insts[loop].regions[0]].insts) {
        if (!is_costly(f_.insts[k]) || !equal({loop, k}, again)) continue;
        const auto known =
            std::find_if(found.begin(), found.end(), [&](const Kept& e) { return e.inst == k; });
        if (known != found.end()) known->again.push_back(again);
        else found.push_back({loop, k, {again}});
        return;
      }
    }
  }

  bool equal(Use first, Use again) const {
    return equal(f_.insts[first.inst].results[0], f_.insts[again.inst].results[0], first.loop,
                 again.loop, deepest);
  }
  bool equal(ValueId x, ValueId y, InstId first, InstId again, unsigned depth) const {
    if (x == y) return true;  // what both see is defined around them
    if (x == f_.regions[f_.insts[first].regions[0]].params[0])
      return y == f_.regions[f_.insts[again].regions[0]].params[0];
    const Inst *a = f_.def(x), *b = f_.def(y);
    if (!a || !b || depth == 0 || a->op != b->op || a->type != b->type || a->imm != b->imm ||
        a->fast != b->fast || a->operands.size() != b->operands.size() || a->results.size() != 1 ||
        !a->regions.empty() || !a->list.empty())
      return false;
    if (!is_pure(a->op) && !(a->op == Op::Load && reads_constants(*a))) return false;
    for (std::size_t k = 0; k < a->operands.size(); ++k)
      if (!equal(a->operands[k], b->operands[k], first, again, depth - 1)) return false;
    return true;
  }
  bool reads_constants(const Inst& load) const {
    const Type& array = f_.type_of(load.operands[0]);
    return array.space == Space::Argument ||
           (array.space == Space::Global && !array.writable && f_.facts.disjoint);
  }

  std::int64_t most_trips(Scalar s) const {
    const unsigned threads = barriers_ ? tuning::cpu::usual_block : tuning::cpu::largest_gang;
    return std::int64_t(tuning::cpu::kept_bytes / threads / size_of(s));
  }

  void keep(RegionId r, std::vector<Kept> found) {
    for (const InstId i : take_insts(f_, r)) {
      b_.at(r), b_.location(f_.insts[i].loc);
      for (Kept& e : found) {
        if (e.loop != i) continue;
        const Scalar s = f_.insts[e.inst].type.scalar;
        const InstId local = b_.append(Op::Local, array_type(s, Space::Local, 1), {});
        f_.insts[local].list = {most_trips(s)}, f_.insts[local].unset = true;
        e.array = b_.add_result(local, array_type(s, Space::Local, 1));
      }
      f_.regions[r].insts.push_back(i);
    }
    for (const Kept& e : found) {
      store(e);
      for (const Use& use : e.again) load(e, use);
    }
  }

  /// The trip's place in the array, and whether the array has it.
  std::pair<ValueId, ValueId> place_of_trip(InstId loop, Scalar s) {
    const ValueId trip = f_.regions[f_.insts[loop].regions[0]].params[0];
    const ValueId there = b_.compare(
        Op::Lt, {trip, b_.constant(f_.type_of(trip).scalar, std::uint64_t(most_trips(s)))});
    return {b_.cast(Scalar::I64, trip), there};
  }

  void store(const Kept& e) {
    const RegionId body = f_.insts[e.loop].regions[0];
    for (const InstId i : take_insts(f_, body)) {
      f_.regions[body].insts.push_back(i);
      if (i != e.inst) continue;
      b_.at(body), b_.location(f_.insts[i].loc);
      const Scalar s = f_.insts[i].type.scalar;
      const auto [place, there] = place_of_trip(e.loop, s);
      const InstId branch = b_.append(Op::If, {}, std::span(&there, 1));
      b_.at(b_.new_region(branch));
      const ValueId stored[] = {e.array, place, f_.insts[i].results[0]};
      b_.append(Op::Store, value_type(s), stored);
      b_.append(Op::Yield, {}, {});
      b_.at(b_.new_region(branch)), b_.append(Op::Yield, {}, {});
    }
  }

  void load(const Kept& e, Use use) {
    const RegionId body = f_.insts[use.loop].regions[0];
    for (const InstId i : take_insts(f_, body)) {
      if (i != use.inst) {
        f_.regions[body].insts.push_back(i);
        continue;
      }
      b_.at(body), b_.location(f_.insts[i].loc);
      const Scalar s = f_.insts[i].type.scalar;
      const auto [place, there] = place_of_trip(use.loop, s);
      const ValueId result = f_.insts[i].results[0];
      std::vector<ValueId> map(f_.values.size(), none);
      const InstId branch = b_.append(Op::If, value_type(s), std::span(&there, 1));
      b_.at(b_.new_region(branch));
      const ValueId element[] = {e.array, place}, kept = b_.emit(Op::Load, value_type(s), element);
      b_.append(Op::Yield, {}, std::span(&kept, 1));
      b_.at(b_.new_region(branch));
      const ValueId computed = copy(result, body, map);
      b_.append(Op::Yield, {}, std::span(&computed, 1));
      f_.insts[branch].results = {result}, f_.values[result].def = branch;
    }
  }
  /// Once more what the loop's body makes v of, which then is dead where it stood.
  ValueId copy(ValueId v, RegionId body, std::vector<ValueId>& map) {
    const InstId def = f_.values[v].def;
    if (def == none || mapped(map, v) != v || !is_in(def, body)) return mapped(map, v);
    for (const ValueId operand : std::vector<ValueId>(f_.insts[def].operands))
      set_mapped(map, operand, copy(operand, body, map));
    clone_inst(f_, def, b_, map);
    return mapped(map, v);
  }
  bool is_in(InstId i, RegionId body) const { return i < holders_.size() && holders_[i] == body; }

  static constexpr unsigned deepest = 16;  // operations from a result to what loops have in common
  Function& f_;
  Builder b_;
  LoopExits exits_;
  const bool barriers_;
  const std::vector<RegionId> holders_;  // of what there was
};

}  // namespace

void keep_results(Module& m) {
  for (Function& f : m.functions)
    if (!f.checked) Keeper(f).run();
}

}  // namespace krait::passes
