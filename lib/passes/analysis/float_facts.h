// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of the numbers in a function's floats: for code generators whose instructions
// differ from the IR's operations at NaN, at zeros or beyond a range. Of f32 and f64; the analysis
// is of the values of threads that run, and holds where subnormal numbers are kept.
#pragma once

#include <limits>
#include <vector>

#include "ir/ir.h"

namespace krait::passes {

struct FloatFacts {
  bool nan = true;         // may be a NaN
  bool signals = true;     // may be a signalling NaN
  bool minus_zero = true;  // may be -0
  // where it is no NaN
  double low = -std::numeric_limits<double>::infinity(),
         high = std::numeric_limits<double>::infinity();

  bool inside(double a, double b) const { return !nan && a <= low && high <= b; }
  bool zero() const { return low <= 0 && high >= 0; }
  bool operator==(const FloatFacts&) const = default;
};

class FloatRanges {
 public:
  explicit FloatRanges(const ir::Function& f);
  const FloatFacts& of(ir::ValueId v) const {
    static constexpr FloatFacts any{};
    return v < facts_.size() ? facts_[v] : any;
  }

 private:
  bool walk(ir::RegionId r);
  void branch(const ir::Inst& inst);
  void loop(ir::InstId i);
  FloatFacts compute(const ir::Inst& inst) const;
  FloatFacts product(ir::ValueId x, ir::ValueId y) const;
  FloatFacts cast(const ir::Inst& inst) const;
  void set(ir::ValueId v, const FloatFacts& facts);

  const ir::Function& f_;
  std::vector<FloatFacts> facts_;                            // by ValueId
  std::vector<std::vector<ir::InstId>> breaks_, continues_;  // by InstId of the loop
  bool changed_ = false;
};

}  // namespace krait::passes
