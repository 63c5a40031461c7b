// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise loops over arrays of two and more dimensions: where not all arrays are dense, as of
// one that is the same for all rows, an element's place is the quotient and the remainder of its
// number by the length of a row. Within a row the quotient is one number and the remainder
// consecutive. So whole gangs that lie in one row, of arrays whose rows are dense or one element
// for the whole row, have code of their own, with one division a gang instead of two a lane, and
// rows instead of gathers.
#include "codegen/cpu/launch/row_gangs.h"

#include <algorithm>

#include <llvm/IR/IRBuilder.h>
#include <llvm/Support/SaveAndRestore.h>

#include "codegen/cpu/launch/arguments.h"
#include "codegen/cpu/launch/gangs.h"
#include "support/tuning/cpu.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

/// The quotients and remainders of the loop's index; none where the body does more than compute and
/// access.
std::optional<RowGang> RowGangs::find_plane() const {
  if (!shape_.machine.uses(Idiom::RowGangs) || shape_.machine.quick || shape_.lanes == 1) return {};
  const ir::RegionId body = f_.insts[code_.traits.stride_loop].regions[0];
  const auto& insts = f_.regions[body].insts;
  if (insts.size() > tuning::cpu::twice_limit) return {};
  RowGang plane;
  plane.index = f_.regions[body].params[0];
  if (values_.scalar_of(plane.index) != Scalar::I64) return {};
  // counts: consecutive in a row
  std::vector<bool> inside(f_.values.size(), false), counts(f_.values.size(), false);
  inside[plane.index] = true;
  for (const ir::InstId i : insts) {
    const ir::Inst& inst = f_.insts[i];
    const ir::Effect effect = ir::info(inst.op).effect;
    if (!inst.regions.empty() || (effect != ir::Effect::Pure && effect != ir::Effect::Read &&
                                  effect != ir::Effect::Write && !ir::is_terminator(inst.op)))
      return {};
    for (const ir::ValueId v : inst.results) inside[v] = true;
    const bool divides = inst.op == Op::Div || inst.op == Op::Rem;
    if (divides && whole_number(inst.operands[0]) == plane.index &&
        !inside[whole_number(inst.operands[1])]) {
      const ir::ValueId width = whole_number(inst.operands[1]);
      if (plane.width != ir::none && plane.width != width) return {};
      plane.width = width;
      plane.cut |= inst.operands[0] != plane.index;
      (inst.op == Op::Div ? plane.quotients : plane.remainders).push_back(inst.results[0]);
      counts[inst.results[0]] = inst.op == Op::Rem;
    } else if (inst.op == Op::Cast && counts[inst.operands[0]]) {
      counts[inst.results[0]] = ir::is_int(inst.type.scalar) && ir::bits_of(inst.type.scalar) >= 32;
    } else if (inst.op == Op::Mul) {
      for (const unsigned k : {0u, 1u}) {
        const ir::Inst* by = f_.def(whole_number(inst.operands[1 - k]));
        if (!counts[inst.operands[k]] || !by || by->op != Op::Stride) continue;
        plane.scaled.push_back({inst.results[0], by->operands[0], unsigned(by->imm)});
        break;
      }
    }
  }
  if (plane.width == ir::none || plane.remainders.empty() || (plane.cut && !is_narrow(plane)))
    return {};
  return plane;
}

/// The number that v is 32 bits of, or more.
ir::ValueId RowGangs::whole_number(ir::ValueId v) const {
  const auto wide = [&](ir::ValueId x) {
    return ir::is_int(values_.scalar_of(x)) && ir::bits_of(values_.scalar_of(x)) >= 32;
  };
  for (const ir::Inst* d = f_.def(v); d && d->op == Op::Cast && wide(v) && wide(d->operands[0]);
       d = f_.def(v))
    v = d->operands[0];
  return v;
}

/// Whether rows are dense in every array, or in one that is only read a single element: asked once,
/// before the loop.
V RowGangs::plain_rows(RowGang& plane) {
  V plain = b_.getTrue();
  for (RowGang::Scaled& s : plane.scaled) {
    const V stride = arguments_.stride_of(s.array, s.dimension);
    s.dense = b_.CreateICmpEQ(stride, b_.getInt64(1));
    const bool once = std::all_of(
        plane.scaled.begin(), plane.scaled.end(),
        [&](const RowGang::Scaled& o) { return o.array != s.array || o.dimension == s.dimension; });
    const bool one = once && !f_.type_of(s.array).writable;
    plain = b_.CreateAnd(
        plain, one ? b_.CreateOr(s.dense, b_.CreateICmpEQ(stride, b_.getInt64(0))) : s.dense);
    if (one) in_row_.dense[s.array] = s.dense;
  }
  return plain;
}

