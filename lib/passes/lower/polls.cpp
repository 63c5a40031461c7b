// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that wait for what others write: whether they are left depends on an atomic access, and a
// trip changes nothing that a later one sees. Such a trip is a function of what it reads. After one
// that leaves the same carried values, the next does the same, until another thread writes. So the
// loop counts the trips in a row after which those carried values are what they were, and tells
// `poll` at the end of each.
//
// Not counted is what decides nothing: how long to sleep, or a number of trips for the result. Not
// found are loops that end by themselves (what bounds them is carried, and changes), that look at a
// clock, or whose trips leave something behind: an atomic_add, a store of what it loaded itself, a
// compare-and-swap of what the loop computes, which fails only when another thread's succeeds.
#include <algorithm>

#include "passes/analysis/liveness.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

class Finder {
 public:
  Finder(const Function& f, const Calls& calls) : f_(f), calls_(calls), holders_(holders(f)) {}

  /// Empty where the loop is none that waits; else which carried values decide whether and how it
  /// goes on.
  std::vector<bool> decisive(InstId loop) {
    if (f_.insts[loop].op != Op::Loop) return {};
    inside_.assign(f_.regions.size(), false);
    written_.clear();
    const RegionId body = f_.insts[loop].regions[0];
    inside_[body] = true;
    bool repeats = true, atomics = false;
    for_each_inst(f_, body, [&](InstId i, RegionId) {
      const Inst& inst = f_.insts[i];
      for (const RegionId r : inst.regions) inside_[r] = true;
      atomics |= is_atomic(inst.op);
      if (writes(inst)) written_.push_back(inst.operands[0]);
      if (inst.op == Op::Call)
        repeats &= calls_.effect(inst) == Effect::Pure || calls_.effect(inst) == Effect::Read;
      if (is_tile_operation(inst.op) || inst.op == Op::GridBarrier || inst.op == Op::Slot ||
          inst.op == Op::Set)
        repeats = false;
    });
    if (!repeats || !atomics) return {};

    Liveness live(f_);
    live.mark(loop);
    for_each_inst(f_, body, [&](InstId i, RegionId) {
      const Inst& inst = f_.insts[i];
      if (inst.op == Op::Return || is_barrier(inst.op)) live.mark(i);
      if (!writes(inst)) return;
      if (live.is_private(inst.operands[0]) && !is_atomic(inst.op)) live.write(i);
      else live.mark(i);
      for (std::size_t k = 1; k < inst.operands.size(); ++k)
        repeats &= is_fixed(inst.operands[k], loop, is_atomic(inst.op));
      repeats &= is_idempotent(inst);
    });
    live.follow_all();
    bool asks = false;
    for_each_inst(f_, body, [&](InstId i, RegionId) {
      if (!live.live(i)) return;
      asks |= is_atomic(f_.insts[i].op);
      repeats &= f_.insts[i].op != Op::Clock;
    });
    if (!repeats || !asks) return {};
    std::vector<bool> out{true};  // of the loop itself
    for (const ValueId v : f_.regions[body].params) out.push_back(live.used(v));
    return out;
  }

 private:
  static bool writes(const Inst& inst) {
    const Effect e = info(inst.op).effect;
    return e == Effect::Write || (e == Effect::Atomic && inst.op != Op::AtomicLoad);
  }
  /// Whether doing it twice is as good as once.
  bool is_idempotent(const Inst& inst) const {
    switch (inst.op) {
      case Op::AtomicExchange:
      case Op::AtomicAnd:
      case Op::AtomicOr:
      case Op::AtomicMin:
      case Op::AtomicMax:
      case Op::AtomicCas:
      case Op::Store:
      case Op::StoreVec: return true;
      case Op::AtomicAdd:
      case Op::AtomicXor:
        return f_.is_const(inst.operands.back()) && f_.const_bits(inst.operands.back()) == 0;
      default: return false;
    }
  }
  bool is_written(ValueId array) const {
    const Space space = f_.type_of(array).space;
    for (const ValueId w : written_)
      if (w == array || (space == Space::Global && f_.type_of(w).space == Space::Global))
        return true;
    return false;
  }
  /// Whether the value is the same in every trip that starts from the same carried values, as long
  /// as others write nothing. Atomics write what is known before the loop: what they exchange for
  /// what they found moves on.
  bool is_fixed(ValueId v, InstId loop, bool before) const {
    const Value& value = f_.values[v];
    if (f_.type_of(v).is_array()) return true;
    if (value.def == none) {
      if (!inside_[value.region]) return true;
      return !before && value.region == f_.insts[loop].regions[0];
    }
    if (!inside_[holders_[value.def]]) return true;
    const Inst& inst = f_.insts[value.def];
    const bool loads = !before && (inst.op == Op::Load || inst.op == Op::AtomicLoad) &&
                       !is_written(inst.operands[0]);
    if (!is_pure(inst.op) && !loads) return false;
    for (const ValueId operand : inst.operands)
      if (!is_fixed(operand, loop, before)) return false;
    return true;
  }

