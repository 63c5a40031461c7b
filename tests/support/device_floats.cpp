// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/device_floats.h"

#include <utility>

#include "ir/builder.h"
#include "ir/walk.h"

namespace krait::test {
namespace {

using namespace ir;

bool is_arithmetic(const Function& f, const Inst& i) {
  if (i.operands.empty() || !f.type_of(i.operands[0]).is_value() ||
      f.type_of(i.operands[0]).scalar != Scalar::F32)
    return false;
  if (info(i.op).rule == Rule::Compare) return true;
  switch (i.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Neg:  // SwiftShader: of a subnormal number -0
    case Op::Mul:
    case Op::Div:
    case Op::Sqrt:
    case Op::Fma:
    case Op::Floor:
    case Op::Ceil:
    case Op::Trunc:
    case Op::Rint: return true;
    default: return false;
  }
}

class Rewriter {
 public:
  explicit Rewriter(Function& f) : f_(f), b_(f) {}
  void run() {
    walk(f_.body);
    results_.apply(f_);
  }

 private:
  void walk(RegionId r) {
    for (const InstId i : std::exchange(f_.regions[r].insts, {})) {
      b_.at(r);
      const Inst inst = f_.insts[i];
      if (is_arithmetic(f_, inst)) results_.replace(inst.results[0], computed(inst));
      else f_.regions[r].insts.push_back(i);
      for (const RegionId inner : inst.regions) walk(inner);
    }
  }

  /// A zero of the same sign where the number is subnormal.
  ValueId flushed(ValueId x) {
    const ValueId bits = b_.emit(Op::Bitcast, Scalar::U32, {x}),
                  size = b_.binary(Op::And, {bits, b_.constant(Scalar::U32, 0x7fffffff)}),
                  small = b_.compare(Op::Lt, {size, b_.constant(Scalar::U32, 0x00800000)}),
                  sign = b_.binary(Op::And, {bits, b_.constant(Scalar::U32, 0x80000000)});
    return b_.select({small, b_.emit(Op::Bitcast, Scalar::F32, {sign}), x});
  }

  ValueId computed(const Inst& inst) {
    std::vector<ValueId> operands;
    for (const ValueId v : inst.operands) operands.push_back(flushed(v));
    if (inst.op == Op::Fma) {
      const ValueId product = flushed(b_.binary(Op::Mul, {operands[0], operands[1]}));
      return flushed(b_.binary(Op::Add, {product, operands[2]}));
    }
    const ValueId result = b_.emit(inst.op, inst.type, operands, inst.imm);
    return inst.type.scalar == Scalar::F32 ? flushed(result) : result;
  }

  Function& f_;
  Builder b_;
  Substitution results_;
};

}  // namespace

ir::Module with_device_floats(const ir::Module& lowered) {
  ir::Module m = lowered;
  for (Function& f : m.functions) Rewriter(f).run();
  return m;
}

}  // namespace krait::test
