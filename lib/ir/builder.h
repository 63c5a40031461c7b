// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Appends instructions to a function. The builder does no folding; passes do.
#pragma once

#include <initializer_list>

#include "ir/ir.h"

namespace krait::ir {

/// Operands in braces: what makes them appends in their order, which a compiler is free to choose
/// among arguments.
struct Pair {
  ValueId x, y;
};
struct Choice {
  ValueId condition, x, y;
};

class Builder {
 public:
  explicit Builder(Function& f) : f_(&f) {}

  Function& function() { return *f_; }
  RegionId region() const { return region_; }
  /// Appends to the end of this region from now on.
  void at(RegionId r) { region_ = r; }
  void location(std::uint32_t loc) { loc_ = loc; }

  RegionId new_region(InstId parent);
  ValueId new_param(RegionId r, Type t);
  /// Appends an instruction without results; `add_result` gives it some.
  InstId append(Op op, Type type, std::span<const ValueId> operands, std::uint64_t imm = 0);
  ValueId add_result(InstId i, Type t);

  /// Appends an instruction with one result of `type`.
  ValueId emit(Op op, Type type, std::span<const ValueId> operands, std::uint64_t imm = 0);
  ValueId emit(Op op, Scalar s, std::initializer_list<ValueId> operands, std::uint64_t imm = 0) {
    return emit(op, value_type(s), std::span(operands.begin(), operands.size()), imm);
  }
  ValueId constant(Scalar s, std::uint64_t bits) { return emit(Op::Const, s, {}, bits); }
  ValueId unary(Op op, ValueId x) { return emit(op, f_->type_of(x).scalar, {x}); }
  ValueId binary(Op op, Pair of) { return emit(op, f_->type_of(of.x).scalar, {of.x, of.y}); }
  ValueId compare(Op op, Pair of) { return emit(op, Scalar::Bool, {of.x, of.y}); }
  ValueId select(Choice of) {
    return emit(Op::Select, f_->type_of(of.x).scalar, {of.condition, of.x, of.y});
  }
  ValueId cast(Scalar s, ValueId x) {
    return f_->type_of(x).scalar == s ? x : emit(Op::Cast, s, {x});
  }

 private:
  Function* f_;
  RegionId region_ = none;
  std::uint32_t loc_ = 0;
};

/// An empty function with a body.
Function new_function(std::string name);

}  // namespace krait::ir
