// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/index_constants.h"

namespace krait::codegen {
namespace {

class Taking {
 public:
  Taking(llvm::IRBuilderBase& b, IndexConstants within) : b_(b), within_(within) {}

  std::int64_t from(llvm::Value*& index, unsigned depth) const {
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(index);
        number && fits(number->getSExtValue())) {
      index = llvm::ConstantInt::get(number->getType(), 0);
      return number->getSExtValue();
    }
    if (depth == 0) return 0;
    if (auto* cut = llvm::dyn_cast<llvm::TruncInst>(index)) {
      llvm::Value* wide = cut->getOperand(0);
      const std::int64_t sum = from(wide, depth - 1);
      if (sum != 0) index = b_.CreateTrunc(wide, cut->getType());
      return sum;
    }
    auto* inst = llvm::dyn_cast<llvm::BinaryOperator>(index);
    if (!inst) return 0;
    const auto op = inst->getOpcode();
    llvm::Value *x = inst->getOperand(0), *y = inst->getOperand(1);
    std::int64_t sum = 0;
    if (op == llvm::Instruction::Add || op == llvm::Instruction::Sub) {
      sum = from(x, depth - 1);
      const std::int64_t other = from(y, depth - 1);
      sum += op == llvm::Instruction::Add ? other : -other;
    } else if (const std::int64_t times = factor(op, y); times > 0 && times <= within_.most) {
      sum = from(x, depth - 1) * times;
    }
    if (sum == 0 || !fits(sum)) return 0;
    index = b_.CreateBinOp(op, x, y);
    return sum;
  }

 private:
  bool fits(std::int64_t sum) const { return sum >= within_.least && sum <= within_.most; }

  /// What a product or a shift by a constant multiplies with; 0 where it is neither.
  static std::int64_t factor(unsigned op, const llvm::Value* y) {
    const auto* by = llvm::dyn_cast<llvm::ConstantInt>(y);
    if (!by || by->getSExtValue() <= 0) return 0;
    if (op == llvm::Instruction::Mul) return by->getSExtValue();
    return op == llvm::Instruction::Shl && by->getSExtValue() < 16 ? 1 << by->getSExtValue() : 0;
  }

  llvm::IRBuilderBase& b_;
  IndexConstants within_;
};

}  // namespace

std::int64_t take_constants(llvm::IRBuilderBase& b, llvm::Value*& index, IndexConstants within) {
  constexpr unsigned depth = 6;  // sums of sums of rows of indices
  return index->getType()->isIntegerTy(32) ? Taking(b, within).from(index, depth) : 0;
}

}  // namespace krait::codegen
