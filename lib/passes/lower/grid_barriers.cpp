// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers of the grid for targets whose launcher makes all blocks run at once: barriers of the
// block around what its first thread does with a counter, which a hidden parameter brings. Block 0
// adds 2^31 less the number of other blocks, each other block 1: when all have arrived the
// counter's highest bit has changed, and the bits below are as they were. So a counter serves any
// number of barriers and, one after another, of launches, and nobody resets it. (The method of
// CUDA's cooperative groups.)
#include "ir/hidden.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

class GridBarriers {
 public:
  explicit GridBarriers(Function& f) : f_(f), b_(f) {}
  void run() {
    counter_ = hidden_parameter(f_, {HiddenKind::Arrivals});
    walk(f_.body);
  }

 private:
  void walk(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      b_.at(r);
      if (f_.insts[i].op == Op::GridBarrier) {
        lower(i);
        continue;
      }
      f_.regions[r].insts.push_back(i);
      const std::vector<RegionId> regions = f_.insts[i].regions;
      for (const RegionId inner : regions) walk(inner);
    }
  }

  ValueId word(std::uint32_t x) { return b_.constant(Scalar::U32, x); }
  ValueId position(Op op, unsigned dimension) { return b_.emit(op, Scalar::I64, {}, dimension); }
  ValueId is_first(Op op) {
    const ValueId any =
        b_.binary(Op::Or, {b_.binary(Op::Or, {position(op, 0), position(op, 1)}), position(op, 2)});
    return b_.compare(Op::Eq, {any, b_.constant(Scalar::I64, 0)});
  }
  void lower(InstId barrier) {
    b_.location(f_.insts[barrier].loc);
    b_.append(Op::Barrier, {}, {});
    const ValueId first = is_first(Op::ThreadIdx);
    const InstId guard = b_.append(Op::If, {}, std::span(&first, 1));
    const RegionId here = b_.region();
    b_.at(b_.new_region(guard));
    arrive();
    b_.append(Op::Yield, {}, {});
    b_.at(b_.new_region(guard));
    b_.append(Op::Yield, {}, {});
    b_.at(here);
    b_.append(Op::Barrier, {}, {});
  }

  void arrive() {
    const ValueId blocks = b_.binary(
        Op::Mul, {b_.binary(Op::Mul, {position(Op::GridDim, 0), position(Op::GridDim, 1)}),
                  position(Op::GridDim, 2)});
    const ValueId others = b_.binary(Op::Sub, {b_.cast(Scalar::U32, blocks), word(1)});
    const ValueId flips = b_.binary(Op::Sub, {word(1u << 31), others});
    const ValueId step = b_.select({is_first(Op::BlockIdx), flips, word(1)});
    const std::uint64_t device = std::uint64_t(Scope::Device);
    b_.append(Op::Fence, {}, {}, device);
    const ValueId before = b_.emit(Op::AtomicAdd, Scalar::U32, {counter_, word(0), step});
    wait(before);
    b_.append(Op::Fence, {}, {}, device);
  }

  void wait(ValueId before) {
    const InstId loop = b_.append(Op::Loop, {}, {});
    const RegionId here = b_.region(), body = b_.new_region(loop);
    b_.at(body);
    const ValueId now = b_.emit(Op::AtomicLoad, Scalar::U32, {counter_, word(0)});
    const ValueId same = b_.compare(Op::Lt, {b_.binary(Op::Xor, {before, now}), word(1u << 31)});
    const InstId branch = b_.append(Op::If, {}, std::span(&same, 1));
    b_.at(b_.new_region(branch));
    b_.append(Op::Yield, {}, {});
    b_.at(b_.new_region(branch));
    b_.append(Op::Break, {}, {});
    b_.at(body);
    b_.append(Op::Continue, {}, {});
    b_.at(here);
  }

  Function& f_;
  Builder b_;
  ValueId counter_ = none;
};

}  // namespace

void lower_grid_barriers(Module& m) {
  if (any_inst(m.kernel(), [](const Inst& i) { return i.op == Op::GridBarrier; }))
    GridBarriers(m.kernel()).run();
}

}  // namespace krait::passes
