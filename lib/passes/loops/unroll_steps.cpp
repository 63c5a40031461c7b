// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose few trips are known from constants alone go, if threads meet in them: steps that
// double or halve from one barrier to the next (scans, trees, sorting networks). What each trip
// does with its step is known then: which threads take part, which half of a buffer is read.
//   loop (step = 1) { if step < 256 {} else { break }, the body, continue 2 * step }   becomes
//   the body with 1, with 2, … with 128
#include <algorithm>
#include <optional>

#include "ir/interp/interp.h"
#include "ir/walk.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

class Steps {
 public:
  Steps(Function& f, std::size_t largest) : f_(f), b_(f), exits_(f), largest_(largest) {}
  void run() {
    walk(f_.body);
    results_.apply(f_);
  }

 private:
  using Values = std::vector<std::optional<std::uint64_t>>;

  /// Inner loops first: the operations that they become count in those around them.
  void walk(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      const std::vector<RegionId> regions = f_.insts[i].regions;
      for (const RegionId inner : regions) walk(inner);
      b_.at(r);
      if (f_.insts[i].op == Op::Const) compute(f_.insts[i]);
      if (i >= exits_.breaks.size() || !write_out(i)) f_.regions[r].insts.push_back(i);
    }
  }

  bool write_out(InstId loop) {
    if (!is_fit(loop)) return false;
    for_each_inst(f_, f_.insts[loop].regions[0],
                  [&](InstId i, RegionId) { resolve(results_, f_.insts[i]); });
    const std::size_t size = operations_under(f_, f_.insts[loop].regions[0]);
    const std::vector<Values> trips =
        size ? known_trips(loop, largest_ / size) : std::vector<Values>();
    if (trips.empty()) return false;
    const Inst original = f_.insts[loop];
    const std::vector<ValueId> params = f_.regions[original.regions[0]].params;
    const unsigned lead = loop_lead(original.op);
    std::vector<ValueId> carried(original.operands.begin() + lead, original.operands.end());
    for (std::size_t trip = 0; trip < trips.size(); ++trip) {
      // A while loop looks at its condition once more than it has trips.
      const bool last = original.op == Op::Loop && trip + 1 == trips.size();
      std::vector<ValueId> map(f_.values.size(), none);
      b_.location(original.loc);
      for (std::size_t k = 0; k < params.size(); ++k) {
        const auto& number = trips[trip][k];
        map[params[k]] =
            number ? b_.constant(f_.type_of(params[k]).scalar, *number) : carried[k - lead];
      }
      carried = copy(original.regions[0], last, map);
    }
    for (std::size_t k = 0; k < carried.size(); ++k)
      results_.replace(original.results[k], carried[k]);
    return true;
  }

  /// A trip; or, of the last look at the condition, what stands before it. Gives what is carried
  /// on.
  std::vector<ValueId> copy(RegionId body, bool leaves, std::vector<ValueId>& map) {
    std::vector<ValueId> carried;
    const std::vector<InstId> insts = f_.regions[body].insts;
    for (const InstId i : insts) {
      const bool way_out = is_way_out(i), end = i == insts.back();
      if (end || (way_out && leaves)) {
        const std::vector<ValueId> on =
            f_.insts[end ? i : f_.regions[f_.insts[i].regions[1]].insts.back()].operands;
        for (const ValueId v : on) carried.push_back(mapped(map, v));
        break;
      }
      b_.location(f_.insts[i].loc);
      if (!way_out) clone_inst(f_, i, b_, map);
    }
    return carried;
  }

  /// `if c {} else { break … }` in the loop's own region.
  bool is_way_out(InstId i) const {
    const Inst& inst = f_.insts[i];
    if (inst.op != Op::If || !inst.results.empty()) return false;
    const Region &then = f_.regions[inst.regions[0]], &otherwise = f_.regions[inst.regions[1]];
    return then.insts.size() == 1 && f_.insts[then.insts[0]].op == Op::Yield &&
           otherwise.insts.size() == 1 && f_.insts[otherwise.insts[0]].op == Op::Break;
  }

  /// One continue, at the end; of a while loop one break, behind nothing but arithmetic. Threads
  /// meet in it.
  bool is_fit(InstId loop) const {
    const Inst& inst = f_.insts[loop];
    if ((inst.op != Op::Loop && inst.op != Op::For) || exits_.continues[loop].size() != 1)
      return false;
    const std::vector<InstId>& body = f_.regions[inst.regions[0]].insts;
    if (exits_.continues[loop][0] != body.back() ||
        exits_.breaks[loop].size() != (inst.op == Op::Loop ? 1 : 0))
      return false;
    if (inst.op == Op::Loop) {
      const auto way_out = std::find_if(body.begin(), body.end(), [&](InstId i) {
        return !is_pure(f_.insts[i].op) || !f_.insts[i].regions.empty();
      });
      if (way_out == body.end() || !is_way_out(*way_out)) return false;
    }
    bool meets = false, whole = true;
    for_each_inst(f_, inst.regions[0], [&](InstId i, RegionId) {
      const Op op = f_.insts[i].op;
      meets = meets || op == Op::Barrier;
      whole = whole && op != Op::Return;
    });
    return meets && whole;
  }

  /// What is known of the region's parameters in each trip, and, of a while loop, where it ends.
  /// Empty: the trips are not known, or too many.
  std::vector<Values> known_trips(InstId loop, std::size_t most) {
    const Inst& inst = f_.insts[loop];
    const std::vector<InstId>& body = f_.regions[inst.regions[0]].insts;
    const std::vector<ValueId>& params = f_.regions[inst.regions[0]].params;
    const unsigned lead = loop_lead(inst.op);
    const auto count = lead ? known(inst.operands[0]) : std::nullopt;
    if (lead && (!count || *count == 0)) return {};
    Values now(params.size());
    for (std::size_t k = lead; k < params.size(); ++k) now[k] = known(inst.operands[k]);
    std::vector<Values> trips;
    for (std::uint64_t trip = 0; trips.size() <= most; ++trip) {
      if (lead && trip == *count) return trips;
      if (lead) now[0] = trip;
      trips.push_back(now);
      known_.resize(f_.values.size());
      for (std::size_t k = 0; k < params.size(); ++k) known_[params[k]] = now[k];
      for (const InstId i : body) {
        if (is_way_out(i)) {
          const auto goes_on = known(f_.insts[i].operands[0]);
          if (!goes_on) return {};
          if (*goes_on == 0) return trip == 0 ? std::vector<Values>() : trips;
        }
        compute(f_.insts[i]);
      }
      for (std::size_t k = lead; k < params.size(); ++k)
        now[k] = known(f_.insts[body.back()].operands[k - lead]);
    }
    return {};
  }

  std::optional<std::uint64_t> known(ValueId v) const {
    return v < known_.size() ? known_[v] : std::nullopt;
  }

  /// Integers and conditions; all else stays unknown.
  void compute(const Inst& inst) {
    if (inst.results.size() != 1 || !inst.regions.empty()) return;
    known_.resize(f_.values.size());
    known_[inst.results[0]] = inst.op == Op::Const ? inst.imm : evaluate(inst);
  }
  std::optional<std::uint64_t> evaluate(const Inst& inst) const {
    const Rule rule = info(inst.op).rule;
    if (!is_pure(inst.op) || rule == Rule::Custom || rule == Rule::Id || inst.operands.empty() ||
        is_float(inst.type.scalar))
      return {};
    std::vector<std::uint64_t> bits;
    for (const ValueId v : inst.operands) {
      const auto number = known(v);
      if (!number || is_float(f_.type_of(v).scalar)) return {};
      bits.push_back(*number);
    }
    return eval(inst.op, inst.type.scalar,
                f_.type_of(inst.operands[rule == Rule::Select ? 1 : 0]).scalar, bits);
  }

  Function& f_;
  Builder b_;
  const LoopExits exits_;
  const std::size_t largest_;
  Values known_;  // by value: of those outside, and of the trip that is looked at
  Substitution results_;
};

}  // namespace

void unroll_steps(Module& m, std::size_t largest) {
  for (Function& f : m.functions)
    if (any_inst(f, [](const Inst& i) { return i.op == Op::Barrier; })) Steps(f, largest).run();
}

}  // namespace krait::passes
