// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise loops handle several consecutive elements a trip, with accesses of up to 16 bytes:
//   groups = threads < bound ? bound / W : 0
//   grid_stride bound - W*groups { the rest, one by one };
//   grid_stride groups { elements W*g … W*g+W-1 at once }
// The rest comes first: behind the wide loop it would keep ptxas from seeing that the threads of a
// warp run that loop together, and each constant would take a register (log of f64: 64 instead of
// 24). Which thread handles which element changes, so nothing in the kernel may depend on it: no
// ids, no atomics, no barriers, no other memory accesses outside the loop; and the elements must be
// independent: an array that is written is accessed at the element's own index only (the facts say
// that arrays do not overlap).
#include <algorithm>
#include <bit>
#include <optional>

#include "ir/calls.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "support/tuning/gpu.h"

namespace krait::passes {
namespace {

using namespace ir;

class Widener {
 public:
  Widener(Function& f, const Calls& calls)
      : f_(f), calls_(calls), b_(f), written_(f.values.size(), false) {}

  void run() {
    if (!f_.flat || !f_.facts.contiguous || !f_.facts.aligned || !f_.facts.small ||
        !f_.facts.disjoint)
      return;
    const InstId loop = find_loop();
    if (loop == none || !independent(loop) || !choose_width()) return;
    f_.elements = unsigned(width_);
    const std::vector<InstId> insts = take_insts(f_, f_.body);
    for (const InstId i : insts) {
      b_.at(f_.body);
      b_.location(f_.insts[i].loc);
      const InstId wide = i == loop ? widen(i) : none;
      f_.regions[f_.body].insts.push_back(i);
      if (wide != none) f_.regions[f_.body].insts.push_back(wide);
    }
  }

 private:
  struct Access {
    ValueId array;
    std::optional<std::int64_t> offset;  // from the loop's index, if it is that far from it
    bool top;                            // in the loop's own region
  };

  /// The only instruction of the body that has regions or effects, if it is a grid_stride that
  /// carries nothing.
  InstId find_loop() const {
    InstId loop = none;
    for (const InstId i : f_.regions[f_.body].insts) {
      const Inst& inst = f_.insts[i];
      if (inst.op == Op::Return || inst.op == Op::Assume) continue;
      if (inst.op == Op::GridStride && loop == none && inst.results.empty()) loop = i;
      else if (!same_everywhere(inst)) return none;
    }
    return loop;
  }
  /// Pure, and no part of the thread's position.
  bool same_everywhere(const Inst& inst) const {
    const Level level = info(inst.op).level;
    if (inst.op == Op::Call) return calls_.is_pure(inst) && !calls_.is_placed(inst);
    return is_pure(inst.op) && (level == Level::Operands || level == Level::Launch);
  }

  bool independent(InstId loop) {
    const RegionId body = f_.insts[loop].regions[0];
    index_ = f_.regions[body].params[0];
    std::size_t size = 0;
    bool fine = terminator(f_, body).op == Op::Continue;
    for_each_inst(f_, body, [&](InstId i, RegionId r) {
      const Inst& inst = f_.insts[i];
      ++size;
      const bool access = inst.op == Op::Load || inst.op == Op::Store;
      const bool control = inst.op == Op::If || inst.op == Op::Switch || inst.op == Op::Yield ||
                           (inst.op == Op::Continue && r == body);
      fine = fine && (access || control || same_everywhere(inst));
      if (access) accesses_.push_back({inst.operands[0], offset_of(inst.operands[1]), r == body});
      if (inst.op == Op::Store) written_[inst.operands[0]] = true;
    });
    return fine && size <= tuning::gpu::largest_wide_body && writes_own_element();
  }
  bool writes_own_element() const {
    for (const Access& a : accesses_) {
      if (!written_[a.array]) continue;
      for (const Access& other : accesses_)
        if (other.array == a.array && (!other.offset || other.offset != a.offset)) return false;
    }
    return true;
  }

  /// v is the loop's index plus this constant, as far as an index in bounds shows.
  std::optional<std::int64_t> offset_of(ValueId v) const {
    std::int64_t sum = 0;
    for (const Inst* d = f_.def(v); v != index_; d = f_.def(v)) {
      if (!d) return {};
      const bool step = d->op == Op::Add && f_.is_const(d->operands[1]);
      const bool cast = d->op == Op::Cast && is_int(d->type.scalar) &&
                        bits_of(d->type.scalar) >= 32 && is_int(f_.type_of(d->operands[0]).scalar);
      if (!step && !cast) return {};
      if (step) sum += as_int(f_.type_of(v).scalar, f_.const_bits(d->operands[1]));
      v = d->operands[0];
    }
    return sum;
  }

