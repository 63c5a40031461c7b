// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/memory/atomics.h"

#include <fmt/core.h>

#include "codegen/spirv/memory/hiding.h"
#include "codegen/spirv/memory/memory.h"
#include "codegen/spirv/numeric/numeric.h"
#include "codegen/spirv/sync.h"

namespace krait::codegen::spirv {

using spv::Op;

/// Pointer to the accessed number as an unsigned integer (or as a float, for native float
/// addition), and the scope of its order.
Atomics::Place Atomics::place(const ir::Inst& i, Scalar s, Scalar as) {
  const ir::ValueId array = i.operands[0], index = i.operands[1];
  const Array& a = arrays_[array];
  const bool global = a.space == ir::Space::Global;
  if (ir::bits_of(s) == 64 && !ir::is_float(as)) {
    e_.need(global ? Feature::A64 : Feature::Sa64, "a 64-bit atomic");
    e_.m.head.capability(spv::Capability::Int64Atomics);
  }
  if (global) {
    const auto scope = i.scope == ir::Scope::Block ? spv::Scope::Workgroup : spv::Scope::Device;
    return {memory_.view_pointer(array, index, i.imm, e_.type(as)), sync_.memory_scope(scope)};
  }
  if (ir::size_of(a.unit) != ir::size_of(s))
    unsupported(
        fmt::format("{}: an atomic on a shared aggregate whose members differ in size", e_.where));
  return {memory_.unit_pointer(array, index, i.imm, 0), sync_.memory_scope(spv::Scope::Workgroup)};
}

/// The semantics of an atomic; `failed`: of a compare-and-swap that does not swap. Vulkan has no
/// order of all accesses.
Id Atomics::order(const ir::Inst& i, bool failed) {
  using M = spv::MemorySemanticsMask;
  using ir::Order;
  if (i.order == Order::Sequential && !e_.kernel())
    unsupported(fmt::format("{}: Vulkan has no order seq_cst: use acq_rel and a fence", e_.where));
  const bool sequential = i.order == Order::Sequential;
  const bool acquires = i.order == Order::Acquire || i.order == Order::AcquireRelease || sequential;
  const bool releases =
      !failed && (i.order == Order::Release || i.order == Order::AcquireRelease || sequential);
  if (!acquires && !releases) return e_.u32(0);
  auto mask = std::uint32_t(e_.kernel() ? M::CrossWorkgroupMemory : M::UniformMemory) |
              std::uint32_t(M::WorkgroupMemory);
  mask |= std::uint32_t(sequential             ? M::SequentiallyConsistent
                        : acquires && releases ? M::AcquireRelease
                        : acquires             ? M::Acquire
                                               : M::Release);
  if (unit_.vulkan_model && acquires) mask |= std::uint32_t(M::MakeVisible);
  if (unit_.vulkan_model && releases) mask |= std::uint32_t(M::MakeAvailable);
  return e_.u32(mask);
}

/// The new value of an atomic that is done by compare-and-swap.
Id Atomics::updated(const ir::Inst& i, Scalar s, Id old) {
  Id v = value(i.operands.back());
  if (ir::is_int(s)) {
    const Scalar u = bits_type(s);
    Id x = e_.bits(u, s, old), bound = e_.bits(u, s, v), zero = e_.constant(u, 0);
    if (i.op == ir::Op::AtomicInc) {
      Id whole = e_.op(Op::OpUGreaterThanEqual, Scalar::Bool, {x, bound});
      return e_.bits(s, u, e_.select(u, whole, zero, e_.op(Op::OpIAdd, u, {x, e_.constant(u, 1)})));
    }
    Id wraps = e_.op(Op::OpLogicalOr, Scalar::Bool,
                     {e_.op(Op::OpIEqual, Scalar::Bool, {x, zero}),
                      e_.op(Op::OpUGreaterThan, Scalar::Bool, {x, bound})});
    return e_.bits(s, u, e_.select(u, wraps, bound, e_.op(Op::OpISub, u, {x, e_.constant(u, 1)})));
  }
  if (i.op == ir::Op::AtomicAdd) return e_.exact(Op::OpFAdd, s, {old, v});
  return float_min_max(e_, i.op == ir::Op::AtomicMin, s, old, v);
}

/// Until nobody came between: load, compute, swap if unchanged.
Id Atomics::by_exchange(const ir::Inst& i, Scalar s) {
  const Scalar u = bits_type(s);
  const Place at = place(i, s, u);
  Id relaxed = e_.u32(0), type = e_.type(u);
  Id first = e_.m.code.emit(Op::OpAtomicLoad, type, {at.pointer, at.scope, relaxed});
  Id header = e_.blocks.label(), body = e_.blocks.label(), next = e_.blocks.label(),
     after = e_.blocks.label();
  Id seen = e_.m.ids.next();
  const Id before = e_.blocks.block();
  e_.blocks.branch(header);
  e_.blocks.begin(header);
  Id old = e_.blocks.phi(type, {{first, before}, {seen, next}});
  e_.blocks.loop_merge(after, next);
  e_.blocks.branch(body);
  e_.blocks.begin(body);
  Id wanted = atomic_operand(e_, s, updated(i, s, e_.bits(s, u, old)));
  const Id operands[] = {at.pointer, at.scope, order(i), order(i, true), wanted, old};
  e_.m.code.emit_as(seen, Op::OpAtomicCompareExchange, type, operands);
  e_.blocks.branch(e_.op(Op::OpIEqual, Scalar::Bool, {seen, old}), after, next);
  e_.blocks.begin(next);
  e_.blocks.branch(header);
  e_.blocks.begin(after);
  return e_.bits(s, u, old);
}

/// Native addition of floats may flush subnormals, which strict and reproducible kernels must keep.
bool Atomics::native_float_add(const ir::Inst& i, Scalar s) const {
  if (i.op != ir::Op::AtomicAdd || f_.fp == ir::FpMode::Strict || f_.fp == ir::FpMode::Reproducible)
    return false;
  return arrays_[i.operands[0]].space == ir::Space::Global &&
         e_.has(s == Scalar::F32 ? Feature::Fadd32 : Feature::Fadd64);
}

/// One instruction on the number as an unsigned integer.
Id Atomics::by_instruction(const ir::Inst& i, Scalar s) {
  using ir::Op;
  using S = spv::Op;
  const Scalar u = bits_type(s);
  const bool sign = ir::is_signed_int(s);
  const Place at = place(i, s, u);
  if (i.op == Op::AtomicLoad) {
    // Where barriers order nothing, lavapipe's compiler takes a load out of the loop that waits for
    // it.
    if (e_.has(Feature::Joins))
      return e_.op(S::OpAtomicOr, u, {at.pointer, at.scope, order(i), e_.constant(u, 0)});
    return e_.op(S::OpAtomicLoad, u, {at.pointer, at.scope, order(i)});
  }
  Id v = atomic_operand(e_, s, value(i.operands.back()));
  if (i.op == Op::AtomicCas) {
    Id expected = atomic_operand(e_, s, value(i.operands[i.operands.size() - 2]));
    return e_.op(S::OpAtomicCompareExchange, u,
                 {at.pointer, at.scope, order(i), order(i, true), v, expected});
  }
  const S o = i.op == Op::AtomicAdd   ? S::OpAtomicIAdd
              : i.op == Op::AtomicMin ? (sign ? S::OpAtomicSMin : S::OpAtomicUMin)
              : i.op == Op::AtomicMax ? (sign ? S::OpAtomicSMax : S::OpAtomicUMax)
              : i.op == Op::AtomicAnd ? S::OpAtomicAnd
              : i.op == Op::AtomicOr  ? S::OpAtomicOr
              : i.op == Op::AtomicXor ? S::OpAtomicXor
                                      : S::OpAtomicExchange;
  return e_.op(o, u, {at.pointer, at.scope, order(i), v});
}

void Atomics::atomic(const ir::Inst& i) {
  const Scalar s = i.type.scalar;
  const bool combines =
      i.op == ir::Op::AtomicAdd || i.op == ir::Op::AtomicMin || i.op == ir::Op::AtomicMax;
  if (ir::is_float(s) && native_float_add(i, s)) {
    e_.m.head.capability(s == Scalar::F32 ? spv::Capability::AtomicFloat32AddEXT
                                          : spv::Capability::AtomicFloat64AddEXT);
    e_.m.head.extension("SPV_EXT_shader_atomic_float_add");
    const Place at = place(i, s, s);
    return define(i, e_.op(Op::OpAtomicFAddEXT, s,
                           {at.pointer, at.scope, order(i), value(i.operands.back())}));
  }
  if ((ir::is_float(s) && combines) || i.op == ir::Op::AtomicInc || i.op == ir::Op::AtomicDec)
    return define(i, by_exchange(i, s));
  define(i, e_.bits(s, bits_type(s), by_instruction(i, s)));
}

}  // namespace krait::codegen::spirv
