// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 64 bits as pairs of words. Where both operands are extensions of an i32, so is what moves or
// compares their bits.
#include "codegen/wgsl/numeric/numeric.h"

namespace krait::codegen::wgsl {

/// Of extensions: what extension commutes with. Else an empty text.
Expr Wide::of_narrow(const ir::Inst& i, Scalar s) const {
  for (const ir::ValueId v : i.operands)
    if (!value(v).from_narrow) return {};
  const Expr &x = value(i.operands[0]), &y = value(i.operands.back());
  if (comparison(i.op))
    return ir::is_signed_int(s)
               ? compared(i.op, x(), y())
               : compared(i.op, fmt::format("u32({})", x.text), fmt::format("u32({})", y.text));
  Expr e;
  const bool sign = ir::is_signed_int(s);
  if (i.op == ir::Op::And) e = term("{} & {}", x(), y());
  if (i.op == ir::Op::Or) e = term("{} | {}", x(), y());
  if (i.op == ir::Op::Xor) e = term("{} ^ {}", x(), y());
  if (i.op == ir::Op::Not) e = term("~{}", x());
  if (i.op == ir::Op::Min && sign) e = call("min({}, {})", x.text, y.text);
  if (i.op == ir::Op::Max && sign) e = call("max({}, {})", x.text, y.text);
  e.from_narrow = true;
  return e;
}

Expr Wide::compare(ir::Op op, Scalar s, const Expr& x, const Expr& y) {
  const char* const less = ir::is_signed_int(s) ? "lt_i64" : "lt_u64";
  switch (op) {
    case ir::Op::Eq: return call("all({} == {})", x(), y());
    case ir::Op::Ne: return call("any({} != {})", x(), y());
    case ir::Op::Lt: return helper(less, x, y);
    case ir::Op::Gt: return helper(less, y, x);
    case ir::Op::Le: return term("!{}", helper(less, y, x).text);
    default: return term("!{}", helper(less, x, y).text);
  }
}

Expr Wide::unary(const ir::Inst& i) {
  const Expr x = full(i.operands[0]);
  switch (i.op) {
    case ir::Op::Neg: return helper("neg_64", x);
    case ir::Op::Abs: return ir::is_signed_int(i.type.scalar) ? helper("abs_64", x) : x;
    case ir::Op::Not: return term("~{}", x());
    case ir::Op::Popcount: return call("i32(dot(countOneBits({}), vec2u(1u)))", x.text);
    case ir::Op::Clz: return call("i32({})", helper("clz_64", x).text);
    case ir::Op::Ctz: return call("i32({})", helper("ctz_64", x).text);
    case ir::Op::Bitrev: return call("reverseBits({}.yx)", x());
    case ir::Op::Bswap: {
      const Expr pair = named(x);
      return call("vec2u({}, {})", helper("swap_bytes", name(pair.text + ".y")).text,
                  helper("swap_bytes", name(pair.text + ".x")).text);
    }
    default: defect(fmt::format("{}: no operation on integers", frame_.where));
  }
}

Expr Wide::compute(const ir::Inst& i, Scalar s) {
  if (const Expr narrow = of_narrow(i, s); !narrow.text.empty()) return narrow;
  if (i.operands.size() == 1) return unary(i);
  const bool sign = ir::is_signed_int(s);
  const Expr x = full(i.operands[0]);
  if (i.op == ir::Op::Shl) return helper("shl_64", x, integer_.count(i));
  if (i.op == ir::Op::Shr) return helper(sign ? "shr_i64" : "shr_u64", x, integer_.count(i));
  const Expr y = full(i.operands[1]);
  if (comparison(i.op)) return compare(i.op, s, x, y);
  switch (i.op) {
    case ir::Op::Add: return helper("add_64", x, y);
    case ir::Op::Sub: return helper("sub_64", x, y);
    case ir::Op::Mul: return helper("mul_64", x, y);
    case ir::Op::Div: return helper(sign ? "div_i64" : "div_u64", x, y);
    case ir::Op::Rem: return helper(sign ? "rem_i64" : "rem_u64", x, y);
    case ir::Op::Min:
      return call("select({1}, {0}, {2})", x.text, y.text,
                  helper(sign ? "lt_i64" : "lt_u64", x, y).text);
    case ir::Op::Max:
      return call("select({0}, {1}, {2})", x.text, y.text,
                  helper(sign ? "lt_i64" : "lt_u64", x, y).text);
    case ir::Op::And: return term("{} & {}", x(), y());
    case ir::Op::Or: return term("{} | {}", x(), y());
    case ir::Op::Xor: return term("{} ^ {}", x(), y());
    default: return integer_.compute(i, s);
  }
}

}  // namespace krait::codegen::wgsl
