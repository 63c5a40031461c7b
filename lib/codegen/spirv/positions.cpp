// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/positions.h"

#include <fmt/core.h>

namespace krait::codegen::spirv {

using spv::Op;

Id Positions::builtin_component(spv::BuiltIn which, unsigned component) {
  Module& m = e_.m;
  Id vector = m.globals.builtin(which, m.globals.vector_type(m.globals.int_type(32), 3));
  Id pointer = m.code.emit(Op::OpAccessChain,
                           m.globals.pointer_type(spv::StorageClass::Input, m.globals.int_type(32)),
                           {vector, e_.u32(component)});
  return m.code.emit(Op::OpLoad, m.globals.int_type(32), {pointer});
}

void Positions::declare() {
  Module& m = e_.m;
  for (unsigned d = 0; d < 3; ++d) {
    const auto fixed = std::uint32_t(f_.block[d]);
    block_spec_[d] = m.globals.spec_constant(support::SpirvBlockX + d, fixed ? fixed : 1);
    m.head.name(block_spec_[d], fmt::format("block_{}", "xyz"[d]));
  }
  Id u = m.globals.int_type(32), one = e_.u32(1);
  Id shape[] = {block_spec_[0], block_spec_[1], block_spec_[2]};
  // Warps follow the linear number of threads, which devices promise for workgroups of one
  // dimension alone.
  if (unit_.own.uses_warp) {
    flat_threads_ = m.globals.spec_op(u, Op::OpIMul, {block_spec_[1], block_spec_[2]});
    shape[0] = m.globals.spec_op(u, Op::OpIMul, {block_spec_[0], flat_threads_}),
    shape[1] = shape[2] = one;
  }
  Id size = m.globals.spec_composite(m.globals.vector_type(u, 3), {shape[0], shape[1], shape[2]});
  m.head.decorate(size, spv::Decoration::BuiltIn, {std::uint32_t(spv::BuiltIn::WorkgroupSize)});
  folded_ = m.globals.spec_bool(support::SpirvFolded);
  m.head.name(folded_, "folded");
  one_trip_ = m.globals.spec_bool(support::SpirvOneTrip);
  m.head.name(one_trip_, "one_trip");
}

void Positions::begin() {
  Module& m = e_.m;
  e_.blocks.begin_first();
  const Scalar wide = Scalar::U64;
  id_type_ = f_.facts.small ? Scalar::U32 : wide;
  auto widened = [&](Id x) { return e_.op(Op::OpUConvert, wide, {x}); };
  auto as_id = [&](Id x) { return e_.resize(id_type_, Scalar::U32, x); };
  Id grid[3], workgroup[3], count[3];
  for (unsigned d = 0; d < 3; ++d) {
    const Id size = e_.push_word(d * 4), group = builtin_component(spv::BuiltIn::WorkgroupId, d);
    grid_[d] = as_id(size), block_[d] = as_id(block_spec_[d]), block_idx_[d] = as_id(group);
    grid[d] = widened(size), workgroup[d] = widened(group),
    count[d] = widened(builtin_component(spv::BuiltIn::NumWorkgroups, d));
  }
  thread_position();
  // ((z · ny) + y) · nx + x; drivers drop all this where the specialisation constant is false.
  Id linear =
      e_.op(Op::OpIAdd, wide, {e_.op(Op::OpIMul, wide, {workgroup[2], count[1]}), workgroup[1]});
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
    block_idx_[d] =
        e_.select(id_type_, folded_, e_.resize(id_type_, wide, unfolded[d]), block_idx_[d]);
}

void Positions::begin_kernel() {
  Module& m = e_.m;
  one_trip_ = m.globals.spec_bool(support::SpirvOneTrip);
  m.head.name(one_trip_, "one_trip");
  e_.blocks.begin_first();

  const Id three = m.globals.vector_type(e_.type(Scalar::U64), 3);
  const auto positions = [&](spv::BuiltIn which, Id(&to)[3]) {
    const Id all = m.code.emit(Op::OpLoad, three, {m.globals.builtin(which, three)});
    for (std::uint32_t d = 0; d < 3; ++d)
      to[d] = e_.op(Op::OpCompositeExtract, Scalar::U64, {all, d});
  };
  positions(spv::BuiltIn::NumWorkgroups, grid_), positions(spv::BuiltIn::WorkgroupId, block_idx_);
  positions(spv::BuiltIn::LocalInvocationId, thread_);
  if (f_.block[0]) {
    for (unsigned d = 0; d < 3; ++d)
      block_[d] = e_.constant(Scalar::U64, std::uint64_t(f_.block[d]));
    m.head.execution_mode(
        spv::ExecutionMode::LocalSize,
        {std::uint32_t(f_.block[0]), std::uint32_t(f_.block[1]), std::uint32_t(f_.block[2])});
  } else {
    positions(spv::BuiltIn::WorkgroupSize, block_);
  }
}

void Positions::thread_position() {
  const Scalar u = Scalar::U32;
  Id at[3] = {builtin_component(spv::BuiltIn::LocalInvocationId, 0)};
  if (!flat_threads_) {
    for (unsigned d = 1; d < 3; ++d) at[d] = builtin_component(spv::BuiltIn::LocalInvocationId, d);
  } else {
    Id linear = at[0], zero = e_.u32(0);
    Id row = e_.op(Op::OpUDiv, u, {linear, block_spec_[0]});
    // drivers drop what it does not select
    Id one_row = e_.op(Op::OpIEqual, Scalar::Bool, {flat_threads_, e_.u32(1)});
    at[0] = e_.select(u, one_row, linear, e_.op(Op::OpUMod, u, {linear, block_spec_[0]}));
    at[1] = e_.select(u, one_row, zero, e_.op(Op::OpUMod, u, {row, block_spec_[1]}));
    at[2] = e_.select(u, one_row, zero, e_.op(Op::OpUDiv, u, {row, block_spec_[1]}));
  }
  for (unsigned d = 0; d < 3; ++d) thread_[d] = e_.resize(id_type_, u, at[d]);
}

Id Positions::position(ir::Op op, unsigned d) {
  Id id = narrow_position(op, d);
  return narrow_ids() ? e_.widened_id(id) : id;
}

Id Positions::narrow_position(ir::Op op, unsigned d) {
  if (op == ir::Op::ThreadIdx) return thread_[d];
  if (op == ir::Op::BlockIdx) return block_idx_[d];
  if (op == ir::Op::BlockDim) return block_[d];
  if (op == ir::Op::GridDim) return grid_[d];
  if (op == ir::Op::GlobalSize) return e_.op(Op::OpIMul, id_type_, {grid_[d], block_[d]});
  return e_.op(Op::OpIAdd, id_type_,
               {e_.op(Op::OpIMul, id_type_, {block_idx_[d], block_[d]}), thread_[d]});
}

}  // namespace krait::codegen::spirv
