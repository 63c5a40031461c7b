// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers that differ from lane to lane as is known before the kernel runs: a number that is equal
// in the gang, and each lane's distance from it. So are the threads' numbers, what is above and
// below some bit of them, their quotients and remainders by constants, and sums of these. Gangs
// begin at multiples of their size, which says what the equal number is a multiple of.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/cpu/plan/shape.h"
#include "ir/ir.h"
#include "passes/analysis/uniformity.h"

namespace krait::codegen::cpu {

struct LaneForm {
  std::vector<std::int64_t> lanes;  // of the gang: beside the number that is equal
  // Of that number. 0: it is 0. Where the value is not exact a power of two, as it may have wrapped
  // around.
  std::uint64_t multiple = 1;
  // 0: may wrap around. Else the value is exactly the sum, no part of it is negative, and it is
  // less than this.
  std::uint64_t below = 0;
  bool equal() const;
};

class LaneForms {
 public:
  LaneForms() = default;
  /// `range_loop`: of a range, or of a block that walks over a row together; none: neither.
  LaneForms(const ir::Function& f, const Shape& shape, ir::InstId range_loop);
  /// Finds the form of the instruction's result from its operands'.
  void note(const ir::Inst& inst, const passes::Uniformity& known);
  /// Null where nothing is known of it, or it is as good as any number that is equal.
  const LaneForm* find(ir::ValueId v) const {
    return v < forms_.size() && forms_[v] ? &*forms_[v] : nullptr;
  }

 private:
  using Form = std::optional<LaneForm>;
  Form of(ir::ValueId v, const passes::Uniformity& known) const;
  Form equal(std::uint64_t multiple, std::uint64_t below) const;
  Form along(unsigned dim, std::uint64_t multiple, std::uint64_t below) const;
  Form position(const ir::Inst& inst) const;
  std::uint64_t thread_multiple(unsigned dim) const;
  Form result(const ir::Inst& inst, const passes::Uniformity& known) const;
  Form cast(const ir::Inst& inst, Form x) const;
  static Form sum(const LaneForm& x, const LaneForm& y, bool add);
  static Form scaled(const LaneForm& x, std::uint64_t by);
  static Form rest(const LaneForm& x, std::uint64_t by);
  static Form quotient(const LaneForm& x, std::uint64_t by);
  static Form bitwise(const LaneForm& x, const LaneForm& y, ir::Op op);
  Form settled(Form x, ir::Scalar s) const;

  const ir::Function* f_ = nullptr;
  Shape shape_;
  bool sweeps_ = false;      // thread_idx.x is a place in the row that the block walks over
  std::vector<Form> forms_;  // by ValueId
};

}  // namespace krait::codegen::cpu
