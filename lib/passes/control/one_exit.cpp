// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One way out for every region: break, continue and return in branches become flags and guards.
// What stands behind a branch that jumps moves into the side that goes on; where several sides go
// on, the branch says whether it left, and what follows comes under that condition. Then a loop has
// one `break` at most, in an `if` of its own region, and one `continue`, its end; a kernel has one
// `return`, its end; and a return from within a loop is a flag that the loop carries out. A `loop`
// that always breaks in its first trip is no loop any more. A loop that has one way out already
// stays as it is, and so does one that would nest too deep.
#include <algorithm>

#include "ir/text/text.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

bool branches(Op op) { return op == Op::If || op == Op::Switch; }

/// What leaves a scope, which is a loop's region or the body, from its branches and its end; loops
/// within are scopes of their own.
struct Jumps {
  unsigned breaks = 0, continues = 0, returns = 0;
  unsigned branches = 0;  // with jumps in them
  unsigned all() const { return breaks + continues + returns; }
};

class OneExit {
 public:
  explicit OneExit(Function& f) : f_(f), b_(f) {}
  void run() {
    walk(f_.body, 0);
    body();
    by_.apply(f_);
  }

 private:
  // ---- what is there ----------------------------------------------------------------------------

  void count(RegionId r, Jumps& j) const {
    for (const InstId i : f_.regions[r].insts) {
      const Op op = f_.insts[i].op;
      if (op == Op::Break) ++j.breaks;
      if (op == Op::Continue) ++j.continues;
      if (op == Op::Return) ++j.returns;
      if (branches(op) && count_in(i, j)) ++j.branches;
    }
  }
  bool count_in(InstId branch, Jumps& j) const {
    const unsigned before = j.all();
    for (const RegionId inner : f_.insts[branch].regions) count(inner, j);
    return j.all() != before;
  }
  bool jumps(InstId i) const {
    Jumps j;
    return branches(f_.insts[i].op) && count_in(i, j);
  }
  unsigned depth_of(RegionId r) const {
    unsigned most = 0;
    for (const InstId i : f_.regions[r].insts)
      for (const RegionId inner : f_.insts[i].regions) most = std::max(most, 1 + depth_of(inner));
    return most;
  }
  /// Each branch that jumps may put what follows one region deeper.
  bool fits(RegionId scope, unsigned depth, const Jumps& j) const {
    return depth + depth_of(scope) + j.branches + 2 < max_region_depth;
  }

  bool ends_in(RegionId r, Op op) const { return ir::terminator(f_, r).op == op; }

  // ---- scopes -----------------------------------------------------------------------------------

  /// Loops from the innermost out.
  void walk(RegionId r, unsigned depth) {
    for (const InstId i : take_insts(f_, r)) {
      const std::vector<RegionId> regions = f_.insts[i].regions;
      for (const RegionId inner : regions) walk(inner, depth + 1);
      if (is_loop(f_.insts[i].op)) loop(i, r, depth + 1);
      else f_.regions[r].insts.push_back(i);
    }
  }

  void loop(InstId i, RegionId r, unsigned depth) {
    const RegionId scope = f_.insts[i].regions[0];
    Jumps j;
    count(scope, j);
    const bool one_trip =
        f_.insts[i].op == Op::Loop && j.continues == 0 && j.breaks + j.returns > 0;
    const bool one_exit = j.returns == 0 && j.breaks <= 1 && j.branches <= 1 && j.continues <= 1;
    if ((one_exit && !one_trip) || !fits(scope, depth, j)) return f_.regions[r].insts.push_back(i);
    b_.location(f_.insts[i].loc);
    if (j.returns) carry_returns(i, r);
    exits_.clear(), flag_ = j.continues > 0 && j.breaks + j.returns > 0;
    if (flag_) exits_.push_back(value_type(Scalar::Bool));
    for (const ValueId v : f_.insts[i].results) exits_.push_back(f_.type_of(v));
    rewrite(scope, nullptr);
    if (one_trip && ends_in(scope, Op::Yield)) dissolve(i, r);
    else f_.regions[r].insts.push_back(i), close(scope, j.continues > 0);
    if (j.returns) return_if(f_.insts[i].results.back(), r);
  }

