// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What NVPTX has of its own in the lowering of scalars (codegen/llvm/scalar.h): lower.cpp the
// kernel's parameters and pure operations, memory.cpp shared memory and streaming accesses,
// cooperate.cpp positions, barriers and warp operations, functions.cpp mathematical functions that
// the hardware has, native.cpp instructions that the program gives.
#pragma once

#include <map>
#include <vector>

#include "codegen/llvm/scalar.h"
#include "codegen/nvptx/numeric.h"
#include "codegen/nvptx/tiles.h"
#include "codegen/powers.h"

namespace krait::codegen::nvptx {

/// NVPTX's address spaces.
inline constexpr unsigned generic_space = 0, global_space = 1, shared_space = 3;

/// Throws Failure 1 that names what cannot be lowered for NVPTX. Everything that would end in
/// LLVM's "cannot select" is here.
void check_legality(const ir::Module& module, const ir::ArgumentLayout& arguments, unsigned isa);
/// Shared memory whose size stands in the code is limited to 48 KiB. Where a kernel's arrays of
/// fixed size need more, they lie at the start of the dynamic segment, and this is how many bytes
/// of it; else 0.
std::uint64_t fixed_arrays_in_segment(const ir::Function& kernel);
/// Bytes of an array of fixed size, with the gap behind it; those of kernels with products begin
/// where wgmma wants them.
std::uint64_t fixed_array_bytes(const ir::Function& kernel, const ir::Inst& array);
/// Where arrays begin.
unsigned shared_alignment_of(const ir::Function& kernel);
/// Whether `emit_function` lowers this row of KRAIT_MATH in this mode.
bool has_instruction(const ir::Inst& inst, ir::FpMode mode);

/// The module's PTX with the device functions that instructions of the program call.
std::string with_functions(std::string ptx, const ir::Module& module);
/// Builds the module's functions, the kernel under its name.
void lower_module(Session& session, const ir::Module& module, const ir::ArgumentLayout& arguments,
                  const support::PtxTarget& on);

/// How a kernel's launches overlap with others on a device: those before sm_90 have no such thing.
ir::Overlap overlap_on(const support::PtxTarget& on, const ir::Function& kernel);

class Lowering final : public scalar::Target {
 public:
  Lowering(scalar::Code& code, const support::PtxTarget& on);

  // lower.cpp
  Numeric& numeric() override { return numeric_; }
  void create_kernel() override;
  void bind_kernel() override;
  unsigned views_space() const override { return global_space; }
  llvm::Value* pure(const ir::Inst& inst) override;

  // memory.cpp
  void lower_shared(const ir::Inst& inst) override;
  llvm::Value* load_from(const scalar::Array& array, bool streaming, llvm::Type* type,
                         llvm::Value* pointer) override;
  void store_to(const scalar::Array& array, bool streaming, llvm::Value* v,
                llvm::Value* pointer) override;

  // cooperate.cpp
  llvm::Value* position(ir::Op op, unsigned dimension) override;
  llvm::Value* all_lanes() override;
  llvm::Value* running_lanes() override;
  llvm::Value* each_lanes_own(llvm::Value* v) override;
  llvm::Value* any(llvm::Value* lanes, llvm::Value* condition) override;
  void wait_for(llvm::Value* lanes) override;
  llvm::Value* ballot(llvm::Value* condition) override;
  llvm::SyncScope::ID sync_scope(ir::Scope scope, bool global) override;
  bool by_exchange(const ir::Inst& inst, bool global) const override;
  llvm::Value* read_modify_write(const ir::Inst& inst, llvm::AtomicRMWInst::BinOp op,
                                 llvm::Value* pointer, llvm::Value* bits,
                                 llvm::SyncScope::ID scope) override;
  void before(ir::InstId i) override { tiles_.before(i); }
  void lower_sync(const ir::Inst& inst) override;
  void lower_warp(const ir::Inst& inst) override;
  void lower_tile(const ir::Inst& inst) override { tiles_.lower(inst); }

  // functions.cpp
  llvm::Value* function_of(const ir::Inst& inst) override;

  // native.cpp
  llvm::Value* instructions(const ir::Inst& call, const ir::Function& f) override;

 private:
  // lower.cpp
  llvm::Value* distance(const ir::Inst& inst);
  llvm::Value* to_float8(ir::Scalar to, llvm::Value* x);
  llvm::Value* from_float8(ir::Scalar from, llvm::Value* x);
  bool may_hold_float_bits(ir::ValueId v);
  llvm::Value* copy_register(llvm::Value* x);
  llvm::Value* reciprocal_f64(llvm::Value* x);
  llvm::Value* approximate(const ir::Inst& inst);

  // memory.cpp
  void place_shared();

  // cooperate.cpp
  llvm::Value* special_register(unsigned intrinsic, std::uint64_t low, std::uint64_t high);
  llvm::Value* thread_idx(unsigned dimension);
  llvm::Value* block_idx(unsigned dimension);
  llvm::Value* block_dim(unsigned dimension);
  llvm::Value* grid_dim(unsigned dimension);
  /// What shfl.sync is told of the lane to read: its form, a lane or a distance, and where segments
  /// end.
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
  llvm::Value* emit_power(llvm::Value* x, SplitLogarithm b);

  PtxNumeric numeric_;
  Tiles tiles_;
  std::map<ir::ValueId, llvm::Value*> segment_offsets_;  // of shared arrays in the dynamic segment
  // of those sized at launch, in the order of the text
  std::vector<llvm::Value*> shared_lengths_;
  llvm::GlobalVariable* segment_ = nullptr;  // dynamic shared memory
  std::vector<signed char> float_bits_;      // by ValueId: -1 not asked yet
  bool reinterprets_ = false;                // the kernel takes the bits of floats
  // the kernel has barriers, fences or atomics
  bool synchronises_ = false;
  const ir::Overlap overlap_;
};

}  // namespace krait::codegen::nvptx
