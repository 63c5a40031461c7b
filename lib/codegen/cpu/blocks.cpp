// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block mode: blocks one after another, their threads in gangs; the thread's position; instructions of every kind.
#include "codegen/cpu/emitter.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

/// What thread_idx is in the gang at hand.
Lowered Emitter::thread_index(unsigned dim) {
  using Form = Lowered::Form;
  V width = launch_block_[0], height = launch_block_[1];
  switch (shape_.layout) {
    case Layout::Grid:
      if (dim == 0) defect("a place in a block's row outside of block mode");
      return {Form::Uniform, {b_.CreateURem(dim == 1 ? at_.y : at_.z, launch_block_[dim])}, 0};
    case Layout::Range: defect("a place in the block outside of block mode");
    case Layout::Rows: {
      V first = dim == 0 ? at_.x : dim == 1 ? at_.y : at_.z;
      if ((dim == 0   ? shape_.width()
           : dim == 1 ? shape_.rows
                      : shape_.layers) == 1 &&
          (dim > 0 || shape_.is_brick() || shape_.lone))
        return {Form::Uniform, {first}, 0};
      Lowered r{Form::Linear, {first}, dim == 0 ? 1 : 0};
      if (dim > 0) r.across[dim - 1] = b_.getInt64(1);
      return r;
    }
    case Layout::PartRows: {
      Lowered r{Form::Linear, {}, dim == 0 ? 1 : 0};
      for (unsigned p = 0; p < shape_.parts; ++p) {
        V t = b_.CreateAdd(at_.linear, b_.getInt64(p * shape_.lanes));
        if (dim == 0) r.v.push_back(b_.CreateURem(t, width));
        else if (dim == 1) r.v.push_back(b_.CreateURem(b_.CreateUDiv(t, width), height));
        else r.v.push_back(b_.CreateUDiv(t, b_.CreateMul(width, height)));
      }
      return r;
    }
    case Layout::Linear: {
      Lowered r{Form::Parts, {}, 0};
      ir::Inst div, rem;
      div.op = Op::Div, rem.op = Op::Rem;
      auto run = [&](const ir::Inst& op, V x, V y) { return arith_.pure(op, ir::FpMode::Strict, Scalar::U32, {x, y}); };
      for (unsigned p = 0; p < shape_.parts; ++p) {
        V first = b_.CreateTrunc(b_.CreateAdd(at_.linear, b_.getInt64(p * shape_.lanes)), b_.getInt32Ty());
        V t = b_.CreateAdd(splat(first), lane_numbers(b_.getInt32Ty(), 1));
        V w = splat(b_.CreateTrunc(width, b_.getInt32Ty())), h = splat(b_.CreateTrunc(height, b_.getInt32Ty()));
        V x = dim == 0 ? run(rem, t, w) : dim == 1 ? run(rem, run(div, t, w), h) : run(div, run(div, t, w), h);
        r.v.push_back(b_.CreateZExt(x, lane_type(Scalar::I64)));
      }
      return r;
    }
  }
  defect("a layout without positions");
}

Lowered Emitter::id_value(const ir::Inst& inst) {
  using Form = Lowered::Form;
  unsigned dim = unsigned(inst.imm);
  switch (inst.op) {
    case Op::ThreadIdx: return thread_index(dim);
    case Op::BlockIdx:
      if (is_block(shape_.layout)) return {Form::Uniform, {at_.block[dim]}, 0};
      if (dim == 0) defect("a block's number along x outside of block mode");
      return {Form::Uniform, {b_.CreateUDiv(dim == 1 ? at_.y : at_.z, launch_block_[dim])}, 0};
    case Op::BlockDim: return {Form::Uniform, {launch_block_[dim]}, 0};
    case Op::GridDim: return {Form::Uniform, {launch_grid_[dim]}, 0};
    case Op::GlobalSize: return {Form::Uniform, {b_.CreateMul(launch_grid_[dim], launch_block_[dim])}, 0};
    case Op::GlobalId: {
      if (!is_block(shape_.layout)) {
        if (dim == 0) return {Form::Linear, {at_.x}, 1};
        return {Form::Uniform, {dim == 1 ? at_.y : at_.z}, 0};
      }
      V start = b_.CreateMul(at_.block[dim], launch_block_[dim]);
      Lowered r = thread_index(dim);
      for (V& v : r.v) v = b_.CreateAdd(v, v->getType()->isVectorTy() ? splat(start) : start);
      return r;
    }
    default: defect("not a position");
  }
}

