// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/straight.h"

#include "codegen/wgsl/arguments.h"
#include "codegen/wgsl/atomics.h"
#include "codegen/wgsl/calls.h"
#include "codegen/wgsl/memory.h"
#include "codegen/wgsl/numeric/numeric.h"
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

void Straight::lower(const ir::Inst& i) { by_family(i); }

void Straight::slot(const ir::Inst& i) {
  if (i.op == ir::Op::Get) return define_here(i, value(i.operands[0]));
  if (i.op == ir::Op::Set)
    return out_.line(fmt::format("{} = {};", value(i.operands[0]).text, full(i.operands[1]).text));
  const std::string variable = new_name('s');
  out_.line(fmt::format("var {} = {};", variable, full(i.operands[0]).text));
  frame_.values[i.results[0]] = name(variable);
}

/// Drivers drop sums and products with a zero that they know, whatever its sign.
void Straight::constant(const ir::Inst& i) {
  const bool hidden = exact() && i.type.scalar == Scalar::F32 && i.imm == 0;
  frame_.values[i.results[0]] =
      hidden ? wgsl::call("bitcast<f32>(arguments.zero)") : literal(i.type.scalar, i.imm);
}

void Straight::array(const ir::Inst& i) { to_.variables.declare(i); }
void Straight::extent(const ir::Inst& i) {
  define(i, to_.arguments.extent(Part::array(i.operands[0]), unsigned(i.imm)));
}
void Straight::stride(const ir::Inst& i) {
  define(i, to_.arguments.stride(Part::array(i.operands[0]), unsigned(i.imm)));
}
void Straight::load(const ir::Inst& i) { to_.memory.load(i); }
void Straight::store(const ir::Inst& i) { to_.memory.store(i); }
void Straight::load_vec(const ir::Inst& i) { to_.memory.load(i); }
void Straight::store_vec(const ir::Inst& i) { to_.memory.store(i); }
void Straight::atomic(const ir::Inst& i) { to_.atomics.atomic(i); }

void Straight::barrier(const ir::Inst& i) {
  if (i.op == ir::Op::Barrier) return to_.sync.barrier();
  if (i.op == ir::Op::ClusterBarrier || i.op == ir::Op::GridBarrier)
    left_by("run_pipeline, which refuses such barriers,", i);
  to_.sync.block_vote(i);
}
void Straight::fence(const ir::Inst&) { to_.sync.fence(); }
void Straight::warp(const ir::Inst& i) { to_.warp.lower(i); }
void Straight::uniform(const ir::Inst& i) { define(i, value(i.operands[0])); }

void Straight::clock(const ir::Inst&) {
  unsupported(fmt::format("{}: a counter of cycles needs the CPU, a CUDA or a Vulkan device",
                          frame_.where));
}
void Straight::nanosleep(const ir::Inst&) {
  unsupported(fmt::format("{}: a thread that waits for a time needs the CPU or a CUDA device",
                          frame_.where));
}
void Straight::call(const ir::Inst& i) { to_.calls.call(i); }

void Straight::position(const ir::Inst& i) {
  define(i, to_.positions.position(i.op, unsigned(i.imm)));
}
void Straight::pure(const ir::Inst& i) {
  if (frame_.uses[i.results[0]] != 0) define(i, to_.pure.compute(i));
}
void Straight::function(const ir::Inst& i) { pure(i); }

}  // namespace krait::codegen::wgsl
