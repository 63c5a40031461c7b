// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads know of each other: positions in the launch, barriers and fences, warp operations.
#include <climits>

#include <fmt/core.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/nvptx/lower.h"
#include "codegen/reply.h"
#include "ir/walk.h"

namespace krait::codegen::nvptx {

using ir::Op;
using llvm::Value;
using namespace llvm::Intrinsic;

/// A special register as i64, with the range that lets LLVM narrow what is computed from it: low <=
/// value < high.
Value* Lowering::special_register(unsigned intrinsic, std::uint64_t low, std::uint64_t high) {
  llvm::CallInst* call = b_.CreateIntrinsic(ID(intrinsic), {});
  call->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, low), llvm::APInt(32, high)));
  return b_.CreateZExt(call, b_.getInt64Ty(), "", true);
}

// The limits are CUDA's: blocks of 1024 × 1024 × 64 threads at most, grids of 2^31-1 × 65535 ×
// 65535 blocks.
Value* Lowering::thread_idx(unsigned d) {
  constexpr ID ids[] = {nvvm_read_ptx_sreg_tid_x, nvvm_read_ptx_sreg_tid_y,
                        nvvm_read_ptx_sreg_tid_z};
  std::uint64_t limit = f_.block[d] ? std::uint64_t(f_.block[d]) : d == 2 ? 64 : 1024;
  return limit == 1 ? b_.getInt64(0) : special_register(ids[d], 0, limit);
}

Value* Lowering::block_dim(unsigned d) {
  constexpr ID ids[] = {nvvm_read_ptx_sreg_ntid_x, nvvm_read_ptx_sreg_ntid_y,
                        nvvm_read_ptx_sreg_ntid_z};
  return f_.block[d] ? b_.getInt64(std::uint64_t(f_.block[d]))
                     : special_register(ids[d], 1, d == 2 ? 65 : 1025);
}

Value* Lowering::block_idx(unsigned d) {
  constexpr ID ids[] = {nvvm_read_ptx_sreg_ctaid_x, nvvm_read_ptx_sreg_ctaid_y,
                        nvvm_read_ptx_sreg_ctaid_z};
  return special_register(ids[d], 0, d ? 0xffff : 0x7fffffff);
}

Value* Lowering::grid_dim(unsigned d) {
  constexpr ID ids[] = {nvvm_read_ptx_sreg_nctaid_x, nvvm_read_ptx_sreg_nctaid_y,
                        nvvm_read_ptx_sreg_nctaid_z};
  return special_register(ids[d], 1, d ? 0x10000 : 0x80000000u);
}

Value* Lowering::position(Op op, unsigned d) {
  switch (op) {
    case Op::ThreadIdx: return thread_idx(d);
    case Op::BlockIdx: return block_idx(d);
    case Op::BlockDim: return block_dim(d);
    case Op::GridDim: return grid_dim(d);
    case Op::GlobalId: {
      Value* first = b_.CreateMul(block_idx(d), block_dim(d), "", true, true);
      return b_.CreateAdd(first, thread_idx(d), "", true, true);
    }
    default: return b_.CreateMul(grid_dim(d), block_dim(d), "", true, true);
  }
}

/// Naming the lanes that take part in a warp operation makes the hardware wait until they are there
/// (those that have returned count as such); where threads jump out of loops in several ways nobody
/// knows them, and it is those that happen to be here.
Value* Lowering::running_lanes() { return b_.CreateIntrinsic(nvvm_activemask, {}); }
Value* Lowering::each_lanes_own(Value* v) {
  // No lane is below itself, the last one at most 31: a zero, which neither LLVM nor ptxas knows.
  Value* const zero = b_.CreateLShr(b_.CreateIntrinsic(nvvm_read_ptx_sreg_lanemask_lt, {}), 31);
  llvm::Type* const type = v->getType();
  if (type->isPointerTy()) return b_.CreateGEP(b_.getInt8Ty(), v, zero);
  llvm::Type* const bits = b_.getIntNTy(type->getScalarSizeInBits());
  return b_.CreateBitCast(b_.CreateXor(b_.CreateBitCast(v, bits), b_.CreateZExtOrTrunc(zero, bits)),
                          type);
}
Value* Lowering::all_lanes() { return b_.getInt32(~0u); }