void Emitter::emit_blocks() {
  count_loop(box_field(0), box_field(1), b_.getInt64(1), "block", [&](V block) {
    V width = launch_grid_[0], height = launch_grid_[1];
    V row = b_.CreateUDiv(block, width);
    at_.block[0] = b_.CreateURem(block, width);
    at_.block[1] = b_.CreateURem(row, height), at_.block[2] = b_.CreateUDiv(row, height);
    if (!traits_.warps || shape_.is_brick()) return emit_block(shape_.layout);
    // Gangs are warps here, runs of 32 linear thread numbers: rows of the block only where they divide evenly.
    V flat = b_.CreateICmpEQ(b_.CreateMul(launch_block_[1], launch_block_[2]), b_.getInt64(1));
    V even = b_.CreateICmpEQ(b_.CreateURem(launch_block_[0], b_.getInt64(shape_.gang())), b_.getInt64(0));
    V rows = b_.CreateOr(flat, even);
    if (f_.facts.whole_rows) rows = b_.getTrue();
    if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(rows)) return emit_block(known->isOne() ? Layout::Rows : Layout::Linear);
    Block by_rows = new_block("by_rows"), by_number = new_block("by_number"), done = new_block("block_done");
    b_.CreateCondBr(rows, by_rows, by_number);
    start(by_rows);
    emit_block(Layout::Rows);
    branch_to(done);
    start(by_number);
    emit_block(Layout::Linear);
    branch_to(done);
    start(done);
  });
}

void Emitter::emit_block(Layout layout) {
  shape_.layout = layout;
  // A gang may not hold a thread twice.
  const bool wide = f_.block[0] ? f_.block[0] >= shape_.gang() : f_.facts.whole_rows && shape_.gang() <= 32;
  if (layout == Layout::Rows && !shape_.is_brick() && !traits_.barriers && !traits_.warps && wide)
    sweep_ = find_sweep(f_, functions_.calls);
  d_ = find_divergence(f_, functions_.calls, shape_, sweep_ ? sweep_->loop : ir::none);
  if (traits_.barriers && !whole_block_) emit_fissioned();
  else emit_threads();
}

/// Gangs of several rows: those that are full along y and z, others under a mask of their own.
void Emitter::emit_bricks() {
  const V size[3] = {launch_block_[0], launch_block_[1], launch_block_[2]};
  const std::int64_t brick[3] = {shape_.width(), shape_.rows, shape_.layers};
  const V zero = b_.getInt64(0);
  const auto inside = [&](unsigned d, V threads) {
    Mask mask;
    for (unsigned p = 0; p < shape_.parts; ++p)
      mask.parts.push_back(b_.CreateICmpSLT(lane_places(b_.getInt32Ty(), d, p), splat(b_.CreateTrunc(threads, b_.getInt32Ty()))));
    return mask;
  };
  full_ = shape_.filled < shape_.width() ? inside(0, b_.getInt64(shape_.filled)) : Mask{};
  V high = b_.CreateUDiv(b_.CreateAdd(size[1], b_.getInt64(brick[1] - 1)), b_.getInt64(brick[1]));
  count_loop(zero, size[2], b_.getInt64(brick[2]), "z", [&](V z) {
    count_loop(zero, size[1], b_.getInt64(brick[1]), "row", [&](V y) {
      at_.x = zero, at_.y = y, at_.z = z;
      at_.gang =
          b_.CreateAdd(b_.CreateMul(b_.CreateUDiv(z, b_.getInt64(brick[2])), high), b_.CreateUDiv(y, b_.getInt64(brick[1])));
      if (shape_.whole) return emit_gang(full_);
      Mask mask = full_;
      V whole = b_.getTrue();
      for (unsigned d : {1u, 2u}) {
        if (brick[d] == 1) continue;
        V rest = arith_.min_max(true, Scalar::I64, b_.CreateSub(size[d], d == 1 ? y : z), b_.getInt64(brick[d]));
        whole = b_.CreateAnd(whole, b_.CreateICmpEQ(rest, b_.getInt64(brick[d])));
        mask = both(mask, inside(d, rest));
      }
      if (!splits()) return emit_gang(mask);
      Block all = new_block("whole_brick"), some = new_block("brick"), next = new_block("brick_done");
      b_.CreateCondBr(whole, all, some);
      start(all);
      emit_gang(full_);
      branch_to(next);
      start(some);
      emit_gang(mask);
      branch_to(next);
      start(next);
    });
  });
}

