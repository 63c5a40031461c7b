// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU's own in the shared arithmetic: vectors of lanes. f16 is kept as its bits (i16) and
// computed in f32, since LLVM calls library functions for it on machines without the conversions.
#pragma once

#include <array>
#include <functional>

#include "codegen/cpu/plan/shape.h"
#include "codegen/llvm/numeric.h"
#include "ir/ir.h"
#include "passes/analysis/float_facts.h"

namespace krait::codegen::cpu {

class Arithmetic final : public Numeric {
 public:
  /// `helper` gives the function pointer of an entry of CpuLaunch::helpers.
  Arithmetic(llvm::IRBuilderBase& builder, const Machine& machine, const ir::Function& f,
             std::function<llvm::Value*(CpuHelper)> helper)
      : Numeric(builder), machine_(machine), floats_(f), helper_(std::move(helper)) {}

  llvm::Type* scalar_type(ir::Scalar s) const override;
  /// A vector of `lanes`, or the scalar for 0.
  llvm::Type* type(ir::Scalar s, unsigned lanes) const;
  llvm::Constant* constant(ir::Scalar s, std::uint64_t bits) const;
  /// A pure operation that is not Custom, Id or a mathematical function. x is what its operands
  /// are, if it has any: they may be left out where the instruction is made up.
  llvm::Value* pure(const ir::Inst& inst, ir::FpMode mode, ir::Scalar operand,
                    llvm::ArrayRef<llvm::Value*> x);
  /// x as it lies in memory, and back (bool is a byte).
  llvm::Value* to_memory(llvm::Value* x, ir::Scalar s);
  llvm::Value* from_memory(llvm::Value* x, ir::Scalar s);
  /// Of words of four bytes, by instructions where they lie in vectors.
  V dot_bytes(ir::Op op, ir::Scalar s, std::span<V const> x);
  /// Of words of two bf16; `rounds`: in the instruction's order, which takes subnormal numbers for
  /// zero.
  V dot_pairs(std::span<V const> x, bool rounds);

 private:
  static unsigned lanes_of(V x);
  V splat_int(V like, std::uint64_t value) const;  // of the integer type of `like`
  V number(V like, double value) const;            // of the float type of `like`
  llvm::Type* with_lanes(llvm::Type* scalar, V like) const;
  V bits_of(V x, ir::Scalar s);  // float as unsigned integer
  V f32_from_f16(V x);
  V f16_from_f32(V x);
  V f16_from_f64(V x);
  V half(ir::Op op, ir::Scalar result, std::span<V const> x) override;
  V cast_half(V x, ir::Scalar from, ir::Scalar to) override;
  V float_min_max(bool min, ir::Scalar s, V x, V y) override;
  /// Of vectors that AVX-512's vrange takes, which gives a NaN for a signalling one: `signals` are
  /// made quiet first. Else null.
  V range(bool min, ir::Scalar s, std::array<V, 2> x, std::array<bool, 2> signals);
  V fma(ir::Scalar s, V x, V y, V z) override;
  /// Of vectors of floats by the instruction that gives the least i32 for what does not fit; null
  /// for those that it does not take.
  V truncated(V x);
  /// The same to i64, where AVX-512 has it.
  V truncated_to_wide(V x);
  V saturate(V x, ir::Scalar to) override;
  V divide(ir::Op op, ir::Scalar s, V x, V y) override;
  V multiply_high(ir::Scalar s, V x, V y) override;
  V quotient(ir::Scalar s, V x, V y);
  V reciprocal_root(V x, bool fast);
  std::array<passes::FloatFacts, 2> facts_of(const ir::Inst& inst) const;

  const Machine& machine_;
  const passes::FloatRanges floats_;
  // of the operation that is emitted
  std::array<passes::FloatFacts, 2> facts_;
  bool fast_ = false;
  std::function<llvm::Value*(CpuHelper)> helper_;
};

}  // namespace krait::codegen::cpu