/// An extent fits 32 bits, and so do the numbers of elements.
bool RowGangs::is_narrow(const RowGang& plane) const {
  const ir::Inst* def = f_.def(plane.width);
  return f_.facts.small && def && def->op == Op::Extent;
}

/// Both copies end at one place.
V RowGangs::emit_in_plane(const RowGang& plane, V plain, V first, V end,
                          llvm::function_ref<void(V)> place) {
  llvm::Type* type = is_narrow(plane) ? b_.getInt32Ty() : b_.getInt64Ty();
  const V gang = b_.getInt64(shape_.gang());
  const V one_at_least =
      arith_.min_max(false, Scalar::I64, values_.scalar(plane.width), b_.getInt64(1));
  const V at = b_.CreateTrunc(first, type), width = b_.CreateTrunc(one_at_least, type);
  const V row = b_.CreateUDiv(at, width), column = b_.CreateSub(at, b_.CreateMul(row, width));
  const V left = b_.CreateSub(width, column);
  const V fits = b_.CreateAnd(b_.CreateICmpUGE(left, llvm::ConstantInt::get(type, shape_.gang())),
                              b_.CreateICmpEQ(one_at_least, values_.scalar(plane.width)));
  // What is divided in 32 bits is the element's number below 2^31.
  const V most = b_.getInt64(std::uint64_t(1) << 31);
  const V whole = plane.cut ? b_.CreateICmpULT(first, most) : b_.getTrue();
  const V fits_row = b_.CreateAnd(plain, b_.CreateAnd(fits, whole));
  const Block one = code_.new_block("in_row"), any = code_.new_block("any_rows"),
              done = code_.new_block("done");
  const Block before = b_.GetInsertBlock();
  b_.CreateCondBr(fits_row, one, any);
  const auto typed = [&](ir::ValueId v, V x) {
    return b_.CreateZExtOrTrunc(x, arith_.scalar_type(values_.scalar_of(v)));
  };
  code_.start(one);
  llvm::PHINode* x = b_.CreatePHI(b_.getInt64Ty(), 2, "x");
  x->addIncoming(first, before);
  V next = nullptr;
  {
    place(x);
    const llvm::SaveAndRestore<std::map<ir::ValueId, Lowered>> in_row(in_row_.known, {});
    const V here = b_.CreateAdd(column, b_.CreateTrunc(b_.CreateSub(x, first), type));
    for (const ir::ValueId q : plane.quotients)
      in_row_.known[q] = {Lowered::Form::Uniform, {typed(q, row)}, 0};
    for (const ir::ValueId r : plane.remainders)
      in_row_.known[r] = {Lowered::Form::Linear, {typed(r, here)}, 1};
    for (const RowGang::Scaled& s : plane.scaled) {
      const V zero = arith_.constant(values_.scalar_of(s.product), 0);
      in_row_.known[s.product] = {
          Lowered::Form::Linear, {b_.CreateSelect(s.dense, typed(s.product, here), zero)}, 1};
    }
    gangs_.emit_gang({});
    next = b_.CreateAdd(x, gang);
  }
  V stop = b_.CreateAdd(first, b_.CreateSub(b_.CreateZExt(left, b_.getInt64Ty()),
                                            b_.CreateSub(gang, b_.getInt64(1))));
  stop = arith_.min_max(true, Scalar::I64, stop, end);
  if (plane.cut) stop = arith_.min_max(true, Scalar::I64, stop, most);
  x->addIncoming(next, b_.GetInsertBlock());
  const Block last = b_.GetInsertBlock();
  b_.CreateCondBr(b_.CreateICmpSLT(next, stop), one, done);
  code_.start(any);
  place(first);
  gangs_.emit_gang({});
  const V behind = b_.CreateAdd(first, gang);
  const Block other = b_.GetInsertBlock();
  b_.CreateBr(done);
  code_.start(done);
  llvm::PHINode* both = b_.CreatePHI(b_.getInt64Ty(), 2, "next");
  both->addIncoming(next, last), both->addIncoming(behind, other);
  return both;
}

}  // namespace krait::codegen::cpu
