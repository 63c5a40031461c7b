// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/memory/variables.h"

#include <fmt/core.h>

#include "codegen/spirv/memory/uses.h"
#include "ir/tiles.h"

namespace krait::codegen::spirv {

using spv::Op;

void Variables::declare(const ir::Inst& i) {
  Module& m = e_.m;
  const ir::Type& t = f_.type_of(i.results[0]);
  const Uses::Use& use = uses_.of(i.results[0]);
  const bool shared = t.space == ir::Space::Shared;
  Array& a = arrays_[i.results[0]];
  a.space = t.space;
  a.coherent = shared && unit_.vulkan_model;
  a.unit = t.scalar;
  if (t.scalar == Scalar::Void) {
    a.unit = use.size == 1   ? Scalar::U8
             : use.size == 2 ? Scalar::U16
             : use.size == 4 ? Scalar::U32
                             : Scalar::U64;
  } else if (use.atomic && ir::is_float(t.scalar)) {
    a.unit = bits_type(t.scalar);
  } else if (t.scalar == Scalar::Bool && e_.kernel()) {
    a.unit = Scalar::U8;  // memory of kernels holds no bool
  }
  std::uint64_t count = 1;
  for (std::size_t d = 0; d < i.list.size(); ++d)
    count *= d == 0 && i.list[0] == 0 ? 1 : std::uint64_t(i.list[d]);
  const std::uint64_t row_bytes = count * t.elem_bytes;
  const std::uint64_t units = row_bytes / ir::size_of(a.unit);
  if (units >> 31) unsupported(fmt::format("{}: the array is too large", e_.where));
  Id length = e_.u32(std::uint32_t(units));
  a.pieces = use.factor && !use.parts && i.list[0] != 0 && row_bytes % ir::piece_bytes == 0;
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
    unit_.own.local_bytes += std::uint32_t(row_bytes);
  }
  const Id unit = a.pieces ? m.globals.vector_type(e_.type(Scalar::U32), 4) : e_.type(a.unit);
  if (a.pieces) length = e_.u32(std::uint32_t(row_bytes / ir::piece_bytes));
  Id type = m.globals.array_type(unit, length);
  a.base =
      shared ? m.globals.variable(spv::StorageClass::Workgroup, type) : m.code.local_variable(type);
  constexpr std::uint32_t at_once = 64;
  if (shared) return;
  if (units <= at_once) m.code.emit_void(Op::OpStore, {a.base, m.globals.null(type)});
  else clear(i, a, std::uint32_t(units));
}

/// Zeros, a few at a time: drivers take a store of a whole array apart, and Mesa's then compiled a
/// minute for 4 KiB.
void Variables::clear(const ir::Inst& i, const Array& a, std::uint32_t units) {
  constexpr std::uint32_t at_once = 8;
  const Id u32 = e_.type(Scalar::U32), unit = e_.type(a.unit), next_trip = e_.m.ids.next(),
           before = e_.blocks.block();
  const auto zero = [&](Id at) {
    const Id element =
        e_.m.code.emit(Op::OpAccessChain,
                       e_.m.globals.pointer_type(spv::StorageClass::Function, unit), {a.base, at});
    e_.m.code.emit_void(Op::OpStore, {element, e_.kernel() ? e_.constant(a.unit, 0)
                                                           // translators know no scalar null
                                                           : e_.m.globals.null(unit)});
  };
  for (std::uint32_t k = units / at_once * at_once; k < units; ++k) zero(e_.u32(k));
  const Id head = e_.blocks.label(), body = e_.blocks.label(), next = e_.blocks.label(),
           after = e_.blocks.label();
  e_.blocks.branch(head);
  e_.blocks.begin(head);
  const Id trip = e_.blocks.phi(u32, {{e_.u32(0), before}, {next_trip, next}});
  const Id more = e_.op(Op::OpULessThan, Scalar::Bool, {trip, e_.u32(units / at_once)});
  e_.blocks.loop_merge(after, next);
  e_.blocks.branch(more, body, after);
  e_.blocks.begin(body);
  const Id first = e_.op(Op::OpIMul, Scalar::U32, {trip, e_.u32(at_once)});
  for (std::uint32_t k = 0; k < at_once; ++k)
    zero(e_.op(Op::OpIAdd, Scalar::U32, {first, e_.u32(k)}));
  e_.blocks.branch(next);
  e_.blocks.begin(next);
  e_.m.code.emit_as(next_trip, Op::OpIAdd, u32,
                    std::initializer_list<std::uint32_t>{trip, e_.u32(1)});
  e_.blocks.branch(head);
  e_.blocks.begin(after);
  unit_.own_trips[&i] = units / at_once;
}

/// A shared array that is sized at launch.
void Variables::shared_parameter(const ir::Inst& i, std::uint32_t row_bytes) {
  Array& a = arrays_[i.results[0]];
  a.sized_at_launch = true, a.param = sized_at_launch_++;
  a.base = e_.m.code.entry_parameter(
      e_.m.globals.pointer_type(spv::StorageClass::Workgroup, e_.type(a.unit)));
  unit_.parameters.push_back({support::OpenClParameter::Shared, a.param, row_bytes});
}

}  // namespace krait::codegen::spirv
