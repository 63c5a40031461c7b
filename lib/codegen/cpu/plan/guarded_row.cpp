// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/plan/guarded_row.h"

#include <algorithm>

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

namespace {

class GuardFinder {
 public:
  explicit GuardFinder(const ir::Function& f) : f_(f), differs_(f.values.size(), false) {}

  std::optional<GuardedRow> find() {
    ir::RegionId r = f_.body;
    while (enter(r)) r = row_.guarded;
    if (row_.guarded == ir::none || row_.bounds.empty()) return {};
    return std::move(row_);
  }

 private:
  /// Whether the region is pure instructions and one guard at its end, which then are noted.
  bool enter(ir::RegionId r) {
    const auto& insts = f_.regions[r].insts;
    if (insts.size() < 2) return false;
    const ir::Inst &guard = f_.insts[insts[insts.size() - 2]], &end = f_.insts[insts.back()];
    if (guard.op != Op::If || !guard.results.empty() || !end.operands.empty()) return false;
    if (guard.regions.size() > 1 && f_.regions[guard.regions[1]].insts.size() > 1) return false;
    GuardedRow row = row_;
    for (std::size_t k = 0; k + 2 < insts.size(); ++k) {
      const ir::Inst& inst = f_.insts[insts[k]];
      if (ir::info(inst.op).effect != ir::Effect::Pure || !inst.regions.empty()) return false;
      (note(inst) ? row.of_thread : row.of_row).push_back(insts[k]);
    }
    if (!split(guard.operands[0], row)) return false;
    row.guard = insts[insts.size() - 2], row.guarded = guard.regions[0];
    row_ = std::move(row);
    return true;
  }

  /// Whether the instruction's result differs along a row.
  bool note(const ir::Inst& inst) {
    const bool id = inst.op == Op::GlobalId || inst.op == Op::ThreadIdx || inst.op == Op::BlockIdx;
    const bool differs = (id && inst.imm == 0) || inst.op == Op::LaneId ||
                         std::any_of(inst.operands.begin(), inst.operands.end(),
                                     [&](auto v) { return differs_[v]; });
    for (const ir::ValueId v : inst.results) differs_[v] = differs;
    return differs;
  }

  /// Takes a conjunction apart.
  bool split(ir::ValueId condition, GuardedRow& row) const {
    if (!differs_[condition]) return row.conditions.push_back(condition), true;
    const ir::Inst* d = f_.def(condition);
    if (d->op == Op::And && f_.type_of(condition).scalar == Scalar::Bool)
      return split(d->operands[0], row) && split(d->operands[1], row);
    const bool less = d->op == Op::Lt || d->op == Op::Le, more = d->op == Op::Gt || d->op == Op::Ge;
    if (!less && !more) return false;
    const bool left = is_place(d->operands[0]);
    const ir::ValueId limit = d->operands[left ? 1 : 0];
    if (differs_[limit] || (!left && !is_place(d->operands[1]))) return false;
    row.bounds.push_back({limit, left == less, d->op == Op::Le || d->op == Op::Ge});
    return true;
  }

  /// Whether v is the thread's x in the grid, in a type that holds it.
  bool is_place(ir::ValueId v) const {
    const ir::Inst* d = f_.def(v);
    for (; d && d->op == Op::Cast && ir::is_int(d->type.scalar); d = f_.def(d->operands[0])) {
      const unsigned bits = ir::bits_of(d->type.scalar);
      if (bits < 32 || (bits == 32 && !f_.facts.small)) return false;
    }
    return d && d->op == Op::GlobalId && d->imm == 0;
  }

  const ir::Function& f_;
  std::vector<bool> differs_;  // along a row, by ValueId
  GuardedRow row_;
};

}  // namespace

bool GuardedRow::cuts_begin() const {
  return std::any_of(bounds.begin(), bounds.end(), [](const Bound& b) { return !b.below; });
}

std::optional<GuardedRow> find_guarded_row(const ir::Function& f) { return GuardFinder(f).find(); }

}  // namespace krait::codegen::cpu
