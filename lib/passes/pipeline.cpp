// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipeline: a table with one row per pass, in the order in which they run.
#include <type_traits>

#include <fmt/core.h>

#include "ir/text/text.h"
#include "ir/unreachable_entries.h"
#include "ir/walk.h"
#include "passes/kept_ops.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "passes/runner.h"
#include "support/error.h"
#include "support/idioms.h"
#include "support/tuning/cpu.h"
#include "support/tuning/gpu.h"

namespace krait::passes {
namespace {

using namespace ir;
using support::TargetKind;

/// Targets as bits.
using Targets = unsigned;
constexpr Targets bit(TargetKind kind) { return 1u << unsigned(kind); }
constexpr Targets interpreter = bit(TargetKind::Interpreter), cpu = bit(TargetKind::Cpu),
                  ptx = bit(TargetKind::Ptx), vulkan = bit(TargetKind::Spirv),
                  opencl = bit(TargetKind::OpenCl), web = bit(TargetKind::WebGpu);
constexpr Targets gpus = ptx | vulkan | opencl | web, devices = cpu | gpus,
                  all = interpreter | devices;

/// One compilation, as far as passes ask for it.
struct Plan {
  const support::Target& target;
  Effort effort;
  TileSupport tiles;
  support::Idioms without;  // of the CPU
  bool flushing;            // fma of f32 takes subnormal numbers for zero, and the mode allows it

  bool is(Targets any) const { return (bit(target.kind) & any) != 0; }
  /// A pass that is an idiom which the target goes without.
  bool leaves_out(std::string_view pass) const {
    const auto idiom = is(cpu) ? support::idiom_of(pass) : std::nullopt;
    return idiom && without[std::size_t(*idiom)];
  }
  bool is_best(Targets any) const { return is(any) && effort == Effort::Best; }
};

/// A pass in the pipeline: a function of the module alone, or one that the plan changes. It returns
/// a refusal of the kernel, or nothing.
class Run {
 public:
  constexpr Run(void (*pass)(Module&)) : pass_(pass) {}
  constexpr Run(void (*pass)(Module&, const Plan&)) : planned_(pass) {}
  constexpr Run(std::string (*refuse)(Module&, const Plan&)) : refuse_(refuse) {}
  template <class Lambda>
    requires std::is_class_v<Lambda>
  constexpr Run(Lambda lambda) : Run(+lambda) {}
  std::string operator()(Module& m, const Plan& plan) const {
    if (refuse_) return refuse_(m, plan);
    if (pass_) pass_(m);
    else planned_(m, plan);
    return {};
  }
  bool changes() const { return !refuse_; }

