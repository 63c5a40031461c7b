// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of fold for the position in the launch and the shapes of arrays: global ids written out
// by hand, fixed block sizes, strides that follow from extents.
#include "passes/simplify/simplify.h"

namespace krait::passes {

using namespace ir;

/// v is that id as a value of type s: itself, or a cast of it. Casts to narrower integers keep the
/// low bits, as sums and products do, so a global id computed in 32 bits is the global id's low 32
/// bits.
bool Simplify::is_id(ValueId v, Op op, unsigned dim, Scalar s) const {
  const Inst* d = f_->def(v);
  if (d && d->op == Op::Cast && s != Scalar::I64) d = f_->def(d->operands[0]);
  return d && d->op == op && d->imm == dim;
}

/// 0: not known.
std::int64_t Simplify::block_dim(unsigned dim) const {
  if (f_->block[dim]) return f_->block[dim];
  return dim == 0 ? f_->facts.brick.x : f_->facts.one_row;
}

bool Simplify::is_block_dim(ValueId v, unsigned dim) const {
  const std::int64_t known = block_dim(dim);
  return (known && is(v, std::uint64_t(known))) || is_id(v, Op::BlockDim, dim, type(v));
}

ValueId Simplify::id(Op op, unsigned dim, Scalar s) {
  const ValueId v = make(op, Scalar::I64, {}, dim);
  return s == Scalar::I64 ? v : make(Op::Cast, s, {v});
}

/// block_idx * block_dim + thread_idx and grid_dim * block_dim, whatever the order.
ValueId Simplify::position(const Node& n) {
  const Scalar s = n.scalar;
  const ValueId x = n.in[0], y = n.in[1];
  for (unsigned d = 0; d < 3; ++d) {
    if (n.op == Op::Mul) {
      if ((is_id(x, Op::GridDim, d, s) && is_block_dim(y, d)) ||
          (is_id(y, Op::GridDim, d, s) && is_block_dim(x, d)))
        return id(Op::GlobalSize, d, s);
      continue;
    }
    for (const auto& [product, thread] : {std::pair(x, y), std::pair(y, x)}) {
      const Inst* mul = def(product, Op::Mul);
      if (!mul || !is_id(thread, Op::ThreadIdx, d, s)) continue;
      const ValueId a = mul->operands[0], b = mul->operands[1];
      if ((is_id(a, Op::BlockIdx, d, s) && is_block_dim(b, d)) ||
          (is_id(b, Op::BlockIdx, d, s) && is_block_dim(a, d)))
        return id(Op::GlobalId, d, s);
    }
  }
  return none;
}

ValueId Simplify::shape(const Node& n) {
  if (info(n.op).rule == Rule::Id) {
    const std::int64_t block = f_->block[n.imm], known = block_dim(unsigned(n.imm));
    if (n.op == Op::BlockDim && known) return constant(Scalar::I64, std::uint64_t(known));
    if (n.op == Op::ThreadIdx && block == 1) return constant(Scalar::I64, 0);
    if (n.op == Op::GlobalId && block == 1) return id(Op::BlockIdx, unsigned(n.imm), Scalar::I64);
    if (n.op == Op::GlobalSize && block == 1) return id(Op::GridDim, unsigned(n.imm), Scalar::I64);
    return none;
  }
  const ValueId array = n.in[0];
  const Type t = f_->type_of(array);
  const Inst* d = f_->def(array);
  if (n.op == Op::Extent) {
    const bool known = d && !d->list.empty() && d->list[n.imm] != 0;
    return known ? constant(Scalar::I64, std::uint64_t(d->list[n.imm])) : none;
  }
  if (t.space == Space::Global && !f_->facts.contiguous) return none;
  ValueId stride = constant(Scalar::I64, 1);
  for (unsigned k = t.rank; k-- > n.imm + 1;)
    stride = make(Op::Mul, Scalar::I64, {make(Op::Extent, Scalar::I64, {array}, k), stride});
  return stride;
}

}  // namespace krait::passes
