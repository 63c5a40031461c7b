// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For PTX: a local array that is only read and written at known places becomes a slot for each
// element, and promote_slots makes values of those, which live in registers. A GPU's local arrays
// are memory: an access costs hundreds of cycles where the cache lacks it.
#include <algorithm>
#include <array>

#include "passes/passes.h"
#include "passes/rewrite.h"
#include "support/tuning/gpu.h"

namespace krait::passes {
namespace {

using namespace ir;

class ArrayPromoter {
 public:
  explicit ArrayPromoter(Function& f) : f_(f), b_(f) {}
  /// Whether there was something to do.
  bool run() {
    find();
    if (std::none_of(lengths_.begin(), lengths_.end(), [](std::uint64_t n) { return n != 0; }))
      return false;
    walk(f_.body);
    results_.apply(f_);
    return true;
  }

 private:
  /// Elements of a local array of numbers that is small enough, or 0.
  std::uint64_t length_of(const Inst& inst) const {
    const Type& t = f_.type_of(inst.results[0]);
    if (t.scalar == Scalar::Void || t.elem_bytes != size_of(t.scalar)) return 0;
    std::uint64_t n = 1;
    for (const std::int64_t extent : inst.list)
      if ((n *= std::uint64_t(extent)) > tuning::gpu::largest_array_in_registers) return 0;
    return n * t.elem_bytes <= tuning::gpu::largest_array_in_registers ? n : 0;
  }
  bool at_known_place(const Inst& inst) const {
    const ValueId array = inst.operands[0], index = inst.operands[1];
    return inst.operands.size() == 2 + values_of_access(inst.op) && inst.imm == 0 &&
           f_.is_const(index) && f_.const_bits(index) < lengths_[array];
  }

  /// Lengths of the arrays that become slots, by value; 0 for all else.
  void find() {
    lengths_.assign(f_.values.size(), 0);
    for_each_inst(f_, [&](InstId i, RegionId) {
      if (f_.insts[i].op == Op::Local) lengths_[f_.insts[i].results[0]] = length_of(f_.insts[i]);
    });
    for_each_inst(f_, [&](InstId i, RegionId) {
      const Inst& inst = f_.insts[i];
      const bool plain = inst.op == Op::Load || inst.op == Op::Store;
      for (std::size_t k = 0; k < inst.operands.size(); ++k)
        if (lengths_[inst.operands[k]] != 0 && (k != 0 || !plain || !at_known_place(inst)))
          lengths_[inst.operands[k]] = 0;
    });
    slots_.resize(f_.values.size());
  }

  void walk(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      b_.at(r);
      b_.location(f_.insts[i].loc);
      if (!replace(f_.insts[i])) f_.regions[r].insts.push_back(i);
      const std::vector<RegionId> regions = f_.insts[i].regions;
      for (const RegionId inner : regions) walk(inner);
    }
  }
  bool replace(const Inst inst) {
    if (inst.op == Op::Local && lengths_[inst.results[0]] != 0) {
      const Scalar s = f_.type_of(inst.results[0]).scalar;
      const ValueId zero = b_.constant(s, 0);
      std::vector<ValueId>& slots = slots_[inst.results[0]];
      for (std::uint64_t k = 0; k < lengths_[inst.results[0]]; ++k)
        slots.push_back(b_.emit(Op::Slot, slot_type(s), std::array{zero}));
      return true;
    }
    const bool load = inst.op == Op::Load;
    if ((!load && inst.op != Op::Store) || slots_[inst.operands[0]].empty()) return false;
    const ValueId slot = slots_[inst.operands[0]][f_.const_bits(inst.operands[1])];
    if (load)
      results_.replace(inst.results[0],
                       b_.emit(Op::Get, value_type(inst.type.scalar), std::array{slot}));
    else b_.append(Op::Set, {}, std::array{slot, inst.operands[2]});
    return true;
  }

  Function& f_;
  Builder b_;
  Substitution results_;
  std::vector<std::uint64_t> lengths_;
  std::vector<std::vector<ValueId>> slots_;
};

}  // namespace

void promote_arrays(Module& m) {
  bool any = false;
  for (Function& f : m.functions)
    if (f.flat && any_inst(f, [](const Inst& i) { return i.op == Op::Local; }))
      any |= ArrayPromoter(f).run();
  if (any) promote_slots(m);
}

}  // namespace krait::passes
