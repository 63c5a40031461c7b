// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One index a dimension becomes one flat index, in elements. Contiguous arrays go by their extents
// in Horner's form, (i0 * e1 + i1) * e2 + i2, others by the sum of index times stride.
#include "ir/tiles.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

class Lowerer {
 public:
  explicit Lowerer(Function& f) : f_(f), b_(f) {}
  void run() {
    walk(f_.body);
    f_.flat = true;
  }

 private:
  void walk(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      b_.at(r);
      if (is_access(f_.insts[i].op)) lower(i, 0, 1);
      if (is_copy(f_.insts[i].op))
        lower(i, copy_operands(f_.insts[i].op).view, copy_operands(f_.insts[i].op).indices);
      f_.regions[r].insts.push_back(i);
      const std::vector<RegionId> regions = f_.insts[i].regions;
      for (const RegionId inner : regions) walk(inner);
    }
  }

  /// The array is operand `where`, its indices begin at `at`.
  void lower(InstId i, std::size_t where, std::size_t at) {
    const ValueId array = f_.insts[i].operands[where];
    const Type t = f_.type_of(array);
    b_.location(f_.insts[i].loc);
    const bool contiguous = t.space != Space::Global || f_.facts.contiguous;
    ValueId flat = none;
    for (unsigned d = 0; d < t.rank; ++d) {
      const ValueId index = b_.cast(Scalar::I64, f_.insts[i].operands[at + d]);
      if (contiguous) {
        flat = d == 0 ? index
                      : b_.binary(Op::Add,
                                  {b_.binary(Op::Mul, {flat, extent_of(f_, b_, array, d)}), index});
      } else {
        const ValueId term =
            f_.facts.dense_rows && d + 1 == t.rank
                ? index
                : b_.binary(Op::Mul, {index, b_.emit(Op::Stride, Scalar::I64, {array}, d)});
        flat = d == 0 ? term : b_.binary(Op::Add, {flat, term});
      }
    }
    std::vector<ValueId>& operands = f_.insts[i].operands;
    operands[at] = flat;
    operands.erase(operands.begin() + std::ptrdiff_t(at) + 1,
                   operands.begin() + std::ptrdiff_t(at) + t.rank);
  }

  Function& f_;
  Builder b_;
};

}  // namespace

void lower_access(Module& m) {
  check_accesses(m);  // checks look at every dimension's index
  for (Function& f : m.functions)
    if (!f.flat) Lowerer(f).run();
}

}  // namespace krait::passes
