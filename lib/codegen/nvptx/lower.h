// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structured IR as LLVM functions for NVPTX: one thread, scalar values, regions as basic blocks, their results as phis.
// lower.cpp sets up the kernel and its parameters, call.cpp the functions that it calls, control.cpp lowers regions, memory.cpp arrays, atomics.cpp atomics,
// cooperate.cpp positions, barriers and warp operations, functions.cpp mathematical functions that the hardware has.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "codegen/nvptx/numeric.h"
#include "codegen/llvm/session.h"
#include "ir/abi.h"
#include "ir/calls.h"
#include "ir/ir.h"

namespace krait::codegen::nvptx {

/// NVPTX's address spaces.
inline constexpr unsigned generic_space = 0, global_space = 1, shared_space = 3;

/// Throws Failure 1 that names what cannot be lowered for NVPTX. Everything that would end in LLVM's "cannot select" is here.
void check_legality(const ir::Module& module, const ir::ArgumentLayout& arguments, unsigned isa);
/// Shared memory whose size stands in the code is limited to 48 KiB. Where a kernel's arrays of fixed size need more, they lie at
/// the start of the dynamic segment, and this is how many bytes of it; else 0.
std::uint64_t fixed_arrays_in_segment(const ir::Function& kernel);
/// Whether `emit_function` lowers this row of KRAIT_MATH in this mode.
bool has_instruction(const ir::Inst& inst, ir::FpMode mode);

/// Builds the module's functions, the kernel under its name.
void lower_module(Session& session, const ir::Module& module, const ir::ArgumentLayout& arguments);

/// What the functions of a module share.
struct Lowered {
  const ir::Module& module;
  const ir::ArgumentLayout& arguments;
  ir::Calls calls{module};
  std::vector<llvm::Function*> functions{module.functions.size(), nullptr};  // those lowered so far
};

class Lowering {
 public:
  /// Of one function, after those that it calls.
  Lowering(Session& session, Lowered& all, std::size_t function);
  void run();

 private:
  /// An array as its accesses need it.
  struct Array {
    llvm::Value* base = nullptr;
    ir::Type type;
    std::array<llvm::Value*, 4> extents{}, strides{};  // i64
  };
  /// Where the results of an if or switch meet.
  struct Join {
    llvm::BasicBlock* block;
    std::vector<llvm::PHINode*> results;
    llvm::Value* before;      // lanes_ at the construct
    bool all_come;            // no thread jumps out of a loop around it
    llvm::PHINode* lanes;     // those that come here, where some do not and the others know of each other
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

  // lower.cpp
  void create_function();
  void set_modes();
  void bind_parameters();
  void bind_view(unsigned param, const std::vector<llvm::Value*>& arguments);
  void make_strides(Array& array);
  bool is_written(ir::ValueId array) const;
  llvm::Value* value(ir::ValueId v) const;
  llvm::Value* signed_i64(ir::ValueId v);
  void set(const ir::Inst& inst, llvm::Value* result) { values_[inst.results.front()] = result; }
  void lower(const ir::Inst& inst);
  llvm::Value* distance(const ir::Inst& inst);
  void lower_pure(const ir::Inst& inst);
  llvm::Value* to_float8(ir::Scalar to, llvm::Value* x);
  llvm::Value* from_float8(ir::Scalar from, llvm::Value* x);
  llvm::Value* byte_permute(llvm::Value* x, llvm::Value* y, llvm::Value* selector);
  bool may_hold_float_bits(ir::ValueId v);
  llvm::Value* copy_register(llvm::Value* x);
  llvm::Value* reciprocal_f64(llvm::Value* x);
  llvm::Value* approximate(const ir::Inst& inst);
  bool is_fast(const ir::Inst& inst) const { return inst.fast || kernel_.fp == ir::FpMode::Fast; }

  // call.cpp
  void create_called();
  void bind_called();
  std::vector<llvm::Type*> passed_types(const ir::Type& t) const;
  llvm::Type* result_type() const;
  void lower_call(const ir::Inst& inst);
  void lower_results(const ir::Inst& yield);

  // control.cpp
  llvm::BasicBlock* new_block(const char* name);
  void lower_region(ir::RegionId region, Join* join, Loop* loop);
  void lower_terminator(const ir::Inst& inst, Join* join, Loop* loop);
  void lower_if(const ir::Inst& inst, Loop* loop);
  void lower_switch(const ir::Inst& inst, Loop* loop);
  void lower_loop(const ir::Inst& inst);
  void lower_for(const ir::Inst& inst);
  void lower_grid_stride(const ir::Inst& inst);
  struct Counter { llvm::Value *first, *step, *bound; ir::Scalar param; };
  void lower_counted(const ir::Inst& inst, const Counter& counter);
  Loop open_loop(const ir::Inst& inst, llvm::BasicBlock* preheader);
  void close_loop(Loop& loop, const ir::Inst& inst, llvm::PHINode* index, llvm::Value* step);
  Join open_join(const ir::Inst& inst);
  void close_join(Join& join, const ir::Inst& inst);
  std::vector<llvm::PHINode*> phis(const std::vector<ir::ValueId>& of, llvm::BasicBlock* block);
  void bind_phis(std::vector<llvm::PHINode*>& phis, const ir::Inst& inst);

