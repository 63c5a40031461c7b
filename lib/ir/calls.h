// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls do: a summary of every function of a module, with all that it calls. A call of a pure
// function is as good as a pure operation to whoever asks here instead of the op table.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace krait::ir {

class Calls {
 public:
  /// Sound for any module whose functions call only those behind them.
  explicit Calls(const Module& module);

  /// The effect in the op table; of a call that of its function: Pure, Read, Atomic (any write) or
  /// Sync (anything that the threads of a block or warp do together, and reports).
  Effect effect(const Inst& inst) const {
    return inst.op == Op::Call ? all_[inst.imm].effect : info(inst.op).effect;
  }
  bool is_pure(const Inst& inst) const { return effect(inst) == Effect::Pure; }
  /// The call's result may differ between threads that give equal operands: its function asks for
  /// the thread's position.
  bool is_placed(const Inst& inst) const { return inst.op == Op::Call && all_[inst.imm].placed; }
  /// Whether a function must stand in its caller's body, because what it does belongs to the kernel
  /// as a whole: barriers, warps, positions, shared arrays, large arrays of the thread, loops over
  /// the grid, reports to the host and accesses that may become some.
  bool belongs_to_kernel(std::size_t function) const { return all_[function].kernel_only; }
  /// Whether an instruction of a checked function is looked at even where nothing needs what it
  /// does: a store may lie outside its array, a length that the launch gives may be none, and a
  /// call may do either. Loads are not: the recorder makes one of every element that is named, and
  /// those that nobody uses are none of the program's.
  bool is_checked(const Inst& inst) const;
  /// Of an instruction, whether it may load from, or write to, the array that is its operand.
  bool reads(const Inst& inst, std::size_t operand) const;
  bool writes(const Inst& inst, std::size_t operand) const;

 private:
  struct Summary {
    Effect effect = Effect::Pure;
    bool placed = false, kernel_only = false, checked = false;
    std::vector<bool> reads, writes;  // by parameter
  };
  void summarise(const Function& f, Summary& s) const;
  void access(const Function& f, const Inst& inst, Summary& s) const;
  std::vector<Summary> all_;
};

/// Whether an instruction of the region itself calls a function that is seldom reached.
bool calls_rare(const Module& module, const Function& f, RegionId r);
/// A load of what no thread of the launch writes: an argument's bytes, or an element of a view that
/// is only read and overlaps no other one.
bool reads_constants(const Function& f, const Inst& inst);

/// Drops functions that no call reaches, and puts the others behind their callers, in the order of
/// the calls.
void sort_functions(Module& module);

}  // namespace krait::ir
