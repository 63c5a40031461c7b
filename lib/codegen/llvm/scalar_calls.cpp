// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/scalar_calls.h"

#include <fmt/core.h>

#include "codegen/reply.h"

namespace krait::codegen::scalar {

using ir::Effect;
using llvm::Value;

std::vector<llvm::Type*> Calls::passed_types(const ir::Type& t) const {
  if (t.is_value()) return {memory_type(context_, t.scalar)};
  if (t.space != ir::Space::Global)
    defect("an array of the block or the thread is passed to a function that was not inlined");
  std::vector<llvm::Type*> types{llvm::PointerType::get(context_, target_.views_space())};
  types.insert(types.end(), f_.facts.contiguous ? t.rank : 2u * t.rank,
               llvm::Type::getInt64Ty(context_));
  return types;
}

llvm::Type* Calls::result_type() const {
  std::vector<llvm::Type*> types;
  for (ir::Scalar s : f_.results) types.push_back(memory_type(context_, s));
  if (types.empty()) return llvm::Type::getVoidTy(context_);
  return types.size() == 1 ? types[0] : llvm::StructType::get(context_, types);
}

void Calls::create() {
  std::vector<llvm::Type*> types;
  for (ir::ValueId p : f_.params())
    for (llvm::Type* t : passed_types(f_.type_of(p))) types.push_back(t);
  auto* type = llvm::FunctionType::get(result_type(), types, false);
  const std::string name = fmt::format("{}_{}", symbol_name(f_.name), code_.number);
  code_.function =
      llvm::Function::Create(type, llvm::Function::InternalLinkage, name, code_.session.module());
  code_.function->addFnAttr(llvm::Attribute::NoInline);
  if (f_.rare) code_.function->addFnAttr(llvm::Attribute::Cold);
  ir::Inst call;
  call.op = ir::Op::Call, call.imm = code_.number;
  const Effect effect = code_.all.calls.effect(call);
  if (effect == Effect::Pure) {
    code_.function->setDoesNotAccessMemory();
    code_.function->addFnAttr(llvm::Attribute::WillReturn);
  } else if (effect == Effect::Read) {
    code_.function->setOnlyReadsMemory();
  }
}

void Calls::bind() {
  unsigned next = 0;
  for (ir::ValueId p : f_.params()) {
    const ir::Type& t = f_.type_of(p);
    if (t.is_value()) {
      values_[p] = from_memory(b_, code_.function->getArg(next++), t.scalar);
      continue;
    }
    Array& array = arrays_[p];
    array = {code_.function->getArg(next++), t, {}, {}};
    if (f_.facts.aligned)
      llvm::cast<llvm::Argument>(array.base)
          ->addAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(16)));
    for (unsigned d = 0; d < t.rank; ++d) array.extents[d] = code_.function->getArg(next++);
    if (f_.facts.contiguous) make_strides(array);
    else
      for (unsigned d = 0; d < t.rank; ++d) array.strides[d] = code_.function->getArg(next++);
  }
}

void Calls::lower(const ir::Inst& inst) {
  if (const ir::Function& f = code_.all.module.callee(inst); !f.native.instructions.empty()) {
    Value* result = target_.instructions(inst, f);
    if (result) values_[inst.results[0]] = result;
    return;
  }
  std::vector<Value*> arguments;
  for (ir::ValueId v : inst.operands) {
    const ir::Type& t = f_.type_of(v);
    if (t.is_value()) {
      arguments.push_back(to_memory(b_, value(v), t.scalar));
      continue;
    }
    const Array& array = arrays_.at(v);
    arguments.push_back(array.base);
    for (unsigned d = 0; d < t.rank; ++d) arguments.push_back(array.extents[d]);
    if (!f_.facts.contiguous)
      for (unsigned d = 0; d < t.rank; ++d) arguments.push_back(array.strides[d]);
  }
  if (!b_.getCurrentDebugLocation()) b_.SetCurrentDebugLocation(code_.lines->anywhere());
  llvm::CallInst* call = b_.CreateCall(code_.all.functions[inst.imm], arguments);
  const std::vector<ir::Scalar>& results = code_.all.module.callee(inst).results;
  for (unsigned i = 0; i < results.size(); ++i)
    values_[inst.results[i]] =
        from_memory(b_, results.size() == 1 ? call : b_.CreateExtractValue(call, i), results[i]);
}

void Calls::give_results(const ir::Inst& yield) {
  Value* all = nullptr;
  for (unsigned i = 0; i < yield.operands.size(); ++i) {
    Value* x = to_memory(b_, value(yield.operands[i]), f_.results[i]);
    if (yield.operands.size() == 1) all = x;
    else all = b_.CreateInsertValue(all ? all : llvm::PoisonValue::get(result_type()), x, i);
  }
  if (all) b_.CreateRet(all);
  else b_.CreateRetVoid();
}

}  // namespace krait::codegen::scalar
