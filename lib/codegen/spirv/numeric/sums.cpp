// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/numeric/sums.h"

#include "ir/walk.h"

namespace krait::codegen::spirv {
namespace {

using namespace ir;

/// Whether the instruction adds something to the value.
bool adds_to(const Inst& i, ValueId v) {
  switch (i.op) {
    case Op::Add: return i.operands[0] == v || i.operands[1] == v;
    case Op::Sub: return i.operands[0] == v;
    case Op::Fma: return i.operands[2] == v;
    default: return false;
  }
}

/// The additions that lead from a carried value to what the next trip gets; none where something
/// else uses one of them.
std::vector<const Inst*> additions(const Function& f, const Region& body, std::size_t carried,
                                   const std::vector<std::uint32_t>& uses) {
  std::vector<const Inst*> found;
  ValueId sum = body.params[carried];
  for (const InstId id : body.insts) {
    if (uses[sum] != 1) return {};
    const Inst& i = f.insts[id];
    if (adds_to(i, sum)) found.push_back(&i), sum = i.results[0];
  }
  const Inst& last = f.insts[body.insts.back()];
  // a counted loop has it in front of what is carried
  const std::size_t index = body.params.size() - last.operands.size();
  return last.op == Op::Continue && last.operands[carried - index] == sum
             ? found
             : std::vector<const Inst*>();
}

}  // namespace

std::set<const Inst*> sums_of_loops(const Function& f) {
  std::set<const Inst*> sums;
  const std::vector<std::uint32_t> uses = use_counts(f);
  for_each_inst(f, [&](InstId id, RegionId) {
    const Inst& loop = f.insts[id];
    if (loop.results.empty() ||
        (loop.op != Op::For && loop.op != Op::GridStride && loop.op != Op::Loop))
      return;
    const Region& body = f.regions[loop.regions[0]];
    for (std::size_t k = body.params.size() - loop.results.size(); k < body.params.size(); ++k)
      if (is_float(f.type_of(body.params[k]).scalar))
        for (const Inst* addition : additions(f, body, k, uses)) sums.insert(addition);
  });
  return sums;
}

}  // namespace krait::codegen::spirv
