// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel finds at its start: the launch words and arguments in the push constants, positions of threads and blocks.
#include "codegen/spirv/lower.h"

namespace krait::codegen::spirv {

using spv::Op;
using What = ir::ArgumentSlot::What;

Id Lower::builtin_component(spv::BuiltIn which, unsigned component) {
  Module& m = e_.m;
  Id vector = m.globals.builtin(which, m.globals.vector_type(m.globals.int_type(32), 3));
  Id pointer = m.code.emit(Op::OpAccessChain, m.globals.pointer_type(spv::StorageClass::Input, m.globals.int_type(32)),
                           {vector, e_.u32(component)});
  return m.code.emit(Op::OpLoad, m.globals.int_type(32), {pointer});
}

void declare_push_constants(Unit& unit) {
  const ir::ArgumentLayout& layout = unit.envelope.arguments;
  const std::uint32_t direct = support::spirv_launch_bytes + layout.size;
  bool in_memory = direct > unit.emitter.target().push;
  for (const ir::ArgumentSlot& s : layout.slots) in_memory |= s.what == What::Bytes;  // an index reaches into memory alone
  unit.own.arguments_in_memory = in_memory;
  unit.own.push_bytes = in_memory ? support::spirv_launch_bytes + 8 : direct;
  unit.emitter.declare_push_words(unit.own.push_bytes / 4);
}

/// Begins the body, and computes what every thread needs: the block's position (in a folded grid out of the workgroup's linear
/// number) and the arguments.
void Lower::entry() {
  Module& m = e_.m;
  capabilities();

  e_.blocks.begin_first();
  const Scalar wide = Scalar::U64;
  id_type_ = f_.facts.small ? Scalar::U32 : wide;
  auto widened = [&](Id x) { return e_.op(Op::OpUConvert, wide, {x}); };
  auto as_id = [&](Id x) { return e_.resize(id_type_, Scalar::U32, x); };
  Id grid[3], workgroup[3], count[3];
  for (unsigned d = 0; d < 3; ++d) {
    const Id size = e_.push_word(d * 4), group = builtin_component(spv::BuiltIn::WorkgroupId, d);
    grid_[d] = as_id(size), block_[d] = as_id(block_spec_[d]), block_idx_[d] = as_id(group);
    grid[d] = widened(size), workgroup[d] = widened(group), count[d] = widened(builtin_component(spv::BuiltIn::NumWorkgroups, d));
  }
  thread_position();
  // ((z · ny) + y) · nx + x; drivers drop all this where the specialisation constant is false.
  Id linear = e_.op(Op::OpIAdd, wide, {e_.op(Op::OpIMul, wide, {workgroup[2], count[1]}), workgroup[1]});
  linear = e_.op(Op::OpIAdd, wide, {e_.op(Op::OpIMul, wide, {linear, count[0]}), workgroup[0]});
  Id row = e_.op(Op::OpIMul, wide, {grid[0], grid[1]});
  Id total = e_.op(Op::OpIMul, wide, {row, grid[2]});
  Id past_end = e_.both(folded_, e_.op(Op::OpUGreaterThanEqual, Scalar::Bool, {linear, total}));
  Id stop = e_.blocks.label(), go = e_.blocks.label();
  e_.blocks.selection_merge(go);
  e_.blocks.branch(past_end, stop, go);
  e_.blocks.begin(stop);
  m.code.emit_void(Op::OpReturn, {});
  e_.blocks.begin(go);
  Id line = e_.op(Op::OpUDiv, wide, {linear, grid[0]});
  Id unfolded[3];
  unfolded[0] = e_.op(Op::OpUMod, wide, {linear, grid[0]});
  unfolded[1] = e_.op(Op::OpUMod, wide, {line, grid[1]});
  unfolded[2] = e_.op(Op::OpUDiv, wide, {line, grid[1]});
  for (unsigned d = 0; d < 3; ++d)
    block_idx_[d] = e_.select(id_type_, folded_, e_.resize(id_type_, wide, unfolded[d]), block_idx_[d]);
  arguments();
}

void Lower::thread_position() {
  const Scalar u = Scalar::U32;
  Id at[3] = {builtin_component(spv::BuiltIn::LocalInvocationId, 0)};
  if (!flat_threads_) {
    for (unsigned d = 1; d < 3; ++d) at[d] = builtin_component(spv::BuiltIn::LocalInvocationId, d);
  } else {
    Id linear = at[0], zero = e_.u32(0);
    Id row = e_.op(Op::OpUDiv, u, {linear, block_spec_[0]});
    Id one_row = e_.op(Op::OpIEqual, Scalar::Bool, {flat_threads_, e_.u32(1)});  // drivers drop what it does not select
    at[0] = e_.select(u, one_row, linear, e_.op(Op::OpUMod, u, {linear, block_spec_[0]}));
    at[1] = e_.select(u, one_row, zero, e_.op(Op::OpUMod, u, {row, block_spec_[1]}));
    at[2] = e_.select(u, one_row, zero, e_.op(Op::OpUDiv, u, {row, block_spec_[1]}));
  }
  for (unsigned d = 0; d < 3; ++d) thread_[d] = e_.resize(id_type_, u, at[d]);
}

Id Lower::argument_word(std::uint32_t offset) {
  if (!own_.arguments_in_memory) return e_.push_word(support::spirv_launch_bytes + offset);
  Module& m = e_.m;
  Id at = e_.op(Op::OpIAdd, Scalar::U64, {argument_base_, e_.constant(Scalar::U64, offset)});
  Id pointer = m.code.emit(Op::OpConvertUToPtr,
                           m.globals.pointer_type(spv::StorageClass::PhysicalStorageBuffer, m.globals.int_type(32)), {at});
  return m.code.emit(Op::OpLoad, m.globals.int_type(32), {pointer, std::uint32_t(spv::MemoryAccessMask::Aligned), 4});
}

Id Lower::argument(Scalar s, std::uint32_t offset) {
  if (e_.kernel()) return e_.bits(s, bits_type(s), passed_.at(offset));
  if (ir::size_of(s) == 8) {
    Id pair = e_.m.code.emit(Op::OpCompositeConstruct, e_.m.globals.vector_type(e_.m.globals.int_type(32), 2),
                             {argument_word(offset), argument_word(offset + 4)});
    return e_.op(Op::OpBitcast, s, {pair});
  }
  Id word = argument_word(offset / 4 * 4);
  if (ir::size_of(s) == 4) return e_.bits(s, Scalar::U32, word);
  Id shifted = offset % 4 ? e_.op(Op::OpShiftRightLogical, Scalar::U32, {word, e_.u32(offset % 4 * 8)}) : word;
  if (s == Scalar::Bool)
    return e_.op(Op::OpINotEqual, Scalar::Bool, {e_.op(Op::OpBitwiseAnd, Scalar::U32, {shifted, e_.u32(0xff)}), e_.u32(0)});
  const Scalar narrow = bits_type(s);
  return e_.bits(s, narrow, e_.op(Op::OpUConvert, narrow, {shifted}));
}

void Lower::arguments() {
  if (own_.arguments_in_memory) {
    Id pair = e_.m.code.emit(Op::OpCompositeConstruct, e_.m.globals.vector_type(e_.m.globals.int_type(32), 2),
                             {e_.push_word(support::spirv_launch_bytes), e_.push_word(support::spirv_launch_bytes + 4)});
    argument_base_ = e_.op(Op::OpBitcast, Scalar::U64, {pair});
  }
  for (unsigned p = 0; p < f_.params().size(); ++p) {
    const ir::ValueId v = f_.params()[p];
    const ir::Type& t = f_.type_of(v);
    if (!t.is_array()) {
      ids_[v] = argument(t.scalar, layout_.find(What::Scalar, p));
      continue;
    }
    Array& a = arrays_[v];
    a.space = ir::Space::Global;
    a.param = p;
    if (t.space == ir::Space::Argument) {
      a.base = e_.op(Op::OpIAdd, Scalar::U64, {argument_base_, e_.constant(Scalar::U64, layout_.find(What::Bytes, p))});
      continue;
    }
    a.coherent = synchronised_ && vulkan_model_ && exchanges(v);
    a.base = argument(Scalar::U64, layout_.find(What::Address, p));
  }
}

Id Lower::position(ir::Op op, unsigned d) {
  Id id = narrow_position(op, d);
  return narrow_ids() ? e_.widened_id(id) : id;
}

/// As `id_type_`.
Id Lower::narrow_position(ir::Op op, unsigned d) {
  if (op == ir::Op::ThreadIdx) return thread_[d];
  if (op == ir::Op::BlockIdx) return block_idx_[d];
  if (op == ir::Op::BlockDim) return block_[d];
  if (op == ir::Op::GridDim) return grid_[d];
  if (op == ir::Op::GlobalSize) return e_.op(Op::OpIMul, id_type_, {grid_[d], block_[d]});
  return e_.op(Op::OpIAdd, id_type_, {e_.op(Op::OpIMul, id_type_, {block_idx_[d], block_[d]}), thread_[d]});
}

Id Lower::extent(ir::ValueId array, unsigned d) {
  const Array& a = arrays_[array];
  if (!a.extents.empty()) return a.extents[d];
  if (f_.type_of(array).space == ir::Space::Global) {
    const std::uint32_t offset = layout_.find(What::Extent, a.param, d);
    return f_.facts.small ? e_.widened_id(argument(Scalar::U32, offset)) : argument(Scalar::I64, offset);
  }
  if (d == 0 && a.sized_at_launch) return argument(Scalar::I64, layout_.find(What::SharedLength, a.param));
  return e_.constant(Scalar::I64, std::uint64_t(f_.def(array)->list[d]));
}

Id Lower::stride(ir::ValueId array, unsigned d) {
  const ir::Type& t = f_.type_of(array);
  if (!arrays_[array].strides.empty()) return arrays_[array].strides[d];
  if (t.space == ir::Space::Global && !f_.facts.contiguous)
    return argument(Scalar::I64, layout_.find(What::Stride, arrays_[array].param, d));
  // C order: the product of the extents behind.
  Id product = e_.constant(Scalar::I64, 1);
  for (unsigned k = t.rank; k-- > d + 1;) product = e_.op(Op::OpIMul, Scalar::I64, {product, extent(array, k)});
  return product;
}

}  // namespace krait::codegen::spirv
