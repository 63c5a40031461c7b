// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 and f16. WGSL leaves open how division, square root and fma round, and whether there are
// subnormal numbers. Where the mode wants the interpreter's bits, helpers.def has functions for f32
// that go by what the launcher finds, and f16 does not come here; else the device's own operations
// do.
#include "codegen/wgsl/numeric/numeric.h"

namespace krait::codegen::wgsl {

bool Single::adds_constant(const ir::Inst& i) const {
  return (i.op == ir::Op::Add || i.op == ir::Op::Sub) &&
         (is_const(i.operands[0]) || is_const(i.operands[1]));
}

/// Optimisers of SPIR-V, which drivers use, make one sum with a constant of two. That would undo
/// the roundings to whole numbers in functions, (x + 0x1.8p+23) - 0x1.8p+23: an inner sum is
/// hidden.
Expr Single::summand(const ir::Inst& i, unsigned n) const {
  const Expr& x = value(i.operands[n]);
  const ir::Inst* const made = f_.def(i.operands[n]);
  if (!made || !adds_constant(i) || !adds_constant(*made) || scalar(i.operands[n]) != Scalar::F32)
    return x;
  return call("bitcast<f32>(bitcast<u32>({}) | arguments.zero)", x.text);
}

/// They also drop products and quotients of a zero that they know, though the other number may be
/// infinite or NaN.
Expr Single::factor(const ir::Inst& i, unsigned n) const {
  const ir::Inst* const made = f_.def(i.operands[n]);
  const bool zero =
      made && made->op == ir::Op::Const && made->imm == 0 && scalar(i.operands[n]) == Scalar::F32;
  return zero && f_.fp != ir::FpMode::Fast ? call("bitcast<f32>(arguments.zero)")
                                           : value(i.operands[n]);
}

Expr Single::own(const ir::Inst& i) {
  const Expr& x = value(i.operands[0]);
  const Expr y = i.operands.size() > 1 ? value(i.operands[1]) : Expr{};
  switch (i.op) {
    case ir::Op::Add: return term("{} + {}", summand(i, 0)(), summand(i, 1)());
    case ir::Op::Sub: return term("{} - {}", summand(i, 0)(), summand(i, 1)());
    case ir::Op::Mul: return term("{} * {}", factor(i, 0)(), factor(i, 1)());
    case ir::Op::Div: return term("{} / {}", factor(i, 0)(), y());
    case ir::Op::Sqrt: return call("sqrt({})", x.text);
    case ir::Op::Fma:
      return call("fma({}, {}, {})", factor(i, 0).text, factor(i, 1).text,
                  value(i.operands[2]).text);
    case ir::Op::Neg: return term("-{}", x());
    case ir::Op::Abs: return call("abs({})", x.text);
    case ir::Op::Ne: return term("!({} == {})", x(), y());  // true of a NaN, which != need not be
    case ir::Op::Eq:
    case ir::Op::Lt:
    case ir::Op::Le:
    case ir::Op::Gt:
    case ir::Op::Ge: return compared(i.op, x(), y());
    case ir::Op::Floor: return call("floor({})", x.text);
    case ir::Op::Ceil: return call("ceil({})", x.text);
    case ir::Op::Trunc: return call("trunc({})", x.text);
    case ir::Op::Rint: return call("round({})", x.text);
    default: defect(fmt::format("{}: no operation on floats", frame_.where));
  }
}

Expr Single::compute(const ir::Inst& i) {
  const Expr& x = value(i.operands[0]);
  const Expr y = i.operands.size() > 1 ? value(i.operands[1]) : Expr{};
  const bool half = scalar(i.operands[0]) == Scalar::F16;
  switch (i.op) {
    case ir::Op::Min: return helper(half ? "min_f16" : "min_f32", x, y);
    case ir::Op::Max: return helper(half ? "max_f16" : "max_f32", x, y);
    case ir::Op::Copysign: return helper(half ? "copysign_f16" : "copysign_f32", x, y);
    case ir::Op::Isnan: return helper(half ? "is_nan_f16" : "is_nan", x);
    case ir::Op::Isinf: return helper(half ? "is_inf_f16" : "is_inf", x);
    default: break;
  }
  if (!exact() || i.fast) return own(i);
  switch (i.op) {
    case ir::Op::Add: return helper("add_f32", x, y);
    case ir::Op::Sub: return helper("sub_f32", x, y);
    case ir::Op::Mul: return helper("mul_f32", x, y);
    case ir::Op::Div: return helper("div_f32", x, y);
    case ir::Op::Sqrt: return helper("root_f32", x);
    case ir::Op::Fma: return helper("fma_f32", x, y, value(i.operands[2]));
    case ir::Op::Neg: return helper("neg_f32", x);
    case ir::Op::Abs: return helper("abs_f32", x);
    case ir::Op::Eq: return helper("eq_f32", x, y);
    case ir::Op::Ne: return term("!{}", helper("eq_f32", x, y).text);
    case ir::Op::Lt: return helper("lt_f32", x, y);
    case ir::Op::Le: return helper("le_f32", x, y);
    case ir::Op::Gt: return helper("lt_f32", y, x);
    case ir::Op::Ge: return helper("le_f32", y, x);
    case ir::Op::Floor: return helper("floor_f32", x);
    case ir::Op::Ceil: return helper("ceil_f32", x);
    case ir::Op::Trunc: return helper("trunc_f32", x);
    case ir::Op::Rint: return helper("round_f32", x);
    default: defect(fmt::format("{}: no operation on floats", frame_.where));
  }
}

}  // namespace krait::codegen::wgsl
