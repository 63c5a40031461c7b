// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structured IR as LLVM functions of one thread: scalar values, regions as basic blocks, their results as phis. A target derives from
// ScalarLowering; its hooks say how a kernel gets its arguments, where arrays of the block lie, and what threads know of each other.
// scalar.cpp has functions and instructions, scalar_control.cpp regions, scalar_lanes.cpp which lanes of a warp are in them, scalar_call.cpp
// the functions that a kernel calls, scalar_memory.cpp arrays, scalar_atomics.cpp atomics.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include <llvm/IR/IRBuilder.h>

#include "codegen/llvm/numeric.h"
#include "codegen/llvm/session.h"
#include "ir/abi.h"
#include "ir/calls.h"
#include "ir/ir.h"
#include "passes/uniformity.h"

namespace krait::codegen {

/// What the functions of a module share.
struct Lowered {
  const ir::Module& module;
  const ir::ArgumentLayout& arguments;
  ir::Calls calls{module};
  std::vector<llvm::Function*> functions{module.functions.size(), nullptr};  // those lowered so far
};

class ScalarLowering {
 public:
  /// Of one function, after those that it calls.
  ScalarLowering(Session& session, Lowered& all, std::size_t function);
  ScalarLowering(const ScalarLowering&) = delete;
  virtual ~ScalarLowering() = default;
  void run();

 protected:
  /// An array as its accesses need it.
  struct Array {
    llvm::Value* base = nullptr;
    ir::Type type;
    std::array<llvm::Value*, ir::max_rank> extents{}, strides{};  // i64
  };
  using Indices = std::span<const ir::ValueId>;

 private:
  /// Where the results of an if or switch meet.
  struct Join {
    llvm::BasicBlock* block;
    std::vector<llvm::PHINode*> results;
    llvm::Value* before;   // lanes_ at the construct
    bool all_come;         // no thread jumps out of a loop around it
    llvm::PHINode* lanes;  // those that come here, where some do not and the others know of each other
  };
  struct Loop {
    llvm::BasicBlock *header, *latch, *exit;
    std::vector<llvm::PHINode*> carried;  // in the header
    std::vector<llvm::PHINode*> next;     // in the latch
    std::vector<llvm::PHINode*> results;  // in the exit
    llvm::Value* before;                  // lanes_ at the loop
    llvm::PHINode* lanes;                 // in the header, where trips differ and warp operations ask
    llvm::Value* body_lanes;              // at the start of a trip
    llvm::Value* next_lanes;              // at the only place that continues
  };

 protected:
  // ---- hooks: the kernel
  virtual Numeric& numeric() = 0;
  /// Makes function_, the kernel's, and exit_, where `return` goes.
  virtual void create_kernel() = 0;
  /// Gives the kernel's parameters their values and arrays.
  virtual void bind_kernel() = 0;
  virtual unsigned views_space() const = 0;
  virtual void lower_shared(const ir::Inst& inst) = 0;
  /// A row of KRAIT_VALUE.
  virtual llvm::Value* pure(const ir::Inst& inst) = 0;
  /// A row of KRAIT_MATH that expand_math left.
  virtual llvm::Value* function_of(const ir::Inst& inst) = 0;

  // ---- hooks: threads
  virtual llvm::Value* position(ir::Op op, unsigned dimension) = 0;
  virtual void lower_sync(const ir::Inst& inst) = 0;
  /// warp_size, lane_id and the rows of KRAIT_WARP.
  virtual void lower_warp(const ir::Inst& inst) = 0;
  /// As `lanes_` has them: all of a warp, those that run, those of them whose condition holds.
  virtual llvm::Value* all_lanes() = 0;
  virtual llvm::Value* running_lanes() = 0;
  virtual llvm::Value* ballot(llvm::Value* condition) = 0;

  // ---- hooks: memory
  virtual llvm::Value* load_from(const Array& array, bool streaming, llvm::Type* type, llvm::Value* pointer) = 0;
  virtual void store_to(const Array& array, bool streaming, llvm::Value* v, llvm::Value* pointer) = 0;
  /// How far an atomic's order is seen; `global`: of an array in global memory.
  virtual llvm::SyncScope::ID sync_scope(ir::Scope scope, bool global) = 0;
  /// The target has no instruction with the meaning of this read-modify-write: it becomes a loop around compare-and-swap.
  virtual bool by_exchange(const ir::Inst& inst, bool global) const = 0;

