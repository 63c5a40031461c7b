// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pure operations of the IR as LLVM instructions, with the number rules of docs/numbers.md:
// what LLVM leaves undefined (division by zero, shift counts, conversions out of range) is defined
// here. Works on scalars and on vectors alike: the shape of the operands is the shape of the
// result. bool is i1, signed and unsigned integers are iN.
//
// A target derives from Numeric. What LLVM does well on every target is here; a hook is what a
// target has to say, or says otherwise.
#pragma once

#include <cstdint>
#include <span>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/AtomicOrdering.h>

#include "ir/ir.h"

namespace llvm {
class Constant;
class IRBuilderBase;
class LLVMContext;
class MDNode;
class Type;
class Value;
}  // namespace llvm

namespace krait::codegen {

/// LLVM's type of a scalar as a value (bool: i1) and in memory (bool: i8).
llvm::Type* value_type(llvm::LLVMContext& context, ir::Scalar s);
llvm::Type* memory_type(llvm::LLVMContext& context, ir::Scalar s);
/// LLVM's word for an atomic's order.
llvm::AtomicOrdering ordering(ir::Order order);
/// What an if says of its condition; null: nothing.
llvm::MDNode* branch_weights(llvm::LLVMContext& context, ir::Expected mostly);
/// A literal from its bits, zero-extended.
llvm::Constant* literal(llvm::LLVMContext& context, ir::Scalar s, std::uint64_t bits);

class Numeric {
 public:
  using V = llvm::Value*;
  explicit Numeric(llvm::IRBuilderBase& builder) : b_(builder) {}
  Numeric(const Numeric&) = delete;
  virtual ~Numeric() = default;

  /// A row of KRAIT_VALUE, but not those that the target's lowering or expand_ops takes. `operand`
  /// is the type of the first operand (of the second for select), `result` that of the result. The
  /// builder's fast-math flags hold.
  V emit(ir::Op op, ir::Scalar result, ir::Scalar operand, std::span<V const> x);
  /// Conversion between any two scalar types that the target has.
  V cast(V x, ir::Scalar from, ir::Scalar to);
  /// minimumNumber and maximumNumber.
  V min_max(bool min, ir::Scalar s, V x, V y);

  /// The type `element` in the shape of `like`.
  static llvm::Type* shaped(llvm::Type* like, llvm::Type* element);

 protected:
  // ---- hooks
  /// How a value is kept.
  virtual llvm::Type* scalar_type(ir::Scalar s) const;
  /// An operation on f16 that is not done as those on other floats; null: it is.
  virtual V half(ir::Op op, ir::Scalar result, std::span<V const> x) = 0;
  /// A conversion from or to f16.
  virtual V cast_half(V x, ir::Scalar from, ir::Scalar to) = 0;
  virtual V float_min_max(bool min, ir::Scalar s, V x, V y) = 0;
  virtual V fma(ir::Scalar s, V x, V y, V z) = 0;
  /// Float (not f16) to integer: truncates, saturates, NaN is 0.
  virtual V saturate(V x, ir::Scalar to) = 0;
  /// div or rem of integers.
  virtual V divide(ir::Op op, ir::Scalar s, V x, V y) = 0;
  virtual V multiply_high(ir::Scalar s, V x, V y);

  /// An operation on f16 in f32, whose second rounding does no harm (lib/ir/op_semantics.h).
  V through_float(ir::Op op, ir::Scalar result, std::span<V const> x);

  llvm::IRBuilderBase& b_;

 private:
  V integer(ir::Op op, ir::Scalar s, std::span<V const> x);
  V floating(ir::Op op, ir::Scalar s, std::span<V const> x);
  V compare(ir::Op op, ir::Scalar s, V x, V y);
};

}  // namespace krait::codegen
