// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// grid_stride as a plain loop, for back ends that give it no treatment of its own:
//   loop (i = global_id.x, carried…) { if i < bound {} else { break } …; continue i + global_size.x }
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

class Lowerer {
 public:
  explicit Lowerer(Function& f) : f_(f), b_(f), exits_(f) {}
  void run() { walk(f_.body); }

 private:
  void walk(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      b_.at(r);
      if (f_.insts[i].op == Op::GridStride) lower(i);
      f_.regions[r].insts.push_back(i);
      const std::vector<RegionId> regions = f_.insts[i].regions;
      for (const RegionId inner : regions) walk(inner);
    }
  }

  /// In place: the instruction becomes a loop that carries the index in front of the other values.
  void lower(InstId i) {
    b_.location(f_.insts[i].loc);
    const ValueId bound = f_.insts[i].operands[0];
    const ValueId first = b_.emit(Op::GlobalId, Scalar::I64, {}, 0), step = b_.emit(Op::GlobalSize, Scalar::I64, {}, 0);
    f_.insts[i].op = Op::Loop;
    f_.insts[i].operands[0] = first;
    const auto last = ValueId(f_.values.size());
    f_.values.push_back({value_type(Scalar::I64), i, none});
    f_.insts[i].results.insert(f_.insts[i].results.begin(), last);
    f_.insts[i].type = value_type(Scalar::I64);

    const RegionId body = f_.insts[i].regions[0];
    const std::vector<ValueId> params = f_.regions[body].params;
    const std::vector<InstId> insts = take_insts(f_, body);
    b_.at(body);
    const ValueId inside = b_.compare(Op::Lt, {params[0], bound});
    const InstId guard = b_.append(Op::If, {}, std::span(&inside, 1));
    const RegionId go_on = b_.new_region(guard), leave = b_.new_region(guard);
    b_.at(go_on);
    b_.append(Op::Yield, {}, {});
    b_.at(leave);
    b_.append(Op::Break, {}, params);
    b_.at(body);
    const ValueId next = b_.binary(Op::Add, {params[0], step});
    f_.regions[body].insts.insert(f_.regions[body].insts.end(), insts.begin(), insts.end());
    for (const InstId exit : exits_.continues[i]) f_.insts[exit].operands.insert(f_.insts[exit].operands.begin(), next);
    for (const InstId exit : exits_.breaks[i]) f_.insts[exit].operands.insert(f_.insts[exit].operands.begin(), params[0]);
  }

  Function& f_;
  Builder b_;
  LoopExits exits_;
};

}  // namespace

void lower_grid_stride(Module& m) {
  for (Function& f : m.functions) Lowerer(f).run();
}

}  // namespace krait::passes
