// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between which two numbers a value is in all lanes of the gang, found on scalars: what it is for
// the gang's first and last lane, and a test at run time that the others lie between these.
#pragma once

#include <optional>

#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

struct Bounds {
  V first, last, holds;
};

class LaneBounds : public Part {
 public:
  explicit LaneBounds(const Common& common) : Part(common) {}
  // operations from a thread's place to the value; a range's trips have 7, casts on top
  static constexpr unsigned deepest = 16;
  /// None where an operation on the way neither keeps nor reverses order.
  std::optional<Bounds> bounds_of(ir::ValueId v, unsigned depth = deepest);
  /// A scalar that is true only where the condition is `wanted` in all lanes of the gang; null
  /// where it is no comparison of places.
  V surely(ir::ValueId condition, bool wanted, unsigned depth = deepest);

 private:
  V at_most(ir::Scalar s, V a, V b);
  Bounds ordered(ir::Scalar from, const Bounds& h, ir::Scalar s, V first, V last, bool reversed);
  std::optional<Bounds> bounds_of_cast(const ir::Inst& def, unsigned depth);
  std::optional<Bounds> bounds_of_select(const ir::Inst& def, unsigned depth);
  std::optional<Bounds> bounds_of_pair(const ir::Inst& def, unsigned depth);
};

}  // namespace krait::codegen::cpu
