// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The op matrix as kernels: a case is a kernel over columns of operands, each of whose rows
// computes one operation on one type in every lane. Rows are generated from the table of
// operations.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/ir.h"
#include "ops/values.h"

namespace krait::test {

struct Row {
  std::string name;  // "add i32"
  ir::Scalar result;
  /// Records the operation on the lane's elements of the case's columns.
  std::function<ir::ValueId(ir::Builder&, const std::vector<ir::ValueId>&)> record;
};

struct Case {
  std::string name;
  std::vector<ir::Scalar> types;  // of the columns
  std::vector<Column> columns;    // of equal length
  std::vector<Row> rows;
  std::size_t lanes() const { return columns.front().size(); }
};
inline constexpr std::int64_t block = 64;  // threads of a block

std::vector<Case> all_cases();

/// The kernel of some rows: one thread a lane, the last block not full. Parameters are the columns,
/// then an output for each type among the results.
struct Built {
  ir::Module module;
  ir::RegionId lanes = ir::none;  // where threads with a lane go
  struct Output {
    ir::Scalar type;
    std::size_t rows = 0;  // in this output, one after another
  };
  std::vector<Output> outputs;
  /// Of each row: its output and place there, and the value that it stores.
  struct Place {
    std::size_t output, row;
    ir::ValueId value;
  };
  std::vector<Place> places;
};
Built build(const Case& c, const std::vector<std::size_t>& rows, ir::FpMode fp);

/// What a value of the kernel is in a lane: every operation through ir::eval.
class Lane {
 public:
  Lane(const Built& built, const Case& c, std::size_t lane);
  std::uint64_t operator[](ir::ValueId v) const { return bits_[v]; }

 private:
  std::vector<std::uint64_t> bits_;
};

}  // namespace krait::test
