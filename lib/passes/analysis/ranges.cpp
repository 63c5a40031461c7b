// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval arithmetic in 128 bits; a result that leaves its type may have wrapped, and is then
// anything of the type.
#include "passes/analysis/ranges.h"

#include <algorithm>

namespace krait::passes {

using namespace ir;

namespace {
__extension__ using Wide = __int128;
constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t int31_max = 0x7fffffff;
// of a view, and threads of a dimension, where the fact `small` holds: a thread's number plus or
// minus a small one stays within 32 bits
constexpr std::int64_t most_elements = int31_max - Facts::room;
constexpr Range natural{0, int64_max};

Range fit(Scalar s, Wide low, Wide high) {
  const Range type = Ranges::of_type(s);
  const bool fits =
      low >= (is_unsigned_int(s) ? Wide(0) : Wide(type.low)) && high <= Wide(type.high);
  return fits ? Range{std::int64_t(low), std::int64_t(high)} : type;
}
}  // namespace

Range Ranges::of_type(Scalar s) {
  if (s == Scalar::Bool) return {0, 1};
  if (!is_int(s) || bits_of(s) == 64) return {};
  const std::int64_t span = std::int64_t(1) << bits_of(s);
  return is_signed_int(s) ? Range{-span / 2, span / 2 - 1} : Range{0, span - 1};
}

/// The integer that v is a conversion of, if it keeps the number; else none.
ValueId Ranges::same_number(ValueId v) const {
  const Inst* d = f_.def(v);
  if (!d || d->op != Op::Cast || !is_int(f_.type_of(v).scalar)) return none;
  const ValueId x = d->operands[0];
  const Scalar from = f_.type_of(x).scalar, to = f_.type_of(v).scalar;
  if (!is_int(from)) return none;
  const Range r = known(x);
  if (is_unsigned_int(to) && r.low < 0) return none;
  return (from != Scalar::U64 || r.low >= 0) && r.inside(of_type(to).low, of_type(to).high) ? x
                                                                                            : none;
}

/// What is known of v, and of what it is a conversion of: a condition may have told of either.
Range Ranges::of(ValueId v) const {
  const Range r = known(v);
  const ValueId x = same_number(v);
  if (x == none) return r;
  const Range s = known(x);
  return {std::max(r.low, s.low), std::min(r.high, s.high)};
}

void Ranges::set(ValueId v, Range r) {
  if (v >= ranges_.size()) {
    const std::size_t old = ranges_.size();
    ranges_.resize(f_.values.size());
    for (std::size_t k = old; k < ranges_.size(); ++k)
      ranges_[k] = of_type(f_.values[k].type.scalar);
  }
  ranges_[v] = r;
}

void Ranges::narrow(ValueId v, Range r) {
  const Range before = of(v);
  // Intervals that do not meet: this code is never reached.
  const Range both{std::max(before.low, r.low), std::min(before.high, r.high)};
  if (both.low > both.high || (both.low == before.low && both.high == before.high)) return;
  undo_.emplace_back(v, known(v));
  set(v, both);
  if (const ValueId x = same_number(v); x != none) narrow(x, both);
}

void Ranges::close_scope(std::size_t mark) {
  for (; undo_.size() > mark; undo_.pop_back()) ranges_[undo_.back().first] = undo_.back().second;
}

void Ranges::define(const Inst& inst) {
  if (inst.results.size() != 1 || !inst.regions.empty()) return;
  const Scalar s = f_.type_of(inst.results[0]).scalar;
  if (f_.type_of(inst.results[0]).is_value() && is_int(s)) set(inst.results[0], compute(inst));
}

void Ranges::define_index(const Inst& loop, ValueId index) {
  const Range bound = of(loop.operands[0]);
  const bool known = bound.high != int64_max && (loop.op == Op::GridStride || bound.low >= 0);
  const Range trips{0, std::max<std::int64_t>(0, bound.high - 1)};
  if (known) set(index, trips);
  else set(index, loop.op == Op::GridStride ? natural : of_type(f_.type_of(index).scalar));
}

Range Ranges::compute(const Inst& inst) const {
  const Op op = inst.op;
  const Scalar s = inst.type.scalar;
  if (op == Op::Const) {
    const std::int64_t c = as_int(s, inst.imm);
    return s == Scalar::U64 && c < 0 ? Range{} : Range{c, c};
  }
  if (op == Op::ThreadIdx || op == Op::BlockDim) {
    const std::int64_t block = f_.block[inst.imm];
    if (op == Op::BlockDim) return block ? Range{block, block} : Range{1, int31_max};
    return {0, block ? block - 1 : int31_max};
  }
  if (info(op).rule == Rule::Id) return {0, f_.facts.small ? most_elements : int64_max};
  if (op == Op::LaneId) return {0, 63};
  if (op == Op::WarpSize) return {1, 64};
  if (op == Op::Extent)
    return {0, f_.def(inst.operands[0]) ? int31_max : f_.facts.small ? most_elements : int64_max};
  if (info(op).rule == Rule::Count) return {0, 64};
  if (op == Op::Select) {
    const Inst* less = f_.def(inst.operands[0]);
    const Range a = less && less->op == Op::Lt ? above(inst.operands[1], *less)
                                               : of(inst.operands[1]),
                b = of(inst.operands[2]);
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
  }
  if (op == Op::Cast) {
    const Scalar from = f_.type_of(inst.operands[0]).scalar;
    const Range r = of(inst.operands[0]);
    return is_float(from) || (from == Scalar::U64 && r.low < 0) ? of_type(s)
                                                                : fit(s, r.low, r.high);
  }
  if (op == Op::Mul && f_.facts.small && is_size(inst)) return {0, most_elements};
  return arithmetic(inst);
}

/// Whether it is how many elements an array has: the product of all its extents. (That of some may
/// be anything where another one is 0.)
bool Ranges::is_size(const Inst& product) const {
  ValueId array = none;
  unsigned dims = 0;
  std::vector<ValueId> factors = product.operands;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const Inst* d = f_.def(factors[k]);
    if (d && d->op == Op::Mul && factors.size() < 2 * max_rank) {
      factors.insert(factors.end(), d->operands.begin(), d->operands.end());
    } else if (d && d->op == Op::Extent && (array == none || array == d->operands[0]) &&
               !(dims >> d->imm & 1)) {
      array = d->operands[0], dims |= 1u << d->imm;
    } else {
      return false;
    }
  }
  return dims + 1 == 1u << f_.type_of(array).rank;
}

