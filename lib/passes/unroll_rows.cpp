// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the CPU: loops in which each thread walks along a row of its own take several elements a trip. A vector of threads loads one
// element each of as many rows, which lie far apart; of several elements side by side it loads whole pieces of the rows, and shuffles
// (codegen/cpu/rows.cpp).
//   for n { i: … load a[row + i] … }   becomes   for n / W { j: load_vec a[row + W j], the body W times }, for n % W { the body }
// Loads move up to the first of the copies, so nothing in the loop may write what they read; and what threads do together would find
// other threads there.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "ir/calls.h"
#include "passes/lane_steps.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "support/tuning_cpu.h"

namespace krait::passes {
namespace {

using namespace ir;

// A piece of a row is as long as the registers that shuffles work within.
constexpr unsigned piece_bytes = 16;

class Unroller {
 public:
  Unroller(Function& f, std::vector<LaneStep> steps) : f_(f), steps_(std::move(steps)), b_(f), exits_(f) {}
  /// Whether there was something to do.
  bool run() {
    walk(f_.body);
    results_.apply(f_);
    return done_;
  }

 private:
  void walk(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      const std::vector<RegionId> regions = f_.insts[i].regions;
      for (const RegionId inner : regions) walk(inner);
      b_.at(r);
      if (f_.insts[i].op != Op::For || !unroll(i)) f_.regions[r].insts.push_back(i);
    }
  }

