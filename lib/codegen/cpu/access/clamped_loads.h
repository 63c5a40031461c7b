// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads at places that are held inside of an array: min(max(x + 1, 0), width - 1), or (x + 1) %
// width. In gangs away from the border nothing holds them, and lanes side by side load a row.
// Whether a gang is there is asked of its first and last lane; others gather as before.
#pragma once

#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

class LaneBounds;
class Pure;
struct Bounds;

class ClampedLoads : public Part {
 public:
  ClampedLoads(const Common& common, LaneBounds& lane_bounds, Pure& pure)
      : Part(common), lane_bounds_(lane_bounds), pure_(pure) {}
  /// Lowers a load by `emit`: once more for gangs whose index nothing holds, where there can be
  /// such.
  void emit_load(const ir::Inst& inst, llvm::function_ref<void()> emit);

 private:
  static constexpr unsigned deepest = 16;  // operations from the index to a thread's place
  bool may_be_row(const ir::Inst& inst) const;
  /// Lowers v once more as what it is where nothing on the way holds it; gives the scalar that
  /// tells whether that is so in the whole gang, or null where v is no number that steps from lane
  /// to lane even then.
  V unheld(ir::ValueId v, unsigned depth, Values::Again& again);
  V unheld_by_bound(ir::ValueId v, unsigned depth, Values::Again& again);
  V unheld_by_choice(ir::ValueId v, unsigned depth, Values::Again& again);
  V unheld_by_period(ir::ValueId v, unsigned depth, Values::Again& again);
  V at_most(ir::Scalar s, V a, V b);

  LaneBounds& lane_bounds_;
  Pure& pure_;
};

}  // namespace krait::codegen::cpu
