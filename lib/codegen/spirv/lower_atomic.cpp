// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics: one instruction on integers; floats by compare-and-swap on their bits where the device has no addition of its own.
#include <fmt/format.h>

#include "codegen/spirv/lower.h"

namespace krait::codegen::spirv {

using spv::Op;

/// Pointer to the accessed number as an unsigned integer (or as a float, for native float addition), and the scope of its order.
Lower::AtomicPlace Lower::atomic_place(const ir::Inst& i, Scalar s, Scalar as) {
  const ir::ValueId array = i.operands[0], index = i.operands[1];
  const Array& a = arrays_[array];
  const bool global = a.space == ir::Space::Global;
  if (ir::bits_of(s) == 64 && !ir::is_float(as)) {
    e_.need(global ? "a64" : "sa64", "a 64-bit atomic");
    e_.m.capability(spv::Capability::Int64Atomics);
  }
  if (global) return {view_pointer(array, index, i.imm, e_.type(as)), e_.u32(std::uint32_t(spv::Scope::Device))};
  if (ir::size_of(a.unit) != ir::size_of(s))
    unsupported(fmt::format("{}: an atomic on a shared aggregate whose members differ in size", e_.where));
  return {unit_pointer(array, index, i.imm, 0), e_.u32(std::uint32_t(spv::Scope::Workgroup))};
}

/// The new value of an atomic that is done by compare-and-swap.
Id Lower::updated(const ir::Inst& i, Scalar s, Id old) {
  Id v = value(i.operands.back());
  if (i.op == ir::Op::AtomicAdd) return e_.exact(Op::OpFAdd, s, {old, v});
  return e_.float_min_max(i.op == ir::Op::AtomicMin, s, old, v);
}

/// Until nobody came between: load, compute, swap if unchanged.
Id Lower::compare_and_swap_loop(const ir::Inst& i, Scalar s) {
  const Scalar u = bits_type(s);
  const AtomicPlace at = atomic_place(i, s, u);
  Id relaxed = e_.u32(0), type = e_.type(u);
  Id first = e_.m.emit(Op::OpAtomicLoad, type, {at.pointer, at.scope, relaxed});
  Id header = e_.label(), body = e_.label(), next = e_.label(), after = e_.label();
  Id seen = e_.m.new_id();
  const Id before = e_.block();
  e_.branch(header);
  e_.begin(header);
  Id old = e_.phi(type, {{first, before}, {seen, next}});
  e_.loop_merge(after, next);
  e_.branch(body);
  e_.begin(body);
  Id wanted = e_.bits(u, s, updated(i, s, e_.bits(s, u, old)));
  const Id operands[] = {at.pointer, at.scope, relaxed, relaxed, wanted, old};
  e_.m.emit_as(seen, Op::OpAtomicCompareExchange, type, operands);
  e_.branch(e_.op(Op::OpIEqual, Scalar::Bool, {seen, old}), after, next);
  e_.begin(next);
  e_.branch(header);
  e_.begin(after);
  return e_.bits(s, u, old);
}

/// Native addition of floats may flush subnormals, which strict and reproducible kernels must keep.
bool Lower::native_float_add(const ir::Inst& i, Scalar s) {
  if (i.op != ir::Op::AtomicAdd || f_.fp == ir::FpMode::Strict || f_.fp == ir::FpMode::Reproducible) return false;
  return arrays_[i.operands[0]].space == ir::Space::Global && e_.has(fmt::format("fadd{}", ir::bits_of(s)));
}

void Lower::atomic(const ir::Inst& i) {
  const Scalar s = scalar(i.operands.back());
  Id relaxed = e_.u32(0);
  Id result;
  if (ir::is_float(s) && native_float_add(i, s)) {
    e_.m.capability(s == Scalar::F32 ? spv::Capability::AtomicFloat32AddEXT : spv::Capability::AtomicFloat64AddEXT);
    e_.m.extension("SPV_EXT_shader_atomic_float_add");
    const AtomicPlace at = atomic_place(i, s, s);
    result = e_.op(Op::OpAtomicFAddEXT, s, {at.pointer, at.scope, relaxed, value(i.operands.back())});
  } else if (ir::is_float(s) && (i.op == ir::Op::AtomicAdd || i.op == ir::Op::AtomicMin || i.op == ir::Op::AtomicMax)) {
    result = compare_and_swap_loop(i, s);
  } else {
    const Scalar u = bits_type(s);
    const bool sign = ir::is_signed_int(s);
    const AtomicPlace at = atomic_place(i, s, u);
    Id v = e_.bits(u, s, value(i.operands.back()));
    if (i.op == ir::Op::AtomicCas) {
      Id expected = e_.bits(u, s, value(i.operands[i.operands.size() - 2]));
      result = e_.op(Op::OpAtomicCompareExchange, u, {at.pointer, at.scope, relaxed, relaxed, v, expected});
    } else {
      const Op o = i.op == ir::Op::AtomicAdd   ? Op::OpAtomicIAdd
                   : i.op == ir::Op::AtomicMin ? (sign ? Op::OpAtomicSMin : Op::OpAtomicUMin)
                   : i.op == ir::Op::AtomicMax ? (sign ? Op::OpAtomicSMax : Op::OpAtomicUMax)
                   : i.op == ir::Op::AtomicAnd ? Op::OpAtomicAnd
                   : i.op == ir::Op::AtomicOr  ? Op::OpAtomicOr
                   : i.op == ir::Op::AtomicXor ? Op::OpAtomicXor
                                               : Op::OpAtomicExchange;
      result = e_.op(o, u, {at.pointer, at.scope, relaxed, v});
    }
    result = e_.bits(s, u, result);
  }
  if (!i.results.empty()) define(i, result);
}

}  // namespace krait::codegen::spirv
