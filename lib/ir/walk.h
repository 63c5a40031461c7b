// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small things that passes and lowerings do with the tree of regions. All of them look only at what
// the body reaches.
#pragma once

#include <vector>

#include "ir/builder.h"

namespace krait::ir {

/// Calls `visit(InstId, RegionId)` for every instruction under `r` in text order: an instruction
/// before what its regions hold. `visit` may change instructions, but not the lists of regions that
/// are being walked.
template <class Visit>
void for_each_inst(const Function& f, RegionId r, Visit&& visit) {
  for (std::size_t k = 0; k < f.regions[r].insts.size(); ++k) {
    const InstId i = f.regions[r].insts[k];
    visit(i, r);
    for (std::size_t n = 0; n < f.insts[i].regions.size(); ++n)
      for_each_inst(f, f.insts[i].regions[n], visit);
  }
}
template <class Visit>
void for_each_inst(const Function& f, Visit&& visit) {
  for_each_inst(f, f.body, visit);
}

/// Calls `visit(RegionId)` for the body and every region under it, a region before those that it
/// holds.
template <class Visit>
void for_each_region(const Function& f, Visit&& visit) {
  visit(f.body);
  for_each_inst(f, [&](InstId i, RegionId) {
    for (const RegionId r : f.insts[i].regions) visit(r);
  });
}
/// Whether `test(const Inst&)` is true of an instruction of the function.
template <class Test>
bool any_inst(const Function& f, Test&& test) {
  bool any = false;
  for_each_inst(f, [&](InstId i, RegionId) { any = any || test(f.insts[i]); });
  return any;
}

/// Operations under a region without constants, which take a compiler its time.
inline std::size_t operations_under(const Function& f, RegionId r) {
  std::size_t all = 0;
  for_each_inst(f, r, [&](InstId i, RegionId) { all += f.insts[i].op != Op::Const; });
  return all;
}

/// The last instruction of a region.
inline const Inst& terminator(const Function& f, RegionId r) {
  return f.insts[f.regions[r].insts.back()];
}

/// By ValueId: how many operands it is.
std::vector<std::uint32_t> use_counts(const Function& f);
/// By InstId: the region that holds it, or none.
std::vector<RegionId> holders(const Function& f);

/// Which value stands for which other one.
class Substitution {
 public:
  /// `by` stands for `v` from now on, or what stands for `by`.
  void replace(ValueId v, ValueId by);
  ValueId operator()(ValueId v) const;
  bool empty() const { return by_.empty(); }
  /// Rewrites all operands.
  void apply(Function& f) const;

 private:
  mutable std::vector<ValueId> by_;  // none: itself; paths are shortened while they are followed
};

/// Appends copies of the instructions of `from`, a region of `source`, at the builder's place, with
/// everything under them; the terminator too when `terminated`. `map` gives the value for each of
/// source's values (none: not mapped) and receives the new results; the region's parameters must be
/// mapped before. Operands that are not mapped are kept, which is right when source is the
/// builder's own function. Returns the mapped operands of the terminator. `locations`: source's
/// locations mean the same in the builder's function; else the copies take the builder's.
std::vector<ValueId> clone_region(const Function& source, RegionId from, Builder& builder,
                                  std::vector<ValueId>& map, bool terminated,
                                  bool locations = true);
/// The same for one instruction.
InstId clone_inst(const Function& source, InstId inst, Builder& builder, std::vector<ValueId>& map,
                  bool locations = true);

/// Whether a signed 64-bit value is below 2^31, by its definition, which is followed so many steps;
/// it may be negative.
bool is_below_2_31(const Function& f, ValueId v, int depth = 8);

}  // namespace krait::ir
