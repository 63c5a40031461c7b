// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// a*b + c becomes fma(a, b, c), a*b - c fma(a, b, -c), c - a*b fma(-a, b, c). The rule is a
// function of the IR alone, so that every target fuses the same: a product is fused into its sums
// when it has no other uses, so that it is never computed twice for nothing; of two products the
// left one. Strict code stays as written, and so do library functions, which are expanded later. So
// does f32 where a device's own fma flushes subnormals and native mode need not have the same bits
// everywhere: one that does not is five times as slow there as a product and a sum.
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

class Contractor {
 public:
  Contractor(Function& f, bool singles)
      : f_(f), b_(f), singles_(singles), only_summed_(f.values.size(), true) {}
  void run() {
    for_each_inst(f_, [&](InstId i, RegionId) {
      const Inst& inst = f_.insts[i];
      const bool sum = is_sum(inst) && inst.operands[0] != inst.operands[1];
      for (const ValueId v : inst.operands) only_summed_[v] = only_summed_[v] && sum;
    });
    walk(f_.body);
  }

 private:
  bool allowed(const Inst& inst) const {
    return inst.fast || (f_.fp != FpMode::Strict && (singles_ || inst.type.scalar != Scalar::F32));
  }
  bool is_sum(const Inst& inst) const {
    // a type without arithmetic of its own would fuse by many operations
    const Scalar s = inst.type.scalar;
    return (inst.op == Op::Add || inst.op == Op::Sub) && is_float(s) && info(s).storage == s &&
           allowed(inst);
  }
  const Inst* product(ValueId v) const {
    const Inst* d = only_summed_[v] ? f_.def(v) : nullptr;
    return d && d->op == Op::Mul && allowed(*d) ? d : nullptr;
  }

  void walk(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      b_.at(r);
      if (is_sum(f_.insts[i])) fuse(i);
      f_.regions[r].insts.push_back(i);
      const std::vector<RegionId> regions = f_.insts[i].regions;
      for (const RegionId inner : regions) walk(inner);
    }
  }

  /// Turns the sum into an fma in place. The product is left to dce.
  void fuse(InstId i) {
    const Scalar s = f_.insts[i].type.scalar;
    const bool minus = f_.insts[i].op == Op::Sub;
    const ValueId left = f_.insts[i].operands[0], right = f_.insts[i].operands[1];
    const bool from_left = product(left);
    const Inst* mul = from_left ? product(left) : product(right);
    if (!mul) return;
    ValueId a = mul->operands[0], c = from_left ? right : left;
    const ValueId b = mul->operands[1];
    const bool fast = mul->fast;
    b_.location(f_.insts[i].loc);
    if (minus && from_left) c = b_.emit(Op::Neg, s, {c});
    if (minus && !from_left) a = b_.emit(Op::Neg, s, {a});
    Inst& sum = f_.insts[i];
    sum.op = Op::Fma;
    sum.fast |= fast;
    sum.operands = {a, b, c};
  }

  Function& f_;
  Builder b_;
  bool singles_;
  std::vector<bool> only_summed_;  // by value: all uses are sums
};

}  // namespace

void contract(Module& m, bool singles) {
  for (Function& f : m.functions) Contractor(f, singles).run();
  dce(m);
}

}  // namespace krait::passes
