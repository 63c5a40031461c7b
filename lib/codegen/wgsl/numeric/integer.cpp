// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/numeric/numeric.h"

namespace krait::codegen::wgsl {

const char* comparison(ir::Op op) {
  switch (op) {
    case ir::Op::Eq: return "==";
    case ir::Op::Ne: return "!=";
    case ir::Op::Lt: return "<";
    case ir::Op::Le: return "<=";
    case ir::Op::Gt: return ">";
    case ir::Op::Ge: return ">=";
    default: return nullptr;
  }
}

Expr compared(ir::Op op, const std::string& left, const std::string& right) {
  if (op == ir::Op::Lt) return call("({} < {})", left, right);
  return term("{} {} {}", left, comparison(op), right);
}

Expr Integer::cut(Scalar s, Expr e) {
  return is_narrow(s) ? call("extractBits({}, 0u, {}u)", e.text, ir::bits_of(s)) : e;
}

/// The bits alone, as u32.
Expr Integer::bits(Scalar s, const Expr& x) const {
  if (!ir::is_signed_int(s)) return x;
  const Expr word = call("u32({})", x.text);
  return is_narrow(s) ? call("extractBits({}, 0u, {}u)", word.text, ir::bits_of(s)) : word;
}
Expr Integer::as(Scalar s, const Expr& word) const {
  return ir::is_signed_int(s) ? cut(s, call("i32({})", word.text)) : word;
}

/// Of a shift, modulo the width.
Expr Integer::count(const ir::Inst& i) const {
  const ir::ValueId v = i.operands[1];
  const unsigned last = ir::bits_of(i.type.scalar) - 1;
  if (is_const(v)) return number(std::uint32_t(f_.const_bits(v)) & last);
  const Expr& e = value(v);
  const Scalar s = scalar(v);
  const std::string word = is_wide(s) && !e.from_narrow            ? e() + ".x"
                           : ir::is_unsigned_int(s) && !is_wide(s) ? e()
                                                                   : "u32(" + e.text + ")";
  return term("{} & {}u", word, last);
}

/// WGSL: x / 0 is x, and x % 0 is 0. It refuses a zero that it knows.
Expr Integer::divide(const ir::Inst& i, Scalar s) {
  const Expr &x = value(i.operands[0]), &y = value(i.operands[1]);
  const bool rest = i.op == ir::Op::Rem;
  if (is_const(i.operands[1]) && f_.const_bits(i.operands[1]) == 0) return literal(s, 0);
  if (rest) return term("{} % {}", x(), y());
  if (is_const(i.operands[1])) return cut(s, term("{} / {}", x(), y()));
  return cut(s, helper(ir::is_signed_int(s) ? "div_i32" : "div_u32", x, y));
}

Expr Integer::upper_half(Scalar s, const Expr& x, const Expr& y) {
  const bool sign = ir::is_signed_int(s);
  if (is_wide(s)) return helper(sign ? "mul_hi_i64" : "mul_hi_u64", full(x), full(y));
  if (is_narrow(s)) return term("({} * {}) >> {}u", x(), y(), ir::bits_of(s));
  return helper(sign ? "mul_hi_i32" : "mul_hi_u32", x, y);
}

Expr Integer::unary(const ir::Inst& i, Scalar s) {
  const Expr& x = value(i.operands[0]);
  const unsigned width = ir::bits_of(s);
  switch (i.op) {
    case ir::Op::Neg:
      return cut(s, ir::is_signed_int(s) ? term("-{}", x()) : term("~{} + 1u", x()));
    case ir::Op::Abs: return ir::is_signed_int(s) ? cut(s, call("abs({})", x.text)) : x;
    case ir::Op::Not: return ir::is_signed_int(s) ? term("~{}", x()) : cut(s, term("~{}", x()));
    case ir::Op::Popcount: return call("i32(countOneBits({}))", bits(s, x).text);
    case ir::Op::Clz:
      return width == 32 ? call("i32(countLeadingZeros({}))", bits(s, x).text)
                         : term("i32(countLeadingZeros({})) - {}i", bits(s, x).text, 32 - width);
    case ir::Op::Ctz: return call("i32(min(countTrailingZeros({}), {}u))", bits(s, x).text, width);
    case ir::Op::Bitrev: {
      const Expr all = call("reverseBits({})", bits(s, x).text);
      return as(s, width == 32 ? all : term("{} >> {}u", all.text, 32 - width));
    }
    case ir::Op::Bswap: {
      if (width == 8) return x;
      const Expr all = helper("swap_bytes", bits(s, x));
      return as(s, width == 32 ? all : term("{} >> 16u", all.text));
    }
    default: defect(fmt::format("{}: no operation on integers", frame_.where));
  }
}

Expr Integer::compute(const ir::Inst& i, Scalar s) {
  const Expr& x = value(i.operands[0]);
  if (i.operands.size() == 1) return unary(i, s);
  const Expr& y = value(i.operands[1]);
  if (comparison(i.op)) return compared(i.op, x(), y());
  switch (i.op) {
    case ir::Op::Add: return cut(s, term("{} + {}", x(), y()));
    case ir::Op::Sub: return cut(s, term("{} - {}", x(), y()));
    case ir::Op::Mul: return cut(s, term("{} * {}", x(), y()));
    case ir::Op::Div:
    case ir::Op::Rem: return divide(i, s);
    case ir::Op::Min: return call("min({}, {})", x.text, y.text);
    case ir::Op::Max: return call("max({}, {})", x.text, y.text);
    case ir::Op::And: return term("{} & {}", x(), y());
    case ir::Op::Or: return term("{} | {}", x(), y());
    case ir::Op::Xor: return term("{} ^ {}", x(), y());
    case ir::Op::Shl: return cut(s, term("{} << {}", x(), count(i)()));
    case ir::Op::Shr: return term("{} >> {}", x(), count(i)());
    case ir::Op::MulHi: return upper_half(s, x, y);
    default: defect(fmt::format("{}: no operation on integers", frame_.where));
  }
}

}  // namespace krait::codegen::wgsl