  bool is_wide_access(ValueId array, const std::optional<std::int64_t>& offset) const {
    const Type& t = f_.type_of(array);
    return t.space == Space::Global && (is_int(t.scalar) || is_float(t.scalar)) && offset &&
           *offset % width_ == 0;
  }
  bool choose_width() {
    unsigned largest = 0;
    width_ = 1;
    for (const Access& a : accesses_)
      if (a.top && is_wide_access(a.array, a.offset))
        largest = std::max(largest, size_of(f_.type_of(a.array).scalar));
    if (largest == 0) return false;
    width_ = std::clamp<int>(int(16 / largest), 2, 8);
    return std::any_of(accesses_.begin(), accesses_.end(),
                       [&](const Access& a) { return a.top && is_wide_access(a.array, a.offset); });
  }

  /// Makes the loop itself the one for the rest, and the wide one, which is not in its place yet.
  InstId widen(InstId loop) {
    const auto shift = unsigned(std::countr_zero(unsigned(width_)));
    ValueId bound = f_.insts[loop].operands[0];
    const Inst* d = f_.def(bound);
    if (!d || d->op != Op::Extent) bound = b_.binary(Op::Max, {bound, b_.constant(Scalar::I64, 0)});
    const ValueId bits = b_.constant(Scalar::I64, shift);
    // Where the launch has a thread for each element, one of each W would work; more of them wait
    // for memory together where each takes one.
    const ValueId few = b_.compare(Op::Lt, {b_.emit(Op::GlobalSize, Scalar::I64, {}, 0), bound});
    const ValueId groups =
        b_.select({few, b_.binary(Op::Shr, {bound, bits}), b_.constant(Scalar::I64, 0)});
    const ValueId done = b_.binary(Op::Shl, {groups, bits});
    const ValueId rest = b_.select(
        {few, b_.binary(Op::And, {bound, b_.constant(Scalar::I64, std::uint64_t(width_) - 1)}),
         bound});

    const InstId wide = b_.append(Op::GridStride, {}, std::span(&groups, 1));
    f_.regions[f_.body].insts.pop_back();
    const RegionId into = b_.new_region(wide);
    const ValueId group = b_.new_param(into, value_type(Scalar::I64));
    b_.at(into);
    fill(f_.insts[loop].regions[0], b_.binary(Op::Shl, {group, b_.constant(Scalar::I64, shift)}));
    b_.append(Op::Continue, {}, {});

    f_.insts[loop].operands[0] = rest;
    count_on(f_, b_, f_.insts[loop].regions[0], done);
    return wide;
  }

  /// The body for `width_` elements: accesses of neighbours become one, all else is copied for
  /// each, instruction by instruction.
  void fill(RegionId body, ValueId base) {
    std::vector<std::vector<ValueId>> maps(std::size_t(width_),
                                           std::vector<ValueId>(f_.values.size(), none));
    for (std::size_t lane = 0; lane < maps.size(); ++lane)
      maps[lane][index_] =
          lane == 0 ? base : b_.binary(Op::Add, {base, b_.constant(Scalar::I64, lane)});
    const std::vector<InstId> insts = f_.regions[body].insts;
    for (const InstId i : insts) {
      const Inst inst = f_.insts[i];
      if (is_terminator(inst.op)) continue;
      b_.location(inst.loc);
      const bool access = inst.op == Op::Load || inst.op == Op::Store;
      if (access && is_wide_access(inst.operands[0], offset_of(inst.operands[1]))) {
        access_wide(inst, maps);
      } else if (same_for_all(inst, maps)) {
        clone_inst(f_, i, b_, maps[0]);
        for (std::size_t lane = 1; lane < maps.size(); ++lane)
          for (const ValueId v : inst.results) set_mapped(maps[lane], v, maps[0][v]);
      } else {
        for (auto& map : maps) clone_inst(f_, i, b_, map);
      }
    }
  }
  bool same_for_all(const Inst& inst, const std::vector<std::vector<ValueId>>& maps) const {
    const bool load = inst.op == Op::Load && !written_[inst.operands[0]];
    if (!load && !calls_.is_pure(inst)) return false;
    for (const auto& map : maps)
      for (const ValueId v : inst.operands)
        if (mapped(map, v) != mapped(maps[0], v)) return false;
    return true;
  }

  void access_wide(const Inst& inst, std::vector<std::vector<ValueId>>& maps) {
    const Type element = value_type(f_.type_of(inst.operands[0]).scalar);
    std::vector<ValueId> operands{inst.operands[0], mapped(maps[0], inst.operands[1])};
    if (inst.op == Op::Store)
      for (const auto& map : maps) operands.push_back(mapped(map, inst.operands[2]));
    const InstId wide =
        b_.append(inst.op == Op::Load ? Op::LoadVec : Op::StoreVec, element, operands);
    f_.insts[wide].streaming = inst.streaming;
    if (inst.op == Op::Load)
      for (auto& map : maps) set_mapped(map, inst.results[0], b_.add_result(wide, element));
  }

  Function& f_;
  const Calls& calls_;
  Builder b_;
  std::vector<bool> written_;  // by value of an array, in the loop
  std::vector<Access> accesses_;
  ValueId index_ = none;
  int width_ = 1;
};

}  // namespace

void widen(Module& m) {
  const Calls calls(m);
  Widener(m.kernel(), calls).run();
}

}  // namespace krait::passes