  // ---- scalar.cpp
  void make_strides(Array& array);
  bool is_written(ir::ValueId array) const;
  llvm::Value* value(ir::ValueId v) const;
  llvm::Value* signed_i64(ir::ValueId v);
  void set(const ir::Inst& inst, llvm::Value* result) { values_[inst.results.front()] = result; }
  bool is_fast(const ir::Inst& inst) const { return inst.fast || kernel_.fp == ir::FpMode::Fast; }
  llvm::BasicBlock* new_block(const char* name);
  /// The lanes that run what is being lowered.
  llvm::Value* active_lanes() { return lanes_ ? lanes_ : running_lanes(); }

  // ---- scalar_memory.cpp
  llvm::Value* to_memory(llvm::Value* v, ir::Scalar s);
  llvm::Value* from_memory(llvm::Value* v, ir::Scalar s);

 private:
  void lower(const ir::Inst& inst);
  void lower_slot(const ir::Inst& inst);

  // ---- scalar_control.cpp
  void lower_region(ir::RegionId region, Join* join, Loop* loop);
  void lower_terminator(const ir::Inst& inst, Join* join, Loop* loop);
  void lower_if(const ir::Inst& inst, Loop* loop);
  void lower_switch(const ir::Inst& inst, Loop* loop);
  void lower_loop(const ir::Inst& inst);
  void lower_for(const ir::Inst& inst);
  void lower_grid_stride(const ir::Inst& inst);
  struct Counter {
    llvm::Value *first, *step, *bound;
    ir::Scalar param;
  };
  void lower_counted(const ir::Inst& inst, const Counter& counter);
  Loop open_loop(const ir::Inst& inst, llvm::BasicBlock* preheader);
  void close_loop(Loop& loop, const ir::Inst& inst, llvm::PHINode* index, llvm::Value* step);
  Join open_join(const ir::Inst& inst);
  void close_join(Join& join, const ir::Inst& inst);
  std::vector<llvm::PHINode*> phis(const std::vector<ir::ValueId>& of, llvm::BasicBlock* block);
  void bind_phis(std::vector<llvm::PHINode*>& phis, const ir::Inst& inst);

  // ---- scalar_lanes.cpp
  bool asks_lanes(const ir::Inst& construct) const;
  std::vector<llvm::Value*> split_lanes(const ir::Inst& inst, const Join& join);
  bool is_uniform(ir::ValueId v);
  bool is_divergent_loop(const ir::Inst& loop);
  std::size_t count_jumps(ir::RegionId region, ir::Op kind) const;

  // ---- scalar_call.cpp
  void create_called();
  void bind_called();
  std::vector<llvm::Type*> passed_types(const ir::Type& t) const;
  llvm::Type* result_type() const;
  void lower_call(const ir::Inst& inst);
  void lower_results(const ir::Inst& yield);

  // ---- scalar_memory.cpp
  void clear(llvm::Value* memory, std::uint64_t bytes);
  void lower_local(const ir::Inst& inst);
  llvm::Value* address(const Array& array, Indices indices, ir::Scalar access, std::uint64_t offset);
  llvm::Value* element_index(const Array& array, Indices indices);
  void lower_load(const ir::Inst& inst);
  void lower_store(const ir::Inst& inst);
  void lower_load_vec(const ir::Inst& inst);
  void lower_store_vec(const ir::Inst& inst);

  // ---- scalar_atomics.cpp
  void lower_atomic(const ir::Inst& inst);
  llvm::Value* emit_atomic(const ir::Inst& inst, const Array& array, Indices indices);
  llvm::Value* updated(ir::Op op, llvm::Value* x, llvm::Value* operand, ir::Scalar s);
  llvm::Value* compare_and_swap(const ir::Inst& inst, llvm::Value* pointer, llvm::Value* expected, llvm::Value* desired,
                                llvm::SyncScope::ID scope);
  llvm::Value* atomic_by_exchange(const ir::Inst& inst, llvm::Value* pointer, llvm::Value* operand, ir::Scalar s,
                                  llvm::SyncScope::ID scope);

 protected:
  Session& session_;
  Lowered& all_;
  const std::size_t number_;    // of the function in the module
  const ir::Function& kernel_;  // or a function that is called
  llvm::LLVMContext& context_;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* exit_ = nullptr;
  llvm::IRBuilder<> b_;
  std::vector<llvm::Value*> values_;  // by ValueId; slots: their alloca
  std::map<ir::ValueId, Array> arrays_;

 private:
  llvm::BasicBlock* entry_ = nullptr;  // holds allocas
  std::optional<DebugLines> lines_;
  llvm::Value* lanes_ = nullptr;  // of the warp that run what is being lowered; null where only the hardware knows
  std::optional<passes::Uniformity> uniformity_;  // found where it is asked for
};

}  // namespace krait::codegen
