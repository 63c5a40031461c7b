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
  /// `whole` lowers a whole gang, or several one after the other, from a place on, and gives the
  /// place behind them; whole gangs begin before its second argument.
  void emit_gangs(V begin, V end, bool split, llvm::function_ref<void(V)> place,
                  llvm::function_ref<V(V, V)> whole);
  void emit_gang(const Mask& mask);

 private:
  Control& control_;
  Loops& loops_;
};

}  // namespace krait::codegen::cpu
