// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/weight.h"

#include <algorithm>

#include "ir/walk.h"

namespace krait::ir {
namespace {

constexpr unsigned most = 1u << 20;

unsigned weight_of(const Module& m, const Inst& inst, const Function& f) {
  unsigned total = 1;
  for (const RegionId r : inst.regions) total = std::min(total + weight(m, f, r), most);
  if (divides(inst.op)) total += 8;
  if (is_math(inst.op)) total += 20;  // its body
  if (inst.op == Op::Call) total += weight(m, m.callee(inst), m.callee(inst).body);
  return is_loop(inst.op) ? total * usual_trips : total;
}

}  // namespace

unsigned weight(const Module& m, const Function& f, RegionId region) {
  unsigned total = 0;
  for (const InstId i : f.regions[region].insts)
    total = std::min(total + weight_of(m, f.insts[i], f), most);
  return total;
}

namespace {

/// What the trips of loops of a kernel follow from.
class Worker {
 public:
  explicit Worker(const Module& m) : m_(m), f_(m.kernel()) {}
  Work of(RegionId r) {
    Work all;
    for (const InstId i : f_.regions[r].insts) {
      const Inst& inst = f_.insts[i];
      if (inst.regions.empty()) all.operations += weight_of(m_, inst, f_);
      for (const RegionId inner : inst.regions) add(all, inst, of(inner));
    }
    return all;
  }

 private:
  struct Source {
    double trips = 0;
    std::uint32_t parameter = none, dimension = 0;
  };

  void add(Work& all, const Inst& inst, Work inside) {
    if (inst.op == Op::For) {
      const ValueId count = inst.operands[0];
      Source from;
      if (f_.is_const(count)) from.trips = double(f_.const_bits(count));
      else find(count, 1, 0, from);
      if (from.trips == 0) from = {usual_trips};
      all.loops.push_back({from.trips, from.parameter, from.dimension, std::move(inside)});
    } else if (inst.op == Op::Loop) {
      all.loops.push_back({usual_trips, none, 0, std::move(inside)});
    } else {
      all.operations += inside.operations;
      for (Work::Loop& l : inside.loops) all.loops.push_back(std::move(l));
    }
  }

  /// An extent, or else an integer of the arguments, that a count is computed from, and the share
  /// of it that constants leave.
  void find(ValueId v, double share, unsigned depth, Source& found) const {
    constexpr unsigned deepest = 12;
    const Inst* d = f_.def(v);
    if (depth > deepest) return;
    if (!d) {
      const auto params = f_.params();
      const auto at = std::find(params.begin(), params.end(), v);
      if (at != params.end() && is_int(f_.type_of(v).scalar) && found.trips == 0)
        found = {share, std::uint32_t(at - params.begin()), Work::Loop::value};
      return;
    }
    if (d->op == Op::Extent) {
      const auto params = f_.params();
      const auto at = std::find(params.begin(), params.end(), d->operands[0]);
      if (at != params.end())
        found = {share, std::uint32_t(at - params.begin()), std::uint32_t(d->imm)};
      return;
    }
    if (info(d->op).effect != Effect::Pure) return;
    const std::uint64_t by =
        d->operands.size() == 2 && f_.is_const(d->operands[1]) ? f_.const_bits(d->operands[1]) : 0;
    if (d->op == Op::Div && by > 1) share /= double(by);
    if (d->op == Op::Shr && by < 64) share /= double(std::uint64_t(1) << by);
    for (const ValueId o : d->operands) find(o, share, depth + 1, found);
  }

  const Module& m_;
  const Function& f_;
};

}  // namespace

Work work_of(const Module& m, bool& strides) {
  strides = any_inst(m.kernel(), [](const Inst& i) { return i.op == Op::GridStride; });
  return Worker(m).of(m.kernel().body);
}

}  // namespace krait::ir
