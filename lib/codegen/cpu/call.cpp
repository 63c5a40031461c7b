// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are called. One takes a part, a vector of lanes, at a time, under a mask; a gang calls it for each of its parts
// that has active lanes. What is equal in the gang is passed as a scalar. A pure function of such arguments alone is called once,
// without a mask. Vectors of bools and masks are passed as integers, a bit a lane.
#include "codegen/cpu/emitter.h"

namespace krait::codegen::cpu {

using ir::Scalar;

// ---- passing ----------------------------------------------------------------------------------------------------------------

llvm::Type* Emitter::packed_type(Scalar s, bool uniform) {
  if (s == Scalar::Bool) return b_.getIntNTy(uniform ? 8 : std::max(shape_.lanes, 8u));
  return arith_.type(s, uniform ? 0 : shape_.lanes);
}

llvm::Value* Emitter::pack(V x) {
  if (!x->getType()->isIntOrIntVectorTy(1)) return x;
  if (!x->getType()->isVectorTy()) return b_.CreateZExt(x, b_.getInt8Ty());
  return b_.CreateZExt(mask_bits(x), packed_type(Scalar::Bool, false));
}

llvm::Value* Emitter::unpack(V x, Scalar s, bool uniform) {
  if (s != Scalar::Bool) return x;
  if (uniform) return b_.CreateTrunc(x, b_.getInt1Ty());
  return b_.CreateBitCast(b_.CreateTrunc(x, b_.getIntNTy(shape_.lanes)), lane_type(Scalar::Bool));
}

/// A view goes as its address, extents and, where they do not follow from the extents, strides.
std::vector<llvm::Type*> Emitter::passed_types(const Functions::Way& way, ir::ValueId param) {
  const ir::Type& t = f_.type_of(param);
  if (t.is_array()) {
    if (t.space != ir::Space::Global) defect("an array of the block or the thread is passed to a function that was not inlined");
    std::vector<llvm::Type*> types{b_.getPtrTy()};
    types.insert(types.end(), f_.facts.contiguous ? t.rank : 2u * t.rank, b_.getInt64Ty());
    return types;
  }
  const auto params = f_.params();
  const auto place = std::size_t(std::find(params.begin(), params.end(), param) - params.begin());
  return {packed_type(t.scalar, way.uniform[place])};
}

// ---- the function -----------------------------------------------------------------------------------------------------------

const Functions::Made& Emitter::callee(const Functions::Way& way) {
  const auto known = functions_.made.find(way);
  if (known != functions_.made.end()) return known->second;
  Shape shape = shape_;
  shape.parts = shape.rows = shape.layers = 1;
  if (way.lane) shape.lanes = 1;
  const Traits traits;
  const ir::Function& f = functions_.module.functions[way.function];
  Emitter inner(m_, functions_, f, shape, traits, false, wants_lines_, own_);
  return functions_.made.emplace(way, inner.emit_called(way)).first->second;
}

Functions::Made Emitter::emit_called(const Functions::Way& way) {
  std::vector<Span> spans;
  for (bool uniform : way.uniform) spans.push_back(uniform ? Span::Gang : Span::Varying);
  d_ = find_divergence(f_, functions_.calls, shape_, ir::none, spans);
  array_offset_.assign(f_.values.size(), on_stack);
  const std::vector<ir::ValueId>& yields = f_.insts[f_.regions[f_.body].insts.back()].operands;
  Functions::Made made{nullptr, {}};
  std::vector<llvm::Type*> results, types{b_.getPtrTy()};
  for (std::size_t i = 0; i < f_.results.size(); ++i) {
    made.uniform.push_back(way.alone && (yields.size() <= i || !d_.varying(yields[i])));
    results.push_back(packed_type(f_.results[i], made.uniform[i]));
  }
  if (!way.alone) types.push_back(packed_type(Scalar::Bool, false));
  for (ir::ValueId p : f_.params())
    for (llvm::Type* t : passed_types(way, p)) types.push_back(t);
  llvm::Type* result = results.empty() ? b_.getVoidTy() : static_cast<llvm::Type*>(llvm::StructType::get(c_, results));
  function_ = llvm::Function::Create(llvm::FunctionType::get(result, types, false), llvm::GlobalValue::InternalLinkage,
                                     symbol_name(f_.name), m_);
  set_machine(*function_);
  function_->addFnAttr(llvm::Attribute::NoInline);
  if (f_.rare) function_->addFnAttr(llvm::Attribute::Cold);
  if (wants_lines_) lines_.emplace(m_, *function_, f_, DebugLines::Kind::LineTablesOnly);
  allocas_ = new_block("entry");
  Block body = new_block("body");
  start(body);
  bind_parameters(way);
  Exit exit = emit_region(f_.body);
  if (lines_) b_.SetCurrentDebugLocation({});
  if (open_ && results.empty()) {
    b_.CreateRetVoid();
  } else if (open_) {
    V all = llvm::Constant::getNullValue(result);
    for (unsigned i = 0; exit.yields && i < results.size(); ++i) {
      const Lowered& x = exit.values[i];
      all = b_.CreateInsertValue(all, pack(made.uniform[i] ? x.v[0] : part(x, f_.results[i], 0)), i);
    }
    b_.CreateRet(all);
  }
  b_.SetInsertPoint(allocas_);
  b_.CreateBr(body);
  if (lines_) lines_->finish();
  made.code = function_;
  return made;
}

void Emitter::bind_parameters(const Functions::Way& way) {
  unsigned next = 0;
  launch_ = function_->getArg(next++);
  load_helpers();
  if (!way.alone) active_ = {{unpack(function_->getArg(next++), Scalar::Bool, false)}};
  const auto params = f_.params();
  for (std::size_t p = 0; p < params.size(); ++p) {
    const ir::Type& t = f_.type_of(params[p]);
    V x = function_->getArg(next++);
    if (!t.is_array()) {
      const Lowered::Form form = way.uniform[p] ? Lowered::Form::Uniform : Lowered::Form::Parts;
      set(params[p], {form, {unpack(x, t.scalar, way.uniform[p])}, 0});
      continue;
    }
    set_uniform(params[p], x);
    View& view = views_[params[p]];
    for (unsigned d = 0; d < t.rank; ++d) view.extents.push_back(function_->getArg(next++));
    if (!f_.facts.contiguous)
      for (unsigned d = 0; d < t.rank; ++d) view.strides.push_back(function_->getArg(next++));
  }
}

// ---- the call ---------------------------------------------------------------------------------------------------------------

/// A function that is seldom called has one form, that for vectors.
Functions::Way Emitter::way_of(const ir::Inst& inst) {
  Functions::Way way{std::size_t(inst.imm), {}, functions_.calls.is_pure(inst)};
  const bool rare = functions_.module.callee(inst).rare;
  for (ir::ValueId v : inst.operands) {
    const bool is_array = f_.type_of(v).is_array();
    way.uniform.push_back(is_array || (!rare && uniform(v)));
    way.alone = way.alone && way.uniform.back();
  }
  return way;
}

std::vector<llvm::Value*> Emitter::call_arguments(const ir::Inst& inst, const Functions::Way& way, unsigned p) {
  std::vector<V> arguments{launch_};
  if (!way.alone) arguments.push_back(pack(mask_part(active_, p)));
  for (std::size_t i = 0; i < inst.operands.size(); ++i) {
    const ir::ValueId v = inst.operands[i];
    if (f_.type_of(v).is_array()) append_array(arguments, v);
    else arguments.push_back(pack(way.uniform[i] ? scalar(v) : part(v, p)));
  }
  return arguments;
}

void Emitter::append_array(std::vector<V>& arguments, ir::ValueId array) {
  const unsigned rank = f_.type_of(array).rank;
  arguments.push_back(array_base(array));
  for (unsigned d = 0; d < rank; ++d) arguments.push_back(extent_of(array, d));
  if (!f_.facts.contiguous)
    for (unsigned d = 0; d < rank; ++d) arguments.push_back(stride_of(array, d));
}

/// The call for one part, jumped over where the part has no active lane; its results, or null where there are none.
llvm::Value* Emitter::call_part(const ir::Inst& inst, const Functions::Way& way, const Functions::Made& made, unsigned p) {
  const bool certain = way.alone || shape_.parts == 1 || active_.all();
  Block before = b_.GetInsertBlock(), next = nullptr;
  const std::vector<V> arguments = call_arguments(inst, way, p);
  if (!certain) {
    Block body = new_block("call");
    next = new_block("called");
    V some = b_.CreateICmpNE(mask_bits(active_.parts[p]), b_.getIntN(shape_.lanes, 0));
    before = b_.GetInsertBlock();
    b_.CreateCondBr(some, body, next);
    start(body);
  }
  if (lines_ && !b_.getCurrentDebugLocation()) b_.SetCurrentDebugLocation(lines_->anywhere());
  V result = b_.CreateCall(made.code, arguments);
  if (!certain) {
    Block after = b_.GetInsertBlock();
    branch_to(next);
    start(next);
    if (!result->getType()->isVoidTy()) {
      llvm::PHINode* phi = b_.CreatePHI(result->getType(), 2);
      phi->addIncoming(result, after);
      phi->addIncoming(llvm::Constant::getNullValue(result->getType()), before);
      result = phi;
    }
  }
  return result;
}

/// What is seldom called, for its effects alone, is scalar code, called for one active lane after the other.
void Emitter::call_by_lane(const ir::Inst& inst) {
  note_call_by_lane(inst);
  const Functions::Way way{std::size_t(inst.imm), std::vector<bool>(inst.operands.size(), true), true, true};
  const Functions::Made& made = callee(way);
  std::vector<V> arguments{launch_};  // null where lanes differ
  std::vector<std::pair<Row, Scalar>> varying;
  for (const ir::ValueId v : inst.operands) {
    if (f_.type_of(v).is_array()) {
      append_array(arguments, v);
    } else if (uniform(v)) {
      arguments.push_back(pack(scalar(v)));
    } else {
      Few<V> parts;
      for (unsigned p = 0; p < shape_.parts; ++p) parts.push_back(arith_.to_memory(part(v, p), scalar_of(v)));
      varying.emplace_back(row_in_memory(parts, unsigned(varying.size())), scalar_of(v));
      arguments.push_back(nullptr);
    }
  }
  loop_over_active_lanes("call", [&](V lane) {
    std::vector<V> own = arguments;
    auto next = varying.begin();
    for (V& x : own)
      if (!x) x = pack(arith_.from_memory(load_lane(next->first, lane), next->second)), ++next;
    if (lines_ && !b_.getCurrentDebugLocation()) b_.SetCurrentDebugLocation(lines_->anywhere());
    b_.CreateCall(made.code, own);
  });
}

void Emitter::emit_call(const ir::Inst& inst) {
  const ir::Function& called = functions_.module.callee(inst);
  if (called.rare && called.results.empty() && shape_.lanes > 1 && !functions_.calls.is_pure(inst)) return call_by_lane(inst);
  const Functions::Way way = way_of(inst);
  const Functions::Made& made = callee(way);
  const std::vector<Scalar>& types = functions_.module.callee(inst).results;
  // Of one value for the whole gang one part is enough.
  bool once = way.alone;
  if (functions_.calls.is_pure(inst)) {
    once = true;
    for (ir::ValueId v : inst.operands) once = once && (f_.type_of(v).is_array() || uniform(v));
  }
  std::vector<Lowered> results(types.size());
  const Mask active = active_;
  if (once) active_ = {};
  for (unsigned p = 0; p < (once ? 1 : shape_.parts); ++p) {
    V all = call_part(inst, way, made, p);
    for (unsigned i = 0; i < types.size(); ++i)
      results[i].v.push_back(unpack(b_.CreateExtractValue(all, i), types[i], made.uniform[i]));
  }
  active_ = active;
  for (unsigned i = 0; i < types.size(); ++i) {
    Lowered& x = results[i];
    if (once && !made.uniform[i]) x.v[0] = b_.CreateExtractElement(x.v[0], std::uint64_t(0));
    x.form = once ? Lowered::Form::Uniform : Lowered::Form::Parts;
    set(inst.results[i], std::move(x));
  }
}

}  // namespace krait::codegen::cpu
