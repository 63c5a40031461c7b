// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise loops over arrays of two and more dimensions: where not all arrays are dense, as of one that is the same for all rows, an
// element's place is the quotient and the remainder of its number by the length of a row. Within a row the quotient is one number and
// the remainder consecutive. So whole gangs that lie in one row, of arrays whose rows are dense or one element for the whole row, have code
// of their own, with one division a gang instead of two a lane, and rows instead of gathers.
#include "codegen/cpu/planes.h"

#include <algorithm>

#include <llvm/IR/IRBuilder.h>
#include <llvm/Support/SaveAndRestore.h>

#include "codegen/cpu/arguments.h"
#include "codegen/cpu/gangs.h"
#include "support/tuning_cpu.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

/// The quotients and remainders of the loop's index; none where the body does more than compute and access.
std::optional<Plane> Planes::find_plane() const {
  if (shape_.machine.quick || shape_.lanes == 1) return {};
  const ir::RegionId body = f_.insts[code_.traits.stride_loop].regions[0];
  const auto& insts = f_.regions[body].insts;
  if (insts.size() > tuning::cpu::twice_limit) return {};
  Plane plane;
  plane.index = f_.regions[body].params[0];
  if (values_.scalar_of(plane.index) != Scalar::I64) return {};
  std::vector<bool> inside(f_.values.size(), false), counts(f_.values.size(), false);  // counts: consecutive in a row
  inside[plane.index] = true;
  for (const ir::InstId i : insts) {
    const ir::Inst& inst = f_.insts[i];
    const ir::Effect effect = ir::info(inst.op).effect;
    if (!inst.regions.empty() ||
        (effect != ir::Effect::Pure && effect != ir::Effect::Read && effect != ir::Effect::Write && !ir::is_terminator(inst.op)))
      return {};
    for (const ir::ValueId v : inst.results) inside[v] = true;
    if ((inst.op == Op::Div || inst.op == Op::Rem) && inst.operands[0] == plane.index && !inside[inst.operands[1]]) {
      if (plane.width != ir::none && plane.width != inst.operands[1]) return {};
      plane.width = inst.operands[1];
      (inst.op == Op::Div ? plane.quotients : plane.remainders).push_back(inst.results[0]);
      counts[inst.results[0]] = inst.op == Op::Rem;
    } else if (inst.op == Op::Cast && counts[inst.operands[0]]) {
      counts[inst.results[0]] = ir::is_int(inst.type.scalar) && ir::bits_of(inst.type.scalar) >= 32;
    } else if (inst.op == Op::Mul) {
      for (const unsigned k : {0u, 1u}) {
        const ir::Inst* by = f_.def(inst.operands[1 - k]);
        while (by && by->op == Op::Cast) by = f_.def(by->operands[0]);
        if (!counts[inst.operands[k]] || !by || by->op != Op::Stride) continue;
        plane.scaled.push_back({inst.results[0], by->operands[0], unsigned(by->imm)});
        break;
      }
    }
  }
  if (plane.width == ir::none || plane.remainders.empty()) return {};
  return plane;
}

/// Whether rows are dense in every array, or in one that is only read a single element: asked once, before the loop.
V Planes::plain_rows(Plane& plane) {
  V plain = b_.getTrue();
  for (Plane::Scaled& s : plane.scaled) {
    const V stride = arguments_.stride_of(s.array, s.dimension);
    s.dense = b_.CreateICmpEQ(stride, b_.getInt64(1));
    const bool once = std::all_of(plane.scaled.begin(), plane.scaled.end(),
                                  [&](const Plane::Scaled& o) { return o.array != s.array || o.dimension == s.dimension; });
    const bool one = once && !f_.type_of(s.array).writable;
    plain = b_.CreateAnd(plain, one ? b_.CreateOr(s.dense, b_.CreateICmpEQ(stride, b_.getInt64(0))) : s.dense);
    if (one) in_row_.dense[s.array] = s.dense;
  }
  return plain;
}

/// A whole gang from index `first`. Both copies end at one place.
void Planes::emit_in_plane(const Plane& plane, V plain, V first) {
  const ir::Inst* def = f_.def(plane.width);
  const bool narrow = f_.facts.small && def && def->op == Op::Extent;  // an extent fits, and so do the numbers of elements
  llvm::Type* type = narrow ? b_.getInt32Ty() : b_.getInt64Ty();
  const V one_at_least = arith_.min_max(false, Scalar::I64, values_.scalar(plane.width), b_.getInt64(1));
  const V at = b_.CreateTrunc(first, type), width = b_.CreateTrunc(one_at_least, type);
  const V row = b_.CreateUDiv(at, width), column = b_.CreateSub(at, b_.CreateMul(row, width));
  const V left = b_.CreateSub(width, column);
  const V fits = b_.CreateAnd(b_.CreateICmpUGE(left, llvm::ConstantInt::get(type, shape_.gang())),
                              b_.CreateICmpEQ(one_at_least, values_.scalar(plane.width)));
  const V fits_row = b_.CreateAnd(plain, fits);
  const Block one = code_.new_block("in_row"), any = code_.new_block("any_rows"), done = code_.new_block("done");
  b_.CreateCondBr(fits_row, one, any);
  const auto typed = [&](ir::ValueId v, V x) { return b_.CreateZExtOrTrunc(x, arith_.scalar_type(values_.scalar_of(v))); };
  code_.start(one);
  {
    const llvm::SaveAndRestore<std::map<ir::ValueId, Lowered>> in_row(in_row_.known, {});
    for (const ir::ValueId q : plane.quotients) in_row_.known[q] = {Lowered::Form::Uniform, {typed(q, row)}, 0};
    for (const ir::ValueId r : plane.remainders) in_row_.known[r] = {Lowered::Form::Linear, {typed(r, column)}, 1};
    for (const Plane::Scaled& s : plane.scaled) {
      const V zero = arith_.constant(values_.scalar_of(s.product), 0);
      in_row_.known[s.product] = {Lowered::Form::Linear, {b_.CreateSelect(s.dense, typed(s.product, column), zero)}, 1};
    }
    gangs_.emit_gang({});
  }
  b_.CreateBr(done);
  code_.start(any);
  gangs_.emit_gang({});
  b_.CreateBr(done);
  code_.start(done);
}

}  // namespace krait::codegen::cpu
