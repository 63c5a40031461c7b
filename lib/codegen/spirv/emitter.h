// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed instructions on scalars of the IR: what one operation means in SPIR-V, with the numbers of docs/numbers.md. Control flow
// of the kernel and memory are Lower's (lower.h); the few blocks that are made here are whole loops or branches of their own.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <spirv/unified1/GLSL.std.450.h>

#include "codegen/reply.h"
#include "codegen/spirv/module.h"
#include "ir/ir.h"
#include "support/target.h"

namespace krait::codegen::spirv {

using ir::Scalar;
using support::Feature;

class Emitter {
 public:
  Emitter(const support::SpirvTarget& target, Dialect dialect) : m(dialect), target_(target) {}

  Module m;
  bool kernel() const { return m.dialect == Dialect::Kernel; }
  bool fast = false;  // the current operation may be approximated and contracted

  bool has(Feature feature) const { return target_.features.has(feature); }
  const support::SpirvTarget& target() const { return target_; }
  /// What messages about missing features name: "operation add (user.cpp:12)".
  std::string where;
  void need(Feature feature, std::string_view of_what);
  /// Fma of f32 rounds once, at least where no subnormal number is involved.
  bool fuses_f32() const { return has(Feature::Fma32) || has(Feature::Nfma32); }

  // ---- basic blocks
  Id label() { return m.ids.next(); }
  Id block() const { return block_; }
  void begin(Id label);
  void begin_first() { block_ = m.code.first_block(); }
  void branch(Id to) { m.code.emit_void(spv::Op::OpBranch, {to}); }
  void branch(Id condition, Id yes, Id no) { m.code.emit_void(spv::Op::OpBranchConditional, {condition, yes, no}); }
  void selection_merge(Id merge) { m.code.emit_void(spv::Op::OpSelectionMerge, {merge, 0}); }
  void loop_merge(Id merge, Id next) { m.code.emit_void(spv::Op::OpLoopMerge, {merge, next, 0}); }
  using Incoming = std::vector<std::pair<Id, Id>>;  // value, block
  Id phi(Id type, const Incoming& from);
  void phi_as(Id result, Id type, const Incoming& from);
  Id undefined(Id type) { return m.code.emit(spv::Op::OpUndef, type, {}); }

  // ---- typed instructions
  Id type(Scalar s);
  Id constant(Scalar s, std::uint64_t bits);
  /// What a launch gives by value: the grid's extents and a zero, then the arguments or their address.
  void declare_push_words(std::uint32_t count);
  Id push_word(std::uint32_t offset);
  /// An integer zero that no driver sees through.
  Id hidden_zero(Scalar u);
  /// A floating-point number that the driver may know, kept from drivers that compute wrongly with known ones (feature hide0).
  Id opaque(Scalar s, Id x);
  /// x, of which no driver knows anything.
  Id unknown(Scalar s, Id x);
  /// An index that the driver does not follow back (feature walks).
  Id index(Scalar s, Id x);
  /// The bits of what an atomic of integers gets.
  Id atomic_operand(Scalar s, Id x);
  Id u32(std::uint32_t v) { return m.globals.constant_u32(v); }
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
  /// The same bits as another type of the size.
  Id bits(Scalar to, Scalar from, Id x);
  /// Integers: extension as `from` is signed or not, or truncation.
  Id resize(Scalar to, Scalar from, Id x);
  /// A u32 below 2^31 as 64 bits; comparisons and truncations of it know that.
  Id widened_id(Id x);

  // ---- numeric_int.cpp
  Id int_div(Scalar s, Id x, Id y, const std::uint64_t* known_divisor);
  Id int_rem(Scalar s, Id x, Id y, const std::uint64_t* known_divisor);
  Id shift(bool left, Scalar s, Id x, Scalar count_type, Id count, const std::uint64_t* known_count);
  Id int_compare(ir::Op o, Scalar s, Id x, Id y);
  Id int_neg(Scalar s, Id x);
  Id int_abs(Scalar s, Id x);
  Id int_min_max(bool minimum, Scalar s, Id x, Id y);
  Id popcount(Scalar s, Id x);
  Id clz(Scalar s, Id x);
  Id ctz(Scalar s, Id x);
  Id bit_reverse(Scalar s, Id x);
  Id byte_swap(Scalar s, Id x);
  Id mul_hi(Scalar s, Id x, Id y);

