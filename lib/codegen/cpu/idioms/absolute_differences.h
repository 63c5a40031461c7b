// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of |a - b| over the eight bytes that two loads give each lane.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "codegen/cpu/emit/part.h"

namespace krait::codegen::cpu {

class Pure;
class Rows;

/// A chain of sums with differences of bytes.
struct ByteSums {
  std::vector<ir::ValueId> rest;                         // its other summands
  std::vector<std::pair<ir::InstId, ir::InstId>> loads;  // whose bytes differ
  // what the sum at its end stands for, in order
  std::vector<ir::InstId> inner;
};

class AbsoluteDifferences : public Part {
 public:
  AbsoluteDifferences(const Common& common, const Rows& rows, Pure& pure);
  /// False where the instruction is no part of a sum of bytes' differences; else it is lowered, or
  /// at the end of its chain will be.
  bool emit_byte_sum(ir::InstId id);

 private:
  void find_byte_sums();
  V sum_differences(V a, V b);

  const Rows& rows_;
  Pure& pure_;
  std::map<ir::InstId, ByteSums> sums_;  // by the last sum of the chain
  std::set<ir::InstId> within_;
};

}  // namespace krait::codegen::cpu
