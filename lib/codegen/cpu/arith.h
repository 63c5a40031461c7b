// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pure operations on LLVM values that are scalars or vectors of lanes alike, with the numbers of docs/numbers.md. f16 is kept
// as its bits (i16) and computed in f32, since LLVM calls library functions for it on machines without the conversions.
#pragma once

#include <functional>

#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/shape.h"
#include "ir/ir.h"

namespace krait::codegen::cpu {

class Arithmetic {
 public:
  /// `helper` gives the function pointer of an entry of CpuLaunch::helpers.
  Arithmetic(llvm::IRBuilder<>& builder, const Machine& machine, std::function<llvm::Value*(CpuHelper)> helper)
      : b_(builder), machine_(machine), helper_(std::move(helper)) {}

  llvm::Type* scalar_type(ir::Scalar s) const;
  /// A vector of `lanes`, or the scalar for 0.
  llvm::Type* type(ir::Scalar s, unsigned lanes) const;
  llvm::Constant* constant(ir::Scalar s, std::uint64_t bits) const;
  /// A pure operation that is not Custom, Id or a mathematical function.
  llvm::Value* pure(const ir::Inst& inst, ir::FpMode mode, ir::Scalar operand, llvm::ArrayRef<llvm::Value*> x);
  llvm::Value* cast(llvm::Value* x, ir::Scalar from, ir::Scalar to);
  llvm::Value* min_max(bool min, ir::Scalar s, llvm::Value* x, llvm::Value* y);
  /// x as it lies in memory, and back (bool is a byte).
  llvm::Value* to_memory(llvm::Value* x, ir::Scalar s);
  llvm::Value* from_memory(llvm::Value* x, ir::Scalar s);

 private:
  using V = llvm::Value*;
  static unsigned lanes_of(V x);
  V splat_int(V like, std::uint64_t value) const;           // of the integer type of `like`
  V number(V like, double value) const;                     // of the float type of `like`
  llvm::Type* with_lanes(llvm::Type* scalar, V like) const;
  V bits_of(V x, ir::Scalar s);                             // float as unsigned integer
  V f32_from_f16(V x);
  V f16_from_f32(V x);
  V f16_from_f64(V x);
  V integer(ir::Op op, ir::Scalar s, llvm::ArrayRef<V> x);
  V divide(ir::Op op, ir::Scalar s, V x, V y);
  V quotient(ir::Scalar s, V x, V y);
  V multiply_high(ir::Scalar s, V x, V y);
  V floating(ir::Op op, ir::Scalar s, llvm::ArrayRef<V> x);
  V half(const ir::Inst& inst, llvm::ArrayRef<V> x);
  V compare(ir::Op op, ir::Scalar s, V x, V y);
  V fma(ir::Scalar s, V x, V y, V z);
  V is_nan(V x, ir::Scalar s);
  V is_infinite(V x, ir::Scalar s);
  V saturate(V x, ir::Scalar to);
  V reciprocal_root(V x, bool fast);

  llvm::IRBuilder<>& b_;
  const Machine& machine_;
  std::function<llvm::Value*(CpuHelper)> helper_;
};

}  // namespace krait::codegen::cpu