  // ---- numeric_float.cpp
  Id float_compare(ir::Op o, Id x, Id y);
  Id is_nan(Scalar s, Id x);
  Id is_inf(Scalar s, Id x);
  Id copysign(Scalar s, Id x, Id y);
  Id float_abs(Scalar s, Id x);
  Id float_min_max(bool minimum, Scalar s, Id x, Id y);
  Id divide(Scalar s, Id x, Id y);
  Id sqrt(Scalar s, Id x);
  Id rsqrt_f32(Id x);
  /// 1 / y within one ULP where both are normal.
  Id reciprocal_f32(Id y);
  Id fma(Scalar s, Id x, Id y, Id z);
  /// floor, ceil, trunc and rint.
  Id whole(ir::Op o, Scalar s, Id x);

  // ---- numeric_cast.cpp
  Id cast(Scalar to, Scalar from, Id x);
  Id narrow_float(Scalar to, Scalar from, Id x);

 private:
  Id float_to_int(Scalar to, Scalar from, Id x);
  Id int_to_float(Scalar to, Scalar from, Id x);
  Id widened(Scalar s, Scalar& wide, Id x);
  Id reversed_bits(Id x);
  std::pair<Id, Id> halves(Id x);
  Id joined(Id low, Id high);
  std::pair<Id, Id> two_sum(Scalar s, Id x, Id y);
  std::pair<Id, Id> two_product(Id x, Id y);
  Id odd(Scalar s, Id sum, Id error);
  Id fma_f16(Id x, Id y, Id z);
  Id fma_f32(Id x, Id y, Id z);
  /// Of operands whose result is known to be zero or normal, as they are.
  Id fma_normal(Id x, Id y, Id z);
  // numeric_quotient.cpp
  Id quotient(Scalar s, Id x, Id y, const std::uint64_t* known_divisor);
  Id quotient_u64(Id n, Id d, const std::uint64_t* known_divisor);
  // numeric_round.cpp
  /// `fast_way()` where the condition holds, else `slow_way()`.
  template <class Fast, class Slow>
  Id either_way(Scalar s, Id condition, Fast&& fast_way, Slow&& slow_way) {
    Id yes = label(), no = label(), after = label();
    selection_merge(after);
    branch(condition, yes, no);
    begin(yes);
    Id quick = fast_way();
    const Id from_quick = block();
    branch(after);
    begin(no);
    Id slow = slow_way();
    const Id from_slow = block();
    branch(after);
    begin(after);
    return phi(type(s), {{quick, from_quick}, {slow, from_slow}});
  }
  Id divide_f32(Id x, Id y);
  Id divide_by_fma(Id x, Id y);
  Id divide_by_f64(Id x, Id y);
  Id divide_by_integers(Id x, Id y);
  Id sqrt_f32(Id x);
  Id sqrt_by_fma(Id x);
  Id sqrt_by_f64(Id x);
  Id sqrt_by_integers(Id x);
  std::pair<Id, Id> digits_f32(Id magnitude);
  Id rounded_digits(Id digits);
  Id fma_where_normal(Id x, Id y, Id z);
  Id whole_by_sums(ir::Op o, Scalar s, Id x);
  // numeric_fma.cpp
  Id fma_f64(Id x, Id y, Id z);
  std::pair<Id, Id> normalised(Id x);
  Id exponent_field(Id pattern);
  Id with_exponent_field(Id pattern, Id field);
  Id round_to_subnormal(Id vh, Id w, Id rounded);

  Id compare_extended(ir::Op o, Id x, Id y);

  const support::SpirvTarget& target_;
  Id block_ = 0;
  Id push_ = 0;                             // the push constants
  std::map<Id, Id> extended_;               // an i32 extended to the same i64 → the i32
  std::map<Id, std::int64_t> constants64_;  // values of 64-bit constants
};

/// IEEE layout of a float type.
struct FloatFormat {
  unsigned bits, fraction_bits;
  std::uint64_t sign() const { return std::uint64_t(1) << (bits - 1); }
  std::uint64_t infinity() const { return (sign() - 1) & ~((std::uint64_t(1) << fraction_bits) - 1); }
};
FloatFormat format_of(Scalar s);

}  // namespace krait::codegen::spirv
