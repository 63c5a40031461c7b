// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large functions are cut into called ones, so that what code generators and drivers do to a
// function stays small however large the kernel is: most of it grows faster than the function. A
// part is a run of neighbouring instructions of one region, with all that is under them; what it
// needs from outside are its parameters, what is used behind it its results. What belongs to the
// kernel as a whole (ir/calls.h), memory of the block or the thread, and jumps out of the run stay
// where they are. A function with barriers stays whole: whether all threads reach them is shown by
// values, and not across calls.
#include <algorithm>
#include <cstdlib>

#include <fmt/core.h>

#include "ir/calls.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

/// Passed values, a view counted with its extents and strides. SPIR-V allows a function 255
/// parameters.
constexpr std::size_t most_passed = 100;

class Outliner {
 public:
  Outliner(Module& m, std::size_t number, std::size_t part, std::vector<Function>& made,
           unsigned& name)
      : m_(m), f_(m.functions[number]), b_(f_), part_(part), made_(made), name_(name) {}

  /// One round; a call counts as one operation in the next. False where nothing was cut.
  bool run(const Calls& calls, std::size_t largest) {
    cost_.assign(f_.insts.size(), {});
    const Cost all = measure(calls, f_.body);
    if (all.size <= largest || all.meets) return false;
    uses_ = use_counts(f_);
    inside_.assign(f_.values.size(), 0);
    uses_inside_.assign(f_.values.size(), 0);
    map_.assign(f_.values.size(), none);
    const std::size_t before = made_.size();
    walk(f_.body);
    same_.apply(f_);
    return made_.size() > before;
  }

 private:
  struct Cost {
    // without constants, which parts make again: so a part is never cut itself
    std::size_t size = 0;
    bool stays = false;  // belongs to the kernel, or names memory that no function is given
    bool returns = false, leaves_loop = false;
    bool meets = false;  // has a barrier
  };
  struct Passed {
    std::vector<ValueId> params, results;
    std::vector<ValueId> constants;  // made again inside
  };

  Cost measure(const Calls& calls, RegionId r) {
    Cost all;
    for (const InstId i : f_.regions[r].insts) {
      const Inst& inst = f_.insts[i];
      Cost own{inst.op != Op::Const, stays(calls, inst), inst.op == Op::Return,
               inst.op == Op::Break || inst.op == Op::Continue, is_barrier(inst.op)};
      for (const RegionId inner : inst.regions) add(own, measure(calls, inner));
      if (is_loop(inst.op)) own.leaves_loop = false;
      cost_[i] = own;
      add(all, own);
    }
    return all;
  }
  static void add(Cost& to, const Cost& c) {
    to.size += c.size, to.stays |= c.stays, to.returns |= c.returns,
        to.leaves_loop |= c.leaves_loop, to.meets |= c.meets;
  }
  bool stays(const Calls& calls, const Inst& inst) const {
    const OpInfo& row = info(inst.op);
    const Effect e = row.effect;
    if (e == Effect::Sync || e == Effect::Cross || e == Effect::Report || e == Effect::Slot)
      return true;
    if (knows_place(inst.op)) return true;
    if (inst.op == Op::Call && calls.belongs_to_kernel(inst.imm)) return true;
    const auto own = [&](ValueId v) {
      return f_.type_of(v).is_array() && f_.type_of(v).space != Space::Global;
    };
    return std::any_of(inst.operands.begin(), inst.operands.end(), own) ||
           std::any_of(inst.results.begin(), inst.results.end(), own);
  }

  void walk(RegionId r) {
    std::vector<InstId> run;
    std::size_t size = 0;
    const auto close = [&] {
      cut(r, run, size);
      run.clear(), size = 0;
    };
    for (const InstId i : take_insts(f_, r)) {
      const Cost& c = cost_[i];
      if (f_.insts[i].op == Op::Const) {  // in front of the run, which may use it
        f_.regions[r].insts.push_back(i);
        continue;
      }
      const bool fits = !is_terminator(f_.insts[i].op) && !c.stays && !c.returns &&
                        !c.leaves_loop && c.size <= part_;
      if (!fits || size + c.size > part_) close();
      if (fits) {
        run.push_back(i), size += c.size;
        continue;
      }
      if (c.size > part_ / 2) {
        const std::vector<RegionId> regions = f_.insts[i].regions;
        for (const RegionId inner : regions) walk(inner);
      }
      f_.regions[r].insts.push_back(i);
    }
    close();
  }

  /// Appends the run to the region, as a call where it is worth one.
  void cut(RegionId r, std::span<const InstId> run, std::size_t size) {
    if (size < std::max<std::size_t>(part_ / 4, 2)) {
      f_.regions[r].insts.insert(f_.regions[r].insts.end(), run.begin(), run.end());
      return;
    }
    const Passed passed = find_passed(run);
    std::size_t params = 0;
    for (const ValueId v : passed.params)
      params += f_.type_of(v).is_array() ? 1 + 2 * f_.type_of(v).rank : 1;
    if (params <= most_passed && passed.results.size() <= most_passed) return call(r, run, passed);
    const auto half = run.size() / 2;  // fewer instructions pass fewer values
    for (const auto piece : {run.first(half), run.subspan(half)}) {
      std::size_t s = 0;
      for (const InstId i : piece) s += cost_[i].size;
      if (piece.size() == run.size()) s = 0;
      cut(r, piece, s);
    }
  }

