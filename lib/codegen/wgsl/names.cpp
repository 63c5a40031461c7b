// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/reply.h"
#include "codegen/wgsl/expr.h"

namespace krait::codegen::wgsl {

std::string_view type_of(Scalar s) {
  if (s == Scalar::Bool) return "bool";
  if (s == Scalar::F32) return "f32";
  if (s == Scalar::F16) return "f16";
  if (s == Scalar::F64) return "vec2f";
  if (is_wide(s)) return "vec2u";
  if (ir::is_int(s)) return ir::is_signed_int(s) ? "i32" : "u32";
  defect(fmt::format("WGSL: a value of type {}", ir::name_of(s)));
}

std::string_view cell_type(Scalar s) {
  if (s == Scalar::F64) return "vec2u";
  return s == Scalar::Bool ? "u32" : type_of(s);
}

}  // namespace krait::codegen::wgsl
