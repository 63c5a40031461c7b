// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/numeric/numeric.h"

namespace krait::codegen::wgsl {

Expr Cast::to_float(Scalar from, const Expr& x) {
  if (from == Scalar::Bool) return call("select(0.0f, 1.0f, {})", x.text);
  if (from == Scalar::U32) return helper("f32_of_u32", x);  // one driver rounds twice
  if (!is_wide(from)) return call("f32({})", x.text);
  if (x.from_narrow && ir::is_signed_int(from)) return call("f32({})", x.text);
  return helper(ir::is_signed_int(from) ? "f32_of_i64" : "f32_of_u64", full(x));
}

Expr Cast::from_float(Scalar to, const Expr& x) {
  if (is_wide(to)) return helper(ir::is_signed_int(to) ? "i64_of_f32" : "u64_of_f32", x);
  const Expr word = helper(ir::is_signed_int(to) ? "i32_of_f32" : "u32_of_f32", x);
  if (!is_narrow(to)) return word;
  const unsigned width = ir::bits_of(to);
  if (!ir::is_signed_int(to)) return call("min({}, {}u)", word.text, (1u << width) - 1);
  return call("clamp({}, {}i, {}i)", word.text, -(1 << (width - 1)), (1 << (width - 1)) - 1);
}

Expr Cast::integers(Scalar to, Scalar from, const Expr& x) {
  const bool sign = ir::is_signed_int(to);
  if (is_wide(to)) {
    Expr e = x;
    if (is_wide(from)) return e;
    if (from == Scalar::U32) return call("vec2u({}, 0u)", x.text);
    if (!ir::is_signed_int(from)) e = call("i32({})", x.text);
    e.from_narrow = true;
    return e;
  }
  Expr word = x;
  bool signed_word = ir::is_signed_int(from);
  if (is_wide(from)) {
    signed_word = x.from_narrow;
    if (!x.from_narrow) word = call("{}.x", x());
  }
  word.from_narrow = false;
  if (signed_word != sign) word = call("{}({})", sign ? "i32" : "u32", word.text);
  const bool same_sign = ir::is_signed_int(from) == sign,
             fits = same_sign && ir::bits_of(from) <= ir::bits_of(to),
             below = ir::is_unsigned_int(from) && ir::bits_of(from) < ir::bits_of(to);
  return fits || below ? word : Integer::cut(to, word);
}

Expr Cast::cast(Scalar to, Scalar from, const Expr& x) {
  if (to == from) return x;
  if (from == Scalar::F16)
    return to == Scalar::Bool ? term("(bitcast<u32>(vec2h({}, 0.0h)) & 0x7fffu) != 0u", x.text)
                              : cast(to, Scalar::F32, call("f32({})", x.text));
  // An integer that f32 does not hold is beyond f16's range.
  if (to == Scalar::F16)
    return from == Scalar::Bool ? call("select(0.0h, 1.0h, {})", x.text)
                                : helper("f16_of_f32", cast(Scalar::F32, from, x));
  if (to == Scalar::Bool) {
    if (from == Scalar::F32) return term("(bitcast<u32>({}) & 0x7fffffffu) != 0u", x.text);
    if (is_wide(from) && !x.from_narrow) return call("any({} != vec2u())", x());
    return term("{} != {}", x(), ir::is_signed_int(from) || is_wide(from) ? "0i" : "0u");
  }
  if (to == Scalar::F32) return to_float(from, x);
  if (from == Scalar::F32) return from_float(to, x);
  if (from == Scalar::Bool) {
    Expr e = ir::is_signed_int(to) || is_wide(to) ? call("select(0i, 1i, {})", x.text)
                                                  : call("select(0u, 1u, {})", x.text);
    e.from_narrow = is_wide(to);
    return e;
  }
  return integers(to, from, x);
}

Expr Cast::bits(Scalar to, Scalar from, const Expr& x) {
  if (to == from) return x;
  if (to == Scalar::F32) return call("bitcast<f32>({})", x.text);
  if (to == Scalar::F16)
    return call("bitcast<vec2h>({}).x",
                ir::is_signed_int(from) ? fmt::format("u32({})", x.text) : x.text);
  if (from == Scalar::F16)
    return integers(to, Scalar::U32, call("bitcast<u32>(vec2h({}, 0.0h))", x.text));
  if (from == Scalar::F32) return call("bitcast<{}>({})", type_of(to), x.text);
  return integers(to, from, x);
}

}  // namespace krait::codegen::wgsl
