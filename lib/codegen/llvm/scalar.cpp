// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts have in common, and the parts put together.
#include "codegen/llvm/scalar.h"

#include <fmt/core.h>

#include "codegen/llvm/scalar_atomics.h"
#include "codegen/llvm/scalar_calls.h"
#include "codegen/llvm/scalar_control.h"
#include "codegen/llvm/scalar_lanes.h"
#include "codegen/llvm/scalar_memory.h"
#include "codegen/llvm/scalar_straight.h"
#include "codegen/reply.h"
#include "ir/walk.h"

namespace krait::codegen::scalar {

using ir::Scalar;
using llvm::Value;

Code::Code(Session& of_session, Lowered& of_module, std::size_t function_number)
    : session(of_session),
      all(of_module),
      number(function_number),
      f(all.module.functions[number]),
      b(session.context()),
      values(f.values.size(), nullptr) {}

Value* Part::value(ir::ValueId v) const {
  if (!values_[v]) defect(fmt::format("value %{} is used before it is lowered", v));
  return values_[v];
}

llvm::BasicBlock* Part::new_block(const char* name) {
  return llvm::BasicBlock::Create(context_, name, code_.function);
}

bool Part::is_written(ir::ValueId array) const {
  return ir::any_inst(f_, [&](const ir::Inst& inst) {
    for (std::size_t k = 0; k < inst.operands.size(); ++k)
      if (inst.operands[k] == array && code_.all.calls.writes(inst, k)) return true;
    return false;
  });
}

void Part::make_strides(Array& array) {
  Value* stride = b_.getInt64(1);
  for (int d = array.type.rank - 1; d >= 0; --d) {
    array.strides[d] = stride;
    stride = b_.CreateMul(stride, array.extents[d]);
  }
}

Value* to_memory(llvm::IRBuilderBase& b, Value* v, Scalar s) {
  return s == Scalar::Bool ? b.CreateZExt(v, b.getInt8Ty()) : v;
}

Value* from_memory(llvm::IRBuilderBase& b, Value* v, Scalar s) {
  return s == Scalar::Bool ? b.CreateICmpNE(v, b.getInt8(0)) : v;
}

void lower(Code& code, Target& target) {
  llvm::IRBuilder<>& b = code.b;
  Lanes lanes(code, target);
  Calls calls(code, target);
  Memory memory(code, target);
  Atomics atomics(code, target, memory);
  Straight straight(code, target, memory, atomics, calls);
  Control control(code, target, lanes, calls, straight);

  if (code.f.called) calls.create();
  else target.create_kernel();
  code.function->addFnAttr(llvm::Attribute::NoUnwind);
  if (code.f.fp == ir::FpMode::Fast)
    code.function->addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
  code.entry = llvm::BasicBlock::Create(code.session.context(), "entry", code.function);
  code.all.functions[code.number] = code.function;
  b.SetInsertPoint(code.entry);
  code.lines.emplace(code.session.module(), *code.function, code.f,
                     llvm::DICompileUnit::DebugDirectivesOnly);
  if (code.f.called) {
    calls.bind();
  } else {
    target.bind_kernel();
    code.lanes = target.all_lanes();
  }
  llvm::BasicBlock* body = llvm::BasicBlock::Create(code.session.context(), "body", code.function);
  b.SetInsertPoint(body);
  control.body();
  b.SetCurrentDebugLocation({});
  if (code.exit) {
    code.exit->insertInto(code.function);
    b.SetInsertPoint(code.exit);
    b.CreateRetVoid();
  }
  b.SetInsertPoint(code.entry);
  b.CreateBr(body);
  code.lines->finish();
}

}  // namespace krait::codegen::scalar
