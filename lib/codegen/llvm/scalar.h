// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structured IR as LLVM functions of one thread: scalar values, regions as basic blocks, their
// results as phis. A target derives from Target; its hooks say how a kernel gets its arguments,
// where arrays of the block lie, and what threads know of each other. The parts: scalar_code.h the
// function and its values, scalar_control.h regions, scalar_lanes.h which lanes of a warp are in
// them, scalar_calls.h the functions that a kernel calls, scalar_memory.h arrays, scalar_atomics.h
// atomics.
#pragma once

#include "codegen/llvm/scalar_code.h"

namespace krait::codegen::scalar {

class Target : public Part {
 public:
  virtual ~Target() = default;

  // ---- hooks: the kernel
  virtual Numeric& numeric() = 0;
  /// Makes the kernel's function, and the block where `return` goes.
  virtual void create_kernel() = 0;
  /// Gives the kernel's parameters their values and arrays.
  virtual void bind_kernel() = 0;
  virtual unsigned views_space() const = 0;
  virtual void lower_shared(const ir::Inst& inst) = 0;
  /// A row of KRAIT_VALUE.
  virtual llvm::Value* pure(const ir::Inst& inst) = 0;
  /// A row of KRAIT_MATH that expand_math left.
  virtual llvm::Value* function_of(const ir::Inst& inst) = 0;

  /// Before the instruction is lowered.
  virtual void before(ir::InstId) {}

  // ---- hooks: threads
  virtual llvm::Value* position(ir::Op op, unsigned dimension) = 0;
  /// Barriers and fences, clock and nanosleep.
  virtual void lower_sync(const ir::Inst& inst) = 0;
  /// warp_size, lane_id and the rows of KRAIT_WARP.
  virtual void lower_warp(const ir::Inst& inst) = 0;
  /// A row of KRAIT_TILE that expand_tiles left.
  virtual void lower_tile(const ir::Inst& inst) = 0;
  /// As `Code::lanes` has them: all of a warp, those that run, those of them whose condition holds.
  virtual llvm::Value* all_lanes() = 0;
  virtual llvm::Value* running_lanes() = 0;
  /// The same pointer, number or mask, which the device's compiler does not see to be equal in a
  /// warp.
  virtual llvm::Value* each_lanes_own(llvm::Value* v) = 0;
  virtual llvm::Value* ballot(llvm::Value* condition) = 0;
  /// Whether a condition holds in one of the lanes, all of which come here.
  virtual llvm::Value* any(llvm::Value* lanes, llvm::Value* condition) = 0;
  /// All of these lanes come here before one goes on.
  virtual void wait_for(llvm::Value* lanes) = 0;

  /// A call for which the program gives instructions: its result, or null.
  virtual llvm::Value* instructions(const ir::Inst& call, const ir::Function& f) = 0;

  // ---- hooks: memory
  virtual llvm::Value* load_from(const Array& array, bool streaming, llvm::Type* type,
                                 llvm::Value* pointer) = 0;
  virtual void store_to(const Array& array, bool streaming, llvm::Value* v,
                        llvm::Value* pointer) = 0;
  /// How far an atomic's order is seen; `global`: of an array in global memory.
  virtual llvm::SyncScope::ID sync_scope(ir::Scope scope, bool global) = 0;
  /// The target has no instruction with the meaning of this read-modify-write: it becomes a loop
  /// around compare-and-swap.
  virtual bool by_exchange(const ir::Inst& inst, bool global) const = 0;
  /// That instruction, of no order: the old bits.
  virtual llvm::Value* read_modify_write(const ir::Inst& inst, llvm::AtomicRMWInst::BinOp op,
                                         llvm::Value* pointer, llvm::Value* bits,
                                         llvm::SyncScope::ID scope) = 0;

  /// The lanes that run what is being lowered.
  llvm::Value* active_lanes() { return code_.lanes ? code_.lanes : running_lanes(); }

 protected:
  using Part::Part;
};

/// Builds the function.
void lower(Code& code, Target& target);

}  // namespace krait::codegen::scalar
