// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f64 where the target asks for it: a value is the sum of two f32 that do not overlap, some 48
// digits in the range of f32. Memory has the bits of IEEE's doubles, which loads round to pairs.
// The algorithms are Dekker's and Knuth's (Dekker, "A floating-point technique for extending the
// available precision", 1971; bounds in Joldes, Muller and Popescu, "Tight and rigorous error
// bounds for basic building blocks of double-word arithmetic", 2017).
#include "codegen/wgsl/numeric/numeric.h"

namespace krait::codegen::wgsl {

Expr Double::compute(const ir::Inst& i) {
  const Expr& x = value(i.operands[0]);
  const Expr y = i.operands.size() > 1 ? value(i.operands[1]) : Expr{};
  switch (i.op) {
    case ir::Op::Add: return helper("add_f64", x, y);
    case ir::Op::Sub: return helper("add_f64", x, term("-{}", y()));
    case ir::Op::Mul: return helper("mul_f64", x, y);
    case ir::Op::Div: return helper("div_f64", x, y);
    case ir::Op::Sqrt: return helper("root_f64", x);
    case ir::Op::Fma: return helper("add_f64", helper("mul_f64", x, y), value(i.operands[2]));
    case ir::Op::Neg: return term("-{}", x());
    case ir::Op::Abs: return helper("abs_f64", x);
    case ir::Op::Min: return helper("min_f64", x, y);
    case ir::Op::Max: return helper("max_f64", x, y);
    case ir::Op::Copysign: return helper("copysign_f64", x, y);
    case ir::Op::Isnan: return helper("is_nan", call("{}.x", x()));
    case ir::Op::Isinf: return helper("is_inf", call("{}.x", x()));
    case ir::Op::Eq: return call("all({} == {})", x(), y());
    case ir::Op::Ne: return call("!all({} == {})", x(), y());
    case ir::Op::Lt: return helper("lt_f64", x, y);
    case ir::Op::Gt: return helper("lt_f64", y, x);
    case ir::Op::Le: return helper("le_f64", x, y);
    case ir::Op::Ge: return helper("le_f64", y, x);
    case ir::Op::Floor: return helper("floor_f64", x);
    case ir::Op::Ceil: return term("-{}", helper("floor_f64", term("-{}", x())).text);
    case ir::Op::Trunc: return helper("trunc_f64", x);
    case ir::Op::Rint: return helper("round_f64", x);
    case ir::Op::Bitcast:
      unsupported(fmt::format(
          "{}: the bits of a double, which WebGPU lacks: pairs of f32 (f64=double-single) "
          "have +, -, *, /, sqrt, comparisons and conversions, "
          "but no function that works on the bits",
          frame_.where));
    default: defect(fmt::format("{}: no operation on doubles", frame_.where));
  }
}

Expr Double::cast(Scalar to, Scalar from, const Expr& x) {
  if (to == from) return x;
  if (to == Scalar::F32) return call("{}.x", x());
  if (to == Scalar::F16) return helper("f16_of_f64", x);
  if (from == Scalar::F32) return call("vec2f({}, 0.0f)", x.text);
  if (to == Scalar::Bool) return call("any({} != vec2f())", x());
  if (from == Scalar::Bool) return call("vec2f(select(0.0f, 1.0f, {}), 0.0f)", x.text);
  if (to == Scalar::F64) {
    if (is_wide(from) && !x.from_narrow)
      return helper(ir::is_signed_int(from) ? "f64_of_i64" : "f64_of_u64", x);
    if (ir::is_signed_int(from)) return helper("f64_of_i32", x);
    return is_wide(from) ? helper("f64_of_u64", full(x)) : helper("f64_of_u32", x);
  }
  const bool sign = ir::is_signed_int(to);
  if (is_wide(to)) return helper(sign ? "i64_of_f64" : "u64_of_f64", x);
  const unsigned width = ir::bits_of(to);
  const Expr low = literal(Scalar::I64, sign ? ~std::uint64_t(0) << (width - 1) : 0),
             high = literal(Scalar::I64, (std::uint64_t(1) << (width - sign)) - 1);
  const Expr word =
      call("{}.x", helper("clamp_i64", helper("i64_of_f64", x), full(low), full(high)).text);
  return sign ? call("i32({})", word.text) : word;
}

}  // namespace krait::codegen::wgsl
