// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads know of each other: positions in the launch, barriers and fences, warp operations.
#include <climits>

#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/nvptx/lower.h"
#include "codegen/reply.h"
#include "ir/walk.h"

namespace krait::codegen::nvptx {

using ir::Op;
using llvm::Value;
using namespace llvm::Intrinsic;

/// A special register as i64, with the range that lets LLVM narrow what is computed from it: low <= value < high.
Value* Lowering::special_register(unsigned intrinsic, std::uint64_t low, std::uint64_t high) {
  llvm::CallInst* call = b_.CreateIntrinsic(ID(intrinsic), {});
  call->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, low), llvm::APInt(32, high)));
  return b_.CreateZExt(call, b_.getInt64Ty(), "", true);
}

// The limits are CUDA's: blocks of 1024 × 1024 × 64 threads at most, grids of 2^31-1 × 65535 × 65535 blocks.
Value* Lowering::thread_idx(unsigned d) {
  constexpr ID ids[] = {nvvm_read_ptx_sreg_tid_x, nvvm_read_ptx_sreg_tid_y, nvvm_read_ptx_sreg_tid_z};
  std::uint64_t limit = kernel_.block[d] ? std::uint64_t(kernel_.block[d]) : d == 2 ? 64 : 1024;
  return limit == 1 ? b_.getInt64(0) : special_register(ids[d], 0, limit);
}

Value* Lowering::block_dim(unsigned d) {
  constexpr ID ids[] = {nvvm_read_ptx_sreg_ntid_x, nvvm_read_ptx_sreg_ntid_y, nvvm_read_ptx_sreg_ntid_z};
  return kernel_.block[d] ? b_.getInt64(std::uint64_t(kernel_.block[d])) : special_register(ids[d], 1, d == 2 ? 65 : 1025);
}

Value* Lowering::block_idx(unsigned d) {
  constexpr ID ids[] = {nvvm_read_ptx_sreg_ctaid_x, nvvm_read_ptx_sreg_ctaid_y, nvvm_read_ptx_sreg_ctaid_z};
  return special_register(ids[d], 0, d ? 0xffff : 0x7fffffff);
}

