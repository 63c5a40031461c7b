// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel's body for gang after gang.
#pragma once

#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

class Control;
class Loops;

class Gangs : public Part {
 public:
  Gangs(const Common& common, Control& control, Loops& loops)
      : Part(common), control_(control), loops_(loops) {}
  /// Whether whole gangs get code without masks.
  bool splits() const;
  /// Over [begin, end): whole ones without a mask and the rest under one, or all under a mask.
  void emit_gangs(V begin, V end, bool split, llvm::function_ref<void(V)> place);
  /// Of whole gangs, or several one after the other: `whole` lowers them from a place on, and gives
  /// the place behind them; they begin before its second argument.
  void emit_gangs(V begin, V end, bool split, llvm::function_ref<void(V)> place,
                  llvm::function_ref<V(V, V)> whole) {
    emit_gangs({begin, begin, end}, split, place, whole);
  }
  void emit_gang(const Mask& mask);
  /// Of a row of the grid over [begin, end), which ends where its guards do.
  void emit_row(V begin, V end, bool split, llvm::function_ref<void(V)> place);

 private:
  /// Threads [begin, end) of a row, whose first gang begins at `first`.
  struct Row {
    V first, begin, end;
    bool cut() const { return first != begin; }
  };
  void emit_gangs(const Row& row, bool split, llvm::function_ref<void(V)> place);
  void emit_gangs(const Row& row, bool split, llvm::function_ref<void(V)> place,
                  llvm::function_ref<V(V, V)> whole);
  Mask lanes_within(const Row& row, V x);
  V limit(const GuardedRow::Bound& bound, V begin, V end);
  Control& control_;
  Loops& loops_;
};

}  // namespace krait::codegen::cpu
