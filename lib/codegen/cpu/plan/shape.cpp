// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/plan/shape.h"

#include <algorithm>

#include "ir/calls.h"
#include "ir/latency.h"
#include "ir/walk.h"
#include "ir/weight.h"

namespace krait::codegen::cpu {
namespace {

using ir::Op;

/// Of code without loops: the cycles of its longest chain of operations, each waiting for the one
/// before. `ready`: by ValueId.
unsigned longest_chain(const ir::Module& m, const ir::Function& f, ir::RegionId region,
                       unsigned entered, std::vector<unsigned>& ready) {
  constexpr unsigned endless = 1u << 20;
  unsigned longest = entered;
  for (ir::InstId i : f.regions[region].insts) {
    const ir::Inst& inst = f.insts[i];
    if (ir::is_loop(inst.op)) return endless;
    unsigned at = entered;
    for (ir::ValueId v : inst.operands) at = std::max(at, ready[v]);
    at += ir::latency(inst);
    if (inst.op == Op::Call && !m.callee(inst).rare) {
      std::vector<unsigned> inside(m.callee(inst).values.size(), 0);
      at += longest_chain(m, m.callee(inst), m.callee(inst).body, 0, inside);
    }
    for (ir::RegionId r : inst.regions) at = std::max(at, longest_chain(m, f, r, at, ready));
    for (ir::ValueId v : inst.results) ready[v] = at;
    longest = std::max(longest, at);
  }
  return std::min(longest, endless);
}

/// The loop of a body that is: pure operations, one grid_stride that carries nothing, return.
ir::InstId only_stride_loop(const ir::Function& f, const ir::Calls& calls) {
  ir::InstId loop = ir::none;
  for (ir::InstId id : f.regions[f.body].insts) {
    const ir::Inst& inst = f.insts[id];
    if (inst.op == Op::GridStride && loop == ir::none && inst.operands.size() == 1) loop = id;
    else if (inst.op == Op::Return && loop != ir::none) return loop;
    else if (!calls.is_pure(inst) || loop != ir::none) return ir::none;
  }
  return ir::none;
}

/// Whether a thread's position shows anywhere but in the index of a grid_stride loop.
// a break of this region's loop, or a return
bool leaves_loop(const ir::Function& f, ir::RegionId region) {
  for (ir::InstId id : f.regions[region].insts) {
    const ir::Inst& inst = f.insts[id];
    if (inst.op == Op::Break || inst.op == Op::Return) return true;
    for (ir::RegionId r : inst.regions) {
      if (!ir::is_loop(inst.op) && leaves_loop(f, r)) return true;
      if (ir::is_loop(inst.op))
        for (ir::InstId inner : f.regions[r].insts)
          if (f.insts[inner].op == Op::Return) return true;
    }
  }
  return false;
}

bool contains_return(const ir::Function& f, ir::RegionId region) {
  for (ir::InstId id : f.regions[region].insts) {
    if (f.insts[id].op == Op::Return) return true;
    for (ir::RegionId r : f.insts[id].regions)
      if (contains_return(f, r)) return true;
  }
  return false;
}

}  // namespace

Traits find_traits(const ir::Module& module) {
  const ir::Function& f = module.kernel();
  Traits t;
  bool global_ids = false;
  unsigned stride_loops = 0;
  ir::for_each_inst(f, [&](ir::InstId i, ir::RegionId) {
    const ir::Inst& inst = f.insts[i];
    t.atomics |= ir::info(inst.op).effect == ir::Effect::Atomic;
    t.barriers |= ir::is_barrier(inst.op);
    t.polls |= inst.op == Op::Poll;
    t.grid_barriers |= inst.op == Op::GridBarrier;
    t.warps |= ir::is_warp_operation(inst.op) || inst.op == Op::LaneId;
    switch (inst.op) {
      case Op::ThreadIdx:
      case Op::BlockIdx:
        (inst.imm == 0 ? t.block_ids : t.row_ids) = true;
        t.uses_y_or_z |= inst.imm != 0;
        break;
      case Op::GlobalId:
        global_ids = true;
        t.uses_y_or_z |= inst.imm != 0;
        break;
      case Op::GridStride: ++stride_loops, t.strides = true; break;
      case Op::For: t.loops |= !f.is_const(inst.operands[0]); break;
      case Op::Loop: t.loops = true; break;
      case Op::GlobalSize:
      case Op::GridDim: t.shares_out = true; break;
      case Op::Shared: t.shared = true; break;
      case Op::Uniform: t.block_ids = true; break;
      default: break;
    }
  });
  if (!global_ids && !t.polls && !t.block_ids && !t.row_ids && !t.warps && !t.barriers &&
      !t.shared && stride_loops == 1) {
    t.stride_loop = only_stride_loop(f, ir::Calls(module));
    // Leaving the loop would end a thread's later trips, which a range does not know.
    if (t.stride_loop != ir::none) {
      ir::RegionId body = f.insts[t.stride_loop].regions[0];
      if (leaves_loop(f, body) || contains_return(f, body)) t.stride_loop = ir::none;
    }
  }
  t.strides_within = t.strides && t.stride_loop == ir::none;
  const ir::RegionId body = t.stride_loop == ir::none ? f.body : f.insts[t.stride_loop].regions[0];
  t.cost = ir::weight(module, f, body);
  std::vector<unsigned> ready(f.values.size(), 0);
  t.chain = longest_chain(module, f, body, 0, ready);
  return t;
}

namespace {

/// Without the idioms that are left out.
std::string added_features(std::string_view features) {
  std::string added;
  while (!features.empty()) {
    const std::string_view word = features.substr(0, features.find(','));
    features.remove_prefix(std::min(word.size() + 1, features.size()));
    if (word.starts_with('+')) added.append(added.empty() ? "" : ",").append(word);
  }
  return added;
}

}  // namespace

Shape read_shape(const support::CpuTarget& target) {
  Shape shape;
  shape.lanes = target.lanes, shape.parts = target.parts;
  Machine& m = shape.machine;
  m.cpu = target.cpu, m.tune = target.tune, m.features = added_features(target.features),
  m.quick = target.quick;
  m.slow_gathers = m.tune.starts_with("znver");  // LLVM's names of AMD's processors
  m.debug = target.debug, m.without = support::idioms_without(target);
  m.level = target.level();
  m.fma = m.f16c = m.level >= CpuLevel::Avx2;
  m.vnni = m.level == CpuLevel::Avx512 && target.adds("+avx512vnni");
  m.vex_vnni = m.level >= CpuLevel::Avx2 && target.adds("+avxvnni");
  m.dots_pairs = m.level == CpuLevel::Avx512 && target.adds("+avx512bf16");
  m.tile_registers = target.has_tile_registers();
  return shape;
}

}  // namespace krait::codegen::cpu
