// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the OpenCL dialect has of its own: the frame of a kernel, its parameters, and pointers. Each item of the argument block is a
// parameter. A view is the memory that it lies in and a distance: drivers see which arrays are which, and memory needs no address.
#include <fmt/core.h>

#include "codegen/spirv/numeric.h"
#include "codegen/spirv/lower.h"

namespace krait::codegen::spirv {

using spv::Op;
using support::OpenClParameter;
using What = ir::ArgumentSlot::What;

Words lower_kernel(const ir::Module& module, const support::SpirvTarget& target, support::Envelope& envelope,
                   support::OpenClCode& own, std::vector<OpenClParameter>& parameters) {
  support::SpirvCode common;
  Unit unit{module, Emitter(target, Dialect::Kernel), target.features.has(Feature::Debug), envelope, common};
  lower_all(unit);
  parameters = std::move(unit.parameters);
  own.local_bytes = common.local_bytes, own.fast = module.kernel().fp == ir::FpMode::Fast;
  const Words words = unit.emitter.m.finish(module.kernel().name, envelope.entry);
  constexpr std::size_t first_instruction = 5;
  for (std::size_t at = first_instruction; at < words.size(); at += words[at] >> 16)
    if (Op(words[at] & 0xffff) == Op::OpSpecConstantFalse) own.one_trip = std::uint32_t(at);
  return words;
}

Id Lower::byte_pointer() { return e_.m.globals.pointer_type(spv::StorageClass::CrossWorkgroup, e_.m.globals.int_type(8)); }

/// One item of the argument block, which is passed as its bits.
Id Lower::parameter(Scalar s, const ir::ArgumentSlot& slot) {
  unit_.parameters.push_back({OpenClParameter::Value, slot.offset, slot.bytes});
  const Id id = e_.m.code.entry_parameter(e_.type(bits_type(s)));
  return s == Scalar::Bool ? cast(e_, s, Scalar::U8, id) : e_.bits(s, bits_type(s), id);
}

void Lower::kernel_entry() {
  Module& m = e_.m;
  for (const spv::Capability c : {spv::Capability::Kernel, spv::Capability::Addresses}) m.head.capability(c);
  m.head.memory_model(spv::AddressingModel::Physical64, spv::MemoryModel::OpenCL);
  m.head.execution_mode(spv::ExecutionMode::ContractionOff);
  one_trip_ = m.globals.spec_bool(support::SpirvOneTrip);
  m.head.name(one_trip_, "one_trip");
  e_.blocks.begin_first();

  const Id three = m.globals.vector_type(e_.type(Scalar::U64), 3);
  const auto positions = [&](spv::BuiltIn which, Id(&to)[3]) {
    const Id all = m.code.emit(Op::OpLoad, three, {m.globals.builtin(which, three)});
    for (std::uint32_t d = 0; d < 3; ++d) to[d] = e_.op(Op::OpCompositeExtract, Scalar::U64, {all, d});
  };
  positions(spv::BuiltIn::NumWorkgroups, grid_), positions(spv::BuiltIn::WorkgroupId, block_idx_);
  positions(spv::BuiltIn::LocalInvocationId, thread_);
  if (f_.block[0]) {
    for (unsigned d = 0; d < 3; ++d) block_[d] = e_.constant(Scalar::U64, std::uint64_t(f_.block[d]));
    m.head.execution_mode(spv::ExecutionMode::LocalSize,
                          {std::uint32_t(f_.block[0]), std::uint32_t(f_.block[1]), std::uint32_t(f_.block[2])});
  } else {
    positions(spv::BuiltIn::WorkgroupSize, block_);
  }

  for (const ir::ArgumentSlot& slot : layout_.slots) {
    if (slot.what == What::SharedLength) {
      passed_[slot.offset] = parameter(Scalar::U64, slot);
      continue;
    }
    const ir::ValueId v = f_.params()[slot.param];
    Array& a = arrays_[v];
    switch (slot.what) {
      case What::Scalar: ids_[v] = parameter(scalar(v), slot); break;
      case What::Bytes:
        unit_.parameters.push_back({OpenClParameter::Bytes, slot.offset, slot.bytes});
        a.space = ir::Space::Global, a.param = slot.param, a.base = m.code.entry_parameter(byte_pointer());
        break;
      case What::Address: {
        unit_.parameters.push_back({OpenClParameter::View, slot.offset, slot.bytes});
        const Id memory = m.code.entry_parameter(byte_pointer()), distance = m.code.entry_parameter(e_.type(Scalar::U64));
        a.space = ir::Space::Global, a.param = slot.param;
        a.base = m.code.emit(Op::OpInBoundsPtrAccessChain, byte_pointer(), {memory, distance});
        break;
      }
      case What::Extent:
      case What::Stride: passed_[slot.offset] = parameter(slot.bytes == 4 ? Scalar::U32 : Scalar::U64, slot); break;
      case What::SharedLength: break;
    }
  }
}

/// Pointer to a value of this type, some bytes behind an element of a view.
Id Lower::kernel_pointer(Id base, ir::ValueId index, std::uint64_t stride, std::uint64_t offset, Id pointee) {
  const Scalar u = Scalar::U64;
  Id at = base;
  if (!f_.is_const(index) || f_.const_bits(index) != 0) {
    Id distance = index64(index);
    if (stride != 1) distance = e_.op(Op::OpIMul, u, {distance, e_.constant(u, stride)});
    at = e_.m.code.emit(Op::OpInBoundsPtrAccessChain, byte_pointer(), {at, distance});
  }
  if (offset) at = e_.m.code.emit(Op::OpInBoundsPtrAccessChain, byte_pointer(), {at, e_.constant(u, offset)});
  const Id type = e_.m.globals.pointer_type(spv::StorageClass::CrossWorkgroup, pointee);
  return type == byte_pointer() ? at : e_.m.code.emit(Op::OpBitcast, type, {at});
}

/// A shared array that is sized at launch.
void Lower::shared_parameter(const ir::Inst& i, std::uint32_t row_bytes) {
  Array& a = arrays_[i.results[0]];
  a.sized_at_launch = true, a.param = sized_at_launch_++;
  a.base = e_.m.code.entry_parameter(e_.m.globals.pointer_type(spv::StorageClass::Workgroup, e_.type(a.unit)));
  unit_.parameters.push_back({OpenClParameter::Shared, a.param, row_bytes});
}

}  // namespace krait::codegen::spirv
