// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a kernel with barriers, for the CPU: a grid_stride loop that every thread of the block comes
// to becomes a loop of the block, with a barrier before each trip. Barriers split the block's loop
// over its gangs, so that the gangs of a block make one trip after the other together, on
// neighbouring elements, instead of one gang all of its trips, far apart in memory:
//   for (k < trips in which all threads are below the bound) {
//     barrier; i = global_id.x + k * global_size.x …
//   }
//   if (i < bound) { … }    the trip in which a part of them is
// What a loop carries then lies in memory from trip to trip. Where its body is short, as a sum's,
// several trips stand behind one barrier, and what is carried goes through memory once for all of
// them.
#include <algorithm>

#include "passes/passes.h"
#include "passes/rewrite.h"
#include "support/tuning/cpu.h"

namespace krait::passes {
namespace {

using namespace ir;

class Interchanger {
 public:
  explicit Interchanger(Function& kernel) : f_(kernel), b_(kernel), exits_(kernel) {
    bool barriers = false, leaves = false;
    for_each_inst(f_, [&](InstId i, RegionId r) {
      barriers = barriers || is_barrier(f_.insts[i].op);
      leaves = leaves || (f_.insts[i].op == Op::Return && r != f_.body);
    });
    wanted_ = barriers && !leaves;
  }

  void run() {
    if (!wanted_) return;
    for (const InstId i : take_insts(f_, f_.body)) {
      b_.at(f_.body);
      if (f_.insts[i].op == Op::GridStride && is_plain(i)) interchange(i);
      else f_.regions[f_.body].insts.push_back(i);
    }
    same_.apply(f_);
  }

 private:
  /// All trips to their end, as many for all threads of the block but for one.
  bool is_plain(InstId i) const {
    return exits_.breaks[i].empty() && exits_.continues[i].size() == 1 &&
           exits_.continues[i][0] == f_.regions[f_.insts[i].regions[0]].insts.back() &&
           is_of_launch(f_.insts[i].operands[0]);
  }
  /// Made of arguments and sizes alone.
  bool is_of_launch(ValueId v) const {
    const Inst* d = f_.def(v);
    if (!d) return f_.values[v].region == f_.body;
    const bool argument = d->op == Op::Load && f_.type_of(d->operands[0]).space == Space::Argument;
    if (!argument && (!is_pure(d->op) || info(d->op).level > Level::Block)) return false;
    return std::all_of(d->operands.begin(), d->operands.end(),
                       [&](ValueId x) { return f_.type_of(x).is_array() || is_of_launch(x); });
  }

  void interchange(InstId i) {
    b_.location(f_.insts[i].loc);
    const ValueId bound = f_.insts[i].operands[0];
    const auto size = [&](Op op) { return b_.emit(op, Scalar::I64, {}, 0); };
    const ValueId step = size(Op::GlobalSize), threads = size(Op::BlockDim),
                  zero = b_.constant(Scalar::I64, 0);
    const ValueId first = b_.binary(Op::Mul, {size(Op::BlockIdx), threads});
    // (bound - (first + threads) + step) / step
    const ValueId room = b_.binary(
        Op::Sub, {b_.binary(Op::Add, {bound, step}), b_.binary(Op::Add, {first, threads})});
    const ValueId full = b_.binary(Op::Div, {b_.binary(Op::Max, {room, zero}), step});
    std::vector<ValueId> after(f_.insts[i].operands.begin() + 1, f_.insts[i].operands.end());
    const ValueId trips = b_.cast(Scalar::U64, full);
    fetch_ahead(i, tuning::cpu::trips_ahead);
    if (is_short(i)) {
      const ValueId each = b_.constant(Scalar::U64, tuning::cpu::trips_at_once),
                    many = b_.binary(Op::Div, {trips, each}),
                    done = b_.binary(Op::Mul, {many, each});
      after = loop(i, many, tuning::cpu::trips_at_once, none, step, after);
      after = loop(i, b_.binary(Op::Sub, {trips, done}), 1, done, step, after);
    } else {
      after = loop(i, trips, 1, none, step, after);
    }
    fetch_ahead(i, 0);
    const ValueId last = b_.binary(Op::Add, {size(Op::GlobalId), b_.binary(Op::Mul, {full, step})});
    const ValueId inside = b_.compare(Op::Lt, {last, bound});
    const InstId rest = b_.append(Op::If, f_.insts[i].type, std::span(&inside, 1));
    for (std::size_t n = 0; n < after.size(); ++n)
      same_.replace(f_.insts[i].results[n], b_.add_result(rest, Type(f_.type_of(after[n]))));
    b_.at(b_.new_region(rest));
    const std::vector<ValueId> ended = body(i, last, after);
    b_.append(Op::Yield, {}, ended);
    b_.at(b_.new_region(rest));
    b_.append(Op::Yield, {}, after);
    b_.at(f_.body);
  }

