// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/numeric/pure.h"

#include <fmt/core.h>

#include "codegen/spirv/memory/hiding.h"
#include "codegen/spirv/numeric/numeric.h"

namespace krait::codegen::spirv {

using ir::Op;
using S = spv::Op;

namespace {

/// Whether bits are those of 1 or -1 as a float: a choice between them and zero is one of floats to
/// drivers that know no types.
bool is_one(Scalar s, std::uint64_t pattern) {
  switch (ir::size_of(s)) {
    case 2: return (pattern & 0x7fff) == 0x3c00;
    case 4: return (pattern & 0x7fff'ffff) == 0x3f80'0000;
    case 8: return (pattern & 0x7fff'ffff'ffff'ffff) == 0x3ff0'0000'0000'0000;
    default: return false;
  }
}

Id bitwise(Emitter& e, Op op, Scalar s, Id x, Id y) {
  const bool b = s == Scalar::Bool;
  if (op == Op::And) return e.op(b ? S::OpLogicalAnd : S::OpBitwiseAnd, s, {x, y});
  if (op == Op::Or) return e.op(b ? S::OpLogicalOr : S::OpBitwiseOr, s, {x, y});
  return e.op(b ? S::OpLogicalNotEqual : S::OpBitwiseXor, s, {x, y});
}

}  // namespace

/// A reciprocal in a function's body, which may err by one ULP (math/primitives.h).
bool Pure::is_near_reciprocal(const ir::Inst& i, Scalar s) const {
  const std::uint64_t* x = known(i.operands[0]);
  return i.fast && f_.fp != ir::FpMode::Fast && s == Scalar::F32 && x && *x == 0x3f800000;
}

/// NVIDIA's driver (580) multiplies what was extended from 32 bits by an instruction whose constant
/// has a sign.
Id Pure::factor(Scalar s, ir::ValueId v) {
  const std::uint64_t* c = known(v);
  const bool in_question = c && ir::bits_of(s) == 64 && *c >> 31 == 1 && e_.has(Feature::Wide31);
  return in_question ? unknown(e_, s, value(v)) : value(v);
}

Id Pure::compare(const ir::Inst& i, Scalar s) {
  const Id x = value(i.operands[0]), y = value(i.operands[1]);
  if (s == Scalar::Bool)
    return e_.op(i.op == Op::Eq ? S::OpLogicalEqual : S::OpLogicalNotEqual, s, {x, y});
  return ir::is_float(s) ? float_compare(e_, i.op, x, y) : int_compare(e_, i.op, s, x, y);
}

Id Pure::convert(const ir::Inst& i, Scalar s) {
  const Scalar result = i.type.scalar;
  if (i.op == Op::CastSat) defect(fmt::format("{}: expand_ops takes it", e_.where));
  const Id x = value(i.operands[0]),
           made = i.op == Op::Cast ? cast(e_, result, s, x) : e_.bits(result, s, x);
  // NVIDIA's driver (580) loses the sign of a negated zero that was a bool.
  if (s == Scalar::Bool && ir::is_float(result) && e_.has(Feature::Bool0))
    return unknown(e_, result, made);
  return ir::is_float(result) && !ir::is_float(s) ? opaque(e_, result, made) : made;
}

Id Pure::integer(const ir::Inst& i, Scalar s) {
  const Id x = value(i.operands[0]), y = i.operands.size() > 1 ? value(i.operands[1]) : 0;
  const std::uint64_t* known_y = y ? known(i.operands[1]) : nullptr;
  switch (i.op) {
    case Op::Rem: return int_rem(e_, s, x, y, known_y);
    case Op::Shl:
      // a product by 2^31 there
      if (known_y && (*known_y & 63) == 31 && ir::bits_of(s) == 64 && e_.has(Feature::Wide31))
        return shift(e_, true, s, x, scalar(i.operands[1]), unknown(e_, scalar(i.operands[1]), y),
                     nullptr);
      return shift(e_, true, s, x, scalar(i.operands[1]), y, known_y);
    case Op::Shr: return shift(e_, false, s, x, scalar(i.operands[1]), y, known_y);
    case Op::Popcount: return popcount(e_, s, x);
    case Op::Clz: return clz(e_, s, x);
    case Op::Ctz: return ctz(e_, s, x);
    case Op::Bitrev: return bit_reverse(e_, s, x);
    case Op::Bswap: return byte_swap(e_, s, x);
    case Op::MulHi: return mul_hi(e_, s, x, y);
    case Op::AddSat:
    case Op::SubSat:
    case Op::BytePermute:
    case Op::DotBytes:
    case Op::DotMixed:  // expand_ops made others of them
#define KRAIT_OP(Name, ...) case Op::Name:
#define KRAIT_INTEGER(...)
#include "krait/ops.def"
      break;
  }
  defect(fmt::format("{}: not an operation of integers alone", e_.where));
}

Id Pure::real(const ir::Inst& i, Scalar s) {
  const Id x = value(i.operands[0]);
  switch (i.op) {
    case Op::Fma: return fma(e_, s, x, value(i.operands[1]), value(i.operands[2]));
    case Op::Sqrt: return sqrt(e_, s, x);
    case Op::Floor:
    case Op::Ceil:
    case Op::Trunc:
    case Op::Rint: return whole(e_, i.op, s, x);
    case Op::Copysign: return copysign(e_, s, x, value(i.operands[1]));
    case Op::Isnan: return is_nan(e_, s, x);
    case Op::Isinf: return is_inf(e_, s, x);
#define KRAIT_OP(Name, ...) case Op::Name:
#define KRAIT_REAL(...)
#include "krait/ops.def"
      break;
  }
  defect(fmt::format("{}: not an operation of floats alone", e_.where));
}

/// Functions that expand_math left: but for rsqrt, and powers where a device was asked, the target
/// keeps them in fast mode alone, as Vulkan's bounds on them are wide.
Id Pure::math(const ir::Inst& i, Scalar s) {
  if (s == Scalar::F64) defect(fmt::format("{}: f64 functions must be expanded", e_.where));
  Id x = value(i.operands[0]);
  switch (i.op) {
    case Op::Exp: return e_.fast ? e_.ext(GLSLstd450Exp, s, {x}) : power_f32(e_, x, split_log2_e);
    case Op::Exp2: return e_.fast ? e_.ext(GLSLstd450Exp2, s, {x}) : power_f32(e_, x, {});
    case Op::Log: return e_.ext(GLSLstd450Log, s, {x});
    case Op::Log2: return e_.ext(GLSLstd450Log2, s, {x});
    case Op::Sin: return e_.ext(GLSLstd450Sin, s, {x});
    case Op::Cos: return e_.ext(GLSLstd450Cos, s, {x});
    case Op::Tan: return e_.ext(GLSLstd450Tan, s, {x});
    case Op::Tanh: return e_.ext(GLSLstd450Tanh, s, {x});
    case Op::Rsqrt: return rsqrt_f32(e_, x);
    case Op::Atan2: return e_.ext(GLSLstd450Atan2, s, {x, value(i.operands[1])});
    default: break;
  }
  defect(fmt::format("{}: the function must be expanded", e_.where));
}

Id Pure::literal(Scalar s, std::uint64_t pattern) {
  const Id constant = e_.constant(s, pattern);
  return ir::is_float(s) || is_one(s, pattern) ? opaque(e_, s, constant) : constant;
}

Id Pure::pure(const ir::Inst& i) {
  const Scalar s = scalar(i.operands[0]);
  const bool f = ir::is_float(s);
  const Id x = value(i.operands[0]), y = i.operands.size() > 1 ? value(i.operands[1]) : 0;
  switch (i.op) {
    case Op::Add: return f ? e_.exact(S::OpFAdd, s, {x, y}) : e_.op(S::OpIAdd, s, {x, y});
    case Op::Sub: return f ? e_.exact(S::OpFSub, s, {x, y}) : e_.op(S::OpISub, s, {x, y});
    case Op::Mul:
      return f ? e_.exact(S::OpFMul, s, {x, y})
               : e_.op(S::OpIMul, s, {factor(s, i.operands[0]), factor(s, i.operands[1])});
    case Op::Div:
      if (f && is_near_reciprocal(i, s)) return reciprocal_f32(e_, y);
      return f ? divide(e_, s, x, y) : int_div(e_, s, x, y, known(i.operands[1]));
    case Op::Neg: return f ? e_.exact(S::OpFNegate, s, {x}) : int_neg(e_, s, x);
    case Op::Abs: return f ? float_abs(e_, s, x) : int_abs(e_, s, x);
    case Op::Min: return f ? float_min_max(e_, true, s, x, y) : int_min_max(e_, true, s, x, y);
    case Op::Max: return f ? float_min_max(e_, false, s, x, y) : int_min_max(e_, false, s, x, y);
    case Op::And:
    case Op::Or:
    case Op::Xor: return bitwise(e_, i.op, s, x, y);
    case Op::Not: return e_.op(s == Scalar::Bool ? S::OpLogicalNot : S::OpNot, s, {x});
    case Op::Select: return e_.select(i.type.scalar, x, y, value(i.operands[2]));
#define KRAIT_COMPARISON(Name, ...) case Op::Name:
#include "krait/ops.def"
      return compare(i, s);
#define KRAIT_CONVERSION(Name, ...) case Op::Name:
#include "krait/ops.def"
      return convert(i, s);
#define KRAIT_INTEGER(Name, ...) case Op::Name:
#include "krait/ops.def"
      return integer(i, s);
#define KRAIT_REAL(Name, ...) case Op::Name:
#include "krait/ops.def"
      return real(i, s);
#define KRAIT_MATH(Name, ...) case Op::Name:
#include "krait/ops.def"
      return math(i, s);
    case Op::DotPairs:  // expand_ops made others of it
#define KRAIT_OP(Name, ...) case Op::Name:
#define KRAIT_VALUE(...)
#define KRAIT_MATH(...)
#include "krait/ops.def"
      break;
  }
  defect(fmt::format("{}: not a pure operation", e_.where));
}

}  // namespace krait::codegen::spirv