 private:
  void (*pass_)(Module&) = nullptr;
  void (*planned_)(Module&, const Plan&) = nullptr;
  std::string (*refuse_)(Module&, const Plan&) = nullptr;
};

/// Whether fold, cse and dce run after a pass.
enum class CleanUp : std::uint8_t { No, AfterIt };
struct Step {
  const char* name;
  Run run;
  Targets on;
  Effort from = Effort::Quick;
  CleanUp clean_up = CleanUp::No;
  bool (*where)(const Module&, const Plan&) = nullptr;
};

/// Drivers for processors make vectors of a block's threads where these do not branch, and wide
/// accesses are in the way of that.
bool is_vectorised_by_driver(const Module& m, const support::Target& target) {
  return is_processor_of_opencl(target) && !any_inst(m.kernel(), [](const Inst& i) {
           return i.op == Op::Call || (!i.regions.empty() && i.op != Op::GridStride);
         });
}

/// Whether threads of a kernel with barriers go their own ways where the CPU's pieces between
/// barriers and WGSL want them together: loops with several ways to the next trip, and branches of
/// which a part has a barrier and a part returns.
bool meets_after_jumps(const Function& f) {
  const auto barrier = [](const Inst& i) { return is_barrier(i.op); };
  if (!any_inst(f, barrier)) return false;
  const LoopExits exits(f);
  bool found = false;
  for_each_inst(f, [&](InstId i, RegionId) {
    bool meets = false, returns = false;
    for (const RegionId r : f.insts[i].regions)
      for_each_inst(f, r, [&](InstId inner, RegionId) {
        meets |= barrier(f.insts[inner]), returns |= f.insts[inner].op == Op::Return;
      });
    found |= exits.continues[i].size() > 1 || (meets && returns && !is_loop(f.insts[i].op));
  });
  return found;
}

/// Empty, or the barrier of the grid on a target where nothing promises that all blocks of a launch
/// run at once.
std::string refuse_grid_barriers(Module& m, const Plan&) {
  const Function& f = m.kernel();
  std::string message;
  for_each_inst(f, [&](InstId i, RegionId) {
    if (f.insts[i].op != Op::GridBarrier || !message.empty()) return;
    const Location& at = f.locations[f.insts[i].loc];
    message = fmt::format(
        "kernel {}: grid_sync(){} needs a CUDA device, the CPU or the interpreter: "
        "other devices do not promise that all blocks of a launch run at once. "
        "End the kernel there, and launch another one for the rest.",
        f.name, at.line ? fmt::format(" at {}:{}", at.file, at.line) : std::string());
  });
  return message;
}

/// Empty, or clusters on a target whose blocks do not see each other's memory.
std::string refuse_clusters(Module& m, const Plan& plan) {
  const support::Target& target = plan.target;
  const bool has = target.kind == TargetKind::Interpreter ||
                   (target.kind == TargetKind::Ptx && target.ptx.sm >= 90);
  if (!m.kernel().in_clusters() || has) return {};
  return fmt::format(
      "kernel {} has clusters of blocks, which need a CUDA device from sm_90 on, "
      "or the interpreter. Without the option cluster, pass data between blocks through a "
      "view, in two launches or with kr::grid_sync().",
      m.kernel().name);
}

void lower_types_of(Module& m, const Plan& plan) {
  if (plan.is(interpreter)) return;
  // WGSL leaves open how halves round: the modes that promise bits compute them in f32.
  const FpMode fp = m.kernel().fp;
  const bool promised = fp == FpMode::Strict || fp == FpMode::Reproducible;
  const support::Target& t = plan.target;
  const bool halves = plan.is(web) ? t.web.features.has(support::Feature::F16) && !promised
                      : plan.is(vulkan | opencl) ? t.spirv.features.has(support::Feature::F16)
                                                 : true;
  lower_types(m, {.halves = halves, .float8 = t.has_float8()});
}

void widen_unless_vectorised(Module& m, const Plan& plan) {
  // WGSL's buffers have elements of one type, so that a wide access would be several.
  if (!plan.is(web) && !is_vectorised_by_driver(m, plan.target)) widen(m);
}

void unroll_loops_of(Module& m, const Plan& plan) {
  const std::size_t largest = plan.is(ptx) ? tuning::gpu::unrolled_for_registers
                                           : tuning::gpu::spirv_unrolled_for_registers;
  unroll_loops(m, largest);
}

void unroll_rows_of_best(Module& m, const Plan& plan) {
  if (plan.effort == Effort::Best) unroll_rows(m);
}

void outline_parts(Module& m, const Plan& plan) {
  if (plan.is(cpu)) return outline(m, tuning::cpu::largest_function, tuning::cpu::outlined_part);
  const std::size_t largest = plan.is_best(ptx)      ? tuning::gpu::largest_ptx_function
                              : plan.is_best(vulkan) ? tuning::gpu::largest_spirv_function
                                                     : tuning::gpu::largest_function;
  outline(m, largest, tuning::gpu::outlined_part);  // what widen makes stays whole
}

void combine_accesses_of(Module& m, const Plan& plan) {
  // Shared arrays of SPIR-V have no wider elements, except for tiles that are made of pieces.
  const bool pieces = plan.target.has_matrices() &&
                      any_inst(m.kernel(), [](const Inst& i) { return i.op == Op::Product; });
  combine_accesses(m, plan.is(ptx) || pieces);
}

bool has_functions(const Module& m, const Plan&) { return m.functions.size() > 1; }
bool pads_tiles(const Module&, const Plan& plan) { return plan.tiles.padded != nullptr; }
bool sums_blocks(const Module&, const Plan& plan) { return plan.tiles.block_sums != 0; }
bool meets_after_jumps_in(const Module& m, const Plan&) { return meets_after_jumps(m.kernel()); }

using enum Effort;
using enum CleanUp;
// clang-format off
constexpr Step steps[] = {
    {"mark_polls", mark_polls, interpreter | cpu},
    {"take_native", [](Module& m, const Plan& p) { take_native(m, p.is(ptx)); }, all, Quick, No, has_functions},
    {"inline_calls", inline_calls, all, Quick, No, has_functions},
    {"check_accesses", check_accesses, devices},
    {"lower_reports", lower_reports, devices},
    // Only LLVM uses them, for PTX: its code is that of one thread.
    {"drop_assumptions", drop_assumptions, devices & ~ptx},
    {"promote_slots", promote_slots, all, Quick, AfterIt},
    // Products of tiles and the copies for them (docs/tiles.md).
    {"left_values", [](Module& m, const Plan& p) { left_values(m, p.tiles); }, all},
    {"pad_tiles", [](Module& m, const Plan& p) { pad_tiles(m, p.tiles.padded); }, all, Quick, No, pads_tiles},
    {"expand_tile_copies", [](Module& m, const Plan& p) { expand_tile_copies(m, p.tiles); }, all},
    {"block_products", [](Module& m, const Plan& p) { block_products(m, p.tiles); }, all, Quick, No, sums_blocks},
    {"expand_tiles", [](Module& m, const Plan& p) { expand_tiles(m, p.tiles); }, all},
    {"end_products", end_products, all},
    // Operations, functions and types that the target lacks become others.
    {"contract", [](Module& m, const Plan& p) { contract(m, !p.flushing); }, all},
    {"expand_math", [](Module& m, const Plan& p) { expand_math(m, kept_functions(p.target), p.flushing); }, all},
    {"expand_ops", [](Module& m, const Plan& p) { expand_ops(m, kept_ops(p.target), support::info(p.target.kind).most_lanes); }, all},
    {"lower_types", lower_types_of, all, Quick, AfterIt},
    // The control flow is final up to here, and what it may not be is refused.
    {"check_barriers", [](Module& m, const Plan&) { return check_barriers(m); }, all},
    {"refuse_clusters", refuse_clusters, all},
    {"refuse_grid_barriers", refuse_grid_barriers, gpus & ~ptx},
    {"lower_grid_barriers", lower_grid_barriers, ptx},
    {"one_exit", one_exit, cpu | web, Quick, AfterIt, meets_after_jumps_in},
    {"unroll_steps", [](Module& m, const Plan& p) { unroll_steps(m, p.is(cpu) ? tuning::cpu::largest_steps : tuning::gpu::largest_steps); }, devices, Best},
    // Accesses have one index from here on.
    {"lower_access", lower_access, all, Quick, AfterIt},
    {"narrow_addresses", narrow_addresses, all, Quick, AfterIt},
    {"widen", widen_unless_vectorised, gpus, Best, AfterIt},
    {"unroll_loops", unroll_loops_of, ptx | vulkan, Best, AfterIt},
    {"promote_arrays", promote_arrays, ptx | vulkan, Best, AfterIt},
    {"hoist_loads", hoist_loads, vulkan, Best, AfterIt},
    {"guard_returns", guard_returns, cpu},
    {"interchange_trips", interchange_trips, cpu},
    {"unroll_rows", unroll_rows_of_best, cpu, Quick, AfterIt},
    {"outline", outline_parts, devices},
    // The order of instructions: nothing cleans up after these.
    {"canonicalise", canonicalise, all},
    {"combine_accesses", combine_accesses_of, gpus},
    {"loads_first", loads_first, ptx, Best},
    {"stores_together", stores_together, ptx, Best},
    {"combine_pieces", combine_pieces, cpu, Best},
    {"settle_before_barriers", settle_before_barriers, cpu | web},
    {"loads_at_uses", loads_at_uses, web},
    {"schedule", [](Module& m, const Plan&) { schedule(m, tuning::cpu::scheduled); }, cpu},
};
// clang-format on

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

std::string run_pipeline(Module& m, const support::Target& target, bool checked, Effort effort,
                         const Watch& watch) {
  // The launchers of WebGPU refuse other launches: no buffer there has more elements.
  if (target.kind == TargetKind::WebGpu) m.kernel().facts.small = true;
  // the launch's facts were told to the kernel
  for (Function& f : m.called()) f.inherit(m.kernel());
  const Plan plan{target, effort, tile_support(target), support::idioms_without(target.cpu),
                  target.flushes_fma() && m.kernel().fp == FpMode::Native};
  Runner run(m, checked, watch);
  for (const Step& step : steps) {
    if (!plan.is(step.on) || (step.from == Best && effort != Best) ||
        (step.where && !step.where(m, plan)) || plan.leaves_out(step.name))
      continue;
    if (std::string refused = step.run(m, plan); !refused.empty()) return refused;
    if (step.run.changes()) run.check(step.name);
    if (step.clean_up == AfterIt)
      run("fold", plan.is(ptx) ? fold_for_ptx : fold)("cse", cse)("dce", dce);
  }
  return {};
}

std::vector<std::string_view> pipeline_names() {
  std::vector<std::string_view> names;
  for (const Step& step : steps) names.push_back(step.name);
  return names;
}

std::span<const Pass> all_passes() {
  // By themselves, as `krait opt` and the golden tests run them: with all that they can do, where a
  // target would choose.
  static constexpr Pass passes[] = {
      {"check_accesses", check_accesses, true},
      {"drop_assumptions", drop_assumptions, true},
      {"roll_repeats", [](Module& m) { roll_repeats(m, 0, 1); }, true},
      {"promote_slots", promote_slots, true},
      {"inline_calls", inline_calls, true},
      {"fold", fold, true},
      {"fold_for_ptx", fold_for_ptx, true},
      {"cse", cse, true},
      {"dce", dce, true},
      {"mark_polls", mark_polls, true},
      {"contract", [](Module& m) { contract(m); }, false},
      {"expand_math", [](Module& m) { expand_math(m, expand_all); }, true},
      {"expand_ops", [](Module& m) { expand_ops(m, keeps_no_op, 64); }, true},
      {"end_products", end_products, true},
      {"left_values",
       [](Module& m) {
         left_values(m, {.product = [](const Inst&, FpMode) { return true; }, .left_values = true});
       },
       true},
      {"pad_tiles", [](Module& m) { pad_tiles(m, [](const Inst&, FpMode) { return true; }); },
       true},
      {"expand_tile_copies", [](Module& m) { expand_tile_copies(m, {}); }, true},
      {"expand_tiles", [](Module& m) { expand_tile_copies(m, {}), expand_tiles(m, {}); }, true},
      {"block_products", [](Module& m) { block_products(m, {.block_sums = 8}); }, true},
      {"block_products_of_words",
       [](Module& m) { block_products(m, {.block_sums = 16, .words = takes_words}); }, true},
      {"lower_types", [](Module& m) { expand_ops(m, keeps_plain_ops, 64), lower_types(m); }, true},
      {"lower_halves",
       [](Module& m) { expand_ops(m, keeps_plain_ops, 64), lower_types(m, {.halves = false}); },
       true},
      {"lower_float8",
       [](Module& m) { expand_ops(m, keeps_ops_of_ptx89, 64), lower_types(m, {.float8 = true}); },
       true},
      {"lower_access", lower_access, true},
      {"narrow_addresses", narrow_addresses, true},
      {"widen", widen, true},
      {"outline", [](Module& m) { outline(m, 20, 6); }, true},
      {"combine_accesses", [](Module& m) { combine_accesses(m, true); }, true},
      {"combine_pieces", combine_pieces, true},
      {"guard_returns", guard_returns, true},
      {"interchange_trips", interchange_trips, true},
      {"unroll_loops", [](Module& m) { unroll_loops(m, tuning::gpu::unrolled_for_registers); },
       true},
      {"unroll_steps", [](Module& m) { unroll_steps(m, tuning::gpu::largest_steps); }, true},
      {"promote_arrays", promote_arrays, true},
      {"hoist_loads", hoist_loads, true},
      {"unroll_rows", unroll_rows, true},
      {"one_exit", one_exit, true},
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