/// How many elements a row of threads sweeps over.
llvm::Value* Emitter::swept() {
  emit_before(sweep_->bound);
  const Scalar s = scalar_of(sweep_->bound);
  const V bound = scalar(sweep_->bound), first = integer(bound->getType(), sweep_->first);
  const V below = b_.CreateICmp(ir::is_signed_int(s) ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT, first, bound);
  return b_.CreateSelect(below, b_.CreateZExt(b_.CreateSub(bound, first), b_.getInt64Ty()), b_.getInt64(0));
}

void Emitter::emit_before(ir::ValueId v) {
  const ir::Inst* d = f_.def(v);
  if (!d) return;
  for (const ir::ValueId operand : d->operands) emit_before(operand);
  emit_inst(f_.values[v].def);
}

/// The one trip of a sweep's loop.
void Emitter::emit_element(ir::InstId id) {
  const ir::RegionId body = f_.insts[id].regions[0];
  const ir::ValueId trip = f_.regions[body].params[0];
  set_uniform(trip, arith_.constant(scalar_of(trip), 0));
  emit_region(body);
  if (open_) branch_to(gang_end_);
}

/// Gangs of a block: calls emit_gang at each position.
void Emitter::emit_threads() {
  V width = launch_block_[0], height = launch_block_[1], depth = launch_block_[2];
  V gang = b_.getInt64(shape_.gang());
  auto known = [](V v) { return llvm::dyn_cast<llvm::ConstantInt>(v); };
  if (shape_.layout == Layout::Rows && shape_.is_brick()) return emit_bricks();
  if (shape_.layout == Layout::Rows) {
    const bool even =
        known(width) ? known(width)->getZExtValue() % shape_.gang() == 0 : f_.facts.whole_rows && 32 % shape_.gang() == 0;
    V per_row = b_.CreateUDiv(b_.CreateAdd(width, b_.getInt64(shape_.gang() - 1)), gang);
    auto row = [&](V y, V z) {
      auto place = [&](V x) {
        at_.x = x, at_.y = y, at_.z = z;
        V number = b_.CreateAdd(b_.CreateMul(z, height), y);
        at_.gang = b_.CreateAdd(b_.CreateMul(number, per_row), b_.CreateUDiv(x, gang));
      };
      if (sweep_) emit_gangs(b_.getInt64(0), swept(), splits(), place);
      else if (even) count_loop(b_.getInt64(0), width, gang, "x", [&](V x) { place(x), emit_gang({}); });
      else emit_gangs(b_.getInt64(0), width, splits(), place);
    };
    V zero = b_.getInt64(0), one = b_.getInt64(1);
    count_loop(zero, depth, one, "z", [&](V z) { count_loop(zero, height, one, "row", [&](V y) { row(y, z); }); });
    return;
  }
  V count = b_.CreateMul(width, b_.CreateMul(height, depth));
  auto place = [&](V t) {
    at_.linear = t;
    at_.gang = b_.CreateUDiv(t, gang);
  };
  if (known(count) && known(count)->getZExtValue() == shape_.gang()) {
    place(b_.getInt64(0));
    emit_gang({});
  } else {
    emit_gangs(b_.getInt64(0), count, splits(), place);
  }
}

