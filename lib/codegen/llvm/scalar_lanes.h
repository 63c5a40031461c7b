// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lanes of a warp run a region, for operations that must name them.
#pragma once

#include <optional>
#include <vector>

#include "codegen/llvm/scalar.h"
#include "passes/analysis/uniformity.h"

namespace krait::codegen::scalar {

class Lanes : public Part {
 public:
  Lanes(Code& code, Target& target) : Part(code), target_(target) {}
  /// By region of an if or switch: the lanes that go there. `all_come`: no thread jumps out of a
  /// loop around it.
  std::vector<llvm::Value*> split(const ir::Inst& inst, bool all_come);
  /// Whether warp operations stand in it.
  bool asks(const ir::Inst& construct) const;
  /// Whether all threads of a block that have not returned see one value.
  bool is_uniform(ir::ValueId v);
  bool is_divergent_loop(const ir::Inst& loop);
  /// Whether lanes that leave the loop have to wait for those that have not: Lanes::part, and it is
  /// safe to wait.
  bool gathers_behind(const ir::Inst& loop);
  /// The breaks or continues under a region that belong to a loop around it.
  std::size_t count_jumps(ir::RegionId region, ir::Op kind) const;

 private:
  Target& target_;
  std::optional<passes::Uniformity> uniformity_;  // found where it is asked for
  std::vector<std::uint32_t> uses_;               // by value; likewise
};

}  // namespace krait::codegen::scalar
