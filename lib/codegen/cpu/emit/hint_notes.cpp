// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emitter notes while it lowers, for the texts of hint_record.h.
#include "codegen/cpu/emit/hint_notes.h"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "codegen/cpu/access/addresses.h"
#include "codegen/cpu/launch/arguments.h"
#include "codegen/cpu/plan/fission.h"
#include "codegen/cpu/kit/hint_record.h"
#include "ir/walk.h"
#include "ir/weight.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

namespace {

// Operations of a side that is worth a hint where another one as large runs in turn with it.
constexpr unsigned large_side = 16;
// Values of a thread that are worth a hint where they cross a barrier once; in a loop one is.
constexpr std::size_t many_values = 8;

}  // namespace

/// `a`: where the elements of a load or store were found to lie; null: side by side.
void HintNotes::note_access(const ir::Inst& inst, const Address* a) {
  Record* const record = code_.functions.record;
  if (!record || shape_.lanes == 1) return;
  const unsigned size = ir::size_of(inst.type.scalar);
  const bool stores = inst.op == Op::Store || inst.op == Op::StoreVec,
             avx2 = shape_.machine.level >= CpuLevel::Avx2;
  const bool masks_cost = shape_.machine.level < CpuLevel::Avx512 && (stores || size < 4 || !avx2);
  if (masks_cost) record->masked(f_, inst, lanes_.everyone() ? nullptr : lanes_.parted);
  const unsigned windows = a ? addresses_.count_windows(*a, 0, size, stores) : 0;
  if (!a || (a->kind != Address::Kind::Lanes && a->kind != Address::Kind::Steps) || windows == 1 ||
      windows == 2)
    return record->access(f_, inst, Record::Access::Row, "", [] { return ""; });
  const ir::Type& array = f_.type_of(inst.operands[0]);
  const ir::ValueId index = inst.operands[1];
  const Lowered& i = values_.get(index);
  const bool linear = i.form == Lowered::Form::Linear && i.step != 0 && !i.across[0];
  if (linear && array.space != ir::Space::Local && !addresses_.wraps(index))
    return record->access(f_, inst, Record::Access::Strided, "strided", [&] {
      return strided_text(stores, i.step * std::int64_t(array.index_bytes()), array.elem_bytes,
                          windows
                              ? fmt::format("so {} vectors are accessed instead of one", windows)
                              : "so a vector's elements are accessed one by one");
    });
  record->access(
      f_, inst, Record::Access::Each,
      array.space == ir::Space::Local ? "local"
      : stores                        ? "scatter"
                                      : "gather",
      [&]() -> std::string {
        if (array.space == ir::Space::Local)
          return "local array: it is indexed by a number that differs from thread to thread, "
                 "so its elements are accessed one by one. Index it by constants or loop counters";
        const Cause cause = cause_of(f_, index, [&](ir::ValueId v) { return values_.uniform(v); });
        // With AVX2 alone scalarise.cpp decides later, by the processor.
        const bool has =
            size >= 4 && (shape_.machine.level == CpuLevel::Avx512 || (avx2 && !stores));
        const char* price = !has ? "one by one"
                            : shape_.machine.level == CpuLevel::Avx512
                                ? "which is one instruction but as many accesses"
                                : "one by one or by an instruction that is hardly faster";
        return fmt::format("{}: {}, and {} threads access {} places, {}. {}",
                           stores ? "scatter" : "gather", cause.why, shape_.gang(), shape_.gang(),
                           price, cause.cure);
      });
}

void HintNotes::note_pure(const ir::Inst& inst) {
  Record* const record = code_.functions.record;
  if (!record || shape_.lanes == 1) return;
  if (inst.op == Op::Fma && !shape_.machine.fma)
    return record->slow(
        f_, inst, "call",
        "call: this processor level has no fma, so a function is called for each thread. "
        "Use a later level (KRAIT_CPU), or strict mode, which does not fuse");
  if ((inst.op != Op::Div && inst.op != Op::Rem) || !ir::is_int(inst.type.scalar) ||
      f_.is_const(inst.operands[1]))
    return;
  const bool wide = ir::bits_of(inst.type.scalar) == 64;
  record->slow(f_, inst, "division",
               division_text(inst.type.scalar, false,
                             wide ? "thread by thread" : "by way of floating-point division"));
}