/// Lowers one instruction that is no jump. Dead: no lane goes on.
Emitter::Flow Emitter::emit_inst(ir::InstId id) {
  const ir::Inst& inst = f_.insts[id];
  if (lines_) b_.SetCurrentDebugLocation(lines_->at(inst.loc));
  if (!local_updates_.empty() && emit_local_update(id)) return Flow::Next;
  if (!in_row_.empty() && inst.results.size() == 1)
    if (const auto known = in_row_.find(inst.results[0]); known != in_row_.end())
      return set(known->first, known->second), Flow::Next;
  switch (inst.op) {
    case Op::Const: set_uniform(inst.results[0], arith_.constant(inst.type.scalar, inst.imm)); break;
#define KRAIT_POSITION(Name, ...) case Op::Name:
#include "krait/ops.def"
      set(inst.results[0], id_value(inst));
      break;
    case Op::Extent: set_uniform(inst.results[0], extent_of(inst.operands[0], unsigned(inst.imm))); break;
    case Op::Stride: set_uniform(inst.results[0], stride_of(inst.operands[0], unsigned(inst.imm))); break;
    case Op::Shared:
    case Op::Local: declare_array(inst); break;
    case Op::Load:
    case Op::LoadVec: emit_load(inst); break;
    case Op::Store:
    case Op::StoreVec:
      if (!store_member(id)) emit_store(inst);
      break;
#define KRAIT_ATOMIC(Name, ...) case Op::Name:
#include "krait/ops.def"
      emit_atomic(inst);
      break;
#define KRAIT_BARRIER(Name, ...) case Op::Name:
#include "krait/ops.def"
      emit_gang_barrier(inst);
      break;
    case Op::Fence: finish_streams(), b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent); break;
    case Op::WarpSize: set_uniform(inst.results[0], b_.getInt32(32)); break;
    case Op::LaneId: {
      Lowered r{Lowered::Form::Linear, {b_.getInt32(0)}, 1};
      if (shape_.is_brick()) r.across[0] = b_.getInt32(shape_.width()), r.across[1] = b_.getInt32(shape_.width() * shape_.rows);
      set(inst.results[0], std::move(r));
      break;
    }
    case Op::WarpSync: break;  // lanes run in step
    case Op::Ballot:
    case Op::WarpAny:
    case Op::WarpAll:
    case Op::Shuffle:
    case Op::MatchAny:
    case Op::WarpReduce:
    case Op::WarpScan: emit_warp(inst); break;
    case Op::Uniform: set_uniform(inst.results[0], first_active(inst.operands[0])); break;
    case Op::Call: emit_call(inst); break;
    case Op::Slot:
    case Op::Get:
    case Op::Set: unsupported("a mutable local that was not promoted");
    case Op::If:
    case Op::Switch: return uniform(inst.operands[0]) ? emit_uniform_branch(id) : emit_varying_if(id);
#define KRAIT_LOOP(Name, ...) case Op::Name:
#include "krait/ops.def"
      if (sweep_ && sweep_->loop == id) return emit_element(id), Flow::Dead;
      emit_loop(id);
      break;
#define KRAIT_VALUE(Name, ...) case Op::Name:
#include "krait/ops.def"
      if (!emit_byte_sum(id)) emit_pure(inst);
      break;
#define KRAIT_MATH(Name, ...) case Op::Name:
#include "krait/ops.def"
      // Rsqrt alone is kept for this target (passes/math_targets.def); the others became their bodies.
      if (inst.op != Op::Rsqrt || inst.type.scalar != Scalar::F32)
        unsupported("the CPU has no instruction for " + std::string(ir::info(inst.op).name));
      emit_pure(inst);
      break;
#define KRAIT_END(Name, ...) case Op::Name:
#include "krait/ops.def"
      defect("a jump in the middle of a region");
#define KRAIT_REPORT(Name, ...) case Op::Name:
#include "krait/ops.def"
      defect("lower_reports has not run");
  }
  return Flow::Next;
}

