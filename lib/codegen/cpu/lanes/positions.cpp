// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/lanes/positions.h"

#include <llvm/IR/IRBuilder.h>

#include "codegen/reply.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

/// Block and thread of lanes that lie in a row of short blocks. A lane's distance from the gang's
/// first block is small, so a multiplication in 32 bits divides it.
Positions::RowOfBlocks Positions::row_of_blocks() {
  using Form = Lowered::Form;
  constexpr unsigned bits = 16;
  const auto* width = llvm::dyn_cast<llvm::ConstantInt>(block[0]);
  const std::uint64_t threads = width ? width->getZExtValue() : 0;
  if (threads == 0 || threads > ir::Brick::threads) defect("blocks of unknown width in one gang");
  const V first = b_.CreateUDiv(at.x, block[0]);
  // Gangs begin at multiples of their size.
  const V rest = shape_.gang() % threads == 0 ? static_cast<V>(b_.getInt64(0))
                                              : b_.CreateSub(at.x, b_.CreateMul(first, block[0]));
  RowOfBlocks r{{Form::Parts, {}, 0}, {Form::Parts, {}, 0}};
  const auto all = [&](std::uint64_t n) { return values_.splat(b_.getInt32(std::uint32_t(n))); };
  for (unsigned p = 0; p < shape_.parts; ++p) {
    const V lane = b_.CreateAdd(values_.splat(b_.CreateTrunc(rest, b_.getInt32Ty())),
                                values_.lane_numbers(b_.getInt32Ty(), 1, p * shape_.lanes));
    const V blocks =
        b_.CreateLShr(b_.CreateMul(lane, all(((1u << bits) + threads - 1) / threads)), all(bits));
    const V thread = b_.CreateSub(lane, b_.CreateMul(blocks, all(threads)));
    r.thread.v.push_back(b_.CreateZExt(thread, values_.lane_type(Scalar::I64)));
    r.block.v.push_back(
        b_.CreateAdd(values_.splat(first), b_.CreateZExt(blocks, values_.lane_type(Scalar::I64))));
  }
  return r;
}

/// What thread_idx is in the gang at hand.
Lowered Positions::thread_index(unsigned dim) {
  using Form = Lowered::Form;
  V width = block[0], height = block[1];
  switch (shape_.layout) {
    // Gangs run through rows of blocks: only x differs from lane to lane.
    case Layout::Grid:
      if (dim == 0) return row_of_blocks().thread;
      return {Form::Uniform, {b_.CreateURem(dim == 1 ? at.y : at.z, block[dim])}, 0};
    case Layout::Range: defect("a place in the block outside of block mode");
    // A gang is a row of the block, or a brick of rows and layers.
    case Layout::Rows: {
      V first = dim == 0 ? at.x : dim == 1 ? at.y : at.z;
      if ((dim == 0   ? shape_.width()
           : dim == 1 ? shape_.rows
                      : shape_.layers) == 1 &&
          (dim > 0 || shape_.is_brick() || shape_.lone))
        return {Form::Uniform, {first}, 0};
      Lowered r{Form::Linear, {first}, dim == 0 ? 1 : 0};
      if (dim > 0) r.across[dim] = b_.getInt64(1);
      return r;
    }
    // Each part lies in one row: a division per part, by scalars.
    case Layout::PartRows: {
      Lowered r{Form::Linear, {}, dim == 0 ? 1 : 0};
      for (unsigned p = 0; p < shape_.parts; ++p) {
        V t = b_.CreateAdd(at.linear, b_.getInt64(p * shape_.lanes));
        if (dim == 0) r.v.push_back(b_.CreateURem(t, width));
        else if (dim == 1) r.v.push_back(b_.CreateURem(b_.CreateUDiv(t, width), height));
        else r.v.push_back(b_.CreateUDiv(t, b_.CreateMul(width, height)));
      }
      return r;
    }
    // Rows may end within a part: a division per lane, in 32 bits, as blocks have 1,024 threads at
    // most.
    case Layout::Linear: {
      Lowered r{Form::Parts, {}, 0};
      ir::Inst div, rem;
      div.op = Op::Div, rem.op = Op::Rem;
      auto run = [&](const ir::Inst& op, V x, V y) {
        return arith_.pure(op, ir::FpMode::Strict, Scalar::U32, {x, y});
      };
      for (unsigned p = 0; p < shape_.parts; ++p) {
        V first =
            b_.CreateTrunc(b_.CreateAdd(at.linear, b_.getInt64(p * shape_.lanes)), b_.getInt32Ty());
        V t = b_.CreateAdd(values_.splat(first), values_.lane_numbers(b_.getInt32Ty(), 1));
        V w = values_.splat(b_.CreateTrunc(width, b_.getInt32Ty())),
          h = values_.splat(b_.CreateTrunc(height, b_.getInt32Ty()));
        V x = dim == 0   ? run(rem, t, w)
              : dim == 1 ? run(rem, run(div, t, w), h)
                         : run(div, run(div, t, w), h);
        r.v.push_back(b_.CreateZExt(x, values_.lane_type(Scalar::I64)));
      }
      return r;
    }
  }
  defect("a layout without positions");
}

Lowered Positions::id_value(const ir::Inst& inst) {
  using Form = Lowered::Form;
  unsigned dim = unsigned(inst.imm);
  switch (inst.op) {
    case Op::ThreadIdx: return thread_index(dim);
    case Op::BlockIdx:
      if (is_block(shape_.layout)) return {Form::Uniform, {at.block[dim]}, 0};
      if (dim == 0) return row_of_blocks().block;
      return {Form::Uniform, {b_.CreateUDiv(dim == 1 ? at.y : at.z, block[dim])}, 0};
    case Op::BlockDim: return {Form::Uniform, {block[dim]}, 0};
    case Op::GridDim: return {Form::Uniform, {grid[dim]}, 0};
    case Op::GlobalSize: return {Form::Uniform, {b_.CreateMul(grid[dim], block[dim])}, 0};
    case Op::GlobalId: {
      if (!is_block(shape_.layout)) {
        if (dim == 0) return {Form::Linear, {at.x}, 1};
        return {Form::Uniform, {dim == 1 ? at.y : at.z}, 0};
      }
      V start = b_.CreateMul(at.block[dim], block[dim]);
      Lowered r = thread_index(dim);
      for (V& v : r.v)
        v = b_.CreateAdd(v, v->getType()->isVectorTy() ? values_.splat(start) : start);
      return r;
    }
    default: defect("not a position");
  }
}

}  // namespace krait::codegen::cpu
