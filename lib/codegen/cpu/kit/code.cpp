// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/kit/code.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "codegen/cpu/kit/variables.h"
#include "codegen/llvm/session.h"
#include "ir/walk.h"
#include "support/tuning/cpu.h"

namespace krait::codegen::cpu {

Code::Code(llvm::IRBuilderBase& builder, const Task& task)
    : b(builder),
      c(task.module.getContext()),
      m(task.module),
      functions(task.functions),
      f(task.f),
      shape(task.shape),
      traits(task.traits),
      whole_block(task.whole_block),
      wants_lines(task.lines),
      own(task.own),
      arith(b, shape.machine, f, [this](CpuHelper h) { return helpers[unsigned(h)]; }),
      uses(ir::use_counts(f)) {
  ir::for_each_inst(f, [&](ir::InstId, ir::RegionId) { ++operations; });
}
Code::~Code() = default;

Block Code::new_block(const char* name) { return llvm::BasicBlock::Create(c, name, function); }
void Code::branch_to(Block target) {
  b.CreateBr(target);
  open = false;
}
void Code::start(Block block) {
  b.SetInsertPoint(block);
  open = true;
}

void Code::begin(llvm::Function* made) {
  function = made;
  set_machine(*function);
  allocas_ = new_block("entry");
}
void Code::begin_lines() {
  if (!wants_lines && !shape.machine.debug) return;
  const bool all = shape.machine.debug;
  lines = std::make_unique<DebugLines>(
      m, *function, f, all ? DebugLines::Kind::FullDebug : DebugLines::Kind::LineTablesOnly);
  if (all && lines->scope()) variables = std::make_unique<Variables>(f, shape, *lines, b);
}
void Code::leave_lines() {
  if (lines) b.SetCurrentDebugLocation(lines->anywhere());
}
void Code::finish() {
  const Block first = allocas_->getNextNode();
  b.SetInsertPoint(allocas_);
  b.CreateBr(first);
  if (lines) lines->finish();
}

llvm::AllocaInst* Code::room(llvm::Type* type, const char* name, unsigned alignment) {
  llvm::IRBuilder<> top(allocas_);
  llvm::AllocaInst* made = top.CreateAlloca(type, nullptr, name);
  if (alignment) made->setAlignment(llvm::Align(alignment));
  return made;
}

void Code::wait_for_blocks() {
  llvm::CallInst* wait = b.CreateCall(llvm::FunctionType::get(b.getVoidTy(), false),
                                      helpers[unsigned(CpuHelper::GridBarrier)]);
  wait->setDoesNotThrow();
}

void Code::count_loop(V from, V to, V step, const llvm::Twine& name,
                      llvm::function_ref<void(V)> body) {
  Block before = b.GetInsertBlock(), head = new_block("head"), inside = new_block("inside"),
        after = new_block("after");
  b.CreateBr(head);
  start(head);
  llvm::PHINode* i = b.CreatePHI(b.getInt64Ty(), 2, name);
  i->addIncoming(from, before);
  b.CreateCondBr(b.CreateICmpSLT(i, to), inside, after);
  start(inside);
  body(i);
  i->addIncoming(b.CreateAdd(i, step), b.GetInsertBlock());
  b.CreateBr(head);
  start(after);
}

void Code::set_machine(llvm::Function& of) const {
  CpuLevel level = shape.machine.level;
  std::string width = level == CpuLevel::Avx512 ? "512" : level == CpuLevel::Avx2 ? "256" : "128";
  of.addFnAttr("prefer-vector-width", width);
  of.addFnAttr("min-legal-vector-width", width);
  of.addFnAttr("target-cpu", shape.machine.cpu);
  of.addFnAttr("tune-cpu", shape.machine.tune);
  if (!shape.machine.features.empty()) of.addFnAttr("target-features", shape.machine.features);
  of.addFnAttr("no-builtins");
  of.addFnAttr(llvm::Attribute::NoUnwind);
}

bool Code::is_large() const { return operations * shape.parts >= tuning::cpu::large; }
bool Code::lanes_in_loops() const { return shape.lanes > 1 && (shape.machine.quick || is_large()); }

}  // namespace krait::codegen::cpu