Range Ranges::arithmetic(const Inst& inst) const {
  if (!is_pure(inst.op) || inst.operands.size() != 2) return of_type(inst.type.scalar);
  return arithmetic(inst.op, inst.type.scalar, of(inst.operands[0]), of(inst.operands[1]));
}

Range Ranges::arithmetic(Op op, Scalar s, Range a, Range b) {
  const Range type = of_type(s);
  // A u64 without a known interval may be above every i64.
  if (s == Scalar::U64 && (a.low < 0 || b.low < 0)) return type;
  if (op == Op::Add) return fit(s, Wide(a.low) + b.low, Wide(a.high) + b.high);
  if (op == Op::Sub) return fit(s, Wide(a.low) - b.high, Wide(a.high) - b.low);
  if (op == Op::Min) return {std::min(a.low, b.low), std::min(a.high, b.high)};
  if (op == Op::Max) return {std::max(a.low, b.low), std::max(a.high, b.high)};
  if (op == Op::Mul) {
    const Wide corners[] = {Wide(a.low) * b.low, Wide(a.low) * b.high, Wide(a.high) * b.low,
                            Wide(a.high) * b.high};
    return fit(s, *std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4));
  }
  if (op == Op::And && (a.low >= 0 || b.low >= 0))
    return {0, a.low < 0 ? b.high : b.low < 0 ? a.high : std::min(a.high, b.high)};
  if ((op == Op::Shl || op == Op::Shr) && b.low == b.high && b.low >= 0 && b.low < bits_of(s)) {
    const Wide factor = Wide(1) << b.low;
    if (op == Op::Shl) return fit(s, a.low * factor, a.high * factor);
    return a.low >= 0 ? Range{a.low >> b.low, a.high >> b.low} : type;
  }
  if (a.low < 0 || b.low < 0) return type;
  if (op == Op::Div) return {b.low > 0 ? a.low / b.high : 0, b.low > 0 ? a.high / b.low : a.high};
  if (op == Op::Rem) return {0, std::min(a.high, std::max<std::int64_t>(b.high - 1, 0))};
  return type;
}

