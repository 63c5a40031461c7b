// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers, fences and the operations of a warp, which is a Vulkan subgroup; OpenCL's are not used.
#include "codegen/spirv/numeric.h"
#include "codegen/spirv/lower.h"

namespace krait::codegen::spirv {

using spv::Op;

/// Threads may read through this view what others wrote: through it, or through one that may overlap it.
bool Lower::exchanges(ir::ValueId view) const {
  bool read = uses_[view].read, written = uses_[view].written;
  if (!f_.facts.disjoint)
    for (const ir::ValueId v : f_.params()) {
      if (!f_.type_of(v).is_array()) continue;
      read |= uses_[v].read, written |= uses_[v].written;
    }
  return read && written;
}

/// Acquire and release of shared memory, and of views where asked for.
Id Lower::semantics(bool views) {
  using M = spv::MemorySemanticsMask;
  auto mask = std::uint32_t(M::AcquireRelease) | std::uint32_t(M::WorkgroupMemory);
  if (views) mask |= std::uint32_t(e_.kernel() ? M::CrossWorkgroupMemory : M::UniformMemory);
  if (vulkan_model_) mask |= std::uint32_t(M::MakeAvailable) | std::uint32_t(M::MakeVisible);
  return e_.u32(mask);
}

/// The scope of a fence or an atomic's order. Mesa's lavapipe (22.3) makes a barrier of the block of each memory barrier of scope
/// workgroup or device, the implied ones of atomics too. Threads that pass fewer of them, in loops, end the block: what others have
/// yet to store is lost. It drops those of other scopes; one queue family is all that Krait uses. Accesses are volatile then
/// (memory_operands), as nothing else keeps that driver's compiler from moving them.
Id Lower::memory_scope(spv::Scope scope) {
  return e_.u32(std::uint32_t(e_.has(Feature::Joins) ? spv::Scope::QueueFamily : scope));
}

/// Ordering views costs a wait for all accesses under way (transposing 16384² through tiles took 2.0 ms with it and CUDA's 0.6
/// on an H200), so barriers do it only where some view is read after others wrote it.
void Lower::control_barrier(spv::Scope execution) {
  bool views = false;
  for (const ir::ValueId v : f_.params()) views |= f_.type_of(v).is_array() && exchanges(v);
  e_.m.code.emit_void(Op::OpControlBarrier,
                      {e_.u32(std::uint32_t(execution)), e_.u32(std::uint32_t(execution)), semantics(views)});
}

void Lower::fence(std::uint64_t scope) {
  const auto reach = scope == 0 ? spv::Scope::Workgroup : spv::Scope::Device;
  e_.m.code.emit_void(Op::OpMemoryBarrier, {memory_scope(reach), semantics(true)});
}

/// Counts in shared memory. The first barrier keeps the reset behind the last reader of an earlier count.
Id Lower::block_vote(const ir::Inst& i) {
  Module& m = e_.m;
  Id u32 = m.globals.int_type(32), relaxed = e_.u32(0), scope = e_.u32(std::uint32_t(spv::Scope::Workgroup));
  if (!vote_) {
    vote_ = m.globals.variable(spv::StorageClass::Workgroup, u32);
    unit_.envelope.fixed_shared += 16;
  }
  Id nobody = e_.op(Op::OpIEqual, Scalar::Bool,
                    {e_.op(Op::OpBitwiseOr, id_type_, {e_.op(Op::OpBitwiseOr, id_type_, {thread_[0], thread_[1]}), thread_[2]}),
                     e_.constant(id_type_, 0)});
  control_barrier(spv::Scope::Workgroup);
  Id reset = e_.blocks.label(), ready = e_.blocks.label();
  e_.blocks.selection_merge(ready);
  e_.blocks.branch(nobody, reset, ready);
  e_.blocks.begin(reset);
  m.code.emit_void(Op::OpAtomicStore, {vote_, scope, relaxed, e_.u32(0)});
  e_.blocks.branch(ready);
  e_.blocks.begin(ready);
  control_barrier(spv::Scope::Workgroup);
  m.code.emit(Op::OpAtomicIAdd, u32, {vote_, scope, relaxed, cast(e_, Scalar::U32, Scalar::Bool, value(i.operands[0]))});
  control_barrier(spv::Scope::Workgroup);
  Id count = m.code.emit(Op::OpAtomicLoad, u32, {vote_, scope, relaxed});
  if (i.op == ir::Op::BarrierCount) return count;
  if (i.op == ir::Op::BarrierOr) return e_.op(Op::OpINotEqual, Scalar::Bool, {count, e_.u32(0)});
  Id threads = e_.resize(Scalar::U32, id_type_,
                         e_.op(Op::OpIMul, id_type_, {e_.op(Op::OpIMul, id_type_, {block_[0], block_[1]}), block_[2]}));
  return e_.op(Op::OpIEqual, Scalar::Bool, {count, threads});
}

Id Lower::warp_builtin(spv::BuiltIn which) {
  Module& m = e_.m;
  e_.need(Feature::Warp, "an operation of a warp");
  m.head.capability(spv::Capability::GroupNonUniform);
  Id u32 = m.globals.int_type(32);
  return m.code.emit(Op::OpLoad, u32, {m.globals.builtin(which, u32)});
}

Id Lower::warp_size() {
  if (const unsigned fixed = e_.target().subgroup) return e_.u32(fixed);
  return warp_builtin(spv::BuiltIn::SubgroupSize);
}

Id Lower::ballot(const ir::Inst& i) {
  Module& m = e_.m;
  e_.need(Feature::Warp, "an operation of a warp");
  m.head.capability(spv::Capability::GroupNonUniformBallot);
  Id u32 = m.globals.int_type(32);
  Id votes = m.code.emit(Op::OpGroupNonUniformBallot, m.globals.vector_type(u32, 4),
                         {e_.u32(std::uint32_t(spv::Scope::Subgroup)), value(i.operands[0])});
  Id pair = m.code.emit(Op::OpVectorShuffle, m.globals.vector_type(u32, 2), {votes, votes, 0, 1});
  return e_.op(Op::OpBitcast, Scalar::U64, {pair});
}

Id Lower::warp_vote(const ir::Inst& i) {
  e_.need(Feature::Warp, "an operation of a warp");
  e_.m.head.capability(spv::Capability::GroupNonUniformVote);
  const Op o = i.op == ir::Op::WarpAny ? Op::OpGroupNonUniformAny : Op::OpGroupNonUniformAll;
  return e_.op(o, Scalar::Bool, {e_.u32(std::uint32_t(spv::Scope::Subgroup)), value(i.operands[0])});
}

/// As 32-bit words, which every device shuffles.
Id Lower::shuffle(const ir::Inst& i) {
  e_.need(Feature::Warp, "an operation of a warp");
  e_.m.head.capability(spv::Capability::GroupNonUniformShuffle);
  const Scalar s = i.type.scalar, u = Scalar::U32;
  Id last = e_.op(Op::OpISub, u, {warp_size(), e_.u32(1)});
  Id lane = e_.op(Op::OpBitwiseAnd, u, {value(i.operands[1]), last});
  auto word = [&](Id x) {
    return e_.op(Op::OpGroupNonUniformShuffle, u, {e_.u32(std::uint32_t(spv::Scope::Subgroup)), x, lane});
  };
  Id x = value(i.operands[0]);
  if (s == Scalar::Bool) return cast(e_, s, u, word(cast(e_, u, s, x)));
  if (ir::size_of(s) == 8) {
    Module& m = e_.m;
    Id pair_type = m.globals.vector_type(m.globals.int_type(32), 2);
    Id pair = m.code.emit(Op::OpBitcast, pair_type, {x});
    Id low = word(m.code.emit(Op::OpCompositeExtract, m.globals.int_type(32), {pair, 0}));
    Id high = word(m.code.emit(Op::OpCompositeExtract, m.globals.int_type(32), {pair, 1}));
    return e_.op(Op::OpBitcast, s, {m.code.emit(Op::OpCompositeConstruct, pair_type, {low, high})});
  }
  const Scalar narrow = bits_type(s);
  return e_.bits(s, narrow, e_.resize(narrow, u, word(e_.resize(u, narrow, e_.bits(narrow, s, x)))));
}

}  // namespace krait::codegen::spirv