Value* Lowering::ballot(Value* condition) {
  return b_.CreateIntrinsic(nvvm_vote_ballot_sync, {active_lanes(), condition});
}
Value* Lowering::any(Value* lanes, Value* condition) {
  return b_.CreateIntrinsic(nvvm_vote_any_sync, {lanes, condition});
}
void Lowering::wait_for(Value* lanes) { b_.CreateIntrinsic(nvvm_bar_warp_sync, {lanes}); }

llvm::SyncScope::ID Lowering::sync_scope(ir::Scope scope, bool global) {
  const char* scopes[] = {"block", "device", ""};
  // Shared memory of a cluster is seen by its other blocks, whichever array names it.
  return context_.getOrInsertSyncScopeID(global             ? scopes[unsigned(scope)]
                                         : f_.in_clusters() ? "cluster"
                                                            : "block");
}

/// PTX ISA, atom: .add.f32 on global memory flushes subnormals; wide counters are missing.
bool Lowering::by_exchange(const ir::Inst& inst, bool global) const {
  const bool flushes = inst.op == Op::AtomicAdd && inst.type.scalar == ir::Scalar::F32 && global;
  const bool exact = f_.fp == ir::FpMode::Strict || f_.fp == ir::FpMode::Reproducible;
  const bool wide_counter =
      (inst.op == Op::AtomicInc || inst.op == Op::AtomicDec) && ir::size_of(inst.type.scalar) == 8;
  return wide_counter || (flushes && exact && !inst.fast);
}

/// LLVM gives read-modify-writes no scope, and PTX's own is the device: those that the whole system
/// sees are written as text.
Value* Lowering::read_modify_write(const ir::Inst& inst, llvm::AtomicRMWInst::BinOp op,
                                   Value* pointer, Value* bits, llvm::SyncScope::ID scope) {
  const unsigned size = ir::size_of(inst.type.scalar);
  if (scope != llvm::SyncScope::System)
    return b_.CreateAtomicRMW(op, pointer, bits, llvm::Align(size), llvm::AtomicOrdering::Monotonic,
                              scope);
  using B = llvm::AtomicRMWInst;
  const auto name = [&]() -> const char* {
    switch (op) {
      case B::Add: return "add.u";
      case B::FAdd: return "add.f";
      case B::Min: return "min.s";
      case B::UMin: return "min.u";
      case B::Max: return "max.s";
      case B::UMax: return "max.u";
      case B::And: return "and.b";
      case B::Or: return "or.b";
      case B::Xor: return "xor.b";
      case B::UIncWrap: return "inc.u";
      case B::UDecWrap: return "dec.u";
      case B::Xchg: return "exch.b";
      default: defect("not a read-modify-write of PTX");
    }
  };
  llvm::Type* type = bits->getType();
  const char letter = type->isFloatTy() ? 'f' : type->isDoubleTy() ? 'd' : size == 8 ? 'l' : 'r';
  auto* code = llvm::InlineAsm::get(
      llvm::FunctionType::get(type, {pointer->getType(), type}, false),
      fmt::format("atom.relaxed.sys.global.{}{} $0, [$1], $2;", name(), 8 * size),
      fmt::format("={0},l,{0},~{{memory}}", letter), true);
  llvm::CallInst* call = b_.CreateCall(code, {pointer, bits});
  call->setDoesNotThrow();
  return call;
}