  /// The loop's last carried value says whether it was left by a return, which becomes a break.
  void carry_returns(InstId i, RegionId r) {
    const RegionId scope = f_.insts[i].regions[0];
    b_.at(r);
    const ValueId no = b_.constant(Scalar::Bool, 0), yes = b_.constant(Scalar::Bool, 1);
    const std::vector<ValueId>& params = f_.regions[scope].params;
    std::vector<ValueId> carried(params.begin() + loop_lead(f_.insts[i].op), params.end());
    f_.insts[i].operands.push_back(no);
    b_.new_param(scope, value_type(Scalar::Bool));
    b_.add_result(i, value_type(Scalar::Bool));
    carried.push_back(yes);
    carry(scope, no, carried);
  }
  void carry(RegionId r, ValueId no, const std::vector<ValueId>& returned) {
    for (const InstId i : f_.regions[r].insts) {
      Inst& inst = f_.insts[i];
      if (inst.op == Op::Break || inst.op == Op::Continue) inst.operands.push_back(no);
      if (inst.op == Op::Return) inst.op = Op::Break, inst.operands = returned;
      if (branches(inst.op))
        for (const RegionId inner : inst.regions) carry(inner, no, returned);
    }
  }
  void return_if(ValueId condition, RegionId r) {
    b_.at(r);
    const InstId i = b_.append(Op::If, {}, std::span(&condition, 1));
    const RegionId yes = b_.new_region(i), no = b_.new_region(i);
    end(yes, Op::Return, {});
    end(no, Op::Yield, {});
  }

  /// Makes a loop's end of the values that its region yields.
  void close(RegionId scope, bool continues) {
    Inst& last = passes::terminator(f_, scope);
    if (last.op != Op::Yield) return;  // it never gets there
    if (!flag_) {
      last.op = continues ? Op::Continue : Op::Break;
      return;
    }
    const std::vector<ValueId> values(last.operands.begin() + 1, last.operands.end());
    const ValueId leaves = last.operands[0];
    f_.regions[scope].insts.pop_back();
    b_.at(scope);
    const InstId i = b_.append(Op::If, {}, std::span(&leaves, 1));
    const RegionId yes = b_.new_region(i), no = b_.new_region(i);
    end(yes, Op::Break, values);
    end(no, Op::Yield, {});
    end(scope, Op::Continue, values);
  }

  /// The one trip, in the loop's place.
  void dissolve(InstId i, RegionId r) {
    const RegionId scope = f_.insts[i].regions[0];
    const std::vector<ValueId> values = ir::terminator(f_, scope).operands;
    std::vector<InstId> insts = take_insts(f_, scope);
    f_.regions[r].insts.insert(f_.regions[r].insts.end(), insts.begin(), insts.end() - 1);
    for (std::size_t k = 0; k < values.size(); ++k) {
      by_.replace(f_.regions[scope].params[k], f_.insts[i].operands[k]);
      by_.replace(f_.insts[i].results[k], values[k]);
    }
  }

  /// A kernel's returns; functions that are called have none.
  void body() {
    Jumps j;
    count(f_.body, j);
    if (j.branches == 0 || !fits(f_.body, 0, j) || !shared_first()) return;
    exits_.clear(), flag_ = false;
    rewrite(f_.body, nullptr);
    if (ends_in(f_.body, Op::Yield)) passes::terminator(f_, f_.body).op = Op::Return;
  }
  /// Shared arrays stand in the body itself: they and what their lengths are made of come first.
  /// False where that cannot move.
  bool shared_first() {
    std::vector<InstId>& insts = f_.regions[f_.body].insts;
    std::vector<bool> needed(f_.insts.size());
    for (std::size_t k = insts.size(); k-- > 0;) {
      const Inst& inst = f_.insts[insts[k]];
      if (inst.op != Op::Shared && !needed[insts[k]]) continue;
      if (inst.op != Op::Shared && !is_pure(inst.op)) return false;
      needed[insts[k]] = true;
      for (const ValueId v : inst.operands)
        if (f_.values[v].def != none) needed[f_.values[v].def] = true;
    }
    std::stable_partition(insts.begin(), insts.end(), [&](InstId i) { return needed[i]; });
    return true;
  }

  // ---- regions ----------------------------------------------------------------------------------

  using Types = std::vector<Type>;

