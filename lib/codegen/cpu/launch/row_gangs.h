// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise loops over arrays of two and more dimensions whose gangs lie in one row.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

class Arguments;
class Gangs;

/// How a range's indices are places in rows.
struct RowGang {
  ir::ValueId index = ir::none, width = ir::none;
  bool cut = false;  // 32 bits of them are divided
  std::vector<ir::ValueId> quotients, remainders;
  struct Scaled {
    ir::ValueId product, array;  // of a remainder and the array's stride along the dimension
    unsigned dimension;
    V dense = nullptr;  // whether that stride is 1
  };
  std::vector<Scaled> scaled;
};

/// What holds in the copy of the code for gangs within one row.
struct InRow {
  std::map<ir::ValueId, Lowered> known;  // of the gang; empty outside of that copy
  // by an array that is only read: whether its rows are, or one element
  std::map<ir::ValueId, V> dense;
};

class RowGangs : public Part {
 public:
  RowGangs(const Common& common, Arguments& arguments, Gangs& gangs, InRow& in_row)
      : Part(common), arguments_(arguments), gangs_(gangs), in_row_(in_row) {}
  /// The quotients and remainders of the loop's index; none where the body does more than compute
  /// and access.
  std::optional<RowGang> find_plane() const;
  /// Whether rows are dense in every array, or in one that is only read a single element: asked
  /// once, before the loop.
  V plain_rows(RowGang& plane);
  /// The whole gangs of a row from index `first` on, which begin before `end`, or one in several
  /// rows. Gives the index behind them.
  V emit_in_plane(const RowGang& plane, V plain, V first, V end, llvm::function_ref<void(V)> place);

 private:
  ir::ValueId whole_number(ir::ValueId v) const;
  bool is_narrow(const RowGang& plane) const;
  Arguments& arguments_;
  Gangs& gangs_;
  InRow& in_row_;
};

}  // namespace krait::codegen::cpu
