// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of fold for floats: only those that give the same value for every operand, signed zeros and subnormals included.
#include <bit>

#include "ir/interp.h"
#include "passes/simplify.h"

namespace krait::passes {

using namespace ir;

bool Simplify::is_float_const(ValueId v, double x) const {
  const Scalar s = type(v);
  if (!is_float(s) || !f_->is_const(v)) return false;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  return f_->const_bits(v) == (s == Scalar::F64 ? bits : eval(Op::Cast, s, Scalar::F64, std::span(&bits, 1)));
}

ValueId Simplify::floating(const Node& n) {
  const Op op = n.op;
  const ValueId x = n.in[0], y = n.in[1];
  if (op == Op::Add || op == Op::Sub) return floating_sum(n);
  if (op == Op::Div) return reciprocal(n);
  if (op == Op::Mul && is_float_const(y, 1.0)) return x;
  if (op == Op::Mul && is_float_const(y, -1.0)) return make(Op::Neg, n.scalar, {x});
  return (op == Op::Min || op == Op::Max) && x == y ? x : none;
}

ValueId Simplify::floating_sum(const Node& n) {
  const bool add = n.op == Op::Add;
  const ValueId x = n.in[0], y = n.in[1];
  if (is_float_const(y, add ? -0.0 : 0.0)) return x;  // x + 0 is not x: -0 + 0 is 0
  if (const Inst* minus = def(y, Op::Neg)) return make(add ? Op::Sub : Op::Add, n.scalar, {x, minus->operands[0]}, 0, n.fast);
  if (const Inst* minus = def(x, Op::Neg); minus && add) return make(Op::Sub, n.scalar, {y, minus->operands[0]}, 0, n.fast);
  return none;
}

/// x / 2^k is x * 2^-k exactly, where both powers are normal numbers (a device may flush subnormal factors).
ValueId Simplify::reciprocal(const Node& n) {
  const ValueId x = n.in[0], y = n.in[1];
  if (is_float_const(y, 1.0)) return x;
  if (is_float_const(y, -1.0)) return make(Op::Neg, n.scalar, {x});
  if (!f_->is_const(y)) return none;
  const unsigned mantissa = info(n.scalar).fraction;
  const std::uint64_t bits = f_->const_bits(y), sign = bits & (std::uint64_t(1) << (bits_of(n.scalar) - 1));
  const std::uint64_t exponent = (bits ^ sign) >> mantissa, fraction = bits & ((std::uint64_t(1) << mantissa) - 1);
  const std::uint64_t twice_bias = (std::uint64_t(1) << (bits_of(n.scalar) - mantissa - 1)) - 2;
  if (fraction != 0 || exponent == 0 || exponent >= twice_bias) return none;
  return make(Op::Mul, n.scalar, {x, constant(n.scalar, sign | ((twice_bias - exponent) << mantissa))}, 0, n.fast);
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
  if (const Inst* difference = def(x, Op::Sub); difference && is_int(n.scalar))  // floats: -(x - x) is -0, x - x is 0
    return make(Op::Sub, n.scalar, {difference->operands[1], difference->operands[0]});
  return none;
}

}  // namespace krait::passes
