// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/straight.h"

#include <fmt/core.h>

#include "codegen/spirv/arguments.h"
#include "codegen/spirv/memory/atomics.h"
#include "codegen/spirv/calls.h"
#include "codegen/spirv/lines.h"
#include "codegen/spirv/memory/memory.h"
#include "codegen/spirv/positions.h"
#include "codegen/spirv/numeric/pure.h"
#include "codegen/spirv/sync.h"
#include "codegen/spirv/memory/tiles.h"
#include "codegen/spirv/memory/variables.h"
#include "codegen/spirv/warp.h"

namespace krait::codegen::spirv {

using spv::Op;

void Straight::begin(const ir::Inst& i) {
  const ir::Location& at = f_.locations[i.loc];
  e_.where = at.line ? fmt::format("operation {} ({}:{})", ir::info(i.op).name, at.file, at.line)
                     : fmt::format("operation {}", ir::info(i.op).name);
  e_.fast = i.fast || f_.fp == ir::FpMode::Fast;
  e_.any_order = e_.fast && sums_.contains(&i);
  to_.lines.at(at);
}

void Straight::lower(const ir::Inst& i) { by_family(i); }

void Straight::array(const ir::Inst& i) { to_.variables.declare(i); }
void Straight::extent(const ir::Inst& i) {
  define(i, to_.arguments.extent(i.operands[0], unsigned(i.imm)));
}
void Straight::stride(const ir::Inst& i) {
  define(i, to_.arguments.stride(i.operands[0], unsigned(i.imm)));
}
void Straight::load(const ir::Inst& i) { to_.memory.load(i); }
void Straight::store(const ir::Inst& i) { to_.memory.store(i); }
void Straight::load_vec(const ir::Inst& i) { to_.memory.load_vec(i); }
void Straight::store_vec(const ir::Inst& i) { to_.memory.store_vec(i); }
void Straight::atomic(const ir::Inst& i) { to_.atomics.atomic(i); }

void Straight::barrier(const ir::Inst& i) {
  if (i.op == ir::Op::Barrier) return to_.sync.barrier(spv::Scope::Workgroup);
  if (i.op == ir::Op::ClusterBarrier || i.op == ir::Op::GridBarrier)
    left_by("run_pipeline", i);  // which refuses them
  define(i, to_.sync.block_vote(i));
}
void Straight::fence(const ir::Inst& i) { to_.sync.fence(i.imm); }

void Straight::warp(const ir::Inst& i) {
  using ir::Op;
  if (i.op == Op::WarpSync) {
    e_.need(Feature::Warp, "an operation of a warp");
    return to_.sync.barrier(spv::Scope::Subgroup);
  }
  if (i.op == Op::WarpSize) return define(i, to_.warp.size());
  if (i.op == Op::LaneId) return define(i, to_.warp.lane());
  if (i.op == Op::Ballot) return define(i, to_.warp.ballot(i));
  if (i.op == Op::WarpAny || i.op == Op::WarpAll) return define(i, to_.warp.vote(i));
  if (i.op == Op::Shuffle) return define(i, to_.warp.shuffle(i));
  left_by("expand_ops", i);
}
void Straight::uniform(const ir::Inst& i) { define(i, value(i.operands[0])); }

void Straight::clock(const ir::Inst& i) { define(i, to_.sync.clock()); }
void Straight::nanosleep(const ir::Inst&) {
  unsupported(
      fmt::format("{}: a thread that waits for a time needs the CPU or a CUDA device", e_.where));
}
void Straight::call(const ir::Inst& i) { to_.calls.call(i); }

void Straight::slot(const ir::Inst& i) {
  if (i.op == ir::Op::Get)
    return define(i, e_.op(Op::OpLoad, i.type.scalar, {value(i.operands[0])}));
  if (i.op == ir::Op::Set)
    return e_.m.code.emit_void(Op::OpStore, {value(i.operands[0]), value(i.operands[1])});
  define(i, e_.m.code.local_variable(e_.type(f_.type_of(i.results[0]).scalar)));
  e_.m.code.emit_void(Op::OpStore, {value(i.results[0]), value(i.operands[0])});
}

void Straight::tile(const ir::Inst& i) {
  if (i.op == ir::Op::Product) return to_.tiles.product(i);
  if (i.op == ir::Op::ProductEnd) return to_.tiles.product_end(i);
  if (i.op == ir::Op::CopyRow) return to_.tiles.copy(i);
  left_by("expand_tiles", i);
}

void Straight::position(const ir::Inst& i) {
  define(i, to_.positions.position(i.op, unsigned(i.imm)));
}
void Straight::constant(const ir::Inst& i) { define(i, to_.pure.literal(i.type.scalar, i.imm)); }
void Straight::pure(const ir::Inst& i) { define(i, to_.pure.pure(i)); }
void Straight::function(const ir::Inst& i) { define(i, to_.pure.pure(i)); }

}  // namespace krait::codegen::spirv
