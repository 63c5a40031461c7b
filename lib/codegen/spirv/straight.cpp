// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/straight.h"

#include <fmt/core.h>

#include "codegen/spirv/arguments.h"
#include "codegen/spirv/memory/atomics.h"
#include "codegen/spirv/calls.h"
#include "codegen/spirv/module/lines.h"
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

void Straight::lower(const ir::Inst& i) {
  using ir::Op;
  switch (i.op) {
    case Op::Shared:
    case Op::Local: return to_.variables.declare(i);
    case Op::Extent: return define(i, to_.arguments.extent(i.operands[0], unsigned(i.imm)));
    case Op::Stride: return define(i, to_.arguments.stride(i.operands[0], unsigned(i.imm)));

    case Op::Load: return to_.memory.load(i);
    case Op::Store: return to_.memory.store(i);
    case Op::LoadVec: return to_.memory.load_vec(i);
    case Op::StoreVec: return to_.memory.store_vec(i);
#define KRAIT_ATOMIC(Name, ...) case Op::Name:
#include "krait/ops.def"
      return to_.atomics.atomic(i);

    case Op::Barrier: return to_.sync.barrier(spv::Scope::Workgroup);
    case Op::BarrierCount:
    case Op::BarrierAnd:
    case Op::BarrierOr: return define(i, to_.sync.block_vote(i));
    case Op::Fence: return to_.sync.fence(i.imm);
    case Op::WarpSync:
      e_.need(Feature::Warp, "an operation of a warp");
      return to_.sync.barrier(spv::Scope::Subgroup);
    case Op::WarpSize: return define(i, to_.warp.size());
    case Op::LaneId: return define(i, to_.warp.lane());
    case Op::Clock: return define(i, to_.sync.clock());
    case Op::Poll: defect("loops that wait are marked for the CPU alone");
    case Op::Nanosleep:
      unsupported(fmt::format("{}: a thread that waits for a time needs the CPU or a CUDA device",
                              e_.where));
    case Op::Ballot: return define(i, to_.warp.ballot(i));
    case Op::WarpAny:
    case Op::WarpAll: return define(i, to_.warp.vote(i));
    case Op::Shuffle: return define(i, to_.warp.shuffle(i));
    case Op::MatchAny:
    case Op::WarpReduce:
    case Op::WarpScan: break;
    case Op::Uniform: return define(i, value(i.operands[0]));
    case Op::Call: return to_.calls.call(i);

    case Op::Slot:
      define(i, e_.m.code.local_variable(e_.type(f_.type_of(i.results[0]).scalar)));
      return e_.m.code.emit_void(spv::Op::OpStore, {value(i.results[0]), value(i.operands[0])});
    case Op::Get: return define(i, e_.op(spv::Op::OpLoad, i.type.scalar, {value(i.operands[0])}));
    case Op::Set:
      return e_.m.code.emit_void(spv::Op::OpStore, {value(i.operands[0]), value(i.operands[1])});

    case Op::Product: return to_.tiles.product(i);
    case Op::ProductEnd: return to_.tiles.product_end(i);
    case Op::CopyRow: return to_.tiles.copy(i);

    // Control's own; lower_reports has replaced reports, drop_assumptions and expand_tiles what the
    // target does not have, and run_pipeline refuses barriers of the grid and clusters.
    case Op::ClusterBarrier:
    case Op::GridBarrier:
    case Op::SharedOf:
    case Op::Assume:
    case Op::If:
    case Op::Switch:
#define KRAIT_LOOP(Name, ...) case Op::Name:
#define KRAIT_END(Name, ...) case Op::Name:
#define KRAIT_REPORT(Name, ...) case Op::Name:
    case Op::CopyTile:
    case Op::CopyBack:
    case Op::CopyGroup:
    case Op::CopyWait:
#define KRAIT_TILE(Name, ...)
#include "krait/ops.def"
      break;

#define KRAIT_POSITION(Name, ...) case Op::Name:
#include "krait/ops.def"
      return define(i, to_.positions.position(i.op, unsigned(i.imm)));

    case Op::Const: return define(i, to_.pure.literal(i.type.scalar, i.imm));
#define KRAIT_VALUE(Name, ...) case Op::Name:
#define KRAIT_MATH(Name, ...) case Op::Name:
#include "krait/ops.def"
      return define(i, to_.pure.pure(i));
  }
  defect(fmt::format("{}: not lowered before", ir::info(i.op).name));
}

}  // namespace krait::codegen::spirv
