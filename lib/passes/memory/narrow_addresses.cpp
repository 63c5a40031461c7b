// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Address arithmetic in 32 bits (design 3.9). An index in bounds is below 2^31, so what only feeds
// flat indices may be computed modulo 2^32: sums, products, left shifts, bitwise operations. Where
// the values feed something else too, the index is cut off at the access. Divisions, comparisons,
// minima, conversions to floats and loop counters become 32-bit only where their operands' ranges
// are proven. Comparisons, minima, maxima and absolute values that ranges decide are gone: a
// block's size is above 0, and an index that is compared with 0 once need not be again.
#include <algorithm>

#include "passes/passes.h"
#include "passes/analysis/ranges.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

constexpr std::int64_t int31_max = 0x7fffffff;

class Narrower {
 public:
  explicit Narrower(Function& f) : f_(f), b_(f), ranges_(f) {}
  void run() {
    find_address_only();
    walk(f_.body);
    same_.apply(f_);
  }

 private:
  static bool is_wide(Scalar s) { return s == Scalar::I64 || s == Scalar::U64; }
  bool is_wide(ValueId v) const {
    return f_.type_of(v).is_value() && is_wide(f_.type_of(v).scalar);
  }
  bool has_flat_index(const Inst& inst) const {
    if (!is_access(inst.op) && inst.op != Op::LoadVec && inst.op != Op::StoreVec) return false;
    return f_.facts.small || f_.type_of(inst.operands[0]).space != Space::Global;
  }
  /// The operation's low 32 bits depend on its operands' low 32 bits alone.
  bool is_modular(const Inst& inst) const {
    if (inst.results.size() != 1 || !is_wide(inst.results[0])) return false;
    const Op op = inst.op;
    if (op == Op::Shl) return f_.is_const(inst.operands[1]) && f_.const_bits(inst.operands[1]) < 32;
    if (op == Op::Cast) return is_wide(inst.operands[0]);
    return op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Neg || op == Op::And ||
           op == Op::Or || op == Op::Xor || op == Op::Not || op == Op::Select;
  }

  /// Backwards, so that all uses of a value come before its definition. What a loop carries counts
  /// as another use.
  void find_address_only() {
    std::vector<InstId> order;
    for_each_inst(f_, [&](InstId i, RegionId) { order.push_back(i); });
    const std::vector<std::uint32_t> uses = use_counts(f_);
    std::vector<std::uint32_t> good(f_.values.size(), 0);
    address_only_.assign(f_.values.size(), false);
    for (std::size_t n = order.size(); n-- > 0;) {
      const Inst& inst = f_.insts[order[n]];
      if (has_flat_index(inst)) ++good[inst.operands[1]];
      if (!is_modular(inst)) continue;
      const ValueId v = inst.results[0];
      if (good[v] != uses[v]) continue;
      address_only_[v] = true;
      const std::size_t begin = inst.op == Op::Select ? 1 : 0,
                        end = inst.op == Op::Shl ? 1 : inst.operands.size();
      for (std::size_t k = begin; k < end; ++k) ++good[inst.operands[k]];
    }
  }

  /// v's low bits as type s, at the builder's place.
  ValueId low(ValueId v, Scalar s) {
    const Scalar from = f_.type_of(v).scalar;
    if (from == s) return v;
    if (f_.is_const(v))
      return b_.constant(s, std::uint64_t(as_int(from, f_.const_bits(v))) & mask_of(s));
    const Inst* d = f_.def(v);
    const bool through = d && d->op == Op::Cast && bits_of(from) >= bits_of(s) &&
                         !is_float(f_.type_of(d->operands[0]).scalar);
    if (through) return low(d->operands[0], s);
    const ValueId cut = b_.emit(Op::Cast, s, {v});
    ranges_.define(*f_.def(cut));
    return cut;
  }

  void walk(RegionId r) {
    const std::size_t scope = ranges_.open_scope();
    for (const InstId i : take_insts(f_, r)) {
      b_.at(r);
      b_.location(f_.insts[i].loc);
      resolve(same_, f_.insts[i]);
      if (has_flat_index(f_.insts[i])) {
        const ValueId index = low_index(f_.insts[i].operands[1]);
        f_.insts[i].operands[1] = index;
      } else if (is_modular(f_.insts[i]) && address_only_[f_.insts[i].results[0]]) {
        make_modular(i);
      } else if (f_.insts[i].op == Op::For) {
        narrow_counter(i);
      } else {
        ranges_.define(f_.insts[i]);
        if (decide(i) || narrow_proven(i)) continue;
      }
      f_.regions[r].insts.push_back(i);
      if (!f_.insts[i].regions.empty()) walk_regions(i);
    }
    ranges_.close_scope(scope);
  }

  ValueId low_index(ValueId v) { return is_wide(v) ? low(v, Scalar::I32) : v; }

  void make_modular(InstId i) {
    const Op op = f_.insts[i].op;
    const std::size_t begin = op == Op::Select ? 1 : 0,
                      end = op == Op::Shl ? 1 : f_.insts[i].operands.size();
    for (std::size_t k = begin; k < end; ++k) {
      const ValueId v = low(f_.insts[i].operands[k], Scalar::I32);
      f_.insts[i].operands[k] = v;
    }
    Inst& inst = f_.insts[i];
    // the cast itself is left to dce
    if (op == Op::Cast) return same_.replace(inst.results[0], inst.operands[0]);
    inst.type = value_type(Scalar::I32);
    f_.values[inst.results[0]].type = inst.type;
  }

