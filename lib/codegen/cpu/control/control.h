// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions: their instructions one after the other, for the lanes that run.
#pragma once

#include <vector>

#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

class Branches;
class Loops;
class Straight;

enum class Flow : std::uint8_t { Next, Dead };  // whether lanes may go on
/// How a region ends.
struct Exit {
  bool yields = false;
  std::vector<Lowered> values;
};

class Control : public Part {
 public:
  Control(const Common& common, Straight& straight, Branches& branches, Loops& loops)
      : Part(common), straight_(straight), branches_(branches), loops_(loops) {}
  Exit emit_region(ir::RegionId r, std::size_t from = 0);
  /// Lowers one instruction that is no jump. Dead: no lane goes on.
  Flow emit_inst(ir::InstId id);

 private:
  Exit emit_guarded(ir::RegionId r, std::size_t from);
  bool lone_jump(ir::RegionId r, std::size_t from) const;
  std::size_t region_end(ir::RegionId r) const;
  bool skipped(ir::RegionId r, ir::InstId id) const;

  Straight& straight_;
  Branches& branches_;
  Loops& loops_;
};

}  // namespace krait::codegen::cpu