void Lowering::lower_sync(const ir::Inst& inst) {
  switch (inst.op) {
    case Op::Barrier:
      tiles_.before_barrier();
      b_.CreateIntrinsic(nvvm_barrier_cta_sync_aligned_all, {b_.getInt32(0)});
      return;
    case Op::BarrierCount:
      set(inst, b_.CreateIntrinsic(nvvm_barrier_cta_red_popc_aligned_all,
                                   {b_.getInt32(0), value(inst.operands[0])}));
      return;
    case Op::BarrierAnd:
      set(inst, b_.CreateIntrinsic(nvvm_barrier_cta_red_and_aligned_all,
                                   {b_.getInt32(0), value(inst.operands[0])}));
      return;
    case Op::BarrierOr:
      set(inst, b_.CreateIntrinsic(nvvm_barrier_cta_red_or_aligned_all,
                                   {b_.getInt32(0), value(inst.operands[0])}));
      return;
    case Op::ClusterBarrier:
      b_.CreateIntrinsic(nvvm_barrier_cluster_arrive_aligned, {});
      b_.CreateIntrinsic(nvvm_barrier_cluster_wait_aligned, {});
      return;
    case Op::GridBarrier: defect("lower_grid_barriers has not run");
    case Op::Clock: set(inst, b_.CreateIntrinsic(nvvm_read_ptx_sreg_clock64, {})); return;
    case Op::Nanosleep: b_.CreateIntrinsic(nvvm_nanosleep, {value(inst.operands[0])}); return;
    default:
      b_.CreateFence(llvm::AtomicOrdering::AcquireRelease, sync_scope(ir::Scope(inst.imm), true));
      return;
  }
}

void Lowering::lower_warp(const ir::Inst& inst) {
  switch (inst.op) {
    case Op::LaneId: {
      llvm::CallInst* lane = b_.CreateIntrinsic(nvvm_read_ptx_sreg_laneid, {});
      lane->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, 32)));
      set(inst, lane);
      return;
    }
    case Op::Ballot: {
      set(inst, b_.CreateZExt(ballot(value(inst.operands[0])), b_.getInt64Ty()));
      return;
    }
    case Op::WarpSize: set(inst, b_.getInt32(32)); return;
    case Op::WarpSync: b_.CreateIntrinsic(nvvm_bar_warp_sync, {active_lanes()}); return;
    case Op::MatchAny: set(inst, match_any(value(inst.operands[0]))); return;
    case Op::WarpReduce: set(inst, warp_reduce(inst)); return;
    case Op::Shuffle:
      set(inst, shuffle(value(inst.operands[0]), source_lane(inst.operands[1])));
      return;
    case Op::WarpAny:
      set(inst, b_.CreateIntrinsic(nvvm_vote_any_sync, {active_lanes(), value(inst.operands[0])}));
      return;
    case Op::WarpAll:
      set(inst, b_.CreateIntrinsic(nvvm_vote_all_sync, {active_lanes(), value(inst.operands[0])}));
      return;
    default: defect("nvptx: " + std::string(ir::info(inst.op).name) + " was not expanded");
  }
}

Value* Lowering::match_any(Value* x) {
  auto bits = unsigned(x->getType()->getPrimitiveSizeInBits().getFixedValue());
  Value* word =
      b_.CreateZExt(b_.CreateBitCast(x, b_.getIntNTy(bits)), b_.getIntNTy(bits <= 32 ? 32 : 64));
  Value* lanes = b_.CreateIntrinsic(bits <= 32 ? nvvm_match_any_sync_i32 : nvvm_match_any_sync_i64,
                                    {active_lanes(), word});
  return b_.CreateZExt(lanes, b_.getInt64Ty());
}