void HintNotes::note_atomic(const ir::Inst& inst, const Address& a) {
  Record* const record = code_.functions.record;
  if (!record || lanes_.one_lane() || shape_.lanes == 1 ||
      f_.type_of(inst.operands[0]).space != ir::Space::Global)
    return;
  if (inst.op == Op::AtomicLoad)
    return record->slow(
        f_, inst, "volatile",
        fmt::format("volatile load: {} threads read one after another, "
                    "because each read of memory that others change is a separate access. "
                    "Read constant memory by a plain view, or let one thread read and "
                    "kr::warp::broadcast the value",
                    shape_.gang()));
  record->slow(
      f_, inst, "atomic",
      fmt::format("atomic: threads update memory one after another, each with a locked "
                  "instruction{}{}. Combine first, by kr::warp::reduce or in a shared array, "
                  "and let one thread of the warp or block update",
                  arguments_.copied.contains(inst.operands[0])
                      ? " where the array is large or the launch small"
                      : "",
                  a.kind == Address::Kind::One ? ", and all of them the same place" : ""));
}

/// A branch whose sides run in turn.
void HintNotes::note_branch(const ir::Inst& inst) {
  if (!code_.functions.record || shape_.lanes == 1) return;
  unsigned sides = 0, operations = 0;
  for (const ir::RegionId r : inst.regions)
    if (const unsigned w = ir::weight(code_.functions.module, f_, r); w >= large_side)
      ++sides, operations += w;
  if (sides < 2) return;
  code_.functions.record->slow(
      f_, inst, "branch",
      fmt::format("divergent branch: neighbouring threads choose differently, "
                  "so {} sides run one after the other, each under a mask: "
                  "about {} operations in all. Let a warp or block choose together, "
                  "or compute the common part before the branch",
                  sides, operations));
}

void HintNotes::note_loop(const ir::Inst& inst) {
  if (!code_.functions.record || shape_.lanes == 1 || inst.op == Op::GridStride) return;
  code_.functions.record->slow(
      f_, inst, "loop",
      fmt::format(
          "divergent loop: threads leave it after different numbers of iterations, "
          "and {} run until the last has left. Give neighbouring threads work of equal length",
          shape_.gang()));
}

void HintNotes::note_lone_loop(const ir::Inst& inst) {
  // Loops of scalar code become vectors, but for sums of floats whose order counts.
  const bool kept = shape_.lone && f_.fp != ir::FpMode::Fast &&
                    std::any_of(inst.results.begin(), inst.results.end(),
                                [&](ir::ValueId v) { return ir::is_float(f_.type_of(v).scalar); });
  if (!code_.functions.record || !(lanes_.one_lane() || kept) || inst.op != Op::For ||
      inst.regions.empty())
    return;
  unsigned inner = 0;
  bool accesses = false;
  ir::for_each_inst(f_, inst.regions[0], [&](ir::InstId i, ir::RegionId) {
    inner += ir::is_loop(f_.insts[i].op);
    accesses = accesses || f_.insts[i].op == Op::Load || f_.insts[i].op == Op::Store;
  });
  if (inner || !accesses) return;
  if (!lanes_.one_lane())
    return code_.functions.record->slow(
        f_, inst, "lone loop",
        "lone loop: one thread runs it, and its floating-point sum keeps its order, "
        "an element at a time. Allow any order by kr::fp::fast, "
        "or give each thread of a block some of the iterations (kr::grid_stride, "
        "or a step of kr::block_dim().x)");
  code_.functions.record->slow(
      f_, inst, "lone loop",
      "lone loop: one thread runs it, an element at a time, "
      "as the lanes of a vector are threads and loops of a thread are not vectorised. "
      "Give each thread of a block some of the iterations (kr::grid_stride, "
      "or a step of kr::block_dim().x)");
}

