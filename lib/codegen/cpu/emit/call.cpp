// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are called. One takes a part, a vector of lanes, at a time, under a mask; a gang
// calls it for each of its parts that has active lanes. What is equal in the gang is passed as a
// scalar. A pure function of such arguments alone is called once, without a mask. Vectors of bools
// and masks are passed as integers, a bit a lane.
#include "codegen/cpu/emit/call.h"

#include <algorithm>

#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/launch/arguments.h"
#include "codegen/cpu/lanes/each_lane.h"
#include "codegen/cpu/emit/emitter.h"
#include "codegen/cpu/emit/hint_notes.h"
#include "codegen/llvm/session.h"
#include "codegen/reply.h"

namespace krait::codegen::cpu {

using ir::Scalar;

llvm::Type* Calls::packed_type(Scalar s, bool uniform) {
  if (s == Scalar::Bool) return b_.getIntNTy(uniform ? 8 : std::max(shape_.lanes, 8u));
  return arith_.type(s, uniform ? 0 : shape_.lanes);
}

V Calls::pack(V x) {
  if (!x->getType()->isIntOrIntVectorTy(1)) return x;
  if (!x->getType()->isVectorTy()) return b_.CreateZExt(x, b_.getInt8Ty());
  return b_.CreateZExt(lanes_.mask_bits(x), packed_type(Scalar::Bool, false));
}

V Calls::unpack(V x, Scalar s, bool uniform) {
  if (s != Scalar::Bool) return x;
  if (uniform) return b_.CreateTrunc(x, b_.getInt1Ty());
  return b_.CreateBitCast(b_.CreateTrunc(x, b_.getIntNTy(shape_.lanes)),
                          values_.lane_type(Scalar::Bool));
}

/// A view goes as its address, extents and, where they do not follow from the extents, strides.
std::vector<llvm::Type*> Calls::passed_types(const Functions::Way& way, ir::ValueId param) {
  const ir::Type& t = f_.type_of(param);
  if (t.is_array()) {
    if (t.space != ir::Space::Global)
      defect("an array of the block or the thread is passed to a function that was not inlined");
    std::vector<llvm::Type*> types{b_.getPtrTy()};
    types.insert(types.end(), f_.facts.contiguous ? t.rank : 2u * t.rank, b_.getInt64Ty());
    return types;
  }
  const auto params = f_.params();
  const auto place = std::size_t(std::find(params.begin(), params.end(), param) - params.begin());
  return {packed_type(t.scalar, way.uniform[place])};
}

const Functions::Made& Calls::callee(const Functions::Way& way) {
  const auto known = code_.functions.made.find(way);
  if (known != code_.functions.made.end()) return known->second;
  Shape shape = shape_;
  shape.parts = shape.rows = shape.layers = 1;
  if (way.lane) shape.lanes = 1;
  const Traits traits;
  const ir::Function& f = code_.functions.module.functions[way.function];
  const Task task{code_.m, code_.functions, f, shape, traits, false, code_.wants_lines, code_.own};
  return code_.functions.made.emplace(way, emit_called(task, way)).first->second;
}

/// A function that is seldom called has one form, that for vectors.
Functions::Way Calls::way_of(const ir::Inst& inst) {
  Functions::Way way{std::size_t(inst.imm), {}, code_.functions.calls.is_pure(inst)};
  const bool rare = code_.functions.module.callee(inst).rare;
  for (ir::ValueId v : inst.operands) {
    const bool is_array = f_.type_of(v).is_array();
    way.uniform.push_back(is_array || (!rare && values_.uniform(v)));
    way.alone = way.alone && way.uniform.back();
  }
  return way;
}

std::vector<llvm::Value*> Calls::call_arguments(const ir::Inst& inst, const Functions::Way& way,
                                                unsigned p) {
  std::vector<V> arguments{arguments_.launch};
  if (!way.alone) arguments.push_back(pack(lanes_.mask_part(lanes_.active, p)));
  for (std::size_t i = 0; i < inst.operands.size(); ++i) {
    const ir::ValueId v = inst.operands[i];
    if (f_.type_of(v).is_array()) append_array(arguments, v);
    else arguments.push_back(pack(way.uniform[i] ? values_.scalar(v) : values_.part(v, p)));
  }
  return arguments;
}

void Calls::append_array(std::vector<V>& arguments, ir::ValueId array) {
  const unsigned rank = f_.type_of(array).rank;
  arguments.push_back(values_.scalar(array));
  for (unsigned d = 0; d < rank; ++d) arguments.push_back(arguments_.extent_of(array, d));
  if (!f_.facts.contiguous)
    for (unsigned d = 0; d < rank; ++d) arguments.push_back(arguments_.stride_of(array, d));
}

/// The call for one part, jumped over where the part has no active lane; its results, or null where
/// there are none.
V Calls::call_part(const ir::Inst& inst, const Functions::Way& way, const Functions::Made& made,
                   unsigned p) {
  const bool certain = way.alone || shape_.parts == 1 || lanes_.active.all();
  Block before = b_.GetInsertBlock(), next = nullptr;
  const std::vector<V> arguments = call_arguments(inst, way, p);
  if (!certain) {
    Block body = code_.new_block("call");
    next = code_.new_block("called");
    V some = b_.CreateICmpNE(lanes_.mask_bits(lanes_.active.parts[p]), b_.getIntN(shape_.lanes, 0));
    before = b_.GetInsertBlock();
    b_.CreateCondBr(some, body, next);
    code_.start(body);
  }
  if (code_.lines && !b_.getCurrentDebugLocation())
    b_.SetCurrentDebugLocation(code_.lines->anywhere());
  V result = b_.CreateCall(made.code, arguments);
  if (!certain) {
    Block after = b_.GetInsertBlock();
    code_.branch_to(next);
    code_.start(next);
    if (!result->getType()->isVoidTy()) {
      llvm::PHINode* phi = b_.CreatePHI(result->getType(), 2);
      phi->addIncoming(result, after);
      phi->addIncoming(llvm::Constant::getNullValue(result->getType()), before);
      result = phi;
    }
  }
  return result;
}

/// What is seldom called, for its effects alone, is scalar code, called for one active lane after
/// the other.
void Calls::call_by_lane(const ir::Inst& inst) {
  hint_notes_.note_call_by_lane(inst);
  const Functions::Way way{std::size_t(inst.imm), std::vector<bool>(inst.operands.size(), true),
                           true, true};
  const Functions::Made& made = callee(way);
  std::vector<V> arguments{arguments_.launch};  // null where lanes differ
  std::vector<std::pair<Row, Scalar>> varying;
  for (const ir::ValueId v : inst.operands) {
    if (f_.type_of(v).is_array()) {
      append_array(arguments, v);
    } else if (values_.uniform(v)) {
      arguments.push_back(pack(values_.scalar(v)));
    } else {
      Few<V> parts;
      for (unsigned p = 0; p < shape_.parts; ++p)
        parts.push_back(arith_.to_memory(values_.part(v, p), values_.scalar_of(v)));
      varying.emplace_back(each_lane_.row_in_memory(parts, unsigned(varying.size())),
                           values_.scalar_of(v));
      arguments.push_back(nullptr);
    }
  }
  each_lane_.loop_over_active_lanes("call", [&](V lane) {
    std::vector<V> own = arguments;
    auto next = varying.begin();
    for (V& x : own)
      if (!x)
        x = pack(arith_.from_memory(each_lane_.load_lane(next->first, lane), next->second)), ++next;
    if (code_.lines && !b_.getCurrentDebugLocation())
      b_.SetCurrentDebugLocation(code_.lines->anywhere());
    b_.CreateCall(made.code, own);
  });
}

void Calls::emit_call(const ir::Inst& inst) {
  const ir::Function& called = code_.functions.module.callee(inst);
  if (called.rare && called.results.empty() && shape_.lanes > 1 &&
      !code_.functions.calls.is_pure(inst))
    return call_by_lane(inst);
  const Functions::Way way = way_of(inst);
  const Functions::Made& made = callee(way);
  const std::vector<Scalar>& types = code_.functions.module.callee(inst).results;
  // Of one value for the whole gang one part is enough.
  bool once = way.alone;
  if (code_.functions.calls.is_pure(inst)) {
    once = true;
    for (ir::ValueId v : inst.operands)
      once = once && (f_.type_of(v).is_array() || values_.uniform(v));
  }
  std::vector<Lowered> results(types.size());
  const Lanes::Scope lanes(lanes_);
  if (once) lanes_.active = {};
  for (unsigned p = 0; p < (once ? 1 : shape_.parts); ++p) {
    V all = call_part(inst, way, made, p);
    for (unsigned i = 0; i < types.size(); ++i)
      results[i].v.push_back(unpack(b_.CreateExtractValue(all, i), types[i], made.uniform[i]));
  }
  for (unsigned i = 0; i < types.size(); ++i) {
    Lowered& x = results[i];
    if (once && !made.uniform[i]) x.v[0] = b_.CreateExtractElement(x.v[0], std::uint64_t(0));
    x.form = once ? Lowered::Form::Uniform : Lowered::Form::Parts;
    values_.set(inst.results[i], std::move(x));
  }
}

}  // namespace krait::codegen::cpu
