// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that a kernel only updates by atomics, as a histogram's counts. A locked instruction takes
// some 20 cycles, and many more where the workers take one cache line from each other; so each
// worker may have a copy of its own, which it updates by plain instructions and puts together with
// the array after its last chunk. Which launches do so is the runtime's choice
// (lib/runtime/cpu/copies.h).
//
// That shows nowhere: integers come out the same in any order, no thread sees what an update found,
// the kernel has no other access to the array, by this name or another, and nothing in it makes one
// thread's updates visible before something else of that thread.
#include <optional>

#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/launch/arguments.h"
#include "ir/walk.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;
using What = ir::ArgumentSlot::What;

using Update = CpuCopy::Update;

namespace {

Update update_of(Op op) {
  switch (op) {
    case Op::AtomicAdd: return Update::Add;
    case Op::AtomicAnd: return Update::And;
    case Op::AtomicOr: return Update::Or;
    case Op::AtomicXor: return Update::Xor;
    case Op::AtomicMin: return Update::Min;
    case Op::AtomicMax: return Update::Max;
    default: return Update::None;  // what depends on the element as it is
  }
}

/// Whether any thread orders its accesses for others to see: then no update may come late.
bool orders_memory(const ir::Module& module) {
  for (const ir::Function& f : module.functions)
    if (ir::any_inst(f, [](const ir::Inst& i) {
          return i.op == Op::Fence ||
                 (ir::info(i.op).effect == ir::Effect::Atomic && i.order != ir::Order::Relaxed);
        }))
      return true;
  return false;
}

/// How the kernel uses its arrays.
class Uses {
 public:
  Uses(const ir::Function& f, const std::vector<unsigned>& counts)
      : f_(f), counts_(counts), of_(f.values.size()), elsewhere_(f.values.size()) {
    ir::for_each_inst(f, [&](ir::InstId i, ir::RegionId) { note(f_.insts[i]); });
  }
  std::optional<CpuCopy> copy(ir::ValueId array) const {
    return elsewhere_[array] ? std::nullopt : of_[array];
  }

 private:
  void note(const ir::Inst& inst) {
    for (std::size_t k = 0; k < inst.operands.size(); ++k) {
      const ir::ValueId v = inst.operands[k];
      if (!f_.type_of(v).is_array() || inst.op == Op::Extent || inst.op == Op::Stride) continue;
      if (k != 0 || !updates(inst)) elsewhere_[v] = true;
    }
  }
  bool updates(const ir::Inst& inst) {
    const ir::Type& type = f_.type_of(inst.operands[0]);
    const Scalar s = inst.type.scalar;
    const Update update = update_of(inst.op);
    if (update == Update::None || counts_[inst.results[0]] != 0 || inst.scope == ir::Scope::System)
      return false;
    if (!ir::is_int(s) || ir::size_of(s) < 4 || inst.imm != 0 || type.elem_bytes != ir::size_of(s))
      return false;
    auto& known = of_[inst.operands[0]];
    if (!known) {
      known.emplace();
      known->update = update, known->bytes = std::uint8_t(ir::size_of(s)),
      known->is_signed = ir::is_signed_int(s);
    }
    return known->update == update && known->bytes == ir::size_of(s) &&
           known->is_signed == std::uint8_t(ir::is_signed_int(s));
  }

  const ir::Function& f_;
  const std::vector<unsigned>& counts_;
  std::vector<std::optional<CpuCopy>> of_;  // by ValueId
  std::vector<bool> elsewhere_;             // accessed otherwise
};

}  // namespace

/// Fills in the header's list, and copied.
void Arguments::find_copies() {
  if (!shape_.machine.uses(Idiom::PrivateCopies) || !code_.traits.atomics || !f_.facts.disjoint ||
      !f_.facts.contiguous || orders_memory(code_.functions.module))
    return;
  const Uses uses(f_, uses_);
  const auto params = f_.params();
  unsigned count = 0;
  V bits = nullptr;
  for (unsigned i = 0; i < params.size() && count < CpuCode::most_copies; ++i) {
    const ir::Type& type = f_.type_of(params[i]);
    if (!type.is_array() || type.space != ir::Space::Global) continue;
    std::optional<CpuCopy> copy = uses.copy(params[i]);
    if (!copy) continue;
    copy->rank = std::uint8_t(type.rank), copy->extent_bytes = f_.facts.small ? 4 : 8;
    copy->address = std::uint16_t(layout_.find(What::Address, i));
    if (!bits) bits = launch_field(Copied);
    V bit = b_.CreateAnd(bits, b_.getInt64(std::uint64_t(1) << count));
    copied[params[i]] = b_.CreateICmpNE(bit, b_.getInt64(0));
    code_.own.copies[count++] = *copy;
  }
}

}  // namespace krait::codegen::cpu
