// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations across the warp, which is the gang, and across a block that is one gang.
#pragma once

#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

class EachLane;

class Warp : public Part {
 public:
  Warp(const Common& common, EachLane& each_lane) : Part(common), each_lane_(each_lane) {}
  void emit_warp(const ir::Inst& inst);
  void emit_lane_id(const ir::Inst& inst);
  /// Leaves the core to its other thread for a moment.
  void emit_pause();
  /// Tells the launcher of a gang all of whose lanes wait.
  void emit_poll(const ir::Inst& inst);
  /// Where the gang is the whole block a barrier orders nothing: its lanes run in step.
  void emit_gang_barrier(const ir::Inst& inst);

 private:
  void emit_shuffle(const ir::Inst& inst);
  void emit_sum(const ir::Inst& inst);
  V combine(const ir::Inst& inst, V x, V y);
  V tree(const ir::Inst& inst, Few<V> x);
  void emit_reduce(const ir::Inst& inst);
  void emit_prefix_count(const ir::Inst& inst);
  void emit_match(const ir::Inst& inst);
  void emit_scan(const ir::Inst& inst);

  EachLane& each_lane_;
};

}  // namespace krait::codegen::cpu
