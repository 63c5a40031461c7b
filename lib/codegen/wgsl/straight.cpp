// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/straight.h"

#include "codegen/wgsl/arguments.h"
#include "codegen/wgsl/atomics.h"
#include "codegen/wgsl/calls.h"
#include "codegen/wgsl/memory.h"
#include "codegen/wgsl/numeric.h"
#include "codegen/wgsl/positions.h"
#include "codegen/wgsl/sync.h"
#include "codegen/wgsl/variables.h"
#include "codegen/wgsl/warp.h"

namespace krait::codegen::wgsl {

void Straight::begin(const ir::Inst& i) {
  const ir::Location& at = f_.locations[i.loc];
  frame_.where = place_of(f_, i);
  if (at.line) out_.place(fmt::format("{}:{}", at.file, at.line));
}

void Straight::slot(const ir::Inst& i) {
  if (i.op == ir::Op::Set)
    return out_.line(fmt::format("{} = {};", value(i.operands[0]).text, full(i.operands[1]).text));
  const std::string variable = new_name('s');
  out_.line(fmt::format("var {} = {};", variable, full(i.operands[0]).text));
  frame_.values[i.results[0]] = name(variable);
}

/// Drivers drop sums and products with a zero that they know, whatever its sign.
Expr Straight::constant(const ir::Inst& i) const {
  if (exact() && i.type.scalar == Scalar::F32 && i.imm == 0)
    return wgsl::call("bitcast<f32>(arguments.zero)");
  return literal(i.type.scalar, i.imm);
}

void Straight::lower(const ir::Inst& i) {
  using ir::Op;
  switch (i.op) {
    case Op::Shared:
    case Op::Local: return to_.variables.declare(i);
    case Op::Extent: return define(i, to_.arguments.extent(array(i.operands[0]), unsigned(i.imm)));
    case Op::Stride: return define(i, to_.arguments.stride(array(i.operands[0]), unsigned(i.imm)));

    case Op::Load:
    case Op::LoadVec: return to_.memory.load(i);
    case Op::Store:
    case Op::StoreVec: return to_.memory.store(i);

#define KRAIT_ATOMIC(Name, ...) case Op::Name:
#include "krait/ops.def"
      return to_.atomics.atomic(i);

    case Op::Barrier: return to_.sync.barrier();
    case Op::BarrierCount:
    case Op::BarrierAnd:
    case Op::BarrierOr: return to_.sync.block_vote(i);
    case Op::Fence: to_.sync.fence();

    case Op::WarpSize:
    case Op::LaneId:
#define KRAIT_WARP(Name, ...) case Op::Name:
#include "krait/ops.def"
      return to_.warp.lower(i);
    case Op::Clock:
      unsupported(fmt::format("{}: a counter of cycles needs the CPU, a CUDA or a Vulkan device",
                              frame_.where));
    case Op::Poll: defect("loops that wait are marked for the CPU alone");
    case Op::Nanosleep:
      unsupported(fmt::format("{}: a thread that waits for a time needs the CPU or a CUDA device",
                              frame_.where));
    case Op::Uniform: return define(i, value(i.operands[0]));
    case Op::Call: return to_.calls.call(i);

    case Op::Slot:
    case Op::Set: return slot(i);
    case Op::Get: return define_here(i, value(i.operands[0]));

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
#define KRAIT_TILE(Name, ...) case Op::Name:
#include "krait/ops.def"
      break;

#define KRAIT_POSITION(Name, ...) case Op::Name:
#include "krait/ops.def"
      return define(i, to_.positions.position(i.op, unsigned(i.imm)));

    case Op::Const: return void(frame_.values[i.results[0]] = constant(i));
#define KRAIT_VALUE(Name, ...) case Op::Name:
#define KRAIT_MATH(Name, ...) case Op::Name:
#include "krait/ops.def"
      if (frame_.uses[i.results[0]] == 0) return;
      return define(i, to_.pure.compute(i));
  }
  defect(fmt::format("{}: not lowered before", ir::info(i.op).name));
}

}  // namespace krait::codegen::wgsl
