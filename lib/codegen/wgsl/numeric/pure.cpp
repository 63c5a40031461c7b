// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "codegen/wgsl/numeric/numeric.h"

namespace krait::codegen::wgsl {

Expr Pure::logic(const ir::Inst& i) {
  const Expr& x = value(i.operands[0]);
  const Expr y = i.operands.size() > 1 ? value(i.operands[1]) : Expr{};
  switch (i.op) {
    case ir::Op::And: return term("{} & {}", x(), y());
    case ir::Op::Or: return term("{} | {}", x(), y());
    case ir::Op::Not: return term("!{}", x());
    case ir::Op::Eq: return term("{} == {}", x(), y());
    case ir::Op::Xor:
    case ir::Op::Ne: return term("{} != {}", x(), y());
    default: defect(fmt::format("{}: no operation on bool", frame_.where));
  }
}

/// Functions that expand_math left: in fast mode alone.
Expr Pure::math(const ir::Inst& i) {
  const auto of = [&](const char* function) {
    return call("{}({})", function, value(i.operands[0]).text);
  };
  switch (i.op) {
    case ir::Op::Exp: return of("exp");
    case ir::Op::Exp2: return of("exp2");
    case ir::Op::Log: return of("log");
    case ir::Op::Log2: return of("log2");
    case ir::Op::Sin: return of("sin");
    case ir::Op::Cos: return of("cos");
    case ir::Op::Tan: return of("tan");
    case ir::Op::Tanh: return of("tanh");
    case ir::Op::Rsqrt: return of("inverseSqrt");
    default: defect(fmt::format("{}: the function must be expanded", frame_.where));
  }
}

/// WGSL computes with literals, and refuses what overflows: names, which end with the region, keep
/// it from that.
Expr Pure::compute(const ir::Inst& i) {
  std::vector<Expr> literals;
  if (std::all_of(i.operands.begin(), i.operands.end(),
                  [&](ir::ValueId v) { return value(v).literal; }))
    for (const ir::ValueId v : i.operands)
      literals.push_back(std::exchange(frame_.values[v], named(value(v))));
  const Expr result = of_names(i);
  for (std::size_t k = literals.size(); k-- > 0;) frame_.values[i.operands[k]] = literals[k];
  return result;
}

Expr Pure::of_names(const ir::Inst& i) {
  const Scalar s = scalar(i.operands[0]);
  if (i.op == ir::Op::Select) {
    const Expr &c = value(i.operands[0]), &x = value(i.operands[1]), &y = value(i.operands[2]);
    const bool narrow = x.from_narrow && y.from_narrow;
    Expr e = narrow ? call("select({}, {}, {})", y.text, x.text, c.text)
                    : call("select({}, {}, {})", full(y).text, full(x).text, c.text);
    e.from_narrow = narrow;
    return e;
  }
  if (s == Scalar::F64 || i.type.scalar == Scalar::F64) {
    const Expr& x = value(i.operands[0]);
    if (i.op == ir::Op::Cast && s == Scalar::F16)
      return double_.cast(i.type.scalar, Scalar::F32, call("f32({})", x.text));
    if (i.op == ir::Op::Cast) return double_.cast(i.type.scalar, s, x);
    return double_.compute(i);
  }
  if (i.op == ir::Op::Cast) return cast_.cast(i.type.scalar, s, value(i.operands[0]));
  if (i.op == ir::Op::Bitcast) return cast_.bits(i.type.scalar, s, value(i.operands[0]));
  if (ir::is_math(i.op)) return math(i);
  if (s == Scalar::Bool) return logic(i);
  if (s == Scalar::F32 || s == Scalar::F16) return single_.compute(i);
  return is_wide(s) ? wide_.compute(i, s) : integer_.compute(i, s);
}

}  // namespace krait::codegen::wgsl
