// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bins[i] += x in an array of the thread's own, at places that data choose. Without instructions
// that scatter, every lane stores by itself; then it loads by itself too, instead of a gather: an
// instruction that adds to memory for each lane.
#include "codegen/cpu/idioms/local_updates.h"

#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/access/addresses.h"
#include "codegen/cpu/access/memory.h"
#include "codegen/cpu/emit/pure.h"
#include "ir/walk.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

LocalUpdates::LocalUpdates(const Common& common, Addresses& addresses, Memory& memory, Pure& pure)
    : Part(common), addresses_(addresses), memory_(memory), pure_(pure) {
  find_local_updates();
}

/// Finds stores of what an operation makes of the element that is there; between load and store
/// nothing else happens to the array.
void LocalUpdates::find_local_updates() {
  if (!shape_.machine.uses(Idiom::LocalUpdates) || shape_.lanes == 1 ||
      shape_.machine.level == CpuLevel::Avx512 ||
      !ir::any_inst(f_, [](const ir::Inst& i) { return i.op == Op::Local; }))
    return;
  ir::for_each_region(f_, [&](ir::RegionId r) {
    std::map<ir::ValueId, ir::InstId> loads;  // by result: of this stretch of the region
    for (const ir::InstId i : f_.regions[r].insts) {
      const ir::Inst& inst = f_.insts[i];
      const ir::Effect effect = ir::info(inst.op).effect;
      if (inst.op == Op::Load && f_.type_of(inst.operands[0]).space == ir::Space::Local &&
          uses_[inst.results[0]] == 1)
        loads[inst.results[0]] = i;
      if (inst.op == Op::Store) {
        const ir::InstId by = f_.values[inst.operands[2]].def;
        const ir::Inst* operation = by == ir::none ? nullptr : &f_.insts[by];
        const auto found = operation && uses_[inst.operands[2]] == 1 && adds(operation->op)
                               ? loads.find(operation->operands[0])
                               : loads.end();
        if (found != loads.end() && updates(f_.insts[found->second], inst)) {
          updates_[i] = {found->second, by};
          within_.insert(found->second), within_.insert(by);
        }
        std::erase_if(loads, [&](const auto& load) {
          return f_.insts[load.second].operands[0] == inst.operands[0];
        });
      } else if (!inst.regions.empty() ||
                 (effect != ir::Effect::Pure && effect != ir::Effect::Read)) {
        loads.clear();
      }
    }
  });
}

bool LocalUpdates::adds(Op op) {
  return op == Op::Add || op == Op::Sub || op == Op::And || op == Op::Or || op == Op::Xor;
}

/// Whether both access one element of integers.
bool LocalUpdates::updates(const ir::Inst& load, const ir::Inst& store) const {
  const Scalar s = store.type.scalar;
  return load.operands[0] == store.operands[0] && load.operands[1] == store.operands[1] &&
         load.imm == store.imm && load.type.scalar == s && ir::is_int(s) && ir::size_of(s) >= 4;
}

/// False where the instruction is no part of such an update.
bool LocalUpdates::emit_local_update(ir::InstId id) {
  if (within_.contains(id)) return true;
  const auto found = updates_.find(id);
  if (found == updates_.end()) return false;
  const ir::Inst &store = f_.insts[id], &load = f_.insts[found->second.first],
                 &operation = f_.insts[found->second.second];
  const ir::ValueId index = store.operands[1], x = operation.operands[1];
  if (code_.lanes_in_loops() || values_.get(index).form != Lowered::Form::Parts ||
      x == load.results[0]) {
    memory_.emit_load(load);
    pure_.emit_pure(operation);
    return false;
  }
  const Scalar s = store.type.scalar;
  const std::int64_t size = ir::size_of(s), gang = shape_.gang();
  // Lanes that do not take part leave their first element as it is.
  const bool all = lanes_.active.all();
  const V nothing =
      arith_.constant(s, operation.op == Op::And ? ~std::uint64_t(0) >> (64 - ir::bits_of(s)) : 0);
  Few<V> places, operands;
  for (unsigned p = 0; p < shape_.parts; ++p) {
    const V place = values_.part(index, p);
    places.push_back(all ? place
                         : b_.CreateSelect(lanes_.active.parts[p], place,
                                           llvm::Constant::getNullValue(place->getType())));
    if (!all || !values_.uniform(x))
      operands.push_back(all ? values_.part(x, p)
                             : b_.CreateSelect(lanes_.active.parts[p], values_.part(x, p),
                                               values_.splat(nothing)));
  }
  const V element = b_.getInt64(std::int64_t(f_.type_of(store.operands[0]).index_bytes()) * gang);
  for (unsigned lane = 0; lane < shape_.gang(); ++lane) {
    const auto of_lane = [&](const Few<V>& parts) {
      return b_.CreateExtractElement(parts[lane / shape_.lanes],
                                     std::uint64_t(lane % shape_.lanes));
    };
    const V bytes =
        b_.CreateAdd(b_.CreateMul(addresses_.wide_index(of_lane(places), index), element),
                     b_.getInt64(std::int64_t(store.imm) * gang + lane * size));
    const V at = b_.CreatePtrAdd(addresses_.array_base(store.operands[0]), bytes);
    const V old = b_.CreateAlignedLoad(arith_.scalar_type(s), at, llvm::Align(std::uint64_t(size)));
    const V result = arith_.pure(operation, f_.fp, s,
                                 {old, operands.empty() ? values_.scalar(x) : of_lane(operands)});
    b_.CreateAlignedStore(result, at, llvm::Align(std::uint64_t(size)));
  }
  return true;
}

}  // namespace krait::codegen::cpu