/// A function that takes one thread at a time. Those that report to the host have no place in the
/// source.
void HintNotes::note_call_by_lane(const ir::Inst& inst) {
  if (!code_.functions.record || code_.functions.module.callee(inst).locations.size() < 2) return;
  code_.functions.record->slow(
      f_, inst, "call",
      fmt::format("call: the rare function {} is called for one thread at a time. "
                  "Omit .rare if most threads call it",
                  code_.functions.module.callee(inst).name));
}

/// Barriers that the block's gangs are cut at: what each of them keeps of a thread.
void HintNotes::note_barriers(const Fission& plan) {
  if (!code_.functions.record) return;
  struct Life {
    std::uint32_t first, last;
  };
  std::map<ir::ValueId, Life> kept;  // by segment
  for (ir::ValueId v = 0; v < f_.values.size(); ++v)
    if (plan.place[v] != Fission::no_place && f_.type_of(v).is_value()) kept[v] = {~0u, 0};
  const auto lives = [&](ir::ValueId v, std::uint32_t segment) {
    if (const auto at = kept.find(v); at != kept.end())
      at->second = {std::min(at->second.first, segment), std::max(at->second.last, segment)};
  };
  ir::for_each_inst(f_, [&](ir::InstId id, ir::RegionId) {
    const ir::Inst& inst = f_.insts[id];
    for (const ir::ValueId v : inst.operands) lives(v, plan.segment[id]);
    std::uint32_t end = plan.segment[id];
    for (const ir::RegionId r : inst.regions) {
      for (const ir::ValueId v : f_.regions[r].params) lives(v, plan.segment[id]);
      ir::for_each_inst(
          f_, r, [&](ir::InstId inner, ir::RegionId) { end = std::max(end, plan.segment[inner]); });
    }
    for (const ir::ValueId v : inst.results) lives(v, plan.outer[id] ? end + 1 : end);
    if (!ir::is_loop(inst.op) || !plan.outer[id]) return;
    // What was made before the loop is kept for its next trip.
    ir::for_each_inst(f_, inst.regions[0], [&](ir::InstId inner, ir::RegionId) {
      for (const ir::ValueId v : f_.insts[inner].operands)
        if (const auto at = kept.find(v); at != kept.end() && at->second.first < plan.segment[id])
          lives(v, end);
    });
  });
  const auto walk = [&](auto&& self, ir::RegionId r, const ir::Inst* loop) -> void {
    for (const ir::InstId id : f_.regions[r].insts) {
      const ir::Inst& inst = f_.insts[id];
      const ir::Inst* const around = ir::is_loop(inst.op) && plan.outer[id] ? &inst : loop;
      for (const ir::RegionId inner : inst.regions) self(self, inner, around);
      // interchange_trips puts barriers into loops, at the loop's line, because it is faster so.
      if (!ir::is_barrier(inst.op) || (loop && loop->loc == inst.loc)) continue;
      const auto crosses = [&](const auto& value) {
        return value.second.first <= plan.segment[id] && plan.segment[id] < value.second.last;
      };
      const auto values = std::size_t(std::count_if(kept.begin(), kept.end(), crosses));
      if (values < (loop ? 1 : many_values)) continue;
      const bool one = values == 1;
      code_.functions.record->slow(
          f_, inst, "barrier",
          fmt::format("barrier: {}the block is cut into pieces of code here, "
                      "and {} value{} of each thread {} through memory from one to the next. "
                      "A fixed block of at most 16 vectors, kr::kernel<grid, block>, "
                      "runs as one piece; sharing within a warp needs no barrier",
                      loop ? "in each iteration of the loop " : "", values, one ? "" : "s",
                      one ? "goes" : "go"));
    }
  };
  walk(walk, f_.body, nullptr);
}

}  // namespace krait::codegen::cpu
