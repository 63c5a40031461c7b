// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/arguments.h"

#include <fmt/core.h>

#include "codegen/spirv/numeric/numeric.h"
#include "codegen/spirv/memory/uses.h"

namespace krait::codegen::spirv {

using spv::Op;
using What = ir::ArgumentSlot::What;

void declare_push_constants(Unit& unit) {
  const ir::ArgumentLayout& layout = unit.envelope.arguments;
  const std::uint32_t direct = support::spirv_launch_bytes + layout.size;
  bool in_memory = direct > unit.emitter.target().push;
  // an index reaches into memory alone
  for (const ir::ArgumentSlot& s : layout.slots) in_memory |= s.what == What::Bytes;
  unit.own.arguments_in_memory = in_memory;
  unit.own.push_bytes = in_memory ? support::spirv_launch_bytes + 8 : direct;
  unit.emitter.declare_push_words(unit.own.push_bytes / 4);
}

Id Arguments::block_word(std::uint32_t offset) {
  if (!unit_.own.arguments_in_memory) return e_.push_word(support::spirv_launch_bytes + offset);
  Module& m = e_.m;
  Id at = e_.op(Op::OpIAdd, Scalar::U64, {base_, e_.constant(Scalar::U64, offset)});
  Id pointer = m.code.emit(
      Op::OpConvertUToPtr,
      m.globals.pointer_type(spv::StorageClass::PhysicalStorageBuffer, m.globals.int_type(32)),
      {at});
  return m.code.emit(Op::OpLoad, m.globals.int_type(32),
                     {pointer, std::uint32_t(spv::MemoryAccessMask::Aligned), 4});
}

Id Arguments::argument(Scalar s, std::uint32_t offset) {
  if (e_.kernel()) return e_.bits(s, bits_type(s), passed_.at(offset));
  if (ir::size_of(s) == 8) {
    Id pair = e_.m.code.emit(Op::OpCompositeConstruct,
                             e_.m.globals.vector_type(e_.m.globals.int_type(32), 2),
                             {block_word(offset), block_word(offset + 4)});
    return e_.op(Op::OpBitcast, s, {pair});
  }
  Id word = block_word(offset / 4 * 4);
  if (ir::size_of(s) == 4) return e_.bits(s, Scalar::U32, word);
  Id shifted = offset % 4
                   ? e_.op(Op::OpShiftRightLogical, Scalar::U32, {word, e_.u32(offset % 4 * 8)})
                   : word;
  if (s == Scalar::Bool)
    return e_.op(Op::OpINotEqual, Scalar::Bool,
                 {e_.op(Op::OpBitwiseAnd, Scalar::U32, {shifted, e_.u32(0xff)}), e_.u32(0)});
  const Scalar narrow = bits_type(s);
  return e_.bits(s, narrow, e_.op(Op::OpUConvert, narrow, {shifted}));
}

void Arguments::bind() {
  if (unit_.own.arguments_in_memory) {
    Id pair = e_.m.code.emit(
        Op::OpCompositeConstruct, e_.m.globals.vector_type(e_.m.globals.int_type(32), 2),
        {e_.push_word(support::spirv_launch_bytes), e_.push_word(support::spirv_launch_bytes + 4)});
    base_ = e_.op(Op::OpBitcast, Scalar::U64, {pair});
  }
  for (unsigned p = 0; p < f_.params().size(); ++p) {
    const ir::ValueId v = f_.params()[p];
    const ir::Type& t = f_.type_of(v);
    e_.where = fmt::format("parameter {}", p);
    if (!t.is_array()) {
      ids_[v] = argument(t.scalar, layout_.find(What::Scalar, p));
      continue;
    }
    Array& a = arrays_[v];
    a.space = ir::Space::Global;
    a.param = p;
    if (t.space == ir::Space::Argument) {
      a.base = e_.op(Op::OpIAdd, Scalar::U64,
                     {base_, e_.constant(Scalar::U64, layout_.find(What::Bytes, p))});
      continue;
    }
    a.coherent = unit_.synchronised && unit_.vulkan_model && uses_.exchanges(v);
    a.base = argument(Scalar::U64, layout_.find(What::Address, p));
  }
}

/// One item of the argument block, which is passed as its bits.
Id Arguments::parameter(Scalar s, const ir::ArgumentSlot& slot) {
  unit_.parameters.push_back({support::OpenClParameter::Value, slot.offset, slot.bytes});
  const Id id = e_.m.code.entry_parameter(e_.type(bits_type(s)));
  return s == Scalar::Bool ? cast(e_, s, Scalar::U8, id) : e_.bits(s, bits_type(s), id);
}

void Arguments::bind_kernel() {
  Module& m = e_.m;
  for (const ir::ArgumentSlot& slot : layout_.slots) {
    if (slot.what == What::SharedLength) {
      passed_[slot.offset] = parameter(Scalar::U64, slot);
      continue;
    }
    const ir::ValueId v = f_.params()[slot.param];
    Array& a = arrays_[v];
    e_.where = fmt::format("parameter {}", slot.param);
    switch (slot.what) {
      case What::Scalar: ids_[v] = parameter(scalar(v), slot); break;
      case What::Bytes:
        unit_.parameters.push_back({support::OpenClParameter::Bytes, slot.offset, slot.bytes});
        a.space = ir::Space::Global, a.param = slot.param,
        a.base = m.code.entry_parameter(byte_pointer(e_));
        break;
      case What::Address: {
        unit_.parameters.push_back({support::OpenClParameter::View, slot.offset, slot.bytes});
        const Id memory = m.code.entry_parameter(byte_pointer(e_)),
                 distance = m.code.entry_parameter(e_.type(Scalar::U64));
        a.space = ir::Space::Global, a.param = slot.param;
        a.base = m.code.emit(Op::OpInBoundsPtrAccessChain, byte_pointer(e_), {memory, distance});
        break;
      }
      case What::Extent:
      case What::Stride:
        passed_[slot.offset] = parameter(slot.bytes == 4 ? Scalar::U32 : Scalar::U64, slot);
        break;
      case What::SharedLength: break;
    }
  }
}

Id Arguments::extent(ir::ValueId array, unsigned d) {
  const Array& a = arrays_[array];
  if (!a.extents.empty()) return a.extents[d];
  if (f_.type_of(array).space == ir::Space::Global) {
    const std::uint32_t offset = layout_.find(What::Extent, a.param, d);
    return f_.facts.small ? e_.widened_id(argument(Scalar::U32, offset))
                          : argument(Scalar::I64, offset);
  }
  if (d == 0 && a.sized_at_launch)
    return argument(Scalar::I64, layout_.find(What::SharedLength, a.param));
  return e_.constant(Scalar::I64, std::uint64_t(f_.def(array)->list[d]));
}

Id Arguments::stride(ir::ValueId array, unsigned d) {
  const ir::Type& t = f_.type_of(array);
  if (!arrays_[array].strides.empty()) return arrays_[array].strides[d];
  if (t.space == ir::Space::Global && !f_.facts.contiguous)
    return argument(Scalar::I64, layout_.find(What::Stride, arrays_[array].param, d));
  // C order: the product of the extents behind.
  Id product = e_.constant(Scalar::I64, 1);
  for (unsigned k = t.rank; k-- > d + 1;)
    product = e_.op(Op::OpIMul, Scalar::I64, {product, extent(array, k)});
  return product;
}

}  // namespace krait::codegen::spirv