  /// Afterwards the region ends in a yield alone: of what leaves the scope takes along (exits_),
  /// or, where the region may go on with values of the types `own`, of those, whether it left, and
  /// that.
  void rewrite(RegionId r, const Types* own) {
    std::vector<InstId>& insts = f_.regions[r].insts;
    const auto at = std::find_if(insts.begin(), insts.end(), [&](InstId i) { return jumps(i); });
    if (at == insts.end()) return leaf(r, own);
    const InstId branch = *at;
    const std::vector<InstId> rest(at + 1, insts.end());
    insts.erase(at + 1, insts.end());
    const std::vector<RegionId> regions = f_.insts[branch].regions;
    const auto goes_on = [&](RegionId side) { return ends_in(side, Op::Yield); };
    const auto sides = std::count_if(regions.begin(), regions.end(), goes_on);
    if (sides > 1) return guard(r, branch, rest, own);
    if (sides == 1) move_into(branch, *std::find_if(regions.begin(), regions.end(), goes_on), rest);
    for (const RegionId side : regions) rewrite(side, own);
    f_.insts[branch].results.clear(), f_.insts[branch].type = {};
    yield_results(r, branch, own);
  }

  /// The only side that goes on does so with what stands behind the branch.
  void move_into(InstId branch, RegionId side, const std::vector<InstId>& rest) {
    const std::vector<ValueId> values = ir::terminator(f_, side).operands;
    std::vector<InstId>& insts = f_.regions[side].insts;
    insts.pop_back();
    insts.insert(insts.end(), rest.begin(), rest.end());
    for (std::size_t k = 0; k < values.size(); ++k)
      by_.replace(f_.insts[branch].results[k], values[k]);
  }

  /// The branch says whether it left; what stands behind it runs where it did not.
  void guard(RegionId r, InstId branch, const std::vector<InstId>& rest, const Types* own) {
    Types results;
    for (const ValueId v : f_.insts[branch].results) results.push_back(f_.type_of(v));
    const std::vector<RegionId> regions = f_.insts[branch].regions;
    for (const RegionId side : regions) rewrite(side, &results);
    const ValueId left = b_.add_result(branch, value_type(Scalar::Bool));
    std::vector<ValueId> taken;
    for (const Type& t : exits_) taken.push_back(b_.add_result(branch, t));
    b_.location(f_.insts[branch].loc);
    b_.at(r);
    const InstId i = b_.append(Op::If, {}, std::span(&left, 1));
    const RegionId leaves = b_.new_region(i), goes_on = b_.new_region(i);
    leave(leaves, taken, own);
    f_.regions[goes_on].insts = rest;
    rewrite(goes_on, own);
    yield_results(r, i, own);
  }

  /// A region without branches that jump.
  void leaf(RegionId r, const Types* own) {
    const Inst last = ir::terminator(f_, r);
    if (last.op == Op::Unreachable) return;
    f_.regions[r].insts.pop_back();
    b_.location(last.loc);
    b_.at(r);
    std::vector<ValueId> values = last.operands;
    if (last.op == Op::Yield) {
      values.push_back(b_.constant(Scalar::Bool, 0));
      append_zeros(values, exits_);
      return end(r, Op::Yield, values);
    }
    if (flag_) values.insert(values.begin(), b_.constant(Scalar::Bool, last.op == Op::Break));
    leave(r, values, own);
  }
  void leave(RegionId r, const std::vector<ValueId>& taken, const Types* own) {
    std::vector<ValueId> values;
    b_.at(r);
    if (own) append_zeros(values, *own), values.push_back(b_.constant(Scalar::Bool, 1));
    values.insert(values.end(), taken.begin(), taken.end());
    end(r, Op::Yield, values);
  }
  void append_zeros(std::vector<ValueId>& values, const Types& types) {
    for (const Type& t : types) values.push_back(b_.constant(t.scalar, 0));
  }

  /// Gives the branch the results that its rewritten sides yield, and yields them.
  void yield_results(RegionId r, InstId branch, const Types* own) {
    Types types = own ? *own : Types{};
    if (own) types.push_back(value_type(Scalar::Bool));
    types.insert(types.end(), exits_.begin(), exits_.end());
    for (const Type& t : types) b_.add_result(branch, t);
    b_.location(f_.insts[branch].loc);
    const std::vector<ValueId> results = f_.insts[branch].results;
    end(r, Op::Yield, results);
  }
  void end(RegionId r, Op op, const std::vector<ValueId>& values) {
    b_.at(r);
    b_.append(op, {}, values);
  }

  Function& f_;
  Builder b_;
  Substitution by_;
  Types exits_;  // of the scope: what its loop carries, behind the flag
  // the scope both breaks and continues: its first exit value is whether it breaks
  bool flag_ = false;
};

}  // namespace

void one_exit(Module& m) {
  for (Function& f : m.functions) OneExit(f).run();
}

}  // namespace krait::passes
