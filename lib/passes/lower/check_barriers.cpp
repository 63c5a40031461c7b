// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier waits for every thread of the block, so control must come to it for the whole block or
// for no thread of it. Where that is not guaranteed the kernel is refused: on real hardware it
// would hang, or worse, not hang today.
#include <fmt/core.h>

#include "passes/passes.h"
#include "passes/analysis/uniformity.h"

namespace krait::passes {
namespace {

using namespace ir;

std::string place(const Function& f, InstId i) {
  const Location& at = f.locations[f.insts[i].loc];
  return at.line ? fmt::format(" at {}:{}", at.file, at.line) : std::string();
}

std::string_view word_for(Op op) {
  if (is_tile_operation(op)) return "an operation on tiles";
  if (op == Op::Barrier) return "syncthreads()";
  if (op == Op::GridBarrier) return "grid_sync()";
  if (op == Op::ClusterBarrier) return "cluster_sync()";
  if (op == Op::BarrierCount) return "syncthreads_count()";
  return op == Op::BarrierAnd ? "syncthreads_and()" : "syncthreads_or()";
}

std::string describe(const Function& f, InstId barrier, const Flow& flow) {
  const Op op = f.insts[flow.why].op;
  const std::string_view decision = op == Op::If       ? "the condition of the if_"
                                    : op == Op::Switch ? "the selector of the switch_"
                                    : op == Op::GridStride
                                        ? "the number of iterations of the grid_stride loop"
                                        : "the number of iterations of the loop";
  std::string text = fmt::format(
      "kernel {}: only some threads of a block may reach {}{}: {}{} can differ between them",
      f.name, word_for(f.insts[barrier].op), place(f, barrier), decision, place(f, flow.why));
  if (flow.exit != none) {
    const Op exit = f.insts[flow.exit].op;
    const std::string_view leaving = exit == Op::Return  ? "return_()"
                                     : exit == Op::Break ? "break_()"
                                                         : "continue_()";
    text += fmt::format(
        ", and some leave by {}{} before the barrier. Let all threads reach the barrier, "
        "and guard only the work itself",
        leaving, place(f, flow.exit));
  } else {
    text += ". Move the barrier out of it";
  }
  return text +
         "; or, where the value is equal in the whole block, "
         "mark it with krait::uniform(value); or decide for the whole block with "
         "krait::syncthreads_or(condition).";
}

}  // namespace

std::string check_barriers(const Module& m) {
  const Calls calls(m);
  for (const Function& f : m.functions) {
    bool any = false;
    for_each_inst(
        f, [&](InstId i, RegionId) { any = any || info(f.insts[i].op).effect == Effect::Sync; });
    if (!any) continue;
    for (const auto& [barrier, flow] : UniformityAnalysis(f, calls).barriers)
      if (flow.level > Uniform::Block) return describe(f, barrier, flow);
  }
  return {};
}

}  // namespace krait::passes
