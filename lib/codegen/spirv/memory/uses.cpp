// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/memory/uses.h"

#include "ir/tiles.h"
#include "ir/walk.h"

namespace krait::codegen::spirv {

Uses::Uses(Frame& frame) : f_(frame.f), uses_(f_.values.size()) {
  ir::for_each_inst(f_, [&](ir::InstId id, ir::RegionId) {
    const ir::Inst& i = f_.insts[id];
    const ir::Effect effect = ir::info(i.op).effect;
    const bool atomic = effect == ir::Effect::Atomic;
    frame.unit.own.uses_warp |=
        ir::is_warp_operation(i.op) || i.op == ir::Op::LaneId || i.op == ir::Op::WarpSize;
    if (i.op == ir::Op::Product) {
      frame.unit.own.uses_warp = true;
      for (const std::size_t factor : {0, 2}) uses_[i.operands[factor]].factor = true;
    }
    if (i.op == ir::Op::CopyRow) {
      constexpr auto at = ir::copy_operands(ir::Op::CopyRow);
      uses_[i.operands[at.view]].read = uses_[i.operands[at.shared]].written = true;
    }
    if (i.op == ir::Op::Call)
      for (std::size_t k = 0; k < i.operands.size(); ++k) {
        uses_[i.operands[k]].parts = true;
        uses_[i.operands[k]].read |= frame.unit.calls.reads(i, k);
        uses_[i.operands[k]].written |= frame.unit.calls.writes(i, k);
      }
    if (effect != ir::Effect::Read && effect != ir::Effect::Write && !atomic) return;
    const ir::ValueId array = i.operands[0];
    const ir::Type& t = f_.type_of(array);
    const Scalar s = i.results.empty() ? i.type.scalar : f_.type_of(i.results[0]).scalar;
    Use& use = uses_[array];
    const std::size_t count = i.op == ir::Op::LoadVec    ? i.results.size()
                              : i.op == ir::Op::StoreVec ? i.operands.size() - 2
                                                         : 1;
    use.parts |= count * ir::size_of(s) != ir::piece_bytes;
    use.atomic |= atomic;
    use.read |= atomic || effect == ir::Effect::Read;
    use.written |= atomic || effect == ir::Effect::Write;
    // A power of two that divides the access, its offset and the element's size: what an array of
    // aggregates is made of.
    for (std::uint64_t n : {std::uint64_t(ir::size_of(s)), i.imm, std::uint64_t(t.elem_bytes)})
      while (n % use.size) use.size /= 2;
  });
}

bool Uses::exchanges(ir::ValueId view) const {
  bool read = uses_[view].read, written = uses_[view].written;
  if (!f_.facts.disjoint)
    for (const ir::ValueId v : f_.params()) {
      if (!f_.type_of(v).is_array()) continue;
      read |= uses_[v].read, written |= uses_[v].written;
    }
  return read && written;
}

}  // namespace krait::codegen::spirv