  template <class Visit>
  void each(std::span<const InstId> run, Visit visit) {
    for (const InstId i : run) {
      visit(f_.insts[i]);
      for (const RegionId r : f_.insts[i].regions)
        for_each_inst(f_, r, [&](InstId k, RegionId) { visit(f_.insts[k]); });
    }
  }
  Passed find_passed(std::span<const InstId> run) {
    Passed passed;
    ++stamp_;
    const auto define = [&](ValueId v) { inside_[v] = stamp_, uses_inside_[v] = 0; };  // or give
    each(run, [&](const Inst& inst) {
      for (const ValueId v : inst.results) define(v);
      for (const RegionId r : inst.regions)
        for (const ValueId v : f_.regions[r].params) define(v);
    });
    each(run, [&](const Inst& inst) {
      for (const ValueId v : inst.operands) {
        if (inside_[v] != stamp_)
          define(v), (f_.is_const(v) ? passed.constants : passed.params).push_back(v);
        ++uses_inside_[v];
      }
    });
    for (const InstId i : run)
      for (const ValueId v : f_.insts[i].results)
        if (uses_[v] > uses_inside_[v]) passed.results.push_back(v);
    return passed;
  }

  void call(RegionId r, std::span<const InstId> run, const Passed& passed) {
    Function part = new_function(fmt::format("part_{}", ++name_));
    part.called = true;
    part.inherit(f_);
    Builder into(part);
    for (const ValueId v : passed.params) map_[v] = into.new_param(part.body, f_.type_of(v));
    into.at(part.body);
    for (const ValueId v : passed.constants)
      map_[v] = into.constant(f_.type_of(v).scalar, f_.const_bits(v));
    for (const InstId i : run) clone_inst(f_, i, into, map_);
    std::vector<ValueId> yields;
    for (const ValueId v : passed.results)
      yields.push_back(map_[v]), part.results.push_back(f_.type_of(v).scalar);
    into.append(Op::Yield, {}, yields);
    move_locations(part);
    const auto forget = [&](const std::vector<ValueId>& values) {
      for (const ValueId v : values) map_[v] = none;
    };
    forget(passed.params), forget(passed.constants);
    each(run, [&](const Inst& inst) {
      forget(inst.results);
      for (const RegionId inner : inst.regions) forget(f_.regions[inner].params);
    });

    std::vector<ValueId> operands = passed.params;
    for (ValueId& v : operands) v = same_(v);
    b_.at(r);
    b_.location(f_.insts[run.front()].loc);
    const Type type = passed.results.empty() ? Type{} : f_.type_of(passed.results[0]);
    const InstId made = b_.append(Op::Call, type, operands, m_.functions.size() + made_.size());
    for (const ValueId v : passed.results) same_.replace(v, b_.add_result(made, f_.type_of(v)));
    made_.push_back(std::move(part));
  }

  /// The part keeps the places that its instructions come from.
  void move_locations(Function& part) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> known;
    for (Inst& inst : part.insts) {
      if (inst.loc == 0) continue;
      auto at = std::find_if(known.begin(), known.end(),
                             [&](const auto& k) { return k.first == inst.loc; });
      if (at == known.end()) {
        part.locations.push_back(f_.locations[inst.loc]);
        at = known.insert(known.end(), {inst.loc, std::uint32_t(part.locations.size() - 1)});
      }
      inst.loc = at->second;
    }
  }

  Module& m_;
  Function& f_;
  Builder b_;
  std::size_t part_;
  std::vector<Function>& made_;
  unsigned& name_;                                 // of the last part
  std::vector<Cost> cost_;                         // by InstId
  std::vector<std::uint32_t> uses_, uses_inside_;  // by ValueId, of those there were at the start
  // by ValueId: the run that defines or is given it
  std::vector<std::uint32_t> inside_;
  std::vector<ValueId> map_;
  std::uint32_t stamp_ = 0;
  Substitution same_;
};

}  // namespace

void outline(Module& m, std::size_t largest, std::size_t part) {
  unsigned name = 0;
  for (const Function& f : m.functions)
    if (f.name.starts_with("part_"))
      name = std::max(name, unsigned(std::strtoul(f.name.c_str() + 5, nullptr, 10)));
  for (bool again = true; again;) {
    again = false;
    std::vector<Function> made;
    const Calls calls(m);
    for (std::size_t k = 0; k < m.functions.size(); ++k)
      again |= Outliner(m, k, part, made, name).run(calls, largest);
    std::move(made.begin(), made.end(), std::back_inserter(m.functions));
    if (again) sort_functions(m);  // the next round asks what calls do
  }
}

}  // namespace krait::passes
