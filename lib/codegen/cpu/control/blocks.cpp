// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/control/blocks.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/Support/SaveAndRestore.h>

#include "codegen/cpu/launch/arguments.h"
#include "codegen/cpu/control/control.h"
#include "codegen/cpu/control/fissioned.h"
#include "codegen/cpu/launch/gangs.h"
#include "codegen/cpu/emit/hint_notes.h"
#include "codegen/cpu/lanes/positions.h"

namespace krait::codegen::cpu {

using ir::Scalar;

Blocks::Blocks(const Common& common, const Needs& needs)
    : Part(common),
      positions_(needs.positions),
      word_products_(needs.word_products),
      arguments_(needs.arguments),
      loop_slots_(needs.loop_slots),
      control_(needs.control),
      gangs_(needs.gangs),
      hint_notes_(needs.notes) {}

void Blocks::emit_blocks() {
  code_.count_loop(
      arguments_.box_field(0), arguments_.box_field(1), b_.getInt64(1), "block", [&](V block) {
        V width = positions_.grid[0], height = positions_.grid[1];
        V row = b_.CreateUDiv(block, width);
        positions_.at.block[0] = b_.CreateURem(block, width);
        positions_.at.block[1] = b_.CreateURem(row, height),
        positions_.at.block[2] = b_.CreateUDiv(row, height);
        if (!code_.traits.warps || shape_.is_brick()) return emit_block(shape_.layout);
        // Gangs are warps here, runs of 32 linear thread numbers: rows of the block only where they
        // divide evenly.
        V flat =
            b_.CreateICmpEQ(b_.CreateMul(positions_.block[1], positions_.block[2]), b_.getInt64(1));
        V even = b_.CreateICmpEQ(b_.CreateURem(positions_.block[0], b_.getInt64(shape_.gang())),
                                 b_.getInt64(0));
        V rows = b_.CreateOr(flat, even);
        if (f_.facts.whole_rows) rows = b_.getTrue();
        if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(rows))
          return emit_block(known->isOne() ? Layout::Rows : Layout::Linear);
        Block by_rows = code_.new_block("by_rows"), by_number = code_.new_block("by_number"),
              done = code_.new_block("block_done");
        b_.CreateCondBr(rows, by_rows, by_number);
        code_.start(by_rows);
        emit_block(Layout::Rows);
        code_.branch_to(done);
        code_.start(by_number);
        emit_block(Layout::Linear);
        code_.branch_to(done);
        code_.start(done);
      });
}

void Blocks::emit_block(Layout layout) {
  code_.shape.layout = layout;
  // A gang may not hold a thread twice.
  const bool wide =
      f_.block[0] ? f_.block[0] >= shape_.gang() : f_.facts.whole_rows && shape_.gang() <= 32;
  if (shape_.machine.uses(Idiom::BlockStrided) && layout == Layout::Rows && !shape_.is_brick() &&
      !code_.traits.barriers && !code_.traits.warps && wide)
    code_.sweep = find_sweep(f_, code_.functions.calls);
  code_.d = find_divergence(f_, code_.functions.calls, shape_,
                            code_.sweep ? code_.sweep->loop : ir::none);
  if (code_.traits.barriers && !code_.whole_block) emit_fissioned();
  else emit_threads();
}

void Blocks::emit_fissioned() {
  Fission plan = plan_fission(f_, d_, shape_);
  hint_notes_.note_barriers(plan);
  code_.own.gang_bytes = std::max(code_.own.gang_bytes, plan.gang_bytes);
  plan.gang_bytes = code_.own.gang_bytes;
  Fissioned fissioned({code_, values_, lanes_},
                      {positions_, arguments_, loop_slots_, control_, *this, word_products_}, plan);
  const llvm::SaveAndRestore<Fissioned*> cut(code_.cut, &fissioned);
  fissioned.run();
}