  bool is_short(InstId i) const {
    const std::vector<InstId>& insts = f_.regions[f_.insts[i].regions[0]].insts;
    return !f_.insts[i].results.empty() && insts.size() <= tuning::cpu::short_body &&
           std::all_of(insts.begin(), insts.end(),
                       [&](InstId k) { return f_.insts[k].regions.empty(); });
  }

  /// Of the loads of a trip's own element.
  void fetch_ahead(InstId loop, std::uint16_t trips) {
    const RegionId body = f_.insts[loop].regions[0];
    for_each_inst(f_, body, [&](InstId i, RegionId) {
      Inst& inst = f_.insts[i];
      if (inst.op != Op::Load || f_.type_of(inst.operands[0]).space != Space::Global) return;
      ValueId index = inst.operands[1];
      while (f_.def(index) && f_.def(index)->op == Op::Cast) index = f_.def(index)->operands[0];
      if (index == f_.regions[body].params[0]) inst.ahead = trips;
    });
  }

  /// `count` times `trips` trips, from trip `done` (none: 0) on; gives what they carry on.
  std::vector<ValueId> loop(InstId i, ValueId count, unsigned trips, ValueId done, ValueId step,
                            const std::vector<ValueId>& initial) {
    std::vector<ValueId> operands{count};
    operands.insert(operands.end(), initial.begin(), initial.end());
    const RegionId outside = b_.region();
    const InstId made = b_.append(Op::For, f_.insts[i].type, operands);
    const RegionId inside = b_.new_region(made);
    const ValueId k = b_.new_param(inside, value_type(Scalar::U64));
    std::vector<ValueId> carried, after;
    for (const ValueId v : initial) carried.push_back(b_.new_param(inside, Type(f_.type_of(v))));
    for (const ValueId v : initial) after.push_back(b_.add_result(made, Type(f_.type_of(v))));
    b_.at(inside);
    b_.append(Op::Barrier, {}, {});
    ValueId first = trips == 1 ? k : b_.binary(Op::Mul, {k, b_.constant(Scalar::U64, trips)});
    if (done != none) first = b_.binary(Op::Add, {first, done});
    for (unsigned t = 0; t < trips; ++t) {
      const ValueId trip =
          t == 0 ? first : b_.binary(Op::Add, {first, b_.constant(Scalar::U64, t)});
      carried = body(i,
                     b_.binary(Op::Add, {b_.emit(Op::GlobalId, Scalar::I64, {}, 0),
                                         b_.binary(Op::Mul, {b_.cast(Scalar::I64, trip), step})}),
                     carried);
    }
    b_.append(Op::Continue, {}, carried);
    b_.at(outside);
    return after;
  }

  /// A copy of the loop's body; gives what it continues with.
  std::vector<ValueId> body(InstId i, ValueId index, const std::vector<ValueId>& carried) {
    const RegionId from = f_.insts[i].regions[0];
    std::vector<ValueId> map(f_.values.size(), none);
    map[f_.regions[from].params[0]] = index;
    for (std::size_t n = 0; n < carried.size(); ++n)
      map[f_.regions[from].params[n + 1]] = carried[n];
    return clone_region(f_, from, b_, map, false);
  }

  Function& f_;
  Builder b_;
  LoopExits exits_;
  Substitution same_;
  bool wanted_ = false;
};

}  // namespace

void interchange_trips(Module& m) { Interchanger(m.kernel()).run(); }

}  // namespace krait::passes