/// What v is where x < y: the trips of a range over integers are x < y ? (y - x - 1) / step + 1 :
/// 0, whose difference is below zero elsewhere.
Range Ranges::above(ValueId v, const Inst& less) const {
  const Inst* d = f_.def(v);
  if (!d || !is_pure(d->op) || d->operands.size() != 2 || !is_int(d->type.scalar)) return of(v);
  const auto number = [&](ValueId n) {
    for (ValueId x = same_number(n); x != none; x = same_number(n)) n = x;
    return n;
  };
  const auto same = [&](std::size_t k, std::size_t of_less) {
    return number(d->operands[k]) == number(less.operands[of_less]);
  };
  if (d->op == Op::Sub && same(0, 1) && same(1, 0))
    return fit(d->type.scalar, 1, Wide(of(less.operands[1]).high) - of(less.operands[0]).low);
  if (!f_.is_const(d->operands[1])) return of(v);
  const Range x = above(d->operands[0], less), by = of(d->operands[1]);
  // What is taken off an unsigned number is added as a number near 2^64.
  const auto step = std::int64_t(f_.const_bits(d->operands[1]));
  if (d->op == Op::Add && d->type.scalar == Scalar::U64 && step < 0 && x.low >= 0)
    return fit(Scalar::U64, Wide(x.low) + step, Wide(x.high) + step);
  return arithmetic(d->op, d->type.scalar, x, by);
}

/// Conditions are joined from few parts, or from more than are worth following.
void Ranges::assume(ValueId condition, bool holds) {
  constexpr std::size_t most_parts = 32;
  std::vector<std::pair<ValueId, bool>> parts{{condition, holds}};
  for (std::size_t k = 0; k < parts.size() && k < most_parts; ++k) {
    const auto [part, true_part] = parts[k];
    const Inst* d = f_.def(part);
    if (!d) continue;
    if (d->op == Op::Not) parts.emplace_back(d->operands[0], !true_part);
    else if (d->op == (true_part ? Op::And : Op::Or))
      parts.emplace_back(d->operands[0], true_part), parts.emplace_back(d->operands[1], true_part);
    else if (info(d->op).rule == Rule::Compare) assume(*d, true_part);
  }
}

void Ranges::assume(const Inst& compare, bool holds) {
  const ValueId x = compare.operands[0], y = compare.operands[1];
  const Scalar s = f_.type_of(x).scalar;
  const Range a = of(x), b = of(y);
  if (!is_int(s) || (s == Scalar::U64 && (a.low < 0 || b.low < 0))) return;
  const Op op = compare.op;
  if (op == (holds ? Op::Eq : Op::Ne)) {
    narrow(x, b);
    narrow(y, a);
  }
  if (op == Op::Eq || op == Op::Ne) return;
  const bool less = (op == Op::Lt || op == Op::Le) == holds;            // x below y, or above
  const std::int64_t strict = (op == Op::Lt || op == Op::Gt) == holds;  // not equal
  const auto below = [&](ValueId low, Range l, ValueId high, Range h) {
    if (h.high > std::numeric_limits<std::int64_t>::min()) narrow(low, {l.low, h.high - strict});
    if (l.low < int64_max) narrow(high, {l.low + strict, h.high});
  };
  if (less) below(x, a, y, b);
  else below(y, b, x, a);
}

}  // namespace krait::passes