  /// Replaces the operation by what it gives for all operands that there can be.
  bool decide(InstId i) {
    const Inst inst = f_.insts[i];
    const bool compare = info(inst.op).rule == Rule::Compare;
    if (!compare && inst.op != Op::Min && inst.op != Op::Max && inst.op != Op::Abs) return false;
    const ValueId x = inst.operands[0], y = inst.operands.back();
    const Scalar s = f_.type_of(x).scalar;
    if (!f_.type_of(x).is_value() || !is_int(s)) return false;
    const Range a = ranges_.of(x), b = ranges_.of(y);
    if (s == Scalar::U64 && (a.low < 0 || b.low < 0)) return false;  // may be above every i64
    if (inst.op == Op::Abs) return a.low >= 0 && is(inst, x);
    const bool below = a.high<b.low, above = a.low> b.high, not_above = a.high <= b.low,
               not_below = a.low >= b.high;
    const auto gives = [&](bool yes, bool no) {
      return (yes || no) && is(inst, b_.constant(Scalar::Bool, yes));
    };
    switch (inst.op) {
      case Op::Min: return (not_above && is(inst, x)) || (not_below && is(inst, y));
      case Op::Max: return (not_below && is(inst, x)) || (not_above && is(inst, y));
      case Op::Lt: return gives(below, not_below);
      case Op::Le: return gives(not_above, above);
      case Op::Gt: return gives(above, not_above);
      case Op::Ge: return gives(not_below, below);
      case Op::Eq: return gives(false, below || above);
      case Op::Ne: return gives(below || above, false);
      default: return false;
    }
  }
  bool is(const Inst& inst, ValueId v) {
    same_.replace(inst.results[0], v);
    return true;
  }

  /// Replaces the operation by one in 32 bits and a cast where the operands are proven small.
  bool narrow_proven(InstId i) {
    const Inst inst = f_.insts[i];
    if (inst.op == Op::Cast && is_float(inst.type.scalar)) return narrow_conversion(inst);
    const bool compare = info(inst.op).rule == Rule::Compare,
               divide = inst.op == Op::Div || inst.op == Op::Rem;
    if (!compare && !divide && inst.op != Op::Min && inst.op != Op::Max) return false;
    const ValueId x = inst.operands[0], y = inst.operands[1];
    if (!is_wide(x)) return false;
    const std::int64_t lowest = divide || f_.type_of(x).scalar == Scalar::U64 ? 0 : -int31_max - 1;
    if (!ranges_.of(x).inside(lowest, int31_max) || !ranges_.of(y).inside(lowest, int31_max))
      return false;
    const Scalar s = divide ? Scalar::U32 : Scalar::I32;
    const ValueId a = low(x, s), c = low(y, s);
    const ValueId v = compare ? b_.compare(inst.op, {a, c}) : b_.binary(inst.op, {a, c});
    ranges_.define(f_.insts[f_.values[v].def]);
    const ValueId result = compare ? v : b_.cast(inst.type.scalar, v);
    if (!compare) ranges_.define(f_.insts[f_.values[result].def]);
    same_.replace(inst.results[0], result);
    return true;
  }

  /// A float is made of 32 bits where those are all; few machines convert 64 in one step.
  bool narrow_conversion(const Inst& inst) {
    const ValueId x = inst.operands[0];
    if (!is_wide(x) ||
        !ranges_.of(x).inside(f_.type_of(x).scalar == Scalar::U64 ? 0 : -int31_max - 1, int31_max))
      return false;
    same_.replace(inst.results[0], b_.emit(Op::Cast, inst.type.scalar, {low(x, Scalar::I32)}));
    return true;
  }

  /// A u64 count that is proven small becomes u32, and the index is widened inside.
  void narrow_counter(InstId i) {
    const RegionId body = f_.insts[i].regions[0];
    const ValueId count = f_.insts[i].operands[0], index = f_.regions[body].params[0];
    if (f_.type_of(count).scalar != Scalar::U64 || !ranges_.of(count).inside(0, int31_max)) return;
    const ValueId narrow = low(count, Scalar::U32);
    f_.insts[i].operands[0] = narrow;
    const std::vector<ValueId> params = f_.regions[body].params;
    f_.regions[body].params.clear();
    const ValueId counter = b_.new_param(body, value_type(Scalar::U32));
    f_.regions[body].params.insert(f_.regions[body].params.end(), params.begin() + 1, params.end());
    const std::vector<InstId> insts = take_insts(f_, body);
    b_.at(body);
    const ValueId wide = b_.emit(Op::Cast, Scalar::U64, {counter});
    f_.regions[body].insts.insert(f_.regions[body].insts.end(), insts.begin(), insts.end());
    same_.replace(index, wide);
  }

  void walk_regions(InstId i) {
    const Inst inst = f_.insts[i];
    if (inst.op == Op::For || inst.op == Op::GridStride)
      ranges_.define_index(inst, f_.regions[inst.regions[0]].params[0]);
    if (inst.op != Op::If) {
      for (const RegionId r : inst.regions) walk(r);
      return;
    }
    for (const unsigned side : {0u, 1u}) {
      const std::size_t scope = ranges_.open_scope();
      ranges_.assume(inst.operands[0], side == 0);
      walk(inst.regions[side]);
      ranges_.close_scope(scope);
    }
    // Behind a branch that one side leaves, the other side's condition holds to the end of the
    // region.
    const bool goes_on[] = {terminator(f_, inst.regions[0]).op == Op::Yield,
                            terminator(f_, inst.regions[1]).op == Op::Yield};
    if (goes_on[0] != goes_on[1]) ranges_.assume(inst.operands[0], goes_on[0]);
  }

  Function& f_;
  Builder b_;
  Ranges ranges_;
  Substitution same_;
  std::vector<bool> address_only_;  // by value, of those there were at the start
};

}  // namespace

void narrow_addresses(Module& m) {
  for (Function& f : m.functions)
    if (f.flat) Narrower(f).run();
}

}  // namespace krait::passes
