// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are called, whose parameters and results are scalars. A view goes as its address, extents and,
// where they do not follow from the extents, strides.
#include <fmt/core.h>

#include "codegen/llvm/scalar.h"
#include "codegen/reply.h"

namespace krait::codegen {

using ir::Effect;
using llvm::Value;

std::vector<llvm::Type*> ScalarLowering::passed_types(const ir::Type& t) const {
  if (t.is_value()) return {memory_type(context_, t.scalar)};
  if (t.space != ir::Space::Global) defect("an array of the block or the thread is passed to a function that was not inlined");
  std::vector<llvm::Type*> types{llvm::PointerType::get(context_, views_space())};
  types.insert(types.end(), kernel_.facts.contiguous ? t.rank : 2u * t.rank, llvm::Type::getInt64Ty(context_));
  return types;
}

llvm::Type* ScalarLowering::result_type() const {
  std::vector<llvm::Type*> types;
  for (ir::Scalar s : kernel_.results) types.push_back(memory_type(context_, s));
  if (types.empty()) return llvm::Type::getVoidTy(context_);
  return types.size() == 1 ? types[0] : llvm::StructType::get(context_, types);
}

void ScalarLowering::create_called() {
  std::vector<llvm::Type*> types;
  for (ir::ValueId p : kernel_.params())
    for (llvm::Type* t : passed_types(kernel_.type_of(p))) types.push_back(t);
  auto* type = llvm::FunctionType::get(result_type(), types, false);
  const std::string name = fmt::format("{}_{}", symbol_name(kernel_.name), number_);
  function_ = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, session_.module());
  function_->addFnAttr(llvm::Attribute::NoInline);
  if (kernel_.rare) function_->addFnAttr(llvm::Attribute::Cold);
  ir::Inst call;
  call.op = ir::Op::Call, call.imm = number_;
  const Effect effect = all_.calls.effect(call);
  if (effect == Effect::Pure) {
    function_->setDoesNotAccessMemory();
    function_->addFnAttr(llvm::Attribute::WillReturn);
  } else if (effect == Effect::Read) {
    function_->setOnlyReadsMemory();
  }
}

void ScalarLowering::bind_called() {
  unsigned next = 0;
  for (ir::ValueId p : kernel_.params()) {
    const ir::Type& t = kernel_.type_of(p);
    if (t.is_value()) {
      values_[p] = from_memory(function_->getArg(next++), t.scalar);
      continue;
    }
    Array& array = arrays_[p];
    array = {function_->getArg(next++), t, {}, {}};
    if (kernel_.facts.aligned)
      llvm::cast<llvm::Argument>(array.base)->addAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(16)));
    for (unsigned d = 0; d < t.rank; ++d) array.extents[d] = function_->getArg(next++);
    if (kernel_.facts.contiguous) make_strides(array);
    else
      for (unsigned d = 0; d < t.rank; ++d) array.strides[d] = function_->getArg(next++);
  }
}

void ScalarLowering::lower_call(const ir::Inst& inst) {
  std::vector<Value*> arguments;
  for (ir::ValueId v : inst.operands) {
    const ir::Type& t = kernel_.type_of(v);
    if (t.is_value()) {
      arguments.push_back(to_memory(value(v), t.scalar));
      continue;
    }
    const Array& array = arrays_.at(v);
    arguments.push_back(array.base);
    for (unsigned d = 0; d < t.rank; ++d) arguments.push_back(array.extents[d]);
    if (!kernel_.facts.contiguous)
      for (unsigned d = 0; d < t.rank; ++d) arguments.push_back(array.strides[d]);
  }
  if (!b_.getCurrentDebugLocation()) b_.SetCurrentDebugLocation(lines_->anywhere());
  llvm::CallInst* call = b_.CreateCall(all_.functions[inst.imm], arguments);
  const std::vector<ir::Scalar>& results = all_.module.callee(inst).results;
  for (unsigned i = 0; i < results.size(); ++i)
    values_[inst.results[i]] = from_memory(results.size() == 1 ? call : b_.CreateExtractValue(call, i), results[i]);
}

void ScalarLowering::lower_results(const ir::Inst& yield) {
  Value* all = nullptr;
  for (unsigned i = 0; i < yield.operands.size(); ++i) {
    Value* x = to_memory(value(yield.operands[i]), kernel_.results[i]);
    if (yield.operands.size() == 1) all = x;
    else all = b_.CreateInsertValue(all ? all : llvm::PoisonValue::get(result_type()), x, i);
  }
  if (all) b_.CreateRet(all);
  else b_.CreateRetVoid();
}

}  // namespace krait::codegen
