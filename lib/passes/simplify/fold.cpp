// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folding in one walk: pure operations by simplify.h's rules, branches whose condition is known,
// branches so cheap that selects do better, loops that make no trip or only one, and what follows a
// branch that nothing leaves. Folded regions are appended to the region around them.
#include <algorithm>
#include <optional>

#include "passes/passes.h"
#include "passes/simplify/simplify.h"
#include "support/float_environment.h"
#include "support/tuning/gpu.h"
#include "support/tuning/passes.h"

namespace krait::passes {
namespace {

using namespace ir;

class Folder {
 public:
  Folder(Function& f, std::size_t most_chosen)
      : f_(f), b_(f), simplify_(b_), most_chosen_(most_chosen) {}
  void run() { fold_region(f_.body); }

 private:
  void fold_region(RegionId r) {
    const std::vector<InstId> insts = take_insts(f_, r);
    if (fold_insts(insts, 0, r)) append(insts.back(), r);
  }
  /// Everything but the terminator, which is resolved, to the end of `into`; false if what came
  /// ended `into` on its own.
  bool fold_insts(const std::vector<InstId>& insts, std::size_t begin, RegionId into) {
    for (std::size_t k = begin; k + 1 < insts.size(); ++k)
      if (!fold_inst(insts[k], into)) return false;
    resolve(same_, f_.insts[insts.back()]);
    return true;
  }
  void append(InstId i, RegionId into) { f_.regions[into].insts.push_back(i); }
  void move_to(RegionId into, std::uint32_t loc) {
    b_.at(into);
    b_.location(loc);
  }

  bool fold_inst(InstId i, RegionId into) {
    resolve(same_, f_.insts[i]);
    const Inst& inst = f_.insts[i];
    if (inst.op == Op::If) return fold_if(i, into);
    if (inst.op == Op::Switch) return fold_switch(i, into);
    if (is_loop(inst.op)) return fold_loop(i, into);
    if (info(inst.op).effect == Effect::Sync && !inst.results.empty() &&
        f_.is_const(inst.operands[0]))
      return fold_vote(i, into), true;
    if (Simplify::applies(f_, inst)) {
      Node n{
          inst.op,           inst.type.scalar, inst.fast, inst.imm, unsigned(inst.operands.size()),
          {none, none, none}};
      std::copy(inst.operands.begin(), inst.operands.end(), n.in.begin());
      const ValueId result = inst.results[0];
      move_to(into, inst.loc);
      if (const ValueId v = simplify_(n); v != none) {
        same_.replace(result, v);
        return true;
      }
      std::copy_n(n.in.begin(), n.count, f_.insts[i].operands.begin());
    }
    append(i, into);
    return true;
  }

  /// A barrier where all threads say the same is a barrier, and the answer is known. (ptxas of
  /// CUDA 13.0 takes such a barrier for a constant, too, and makes it again where the answer is
  /// used.)
  void fold_vote(InstId i, RegionId into) {
    const Op op = f_.insts[i].op;
    const ValueId vote = f_.insts[i].operands[0], result = f_.insts[i].results[0];
    const bool yes = f_.const_bits(vote) != 0;
    move_to(into, f_.insts[i].loc);
    b_.append(Op::Barrier, Type{}, {});
    if (op != Op::BarrierCount) return same_.replace(result, vote);
    if (!yes) return same_.replace(result, b_.constant(Scalar::I32, 0));
    const auto extent = [&](unsigned axis) {
      return b_.cast(Scalar::I32, b_.emit(Op::BlockDim, value_type(Scalar::I64), {}, axis));
    };
    same_.replace(result,
                  b_.binary(Op::Mul, {b_.binary(Op::Mul, {extent(0), extent(1)}), extent(2)}));
  }

  /// Puts a region's instructions in place of the branch that held it.
  bool replace_by_region(InstId branch, RegionId r, RegionId into) {
    const std::vector<InstId> insts = take_insts(f_, r);
    if (!fold_insts(insts, 0, into)) return false;
    const Inst& last = f_.insts[insts.back()];
    if (last.op != Op::Yield) {
      append(insts.back(), into);
      return false;
    }
    for (std::size_t k = 0; k < last.operands.size(); ++k)
      same_.replace(f_.insts[branch].results[k], last.operands[k]);
    return true;
  }

  bool only_unreachable(RegionId r) const {
    return f_.insts[f_.regions[r].insts.front()].op == Op::Unreachable;
  }

  bool fold_if(InstId i, RegionId into) {
    const ValueId c = f_.insts[i].operands[0];
    if (f_.is_const(c))
      return replace_by_region(i, f_.insts[i].regions[f_.const_bits(c) ? 0 : 1], into);
    for (const unsigned dead : {0u, 1u})
      if (only_unreachable(f_.insts[i].regions[dead]))
        return replace_by_region(i, f_.insts[i].regions[1 - dead], into);
    if (const Inst* d = f_.def(c); d && d->op == Op::Not) {
      f_.insts[i].operands[0] = d->operands[0];
      std::swap(f_.insts[i].regions[0], f_.insts[i].regions[1]);
      f_.insts[i].expected = opposite(f_.insts[i].expected);
    }
    const std::vector<RegionId> regions = f_.insts[i].regions;
    for (const RegionId r : regions) fold_region(r);
    if (f_.insts[i].results.size() <= most_chosen_ && is_flat(regions[0]) && is_flat(regions[1])) {
      flatten(i, into);
      return true;
    }
    return finish_branch(i, into);
  }

