// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that only compute: as one scalar, as a linear value, or part by part.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

class FloatQuotients;
class LaneBounds;
class HintNotes;

/// The ballot of which the number is how many lanes below this one are in it; none: it is not that.
ir::ValueId votes_below(const ir::Function& f, ir::ValueId number);

class Pure : public Part {
 public:
  Pure(const Common& common, FloatQuotients& quotients, LaneBounds& lane_bounds, HintNotes& notes);
  void emit_pure(const ir::Inst& inst);
  /// Lowers what `Hulls` followed once more, where the lanes' own values are wanted after all:
  /// gangs that get by with the hull do not compute them.
  void compute_again(ir::ValueId v, unsigned depth, Values::Again& again);
  /// As a number that steps from lane to lane, made of such and uniform ones; false where it is
  /// none.
  bool emit_linear(const ir::Inst& inst);

 private:
  void find_sums();
  V emit_sum(const ir::Inst& inst, llvm::ArrayRef<V> x);
  void note_counted(const ir::Inst& inst, Lowered& r);
  V pure_part(const ir::Inst& inst, ir::Scalar operand, llvm::ArrayRef<V> x);
  bool emit_known(const ir::Inst& inst);
  bool emit_linear_compare(const ir::Inst& inst);
  bool emit_close_quotients(const ir::Inst& inst);
  unsigned magnitude(ir::ValueId v, unsigned depth = 0) const;

  FloatQuotients& float_quotients_;
  LaneBounds& lane_bounds_;
  HintNotes& hint_notes_;
  std::set<ir::ValueId> sums_;  // that may be added in any order
};

}  // namespace krait::codegen::cpu
