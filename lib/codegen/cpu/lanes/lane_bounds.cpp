// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/lanes/lane_bounds.h"

#include <cstdlib>

#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/control/fissioned.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

/// Between which two numbers v is in all lanes of the gang: v's values for two lanes' positions
/// that enclose all others, and whether they do enclose v, by its type's order. Follows operations
/// that keep or reverse order; none where there is another one.
std::optional<Bounds> LaneBounds::bounds_of(ir::ValueId v, unsigned depth) {
  using Form = Lowered::Form;
  const Lowered& x = values_.get(v);
  const Scalar s = values_.scalar_of(v);
  if (is_elsewhere(code_, v)) return {};
  if (x.form == Form::Uniform) return Bounds{x.v[0], x.v[0], b_.getTrue()};
  if (x.form == Form::Linear) {
    if (x.v.size() > 1 || x.across[0] || x.across[1] || x.across[2] || ir::bits_of(s) < 32 ||
        std::abs(x.step) > near_lanes)
      return {};
    const V first = x.v[0],
            last = b_.CreateAdd(first,
                                values_.integer(first->getType(), x.step * (shape_.width() - 1)));
    return Bounds{first, last, x.step >= 0 ? at_most(s, first, last) : at_most(s, last, first)};
  }
  const ir::Inst* def = f_.def(v);
  if (!def || depth == 0 || def->results.size() != 1) return {};
  switch (def->op) {
    case Op::Cast: return bounds_of_cast(*def, depth);
    case Op::Select: return bounds_of_select(*def, depth);
    case Op::Add:
    case Op::Sub:
    case Op::Div:
    case Op::Shr:
    case Op::Min:
    case Op::Max:
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge: return bounds_of_pair(*def, depth);
    default: return {};
  }
}

/// The order of the results is that of the operands, or its reverse: of numbers that begin again at
/// the type's end only a part does else.
Bounds LaneBounds::ordered(Scalar from, const Bounds& h, Scalar s, V first, V last, bool reversed) {
  const V kept = b_.CreateICmpEQ(at_most(from, h.first, h.last),
                                 reversed ? at_most(s, last, first) : at_most(s, first, last));
  return Bounds{first, last, b_.CreateAnd(h.holds, kept)};
}

std::optional<Bounds> LaneBounds::bounds_of_cast(const ir::Inst& def, unsigned depth) {
  const Scalar s = def.type.scalar, from = values_.scalar_of(def.operands[0]);
  if (!ir::is_int(from) || !ir::is_int(s)) return {};
  auto h = bounds_of(def.operands[0], depth - 1);
  if (!h) return {};
  const V first = arith_.cast(h->first, from, s), last = arith_.cast(h->last, from, s);
  if (ir::bits_of(s) < ir::bits_of(from)) {
    // What lies between two numbers that fit does too, unless the type begins again between them.
    const auto fits = [&](V narrow, V number) {
      return b_.CreateICmpEQ(arith_.cast(narrow, s, from), number);
    };
    h->holds = b_.CreateAnd(h->holds, b_.CreateAnd(fits(first, h->first), fits(last, h->last)));
  }
  return ordered(from, *h, s, first, last, false);
}

std::optional<Bounds> LaneBounds::bounds_of_select(const ir::Inst& def, unsigned depth) {
  if (!ir::is_int(def.type.scalar)) return {};
  const auto of = [&](unsigned k) { return bounds_of(def.operands[k], depth / 2); };
  const auto condition = of(0), chosen = of(1), other = of(2);
  if (!condition || !chosen || !other) return {};
  const V one = b_.CreateAnd(condition->holds, b_.CreateICmpEQ(condition->first, condition->last));
  const auto select = [&](V a, V b) { return b_.CreateSelect(condition->first, a, b); };
  return Bounds{select(chosen->first, other->first), select(chosen->last, other->last),
                b_.CreateAnd(one, select(chosen->holds, other->holds))};
}

/// Of two operands, one of which is uniform.
std::optional<Bounds> LaneBounds::bounds_of_pair(const ir::Inst& def, unsigned depth) {
  const Scalar s = values_.scalar_of(def.operands[0]);
  if (is_elsewhere(code_, def.operands[0]) || is_elsewhere(code_, def.operands[1])) return {};
  const bool left = values_.uniform(def.operands[0]), sums = def.op == Op::Add || def.op == Op::Sub;
  const bool divides = def.op == Op::Div || def.op == Op::Shr;
  if (!ir::is_int(s) || left == values_.uniform(def.operands[1])) return {};
  if (divides && (left || ir::is_signed_int(s))) return {};
  const auto h = bounds_of(def.operands[left ? 1 : 0], depth - 1);
  if (!h) return {};
  const V other = values_.scalar(def.operands[left ? 0 : 1]);
  const auto result = [&](V end) {
    return left ? arith_.pure(def, f_.fp, s, {other, end})
                : arith_.pure(def, f_.fp, s, {end, other});
  };
  if (!sums) return Bounds{result(h->first), result(h->last), h->holds};
  const V last = result(h->last), first = result(h->first);
  return ordered(s, *h, s, first, last, left && def.op == Op::Sub);
}

/// A scalar: true only where v is `wanted` in all lanes of the gang, which a guard against the
/// border is in all gangs but those at the border. It is made of what comparisons give for the
/// first and last lane, so that others need no masks at all. Null where v is no comparison of
/// places.
V LaneBounds::surely(ir::ValueId v, bool wanted, unsigned depth) {
  if (is_elsewhere(code_, v)) return nullptr;
  const auto is_wanted = [&](V x) { return wanted ? x : b_.CreateNot(x); };
  if (values_.uniform(v)) return is_wanted(values_.scalar(v));
  const ir::Inst* def = f_.def(v);
  if (def && depth != 0 && (def->op == Op::And || def->op == Op::Or)) {
    const V x = surely(def->operands[0], wanted, depth - 1),
            y = x ? surely(def->operands[1], wanted, depth - 1) : nullptr;
    return !y ? nullptr : (def->op == Op::And) == wanted ? b_.CreateAnd(x, y) : b_.CreateOr(x, y);
  }
  const auto ends = bounds_of(v, depth);
  return ends ? b_.CreateAnd(ends->holds,
                             b_.CreateAnd(is_wanted(ends->first), is_wanted(ends->last)))
              : nullptr;
}

V LaneBounds::at_most(Scalar s, V a, V b) {
  return b_.CreateICmp(ir::is_signed_int(s) ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_ULE, a,
                       b);
}

}  // namespace krait::codegen::cpu
