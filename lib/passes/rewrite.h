// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes share. A pass walks the region tree in order, takes each region's list of
// instructions out and appends to it again what shall stay (ir::Builder appends what is new);
// operands are resolved through a table of replacements on the way. What is no longer in any list
// is gone. Regions nest at most ir::max_region_depth deep, so walks recurse over regions, and over
// nothing else.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/calls.h"
#include "ir/constants.h"
#include "ir/walk.h"

namespace krait::passes {

/// Replaces operands by what stands for them.
inline void resolve(const ir::Substitution& by, ir::Inst& inst) {
  for (ir::ValueId& v : inst.operands) v = by(v);
}

/// Calls `visit(ValueId)` for all that an instruction uses, with what stands in its regions.
template <class Visit>
void for_each_operand(const ir::Function& f, ir::InstId i, const Visit& visit) {
  for (const ir::ValueId v : f.insts[i].operands) visit(v);
  for (const ir::RegionId r : f.insts[i].regions)
    for (const ir::InstId inner : f.regions[r].insts) for_each_operand(f, inner, visit);
}

/// Whether an instruction, with what its regions hold, computes alone, or computes and loads: no
/// loop, and nothing that writes, waits or leaves.
bool only_computes(const ir::Function& f, const ir::Calls& calls, ir::InstId i);
bool only_computes_and_loads(const ir::Function& f, const ir::Calls& calls, ir::InstId i);

/// Takes a region's instructions out of it, to be appended again.
inline std::vector<ir::InstId> take_insts(ir::Function& f, ir::RegionId r) {
  return std::exchange(f.regions[r].insts, {});
}

inline ir::Inst& terminator(ir::Function& f, ir::RegionId r) {
  return f.insts[f.regions[r].insts.back()];
}

/// Number of operands in front of a loop's initial values, and of region parameters in front of the
/// carried ones.
inline unsigned loop_lead(ir::Op op) { return op == ir::Op::Loop ? 0 : 1; }

/// For every loop: the breaks and continues that belong to it.
struct LoopExits {
  std::vector<std::vector<ir::InstId>> breaks, continues;  // by InstId of the loop
  explicit LoopExits(const ir::Function& f) : breaks(f.insts.size()), continues(f.insts.size()) {
    walk(f, f.body, ir::none);
  }

 private:
  void walk(const ir::Function& f, ir::RegionId r, ir::InstId loop);
};

/// True for an operation that always gives the same value for the same operands, and does nothing
/// else.
inline bool is_pure(ir::Op op) { return ir::info(op).effect == ir::Effect::Pure; }
inline bool is_atomic(ir::Op op) { return ir::info(op).effect == ir::Effect::Atomic; }
/// True for load, store and atomics: operand 0 is the array, its indices follow.
inline bool is_access(ir::Op op) {
  return op == ir::Op::Load || op == ir::Op::Store || is_atomic(op);
}

/// The low bits that a value of type s has.
inline std::uint64_t mask_of(ir::Scalar s) {
  return ir::bits_of(s) >= 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << ir::bits_of(s)) - 1;
}
/// An array's extent along a dimension: the declared one, or what the launch gives.
inline ir::ValueId extent_of(const ir::Function& f, ir::Builder& b, ir::ValueId array, unsigned d) {
  if (f.type_of(array).space == ir::Space::Argument)
    return b.constant(ir::Scalar::I64, f.type_of(array).elem_bytes);
  const ir::Inst* def = f.def(array);
  if (def && def->op == ir::Op::SharedOf) return extent_of(f, b, def->operands[0], d);
  if (def && def->list[d] != 0) return b.constant(ir::Scalar::I64, std::uint64_t(def->list[d]));
  return b.emit(ir::Op::Extent, ir::Scalar::I64, {array}, d);
}

/// Appends what `body` appends, under the condition.
template <class Body>
void append_if(ir::Builder& b, ir::ValueId condition, const Body& body) {
  const ir::RegionId here = b.region();
  const ir::InstId branch = b.append(ir::Op::If, {}, std::span(&condition, 1));
  b.at(b.new_region(branch));
  body();
  b.append(ir::Op::Yield, {}, {});
  b.at(b.new_region(branch));
  b.append(ir::Op::Yield, {}, {});
  b.at(here);
}

/// What a map of clone_inst gives for a value: itself where it is not mapped.
inline ir::ValueId mapped(const std::vector<ir::ValueId>& map, ir::ValueId v) {
  return v < map.size() && map[v] != ir::none ? map[v] : v;
}
inline void set_mapped(std::vector<ir::ValueId>& map, ir::ValueId v, ir::ValueId to) {
  if (v >= map.size()) map.resize(v + 1, ir::none);
  map[v] = to;
}

/// The loop of this body counts on from `done`: its parameter 0 stands for what is left. The
/// builder is at the body's end afterwards.
void count_on(ir::Function& f, ir::Builder& b, ir::RegionId body, ir::ValueId done);

/// Results of branches and carried values of loops that are always the same outer value become that
/// value (dce begins so).
void simplify_joins(ir::Function& f);

}  // namespace krait::passes