/// Gangs of several rows: those that are full along y and z, others under a mask of their own.
void Blocks::emit_bricks() {
  const V size[3] = {positions_.block[0], positions_.block[1], positions_.block[2]};
  const std::int64_t brick[3] = {shape_.width(), shape_.rows, shape_.layers};
  const V zero = b_.getInt64(0);
  const auto inside = [&](unsigned d, V threads) {
    Mask mask;
    for (unsigned p = 0; p < shape_.parts; ++p)
      mask.parts.push_back(
          b_.CreateICmpSLT(values_.lane_places(b_.getInt32Ty(), d, p),
                           values_.splat(b_.CreateTrunc(threads, b_.getInt32Ty()))));
    return mask;
  };
  // Along x every gang has the same lanes; along y and z the last ones may have fewer.
  lanes_.full = shape_.filled < shape_.width() ? inside(0, b_.getInt64(shape_.filled)) : Mask{};
  V high = b_.CreateUDiv(b_.CreateAdd(size[1], b_.getInt64(brick[1] - 1)), b_.getInt64(brick[1]));
  code_.count_loop(zero, size[2], b_.getInt64(brick[2]), "z", [&](V z) {
    code_.count_loop(zero, size[1], b_.getInt64(brick[1]), "row", [&](V y) {
      positions_.at.x = zero, positions_.at.y = y, positions_.at.z = z;
      positions_.at.gang = b_.CreateAdd(b_.CreateMul(b_.CreateUDiv(z, b_.getInt64(brick[2])), high),
                                        b_.CreateUDiv(y, b_.getInt64(brick[1])));
      if (shape_.whole) return gangs_.emit_gang(lanes_.full);
      Mask mask = lanes_.full;
      V whole = b_.getTrue();
      for (unsigned d : {1u, 2u}) {
        if (brick[d] == 1) continue;
        V rest = arith_.min_max(true, Scalar::I64, b_.CreateSub(size[d], d == 1 ? y : z),
                                b_.getInt64(brick[d]));
        whole = b_.CreateAnd(whole, b_.CreateICmpEQ(rest, b_.getInt64(brick[d])));
        mask = lanes_.both(mask, inside(d, rest));
      }
      // Two copies of the body where that is worth it: most gangs then run without masks.
      if (!gangs_.splits()) return gangs_.emit_gang(mask);
      Block all = code_.new_block("whole_brick"), some = code_.new_block("brick"),
            next = code_.new_block("brick_done");
      b_.CreateCondBr(whole, all, some);
      code_.start(all);
      gangs_.emit_gang(lanes_.full);
      code_.branch_to(next);
      code_.start(some);
      gangs_.emit_gang(mask);
      code_.branch_to(next);
      code_.start(next);
    });
  });
}

/// How many elements a row of threads sweeps over.
V Blocks::swept() {
  emit_before(code_.sweep->bound);
  const Scalar s = values_.scalar_of(code_.sweep->bound);
  const V bound = values_.scalar(code_.sweep->bound),
          first = values_.integer(bound->getType(), code_.sweep->first);
  const V below = b_.CreateICmp(
      ir::is_signed_int(s) ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT, first, bound);
  return b_.CreateSelect(below, b_.CreateZExt(b_.CreateSub(bound, first), b_.getInt64Ty()),
                         b_.getInt64(0));
}

void Blocks::emit_before(ir::ValueId v) {
  const ir::Inst* d = f_.def(v);
  if (!d) return;
  for (const ir::ValueId operand : d->operands) emit_before(operand);
  control_.emit_inst(f_.values[v].def);
}

/// Gangs of a block: calls emit_gang at each position.
void Blocks::emit_threads(std::optional<std::int64_t> acting) {
  V width = positions_.block[0], height = positions_.block[1], depth = positions_.block[2];
  V gang = b_.getInt64(shape_.gang());
  auto known = [](V v) { return llvm::dyn_cast<llvm::ConstantInt>(v); };
  if (shape_.layout == Layout::Rows && shape_.is_brick()) return emit_bricks();
  if (shape_.layout == Layout::Rows) {
    // Without a remainder there is one loop and no masked copy. `acting`: threads above are known
    // to do nothing, and their gangs are left out.
    const bool even = known(width) ? known(width)->getZExtValue() % shape_.gang() == 0
                                   : f_.facts.whole_rows && 32 % shape_.gang() == 0;
    const std::int64_t last =
        acting ? (*acting + shape_.gang() - 1) / shape_.gang() * shape_.gang() : 0;
    const V end =
        acting ? arith_.min_max(true, Scalar::I64, width, b_.getInt64(std::uint64_t(last))) : width;
    V per_row = b_.CreateUDiv(b_.CreateAdd(width, b_.getInt64(shape_.gang() - 1)), gang);
    auto row = [&](V y, V z) {
      auto place = [&](V x) {
        positions_.at.x = x, positions_.at.y = y, positions_.at.z = z;
        V number = b_.CreateAdd(b_.CreateMul(z, height), y);
        positions_.at.gang = b_.CreateAdd(b_.CreateMul(number, per_row), b_.CreateUDiv(x, gang));
      };
      if (code_.sweep) gangs_.emit_gangs(b_.getInt64(0), swept(), gangs_.splits(), place);
      else if (even && last == shape_.gang()) place(b_.getInt64(0)), gangs_.emit_gang({});
      else if (even)
        code_.count_loop(b_.getInt64(0), end, gang, "x",
                         [&](V x) { place(x), gangs_.emit_gang({}); });
      else gangs_.emit_gangs(b_.getInt64(0), end, gangs_.splits(), place);
    };
    V zero = b_.getInt64(0), one = b_.getInt64(1);
    code_.count_loop(zero, depth, one, "z", [&](V z) {
      code_.count_loop(zero, height, one, "row", [&](V y) { row(y, z); });
    });
    return;
  }
  // Other layouts count threads through the whole block.
  V count = b_.CreateMul(width, b_.CreateMul(height, depth));
  auto place = [&](V t) {
    positions_.at.linear = t;
    positions_.at.gang = b_.CreateUDiv(t, gang);
  };
  if (known(count) && known(count)->getZExtValue() == shape_.gang()) {
    place(b_.getInt64(0));
    gangs_.emit_gang({});
  } else {
    gangs_.emit_gangs(b_.getInt64(0), count, gangs_.splits(), place);
  }
}

}  // namespace krait::codegen::cpu
