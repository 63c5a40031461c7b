// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/memory/memory.h"

#include <bit>

#include "codegen/spirv/memory/hiding.h"
#include "codegen/spirv/numeric/numeric.h"
#include "ir/tiles.h"

namespace krait::codegen::spirv {

using spv::Op;

void Memory::need_storage(Scalar s) {
  if (ir::size_of(s) == 1) {
    e_.need(Feature::I8, "an access of 8 bits");
    if (!e_.kernel()) e_.m.head.capability(spv::Capability::StorageBuffer8BitAccess);
  } else if (ir::size_of(s) == 2) {
    e_.need(Feature::I16, "an access of 16 bits");
    if (!e_.kernel()) e_.m.head.capability(spv::Capability::StorageBuffer16BitAccess);
  }
}

Id Memory::index64(ir::ValueId v) { return e_.resize(Scalar::I64, scalar(v), value(v)); }

/// Takes constants out of the sums of an index, for the offsets that the device's loads and stores
/// hold: neighbours have one address then. What is left is, modulo 2^32 or 2^64, the index less
/// that constant.
Memory::Parts Memory::parts_of(ir::ValueId index, unsigned depth) {
  constexpr std::int64_t room = ir::Facts::room;
  const auto fits = [](std::int64_t c) { return c >= -room && c <= room; };
  const Scalar s = scalar(index);
  const bool wide = ir::size_of(s) == 8;
  const auto number = [&](ir::ValueId v) {
    const std::uint64_t bits = f_.const_bits(v);
    return wide ? std::int64_t(bits) : std::int64_t(std::int32_t(bits));
  };
  if (f_.is_const(index) && fits(number(index))) return {e_.constant(s, 0), number(index)};
  const Parts whole{value(index)};
  const ir::Inst* d = f_.def(index);
  if (!d || depth == 0) return whole;
  if (d->op == ir::Op::Cast && !wide) {
    const Scalar from = scalar(d->operands[0]);
    if (!ir::is_int(from) || ir::size_of(from) != 8) return whole;
    const Parts x = parts_of(d->operands[0], depth - 1);
    return x.constant == 0 ? whole : Parts{e_.resize(s, from, x.rest), x.constant};
  }
  if (d->op == ir::Op::Add || d->op == ir::Op::Sub) {
    const bool adds = d->op == ir::Op::Add;
    const Parts x = parts_of(d->operands[0], depth - 1), y = parts_of(d->operands[1], depth - 1);
    const std::int64_t sum = adds ? x.constant + y.constant : x.constant - y.constant;
    if (sum == 0 || !fits(sum)) return whole;
    return {e_.op(adds ? Op::OpIAdd : Op::OpISub, s, {x.rest, y.rest}), sum};
  }
  const bool shift = d->op == ir::Op::Shl;
  if ((d->op != ir::Op::Mul && !shift) || !f_.is_const(d->operands[1])) return whole;
  const std::int64_t by = number(d->operands[1]);
  if (by <= 0 || by > (shift ? 15 : room)) return whole;
  const Parts x = parts_of(d->operands[0], depth - 1);
  const std::int64_t product = x.constant * (shift ? std::int64_t(1) << by : by);
  if (product == 0 || !fits(product)) return whole;
  return {e_.op(shift ? Op::OpShiftLeftLogical : Op::OpIMul, s, {x.rest, value(d->operands[1])}),
          product};
}

/// Pointer to a value of this type, some bytes behind an element of a view.
Id Memory::kernel_pointer(Id base, ir::ValueId index, std::uint64_t stride, std::uint64_t offset,
                          Id pointee) {
  const Scalar u = Scalar::U64;
  Id at = base;
  if (!f_.is_const(index) || f_.const_bits(index) != 0) {
    Id distance = index64(index);
    if (stride != 1) distance = e_.op(Op::OpIMul, u, {distance, e_.constant(u, stride)});
    at = e_.m.code.emit(Op::OpInBoundsPtrAccessChain, byte_pointer(e_), {at, distance});
  }
  if (offset)
    at = e_.m.code.emit(Op::OpInBoundsPtrAccessChain, byte_pointer(e_),
                        {at, e_.constant(u, offset)});
  const Id type = e_.m.globals.pointer_type(spv::StorageClass::CrossWorkgroup, pointee);
  return type == byte_pointer(e_) ? at : e_.m.code.emit(Op::OpBitcast, type, {at});
}

/// Pointer into a view, to a value of this type: `count` elements from there on are one vector.
Id Memory::view_pointer(ir::ValueId array, ir::ValueId index, std::uint64_t offset, Id pointee) {
  const Array& a = arrays_[array];
  const std::uint64_t stride = f_.type_of(array).index_bytes();
  if (e_.kernel()) return kernel_pointer(a.base, index, stride, offset, pointee);
  Id at = a.base;
  if (!f_.is_const(index) || f_.const_bits(index) != 0) {
    // Elements' numbers are below 2^31 less the room that constants have.
    constexpr unsigned depth = 6;  // sums of sums of rows of indices
    const bool narrow = f_.facts.small && ir::size_of(scalar(index)) == 4 && !f_.is_const(index);
    const Parts parts = narrow ? parts_of(index, depth) : Parts{};
    Id distance =
        parts.constant != 0 ? e_.resize(Scalar::I64, Scalar::I32, parts.rest) : index64(index);
    offset += std::uint64_t(parts.constant) * stride;
    if (!f_.is_const(index)) distance = opaque_index(e_, Scalar::I64, distance);
    if (stride != 1)
      distance = e_.op(Op::OpIMul, Scalar::U64, {distance, e_.constant(Scalar::U64, stride)});
    at = e_.op(Op::OpIAdd, Scalar::U64, {at, distance});
  }
  if (offset) at = e_.op(Op::OpIAdd, Scalar::U64, {at, e_.constant(Scalar::U64, offset)});
  return e_.m.code.emit(
      Op::OpConvertUToPtr,
      e_.m.globals.pointer_type(spv::StorageClass::PhysicalStorageBuffer, pointee), {at});
}

/// Pointer to the `n`th unit from a byte offset in an element of a shared or local array.
Id Memory::unit_pointer(ir::ValueId array, ir::ValueId index, std::uint64_t offset, unsigned n) {
  const Array& a = arrays_[array];
  const unsigned size = ir::size_of(a.unit);
  const auto storage =
      a.space == ir::Space::Shared ? spv::StorageClass::Workgroup : spv::StorageClass::Function;
  Id at = e_.resize(Scalar::U32, scalar(index), value(index));
  if (a.space == ir::Space::Shared && !f_.is_const(index)) at = opaque_index(e_, Scalar::U32, at);
  if (const std::uint32_t units = f_.type_of(array).elem_bytes / size; units != 1)
    at = e_.op(Op::OpIMul, Scalar::U32, {at, e_.u32(units)});
  if (const auto first = std::uint32_t(offset / size) + n)
    at = e_.op(Op::OpIAdd, Scalar::U32, {at, e_.u32(first)});
  const Id type = e_.m.globals.pointer_type(storage, e_.type(a.unit));
  return e_.m.code.emit(
      e_.kernel() && a.sized_at_launch ? Op::OpInBoundsPtrAccessChain : Op::OpAccessChain, type,
      {a.base, at});
}

Id Memory::piece_pointer(ir::ValueId array, ir::ValueId index, std::uint64_t offset) {
  const auto shift =
      std::uint32_t(std::countr_zero(ir::piece_bytes / f_.type_of(array).elem_bytes));
  Id at = e_.resize(Scalar::U32, scalar(index), value(index));
  if (shift) at = e_.op(Op::OpShiftRightLogical, Scalar::U32, {at, e_.u32(shift)});
  if (offset)
    at = e_.op(Op::OpIAdd, Scalar::U32, {at, e_.u32(std::uint32_t(offset / ir::piece_bytes))});
  const Id four = e_.m.globals.vector_type(e_.type(Scalar::U32), 4);
  return e_.m.code.emit(Op::OpAccessChain,
                        e_.m.globals.pointer_type(spv::StorageClass::Workgroup, four),
                        {arrays_[array].base, at});
}

Id Memory::view_piece(ir::ValueId view, ir::ValueId index) {
  const Id four = e_.m.globals.vector_type(e_.type(Scalar::U32), 4);
  return load_from(arrays_[view], four, view_pointer(view, index, 0, four), ir::piece_bytes);
}

void Memory::store_piece(ir::ValueId array, ir::ValueId index, Id piece) {
  const Array& a = arrays_[array];
  if (a.pieces) return store_to(a, piece_pointer(array, index, 0), piece, 0);
  const unsigned size = ir::size_of(a.unit), in_word = 4 / size;
  const Scalar whole = bits_type(a.unit);
  for (unsigned n = 0; n < ir::piece_bytes / size; ++n) {
    Id part = e_.m.code.emit(Op::OpCompositeExtract, e_.type(Scalar::U32), {piece, n / in_word});
    if (n % in_word)
      part = e_.op(Op::OpShiftRightLogical, Scalar::U32, {part, e_.u32(n % in_word * 8 * size)});
    store_to(a, unit_pointer(array, index, 0, n),
             e_.bits(a.unit, whole, e_.resize(whole, Scalar::U32, part)), 0);
  }
}

Id Memory::shared_word(ir::ValueId array, Id piece, Id word) {
  const Array& a = arrays_[array];
  const Id type = e_.type(Scalar::U32);
  return load_from(a, type,
                   e_.m.code.emit(Op::OpAccessChain,
                                  e_.m.globals.pointer_type(spv::StorageClass::Workgroup, type),
                                  {a.base, piece, word}),
                   0);
}

Id Memory::shared_unit(ir::ValueId array, Id index) {
  const Array& a = arrays_[array];
  const Id type = e_.type(a.unit);
  return load_from(a, type,
                   e_.m.code.emit(Op::OpAccessChain,
                                  e_.m.globals.pointer_type(spv::StorageClass::Workgroup, type),
                                  {a.base, index}),
                   0);
}

/// Memory operands of an access.
Words Memory::operands(const Array& a, unsigned alignment, bool streaming) const {
  const bool physical = a.space == ir::Space::Global;
  std::uint32_t mask = physical ? std::uint32_t(spv::MemoryAccessMask::Aligned) : 0;
  if (streaming) mask |= std::uint32_t(spv::MemoryAccessMask::Nontemporal);
  if (a.coherent) mask |= std::uint32_t(spv::MemoryAccessMask::NonPrivatePointer);
  if ((a.coherent && e_.has(Feature::Joins)) || unit_.revisits.in(a.space))
    mask |= std::uint32_t(spv::MemoryAccessMask::Volatile);
  if (!mask) return {};
  return physical ? Words{mask, alignment} : Words{mask};
}

Id Memory::load_from(const Array& a, Id type, Id pointer, unsigned alignment, bool streaming) {
  Words all{pointer};
  for (std::uint32_t w : operands(a, alignment, streaming)) all.push_back(w);
  return e_.m.code.emit(Op::OpLoad, type, all);
}

void Memory::store_to(const Array& a, Id pointer, Id v, unsigned alignment, bool streaming) {
  Words all{pointer, v};
  for (std::uint32_t w : operands(a, alignment, streaming)) all.push_back(w);
  e_.m.code.emit_void(Op::OpStore, all);
}

/// A value out of units, low ones first.
Id Memory::load_units(ir::ValueId array, ir::ValueId index, std::uint64_t offset, Scalar s) {
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
  // the zeros that it begins with
  return a.space == ir::Space::Local && ir::is_float(s) ? opaque(e_, s, loaded) : loaded;
}

void Memory::store_units(ir::ValueId array, ir::ValueId index, std::uint64_t offset, Scalar s,
                         Id v) {
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

void Memory::load(const ir::Inst& i) {
  const ir::ValueId array = i.operands[0], index = i.operands[1];
  const Scalar s = i.type.scalar;
  const Array& a = arrays_[array];
  if (a.space != ir::Space::Global) return define(i, load_units(array, index, i.imm, s));
  const Scalar memory = s == Scalar::Bool ? Scalar::U8 : s;
  need_storage(memory);
  Id loaded = load_from(a, e_.type(memory), view_pointer(array, index, i.imm, e_.type(memory)),
                        ir::size_of(memory), i.streaming);
  define(i, memory == s ? loaded : cast(e_, s, memory, loaded));
}

void Memory::store(const ir::Inst& i) {
  const ir::ValueId array = i.operands[0], index = i.operands[1];
  const Scalar s = i.type.scalar;
  const Array& a = arrays_[array];
  Id v = value(i.operands.back());
  if (a.space != ir::Space::Global) return store_units(array, index, i.imm, s, v);
  const Scalar memory = s == Scalar::Bool ? Scalar::U8 : s;
  need_storage(memory);
  if (memory != s) v = cast(e_, memory, s, v);
  store_to(a, view_pointer(array, index, i.imm, e_.type(memory)), v, ir::size_of(memory),
           i.streaming);
}

void Memory::load_vec(const ir::Inst& i) {
  const ir::ValueId array = i.operands[0], index = i.operands[1];
  const Scalar s = i.type.scalar;
  const auto count = unsigned(i.results.size());
  const Array& a = arrays_[array];
  Module& m = e_.m;
  if (a.space != ir::Space::Global) {
    if (a.pieces) {
      const Id four = m.globals.vector_type(m.globals.int_type(32), 4);
      return take_apart(i, load_from(a, four, piece_pointer(array, index, i.imm), 0));
    }
    for (unsigned n = 0; n < count; ++n)
      ids_[i.results[n]] = load_units(array, index, i.imm + std::uint64_t(n) * ir::size_of(s), s);
    return;
  }
  const unsigned bytes = count * ir::size_of(s);
  need_storage(s);
  if (count <= 4) {
    Id vector = m.globals.vector_type(e_.type(s), count);
    Id all = load_from(a, vector, view_pointer(array, index, i.imm, vector), bytes, i.streaming);
    for (unsigned n = 0; n < count; ++n)
      ids_[i.results[n]] = m.code.emit(Op::OpCompositeExtract, e_.type(s), {all, n});
    return;
  }
  // Longer vectors than SPIR-V's four travel as words.
  Id words = m.globals.vector_type(m.globals.int_type(32), bytes / 4);
  take_apart(i, load_from(a, words, view_pointer(array, index, i.imm, words), bytes, i.streaming));
}

/// A vector of words into what is loaded, numbers of 8 or 16 bits.
void Memory::take_apart(const ir::Inst& i, Id all) {
  const Scalar s = i.type.scalar;
  Module& m = e_.m;
  const unsigned in_word = 4 / ir::size_of(s);
  Id part = m.globals.vector_type(e_.type(s), in_word);
  for (unsigned w = 0; w < i.results.size() / in_word; ++w) {
    Id split = m.code.emit(Op::OpBitcast, part,
                           {m.code.emit(Op::OpCompositeExtract, m.globals.int_type(32), {all, w})});
    for (unsigned n = 0; n < in_word; ++n)
      ids_[i.results[w * in_word + n]] =
          m.code.emit(Op::OpCompositeExtract, e_.type(s), {split, n});
  }
}

void Memory::store_vec(const ir::Inst& i) {
  const ir::ValueId array = i.operands[0], index = i.operands[1];
  const Scalar s = i.type.scalar;
  const auto count = unsigned(i.operands.size()) - 2;
  const Array& a = arrays_[array];
  Module& m = e_.m;
  if (a.space != ir::Space::Global && !a.pieces) {
    for (unsigned n = 0; n < count; ++n)
      store_units(array, index, i.imm + std::uint64_t(n) * ir::size_of(s), s,
                  value(i.operands[2 + n]));
    return;
  }
  const unsigned bytes = count * ir::size_of(s);
  if (a.space == ir::Space::Global) need_storage(s);
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
      words.push_back(m.code.emit(Op::OpBitcast, m.globals.int_type(32),
                                  {composed(part, w * in_word, in_word)}));
    all = e_.composite(vector, words);
  }
  const Id pointer =
      a.pieces ? piece_pointer(array, index, i.imm) : view_pointer(array, index, i.imm, vector);
  store_to(a, pointer, all, bytes, i.streaming);
}

}  // namespace krait::codegen::spirv