/// Of integers of at most 32 bits, on sm_80 and later.
Value* Lowering::warp_reduce(const ir::Inst& inst) {
  bool is_signed = ir::is_signed_int(inst.type.scalar);
  auto intrinsic = [&]() -> ID {
    switch (ir::combining[inst.imm]) {
      case Op::Add: return nvvm_redux_sync_add;
      case Op::Min: return is_signed ? nvvm_redux_sync_min : nvvm_redux_sync_umin;
      case Op::Max: return is_signed ? nvvm_redux_sync_max : nvvm_redux_sync_umax;
      case Op::And: return nvvm_redux_sync_and;
      case Op::Or: return nvvm_redux_sync_or;
      default: return nvvm_redux_sync_xor;
    }
  }();
  Value* x = value(inst.operands[0]);
  Value* word = is_signed ? b_.CreateSExt(x, b_.getInt32Ty()) : b_.CreateZExt(x, b_.getInt32Ty());
  return b_.CreateTrunc(b_.CreateIntrinsic(intrinsic, {word, active_lanes()}), x->getType());
}

/// The lane that a shuffle names. Those at a known distance have an instruction that computes it
/// (warp.h says how shfl_up and shfl_down ask for them); the highest and the lowest lanes keep
/// their own value there, too.
Lowering::SourceLane Lowering::source_lane(ir::ValueId v) {
  const auto def = [&](ir::ValueId x, Op op) {
    const ir::Inst* d = f_.def(x);
    return d && d->op == op ? d : nullptr;
  };
  const auto constant = [&](ir::ValueId x) {
    return f_.is_const(x) ? int(std::int32_t(f_.const_bits(x))) : INT_MIN;
  };
  const auto is_lane = [&](ir::ValueId x) { return def(x, Op::LaneId) != nullptr; };
  if (const ir::Inst* d = def(v, Op::Xor);
      d && is_lane(d->operands[0]) && constant(d->operands[1]) > 0 && constant(d->operands[1]) < 32)
    return {nvvm_shfl_sync_bfly_i32, b_.getInt32(constant(d->operands[1])), 31};
  if (const ir::Inst* d = def(v, Op::Select); d && is_lane(d->operands[1])) {
    const ir::ValueId other = d->operands[2];
    const ir::Inst *sum = def(other, Op::Add), *below = def(d->operands[0], Op::Lt),
                   *above = def(d->operands[0], Op::Ge);
    const int by = sum && is_lane(sum->operands[0]) ? constant(sum->operands[1]) : 0;
    const auto compares = [&](const ir::Inst* c, int with) {
      return c && c->operands[0] == other && constant(c->operands[1]) == with;
    };
    if (by > 0 && by < 32 && compares(above, 32))
      return {nvvm_shfl_sync_down_i32, b_.getInt32(by), 31};
    if (by < 0 && by > -32 && compares(below, 0))
      return {nvvm_shfl_sync_up_i32, b_.getInt32(-by), 0};
  }
  // The hardware takes the lane modulo 32; 31 keeps the whole warp one segment.
  return {nvvm_shfl_sync_idx_i32, b_.CreateZExtOrTrunc(value(v), b_.getInt32Ty()), 31};
}

Value* Lowering::shuffle(Value* x, const SourceLane& from) {
  llvm::Type* type = x->getType();
  auto bits = unsigned(type->getPrimitiveSizeInBits().getFixedValue());
  Value* word = b_.CreateBitCast(x, b_.getIntNTy(bits));
  Value* mask = active_lanes();
  auto exchange = [&](Value* half) {
    return b_.CreateIntrinsic(ID(from.intrinsic),
                              {mask, half, from.lane, b_.getInt32(from.segment)});
  };
  if (bits <= 32) {
    word = b_.CreateTrunc(exchange(b_.CreateZExt(word, b_.getInt32Ty())), b_.getIntNTy(bits));
  } else {
    Value* low = exchange(b_.CreateTrunc(word, b_.getInt32Ty()));
    Value* high = exchange(b_.CreateTrunc(b_.CreateLShr(word, 32), b_.getInt32Ty()));
    word = b_.CreateOr(b_.CreateZExt(low, b_.getInt64Ty()),
                       b_.CreateShl(b_.CreateZExt(high, b_.getInt64Ty()), 32));
  }
  return b_.CreateBitCast(word, type);
}

}  // namespace krait::codegen::nvptx
