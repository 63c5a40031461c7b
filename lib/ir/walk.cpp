// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/walk.h"

namespace krait::ir {

std::vector<std::uint32_t> use_counts(const Function& f) {
  std::vector<std::uint32_t> counts(f.values.size());
  for_each_inst(f, [&](InstId i, RegionId) {
    for (const ValueId v : f.insts[i].operands) ++counts[v];
  });
  return counts;
}

std::vector<RegionId> holders(const Function& f) {
  std::vector<RegionId> out(f.insts.size(), none);
  for_each_inst(f, [&](InstId i, RegionId r) { out[i] = r; });
  return out;
}

void Substitution::replace(ValueId v, ValueId by) {
  by = (*this)(by);
  if (by == v) return;
  if (v >= by_.size()) by_.resize(v + 1, none);
  by_[v] = by;
}

ValueId Substitution::operator()(ValueId v) const {
  ValueId last = v;
  while (last < by_.size() && by_[last] != none) last = by_[last];
  while (v != last) {
    const ValueId next = by_[v];
    by_[v] = last;
    v = next;
  }
  return last;
}

void Substitution::apply(Function& f) const {
  if (empty()) return;
  for_each_inst(f, [&](InstId i, RegionId) {
    for (ValueId& v : f.insts[i].operands) v = (*this)(v);
  });
}

namespace {

class Cloner {
 public:
  Cloner(const Function& source, Builder& builder, std::vector<ValueId>& map, bool locations)
      : source_(source), builder_(builder), map_(map), locations_(locations) {}

  std::vector<ValueId> mapped(const std::vector<ValueId>& operands) const {
    std::vector<ValueId> out = operands;
    for (ValueId& v : out)
      if (v < map_.size() && map_[v] != none) v = map_[v];
    return out;
  }

  InstId one(InstId i) {
    inst(i);
    return builder_.function().regions[builder_.region()].insts.back();
  }
  void region(RegionId from, bool terminated) {
    const std::vector<InstId> insts = source_.regions[from].insts;
    for (const InstId i : insts)
      if (terminated || !is_terminator(source_.insts[i].op)) inst(i);
  }

 private:
  void set(ValueId from, ValueId to) {
    if (from >= map_.size()) map_.resize(from + 1, none);
    map_[from] = to;
  }

  // Tables may move while they grow (source may be the builder's function): nothing is held across
  // a call of the builder.
  void inst(InstId i) {
    Function& f = builder_.function();
    const Inst original = source_.insts[i];
    const RegionId here = builder_.region();
    const InstId copy = builder_.append(original.op, original.type, mapped(original.operands));
    f.insts[copy].attributes() = original;
    if (locations_) f.insts[copy].loc = original.loc;
    for (const ValueId v : original.results)
      set(v, builder_.add_result(copy, Type(source_.values[v].type)));
    for (const RegionId r : original.regions) {
      const RegionId inner = builder_.new_region(copy);
      for (std::size_t p = 0; p < source_.regions[r].params.size(); ++p) {
        const ValueId v = source_.regions[r].params[p];
        set(v, builder_.new_param(inner, Type(source_.values[v].type)));
      }
      builder_.at(inner);
      region(r, true);
    }
    builder_.at(here);
  }

  const Function& source_;
  Builder& builder_;
  std::vector<ValueId>& map_;
  bool locations_;
};

}  // namespace

std::vector<ValueId> clone_region(const Function& source, RegionId from, Builder& builder,
                                  std::vector<ValueId>& map, bool terminated, bool locations) {
  Cloner cloner(source, builder, map, locations);
  cloner.region(from, terminated);
  return cloner.mapped(terminator(source, from).operands);
}

InstId clone_inst(const Function& source, InstId inst, Builder& builder, std::vector<ValueId>& map,
                  bool locations) {
  return Cloner(source, builder, map, locations).one(inst);
}

bool is_below_2_31(const Function& f, ValueId v, int depth) {
  const Inst* d = f.def(v);
  if (!d || depth == 0) return false;
  const auto below = [&](std::size_t k) { return is_below_2_31(f, d->operands[k], depth - 1); };
  if (d->op == Op::Const) return std::int64_t(d->imm) < (std::int64_t(1) << 31);
  if (d->op == Op::Extent) return f.facts.small && f.type_of(d->operands[0]).space == Space::Global;
  if (d->op == Op::Cast) {
    const Scalar from = f.type_of(d->operands[0]).scalar;
    return is_int(from) && size_of(from) <= 4 && from != Scalar::U32;
  }
  if (d->op == Op::Min) return below(0) || below(1);
  if (d->op == Op::Max) return below(0) && below(1);
  if (d->op == Op::Select) return below(1) && below(2);
  if (d->op == Op::And)
    return f.is_const(d->operands[1]) && below(1) &&
           std::int64_t(f.const_bits(d->operands[1])) >= 0;
  if (d->op == Op::Div)
    return below(0) && f.is_const(d->operands[1]) && std::int64_t(f.const_bits(d->operands[1])) > 0;
  return d->op == Op::Shr && below(0);
}

}  // namespace krait::ir
