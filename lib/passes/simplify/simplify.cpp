// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of fold for integers, booleans and conversions; simplify_float.cpp and
// simplify_position.cpp have the others.
#include "passes/simplify/simplify.h"

#include <algorithm>
#include <bit>

#include "ir/interp/interp.h"

namespace krait::passes {

using namespace ir;

bool Simplify::applies(const Function& f, const Inst& inst) {
  if (!is_pure(inst.op) || inst.op == Op::Const || is_math(inst.op) || inst.results.size() != 1)
    return false;
  return inst.operands.size() <= 3 && f.type_of(inst.results[0]).is_value();
}

ValueId Simplify::make(Op op, Scalar s, std::initializer_list<ValueId> operands, std::uint64_t imm,
                       bool fast) {
  Node n{op, s, fast, imm, unsigned(operands.size()), {none, none, none}};
  std::copy(operands.begin(), operands.end(), n.in.begin());
  if (const ValueId v = (*this)(n); v != none) return v;
  const ValueId v = b_->emit(op, value_type(s), std::span(n.in.data(), n.count), imm);
  f_->insts[f_->values[v].def].fast = fast;
  return v;
}

ValueId Simplify::operator()(Node& n) {
  if (const ValueId v = evaluate(n); v != none) return v;
  if (is_commutative(n.op) && f_->is_const(n.in[0])) std::swap(n.in[0], n.in[1]);
  switch (info(n.op).rule) {
    case Rule::Same:
    case Rule::Shift:
      if (n.op == Op::Not) return complement(n);
      if (n.op == Op::Neg || n.op == Op::Abs) return negation(n);
      return is_float(n.scalar) ? floating(n) : n.scalar == Scalar::Bool ? bitwise(n) : integer(n);
    case Rule::Compare: return comparison(n);
    case Rule::Select: return select(n);
    case Rule::Convert: return n.op == Op::Cast ? cast(n) : none;
    case Rule::Bits:
      if (type(n.in[0]) == n.scalar) return n.in[0];
      if (const Inst* inner = def(n.in[0], Op::Bitcast))
        return make(Op::Bitcast, n.scalar, {inner->operands[0]});
      return none;
    case Rule::Id: return shape(n);
    case Rule::Custom:
      if (n.op == Op::WarpSize)
        return f_->facts.warp ? constant(Scalar::I32, f_->facts.warp) : none;
      return n.op == Op::Extent || n.op == Op::Stride ? shape(n) : none;
    case Rule::Test:
    case Rule::Count: return none;
  }
  return none;
}

ValueId Simplify::evaluate(const Node& n) {
  const Rule rule = info(n.op).rule;
  if (rule == Rule::Custom || rule == Rule::Id) return none;
  std::uint64_t bits[3] = {};
  for (unsigned k = 0; k < n.count; ++k) {
    if (!f_->is_const(n.in[k])) return none;
    bits[k] = f_->const_bits(n.in[k]);
  }
  const ValueId typed = rule == Rule::Select ? n.in[1] : n.in[0];
  return constant(n.scalar, eval(n.op, n.scalar, type(typed), std::span(bits, n.count)));
}

// ---- integers -----------------------------------------------------------------------------------

ValueId Simplify::integer(const Node& n) {
  const Op op = n.op;
  const ValueId x = n.in[0], y = n.in[1];
  if (op == Op::Add || op == Op::Sub) return integer_sum(n);
  if (op == Op::Div || op == Op::Rem) return integer_division(n);
  if (op == Op::And || op == Op::Or || op == Op::Xor) return bitwise(n);
  if (op == Op::Mul) return integer_product(n);
  if (op == Op::Shl || op == Op::Shr) {
    const bool by_nothing = f_->is_const(y) && (f_->const_bits(y) & (bits_of(n.scalar) - 1)) == 0;
    return by_nothing || is(x, 0) ? x : none;
  }
  if (op == Op::Min || op == Op::Max) {
    if (x == y) return x;
    if (is_natural(x) && f_->is_const(y) && as_int(n.scalar, f_->const_bits(y)) <= 0)
      return op == Op::Max ? x : y;
  }
  return none;
}

ValueId Simplify::integer_product(const Node& n) {
  const ValueId x = n.in[0], y = n.in[1];
  if (is(y, 0)) return y;
  if (is(y, 1)) return x;
  if (const ValueId v = position(n); v != none) return v;
  const Inst* inner = def(x, Op::Mul);
  if (!inner || !f_->is_const(y) || !f_->is_const(inner->operands[1])) return none;
  const ValueId a = inner->operands[0];
  return make(Op::Mul, n.scalar,
              {a, constant(n.scalar, f_->const_bits(y) * f_->const_bits(inner->operands[1]))});
}

ValueId Simplify::integer_sum(const Node& n) {
  const Scalar s = n.scalar;
  ValueId x = n.in[0], y = n.in[1];
  if (n.op == Op::Sub) {
    if (x == y) return constant(s, 0);
    if (f_->is_const(y)) return make(Op::Add, s, {x, constant(s, 0 - f_->const_bits(y))});
    if (is(x, 0)) return make(Op::Neg, s, {y});
    if (const Inst* minus = def(y, Op::Neg)) return make(Op::Add, s, {x, minus->operands[0]});
    if (const Inst* sum = def(x, Op::Add)) {  // (a + b) - b
      if (sum->operands[1] == y) return sum->operands[0];
      if (sum->operands[0] == y) return sum->operands[1];
    }
    return none;
  }
  if (is(y, 0)) return x;
  if (const ValueId v = position(n); v != none) return v;
  if (const Inst* minus = def(y, Op::Neg)) return make(Op::Sub, s, {x, minus->operands[0]});
  if (const Inst* minus = def(x, Op::Neg)) return make(Op::Sub, s, {y, minus->operands[0]});
  if (const Inst* difference = def(x, Op::Sub); difference && difference->operands[1] == y)
    return difference->operands[0];
  if (const Inst* difference = def(y, Op::Sub); difference && difference->operands[1] == x)
    return difference->operands[0];
  if (const Inst* sum = def(x, Op::Add); sum && f_->is_const(y) && f_->is_const(sum->operands[1])) {
    const ValueId a = sum->operands[0];
    return make(Op::Add, s, {a, constant(s, f_->const_bits(y) + f_->const_bits(sum->operands[1]))});
  }
  return none;
}

ValueId Simplify::integer_division(const Node& n) {
  const Scalar s = n.scalar;
  const ValueId x = n.in[0], y = n.in[1];
  const bool div = n.op == Op::Div;
  if (is(x, 0) || is(y, 0)) return constant(s, 0);
  if (is(y, 1)) return div ? x : constant(s, 0);
  if (is_signed_int(s) && is(y, ~std::uint64_t(0)))
    return div ? make(Op::Neg, s, {x}) : constant(s, 0);
  if (!div && x == y) return constant(s, 0);
  if (!is_unsigned_int(s) || !f_->is_const(y) || !std::has_single_bit(f_->const_bits(y)))
    return none;
  const std::uint64_t c = f_->const_bits(y);
  if (div) return make(Op::Shr, s, {x, constant(s, std::uint64_t(std::countr_zero(c)))});
  return make(Op::And, s, {x, constant(s, c - 1)});
}

ValueId Simplify::bitwise(const Node& n) {
  const Scalar s = n.scalar;
  const ValueId x = n.in[0], y = n.in[1];
  const std::uint64_t ones = mask_of(s);
  if (x == y) return n.op == Op::Xor ? constant(s, 0) : x;
  if (is(y, 0)) return n.op == Op::And ? y : x;
  if (is(y, ones)) {
    if (n.op == Op::And) return x;
    return n.op == Op::Or ? y : make(Op::Not, s, {x});
  }
  const Inst *not_x = def(x, Op::Not), *not_y = def(y, Op::Not);
  if ((not_x && not_x->operands[0] == y) || (not_y && not_y->operands[0] == x))
    return constant(s, n.op == Op::And ? 0 : ones);
  if (const Inst* inner = f_->def(x);
      inner && inner->op == n.op && f_->is_const(y) && f_->is_const(inner->operands[1])) {
    const std::uint64_t a = f_->const_bits(y), b = f_->const_bits(inner->operands[1]);
    const ValueId v = inner->operands[0];
    return make(n.op, s,
                {v, constant(s, n.op == Op::And  ? a & b
                                : n.op == Op::Or ? a | b
                                                 : a ^ b)});
  }
  return none;
}

// ---- booleans and conversions -------------------------------------------------------------------

namespace {
/// The comparison that is true where `op` is false; for floats only of == and !=, since a NaN makes
/// the others false both ways.
bool inverse(Op op, bool floats, Op& out) {
  constexpr std::pair<Op, Op> pairs[] = {{Op::Eq, Op::Ne}, {Op::Lt, Op::Ge}, {Op::Gt, Op::Le}};
  for (const auto& [a, b] : pairs) {
    if (op != a && op != b) continue;
    out = op == a ? b : a;
    return !floats || a == Op::Eq;
  }
  return false;
}
/// The comparison with its operands exchanged.
Op mirrored(Op op) {
  return op == Op::Lt   ? Op::Gt
         : op == Op::Gt ? Op::Lt
         : op == Op::Le ? Op::Ge
         : op == Op::Ge ? Op::Le
                        : op;
}
/// Every value of `from` is a value of `to`, and reading it back as any third type gives the same.
bool lossless(Scalar from, Scalar to) {
  if (from == to || from == Scalar::Bool) return to != Scalar::Bool || from == Scalar::Bool;
  if (to == Scalar::Bool) return false;
  if (is_float(from))
    return is_float(to) && info(from).exponent <= info(to).exponent &&
           info(from).fraction <= info(to).fraction;
  if (is_float(to)) return bits_of(from) <= info(to).fraction + 1;
  if (is_signed_int(from)) return is_signed_int(to) && bits_of(from) <= bits_of(to);
  return bits_of(from) < bits_of(to) || (is_unsigned_int(to) && bits_of(from) == bits_of(to));
}
}  // namespace

ValueId Simplify::complement(const Node& n) {
  const Inst* d = f_->def(n.in[0]);
  if (!d) return none;
  if (d->op == Op::Not) return d->operands[0];
  Op op{};
  // calls may have no operands
  if (info(d->op).rule == Rule::Compare && inverse(d->op, is_float(type(d->operands[0])), op))
    return make(op, Scalar::Bool, {d->operands[0], d->operands[1]});
  return none;
}

ValueId Simplify::comparison(const Node& n) {
  const ValueId x = n.in[0], y = n.in[1];
  const Scalar s = type(x);
  if (f_->is_const(x) && !f_->is_const(y)) return make(mirrored(n.op), Scalar::Bool, {y, x});
  if (!is_float(s) && x == y)
    return constant(Scalar::Bool, n.op == Op::Eq || n.op == Op::Le || n.op == Op::Ge);
  if (is_float(s))
    if (const ValueId v = certain_order(n); v != none) return v;
  const bool equality = n.op == Op::Eq || n.op == Op::Ne;
  if (s == Scalar::Bool && f_->is_const(y))
    return is(y, 1) == (n.op == Op::Eq) ? x : make(Op::Not, s, {x});
  if ((is_unsigned_int(s) || is_natural(x)) && is(y, 0)) {
    if (n.op == Op::Lt) return constant(Scalar::Bool, 0);
    if (n.op == Op::Ge) return constant(Scalar::Bool, 1);
  }
  const Inst *a = def(x, Op::Cast), *b = def(y, Op::Cast);
  // (int)flag != 0
  if (equality && a && type(a->operands[0]) == Scalar::Bool && (is(y, 0) || is_float_const(y, 0)))
    return n.op == Op::Ne ? a->operands[0] : make(Op::Not, Scalar::Bool, {a->operands[0]});
  if (!a) return none;
  const ValueId p = a->operands[0];
  if (type(p) == Scalar::Bool || !is_int(type(p)) || !is_int(s) || !lossless(type(p), s))
    return none;
  if (b && type(b->operands[0]) == type(p)) return make(n.op, Scalar::Bool, {p, b->operands[0]});
  // a wide comparison of a narrow value with a constant that the narrow type has
  if (f_->is_const(y)) {
    const std::int64_t c = as_int(s, f_->const_bits(y));
    if (as_int(type(p), std::uint64_t(c) & mask_of(type(p))) == c)
      return make(n.op, Scalar::Bool, {p, constant(type(p), std::uint64_t(c))});
  }
  return none;
}

ValueId Simplify::select(const Node& n) {
  const auto [c, x, y] = n.in;
  if (x == y) return x;
  if (f_->is_const(c)) return f_->const_bits(c) ? x : y;
  if (const Inst* flipped = def(c, Op::Not))
    return make(Op::Select, n.scalar, {flipped->operands[0], y, x});
  if (f_->is_const(x) && f_->is_const(y) && f_->const_bits(x) == f_->const_bits(y)) return x;
  if (n.scalar != Scalar::Bool) return none;
  if (is(x, 1)) return make(Op::Or, Scalar::Bool, {c, y});
  if (is(y, 0)) return make(Op::And, Scalar::Bool, {c, x});
  if (is(x, 0)) return make(Op::And, Scalar::Bool, {make(Op::Not, Scalar::Bool, {c}), y});
  if (is(y, 1)) return make(Op::Or, Scalar::Bool, {make(Op::Not, Scalar::Bool, {c}), x});
  return none;
}

ValueId Simplify::cast(const Node& n) {
  const ValueId x = n.in[0];
  const Scalar to = n.scalar, middle = type(x);
  if (middle == to) return x;
  const Inst* inner = def(x, Op::Cast);
  if (!inner) return none;
  const ValueId v = inner->operands[0];
  const Scalar from = type(v);
  // What an integer becomes on its way through a float depends on the float's rules (saturation),
  // so that way stays.
  const bool through_float = is_float(middle) && !is_float(from) && !is_float(to) &&
                             to != Scalar::Bool && !lossless(from, to);
  if (lossless(from, middle) && !through_float) return make(Op::Cast, to, {v});
  const bool ints = is_int(from) && is_int(middle) && is_int(to);
  return ints && bits_of(to) <= bits_of(middle) ? make(Op::Cast, to, {v}) : none;
}

}  // namespace krait::passes
