// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For GPUs. Innermost loops take several trips at once. The loads of all copies can be under way
// together, and the counter moves once for all of them. ptxas takes four trips of such a loop once
// more, except where it is told to leave it. Loops whose trips have a known limit go
// altogether where that makes known places of all accesses to a local array: promote_arrays puts it
// into registers then.
#include <algorithm>

#include "ir/walk.h"
#include "passes/passes.h"
#include "passes/analysis/ranges.h"
#include "passes/loops/unroll.h"
#include "support/tuning/gpu.h"

namespace krait::passes {
namespace {

using namespace ir;

/// Instructions of a loop's body, or 0 where copies of it must not or need not stand side by side:
/// threads meet in it, it has a loop of its own, or calls a function.
std::size_t size_of_body(const Function& f, InstId loop) {
  std::size_t size = 0;
  bool fits = true;
  for_each_inst(f, f.insts[loop].regions[0], [&](InstId i, RegionId) {
    const Op op = f.insts[i].op;
    const Effect effect = info(op).effect;
    const bool plain = effect == Effect::Pure || effect == Effect::Read ||
                       effect == Effect::Write || effect == Effect::Atomic || is_terminator(op) ||
                       op == Op::If || op == Op::Assume;
    fits = fits && plain && op != Op::Return && op != Op::Call;
    size += op != Op::Const;
  });
  return fits ? size : 0;
}

/// Which loops index local arrays by nothing but counters of loops whose trips have a known limit.
class KnownPlaces {
 public:
  KnownPlaces(const Function& f, std::size_t largest)
      : f_(f),
        ranges_(f),
        known_(f.values.size(), false),
        arrays_(f.values.size(), false),
        most_(f.insts.size(), 0),
        around_(f.insts.size(), none),
        loops_(f.insts.size(), false) {
    look_at(f.body);
    for_each_inst(f, [&](InstId i, RegionId) {
      const Inst& inst = f.insts[i];
      if (is_access(inst.op) && arrays_[inst.operands[0]] && !known_[inst.operands[1]])
        arrays_[inst.operands[0]] = false;
    });
    for_each_inst(f, [&](InstId i, RegionId) {
      const Inst& inst = f.insts[i];
      if (!is_access(inst.op) || !arrays_[inst.operands[0]] || f.is_const(inst.operands[1])) return;
      for (InstId loop = around_[i]; loop != none; loop = around_[loop])
        if (most_[loop] != 0 && names_counter(inst.operands[1], loop)) loops_[loop] = true;
    });
    if (expanded_size(f.body) > largest) loops_.assign(f.insts.size(), false);
  }
  /// Trips that the loop has at most, if it has to go; else 0.
  std::uint64_t operator()(InstId loop) const { return loops_[loop] ? most_[loop] : 0; }

 private:
  /// In order, since ranges grow on what stands before.
  void look_at(RegionId r) {
    for (const InstId i : f_.regions[r].insts) {
      const Inst& inst = f_.insts[i];
      around_[i] = f_.regions[r].parent;
      ranges_.define(inst);
      if (inst.op == Op::Local) arrays_[inst.results[0]] = true;
      bool known = inst.op == Op::Const || (is_pure(inst.op) && !inst.operands.empty());
      for (const ValueId v : inst.operands) known = known && known_[v];
      for (const ValueId v : inst.results) known_[v] = known;
      if (inst.op == Op::For) {
        const ValueId index = f_.regions[inst.regions[0]].params[0];
        ranges_.define_index(inst, index);
        const Range trips = ranges_.of(inst.operands[0]);
        if (trips.inside(0, tuning::gpu::most_bounded_trips))
          most_[i] = std::uint64_t(trips.high), known_[index] = true;
      }
      for (const RegionId inner : inst.regions) look_at(inner);
    }
  }
  /// The number of instructions when the loops are gone.
  std::uint64_t expanded_size(RegionId r) const {
    std::uint64_t size = 0;
    for (const InstId i : f_.regions[r].insts) {
      const Inst& inst = f_.insts[i];
      std::uint64_t inside = inst.op != Op::Const;
      for (const RegionId inner : inst.regions) inside += expanded_size(inner);
      size = std::min(size + inside * std::max<std::uint64_t>((*this)(i), 1), limit);
    }
    return size;
  }
  /// Whether an index is computed from the loop's counter.
  bool names_counter(ValueId v, InstId loop) const {
    if (f_.regions[f_.insts[loop].regions[0]].params[0] == v) return true;
    const Inst* d = f_.def(v);
    return d && std::any_of(d->operands.begin(), d->operands.end(),
                            [&](ValueId o) { return names_counter(o, loop); });
  }

  static constexpr std::uint64_t limit = std::uint64_t(1) << 24;
  const Function& f_;
  Ranges ranges_;
  std::vector<bool> known_, arrays_;  // by value
  std::vector<std::uint64_t> most_;   // by instruction: trips of a loop that are not many, or 0
  std::vector<InstId> around_;        // by instruction: the construct that holds it
  std::vector<bool> loops_;           // by instruction
};

/// Lanes share the loop out: its counter moves by a warp's width or more. Its trips are few, and
/// many lanes' loads are under way as it is.
bool is_shared_out(const Function& f, InstId loop) {
  const std::uint64_t warp = support::info(support::TargetKind::Ptx).warp;
  const RegionId body = f.insts[loop].regions[0];
  const ValueId index = f.regions[body].params[0];
  bool shared_out = false;
  for_each_inst(f, body, [&](InstId i, RegionId) {
    const Inst& inst = f.insts[i];
    if ((inst.op != Op::Mul && inst.op != Op::Shl) || !f.is_const(inst.operands[1])) return;
    const Inst* wider = f.def(inst.operands[0]);
    if (inst.operands[0] != index &&
        !(wider && wider->op == Op::Cast && wider->operands[0] == index))
      return;
    const std::uint64_t by = f.const_bits(inst.operands[1]);
    shared_out =
        shared_out || (inst.op == Op::Mul ? by >= warp : by < 32 && std::uint64_t(1) << by >= warp);
  });
  return shared_out;
}

Unroller::Choice choose(const Function& f, InstId loop, std::uint64_t most, std::size_t largest) {
  const std::size_t size = size_of_body(f, loop);
  if (size == 0 || f.insts[loop].rolled) return {};
  const ValueId trips = f.insts[loop].operands[0];
  const bool known = f.is_const(trips);
  if (most != 0 && most * size <= largest) return {unsigned(most), !known, false, {}};
  if (known && f.const_bits(trips) <= tuning::gpu::unrolled_whole / size)
    return {unsigned(f.const_bits(trips)), false, false, {}};
  return {tuning::gpu::unrolled_trips * size <= tuning::gpu::unrolled_body
              ? tuning::gpu::unrolled_trips
              : 1,
          false,
          is_shared_out(f, loop),
          {}};
}

}  // namespace

void unroll_loops(Module& m, std::size_t largest) {
  for (Function& f : m.functions) {
    if (!any_inst(f, [](const Inst& i) { return i.op == Op::For; })) continue;
    const KnownPlaces known(f, largest);
    Unroller(f).run([&](InstId loop) { return choose(f, loop, known(loop), largest); });
  }
}

}  // namespace krait::passes
