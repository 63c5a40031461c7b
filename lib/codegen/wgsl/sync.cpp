// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/sync.h"

#include <algorithm>

#include "codegen/wgsl/positions.h"
#include "ir/walk.h"
#include "passes/analysis/uniformity.h"

namespace krait::codegen::wgsl {

using passes::Uniform;

/// Which decisions all threads have to be seen to take alike: those around a barrier, and those
/// behind which some threads may leave what has a barrier.
Sync::Sync(Frame& frame) : Part(frame) {
  any_barrier_ = ir::any_inst(f_, [](const ir::Inst& i) { return ir::is_barrier(i.op); });
  if (!any_barrier_) return;
  ir::for_each_inst(f_, [&](ir::InstId id, ir::RegionId) {
    const ir::Inst& i = f_.insts[id];
    bool barrier = false;
    for (const ir::RegionId r : i.regions)
      ir::for_each_inst(f_, r, [&](ir::InstId inner, ir::RegionId) {
        barrier = barrier || ir::is_barrier(f_.insts[inner].op);
      });
    if (barrier) with_barrier_.insert(&i);
  });
  std::vector<const ir::Inst*> around;
  find_decisions(f_.body, around, false);
  // WGSL's own analysis knows arguments, positions and what is read from memory that nobody writes.
  passes::Schedule schedule;
  schedule.own = [&](const ir::Inst& i, const passes::Uniformity& known) -> std::optional<Uniform> {
    const ir::Effect effect = ir::info(i.op).effect;
    if (ir::is_barrier(i.op)) return Uniform::Launch;
    if (i.op == ir::Op::Uniform) return known.values[i.operands[0]];
    if (effect == ir::Effect::Read && only_read(i.operands[0]))
      return passes::level_of_operands(i, known, 1);
    if (effect == ir::Effect::Read || effect == ir::Effect::Atomic || effect == ir::Effect::Cross)
      return Uniform::Varying;
    return std::nullopt;
  };
  const ir::Calls calls(unit_.module);
  const passes::UniformityAnalysis seen(f_, calls, schedule);
  std::erase_if(shown_, [&](const ir::Inst* i) {
    return seen.levels.values[i->operands[0]] <= Uniform::Block;
  });
}

bool Sync::only_read(ir::ValueId v) const {
  const ir::Space space = f_.type_of(v).space;
  return (space == ir::Space::Global || space == ir::Space::Argument) &&
         !unit_.uses.of(frame_.number, v).written && !unit_.uses.of(frame_.number, v).atomic;
}

/// `behind`: whether a barrier may come behind the region. Threads may return as they like where
/// none does.
void Sync::find_decisions(ir::RegionId r, std::vector<const ir::Inst*>& around, bool behind) {
  const std::vector<ir::InstId>& insts = f_.regions[r].insts;
  const auto meets = [&](ir::InstId id) {
    return ir::is_barrier(f_.insts[id].op) || with_barrier_.contains(&f_.insts[id]);
  };
  // what stands from here on has no barrier
  const auto last = std::find_if(insts.rbegin(), insts.rend(), meets).base();
  for (auto at = insts.begin(); at != insts.end(); ++at) {
    const ir::Inst& i = f_.insts[*at];
    const bool decides = i.op == ir::Op::If || i.op == ir::Op::Switch || i.op == ir::Op::For ||
                         i.op == ir::Op::GridStride;
    if (decides && with_barrier_.contains(&i)) shown_.insert(&i);
    if (ir::is_terminator(i.op) && i.op != ir::Op::Yield && i.op != ir::Op::Unreachable) {
      // What it leaves: the innermost loop, or the kernel.
      std::size_t from = around.size();
      while (from > 0 && !(i.op != ir::Op::Return && ir::is_loop(around[from - 1]->op))) --from;
      if (i.op == ir::Op::Return ? behind : with_barrier_.contains(around[from - 1]))
        for (std::size_t k = from; k < around.size(); ++k)
          if (around[k]->op != ir::Op::Loop) shown_.insert(around[k]);
    }
    const bool again = ir::is_loop(i.op) && with_barrier_.contains(&i);
    around.push_back(&i);
    for (const ir::RegionId inner : i.regions)
      find_decisions(inner, around, behind || again || at + 1 < last);
    around.pop_back();
  }
}

bool Sync::writes_views(const ir::Inst& i) const {
  const ir::Effect effect = ir::info(i.op).effect;
  if (i.op == ir::Op::Call) return true;
  return (effect == ir::Effect::Write || effect == ir::Effect::Atomic) &&
         f_.type_of(i.operands[0]).space == ir::Space::Global;
}

/// Whether a barrier may come behind a write to a view; a loop brings what stands behind it in
/// front of it.
bool Sync::writes_before_barrier(ir::RegionId r, bool& wrote) const {
  for (const ir::InstId id : f_.regions[r].insts) {
    const ir::Inst& i = f_.insts[id];
    if (ir::is_barrier(i.op) && wrote) return true;
    wrote |= writes_views(i);
    const bool before = wrote;
    for (const ir::RegionId inner : i.regions)
      if (writes_before_barrier(inner, wrote)) return true;
    if (ir::is_loop(i.op) && wrote && !before && writes_before_barrier(i.regions[0], wrote))
      return true;
  }
  return false;
}

/// Views need an order where one is read and written, or written on both sides of a barrier.
bool Sync::orders_views() const {
  const bool both = std::any_of(f_.params().begin(), f_.params().end(), [&](ir::ValueId v) {
    if (!f_.type_of(v).is_array()) return false;
    const Use& use = unit_.uses.of(frame_.number, v);
    return use.written && use.read;
  });
  bool wrote = false;
  return both || writes_before_barrier(f_.body, wrote);
}

void Sync::barrier() {
  out_.line("workgroupBarrier();");
  if (!orders_) orders_ = orders_views();
  if (*orders_) out_.line("storageBarrier();");
}

Expr Sync::of_the_block(Scalar s, const Expr& e) {
  const std::string shared = fmt::format("uniform_{}", unit_.variables++);
  take_shared(0, 16);
  unit_.globals.line(fmt::format("var<workgroup> {}: {};", shared, cell_type(s)));
  out_.open("if (all(thread == vec3u())) {");
  out_.line(
      fmt::format("{} = {};", shared,
                  s == Scalar::Bool ? fmt::format("select(0u, 1u, {})", e.text) : full(e).text));
  out_.close();
  const Expr all = named(call("workgroupUniformLoad(&{})", shared));
  return s == Scalar::Bool ? term("{} != 0u", all.text) : all;
}

Expr Sync::decision(const ir::Inst& i) {
  const ir::ValueId v = i.operands[0];
  return shown_.contains(&i) ? of_the_block(scalar(v), value(v)) : value(v);
}

void Sync::block_vote(const ir::Inst& i) {
  if (vote_.empty()) {
    vote_ = fmt::format("votes_{}", unit_.variables++);
    take_shared(0, 16);
    unit_.globals.line(fmt::format("var<workgroup> {}: atomic<u32>;", vote_));
  }
  out_.open("if (all(thread == vec3u())) {");
  out_.line(fmt::format("atomicStore(&{}, 0u);", vote_));
  out_.close();
  barrier();
  out_.line(fmt::format("atomicAdd(&{}, select(0u, 1u, {}));", vote_, value(i.operands[0]).text));
  barrier();
  const Expr count = of_the_block(Scalar::U32, call("atomicLoad(&{})", vote_));
  if (i.op == ir::Op::BarrierCount) return define(i, call("i32({})", count.text));
  if (i.op == ir::Op::BarrierOr) return define(i, term("{} != 0u", count.text));
  define(i, term("{} == block_dim.x * block_dim.y * block_dim.z", count.text));
}

void Sync::fence() const {
  unsupported(
      fmt::format("{}: WebGPU orders accesses only by barriers of the block, "
                  "and between blocks only by launches: use syncthreads() or several launches",
                  frame_.where));
}

}  // namespace krait::codegen::wgsl
