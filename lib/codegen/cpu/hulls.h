// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between which two numbers a value is in all lanes of the gang, found on scalars: what it is for the gang's first and last lane, and a
// test at run time that the others lie between these.
#pragma once

#include <optional>

#include "codegen/cpu/part.h"

namespace krait::codegen::cpu {

struct Hull {
  V first, last, holds;
};

class Hulls : public Part {
 public:
  explicit Hulls(const Common& common) : Part(common) {}
  static constexpr unsigned deepest = 16;  // operations from a thread's place to the value; a range's trips have 7, casts on top
  /// None where an operation on the way neither keeps nor reverses order.
  std::optional<Hull> hull(ir::ValueId v, unsigned depth = deepest);
  /// A scalar that is true only where the condition is `wanted` in all lanes of the gang; null where it is no comparison of places.
  V surely(ir::ValueId condition, bool wanted, unsigned depth = deepest);

 private:
  V at_most(ir::Scalar s, V a, V b);
  Hull ordered(ir::Scalar from, const Hull& h, ir::Scalar s, V first, V last, bool reversed);
  std::optional<Hull> hull_of_cast(const ir::Inst& def, unsigned depth);
  std::optional<Hull> hull_of_select(const ir::Inst& def, unsigned depth);
  std::optional<Hull> hull_of_pair(const ir::Inst& def, unsigned depth);
};

}  // namespace krait::codegen::cpu