/// The value of the first active lane.
llvm::Value* Emitter::first_active(ir::ValueId v) {
  if (uniform(v)) return scalar(v);
  if (active_.all()) return b_.CreateExtractElement(part(v, 0), std::uint64_t(0));
  V found = nullptr;
  for (unsigned p = shape_.parts; p-- > 0;) {
    V bits = mask_bits(active_.parts[p]);
    V lane = b_.CreateIntrinsic(llvm::Intrinsic::cttz, {bits->getType()}, {bits, b_.getFalse()});
    V last = llvm::ConstantInt::get(bits->getType(), shape_.lanes - 1);
    lane = b_.CreateZExt(b_.CreateAnd(lane, last), b_.getInt64Ty());
    V x = b_.CreateExtractElement(part(v, p), lane);
    V some = b_.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()));
    found = found ? b_.CreateSelect(some, x, found) : x;
  }
  return found;
}

/// The value of the last active lane, under a mask.
llvm::Value* Emitter::last_active(ir::ValueId v) {
  if (uniform(v)) return scalar(v);
  V found = nullptr;
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V bits = mask_bits(active_.parts[p]);
    V behind = b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {bits->getType()}, {bits, b_.getFalse()});
    V last = llvm::ConstantInt::get(bits->getType(), shape_.lanes - 1);
    V lane = b_.CreateZExt(b_.CreateAnd(b_.CreateSub(last, behind), last), b_.getInt64Ty());
    V x = b_.CreateExtractElement(part(v, p), lane);
    V some = b_.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()));
    found = found ? b_.CreateSelect(some, x, found) : x;
  }
  return found;
}

/// Where the gang is the whole block a barrier orders nothing: its lanes run in step.
void Emitter::emit_gang_barrier(const ir::Inst& inst) {
  if (inst.op == Op::Barrier) return;
  V count = b_.getInt32(0);
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V x = part(inst.operands[0], p);
    if (inst.op == Op::BarrierAnd) x = b_.CreateNot(x);
    if (!active_.all()) x = b_.CreateAnd(x, active_.parts[p]);
    V n = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, b_.CreateZExt(mask_bits(x), b_.getInt32Ty()));
    count = b_.CreateAdd(count, n);
  }
  if (inst.op == Op::BarrierAnd) count = b_.CreateICmpEQ(count, b_.getInt32(0));
  if (inst.op == Op::BarrierOr) count = b_.CreateICmpNE(count, b_.getInt32(0));
  set_uniform(inst.results[0], count);
}

/// An argument's extent or stride, from the argument block.
llvm::Value* Emitter::extent_of(ir::ValueId array, unsigned dim) {
  using What = ir::ArgumentSlot::What;
  const ir::Type& type = f_.type_of(array);
  if (f_.called && type.space == ir::Space::Global) return views_.at(array).extents[dim];
  if (type.space != ir::Space::Global) {
    const ir::Inst* def = f_.def(array);
    return def->list[dim] ? b_.getInt64(std::uint64_t(def->list[dim])) : shared_lengths_[array];
  }
  unsigned param = 0;
  while (f_.params()[param] != array) ++param;
  V at = b_.CreatePtrAdd(args_, b_.getInt64(layout_.find(What::Extent, param, dim)));
  llvm::Type* t = f_.facts.small ? b_.getInt32Ty() : b_.getInt64Ty();
  llvm::LoadInst* load = b_.CreateAlignedLoad(t, at, llvm::Align(f_.facts.small ? 4 : 8));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(c_, {}));
  return b_.CreateZExt(load, b_.getInt64Ty());
}

llvm::Value* Emitter::stride_of(ir::ValueId array, unsigned dim) {
  using What = ir::ArgumentSlot::What;
  const ir::Type& type = f_.type_of(array);
  if (f_.called && type.space == ir::Space::Global && !f_.facts.contiguous) return views_.at(array).strides[dim];
  if (type.space == ir::Space::Global && !f_.facts.contiguous) {
    unsigned param = 0;
    while (f_.params()[param] != array) ++param;
    V at = b_.CreatePtrAdd(args_, b_.getInt64(layout_.find(What::Stride, param, dim)));
    llvm::LoadInst* load = b_.CreateAlignedLoad(b_.getInt64Ty(), at, llvm::Align(8));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(c_, {}));
    return load;
  }
  V stride = b_.getInt64(1);
  for (unsigned d = dim + 1; d < type.rank; ++d) stride = b_.CreateMul(stride, extent_of(array, d));
  return stride;
}

}  // namespace krait::codegen::cpu