Value* Lowering::grid_dim(unsigned d) {
  constexpr ID ids[] = {nvvm_read_ptx_sreg_nctaid_x, nvvm_read_ptx_sreg_nctaid_y, nvvm_read_ptx_sreg_nctaid_z};
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

/// Lanes that take part in a warp operation. Naming them makes the hardware wait until they are there (those that have returned
/// count as such); where threads jump out of loops in several ways nobody knows them, and it is those that happen to be here.
Value* Lowering::active_mask() { return lanes_ ? lanes_ : b_.CreateIntrinsic(nvvm_activemask, {}); }

Value* Lowering::ballot(Value* condition) { return b_.CreateIntrinsic(nvvm_vote_ballot_sync, {active_mask(), condition}); }

/// Whether warp operations stand in it.
bool Lowering::asks_lanes(const ir::Inst& construct) const {
  bool found = false;
  for (ir::RegionId region : construct.regions)
    ir::for_each_inst(kernel_, region, [&](ir::InstId i, ir::RegionId) {
      const Op op = kernel_.insts[i].op;
      found = found || ir::is_warp_operation(op);
    });
  return found;
}

/// By region of an if or switch: the lanes that go there. A divergent condition is put to the vote of all that come, which also
/// brings them together again after whatever parted them before.
std::vector<Value*> Lowering::split_lanes(const ir::Inst& inst, const Join& join) {
  std::vector<Value*> ways(inst.regions.size(), lanes_);
  if (!lanes_ || is_uniform(inst.operands[0])) return ways;
  if (join.all_come && !asks_lanes(inst)) return std::vector<Value*>(inst.regions.size(), nullptr);
  Value *selector = value(inst.operands[0]), *rest = lanes_;
  for (std::size_t i = 0; i + 1 < ways.size(); ++i) {
    Value* taken = inst.op == Op::If ? selector
                                     : b_.CreateICmpEQ(selector, llvm::ConstantInt::getSigned(selector->getType(), inst.list[i]));
    ways[i] = ballot(taken);
    rest = b_.CreateAnd(rest, b_.CreateNot(ways[i]));
  }
  ways.back() = rest;
  return ways;
}

/// Whether all threads of a block that have not returned see one value: a sufficient test by definitions.
bool Lowering::is_uniform(ir::ValueId v) {
  if (uniform_[v] >= 0) return uniform_[v];
  const ir::Inst* def = kernel_.def(v);
  bool uniform = false;
  if (!def) {
    ir::RegionId region = kernel_.values[v].region;
    ir::InstId parent = region == ir::none ? ir::none : kernel_.regions[region].parent;
    if (region == kernel_.body) uniform = !kernel_.called;
    else if (parent != ir::none && kernel_.insts[parent].op == Op::For && kernel_.regions[region].params[0] == v)
      uniform = !is_divergent_loop(kernel_.insts[parent]);
  } else {
    ir::Level level = ir::info(def->op).level;
    uniform = level == ir::Level::Launch || level == ir::Level::Block || level == ir::Level::Operands;
    const bool calls = def->op == Op::Call && all_.calls.is_pure(*def) && !all_.calls.is_placed(*def);
    uniform = uniform || calls;
    if (level == ir::Level::Operands || calls)
      for (ir::ValueId operand : def->operands) uniform = uniform && is_uniform(operand);
  }
  uniform_[v] = uniform;
  return uniform;
}

/// The breaks or continues under a region that belong to a loop around it.
std::size_t Lowering::count_jumps(ir::RegionId region, Op kind) const {
  std::size_t count = 0;
  for (ir::InstId id : kernel_.regions[region].insts) {
    const ir::Inst& inst = kernel_.insts[id];
    count += inst.op == kind;
    if (!ir::is_loop(inst.op))
      for (ir::RegionId inner : inst.regions) count += count_jumps(inner, kind);
  }
  return count;
}

/// A `for` of uniform count that no thread leaves early takes all threads through the same trips; other loops may not.
bool Lowering::is_divergent_loop(const ir::Inst& loop) {
  return loop.op != Op::For || !is_uniform(loop.operands[0]) || count_jumps(loop.regions[0], Op::Break) > 0;
}

void Lowering::lower_sync(const ir::Inst& inst) {
  switch (inst.op) {
    case Op::Barrier: b_.CreateIntrinsic(nvvm_barrier_cta_sync_aligned_all, {b_.getInt32(0)}); return;
    case Op::BarrierCount:
      set(inst, b_.CreateIntrinsic(nvvm_barrier_cta_red_popc_aligned_all, {b_.getInt32(0), value(inst.operands[0])}));
      return;
    case Op::BarrierAnd:
      set(inst, b_.CreateIntrinsic(nvvm_barrier_cta_red_and_aligned_all, {b_.getInt32(0), value(inst.operands[0])}));
      return;
    case Op::BarrierOr:
      set(inst, b_.CreateIntrinsic(nvvm_barrier_cta_red_or_aligned_all, {b_.getInt32(0), value(inst.operands[0])}));
      return;
    case Op::Fence: {
      const char* scopes[] = {"block", "device", ""};
      b_.CreateFence(llvm::AtomicOrdering::AcquireRelease, context_.getOrInsertSyncScopeID(scopes[inst.imm]));
      return;
    }
    default: b_.CreateIntrinsic(nvvm_bar_warp_sync, {active_mask()}); return;
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
    case Op::WarpAny: set(inst, b_.CreateIntrinsic(nvvm_vote_any_sync, {active_mask(), value(inst.operands[0])})); return;
    case Op::WarpAll: set(inst, b_.CreateIntrinsic(nvvm_vote_all_sync, {active_mask(), value(inst.operands[0])})); return;
    default: set(inst, shuffle(value(inst.operands[0]), source_lane(inst.operands[1])));
  }
}

Value* Lowering::match_any(Value* x) {
  auto bits = unsigned(x->getType()->getPrimitiveSizeInBits().getFixedValue());
  Value* word = b_.CreateZExt(b_.CreateBitCast(x, b_.getIntNTy(bits)), b_.getIntNTy(bits <= 32 ? 32 : 64));
  Value* lanes = b_.CreateIntrinsic(bits <= 32 ? nvvm_match_any_sync_i32 : nvvm_match_any_sync_i64, {active_mask(), word});
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
  return b_.CreateTrunc(b_.CreateIntrinsic(intrinsic, {word, active_mask()}), x->getType());
}

/// The lane that a shuffle names. Those at a known distance have an instruction that computes it (warp.h says how shfl_up and shfl_down
/// ask for them); the highest and the lowest lanes keep their own value there, too.
Lowering::SourceLane Lowering::source_lane(ir::ValueId v) {
  const auto def = [&](ir::ValueId x, Op op) { const ir::Inst* d = kernel_.def(x); return d && d->op == op ? d : nullptr; };
  const auto constant = [&](ir::ValueId x) { return kernel_.is_const(x) ? int(std::int32_t(kernel_.const_bits(x))) : INT_MIN; };
  const auto is_lane = [&](ir::ValueId x) { return def(x, Op::LaneId) != nullptr; };
  if (const ir::Inst* d = def(v, Op::Xor); d && is_lane(d->operands[0]) && constant(d->operands[1]) > 0 && constant(d->operands[1]) < 32)
    return {nvvm_shfl_sync_bfly_i32, b_.getInt32(constant(d->operands[1])), 31};
  if (const ir::Inst* d = def(v, Op::Select); d && is_lane(d->operands[1])) {
    const ir::ValueId other = d->operands[2];
    const ir::Inst *sum = def(other, Op::Add), *below = def(d->operands[0], Op::Lt), *above = def(d->operands[0], Op::Ge);
    const int by = sum && is_lane(sum->operands[0]) ? constant(sum->operands[1]) : 0;
    const auto compares = [&](const ir::Inst* c, int with) { return c && c->operands[0] == other && constant(c->operands[1]) == with; };
    if (by > 0 && by < 32 && compares(above, 32)) return {nvvm_shfl_sync_down_i32, b_.getInt32(by), 31};
    if (by < 0 && by > -32 && compares(below, 0)) return {nvvm_shfl_sync_up_i32, b_.getInt32(-by), 0};
  }
  // The hardware takes the lane modulo 32; 31 keeps the whole warp one segment.
  return {nvvm_shfl_sync_idx_i32, b_.CreateZExtOrTrunc(value(v), b_.getInt32Ty()), 31};
}

Value* Lowering::shuffle(Value* x, const SourceLane& from) {
  llvm::Type* type = x->getType();
  auto bits = unsigned(type->getPrimitiveSizeInBits().getFixedValue());
  Value* word = b_.CreateBitCast(x, b_.getIntNTy(bits));
  Value* mask = active_mask();
  auto exchange = [&](Value* half) { return b_.CreateIntrinsic(ID(from.intrinsic), {mask, half, from.lane, b_.getInt32(from.segment)}); };
  if (bits <= 32) {
    word = b_.CreateTrunc(exchange(b_.CreateZExt(word, b_.getInt32Ty())), b_.getIntNTy(bits));
  } else {
    Value* low = exchange(b_.CreateTrunc(word, b_.getInt32Ty()));
    Value* high = exchange(b_.CreateTrunc(b_.CreateLShr(word, 32), b_.getInt32Ty()));
    word = b_.CreateOr(b_.CreateZExt(low, b_.getInt64Ty()), b_.CreateShl(b_.CreateZExt(high, b_.getInt64Ty()), 32));
  }
  return b_.CreateBitCast(word, type);
}

}  // namespace krait::codegen::nvptx
