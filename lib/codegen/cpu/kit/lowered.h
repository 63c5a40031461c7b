// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of a value of the IR. It is one scalar where it is uniform in the gang, a scalar
// base and a step where it is linear in the lane, a scalar and known distances where
// plan/lane_forms.h says so, and `parts` vectors of `lanes` otherwise. Which lanes take part is a
// mask.
#pragma once

#include <cstdint>
#include <vector>

#include <llvm/ADT/SmallVector.h>

#include "ir/ir.h"

namespace llvm {
class BasicBlock;
class Value;
}  // namespace llvm

namespace krait::codegen::cpu {

using V = llvm::Value*;
using Block = llvm::BasicBlock*;
template <class T>
using Few = llvm::SmallVector<T, 4>;

/// The active lanes; no vectors: all of them.
struct Mask {
  Few<V> parts;
  bool all() const { return parts.empty(); }
};

/// A lowered value.
struct Lowered {
  enum class Form : std::uint8_t { None, Uniform, Linear, Known, Parts } form = Form::None;
  // Uniform: one; Linear: base of the gang (one) or of each part; Known: of the gang's first lane;
  // Parts: one a part
  Few<V> v;
  std::int64_t step = 0;  // Linear: from lane to lane along x, beside across[0]
  // Linear: from lane to lane along x and, in bricks of one base, y and z, by uniform numbers;
  // null: nothing
  V across[3] = {};
  std::vector<std::int64_t> apart = {};  // Known: from the gang's first lane to each
  // Parts: where not null, each is this number and how many lanes of `counted` are below it; of a
  // ballot: the lanes in it
  V from = nullptr;
  Mask counted = {};
};

/// Memory for a value until mem2reg.
struct Cell {
  ir::Scalar type{};
  bool uniform = false;
  Few<V> at;
};

}  // namespace krait::codegen::cpu
