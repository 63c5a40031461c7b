// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// if and switch: a branch where the condition is uniform in the gang; else the sides run in turn,
// each under its mask.
//
// A small side is computed without a branch, and its values are blended. A side that only computes,
// such as the rare path of a logarithm, blends its values where it ends, so that a gang that jumps
// over it keeps nothing for a join. Whole gangs may take a second copy without masks:
//   - without AVX-512, where a masked store costs a dozen plain ones: of sides with loops, loads
//     and stores, and of sides that load bytes or halves, which have no masked load;
//   - with AVX-512: of sides that access members of aggregates, and of one that stores to an array
//     of the block at a border, since memory forwards whole stores to the loads after a barrier,
//     and masked ones not.
// Where the condition compares places with uniform numbers, the first and the last lane decide
// whether the gang is whole. A side that one lane takes at most is scalar code (one_lane.h).
#pragma once

#include <optional>
#include <vector>

#include "codegen/cpu/control/control.h"
#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

class LaneBounds;
class OneLane;
class HintNotes;
class Pure;

class Branches : public Part {
 public:
  Branches(const Common& common, Control& control, OneLane& one_lane, LaneBounds& lane_bounds,
           Pure& pure, HintNotes& notes)
      : Part(common),
        control_(control),
        one_lane_(one_lane),
        lane_bounds_(lane_bounds),
        pure_(pure),
        hint_notes_(notes) {}
  Flow emit_uniform_branch(ir::InstId id);
  Flow emit_varying_if(ir::InstId id);
  /// Whether gangs whose lanes all go there had better have a copy of the code without masks.
  bool gains_from_whole(const ir::Inst& inst, ir::RegionId side) const;

 private:
  struct Side {
    ir::RegionId region;
    Few<V> chosen;
    Mask mask;
    Exit exit;
    Mask after;
    bool alive = false;
    bool scalar = false;  // one lane at most goes there
  };
  struct Guarded {
    bool stores = false, members = false;  // of aggregates
    bool narrow = false;                   // loads that the machine has no mask for
    bool packed = false;                   // accesses by a number of lanes below
    bool apart = false;                    // accesses whose lanes' elements do not lie side by side
    bool shared = false;                   // stores to arrays of the block
    std::size_t instructions = 0;
  };
  // ---- a uniform condition
  void branch_on(const ir::Inst& inst, const Few<Block>& sides, Block next);
  // ---- a varying one
  std::vector<Side> sides_of(const ir::Inst& inst, Mask& rest);
  void enter_side(const ir::Inst& inst, ir::RegionId side);
  Exit emit_body(const Side& side);
  Flow emit_sides(const ir::Inst& inst, bool kills);
  void emit_side(Side& side, bool last);
  void emit_in_turn(const ir::Inst& inst, std::vector<Side>& sides, bool flat, bool kills);
  void join_sides(const ir::Inst& inst, std::vector<Side>& sides);
  bool flattens(const ir::Inst& inst) const;
  // ---- of which one side computes
  ir::RegionId only_body(const ir::Inst& inst) const;
  void emit_one_sided(const ir::Inst& inst, ir::RegionId body, const std::vector<Side>& sides);
  // ---- that has a copy without masks
  bool only_accesses(ir::RegionId r, Guarded& found, bool within = false) const;
  bool masks_load(const ir::Inst& inst) const;
  bool compares_place(ir::ValueId condition) const;
  bool lies_apart(ir::ValueId index, unsigned depth = 6) const;
  bool is_counted(ir::ValueId index, unsigned depth = 6) const;
  V surely_whole(const ir::Inst& inst, const Side& side);
  Exit emit_whole(ir::RegionId side);
  void find_lanes_again(const ir::Inst& inst, Side& side, Values::Again& again);
  bool emit_either_or_masked(const ir::Inst& inst);
  void emit_whole_or_masked(const ir::Inst& inst, Side& side);
  void join_copies(const ir::Inst& inst, Block whole, const std::vector<Lowered>& values,
                   Block masked, std::vector<Lowered>& joined);
  void emit_whole_or_one_sided(const ir::Inst& inst, ir::RegionId body, std::vector<Side> sides);

  Control& control_;
  OneLane& one_lane_;
  LaneBounds& lane_bounds_;
  Pure& pure_;
  HintNotes& hint_notes_;
};

}  // namespace krait::codegen::cpu
