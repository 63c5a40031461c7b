// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants. WGSL refuses literals that are infinite or NaN, and may take subnormal ones for zero:
// those are bits that it does not know.
#include <bit>
#include <cmath>

#include "codegen/wgsl/frame.h"
#include "ir/interp/interp.h"

namespace krait::codegen::wgsl {
namespace {

Expr literal_i32(std::int32_t x) {
  if (x == INT32_MIN) return {"i32(-2147483648)", true, true};
  return {fmt::format("{}i", x), x >= 0, true};
}

Expr literal_f32(std::uint32_t bits) {
  const float x = std::bit_cast<float>(bits);
  if (bits != 0 && !std::isnormal(x)) return call("bitcast<f32>({:#010x}u | arguments.zero)", bits);
  // its decimal form may be beyond the largest float
  if (std::fabs(x) > 1e38f) return {fmt::format("{:a}f", x), x >= 0, true};
  std::string text = fmt::format("{}", x);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return {text + "f", x >= 0, true};
}

Expr literal_f16(std::uint16_t bits) {
  const std::uint64_t whole[] = {bits};
  const auto x =
      float(std::bit_cast<double>(ir::eval(ir::Op::Cast, Scalar::F64, Scalar::F16, whole)));
  constexpr float least = 0x1p-14f;  // normal
  if (bits != 0 && (!std::isfinite(x) || std::fabs(x) < least))
    return call("bitcast<vec2h>({:#06x}u | arguments.zero).x", bits);
  std::string text = fmt::format("{}", x);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return {text + "h", x >= 0, true};
}

/// Rounded to what a pair holds.
Expr literal_f64(std::uint64_t bits) {
  const double x = std::bit_cast<double>(bits);
  const float high = float(x), low = std::isfinite(high) ? float(x - double(high)) : 0;
  return call("vec2f({}, {})", literal_f32(std::bit_cast<std::uint32_t>(high)).text,
              literal_f32(std::bit_cast<std::uint32_t>(low)).text);
}

}  // namespace

Expr literal(Scalar s, std::uint64_t bits) {
  if (s == Scalar::Bool) return {bits ? "true" : "false", true, true};
  if (s == Scalar::F32) return literal_f32(std::uint32_t(bits));
  if (s == Scalar::F64) return literal_f64(bits);
  if (s == Scalar::F16) return literal_f16(std::uint16_t(bits));
  const unsigned width = ir::bits_of(s);
  if (is_wide(s)) {
    const auto as_i32 = std::int32_t(std::uint32_t(bits));
    if (std::uint64_t(std::int64_t(as_i32)) == bits) {
      Expr e = literal_i32(as_i32);
      e.from_narrow = true;
      return e;
    }
    return {fmt::format("vec2u({:#x}u, {:#x}u)", std::uint32_t(bits), bits >> 32), true, true};
  }
  if (ir::is_signed_int(s))
    return literal_i32(std::int32_t(std::uint32_t(bits) << (32 - width)) >> (32 - width));
  return number(std::uint32_t(bits & (~std::uint64_t(0) >> (64 - width))));
}

}  // namespace krait::codegen::wgsl
