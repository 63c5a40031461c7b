// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each value of the function is lowered to, and its lanes. No value is poison in any lane.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "codegen/cpu/kit/code.h"
#include "codegen/cpu/kit/lowered.h"

namespace llvm {
class Constant;
class ConstantInt;
}  // namespace llvm

namespace krait::codegen::cpu {

class Values {
 public:
  /// Values that are lowered once more for a piece of code; where it goes out of scope, they are
  /// what they were.
  class Again {
   public:
    explicit Again(Values& values) : values_(values) {}
    Again(const Again&) = delete;
    ~Again();
    void keep(ir::ValueId v) { before_.emplace_back(v, values_.get(v)); }
    bool keeps(ir::ValueId v) const;

   private:
    Values& values_;
    std::vector<std::pair<ir::ValueId, Lowered>> before_;
  };

  explicit Values(Code& code);

  void set(ir::ValueId v, Lowered x);
  void set_uniform(ir::ValueId v, V x);
  /// A value whose lanes are so far from a number that is equal, from the first lane's value.
  void set_known(ir::ValueId v, V first, const std::vector<std::int64_t>& lanes);
  const Lowered& get(ir::ValueId v) const { return lowered_[v]; }
  bool uniform(ir::ValueId v) const { return lowered_[v].form == Lowered::Form::Uniform; }
  ir::Scalar scalar_of(ir::ValueId v) const { return f_.type_of(v).scalar; }
  V scalar(ir::ValueId v) const;
  V part(ir::ValueId v, unsigned p) { return part(lowered_[v], scalar_of(v), p); }
  V part(const Lowered& x, ir::Scalar s, unsigned p);
  V base_of_part(const Lowered& x, unsigned p);
  /// Of a linear value with one base, or a known one.
  V base_of_lane(const Lowered& x, unsigned lane);
  /// How far the lanes are from the first one, where that is known and not too far for 32 bits.
  std::optional<std::vector<std::int64_t>> known_steps(const Lowered& x) const;
  /// Merges a value over edges; null where the edge brings none that counts. Uniform if all that
  /// come are.
  Lowered join(ir::ValueId v, llvm::ArrayRef<std::pair<Block, const Lowered*>> edges);
  /// A vector of known lanes of a value: for each of two parts that they are in one instruction.
  V take_lanes(llvm::ArrayRef<V> parts, llvm::ArrayRef<unsigned> lanes);

  // ---- what values are made of
  /// Modulo what the type holds.
  llvm::ConstantInt* integer(llvm::Type* type, std::int64_t n) const;
  llvm::Type* lane_type(ir::Scalar s) const;
  V splat(V x);
  llvm::Constant* lane_numbers(llvm::Type* element, std::int64_t step,
                               std::int64_t first = 0) const;
  /// Where the part's lanes lie in the gang along a dimension, or from the part's first lane.
  llvm::Constant* lane_places(llvm::Type* element, unsigned dim, unsigned p,
                              bool from_part = false) const;

 private:
  Code& code_;
  llvm::IRBuilderBase& b_;
  const ir::Function& f_;
  const Shape& shape_;
  Arithmetic& arith_;
  std::vector<Lowered> lowered_;  // by ValueId
};

}  // namespace krait::codegen::cpu
