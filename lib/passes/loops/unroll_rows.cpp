// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the CPU: loops in which each thread walks along a row of its own take several elements a
// trip. A vector of threads loads one element each of as many rows, which lie far apart; of several
// elements side by side it loads whole pieces of the rows, and shuffles
// (codegen/cpu/access/row_accesses.cpp).
//   for n { i: … load a[row + i] … }   becomes
//   for n / W { j: load_vec a[row + W j], the body W times }, for n % W { the body }
// Loads move up to the first of the copies, so nothing in the loop may write what they read; and
// what threads do together would find other threads there.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "ir/calls.h"
#include "passes/analysis/lane_steps.h"
#include "passes/passes.h"
#include "passes/loops/unroll.h"
#include "support/tuning/cpu.h"

namespace krait::passes {
namespace {

using namespace ir;

// A piece of a row is as long as the registers that shuffles work within.
constexpr unsigned piece_bytes = 16;

class Rows {
 public:
  Rows(const Function& f, std::vector<LaneStep> steps) : f_(f), steps_(std::move(steps)) {}
  Unroller::Choice operator()(InstId loop) const {
    Unroller::Choice how{1, false, false, rows(f_.insts[loop].regions[0])};
    unsigned largest = 1;
    for (const InstId i : how.rows) largest = std::max(largest, size_of(f_.insts[i].type.scalar));
    if (!how.rows.empty()) how.width = std::clamp(piece_bytes / largest, 2u, 8u);
    return how;
  }

 private:
  /// By value: how many times a loop's counter it is, plus something that is the same in all trips;
  /// `other` where it is no such sum.
  static constexpr int other = 1 << 20;
  std::vector<int> counted(RegionId body) const {
    std::vector<int> times(f_.values.size());
    const std::vector<ValueId>& params = f_.regions[body].params;
    for (const ValueId v : params) times[v] = v == params[0] ? 1 : other;
    const auto wide = [&](ValueId v) {
      return is_int(f_.type_of(v).scalar) && bits_of(f_.type_of(v).scalar) >= 32;
    };
    for (const InstId i : f_.regions[body].insts) {
      const Inst& inst = f_.insts[i];
      const auto of = [&](std::size_t k) { return times[inst.operands[k]]; };
      bool any = !inst.regions.empty();
      for (std::size_t k = 0; k < inst.operands.size(); ++k) any = any || of(k) != 0;
      int sum = any ? other : 0;
      if (any && inst.op == Op::Add && wide(inst.results[0])) sum = std::min(of(0) + of(1), other);
      if (any && inst.op == Op::Cast && wide(inst.results[0]) && wide(inst.operands[0]))
        sum = of(0);
      for (const ValueId v : inst.results) times[v] = sum;
    }
    return times;
  }

  /// Whether threads beside each other access places further apart than neighbours.
  bool apart(ValueId index) const {
    if (index >= steps_.size()) return false;  // a copy of something that was no row
    const LaneStep& s = steps_[index];
    return s.kind == LaneStep::Kind::Step ? std::abs(s.step) > 1 : s.kind != LaneStep::Kind::Same;
  }
  bool walks_a_row(const Inst& inst, const std::vector<int>& times) const {
    if (inst.op != Op::Load || inst.imm != 0) return false;
    const Type& t = f_.type_of(inst.operands[0]);
    const Scalar s = inst.type.scalar;
    return t.space == Space::Global && (is_int(s) || is_float(s)) && t.elem_bytes == size_of(s) &&
           times[inst.operands[1]] == 1 && apart(inst.operands[1]);
  }

  /// Of the body's own region; empty where it cannot be unrolled, or gains nothing.
  std::vector<InstId> rows(RegionId body) const {
    bool fits = true, writes = false;
    std::size_t count = 0;
    for_each_inst(f_, body, [&](InstId i, RegionId) {
      const Inst& in = f_.insts[i];
      const Effect effect = info(in.op).effect;
      ++count, writes = writes || effect == Effect::Write;
      const bool plain = effect == Effect::Pure || effect == Effect::Read ||
                         effect == Effect::Write || is_terminator(in.op) || in.op == Op::If;
      fits = fits && plain && in.op != Op::Return && in.op != Op::Call && in.op != Op::LoadVec;
    });
    if (!fits || count > tuning::cpu::largest_row_body) return {};
    const std::vector<int> times = counted(body);
    std::vector<InstId> found;
    for (const InstId i : f_.regions[body].insts) {
      const Inst& in = f_.insts[i];
      if (walks_a_row(in, times) &&
          (!writes || (f_.facts.disjoint && !f_.type_of(in.operands[0]).writable)))
        found.push_back(i);
    }
    return found;
  }

  const Function& f_;
  const std::vector<LaneStep> steps_;  // of the values that there were
};

}  // namespace

void unroll_rows(Module& m) {
  Function& f = m.kernel();
  if (!f.flat || !f.facts.small || !any_inst(f, [](const Inst& i) { return i.op == Op::For; }))
    return;
  const Rows rows(f, std::move(find_lane_steps(m).front()));
  if (Unroller(f).run(rows))
    for (Function& each : m.functions) each.facts.pieces = true;
}

}  // namespace krait::passes
