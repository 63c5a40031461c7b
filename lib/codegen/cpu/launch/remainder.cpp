// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rest of a range, fewer elements than a gang has lanes, without code of its own. A body that
// accesses its arrays at the loop's index alone runs for the rest as it does for whole gangs, on
// copies of the elements that lie on the stack: half the code, and half the time of its
// compilation, of a body under a mask for the rest alone. Lanes past the end repeat the last
// element, so they do nothing that an element in the range does not do.
#include "codegen/cpu/launch/remainder.h"

#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/launch/gangs.h"
#include "support/tuning/cpu.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

namespace {

/// How a loop's body uses the kernel's arrays.
class Accesses {
 public:
  Accesses(const ir::Function& f, const ir::Calls& calls, const ir::Inst& loop)
      : f_(f),
        calls_(calls),
        is_index_(f.values.size()),
        beside_(f.values.size()),
        elsewhere_(f.values.size()) {
    is_index_[f.regions[loop.regions[0]].params[0]] = true;
    apart_ = walk(loop.regions[0], true);
  }

  /// Arrays whose elements go through copies; empty where the body does anything else than compute
  /// from element to element.
  std::vector<RemainderArray> arrays() const {
    std::vector<RemainderArray> all;
    std::size_t written = 0;
    for (ir::ValueId v : f_.params()) {
      if (!beside_[v]) continue;
      if (elsewhere_[v]) return {};
      all.push_back(*beside_[v]);
      written += all.back().written;
    }
    // Of two arrays that may be one, the copy of the second would undo what the first one got.
    if (!apart_ || (written > 1 && !f_.facts.disjoint)) return {};
    return all;
  }

 private:
  bool walk(ir::RegionId region, bool always) {
    for (ir::InstId id : f_.regions[region].insts) {
      const ir::Inst& inst = f_.insts[id];
      if (inst.op == Op::Continue || inst.op == Op::Return) some_left_ = true;
      if (!accepts(inst, always && !some_left_)) return false;
      for (ir::RegionId r : inst.regions)
        if (!walk(r, false)) return false;
    }
    return true;
  }

  bool accepts(const ir::Inst& inst, bool always) {
    if (inst.op == Op::Load && inst.results.size() == 1) return element(inst, false, always);
    if (inst.op == Op::Store && inst.operands.size() == 3 && !is_index_[inst.operands[2]])
      return element(inst, true, always);
    if (inst.op == Op::Cast && is_index_[inst.operands[0]] && ir::is_int(inst.type.scalar) &&
        ir::bits_of(inst.type.scalar) >= 32) {
      is_index_[inst.results[0]] = true;
      return true;
    }
    for (ir::ValueId v : inst.operands)
      if (is_index_[v] || f_.type_of(v).is_array()) return false;
    return calls_.is_pure(inst) || calls_.effect(inst) == ir::Effect::Control;
  }

  bool element(const ir::Inst& inst, bool written, bool always) {
    const ir::ValueId array = inst.operands[0], index = inst.operands[1];
    const ir::Type& type = f_.type_of(array);
    const Scalar s = written ? scalar_of(inst.operands[2]) : inst.type.scalar;
    if (type.space != ir::Space::Global || f_.values[array].region != f_.body) return false;
    if (!is_index_[index]) {
      elsewhere_[array] = true;
      return !written && f_.def(index) && f_.def(index)->op == Op::Const;
    }
    if (inst.imm != 0 || type.elem_bytes != ir::size_of(s)) return false;
    auto& uses = beside_[array];
    if (!uses) uses = RemainderArray{array, s, false, false};
    if (uses->scalar != s) return false;
    uses->read = uses->read || !written || !always;
    uses->written = uses->written || written;
    return true;
  }

  Scalar scalar_of(ir::ValueId v) const { return f_.type_of(v).scalar; }

  const ir::Function& f_;
  const ir::Calls& calls_;
  // by ValueId: the loop's index, or that in another type
  std::vector<bool> is_index_;
  std::vector<std::optional<RemainderArray>> beside_;  // by ValueId: accessed at the index
  std::vector<bool> elsewhere_;                        // by ValueId: read at a fixed place
  // in front of where the walk is: what follows is not for every element
  bool some_left_ = false;
  bool apart_ = false;
};

}  // namespace

std::vector<RemainderArray> Remainder::remainder_arrays() const {
  if (!shape_.machine.uses(Idiom::RemainderCopies) || shape_.layout != Layout::Range ||
      shape_.gang() == 1 || code_.traits.cost < tuning::cpu::worth_copying)
    return {};
  return Accesses(f_, code_.functions.calls, f_.insts[code_.traits.stride_loop]).arrays();
}

