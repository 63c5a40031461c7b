// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of fold for floats: only those that give the same value for every operand, signed zeros
// and subnormals included.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ir/interp/interp.h"
#include "passes/simplify/simplify.h"

namespace krait::passes {

using namespace ir;

namespace {
double as_double(Scalar s, std::uint64_t bits) {
  return std::bit_cast<double>(
      s == Scalar::F64 ? bits : eval(Op::Cast, Scalar::F64, s, std::span(&bits, 1)));
}
}  // namespace

bool Simplify::is_float_const(ValueId v, double x) const {
  const Scalar s = type(v);
  if (!is_float(s) || !f_->is_const(v)) return false;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  return f_->const_bits(v) ==
         (s == Scalar::F64 ? bits : eval(Op::Cast, s, Scalar::F64, std::span(&bits, 1)));
}

ValueId Simplify::floating(const Node& n) {
  const Op op = n.op;
  const ValueId x = n.in[0], y = n.in[1];
  if (op == Op::Add || op == Op::Sub) return floating_sum(n);
  if (op == Op::Div) return reciprocal(n);
  if (op == Op::Mul && is_float_const(y, 1.0)) return x;
  if (op == Op::Mul && is_float_const(y, -1.0)) return make(Op::Neg, n.scalar, {x});
  if (op == Op::Copysign && f_->is_const(y)) {  // so that `bounds` knows it
    const ValueId size = make(Op::Abs, n.scalar, {x});
    // of the bits: a NaN that is converted to a double has any sign
    const bool negative = f_->const_bits(y) >> (info(n.scalar).bits - 1) & 1;
    return negative ? make(Op::Neg, n.scalar, {size}) : size;
  }
  return (op == Op::Min || op == Op::Max) && x == y ? x : none;
}

ValueId Simplify::floating_sum(const Node& n) {
  const bool add = n.op == Op::Add;
  const ValueId x = n.in[0], y = n.in[1];
  if (is_float_const(y, add ? -0.0 : 0.0)) return x;  // x + 0 is not x: -0 + 0 is 0
  if (const Inst* minus = def(y, Op::Neg))
    return make(add ? Op::Sub : Op::Add, n.scalar, {x, minus->operands[0]}, 0, n.fast);
  if (const Inst* minus = def(x, Op::Neg); minus && add)
    return make(Op::Sub, n.scalar, {y, minus->operands[0]}, 0, n.fast);
  return none;
}

/// x / 2^k is x * 2^-k exactly, where both powers are normal numbers (a device may flush subnormal
/// factors).
ValueId Simplify::reciprocal(const Node& n) {
  const ValueId x = n.in[0], y = n.in[1];
  if (is_float_const(y, 1.0)) return x;
  if (is_float_const(y, -1.0)) return make(Op::Neg, n.scalar, {x});
  if (!f_->is_const(y)) return none;
  const unsigned mantissa = info(n.scalar).fraction;
  const std::uint64_t bits = f_->const_bits(y),
                      sign = bits & (std::uint64_t(1) << (bits_of(n.scalar) - 1));
  const std::uint64_t exponent = (bits ^ sign) >> mantissa,
                      fraction = bits & ((std::uint64_t(1) << mantissa) - 1);
  const std::uint64_t twice_bias = (std::uint64_t(1) << (bits_of(n.scalar) - mantissa - 1)) - 2;
  if (fraction != 0 || exponent == 0 || exponent >= twice_bias) return none;
  return make(Op::Mul, n.scalar,
              {x, constant(n.scalar, sign | ((twice_bias - exponent) << mantissa))}, 0, n.fast);
}

/// Operands are followed five deep; further away a number may be any. Sums round as their operands
/// do, so that bounds of bounds hold.
Simplify::Bounds Simplify::bounds(ValueId v, unsigned depth) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr Bounds any{-infinity, infinity};
  const Scalar s = type(v);
  const auto rounded = [s](double x) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    return as_double(s,
                     s == Scalar::F64 ? bits : eval(Op::Cast, s, Scalar::F64, std::span(&bits, 1)));
  };
  const auto sum = [&](Bounds a, Bounds b) {
    const double low = rounded(a.low + b.low), high = rounded(a.high + b.high);
    return Bounds{low == low ? low : -infinity, high == high ? high : infinity};
  };
  const Inst* d = f_->def(v);
  if (!d || depth > 5) return any;
  const auto of = [&](unsigned k) { return bounds(d->operands[k], depth + 1); };
  const auto hull = [](Bounds a, Bounds b) {
    return Bounds{std::min(a.low, b.low), std::max(a.high, b.high)};
  };
  const auto negative = [](Bounds a) { return Bounds{-a.high, -a.low}; };
  switch (d->op) {
    case Op::Const: {
      const double x = as_double(s, f_->const_bits(v));
      return x == x ? Bounds{x, x} : any;
    }
    case Op::Abs: {
      const Bounds a = of(0);
      return {std::max({a.low, -a.high, 0.0}), std::max(-a.low, a.high)};
    }
    case Op::Sqrt: return {0, infinity};
    case Op::Mul: return d->operands[0] == d->operands[1] ? Bounds{0, infinity} : any;
    case Op::Neg: return negative(of(0));
    case Op::Add: return sum(of(0), of(1));
    case Op::Sub: return sum(of(0), negative(of(1)));
    case Op::Min:
    case Op::Max: return hull(of(0), of(1));
    case Op::Select: return hull(of(1), of(2));
    default: return any;
  }
}

/// A comparison that bounds decide asks for no more than that its operands are numbers. ptxas 13.0
/// decides it by the same bounds and forgets the NaN: |x| >= -1 is true of all x there.
ValueId Simplify::certain_order(const Node& n) {
  if (n.op == Op::Eq || n.op == Op::Ne) return none;
  const ValueId x = n.in[0], y = n.in[1];
  const bool less = n.op == Op::Lt || n.op == Op::Le, strict = n.op == Op::Lt || n.op == Op::Gt;
  const Bounds low = bounds(less ? x : y), high = bounds(less ? y : x);  // is low < high?
  if (strict ? low.low >= high.high : low.low > high.high) return constant(Scalar::Bool, 0);
  if (strict ? low.high >= high.low : low.high > high.low) return none;
  const auto number = [&](ValueId v) {
    return make(Op::Not, Scalar::Bool, {make(Op::Isnan, Scalar::Bool, {v})});
  };
  return make(Op::And, Scalar::Bool, {number(x), number(y)});
}

/// -x and |x|, of integers too.
ValueId Simplify::negation(const Node& n) {
  const ValueId x = n.in[0];
  if (n.op == Op::Abs) {
    if (is_unsigned_int(n.scalar) || def(x, Op::Abs)) return x;
    if (const Inst* minus = def(x, Op::Neg)) return make(Op::Abs, n.scalar, {minus->operands[0]});
    return none;
  }
  if (const Inst* minus = def(x, Op::Neg)) return minus->operands[0];
  // floats: -(x - x) is -0, x - x is 0
  if (const Inst* difference = def(x, Op::Sub); difference && is_int(n.scalar))
    return make(Op::Sub, n.scalar, {difference->operands[1], difference->operands[0]});
  return none;
}

}  // namespace krait::passes
