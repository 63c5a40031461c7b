// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX's own in the shared arithmetic: scalars, halves with sums and products, conversions that
// saturate.
#pragma once

#include "codegen/llvm/numeric.h"

namespace krait::codegen::nvptx {

class PtxNumeric final : public Numeric {
 public:
  using Numeric::Numeric;
  /// `fast`: approximate division and root are allowed.
  V emit(ir::Op op, ir::Scalar result, ir::Scalar operand, std::span<V const> x, bool fast);

 private:
  V half(ir::Op op, ir::Scalar result, std::span<V const> x) override;
  V cast_half(V x, ir::Scalar from, ir::Scalar to) override;
  V float_min_max(bool min, ir::Scalar s, V x, V y) override;
  V fma(ir::Scalar s, V x, V y, V z) override;
  V saturate(V x, ir::Scalar to) override;
  V divide(ir::Op op, ir::Scalar s, V x, V y) override;
  V multiply_high(ir::Scalar s, V x, V y) override;
};

}  // namespace krait::codegen::nvptx
