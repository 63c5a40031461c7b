// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pure operations: each case names what the operation is in SPIR-V, or the sequence (numeric.h)
// that gives its results.
#pragma once

#include "codegen/spirv/kit/frame.h"

namespace krait::codegen::spirv {

class Pure : public Part {
 public:
  explicit Pure(Frame& frame) : Part(frame) {}
  Id pure(const ir::Inst& i);
  Id literal(Scalar s, std::uint64_t pattern);

 private:
  // `s` is the type of the first operand.
  Id compare(const ir::Inst& i, Scalar s);
  Id convert(const ir::Inst& i, Scalar s);
  Id integer(const ir::Inst& i, Scalar s);
  Id real(const ir::Inst& i, Scalar s);
  Id factor(Scalar s, ir::ValueId v);
  bool is_near_reciprocal(const ir::Inst& i, Scalar s) const;
  Id math(const ir::Inst& i, Scalar s);
};

}  // namespace krait::codegen::spirv
