// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/scalar_control.h"

#include "codegen/llvm/scalar_calls.h"
#include "codegen/llvm/scalar_lanes.h"
#include "codegen/llvm/scalar_straight.h"
#include "codegen/reply.h"
#include "ir/walk.h"

namespace krait::codegen::scalar {

using ir::Op;
using ir::Scalar;
using llvm::Value;

namespace {

void add_incoming(std::vector<llvm::PHINode*>& phis, const std::vector<Value*>& values,
                  llvm::BasicBlock* from) {
  for (std::size_t i = 0; i < phis.size(); ++i) phis[i]->addIncoming(values[i], from);
}

}  // namespace

std::vector<llvm::PHINode*> Control::phis(const std::vector<ir::ValueId>& of,
                                          llvm::BasicBlock* block) {
  std::vector<llvm::PHINode*> made;
  for (ir::ValueId v : of) {
    llvm::PHINode* phi = llvm::PHINode::Create(value_type(context_, f_.type_of(v).scalar), 2);
    phi->insertInto(block, block->end());
    made.push_back(phi);
  }
  return made;
}

// A block that nothing jumps to has no place for phis.
void Control::bind_phis(std::vector<llvm::PHINode*>& made, const ir::Inst& inst) {
  for (std::size_t i = 0; i < made.size(); ++i) {
    Value* result = made[i];
    if (made[i]->getNumIncomingValues() == 0) {
      result = llvm::PoisonValue::get(made[i]->getType());
      made[i]->eraseFromParent();
    }
    values_[inst.results[i]] = result;
  }
}

void Control::region(ir::RegionId r, Join* join, Loop* loop) {
  for (ir::InstId id : f_.regions[r].insts) {
    const ir::Inst& inst = f_.insts[id];
    b_.SetCurrentDebugLocation(code_.lines->at(inst.loc));
    target_.before(id);
    switch (inst.op) {
      case Op::If: lower_if(inst, loop); break;
      case Op::Switch: lower_switch(inst, loop); break;
      case Op::Loop: lower_loop(inst); break;
      case Op::For: lower_for(inst); break;
      case Op::GridStride: lower_grid_stride(inst); break;
      default:
        if (ir::is_terminator(inst.op)) lower_terminator(inst, join, loop);
        else straight_.lower(inst);
    }
  }
}

void Control::lower_terminator(const ir::Inst& inst, Join* join, Loop* loop) {
  std::vector<Value*> operands;
  for (ir::ValueId v : inst.operands) operands.push_back(value(v));
  llvm::BasicBlock* from = b_.GetInsertBlock();
  switch (inst.op) {
    case Op::Yield:
      if (!join) return calls_.give_results(inst);
      if (join->lanes) join->lanes->addIncoming(target_.active_lanes(), from);
      add_incoming(join->results, operands, from);
      b_.CreateBr(join->block);
      return;
    case Op::Continue:
      loop->next_lanes = code_.lanes;
      add_incoming(loop->next, operands, from);
      b_.CreateBr(loop->latch);
      return;
    case Op::Break:
      add_incoming(loop->results, operands, from);
      b_.CreateBr(loop->exit);
      return;
    case Op::Return: b_.CreateBr(code_.exit); return;
    case Op::Unreachable: b_.CreateUnreachable(); return;
    default: defect("no end of a region: " + std::string(ir::info(inst.op).name));
  }
}

Control::Join Control::open_join(const ir::Inst& inst) {
  Join join{llvm::BasicBlock::Create(context_, "join"), {}, code_.lanes, true, nullptr};
  std::size_t coming = 0;
  for (ir::RegionId way : inst.regions) {
    join.all_come = join.all_come &&
                    lanes_.count_jumps(way, Op::Break) + lanes_.count_jumps(way, Op::Continue) == 0;
    coming += ir::terminator(f_, way).op == Op::Yield;
  }
  // Those of one way know each other; those of several do where they went it together.
  if (code_.lanes && !join.all_come &&
      (coming == 1 || (coming > 1 && lanes_.is_uniform(inst.operands[0]))))
    join.lanes = llvm::PHINode::Create(code_.lanes->getType(), unsigned(coming), "", join.block);
  join.results = phis(inst.results, join.block);
  return join;
}

void Control::close_join(Join& join, const ir::Inst& inst) {
  code_.lanes = join.all_come ? join.before : join.lanes;
  join.block->insertInto(code_.function);
  b_.SetInsertPoint(join.block);
  bind_phis(join.results, inst);
}

void Control::lower_if(const ir::Inst& inst, Loop* loop) {
  Join join = open_join(inst);
  const std::vector<Value*> lanes = lanes_.split(inst, join.all_come);
  llvm::BasicBlock *then = new_block("then"), *otherwise = new_block("else");
  b_.CreateCondBr(value(inst.operands[0]), then, otherwise,
                  branch_weights(context_, inst.expected));
  b_.SetInsertPoint(then);
  code_.lanes = lanes[0];
  region(inst.regions[0], &join, loop);
  b_.SetInsertPoint(otherwise);
  code_.lanes = lanes[1];
  region(inst.regions[1], &join, loop);
  close_join(join, inst);
}

void Control::lower_switch(const ir::Inst& inst, Loop* loop) {
  Join join = open_join(inst);
  const std::vector<Value*> lanes = lanes_.split(inst, join.all_come);
  Value* selector = value(inst.operands[0]);
  llvm::BasicBlock* otherwise = new_block("default");
  llvm::SwitchInst* choice = b_.CreateSwitch(selector, otherwise, unsigned(inst.list.size()));
  for (std::size_t i = 0; i < inst.regions.size(); ++i) {
    llvm::BasicBlock* block = otherwise;
    if (i < inst.list.size()) {
      block = new_block("case");
      llvm::APInt number(64, std::uint64_t(inst.list[i]));
      choice->addCase(
          llvm::ConstantInt::get(context_, number.trunc(selector->getType()->getIntegerBitWidth())),
          block);
    }
    b_.SetInsertPoint(block);
    code_.lanes = lanes[i];
    region(inst.regions[i], &join, loop);
  }
  close_join(join, inst);
}

/// The blocks and phis of a loop; the header's phis have their first values. The insertion point is
/// the header's.
Control::Loop Control::open_loop(const ir::Inst& inst, llvm::BasicBlock* preheader) {
  Loop loop{};
  loop.before = code_.lanes;
  loop.gathered =
      lanes_.gathers_behind(inst) ? target_.each_lanes_own(target_.running_lanes()) : nullptr;
  loop.header = new_block("loop");
  loop.latch = llvm::BasicBlock::Create(context_, "latch");
  loop.exit = llvm::BasicBlock::Create(context_, "end");
  const std::vector<ir::ValueId>& params = f_.regions[inst.regions[0]].params;
  bool counted = inst.op != Op::Loop;
  std::vector<ir::ValueId> carried(params.begin() + counted, params.end());
  loop.carried = phis(carried, loop.header);
  loop.next = phis(carried, loop.latch);
  loop.results = phis(inst.results, loop.exit);
  for (std::size_t i = 0; i < carried.size(); ++i) {
    loop.carried[i]->addIncoming(value(inst.operands[i + counted]), preheader);
    values_[carried[i]] = loop.carried[i];
  }
  b_.CreateBr(loop.header);
  b_.SetInsertPoint(loop.header);
  if (code_.lanes && lanes_.is_divergent_loop(inst)) {
    if (lanes_.asks(inst)) {
      loop.lanes = llvm::PHINode::Create(code_.lanes->getType(), 2, "", loop.header);
      loop.lanes->addIncoming(code_.lanes, preheader);
    }
    code_.lanes = loop.lanes;
  }
  loop.body_lanes = code_.lanes;
  return loop;
}

/// The latch, if something continues, and the exit. `index` counts up by `step`; both null in a
/// plain loop.
void Control::close_loop(Loop& loop, const ir::Inst& inst, llvm::PHINode* index, Value* step) {
  if (loop.latch->use_empty()) {
    for (llvm::PHINode* phi : loop.next) phi->eraseFromParent();
    delete loop.latch;
  } else {
    loop.latch->insertInto(code_.function);
    b_.SetInsertPoint(loop.latch);
    if (loop.lanes) {
      // Without breaks all that began the trip end it, and those that continue at one place know
      // each other.
      code_.lanes = lanes_.count_jumps(inst.regions[0], Op::Break) == 0      ? loop.body_lanes
                    : lanes_.count_jumps(inst.regions[0], Op::Continue) == 1 ? loop.next_lanes
                                                                             : nullptr;
      loop.lanes->addIncoming(target_.active_lanes(), loop.latch);
    }
    for (std::size_t i = 0; i < loop.carried.size(); ++i)
      loop.carried[i]->addIncoming(loop.next[i], loop.latch);
    // A counter never wraps: its callers make first + trips * step fit.
    if (index) index->addIncoming(b_.CreateAdd(index, step, "", true), loop.latch);
    llvm::BranchInst* back = b_.CreateBr(loop.header);
    if (inst.rolled) {
      llvm::MDNode* leave =
          llvm::MDNode::get(context_, llvm::MDString::get(context_, "llvm.loop.unroll.disable"));
      llvm::MDNode* name = llvm::MDNode::getDistinct(context_, {nullptr, leave});
      name->replaceOperandWith(0, name);
      back->setMetadata(llvm::LLVMContext::MD_loop, name);
    }
  }
  code_.lanes = loop.before;
  loop.exit->insertInto(code_.function);
  b_.SetInsertPoint(loop.exit);
  bind_phis(loop.results, inst);
  if (loop.gathered) target_.wait_for(loop.gathered);
}

void Control::lower_loop(const ir::Inst& inst) {
  Loop loop = open_loop(inst, b_.GetInsertBlock());
  llvm::BasicBlock* body = new_block("body");
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  region(inst.regions[0], nullptr, &loop);
  close_loop(loop, inst, nullptr, nullptr);
}

void Control::lower_counted(const ir::Inst& inst, const Counter& counter) {
  llvm::BasicBlock* preheader = b_.GetInsertBlock();
  Loop loop = open_loop(inst, preheader);
  llvm::PHINode* index = llvm::PHINode::Create(counter.first->getType(), 2);
  index->insertInto(loop.header, loop.header->begin());
  index->addIncoming(counter.first, preheader);
  llvm::BasicBlock* body = new_block("body");
  Value* more = b_.CreateICmpULT(index, counter.bound);
  if (loop.lanes) code_.lanes = loop.body_lanes = target_.ballot(more);
  for (std::size_t i = 0; i < loop.results.size(); ++i)
    loop.results[i]->addIncoming(loop.carried[i], loop.header);
  b_.CreateCondBr(more, body, loop.exit);
  b_.SetInsertPoint(body);
  ir::ValueId param = f_.regions[inst.regions[0]].params[0];
  values_[param] = b_.CreateZExt(index, value_type(context_, counter.param), "", true);
  region(inst.regions[0], nullptr, &loop);
  close_loop(loop, inst, index, counter.step);
}

void Control::lower_for(const ir::Inst& inst) {
  Value* count = value(inst.operands[0]);
  Scalar param = f_.type_of(f_.regions[inst.regions[0]].params[0]).scalar;
  lower_counted(inst, {llvm::ConstantInt::get(count->getType(), 0),
                       llvm::ConstantInt::get(count->getType(), 1), count, param});
}

// Counted without sign, since first, step and a bound not below 0 are not negative and index + step
// fits. Where the bound is known to be below 2^31, a 32-bit counter serves: with start and step cut
// at 2^31 (a small launch has none beyond), a start beyond the bound still ends at once, and index
// + step stays below 2^32.
void Control::lower_grid_stride(const ir::Inst& inst) {
  Value *first = target_.position(Op::GlobalId, 0), *step = target_.position(Op::GlobalSize, 0),
        *bound = value(inst.operands[0]);
  bound = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, bound, b_.getInt64(0));
  if (!ir::is_below_2_31(f_, inst.operands[0])) {
    lower_counted(inst, {first, step, bound, Scalar::I64});
    return;
  }
  Value* limit = b_.getInt64(std::uint64_t(1) << 31);
  auto cut = [&](Value* v) {
    return b_.CreateTrunc(
        f_.facts.small ? v : b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, v, limit),
        b_.getInt32Ty());
  };
  lower_counted(inst, {cut(first), cut(step), b_.CreateTrunc(bound, b_.getInt32Ty()), Scalar::I64});
}

}  // namespace krait::codegen::scalar
