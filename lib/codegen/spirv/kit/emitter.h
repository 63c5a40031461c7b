// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed instructions on scalars of the IR: types, constants and single instructions of a module for
// one device. What an operation of the IR means is in numeric.h.
#pragma once

#include <map>
#include <span>
#include <string>

#include <spirv/unified1/GLSL.std.450.h>

#include "codegen/reply.h"
#include "codegen/spirv/kit/blocks.h"
#include "codegen/spirv/module/module.h"
#include "ir/ir.h"
#include "support/target.h"

namespace krait::codegen::spirv {

using ir::Scalar;
using support::Feature;

class Emitter {
 public:
  Emitter(const support::SpirvTarget& target, Dialect dialect) : m(dialect), target_(target) {}
  Emitter(const Emitter&) = delete;

  Module m;
  Blocks blocks{m};
  bool fast = false;       // the current operation may be approximated and contracted
  bool any_order = false;  // it is an addition whose terms may come in any order, too
  /// What messages about missing features name: "operation add (user.cpp:12)".
  std::string where;

  bool kernel() const { return m.dialect == Dialect::Kernel; }
  bool has(Feature feature) const { return target_.features.has(feature); }
  const support::SpirvTarget& target() const { return target_; }
  void need(Feature feature, std::string_view of_what);
  /// Fma of f32 rounds once, at least where no subnormal number is involved.
  bool fuses_f32() const { return has(Feature::Fma32) || has(Feature::Nfma32); }

  // ---- types and numbers
  Id type(Scalar s);
  Id constant(Scalar s, std::uint64_t bits);
  Id u32(std::uint32_t v) { return m.globals.constant_u32(v); }
  Id undefined(Id type) { return m.code.emit(spv::Op::OpUndef, type, {}); }
  /// What a launch gives by value: the grid's extents and a zero, then the arguments or their
  /// address.
  void declare_push_words(std::uint32_t count);
  Id push_word(std::uint32_t offset);
  /// An integer zero that no driver sees through.
  Id hidden_zero(Scalar u);

  // ---- instructions
  /// Shifts take a count of 32 bits.
  Id op(spv::Op o, Scalar result, std::initializer_list<Id> operands);
  /// Float arithmetic, which the driver may contract only in fast mode.
  Id exact(spv::Op o, Scalar result, std::initializer_list<Id> operands);
  /// A function of GLSL.std.450, or its like of OpenCL.std.
  Id ext(GLSLstd450 which, Scalar result, std::initializer_list<Id> operands);
  /// The number of the highest bit of a u32 that is set; -1: of none.
  Id highest_bit(Scalar result, Id x);
  Id select(Scalar s, Id c, Id x, Id y) { return op(spv::Op::OpSelect, s, {c, x, y}); }
  Id both(Id a, Id b) { return op(spv::Op::OpLogicalAnd, Scalar::Bool, {a, b}); }
  Id either(Id a, Id b) { return op(spv::Op::OpLogicalOr, Scalar::Bool, {a, b}); }
  Id negate(Id a) { return op(spv::Op::OpLogicalNot, Scalar::Bool, {a}); }
  /// A vector or structure of its parts.
  Id composite(Id type, std::span<const Id> parts);

  // ---- integers of other sizes
  /// The same bits as another type of the size.
  Id bits(Scalar to, Scalar from, Id x);
  /// Integers: extension as `from` is signed or not, or truncation.
  Id resize(Scalar to, Scalar from, Id x);
  /// A u32 below 2^31 as 64 bits; comparisons and truncations of it know that.
  Id widened_id(Id x);
  /// Of an i64: it is an extended i32.
  bool is_extended(Id x) const { return extended_.contains(x); }
  /// Of an i64 that is an extended i32 or a constant that one holds: that i32. Else 0.
  Id as_i32(Id x);

 private:
  const support::SpirvTarget& target_;
  Id push_ = 0;                             // the push constants
  std::map<Id, Id> extended_;               // an i32 extended to the same i64 → the i32
  std::map<Id, std::int64_t> constants64_;  // values of 64-bit constants
};

}  // namespace krait::codegen::spirv
