// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intervals of integer values: from types, ids, shapes and arithmetic, and from the conditions that
// a walk has passed.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "passes/rewrite.h"

namespace krait::passes {

/// Every value lies in [low, high]. u64 values above the largest i64 have no interval but the
/// widest, which says nothing.
struct Range {
  std::int64_t low = std::numeric_limits<std::int64_t>::min(),
               high = std::numeric_limits<std::int64_t>::max();
  bool inside(std::int64_t a, std::int64_t b) const { return a <= low && high <= b; }
};

class Ranges {
 public:
  explicit Ranges(const ir::Function& f) : f_(f) {}
  Range of(ir::ValueId v) const;
  /// What the instruction's results are: to be told of each, in order of the walk.
  void define(const ir::Inst& inst);
  /// A loop's index, before the walk enters its region.
  void define_index(const ir::Inst& loop, ir::ValueId index);
  /// From here to the end of the scope the condition is known to hold, or not to.
  void assume(ir::ValueId condition, bool holds);
  std::size_t open_scope() const { return undo_.size(); }
  void close_scope(std::size_t mark);
  static Range of_type(ir::Scalar s);

 private:
  void assume(const ir::Inst& compare, bool holds);
  Range known(ir::ValueId v) const {
    return v < ranges_.size() ? ranges_[v] : of_type(f_.type_of(v).scalar);
  }
  ir::ValueId same_number(ir::ValueId v) const;
  Range compute(const ir::Inst& inst) const;
  Range arithmetic(const ir::Inst& inst) const;
  bool is_size(const ir::Inst& product) const;
  static Range arithmetic(ir::Op op, ir::Scalar s, Range a, Range b);
  Range above(ir::ValueId v, const ir::Inst& less) const;
  void set(ir::ValueId v, Range r);
  void narrow(ir::ValueId v, Range r);

  const ir::Function& f_;
  std::vector<Range> ranges_;  // by value; may be shorter than the table of values
  std::vector<std::pair<ir::ValueId, Range>> undo_;
};

}  // namespace krait::passes
