// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What some drivers have limits for: how deeply conditions and loops nest, and how many trips loops
// of a known count make.
#include <algorithm>
#include <limits>

#include "codegen/spirv/kit/unit.h"

namespace krait::codegen::spirv {
namespace {

struct Measure {
  std::uint32_t depth = 0;
  std::uint64_t trips = 0;
  bool returns = false;  // some thread may return in it
  bool breaks = false;   // some thread may leave the loop around it
};

constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();

Measure of_region(const Unit& unit, const ir::Function& f, ir::RegionId r,
                  const std::vector<Measure>& functions) {
  Measure all;
  // Drivers put what follows an early return into a condition.
  std::uint32_t around = 0;
  const auto contains = [&](const Measure& m) {
    all.depth = std::max(all.depth, around + m.depth);
  };
  for (const ir::InstId id : f.regions[r].insts) {
    const ir::Inst& i = f.insts[id];
    if (i.op == ir::Op::Call) {
      contains(functions[i.imm]);
      all.trips += functions[i.imm].trips;
      continue;
    }
    if (const auto own = unit.own_trips.find(&i); own != unit.own_trips.end())
      all.trips += own->second;
    all.returns |= i.op == ir::Op::Return, all.breaks |= i.op == ir::Op::Break;
    if (i.regions.empty()) continue;
    Measure inside;
    for (const ir::RegionId region : i.regions) {
      const Measure one = of_region(unit, f, region, functions);
      inside.depth = std::max(inside.depth, one.depth + 1),
      inside.trips = std::max(inside.trips, one.trips);
      inside.returns |= one.returns, inside.breaks |= one.breaks;
    }
    contains(inside);
    around += inside.returns;
    all.returns |= inside.returns;
    if (i.op == ir::Op::If || i.op == ir::Op::Switch) {
      all.breaks |= inside.breaks;
    } else if (i.op == ir::Op::For && f.is_const(i.operands[0]) && !inside.breaks &&
               !inside.returns) {
      const std::uint64_t count = std::min(f.const_bits(i.operands[0]), most);
      inside.trips = count * std::min(inside.trips + 1, most);
    }
    all.trips = std::min(all.trips + std::min(inside.trips, most), most);
  }
  return all;
}

}  // namespace

void measure(Unit& unit) {
  const ir::Module& module = unit.module;
  std::vector<Measure> functions(module.functions.size());
  for (std::size_t i = functions.size(); i-- > 0;) {
    functions[i] = of_region(unit, module.functions[i], module.functions[i].body, functions);
    // A function that is called comes back, whatever way it ends.
    functions[i].returns = functions[i].breaks = false;
  }
  unit.own.depth = functions[0].depth,
  unit.own.trips = std::uint32_t(std::min(functions[0].trips, most));
}

}  // namespace krait::codegen::spirv
