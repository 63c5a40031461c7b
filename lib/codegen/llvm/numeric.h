// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pure operations of the IR as LLVM instructions, with the number rules of docs/numbers.md: what LLVM leaves undefined
// (division by zero, shift counts, conversions out of range) is defined here. Works on scalars and on vectors alike: the shape
// of the operands is the shape of the result. bool is i1, signed and unsigned integers are iN, f16 is half.
#pragma once

#include <span>

#include <llvm/IR/IRBuilder.h>

#include "ir/ir.h"

namespace krait::codegen {

/// What the target does well by itself; everything else is built from simpler instructions.
struct NumericTraits {
  bool half_arithmetic = false;      // + - × fma and comparisons of half; otherwise through float (fma through double)
  bool half_from_double = false;     // double → half with one rounding
  bool minimum_number = false;       // llvm.minimumnum and maximumnum are one instruction
  bool wide_multiply = false;        // the upper half of 64 × 64 bits through i128
};

/// LLVM's type of a scalar as a value (bool: i1) and in memory (bool: i8).
llvm::Type* value_type(llvm::LLVMContext& context, ir::Scalar s);
llvm::Type* memory_type(llvm::LLVMContext& context, ir::Scalar s);
/// LLVM's word for an atomic's order.
llvm::AtomicOrdering ordering(ir::Order order);
/// A literal from its bits, zero-extended.
llvm::Constant* literal(llvm::LLVMContext& context, ir::Scalar s, std::uint64_t bits);

class Numeric {
 public:
  Numeric(llvm::IRBuilder<>& builder, NumericTraits traits) : b_(builder), traits_(traits) {}
  virtual ~Numeric() = default;

  /// `operand` is the type of the first operand (of the second for select), `result` that of the result. `fast`: approximate
  /// division and root are allowed.
  llvm::Value* emit(ir::Op op, ir::Scalar result, ir::Scalar operand, std::span<llvm::Value* const> operands, bool fast = false);

  /// Conversion between any two scalar types.
  llvm::Value* cast(llvm::Value* x, ir::Scalar from, ir::Scalar to);
  /// Float to integer: truncates, saturates, NaN is 0. Built by hand: LLVM's saturating intrinsics expand badly on vectors.
  llvm::Value* saturate(llvm::Value* x, ir::Scalar to);

  llvm::Value* min_max(llvm::Value* x, llvm::Value* y, ir::Scalar s, bool max);
  llvm::Value* divide(llvm::Value* x, llvm::Value* y, bool is_signed, bool remainder);
  llvm::Value* shift(ir::Op op, llvm::Value* x, llvm::Value* count, bool is_signed);
  virtual llvm::Value* multiply_high(llvm::Value* x, llvm::Value* y, bool is_signed);
  /// double → half with one rounding, on targets whose conversion goes through float.
  llvm::Value* half_from_double(llvm::Value* x);

  /// The type `element` in the shape of `like`.
  static llvm::Type* shaped(llvm::Type* like, llvm::Type* element);

 protected:
  llvm::IRBuilder<>& b_;

 private:
  llvm::Value* emit_plain(ir::Op op, std::span<llvm::Value* const> x, ir::Scalar s, bool fast);
  llvm::Value* approximate(ir::Op op, std::span<llvm::Value* const> x, bool fast);
  llvm::Value* emit_half(ir::Op op, std::span<llvm::Value* const> x);
  llvm::Value* compare(ir::Op op, llvm::Value* x, llvm::Value* y, ir::Scalar s);
  llvm::Value* count_bits(ir::Op op, llvm::Value* x);
  llvm::Value* intrinsic(unsigned id, std::span<llvm::Value* const> x);
  llvm::Constant* float_constant(llvm::Type* type, double value);
  llvm::Type* float_of(llvm::Value* like) { return shaped(like->getType(), b_.getFloatTy()); }

  NumericTraits traits_;
};

}  // namespace krait::codegen
