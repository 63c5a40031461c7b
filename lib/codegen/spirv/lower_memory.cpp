// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays. Views are addresses: an access computes the element's address and converts it to a pointer of the element's type.
// Shared and local arrays are variables of their element type; aggregates, and floats that atomics touch, are arrays of unsigned
// units out of which values are put together.
#include <algorithm>

#include <fmt/core.h>

#include "codegen/spirv/hiding.h"
#include "codegen/spirv/numeric.h"
#include "codegen/spirv/lower.h"

namespace krait::codegen::spirv {

using spv::Op;

void Lower::need_storage(Scalar s) {
  if (ir::size_of(s) == 1) {
    e_.need(Feature::I8, "an access of 8 bits");
    if (!e_.kernel()) e_.m.head.capability(spv::Capability::StorageBuffer8BitAccess);
  } else if (ir::size_of(s) == 2) {
    e_.need(Feature::I16, "an access of 16 bits");
    if (!e_.kernel()) e_.m.head.capability(spv::Capability::StorageBuffer16BitAccess);
  }
}

void Lower::declare_array(const ir::Inst& i) {
  Module& m = e_.m;
  const ir::Type& t = f_.type_of(i.results[0]);
  const Use& use = uses_[i.results[0]];
  const bool shared = t.space == ir::Space::Shared;
  Array& a = arrays_[i.results[0]];
  a.space = t.space;
  a.coherent = shared && vulkan_model_;
  a.unit = t.scalar;
  if (t.scalar == Scalar::Void) {
    a.unit = use.size == 1 ? Scalar::U8 : use.size == 2 ? Scalar::U16 : use.size == 4 ? Scalar::U32 : Scalar::U64;
  } else if (use.atomic && ir::is_float(t.scalar)) {
    a.unit = bits_type(t.scalar);
  } else if (t.scalar == Scalar::Bool && e_.kernel()) {
    a.unit = Scalar::U8;  // memory of kernels holds no bool
  }
  std::uint64_t count = 1;
  for (std::size_t d = 0; d < i.list.size(); ++d) count *= d == 0 && i.list[0] == 0 ? 1 : std::uint64_t(i.list[d]);
  const std::uint64_t row_bytes = count * t.elem_bytes;
  const std::uint64_t units = row_bytes / ir::size_of(a.unit);
  if (units >> 31) unsupported(fmt::format("{}: the array is too large", e_.where));
  Id length = e_.u32(std::uint32_t(units));
  if (i.list[0] == 0 && e_.kernel()) return shared_parameter(i, std::uint32_t(row_bytes));
  if (i.list[0] == 0) {
    // At least one row, as SPIR-V has no empty arrays.
    a.sized_at_launch = true, a.param = sized_at_launch_++;
    Id bytes = m.globals.spec_constant(support::SpirvSharedBytes + a.param, 0);
    Id u = m.globals.int_type(32), row = e_.u32(std::uint32_t(row_bytes));
    Id asked = m.globals.spec_op(u, Op::OpUDiv, {bytes, row});
    Id none = m.globals.spec_op(m.globals.bool_type(), Op::OpIEqual, {asked, e_.u32(0)});
    Id rows = m.globals.spec_op(u, Op::OpSelect, {none, e_.u32(1), asked});
    length = m.globals.spec_op(u, Op::OpIMul, {rows, length});
  } else if (shared) {
    unit_.envelope.fixed_shared += std::uint32_t((row_bytes + 15) / 16 * 16);
  } else {
    own_.local_bytes += std::uint32_t(row_bytes);
  }
  Id type = m.globals.array_type(e_.type(a.unit), length);
  a.base = shared ? m.globals.variable(spv::StorageClass::Workgroup, type) : m.code.local_variable(type);
  constexpr std::uint32_t at_once = 64;
  if (shared) return;
  if (units <= at_once) m.code.emit_void(Op::OpStore, {a.base, m.globals.null(type)});
  else clear(i, a, std::uint32_t(units));
}

/// Zeros, a few at a time: drivers take a store of a whole array apart, and Mesa's then compiled a minute for 4 KiB.
void Lower::clear(const ir::Inst& i, const Array& a, std::uint32_t units) {
  constexpr std::uint32_t at_once = 8;
  const Id u32 = e_.type(Scalar::U32), unit = e_.type(a.unit), next_trip = e_.m.ids.next(), before = e_.blocks.block();
  const auto zero = [&](Id at) {
    const Id element =
        e_.m.code.emit(Op::OpAccessChain, e_.m.globals.pointer_type(spv::StorageClass::Function, unit), {a.base, at});
    e_.m.code.emit_void(Op::OpStore, {element, e_.kernel() ? e_.constant(a.unit, 0)
                                                           : e_.m.globals.null(unit)});  // translators know no scalar null
  };
  for (std::uint32_t k = units / at_once * at_once; k < units; ++k) zero(e_.u32(k));
  const Id head = e_.blocks.label(), body = e_.blocks.label(), next = e_.blocks.label(), after = e_.blocks.label();
  e_.blocks.branch(head);
  e_.blocks.begin(head);
  const Id trip = e_.blocks.phi(u32, {{e_.u32(0), before}, {next_trip, next}});
  const Id more = e_.op(Op::OpULessThan, Scalar::Bool, {trip, e_.u32(units / at_once)});
  e_.blocks.loop_merge(after, next);
  e_.blocks.branch(more, body, after);
  e_.blocks.begin(body);
  const Id first = e_.op(Op::OpIMul, Scalar::U32, {trip, e_.u32(at_once)});
  for (std::uint32_t k = 0; k < at_once; ++k) zero(e_.op(Op::OpIAdd, Scalar::U32, {first, e_.u32(k)}));
  e_.blocks.branch(next);
  e_.blocks.begin(next);
  e_.m.code.emit_as(next_trip, Op::OpIAdd, u32, std::initializer_list<std::uint32_t>{trip, e_.u32(1)});
  e_.blocks.branch(head);
  e_.blocks.begin(after);
  unit_.own_trips[&i] = units / at_once;
}

Id Lower::index64(ir::ValueId v) { return e_.resize(Scalar::I64, scalar(v), value(v)); }

/// Pointer into a view, to a value of this type: `count` elements from there on are one vector.
Id Lower::view_pointer(ir::ValueId array, ir::ValueId index, std::uint64_t offset, Id pointee) {
  const Array& a = arrays_[array];
  const std::uint64_t stride = f_.type_of(array).index_bytes();
  if (e_.kernel()) return kernel_pointer(a.base, index, stride, offset, pointee);
  Id at = a.base;
  if (!f_.is_const(index) || f_.const_bits(index) != 0) {
    Id distance = f_.is_const(index) ? index64(index) : opaque_index(e_, Scalar::I64, index64(index));
    if (stride != 1) distance = e_.op(Op::OpIMul, Scalar::U64, {distance, e_.constant(Scalar::U64, stride)});
    at = e_.op(Op::OpIAdd, Scalar::U64, {at, distance});
  }
  if (offset) at = e_.op(Op::OpIAdd, Scalar::U64, {at, e_.constant(Scalar::U64, offset)});
  return e_.m.code.emit(Op::OpConvertUToPtr, e_.m.globals.pointer_type(spv::StorageClass::PhysicalStorageBuffer, pointee), {at});
}

/// Pointer to the `n`th unit from a byte offset in an element of a shared or local array.
Id Lower::unit_pointer(ir::ValueId array, ir::ValueId index, std::uint64_t offset, unsigned n) {
  const Array& a = arrays_[array];
  const unsigned size = ir::size_of(a.unit);
  const auto storage = a.space == ir::Space::Shared ? spv::StorageClass::Workgroup : spv::StorageClass::Function;
  Id at = e_.resize(Scalar::U32, scalar(index), value(index));
  if (a.space == ir::Space::Shared && !f_.is_const(index)) at = opaque_index(e_, Scalar::U32, at);
  if (const std::uint32_t units = f_.type_of(array).elem_bytes / size; units != 1)
    at = e_.op(Op::OpIMul, Scalar::U32, {at, e_.u32(units)});
  if (const auto first = std::uint32_t(offset / size) + n) at = e_.op(Op::OpIAdd, Scalar::U32, {at, e_.u32(first)});
  const Id type = e_.m.globals.pointer_type(storage, e_.type(a.unit));
  return e_.m.code.emit(e_.kernel() && a.sized_at_launch ? Op::OpInBoundsPtrAccessChain : Op::OpAccessChain, type, {a.base, at});
}

/// Memory operands of an access.
Words Lower::memory_operands(const Array& a, unsigned alignment, bool streaming) const {
  const bool physical = a.space == ir::Space::Global;
  std::uint32_t mask = physical ? std::uint32_t(spv::MemoryAccessMask::Aligned) : 0;
  if (streaming) mask |= std::uint32_t(spv::MemoryAccessMask::Nontemporal);
  if (a.coherent) mask |= std::uint32_t(spv::MemoryAccessMask::NonPrivatePointer);
  if ((a.coherent && e_.has(Feature::Joins)) || unit_.revisits.in(a.space))
    mask |= std::uint32_t(spv::MemoryAccessMask::Volatile);
  if (!mask) return {};
  return physical ? Words{mask, alignment} : Words{mask};
}

Id Lower::load_from(const Array& a, Id type, Id pointer, unsigned alignment, bool streaming) {
  Words operands{pointer};
  for (std::uint32_t w : memory_operands(a, alignment, streaming)) operands.push_back(w);
  return e_.m.code.emit(Op::OpLoad, type, operands);
}

void Lower::store_to(const Array& a, Id pointer, Id v, unsigned alignment, bool streaming) {
  Words operands{pointer, v};
  for (std::uint32_t w : memory_operands(a, alignment, streaming)) operands.push_back(w);
  e_.m.code.emit_void(Op::OpStore, operands);
}

/// A value out of units, low ones first.
Id Lower::load_units(ir::ValueId array, ir::ValueId index, std::uint64_t offset, Scalar s) {
  const Array& a = arrays_[array];
  const Scalar memory = s == Scalar::Bool && a.unit != s ? Scalar::U8 : s;
  const unsigned units = a.unit == s ? 1 : ir::size_of(memory) / ir::size_of(a.unit);
  const Scalar whole = units == 1 ? a.unit : bits_type(memory);
  Id all = 0;
  for (unsigned n = 0; n < units; ++n) {
    Id part = load_from(a, e_.type(a.unit), unit_pointer(array, index, offset, n), 0);
    if (units > 1) part = e_.resize(whole, a.unit, part);
    if (n) part = e_.op(Op::OpShiftLeftLogical, whole, {part, e_.u32(n * ir::bits_of(a.unit))});
    all = n ? e_.op(Op::OpBitwiseOr, whole, {all, part}) : part;
  }
  if (memory != s) return cast(e_, s, memory, e_.bits(memory, whole, all));
  const Id loaded = e_.bits(s, whole, all);
  return a.space == ir::Space::Local && ir::is_float(s) ? opaque(e_, s, loaded) : loaded;  // the zeros that it begins with
}

void Lower::store_units(ir::ValueId array, ir::ValueId index, std::uint64_t offset, Scalar s, Id v) {
  const Array& a = arrays_[array];
  if (a.unit == s) return store_to(a, unit_pointer(array, index, offset, 0), v, 0);
  const Scalar memory = s == Scalar::Bool ? Scalar::U8 : s;
  if (memory != s) v = cast(e_, memory, s, v);
  const unsigned units = ir::size_of(memory) / ir::size_of(a.unit);
  const Scalar whole = bits_type(memory);
  v = e_.bits(whole, memory, v);
  for (unsigned n = 0; n < units; ++n) {
    Id part = n ? e_.op(Op::OpShiftRightLogical, whole, {v, e_.u32(n * ir::bits_of(a.unit))}) : v;
    store_to(a, unit_pointer(array, index, offset, n), e_.resize(a.unit, whole, part), 0);
  }
}

void Lower::access(const ir::Inst& i) {
  if (i.op == ir::Op::Load) return load(i);
  if (i.op == ir::Op::Store) return store(i);
  if (i.op == ir::Op::LoadVec) return load_vec(i);
  if (i.op == ir::Op::StoreVec) return store_vec(i);
  atomic(i);
}

void Lower::load(const ir::Inst& i) {
  const ir::ValueId array = i.operands[0], index = i.operands[1];
  const Scalar s = i.type.scalar;
  const Array& a = arrays_[array];
  if (a.space != ir::Space::Global) return define(i, load_units(array, index, i.imm, s));
  const Scalar memory = s == Scalar::Bool ? Scalar::U8 : s;
  need_storage(memory);
  Id loaded = load_from(a, e_.type(memory), view_pointer(array, index, i.imm, e_.type(memory)), ir::size_of(memory), i.streaming);
  define(i, memory == s ? loaded : cast(e_, s, memory, loaded));
}

void Lower::store(const ir::Inst& i) {
  const ir::ValueId array = i.operands[0], index = i.operands[1];
  const Scalar s = i.type.scalar;
  const Array& a = arrays_[array];
  Id v = value(i.operands.back());
  if (a.space != ir::Space::Global) return store_units(array, index, i.imm, s, v);
  const Scalar memory = s == Scalar::Bool ? Scalar::U8 : s;
  need_storage(memory);
  if (memory != s) v = cast(e_, memory, s, v);
  store_to(a, view_pointer(array, index, i.imm, e_.type(memory)), v, ir::size_of(memory), i.streaming);
}

void Lower::load_vec(const ir::Inst& i) {
  const ir::ValueId array = i.operands[0], index = i.operands[1];
  const Scalar s = i.type.scalar;
  const auto count = unsigned(i.results.size());
  const Array& a = arrays_[array];
  Module& m = e_.m;
  if (a.space != ir::Space::Global) {
    for (unsigned n = 0; n < count; ++n)
      ids_[i.results[n]] = load_units(array, index, i.imm + std::uint64_t(n) * ir::size_of(s), s);
    return;
  }
  const unsigned bytes = count * ir::size_of(s);
  need_storage(s);
  if (count <= 4) {
    Id vector = m.globals.vector_type(e_.type(s), count);
    Id all = load_from(a, vector, view_pointer(array, index, i.imm, vector), bytes, i.streaming);
    for (unsigned n = 0; n < count; ++n) ids_[i.results[n]] = m.code.emit(Op::OpCompositeExtract, e_.type(s), {all, n});
    return;
  }
  // Longer vectors than SPIR-V's four travel as words.
  const unsigned in_word = 4 / ir::size_of(s);
  Id words = m.globals.vector_type(m.globals.int_type(32), bytes / 4), part = m.globals.vector_type(e_.type(s), in_word);
  Id all = load_from(a, words, view_pointer(array, index, i.imm, words), bytes, i.streaming);
  for (unsigned w = 0; w < bytes / 4; ++w) {
    Id split = m.code.emit(Op::OpBitcast, part, {m.code.emit(Op::OpCompositeExtract, m.globals.int_type(32), {all, w})});
    for (unsigned n = 0; n < in_word; ++n)
      ids_[i.results[w * in_word + n]] = m.code.emit(Op::OpCompositeExtract, e_.type(s), {split, n});
  }
}

void Lower::store_vec(const ir::Inst& i) {
  const ir::ValueId array = i.operands[0], index = i.operands[1];
  const Scalar s = i.type.scalar;
  const auto count = unsigned(i.operands.size()) - 2;
  const Array& a = arrays_[array];
  Module& m = e_.m;
  if (a.space != ir::Space::Global) {
    for (unsigned n = 0; n < count; ++n)
      store_units(array, index, i.imm + std::uint64_t(n) * ir::size_of(s), s, value(i.operands[2 + n]));
    return;
  }
  const unsigned bytes = count * ir::size_of(s);
  need_storage(s);
  auto composed = [&](Id type, unsigned from, unsigned n) {
    Words parts;
    for (unsigned k = 0; k < n; ++k) parts.push_back(value(i.operands[2 + from + k]));
    return e_.composite(type, parts);
  };
  Id vector, all;
  if (count <= 4) {
    vector = m.globals.vector_type(e_.type(s), count);
    all = composed(vector, 0, count);
  } else {
    const unsigned in_word = 4 / ir::size_of(s);
    vector = m.globals.vector_type(m.globals.int_type(32), bytes / 4);
    Id part = m.globals.vector_type(e_.type(s), in_word);
    Words words;
    for (unsigned w = 0; w < bytes / 4; ++w)
      words.push_back(m.code.emit(Op::OpBitcast, m.globals.int_type(32), {composed(part, w * in_word, in_word)}));
    all = e_.composite(vector, words);
  }
  store_to(a, view_pointer(array, index, i.imm, vector), all, bytes, i.streaming);
}

}  // namespace krait::codegen::spirv
