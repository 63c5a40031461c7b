// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/uses.h"

#include "ir/walk.h"

namespace krait::codegen::wgsl {

void Use::join(const Use& other) {
  atomic |= other.atomic, part_written |= other.part_written, read |= other.read,
      written |= other.written;
}

/// Functions call only those behind them.
Uses::Uses(const ir::Module& module) : all_(module.functions.size()) {
  for (std::size_t n = module.functions.size(); n-- > 0;) {
    const ir::Function& f = module.functions[n];
    std::vector<Use>& uses = all_[n];
    uses.resize(f.values.size());
    ir::for_each_inst(f, [&](ir::InstId id, ir::RegionId) {
      const ir::Inst& i = f.insts[id];
      if (i.op == ir::Op::Call) {
        const ir::Function& callee = module.callee(i);
        for (std::size_t k = 0; k < i.operands.size(); ++k)
          if (callee.type_of(callee.params()[k]).is_array())
            uses[i.operands[k]].join(all_[i.imm][callee.params()[k]]);
        return;
      }
      const ir::Effect effect = ir::info(i.op).effect;
      const bool atomic = effect == ir::Effect::Atomic, writes = effect == ir::Effect::Write;
      if (effect != ir::Effect::Read && !writes && !atomic) return;
      uses[i.operands[0]].join({.atomic = atomic,
                                .part_written = writes && ir::size_of(i.type.scalar) < 4,
                                .read = !writes,
                                .written = writes || (atomic && i.op != ir::Op::AtomicLoad)});
    });
  }
}

}  // namespace krait::codegen::wgsl