  // memory.cpp
  void place_shared();
  void lower_shared(const ir::Inst& inst);
  void clear(llvm::Value* memory, std::uint64_t bytes);
  void lower_local(const ir::Inst& inst);
  llvm::Value* address(const Array& array, std::span<const ir::ValueId> indices, ir::Scalar access, std::uint64_t offset);
  llvm::Value* element_index(const Array& array, std::span<const ir::ValueId> indices);
  llvm::Value* to_memory(llvm::Value* v, ir::Scalar s);
  llvm::Value* from_memory(llvm::Value* v, ir::Scalar s);
  llvm::Value* load_from(const Array& array, bool streaming, llvm::Type* type, llvm::Value* pointer);
  void store_to(const Array& array, bool streaming, llvm::Value* v, llvm::Value* pointer);
  void lower_load(const ir::Inst& inst);
  void lower_store(const ir::Inst& inst);
  void lower_load_vec(const ir::Inst& inst);
  void lower_store_vec(const ir::Inst& inst);

  // atomics.cpp
  void lower_atomic(const ir::Inst& inst);
  llvm::Value* emit_atomic(const ir::Inst& inst, const Array& array, std::span<const ir::ValueId> indices);
  llvm::Value* updated(ir::Op op, llvm::Value* x, llvm::Value* operand, ir::Scalar s);
  llvm::Value* compare_and_swap(const ir::Inst& inst, llvm::Value* pointer, llvm::Value* expected, llvm::Value* desired,
                                llvm::SyncScope::ID scope);
  llvm::Value* atomic_by_exchange(const ir::Inst& inst, llvm::Value* pointer, llvm::Value* operand, ir::Scalar s,
                                  llvm::SyncScope::ID scope);

  // cooperate.cpp
  llvm::Value* special_register(unsigned intrinsic, std::uint64_t low, std::uint64_t high);
  llvm::Value* thread_idx(unsigned dimension);
  llvm::Value* block_idx(unsigned dimension);
  llvm::Value* block_dim(unsigned dimension);
  llvm::Value* grid_dim(unsigned dimension);
  llvm::Value* position(ir::Op op, unsigned dimension);
  llvm::Value* active_mask();
  bool asks_lanes(const ir::Inst& construct) const;
  std::vector<llvm::Value*> split_lanes(const ir::Inst& inst, const Join& join);
  llvm::Value* ballot(llvm::Value* condition);
  bool is_uniform(ir::ValueId v);
  bool is_divergent_loop(const ir::Inst& loop);
  std::size_t count_jumps(ir::RegionId region, ir::Op kind) const;
  void lower_sync(const ir::Inst& inst);
  void lower_warp(const ir::Inst& inst);
  /// What shfl.sync is told of the lane to read: its form, a lane or a distance, and where segments end.
  struct SourceLane {
    unsigned intrinsic;
    llvm::Value* lane;
    unsigned segment;
  };
  SourceLane source_lane(ir::ValueId v);
  llvm::Value* shuffle(llvm::Value* x, const SourceLane& from);
  llvm::Value* match_any(llvm::Value* x);
  llvm::Value* warp_reduce(const ir::Inst& inst);

  // functions.cpp
  llvm::Value* emit_function(const ir::Inst& inst);
  llvm::Value* emit_exp2(llvm::Value* x, double high, double low);

  Session& session_;
  Lowered& all_;
  const std::size_t number_;     // of the function in the module
  const ir::Function& kernel_;  // or a function that is called
  llvm::LLVMContext& context_;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;  // holds allocas
  llvm::BasicBlock* exit_ = nullptr;
  llvm::IRBuilder<> b_;
  PtxNumeric numeric_;
  std::optional<DebugLines> lines_;
  std::vector<llvm::Value*> values_;  // by ValueId; slots: their alloca
  std::map<ir::ValueId, Array> arrays_;
  std::map<ir::ValueId, llvm::Value*> segment_offsets_;  // of shared arrays in the dynamic segment
  std::vector<llvm::Value*> shared_lengths_;             // of those sized at launch, in the order of the text
  llvm::GlobalVariable* segment_ = nullptr;              // dynamic shared memory
  std::vector<signed char> uniform_, float_bits_;  // by ValueId: -1 not asked yet
  bool reinterprets_ = false;  // the kernel takes the bits of floats
  llvm::Value* lanes_ = nullptr;  // of the warp that run what is being lowered; null where only the hardware knows
  bool synchronises_ = false;  // the kernel has barriers, fences or atomics
};

}  // namespace krait::codegen::nvptx
