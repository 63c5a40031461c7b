// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding to whole numbers.
#include "codegen/spirv/numeric/parts.h"

namespace krait::codegen::spirv {

using spv::Op;

namespace {

/// Magnitudes below 2^52 (f32: 2^23) are rounded to even by adding and taking off that number; one
/// step corrects the direction. Others are whole.
Id whole_by_sums(Emitter& e, ir::Op o, Scalar s, Id x) {
  const bool wide = s == Scalar::F64;
  const Scalar u = wide ? Scalar::U64 : Scalar::U32;
  Id size = e.bits(
      s, u, e.op(Op::OpBitwiseAnd, u, {e.bits(u, s, x), e.constant(u, ~format_of(s).sign())}));
  Id limit = e.constant(s, wide ? 0x4330000000000000 : 0x4b000000),
     one = e.constant(s, wide ? 0x3ff0000000000000 : 0x3f800000);
  const auto exactly = [&](Op what, Id a, Id b) {  // in fast mode too
    return e.exact(what, s, {a, b});
  };
  Id near = exactly(Op::OpFSub, exactly(Op::OpFAdd, size, limit), limit);
  if (o == ir::Op::Trunc)
    near =
        e.select(s, float_compare(e, ir::Op::Gt, near, size), exactly(Op::OpFSub, near, one), near);
  near = copysign(e, s, near, x);
  if (o == ir::Op::Floor)
    near = e.select(s, float_compare(e, ir::Op::Gt, near, x), exactly(Op::OpFSub, near, one), near);
  if (o == ir::Op::Ceil)
    near = e.select(s, float_compare(e, ir::Op::Lt, near, x), exactly(Op::OpFAdd, near, one), near);
  return e.select(s, float_compare(e, ir::Op::Lt, size, limit), copysign(e, s, near, x), x);
}

}  // namespace

Id whole(Emitter& e, ir::Op o, Scalar s, Id x) {
  if ((s == Scalar::F64 && !e.has(Feature::Whole64)) ||
      (s != Scalar::F16 && e.has(Feature::RintFaults)))
    return whole_by_sums(e, o, s, x);
  return e.ext(o == ir::Op::Floor   ? GLSLstd450Floor
               : o == ir::Op::Ceil  ? GLSLstd450Ceil
               : o == ir::Op::Trunc ? GLSLstd450Trunc
                                    : GLSLstd450RoundEven,
               s, {x});
}

}  // namespace krait::codegen::spirv