  bool fold_switch(InstId i, RegionId into) {
    const Inst& inst = f_.insts[i];
    const ValueId v = inst.operands[0];
    if (f_.is_const(v)) {
      const std::int64_t selector = as_int(f_.type_of(v).scalar, f_.const_bits(v));
      std::size_t k = 0;
      while (k < inst.list.size() && inst.list[k] != selector) ++k;
      return replace_by_region(i, inst.regions[k], into);
    }
    const std::vector<RegionId> regions = inst.regions;
    for (const RegionId r : regions) fold_region(r);
    return finish_branch(i, into);
  }

  /// Appends the branch. Where nothing leaves it, nothing follows it.
  bool finish_branch(InstId i, RegionId into) {
    append(i, into);
    bool yields = false;
    for (const RegionId r : f_.insts[i].regions)
      yields = yields || terminator(f_, r).op == Op::Yield;
    if (yields) {
      equal_constants(i, into);
      return true;
    }
    b_.at(into);
    b_.location(0);
    b_.append(into == f_.body && !f_.called ? Op::Return : Op::Unreachable, {}, {});
    return false;
  }

  /// A result that is one constant whichever way.
  void equal_constants(InstId i, RegionId into) {
    for (std::size_t k = 0; k < f_.insts[i].results.size(); ++k) {
      std::optional<std::uint64_t> bits;
      bool equal = true;
      for (const RegionId r : f_.insts[i].regions) {
        const Inst& last = terminator(f_, r);
        if (last.op != Op::Yield) continue;
        const ValueId v = last.operands[k];
        equal = equal && f_.is_const(v) && (!bits || *bits == f_.const_bits(v));
        if (equal) bits = f_.const_bits(v);
      }
      if (!equal || !bits) continue;
      const ValueId result = f_.insts[i].results[k];
      move_to(into, f_.insts[i].loc);
      same_.replace(result, b_.constant(f_.type_of(result).scalar, *bits));
    }
  }

  bool is_flat(RegionId r) const {
    std::size_t cost = 0;
    for (const InstId i : f_.regions[r].insts) {
      const Op op = f_.insts[i].op;
      if (op == Op::Yield) break;
      if (!is_pure(op) || is_math(op) || divides(op)) return false;
      if (op != Op::Const && info(op).rule != Rule::Id) ++cost;
    }
    return cost <= tuning::passes::flat_limit;
  }
  void flatten(InstId i, RegionId into) {
    const Inst inst = f_.insts[i];
    std::array<std::vector<ValueId>, 2> arms;
    for (unsigned side = 0; side < 2; ++side) {
      const std::vector<InstId> insts = take_insts(f_, inst.regions[side]);
      for (std::size_t k = 0; k + 1 < insts.size(); ++k) append(insts[k], into);
      arms[side] = f_.insts[insts.back()].operands;
    }
    move_to(into, inst.loc);
    for (std::size_t k = 0; k < inst.results.size(); ++k) {
      const Scalar s = f_.type_of(inst.results[k]).scalar;
      same_.replace(inst.results[k],
                    simplify_.make(Op::Select, s, {inst.operands[0], arms[0][k], arms[1][k]}));
    }
  }

  bool fold_loop(InstId i, RegionId into) {
    const Inst& inst = f_.insts[i];
    const unsigned lead = loop_lead(inst.op);
    if (lead && f_.is_const(inst.operands[0])) {
      const std::uint64_t bits = f_.const_bits(inst.operands[0]);
      if (bits == 0 || (inst.op == Op::GridStride && std::int64_t(bits) < 0)) {
        for (std::size_t k = 0; k < inst.results.size(); ++k)
          same_.replace(inst.results[k], inst.operands[lead + k]);
        return true;
      }
    }
    const RegionId body = inst.regions[0];
    fold_region(body);
    if (f_.insts[i].op == Op::Loop && terminator(f_, body).op == Op::Break &&
        !has_other_exits(body)) {
      unwrap_loop(i, into);
      return true;
    }
    append(i, into);
    return true;
  }

  /// A break or continue of the loop inside a branch.
  bool has_other_exits(RegionId r) const {
    for (const InstId i : f_.regions[r].insts) {
      const Inst& inst = f_.insts[i];
      if (is_loop(inst.op)) continue;
      for (const RegionId inner : inst.regions) {
        const Op last = terminator(f_, inner).op;
        if (last == Op::Break || last == Op::Continue || has_other_exits(inner)) return true;
      }
    }
    return false;
  }
  /// A loop that always breaks in its first trip. Its body is folded again, now that the carried
  /// values are known.
  void unwrap_loop(InstId i, RegionId into) {
    const Inst inst = f_.insts[i];
    const RegionId body = inst.regions[0];
    for (std::size_t k = 0; k < inst.operands.size(); ++k)
      same_.replace(f_.regions[body].params[k], inst.operands[k]);
    const std::vector<InstId> insts = take_insts(f_, body);
    for (std::size_t k = 0; k + 1 < insts.size(); ++k) append(insts[k], into);
    const Inst& last = f_.insts[insts.back()];
    for (std::size_t k = 0; k < last.operands.size(); ++k)
      same_.replace(inst.results[k], same_(last.operands[k]));
    unresolved_ = true;
  }

 public:
  /// Operands that were walked before they got their final value.
  void finish() {
    if (unresolved_) same_.apply(f_);
  }

 private:
  Function& f_;
  Builder b_;
  Simplify simplify_;
  Substitution same_;
  bool unresolved_ = false;
  const std::size_t most_chosen_;  // values that become selects instead of a branch
};

void fold(Module& m, std::size_t most_chosen) {
  const DefaultFloatEnvironment environment;
  for (Function& f : m.functions) {
    Folder folder(f, most_chosen);
    folder.run();
    folder.finish();
  }
}

}  // namespace

void fold(Module& m) { fold(m, ~std::size_t(0)); }
void fold_for_ptx(Module& m) { fold(m, tuning::gpu::most_chosen); }

}  // namespace krait::passes
