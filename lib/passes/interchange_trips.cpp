// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a kernel with barriers, for the CPU: a grid_stride loop that every thread of the block comes to becomes a loop of the block, with
// a barrier before each trip. Barriers split the block's loop over its gangs, so that the gangs of a block make one trip after
// the other together, on neighbouring elements, instead of one gang all of its trips, far apart in memory:
//   for (k < trips in which all threads are below the bound) { barrier; i = global_id.x + k * global_size.x … }
//   if (i < bound) { … }    the trip in which a part of them is
#include <algorithm>

#include "passes/passes.h"
#include "passes/rewrite.h"

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
    return std::all_of(d->operands.begin(), d->operands.end(), [&](ValueId x) { return f_.type_of(x).is_array() || is_of_launch(x); });
  }

  void interchange(InstId i) {
    b_.location(f_.insts[i].loc);
    const ValueId bound = f_.insts[i].operands[0];
    const auto size = [&](Op op) { return b_.emit(op, Scalar::I64, {}, 0); };
    const ValueId step = size(Op::GlobalSize), threads = size(Op::BlockDim), zero = b_.constant(Scalar::I64, 0);
    const ValueId first = b_.binary(Op::Mul, size(Op::BlockIdx), threads);
    // (bound - (first + threads) + step) / step
    const ValueId room = b_.binary(Op::Sub, b_.binary(Op::Add, bound, step), b_.binary(Op::Add, first, threads));
    const ValueId full = b_.binary(Op::Div, b_.binary(Op::Max, room, zero), step);
    std::vector<ValueId> operands = f_.insts[i].operands;
    operands[0] = b_.cast(Scalar::U64, full);
    const InstId loop = b_.append(Op::For, f_.insts[i].type, operands);
    std::vector<ValueId> after;
    for (const ValueId v : std::vector<ValueId>(f_.insts[i].results)) after.push_back(b_.add_result(loop, Type(f_.type_of(v))));

    const RegionId trip = b_.new_region(loop);
    const ValueId k = b_.new_param(trip, value_type(Scalar::U64));
    std::vector<ValueId> carried;
    for (const ValueId v : after) carried.push_back(b_.new_param(trip, Type(f_.type_of(v))));
    b_.at(trip);
    b_.append(Op::Barrier, {}, {});
    const ValueId next = b_.binary(Op::Add, size(Op::GlobalId), b_.binary(Op::Mul, b_.cast(Scalar::I64, k), step));
    const std::vector<ValueId> continued = body(i, next, carried);
    b_.append(Op::Continue, {}, continued);

    b_.at(f_.body);
    const ValueId last = b_.binary(Op::Add, size(Op::GlobalId), b_.binary(Op::Mul, full, step));
    const ValueId inside = b_.compare(Op::Lt, last, bound);
    const InstId rest = b_.append(Op::If, f_.insts[i].type, std::span(&inside, 1));
    for (std::size_t n = 0; n < after.size(); ++n) same_.replace(f_.insts[i].results[n], b_.add_result(rest, Type(f_.type_of(after[n]))));
    b_.at(b_.new_region(rest));
    const std::vector<ValueId> ended = body(i, last, after);
    b_.append(Op::Yield, {}, ended);
    b_.at(b_.new_region(rest));
    b_.append(Op::Yield, {}, after);
    b_.at(f_.body);
  }

  /// A copy of the loop's body; gives what it continues with.
  std::vector<ValueId> body(InstId i, ValueId index, const std::vector<ValueId>& carried) {
    const RegionId from = f_.insts[i].regions[0];
    std::vector<ValueId> map(f_.values.size(), none);
    map[f_.regions[from].params[0]] = index;
    for (std::size_t n = 0; n < carried.size(); ++n) map[f_.regions[from].params[n + 1]] = carried[n];
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
