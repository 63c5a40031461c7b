// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/sync.h"

#include <fmt/core.h>

#include "codegen/spirv/numeric/numeric.h"
#include "codegen/spirv/positions.h"
#include "codegen/spirv/memory/uses.h"

namespace krait::codegen::spirv {

using spv::Op;

/// Acquire and release of shared memory, and of views where asked for.
Id Sync::semantics(bool views) {
  using M = spv::MemorySemanticsMask;
  auto mask = std::uint32_t(M::AcquireRelease) | std::uint32_t(M::WorkgroupMemory);
  if (views) mask |= std::uint32_t(e_.kernel() ? M::CrossWorkgroupMemory : M::UniformMemory);
  if (unit_.vulkan_model) mask |= std::uint32_t(M::MakeAvailable) | std::uint32_t(M::MakeVisible);
  return e_.u32(mask);
}

/// The scope of a fence or an atomic's order. Mesa's lavapipe (22.3) makes a barrier of the block
/// of each memory barrier of scope workgroup or device, the implied ones of atomics too. Threads
/// that pass fewer of them, in loops, end the block: what others have yet to store is lost. It
/// drops those of other scopes; one queue family is all that Krait uses. Accesses are volatile then
/// (Memory::operands), as nothing else keeps that driver's compiler from moving them.
Id Sync::memory_scope(spv::Scope scope) {
  return e_.u32(std::uint32_t(e_.has(Feature::Joins) ? spv::Scope::QueueFamily : scope));
}

/// Of the subgroup's processor: a device-wide counter need not be one of cycles.
Id Sync::clock() {
  if (e_.kernel())
    unsupported(
        fmt::format("{}: a counter of cycles needs the CPU, a CUDA or a Vulkan device", e_.where));
  e_.need(Feature::Clock, "a counter of cycles");
  e_.m.head.capability(spv::Capability::ShaderClockKHR);
  e_.m.head.extension("SPV_KHR_shader_clock");
  const Id counted =
      e_.op(Op::OpReadClockKHR, Scalar::U64, {e_.u32(std::uint32_t(spv::Scope::Subgroup))});
  return e_.bits(Scalar::I64, Scalar::U64, counted);
}

/// Ordering views costs a wait for all accesses under way (transposing 16384² through tiles
/// took 2.0 ms with it and CUDA's 0.6 on an H200), so barriers do it only where some view is read
/// after others wrote it.
void Sync::barrier(spv::Scope execution) {
  bool views = false;
  for (const ir::ValueId v : f_.params()) views |= f_.type_of(v).is_array() && uses_.exchanges(v);
  e_.m.code.emit_void(Op::OpControlBarrier, {e_.u32(std::uint32_t(execution)),
                                             e_.u32(std::uint32_t(execution)), semantics(views)});
}

void Sync::fence(std::uint64_t scope) {
  const auto reach = scope == 0 ? spv::Scope::Workgroup : spv::Scope::Device;
  e_.m.code.emit_void(Op::OpMemoryBarrier, {memory_scope(reach), semantics(true)});
}

/// Counts in shared memory. The first barrier keeps the reset behind the last reader of an earlier
/// count.
Id Sync::block_vote(const ir::Inst& i) {
  Module& m = e_.m;
  Id u32 = m.globals.int_type(32), relaxed = e_.u32(0),
     scope = e_.u32(std::uint32_t(spv::Scope::Workgroup));
  if (!vote_) {
    vote_ = m.globals.variable(spv::StorageClass::Workgroup, u32);
    unit_.envelope.fixed_shared += 16;
  }
  const Scalar ids = positions_.id_type();
  const auto thread = [&](unsigned d) { return positions_.narrow_position(ir::Op::ThreadIdx, d); };
  const auto block = [&](unsigned d) { return positions_.narrow_position(ir::Op::BlockDim, d); };
  Id nobody = e_.op(Op::OpIEqual, Scalar::Bool,
                    {e_.op(Op::OpBitwiseOr, ids,
                           {e_.op(Op::OpBitwiseOr, ids, {thread(0), thread(1)}), thread(2)}),
                     e_.constant(ids, 0)});
  barrier(spv::Scope::Workgroup);
  Id reset = e_.blocks.label(), ready = e_.blocks.label();
  e_.blocks.selection_merge(ready);
  e_.blocks.branch(nobody, reset, ready);
  e_.blocks.begin(reset);
  m.code.emit_void(Op::OpAtomicStore, {vote_, scope, relaxed, e_.u32(0)});
  e_.blocks.branch(ready);
  e_.blocks.begin(ready);
  barrier(spv::Scope::Workgroup);
  m.code.emit(Op::OpAtomicIAdd, u32,
              {vote_, scope, relaxed, cast(e_, Scalar::U32, Scalar::Bool, value(i.operands[0]))});
  barrier(spv::Scope::Workgroup);
  Id count = m.code.emit(Op::OpAtomicLoad, u32, {vote_, scope, relaxed});
  if (i.op == ir::Op::BarrierCount) return count;
  if (i.op == ir::Op::BarrierOr) return e_.op(Op::OpINotEqual, Scalar::Bool, {count, e_.u32(0)});
  Id threads =
      e_.resize(Scalar::U32, ids,
                e_.op(Op::OpIMul, ids, {e_.op(Op::OpIMul, ids, {block(0), block(1)}), block(2)}));
  return e_.op(Op::OpIEqual, Scalar::Bool, {count, threads});
}

}  // namespace krait::codegen::spirv
