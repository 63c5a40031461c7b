// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that one lane of a gang takes at most, as behind `if (thread == 0)`: scalar code by that
// lane's values instead of vectors under a mask of one lane. Which lanes may be active together
// follows from the forms of what an `if` compares: two lanes for which the sides of an equation
// differ by different numbers cannot both have them equal.
#pragma once

#include <optional>
#include <vector>

#include "codegen/cpu/control/control.h"
#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

class Straight;

class OneLane : public Part {
 public:
  OneLane(const Common& common, Control& control, Straight& straight)
      : Part(common), control_(control), straight_(straight) {}
  /// Which lanes may be active together on the side of a branch.
  std::vector<unsigned> together(const ir::Inst& branch, ir::RegionId side) const;
  /// Whether a side that one lane takes at most is better scalar code, and may be.
  bool takes(const ir::Inst& branch, ir::RegionId side) const;
  /// The side, by the values of the lane that is active. What it yields are scalars.
  Exit emit(ir::RegionId side);

 private:
  struct Sets;
  void part(ir::ValueId condition, bool wanted, Sets& sets) const;
  std::vector<std::int64_t> distances(ir::ValueId v) const;
  bool may_be_scalar(ir::RegionId r, bool& accesses) const;
  void make_scalars(ir::RegionId r, std::vector<bool>& inside, Values::Again& again);
  V of_lane(const Lowered& x, ir::Scalar s);
  V number_of_lane();

  Control& control_;
  Straight& straight_;
  int known_ = -1;                    // the lane, where the code knows it
  V lane_ = nullptr;                  // else its number, once it was asked for
  std::optional<Divergence> scalar_;  // what varies in a gang of one
};

}  // namespace krait::codegen::cpu
