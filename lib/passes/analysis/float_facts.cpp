// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward, to a fixed point: carried values of loops begin with the facts of their initial values,
// and may be any size. Intervals round as the operations do, so that they hold for results.
#include "passes/analysis/float_facts.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "passes/rewrite.h"

namespace krait::passes {

using namespace ir;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Nothing yet: what a value is before any way to it was looked at.
constexpr FloatFacts nothing{false, false, false, infinity, -infinity};

bool is_known(Scalar s) { return s == Scalar::F32 || s == Scalar::F64; }

FloatFacts join(const FloatFacts& a, const FloatFacts& b) {
  return {a.nan || b.nan, a.signals || b.signals, a.minus_zero || b.minus_zero,
          std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// Rounded to the type; what is not a number says nothing.
FloatFacts between(Scalar s, double low, double high, bool nan, bool minus_zero) {
  const auto rounded = [s](double x) { return s == Scalar::F32 ? double(float(x)) : x; };
  low = rounded(low), high = rounded(high);
  return {nan, false, minus_zero, low == low ? low : -infinity, high == high ? high : infinity};
}

}  // namespace

FloatRanges::FloatRanges(const Function& f) : f_(f), facts_(f.values.size()) {
  const auto worth = [&](const Inst& i) {
    return (i.op == Op::Min || i.op == Op::Max) ? is_known(i.type.scalar)
           : i.op == Op::Cast ? is_int(i.type.scalar) && is_known(f.type_of(i.operands[0]).scalar)
                              : false;
  };
  if (!any_inst(f, worth)) {
    facts_.clear();
    return;
  }
  const LoopExits exits(f);
  breaks_ = exits.breaks, continues_ = exits.continues;
  for_each_inst(f, [&](InstId i, RegionId) {
    for (const ValueId v : f.insts[i].results) facts_[v] = nothing;
    if (!is_loop(f.insts[i].op)) return;
    for (const RegionId r : f.insts[i].regions)
      for (const ValueId v : f.regions[r].params) facts_[v] = nothing;
  });
  do {
    changed_ = false;
    walk(f.body);
  } while (changed_);
}

void FloatRanges::set(ValueId v, const FloatFacts& facts) {
  const FloatFacts now = join(facts_[v], facts);
  changed_ |= now != facts_[v];
  facts_[v] = now;
}

bool FloatRanges::walk(RegionId r) {
  for (const InstId i : f_.regions[r].insts) {
    const Inst& inst = f_.insts[i];
    if (is_loop(inst.op)) {
      loop(i);
    } else if (!inst.regions.empty()) {
      branch(inst);
    } else {
      for (const ValueId v : inst.results) set(v, compute(inst));
    }
  }
  return changed_;
}

void FloatRanges::branch(const Inst& inst) {
  for (const RegionId r : inst.regions) {
    walk(r);
    const Inst& last = f_.insts[f_.regions[r].insts.back()];
    if (last.op == Op::Yield)
      for (std::size_t k = 0; k < inst.results.size(); ++k)
        set(inst.results[k], of(last.operands[k]));
  }
}

void FloatRanges::loop(InstId i) {
  const Inst& inst = f_.insts[i];
  const unsigned lead = loop_lead(inst.op);
  const RegionId body = inst.regions[0];
  const auto& params = f_.regions[body].params;
  for (unsigned k = 0; k < lead && k < params.size(); ++k) set(params[k], {});
  const auto carried = [&](std::size_t k, FloatFacts facts) {  // of any size, or it may not end
    if (facts.low <= facts.high) facts.low = -infinity, facts.high = infinity;
    set(params[lead + k], facts);
    if (inst.op != Op::Loop) set(inst.results[k], facts);
  };
  const std::size_t count = inst.results.size();
  for (std::size_t k = 0; k < count; ++k) carried(k, of(inst.operands[lead + k]));
  walk(body);
  for (const InstId next : continues_[i])
    for (std::size_t k = 0; k < count; ++k) carried(k, of(f_.insts[next].operands[k]));
  for (const InstId end : breaks_[i])
    for (std::size_t k = 0; k < count; ++k) set(inst.results[k], of(f_.insts[end].operands[k]));
}

FloatFacts FloatRanges::product(ValueId x, ValueId y) const {
  const FloatFacts &a = of(x), &b = of(y);
  const bool square = x == y;
  const auto unbounded = [](const FloatFacts& k) {
    return k.low == -infinity || k.high == infinity;
  };
  const bool nan =
      a.nan || b.nan || (!square && ((a.zero() && unbounded(b)) || (b.zero() && unbounded(a))));
  const double ends[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  double low = infinity, high = -infinity;
  for (const double e : ends) low = std::fmin(low, e), high = std::fmax(high, e);
  if (std::any_of(std::begin(ends), std::end(ends), [](double e) { return e != e; }))
    low = -infinity, high = infinity;
  if (square) low = std::max(low, 0.0);
  const bool positive = a.low >= 0 && b.low >= 0 && !a.minus_zero && !b.minus_zero;
  return {nan, false, !square && !positive, low, high};
}

FloatFacts FloatRanges::cast(const Inst& inst) const {
  const Scalar to = inst.type.scalar, from = f_.type_of(inst.operands[0]).scalar;
  if (is_known(from)) {
    const FloatFacts& a = of(inst.operands[0]);
    // a small negative number may become -0; there and back again is no conversion
    FloatFacts r = between(to, a.low, a.high, a.nan, a.minus_zero || (a.low < 0 && a.high > -1));
    r.signals = a.signals;
    return r;
  }
  if (is_float(from)) return {};
  if (from == Scalar::Bool) return between(to, 0, 1, false, false);
  const int bits = int(bits_of(from)), sign = is_signed_int(from);
  return between(to, sign ? -std::ldexp(1.0, bits - 1) : 0, std::ldexp(1.0, bits - sign) - 1, false,
                 false);
}

FloatFacts FloatRanges::compute(const Inst& inst) const {
  const Scalar s = inst.type.scalar;
  if (inst.results.size() != 1 || !is_known(s)) return {};
  const auto at = [&](std::size_t k) -> const FloatFacts& { return of(inst.operands[k]); };
  const auto sum = [s](const FloatFacts& a, const FloatFacts& b, bool minus_zero) {
    const bool opposite =
        (a.low == -infinity && b.high == infinity) || (a.high == infinity && b.low == -infinity);
    return between(s, a.low + b.low, a.high + b.high, a.nan || b.nan || opposite, minus_zero);
  };
  const auto negative = [](const FloatFacts& a) {
    return FloatFacts{a.nan, a.signals, a.zero(), -a.high, -a.low};
  };
  const auto rounded = [&](double (*round)(double)) {
    const FloatFacts& a = at(0);
    return between(s, round(a.low), round(a.high), a.nan,
                   a.minus_zero || (a.low < 0 && a.high > -1));
  };
  switch (inst.op) {
    case Op::Const: {
      const std::uint64_t bits = inst.imm;
      const double x = s == Scalar::F64 ? std::bit_cast<double>(bits)
                                        : double(std::bit_cast<float>(std::uint32_t(bits)));
      if (x != x) return {true, true, false, infinity, -infinity};
      return {false, false, x == 0 && std::signbit(x), x, x};
    }
    case Op::Add: return sum(at(0), at(1), at(0).minus_zero && at(1).minus_zero);
    case Op::Sub: return sum(at(0), negative(at(1)), at(0).minus_zero && at(1).zero());
    case Op::Mul: {
      const FloatFacts p = product(inst.operands[0], inst.operands[1]);
      return between(s, p.low, p.high, p.nan, p.minus_zero);
    }
    case Op::Fma: {
      const FloatFacts p = product(inst.operands[0], inst.operands[1]);
      const FloatFacts& c = at(2);
      const bool positive = p.low >= 0 && c.low >= 0;
      FloatFacts r = sum(p, c, !positive || (p.minus_zero && c.minus_zero));
      // here the product was rounded
      const double off =
          0x1p-20 * std::max({std::fabs(p.low), p.high, std::fabs(c.low), std::fabs(c.high)});
      r = between(s, r.low - off, r.high + off, r.nan, r.minus_zero);
      if (positive) r.low = std::max(r.low, 0.0);
      return r;
    }
    case Op::Neg: return negative(at(0));
    case Op::Abs: {
      const FloatFacts& a = at(0);
      return {a.nan, a.signals, false, std::max({a.low, -a.high, 0.0}), std::max(-a.low, a.high)};
    }
    case Op::Sqrt: {
      const FloatFacts& a = at(0);
      return between(s, std::sqrt(std::max(a.low, 0.0)), std::sqrt(std::max(a.high, 0.0)),
                     a.nan || a.low < 0, a.minus_zero);
    }
    case Op::Floor: return rounded([](double x) { return std::floor(x); });
    case Op::Ceil: return rounded([](double x) { return std::ceil(x); });
    case Op::Trunc: return rounded([](double x) { return std::trunc(x); });
    case Op::Rint: return rounded([](double x) { return std::nearbyint(x); });
    case Op::Min:
    case Op::Max: {
      const FloatFacts &a = at(0), &b = at(1);
      FloatFacts r = join(a, b);
      r.nan = a.nan && b.nan;
      r.signals = r.nan && r.signals;
      if (inst.op == Op::Min && !a.nan) r.high = std::min(r.high, a.high);
      if (inst.op == Op::Min && !b.nan) r.high = std::min(r.high, b.high);
      if (inst.op == Op::Max && !a.nan) r.low = std::max(r.low, a.low);
      if (inst.op == Op::Max && !b.nan) r.low = std::max(r.low, b.low);
      return r;
    }
    case Op::Select: return join(at(1), at(2));
    case Op::Cast: return cast(inst);
    case Op::Div:
    case Op::Rsqrt: return {true, false, true};
    default: return {};
  }
}

}  // namespace krait::passes