std::vector<Remainder::Home> Remainder::make_copies(const std::vector<RemainderArray>& arrays) {
  std::vector<Home> homes;
  for (const RemainderArray& a : arrays) {
    llvm::Type* type = a.scalar == Scalar::Bool ? b_.getInt8Ty() : arith_.scalar_type(a.scalar);
    llvm::AllocaInst* copy = code_.room(llvm::ArrayType::get(type, shape_.gang()), "rest", 64);
    homes.push_back({values_.scalar(a.array), copy, type, nullptr});
  }
  return homes;
}

/// Gangs over [begin, end): whole ones on the arrays, then one on copies, by the same code.
void Remainder::emit_gangs_and_copies(V begin, V end, const std::vector<RemainderArray>& arrays,
                                      llvm::function_ref<void(V)> place) {
  const V gang = b_.getInt64(shape_.gang());
  const V length = b_.CreateSub(end, begin);
  const V whole_end =
      b_.CreateAdd(begin, b_.CreateAnd(length, b_.getInt64(-std::int64_t(shape_.gang()))));
  const V count = b_.CreateSub(end, whole_end);
  std::vector<Home> homes = make_copies(arrays);
  const Block before = b_.GetInsertBlock();
  Block run = code_.new_block("run"), ran = code_.new_block("ran"), fill = code_.new_block("fill"),
        out = code_.new_block("out"), done = code_.new_block("done");
  b_.CreateBr(run);
  code_.start(run);
  llvm::PHINode* on_copies = b_.CreatePHI(b_.getInt1Ty(), 2, "on_copies");
  llvm::PHINode* first = b_.CreatePHI(b_.getInt64Ty(), 2, "first");
  llvm::PHINode* last = b_.CreatePHI(b_.getInt64Ty(), 2, "last");
  on_copies->addIncoming(b_.getFalse(), before), first->addIncoming(begin, before),
      last->addIncoming(whole_end, before);
  for (std::size_t i = 0; i < homes.size(); ++i) {
    homes[i].now = b_.CreatePHI(b_.getPtrTy(), 2, "array");
    homes[i].now->addIncoming(homes[i].array, before);
    values_.set_uniform(arrays[i].array, homes[i].now);
  }
  code_.count_loop(first, last, gang, "x", [&](V x) { place(x), gangs_.emit_gang({}); });
  b_.CreateCondBr(on_copies, out, ran);

  code_.start(ran);
  b_.CreateCondBr(b_.CreateICmpSLT(whole_end, end), fill, done);
  code_.start(fill);
  const V last_of_all = b_.CreateSub(count, b_.getInt64(1));
  code_.count_loop(b_.getInt64(0), gang, b_.getInt64(1), "element", [&](V i) {
    const V from = b_.CreateAdd(whole_end, arith_.min_max(true, Scalar::I64, i, last_of_all));
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      if (!arrays[a].read) continue;
      const llvm::Align align(ir::size_of(arrays[a].scalar));
      V x = b_.CreateAlignedLoad(homes[a].type, b_.CreateGEP(homes[a].type, homes[a].array, from),
                                 align);
      b_.CreateAlignedStore(x, b_.CreateGEP(homes[a].type, homes[a].copy, i), align);
    }
  });
  const Block filled = b_.GetInsertBlock();
  on_copies->addIncoming(b_.getTrue(), filled), first->addIncoming(whole_end, filled);
  last->addIncoming(b_.CreateAdd(whole_end, gang), filled);
  for (Home& home : homes)
    home.now->addIncoming(b_.CreateGEP(home.type, home.copy, b_.CreateNeg(whole_end)), filled);
  b_.CreateBr(run);

  code_.start(out);
  code_.count_loop(b_.getInt64(0), count, b_.getInt64(1), "element", [&](V i) {
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      if (!arrays[a].written) continue;
      const llvm::Align align(ir::size_of(arrays[a].scalar));
      V x =
          b_.CreateAlignedLoad(homes[a].type, b_.CreateGEP(homes[a].type, homes[a].copy, i), align);
      b_.CreateAlignedStore(
          x, b_.CreateGEP(homes[a].type, homes[a].array, b_.CreateAdd(whole_end, i)), align);
    }
  });
  b_.CreateBr(done);
  code_.start(done);
}

}  // namespace krait::codegen::cpu