  const Function& f_;
  const Calls& calls_;
  const std::vector<RegionId> holders_;
  std::vector<bool> inside_;      // by RegionId: within the loop
  std::vector<ValueId> written_;  // arrays that the loop writes
};

/// Gives a loop that waits its count.
class Marker {
 public:
  explicit Marker(Function& f) : f_(f), b_(f), holders_(holders(f)), exits_(f) {}

  void mark(InstId loop, const std::vector<bool>& decisive, std::uint64_t number) {
    const RegionId body = f_.insts[loop].regions[0];
    const std::size_t carried = f_.regions[body].params.size();
    b_.location(f_.insts[loop].loc);
    const ValueId zero = constant_before(loop);
    f_.insts[loop].operands.push_back(zero);
    const ValueId trips = b_.new_param(body, value_type(Scalar::U32));
    b_.add_result(loop, value_type(Scalar::U32));
    for (const InstId exit : exits_.breaks[loop]) f_.insts[exit].operands.push_back(zero);
    for (const InstId exit : exits_.continues[loop]) {
      const RegionId r = holders_[exit];
      f_.regions[r].insts.pop_back();
      b_.at(r);
      ValueId same = none;
      for (std::size_t k = 0; k < carried; ++k) {
        if (!decisive[1 + k]) continue;
        const ValueId equal = b_.compare(
            Op::Eq, {bits(f_.regions[body].params[k]), bits(f_.insts[exit].operands[k])});
        same = same == none ? equal : b_.binary(Op::And, {same, equal});
      }
      const ValueId next = b_.binary(Op::Add, {trips, b_.constant(Scalar::U32, 1)});
      const ValueId count =
          same == none ? next : b_.select({same, next, b_.constant(Scalar::U32, 0)});
      b_.append(Op::Poll, {}, std::span(&count, 1), number);
      f_.insts[exit].operands.push_back(count);
      f_.regions[r].insts.push_back(exit);
    }
  }

 private:
  ValueId constant_before(InstId loop) {
    const RegionId r = holders_[loop];
    std::vector<InstId> insts = take_insts(f_, r);
    ValueId zero = none;
    for (const InstId i : insts) {
      b_.at(r);
      if (i == loop) zero = b_.constant(Scalar::U32, 0);
      f_.regions[r].insts.push_back(i);
    }
    return zero;
  }
  /// A NaN is what it was.
  ValueId bits(ValueId v) {
    const Scalar s = f_.type_of(v).scalar;
    return is_float(s) ? b_.emit(Op::Bitcast, bits_type(s), {v}) : v;
  }

  Function& f_;
  Builder b_;
  const std::vector<RegionId> holders_;
  const LoopExits exits_;
};

/// Calls visit(function, loop, decisive) for the loops that wait, in text order.
template <class Visit>
void for_each_poll(const Module& m, const Visit& visit) {
  const auto asks = [](const Function& f) {
    return any_inst(f, [](const Inst& i) { return is_atomic(i.op); }) &&
           any_inst(f, [](const Inst& i) { return i.op == Op::Loop; });
  };
  if (std::none_of(m.functions.begin(), m.functions.end(), asks)) return;
  const Calls calls(m);
  for (std::size_t k = 0; k < m.functions.size(); ++k) {
    if (!asks(m.functions[k])) continue;
    Finder finder(m.functions[k], calls);
    for_each_inst(m.functions[k], [&](InstId i, RegionId) {
      if (const std::vector<bool> decisive = finder.decisive(i); !decisive.empty())
        visit(k, i, decisive);
    });
  }
}

}  // namespace

std::vector<Location> polls(const Module& m) {
  std::vector<Location> places;
  for_each_poll(m, [&](std::size_t function, InstId loop, const std::vector<bool>&) {
    const Function& f = m.functions[function];
    places.push_back(f.locations[f.insts[loop].loc]);
  });
  return places;
}

void mark_polls(Module& m) {
  struct Poll {
    std::size_t function;
    InstId loop;
    std::vector<bool> decisive;
  };
  std::vector<Poll> found;
  for_each_poll(m, [&](std::size_t function, InstId loop, const std::vector<bool>& decisive) {
    found.push_back({function, loop, decisive});
  });
  for (std::size_t n = 0; n < found.size(); ++n)
    Marker(m.functions[found[n].function]).mark(found[n].loop, found[n].decisive, n);
}

}  // namespace krait::passes