  /// By value: how many times a loop's counter it is, plus something that is the same in all trips; `other` where it is no such sum.
  static constexpr int other = 1 << 20;
  std::vector<int> counted(RegionId body) const {
    std::vector<int> times(f_.values.size());
    const std::vector<ValueId>& params = f_.regions[body].params;
    for (const ValueId v : params) times[v] = v == params[0] ? 1 : other;
    const auto wide = [&](ValueId v) { return is_int(f_.type_of(v).scalar) && bits_of(f_.type_of(v).scalar) >= 32; };
    for (const InstId i : f_.regions[body].insts) {
      const Inst& inst = f_.insts[i];
      const auto of = [&](std::size_t k) { return times[inst.operands[k]]; };
      bool any = !inst.regions.empty();
      for (std::size_t k = 0; k < inst.operands.size(); ++k) any = any || of(k) != 0;
      int sum = any ? other : 0;
      if (any && inst.op == Op::Add && wide(inst.results[0])) sum = std::min(of(0) + of(1), other);
      if (any && inst.op == Op::Cast && wide(inst.results[0]) && wide(inst.operands[0])) sum = of(0);
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
    return t.space == Space::Global && (is_int(s) || is_float(s)) && t.elem_bytes == size_of(s) && times[inst.operands[1]] == 1 &&
           apart(inst.operands[1]);
  }

  /// Of the body's own region; empty where it cannot be unrolled, or gains nothing.
  std::vector<InstId> rows(InstId loop) const {
    const Inst& inst = f_.insts[loop];
    const RegionId body = inst.regions[0];
    if (!exits_.breaks[loop].empty() || exits_.continues[loop].size() != 1 || exits_.continues[loop][0] != f_.regions[body].insts.back()) return {};
    bool fits = true, writes = false;
    std::size_t count = 0;
    for_each_inst(f_, body, [&](InstId i, RegionId) {
      const Inst& in = f_.insts[i];
      const Effect effect = info(in.op).effect;
      ++count, writes = writes || effect == Effect::Write;
      const bool plain = effect == Effect::Pure || effect == Effect::Read || effect == Effect::Write || is_terminator(in.op) || in.op == Op::If;
      fits = fits && plain && in.op != Op::Return && in.op != Op::Call && in.op != Op::LoadVec;
    });
    if (!fits || count > tuning::cpu::largest_row_body) return {};
    const std::vector<int> times = counted(body);
    std::vector<InstId> found;
    for (const InstId i : f_.regions[body].insts) {
      const Inst& in = f_.insts[i];
      if (walks_a_row(in, times) && (!writes || (f_.facts.disjoint && !f_.type_of(in.operands[0]).writable))) found.push_back(i);
    }
    return found;
  }

  bool unroll(InstId loop) {
    const std::vector<InstId> loads = rows(loop);
    if (loads.empty()) return false;
    unsigned largest = 1;
    for (const InstId i : loads) largest = std::max(largest, size_of(f_.insts[i].type.scalar));
    const unsigned width = std::clamp(piece_bytes / largest, 2u, 8u);
    const ValueId trips = f_.insts[loop].operands[0];
    const bool known = f_.is_const(trips);
    if (known && f_.const_bits(trips) < width) return false;
    done_ = true;

    const Scalar s = f_.type_of(trips).scalar;
    b_.location(f_.insts[loop].loc);
    const ValueId bits = b_.constant(s, unsigned(std::countr_zero(width)));
    const RegionId outside = b_.region(), body = f_.insts[loop].regions[0];
    std::vector<ValueId> carried(f_.insts[loop].operands.begin() + 1, f_.insts[loop].operands.end());
    // All elements at once where there are no more.
    if (known && f_.const_bits(trips) == width) {
      carried = copies(body, b_.constant(s, 0), carried, loads, width);
      for (std::size_t k = 0; k < carried.size(); ++k) results_.replace(f_.insts[loop].results[k], carried[k]);
      return true;
    }
    const ValueId whole = b_.binary(Op::Shr, trips, bits), done = b_.binary(Op::Shl, whole, bits);
    std::vector<ValueId> operands{whole};
    operands.insert(operands.end(), carried.begin(), carried.end());
    const InstId wide = b_.append(Op::For, {}, operands);
    const RegionId into = b_.new_region(wide);
    const ValueId group = b_.new_param(into, f_.type_of(trips));
    std::vector<ValueId> inside;
    for (const ValueId v : carried) inside.push_back(b_.new_param(into, f_.type_of(v)));
    for (ValueId& v : carried) v = b_.add_result(wide, f_.type_of(v));
    b_.at(into);
    const std::vector<ValueId> next = copies(body, b_.binary(Op::Shl, group, b_.constant(s, unsigned(std::countr_zero(width)))), inside, loads, width);
    b_.append(Op::Continue, {}, next);
    b_.at(outside);
    if (known && f_.const_bits(trips) % width == 0) {
      for (std::size_t k = 0; k < carried.size(); ++k) results_.replace(f_.insts[loop].results[k], carried[k]);
      return true;
    }
    // The rest, by the loop itself, which counts on.
    Inst& rest = f_.insts[loop];
    for (std::size_t k = 0; k < carried.size(); ++k) rest.operands[1 + k] = carried[k];
    const ValueId left = b_.binary(Op::Sub, trips, done);
    f_.insts[loop].operands[0] = left;
    count_on(f_, b_, body, done);
    b_.at(outside);
    return false;
  }

  /// The body for `width` elements one after another; what the last one carries on.
  std::vector<ValueId> copies(RegionId body, ValueId first, std::vector<ValueId> carried, const std::vector<InstId>& loads, unsigned width) {
    std::vector<std::vector<ValueId>> loaded(f_.insts.size());
    const std::vector<InstId> insts = f_.regions[body].insts;
    const Scalar s = f_.type_of(first).scalar;
    for (unsigned k = 0; k < width; ++k) {
      std::vector<ValueId> map(f_.values.size(), none);
      map[f_.regions[body].params[0]] = k == 0 ? first : b_.binary(Op::Add, first, b_.constant(s, k));
      for (std::size_t c = 0; c < carried.size(); ++c) map[f_.regions[body].params[1 + c]] = carried[c];
      for (const InstId i : insts) {
        const Inst inst = f_.insts[i];
        if (is_terminator(inst.op)) {
          for (std::size_t c = 0; c < carried.size(); ++c) carried[c] = mapped(map, inst.operands[c]);
          continue;
        }
        b_.location(inst.loc);
        if (!std::count(loads.begin(), loads.end(), i)) {
          clone_inst(f_, i, b_, map);
          continue;
        }
        if (k == 0) {
          const ValueId operands[] = {inst.operands[0], mapped(map, inst.operands[1])};
          const InstId wide = b_.append(Op::LoadVec, inst.type, operands);
          f_.insts[wide].streaming = inst.streaming;
          for (unsigned e = 0; e < width; ++e) loaded[i].push_back(b_.add_result(wide, inst.type));
        }
        set_mapped(map, inst.results[0], loaded[i][k]);
      }
    }
    return carried;
  }

  Function& f_;
  const std::vector<LaneStep> steps_;  // of the values that there were
  Builder b_;
  LoopExits exits_;
  Substitution results_;
  bool done_ = false;
};

}  // namespace

void unroll_rows(Module& m) {
  Function& f = m.kernel();
  if (!f.flat || !f.facts.small || !any_inst(f, [](const Inst& i) { return i.op == Op::For; })) return;
  if (Unroller(f, std::move(find_lane_steps(m).front())).run())
    for (Function& each : m.functions) each.facts.aligned = false;  // pieces of rows begin anywhere
}

}  // namespace krait::passes
