// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops, and the jumps out of them and out of the kernel.
//
// In kr::range(thread, n, step) threads beside each other make the same number of iterations, or
// one more. The counts of a gang's first and last thread are computed on scalars, with tests at run
// time that every other lane's count is between them. The common iterations run without masks and
// with a scalar counter; a copy under masks makes the others. Loops with a break, or with more than
// 256 operations, have the masked copy alone.
#pragma once

#include <vector>

#include "codegen/cpu/control/control.h"
#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

class LoopSlots;
class LaneBounds;
class HintNotes;
class Positions;
class Pure;

class Loops : public Part {
 public:
  struct Needs {
    Positions& positions;
    LoopSlots& loop_slots;
    Control& control;
    LaneBounds& lane_bounds;
    Pure& pure;
    HintNotes& notes;
  };
  Loops(const Common& common, const Needs& needs);
  void emit_loop(ir::InstId id);
  /// The one trip of a sweep's loop.
  void emit_element(ir::InstId id);
  /// Break, continue, return, unreachable.
  void jump(ir::InstId id);

  Block gang_end = nullptr;  // where a uniform return goes

 private:
  struct Loop {
    const ir::Inst* inst = nullptr;
    ir::InstId id = ir::none;
    Block head = nullptr, latch = nullptr, exit = nullptr;
    std::vector<Cell> params, results;  // results without uses have no cell
    Cell active, waiting, left, trip;
    bool masked = false, single_continue = false, latch_used = false;
    bool loses = false;  // lanes that leave the kernel from within
  };
  Loop open_loop(ir::InstId id);
  void enter_masked(Loop& loop, Values::Again& again);
  void emit_trips(Loop& loop);
  void emit_body(Loop& loop);
  bool emit_common_trips(const Loop& loop, Values::Again& again);
  void emit_trip_test(const Loop& loop);
  bool only_trips_differ(ir::InstId id) const;

  Positions& positions_;
  LoopSlots& loop_slots_;
  Control& control_;
  LaneBounds& lane_bounds_;
  Pure& pure_;
  HintNotes& hint_notes_;
  std::vector<Loop*> around_;  // the place that is lowered
};

}  // namespace krait::codegen::cpu
