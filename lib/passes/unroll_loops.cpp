// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For PTX: innermost loops take several trips at once. The loads of all copies can be under way together, and the counter moves once
// for all of them; compilers of drivers leave loops as they are where the number of trips is not known. Loops of known trips go altogether
// where that makes known places of all accesses to a local array: promote_arrays puts it into registers then.
#include <algorithm>

#include "ir/walk.h"
#include "passes/passes.h"
#include "passes/unroll.h"
#include "support/tuning_gpu.h"

namespace krait::passes {
namespace {

using namespace ir;

/// Instructions of a loop's body, or 0 where copies of it must not or need not stand side by side: threads meet in it, it has a loop of its own, or
/// calls a function.
std::size_t size_of_body(const Function& f, InstId loop) {
  std::size_t size = 0;
  bool fits = true;
  for_each_inst(f, f.insts[loop].regions[0], [&](InstId i, RegionId) {
    const Op op = f.insts[i].op;
    const Effect effect = info(op).effect;
    const bool plain = effect == Effect::Pure || effect == Effect::Read || effect == Effect::Write || is_terminator(op) || op == Op::If;
    fits = fits && plain && op != Op::Return && op != Op::Call;
    size += op != Op::Const;
  });
  return fits ? size : 0;
}

/// Which loops index local arrays by nothing but counters of known loops.
class KnownPlaces {
 public:
  explicit KnownPlaces(const Function& f) : f_(f), known_(f.values.size(), false), arrays_(f.values.size(), false), loops_(f.insts.size(), false) {
    if (expanded_size(f.body) > tuning::gpu::unrolled_for_registers) return;
    for_each_inst(f, [&](InstId i, RegionId) { look_at(f.insts[i]); });
    for_each_inst(f, [&](InstId i, RegionId) {
      const Inst& inst = f.insts[i];
      if (is_access(inst.op) && arrays_[inst.operands[0]] && !known_[inst.operands[1]]) arrays_[inst.operands[0]] = false;
    });
    for_each_inst(f, [&](InstId i, RegionId r) {
      const Inst& inst = f.insts[i];
      if (!is_access(inst.op) || !arrays_[inst.operands[0]] || f.is_const(inst.operands[1])) return;
      for (InstId around = f.regions[r].parent; around != none; around = parent_of_[around]) loops_[around] = is_known(f.insts[around]);
    });
  }
  bool operator()(InstId loop) const { return loops_[loop]; }

 private:
  bool is_known(const Inst& inst) const { return inst.op == Op::For && f_.is_const(inst.operands[0]); }
  std::uint64_t expanded_size(RegionId r) {
    parent_of_.resize(f_.insts.size(), none);
    std::uint64_t size = 0;
    for (const InstId i : f_.regions[r].insts) {
      parent_of_[i] = f_.regions[r].parent;
      const Inst& inst = f_.insts[i];
      std::uint64_t inside = inst.op != Op::Const;
      for (const RegionId inner : inst.regions) inside += expanded_size(inner);
      const std::uint64_t trips = is_known(inst) ? f_.const_bits(inst.operands[0]) : 1;
      size = std::min(size + inside * std::min(trips, limit), limit);
    }
    return size;
  }
  void look_at(const Inst& inst) {
    if (inst.op == Op::Local) arrays_[inst.results[0]] = true;
    if (is_known(inst)) known_[f_.regions[inst.regions[0]].params[0]] = true;
    bool known = inst.op == Op::Const || (is_pure(inst.op) && !inst.operands.empty());
    for (const ValueId v : inst.operands) known = known && known_[v];
    for (const ValueId v : inst.results) known_[v] = known;
  }

  static constexpr std::uint64_t limit = std::uint64_t(1) << 24;
  const Function& f_;
  std::vector<bool> known_, arrays_, loops_;  // by value, by value, by instruction
  std::vector<InstId> parent_of_;             // the construct around an instruction
};

Unroller::Choice choose(const Function& f, InstId loop, bool for_registers) {
  const std::size_t size = size_of_body(f, loop);
  if (size == 0) return {};
  const ValueId trips = f.insts[loop].operands[0];
  const std::size_t limit = for_registers ? tuning::gpu::unrolled_for_registers : tuning::gpu::unrolled_body;
  if (f.is_const(trips) && f.const_bits(trips) <= limit / size) return {unsigned(f.const_bits(trips)), {}};
  return {tuning::gpu::unrolled_trips * size <= tuning::gpu::unrolled_body ? tuning::gpu::unrolled_trips : 1, {}};
}

}  // namespace

void unroll_loops(Module& m) {
  for (Function& f : m.functions) {
    if (!any_inst(f, [](const Inst& i) { return i.op == Op::For; })) continue;
    const KnownPlaces known(f);
    Unroller(f).run([&](InstId loop) { return choose(f, loop, known(loop)); });
  }
}

}  // namespace krait::passes
