// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of passes.
#include <fmt/core.h>

#include "ir/unreachable_entries.h"
#include "ir/text.h"
#include "ir/walk.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "passes/runner.h"
#include "support/error.h"
#include "support/tuning_cpu.h"
#include "support/tuning_gpu.h"

namespace krait::passes {
namespace {

using namespace ir;
using support::TargetKind;

/// The table of math_targets.def for one target.
template <TargetKind Target>
Expansion choose(const Inst& inst, FpMode fp) {
  const bool fast = fp == FpMode::Fast || inst.fast;
  if (!(fast || fp == FpMode::Native)) return Expansion::Exact;
  using enum TargetKind;
  using enum Expansion;
#define NATIVE(target, type_, Name, how, ulp) \
  if (Target == target && inst.type.scalar == Scalar::type_ && inst.op == Op::Name) return how;
#define FAST(target, Name) \
  if (Target == target && inst.type.scalar == Scalar::F32 && inst.op == Op::Name && fast) return Instructions;
#include "passes/math_targets.def"
  return Exact;
}

// What expand_ops leaves.
bool has_nothing(const Inst&) { return false; }
// Conversions that saturate are others everywhere, except to floats of 8 bits where a target has the instruction.
bool has_all(const Inst& inst) { return inst.op != Op::CastSat; }
bool has_saturation(const Inst& inst) { return inst.op == Op::AddSat || inst.op == Op::SubSat; }
bool reduces_integers(const Inst& inst) { return inst.op == Op::WarpReduce && is_int(inst.type.scalar); }
bool dots_words(const Inst& inst) {
  return (inst.op == Op::DotBytes || inst.op == Op::DotMixed) && size_of(inst.type.scalar) == 4;
}
bool has_cpu(const Inst& inst) {
  return has_saturation(inst) || dots_words(inst) || inst.op == Op::DotPairs || inst.op == Op::MatchAny ||
         inst.op == Op::WarpScan || inst.op == Op::WarpReduce;
}
bool has_old_ptx(const Inst& inst) {
  return has_saturation(inst) || inst.op == Op::MatchAny || (inst.op == Op::BytePermute && size_of(inst.type.scalar) == 4);
}
bool has_ptx(const Inst& inst) { return has_old_ptx(inst) || dots_words(inst); }
bool converts_float8(const Inst& inst) {
  return inst.op == Op::CastSat && is_float(inst.type.scalar) && size_of(inst.type.scalar) == 1;
}
bool has_ptx80(const Inst& inst) { return has_ptx(inst) || (reduces_integers(inst) && size_of(inst.type.scalar) <= 4); }

bool has_ptx89(const Inst& inst) { return has_ptx80(inst) || converts_float8(inst); }

bool (*had_by(const support::Target& target))(const Inst&) {
  switch (target.kind) {
    case TargetKind::Interpreter: return has_all;
    case TargetKind::Cpu: return has_cpu;
    case TargetKind::Ptx:
      return target.has_float8() ? has_ptx89 : target.ptx.sm >= 80 ? has_ptx80 : target.ptx.sm >= 61 ? has_ptx : has_old_ptx;
    case TargetKind::Spirv:
    case TargetKind::OpenCl:
    case TargetKind::WebGpu: return has_nothing;
  }
  return has_nothing;
}

bool is_processor_of_opencl(const support::Target& target) {
  return target.kind == TargetKind::OpenCl && !target.spirv.features.has(support::Feature::Functions);
}

/// Drivers for processors make vectors of a block's threads where these do not branch, and wide accesses are in the way of that.
bool is_vectorised_by_driver(const Module& m, const support::Target& target) {
  return is_processor_of_opencl(target) &&
         !any_inst(m.kernel(), [](const Inst& i) { return i.op == Op::Call || (!i.regions.empty() && i.op != Op::GridStride); });
}

ChooseExpansion expansions_of(const support::Target& target) {
  // Processors compute the functions of OpenCL's fast mode by calls, a number at a time.
  if (is_processor_of_opencl(target)) return [](const Inst&, FpMode) { return Expansion::Exact; };
  if (target.kind == TargetKind::Spirv && !target.spirv.features.has(support::Feature::Power32))
    return [](const Inst& inst, FpMode fp) {
      const bool asked = (inst.op == Op::Exp || inst.op == Op::Exp2) && fp != FpMode::Fast && !inst.fast;
      return asked ? Expansion::Exact : choose<TargetKind::Spirv>(inst, fp);
    };
  static constexpr ChooseExpansion choices[] = {
#define TARGET(Name, ...) choose<TargetKind::Name>,
#include "support/targets.def"
  };
  return choices[unsigned(target.kind)];
}

/// Whether threads of a kernel with barriers go their own ways where the CPU's pieces between barriers and WGSL want them together: loops
/// with several ways to the next trip, and branches of which a part has a barrier and a part returns.
bool meets_after_jumps(const Function& f) {
  const auto barrier = [](const Inst& i) { return is_barrier(i.op); };
  if (!any_inst(f, barrier)) return false;
  const LoopExits exits(f);
  bool found = false;
  for_each_inst(f, [&](InstId i, RegionId) {
    bool meets = false, returns = false;
    for (const RegionId r : f.insts[i].regions)
      for_each_inst(
          f, r, [&](InstId inner, RegionId) { meets |= barrier(f.insts[inner]), returns |= f.insts[inner].op == Op::Return; });
    found |= exits.continues[i].size() > 1 || (meets && returns && !is_loop(f.insts[i].op));
  });
  return found;
}

/// Empty, or the barrier of the grid on a target where nothing promises that all blocks of a launch run at once.
std::string refuse_grid_barriers(const Module& m, const support::Target& target) {
  if (target.kind == TargetKind::Cpu || target.kind == TargetKind::Interpreter) return {};
  const Function& f = m.kernel();
  std::string message;
  for_each_inst(f, [&](InstId i, RegionId) {
    if (f.insts[i].op != Op::GridBarrier || !message.empty()) return;
    const Location& at = f.locations[f.insts[i].loc];
    message = fmt::format(
        "kernel {}: grid_sync(){} needs a CUDA device, the CPU or the interpreter: other devices do not promise that all blocks of a launch run at once. End the kernel there, and launch another one for the rest.",
        f.name, at.line ? fmt::format(" at {}:{}", at.file, at.line) : std::string());
  });
  return message;
}

/// Empty, or clusters on a target whose blocks do not see each other's memory.
std::string refuse_clusters(const Module& m, const support::Target& target) {
  const bool has = target.kind == TargetKind::Interpreter || (target.kind == TargetKind::Ptx && target.ptx.sm >= 90);
  if (!m.kernel().in_clusters() || has) return {};
  return fmt::format(
      "kernel {} has clusters of blocks, which need a CUDA device from sm_90 on, or the interpreter. Without the option cluster, pass data between blocks through a view, in two launches or with kr::grid_sync().",
      m.kernel().name);
}

}  // namespace

void prepare(Module& m, std::optional<Module>* written) {
  if constexpr (verify_by_default) add_unreachable_entries(m);
  promote_slots(m, written);
  canonicalise(m);
  if (written && *written) canonicalise(**written);
  if constexpr (verify_by_default) add_unreachable_entries(m);
}
void prepare(Module& m) { prepare(m, nullptr); }

std::string run_pipeline(Module& m, const support::Target& target, bool checked, Effort effort) {
  return run_pipeline(m, target, checked, effort, {});
}

std::string run_pipeline(Module& m, const support::Target& target, bool checked, Effort effort, const Watch& watch) {
  // The launchers of WebGPU refuse other launches: no buffer there has more elements.
  if (target.kind == TargetKind::WebGpu) m.kernel().facts.small = true;
  for (Function& f : m.called()) f.inherit(m.kernel());  // the launch's facts were told to the kernel
  const bool cpu = target.kind == TargetKind::Cpu, interpreted = target.kind == TargetKind::Interpreter,
             gpu = !cpu && !interpreted;
  Runner run(m, checked, watch);
  const auto clean_up = [own_fold = target.kind == TargetKind::Ptx ? fold_for_ptx : static_cast<void (*)(Module&)>(fold)](
                            Runner& of) { of("fold", own_fold)("cse", cse)("dce", dce); };
  if (!gpu) run("mark_polls", mark_polls);
  if (m.functions.size() > 1) {
    take_native(m, target.kind == TargetKind::Ptx);
    run.check("take_native");
    run("inline_calls", inline_calls);
  }
  if (!interpreted) run("check_accesses", check_accesses)("lower_reports", lower_reports);
  // LLVM alone makes something of them, of one thread's.
  if (!interpreted && target.kind != TargetKind::Ptx) run("drop_assumptions", drop_assumptions);
  run("promote_slots", promote_slots);
  clean_up(run);
  const TileSupport tiles = tile_support(target);
  if (tiles.padded) {
    pad_tiles(m, tiles.padded);
    run.check("pad_tiles");
  }
  expand_tile_copies(m, tiles);
  run.check("expand_tile_copies");
  if (tiles.block_sums) {
    block_products(m, tiles.block_sums);
    run.check("block_products");
  }
  expand_tiles(m, tiles);
  run.check("expand_tiles");
  run("end_products", end_products);
  if (cpu && effort == Effort::Best) {
    run("keep_results", keep_results)("dce", dce);  // before cse, which would take the dead for the copy
    clean_up(run);
  }
  const bool flushing = target.flushes_fma() && m.kernel().fp == FpMode::Native;
  contract(m, !flushing);
  run.check("contract");
  expand_math(m, expansions_of(target), flushing);
  run.check("expand_math");
  expand_ops(m, had_by(target), support::info(target.kind).most_lanes);
  run.check("expand_ops");
  if (!interpreted) {
    const bool spirv = target.kind == TargetKind::Spirv || target.kind == TargetKind::OpenCl,
               web = target.kind == TargetKind::WebGpu;
    // WGSL leaves open how halves round: the modes that promise bits compute them in f32.
    const ir::FpMode fp = m.kernel().fp;
    const bool promised = fp == ir::FpMode::Strict || fp == ir::FpMode::Reproducible;
    const bool halves = web     ? target.web.features.has(support::Feature::F16) && !promised
                        : spirv ? target.spirv.features.has(support::Feature::F16)
                                : true;
    lower_types(m, {.halves = halves, .float8 = target.has_float8()});
    run.check("lower_types");
  }
  clean_up(run);
  if (std::string message = check_barriers(m); !message.empty()) return message;
  if (std::string message = refuse_clusters(m, target); !message.empty()) return message;
  if (target.kind == TargetKind::Ptx) run("lower_grid_barriers", lower_grid_barriers);
  else if (std::string message = refuse_grid_barriers(m, target); !message.empty()) return message;
  if ((cpu || target.kind == TargetKind::WebGpu) && meets_after_jumps(m.kernel())) {
    run("one_exit", one_exit);
    clean_up(run);
  }
  if (!interpreted && effort == Effort::Best) {
    unroll_steps(m, cpu ? tuning::cpu::largest_steps : tuning::gpu::largest_steps);
    run.check("unroll_steps");
  }
  run("lower_access", lower_access);
  clean_up(run);
  run("narrow_addresses", narrow_addresses);
  clean_up(run);
  if (gpu && effort == Effort::Best) {
    // WGSL's buffers have elements of one type, so that a wide access would be several.
    if (target.kind != TargetKind::WebGpu && !is_vectorised_by_driver(m, target)) run("widen", widen);
    clean_up(run);
  }
  const bool ptx = target.kind == TargetKind::Ptx && effort == Effort::Best,
             spirv = target.kind == TargetKind::Spirv && effort == Effort::Best;
  if (ptx || spirv) {
    unroll_loops(m, ptx ? tuning::gpu::unrolled_for_registers : tuning::gpu::spirv_unrolled_for_registers, ptx);
    run.check("unroll_loops");
    clean_up(run);
    run("promote_arrays", promote_arrays);
    clean_up(run);
  }
  if (cpu) {
    run("guard_returns", guard_returns)("interchange_trips", interchange_trips);
    if (effort == Effort::Best) run("unroll_rows", unroll_rows);
    clean_up(run);
  }
  if (!interpreted) {
    if (cpu) outline(m, tuning::cpu::largest_function, tuning::cpu::outlined_part);
    else
      outline(m,
              ptx     ? tuning::gpu::largest_ptx_function
              : spirv ? tuning::gpu::largest_spirv_function
                      : tuning::gpu::largest_function,
              tuning::gpu::outlined_part);  // what widen makes stays whole
    run.check("outline");
  }
  run("canonicalise", canonicalise);
  if (gpu) {
    // Shared arrays of SPIR-V have no wider elements, but for tiles that are made of pieces.
    const bool pieces = target.has_matrices() && any_inst(m.kernel(), [](const Inst& i) { return i.op == Op::Product; });
    combine_accesses(m, target.kind == TargetKind::Ptx || pieces);
    run.check("combine_accesses");
  }
  if (ptx) run("loads_first", loads_first)("stores_together", stores_together);
  if (cpu && effort == Effort::Best) run("combine_pieces", combine_pieces);
  if (cpu || target.kind == TargetKind::WebGpu) run("settle_before_barriers", settle_before_barriers);
  if (target.kind == TargetKind::WebGpu) run("loads_at_uses", loads_at_uses);
  if (cpu) {
    schedule(m, tuning::cpu::scheduled);
    run.check("schedule");
  }
  return {};
}

std::span<const Pass> all_passes() {
  static constexpr Pass passes[] = {
      {"check_accesses", check_accesses, true},
      {"drop_assumptions", drop_assumptions, true},
      {"promote_slots", promote_slots, true},
      {"inline_calls", inline_calls, true},
      {"fold", fold, true},
      {"fold_for_ptx", fold_for_ptx, true},
      {"cse", cse, true},
      {"dce", dce, true},
      {"mark_polls", mark_polls, true},
      {"contract", [](Module& m) { contract(m); }, false},
      {"expand_math", [](Module& m) { expand_math(m, expand_all); }, true},
      {"expand_ops", [](Module& m) { expand_ops(m, has_nothing, 64); }, true},
      {"end_products", end_products, true},
      {"pad_tiles", [](Module& m) { pad_tiles(m, [](const Inst&, FpMode) { return true; }); }, true},
      {"expand_tile_copies", [](Module& m) { expand_tile_copies(m, {}); }, true},
      {"expand_tiles", [](Module& m) { expand_tile_copies(m, {}), expand_tiles(m, {}); }, true},
      {"block_products", [](Module& m) { block_products(m, 8); }, true},
      {"lower_types", [](Module& m) { expand_ops(m, has_all, 64), lower_types(m); }, true},
      {"lower_halves", [](Module& m) { expand_ops(m, has_all, 64), lower_types(m, {.halves = false}); }, true},
      {"lower_float8", [](Module& m) { expand_ops(m, has_ptx89, 64), lower_types(m, {.float8 = true}); }, true},
      {"lower_access", lower_access, true},
      {"narrow_addresses", narrow_addresses, true},
      {"widen", widen, true},
      {"outline", [](Module& m) { outline(m, 20, 6); }, true},
      {"combine_accesses", [](Module& m) { combine_accesses(m, true); }, true},
      {"combine_pieces", combine_pieces, true},
      {"guard_returns", guard_returns, true},
      {"interchange_trips", interchange_trips, true},
      {"keep_results", keep_results, true},
      {"unroll_loops", [](Module& m) { unroll_loops(m, tuning::gpu::unrolled_for_registers, true); }, true},
      {"unroll_steps", [](Module& m) { unroll_steps(m, tuning::gpu::largest_steps); }, true},
      {"promote_arrays", promote_arrays, true},
      {"unroll_rows", unroll_rows, true},
      {"one_exit", one_exit, true},
      {"lower_grid_stride", lower_grid_stride, true},
      {"prepare", prepare, true},
      {"canonicalise", canonicalise, true},
      {"settle_before_barriers", settle_before_barriers, true},
      {"loads_first", loads_first, true},
      {"stores_together", stores_together, true},
      {"loads_at_uses", loads_at_uses, true},
      {"schedule", [](Module& m) { schedule(m, 4); }, true},
  };
  return passes;
}

}  // namespace krait::passes
