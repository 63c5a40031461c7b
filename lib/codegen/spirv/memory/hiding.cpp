// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/memory/hiding.h"

namespace krait::codegen::spirv {

// Mesa's llvmpipe takes x·0 for 0, x + 0 for x, x / 0 for anything, and a choice between -1 and 0
// for one between -1 and -0, strict modes or not. It comes to zeros by itself: by sums of literals,
// by inlining functions, and by the counters of loops that it unrolls. So it sees no number that it
// could begin with. It knows that two exclusive ors with one number are none.
Id opaque(Emitter& e, Scalar s, Id x) { return e.has(Feature::Hide0) ? unknown(e, s, x) : x; }

Id unknown(Emitter& e, Scalar s, Id x) {
  const Scalar u = bits_type(s);
  return e.bits(s, u, e.op(spv::Op::OpBitwiseOr, u, {e.bits(u, s, x), e.hidden_zero(u)}));
}

// llvmpipe asks for each load whether its place is the same in all threads: a walk through the
// operands that ends at the first number that differs, and takes each path to shared ones. 40
// multiplications in a row of a scalar argument by itself took it an hour.
Id opaque_index(Emitter& e, Scalar s, Id x) {
  return e.has(Feature::Walks) ? e.op(spv::Op::OpBitwiseOr, s, {e.hidden_zero(s), x}) : x;
}

// llvmpipe puts an integer zero among the doubles for threads that take no part, which its LLVM
// cannot translate and ends the process. A result of integer arithmetic is an integer to it.
Id atomic_operand(Emitter& e, Scalar s, Id x) {
  const Scalar u = bits_type(s);
  x = e.bits(u, s, x);
  return s == Scalar::F64 && e.has(Feature::Hide0)
             ? e.op(spv::Op::OpBitwiseXor, u, {x, e.hidden_zero(u)})
             : x;
}

}  // namespace krait::codegen::spirv
