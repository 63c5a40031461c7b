// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pure operation made simpler: what fold does to each instruction, and to those that it makes.
#pragma once

#include <array>
#include <initializer_list>

#include "passes/rewrite.h"

namespace krait::passes {

/// A pure operation with at most three operands, not yet in the function.
struct Node {
  ir::Op op{};
  ir::Scalar scalar{};  // of the result
  bool fast = false;
  std::uint64_t imm = 0;
  unsigned count = 0;
  std::array<ir::ValueId, 3> in{ir::none, ir::none, ir::none};
};

/// Makes instructions at a builder's place, simplified. Every rule holds for all bit patterns, NaN
/// being one value; float rules are those that are exact.
class Simplify {
 public:
  explicit Simplify(ir::Builder& b) : b_(&b), f_(&b.function()) {}

  /// A value equal to the node's, or none where no rule matches. May reorder the node's operands.
  ir::ValueId operator()(Node& n);
  /// The node as a value: simplified, else appended.
  ir::ValueId make(ir::Op op, ir::Scalar s, std::initializer_list<ir::ValueId> operands,
                   std::uint64_t imm = 0, bool fast = false);
  ir::ValueId constant(ir::Scalar s, std::uint64_t bits) {
    return b_->constant(s, bits & mask_of(s));
  }
  static bool applies(const ir::Function& f, const ir::Inst& inst);

 private:
  ir::Scalar type(ir::ValueId v) const { return f_->type_of(v).scalar; }
  const ir::Inst* def(ir::ValueId v, ir::Op op) const {
    const ir::Inst* d = f_->def(v);
    return d && d->op == op ? d : nullptr;
  }
  bool is(ir::ValueId v, std::uint64_t bits) const {
    return f_->is_const(v) && f_->const_bits(v) == (bits & mask_of(type(v)));
  }
  bool is_float_const(ir::ValueId v, double x) const;
  /// An extent or a position: never negative.
  bool is_natural(ir::ValueId v) const {
    const ir::Inst* d = f_->def(v);
    return d && (d->op == ir::Op::Extent || ir::info(d->op).rule == ir::Rule::Id);
  }

  ir::ValueId evaluate(const Node& n);
  ir::ValueId integer(const Node& n);
  ir::ValueId integer_sum(const Node& n);
  ir::ValueId integer_division(const Node& n);
  ir::ValueId integer_product(const Node& n);
  ir::ValueId bitwise(const Node& n);
  ir::ValueId floating(const Node& n);
  ir::ValueId floating_sum(const Node& n);
  ir::ValueId reciprocal(const Node& n);
  ir::ValueId negation(const Node& n);
  /// What a float is between where it is no NaN.
  struct Bounds {
    double low, high;
  };
  Bounds bounds(ir::ValueId v, unsigned depth = 0) const;
  ir::ValueId certain_order(const Node& n);
  ir::ValueId comparison(const Node& n);
  ir::ValueId complement(const Node& n);
  ir::ValueId select(const Node& n);
  ir::ValueId cast(const Node& n);
  ir::ValueId position(const Node& n);
  ir::ValueId shape(const Node& n);
  bool is_id(ir::ValueId v, ir::Op op, unsigned dim, ir::Scalar s) const;
  std::int64_t block_dim(unsigned dim) const;
  bool is_block_dim(ir::ValueId v, unsigned dim) const;
  ir::ValueId id(ir::Op op, unsigned dim, ir::Scalar s);

  ir::Builder* b_;
  ir::Function* f_;
};

}  // namespace krait::passes
