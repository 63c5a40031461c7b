// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays: views in global memory, arrays of the block in shared memory, arrays of the thread as allocas.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/nvptx/lower.h"
#include "codegen/target.h"

namespace krait::codegen::nvptx {

using ir::Scalar;
using llvm::Value;

namespace {

std::uint64_t element_count(const std::vector<std::int64_t>& extents) {
  std::uint64_t count = 1;
  for (std::int64_t e : extents) count *= std::uint64_t(e);
  return count;
}

}  // namespace

Value* Lowering::to_memory(Value* v, Scalar s) { return s == Scalar::Bool ? b_.CreateZExt(v, b_.getInt8Ty()) : v; }
Value* Lowering::from_memory(Value* v, Scalar s) { return s == Scalar::Bool ? b_.CreateICmpNE(v, b_.getInt8(0)) : v; }

// An array sized at launch takes the whole dynamic segment, whose size the hardware knows.
void Lowering::lower_shared(const ir::Inst& inst) {
  bool dynamic = inst.list[0] == 0;
  const ir::Type& type = kernel_.type_of(inst.results[0]);
  std::uint64_t row = type.elem_bytes;
  for (std::size_t d = dynamic; d < inst.list.size(); ++d) row *= std::uint64_t(inst.list[d]);
  auto* memory = llvm::ArrayType::get(b_.getInt8Ty(), dynamic ? 0 : row);
  using Global = llvm::GlobalVariable;
  auto* global = new Global(session_.module(), memory, false, dynamic ? Global::ExternalLinkage : Global::InternalLinkage,
                            dynamic ? nullptr : llvm::UndefValue::get(memory), "krait_shared", nullptr,
                            Global::NotThreadLocal, shared_space);
  global->setAlignment(llvm::Align(16));
  Array array{global, type, {}, {}};
  for (std::size_t d = 0; d < inst.list.size(); ++d) array.extents[d] = b_.getInt64(std::uint64_t(inst.list[d]));
  if (dynamic) {
    Value* bytes = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size, 0, std::uint64_t(1) << 31);
    array.extents[0] = b_.CreateUDiv(bytes, b_.getInt64(row));
  }
  make_strides(array);
  arrays_[inst.results[0]] = array;
}

void Lowering::lower_local(const ir::Inst& inst) {
  const ir::Type& type = kernel_.type_of(inst.results[0]);
  std::uint64_t count = element_count(inst.list);
  bool plain = type.scalar != Scalar::Void && type.elem_bytes == ir::size_of(type.scalar);
  llvm::Type* element = plain ? memory_type(context_, type.scalar) : llvm::ArrayType::get(b_.getInt8Ty(), type.elem_bytes);
  llvm::IRBuilder<> at_entry(entry_, entry_->begin());
  llvm::AllocaInst* memory = at_entry.CreateAlloca(llvm::ArrayType::get(element, count));
  memory->setAlignment(llvm::Align(plain ? type.elem_bytes : 8));
  b_.CreateMemSet(memory, b_.getInt8(0), count * type.elem_bytes, memory->getAlign());
  Array array{memory, type, {}, {}};
  for (std::size_t d = 0; d < inst.list.size(); ++d) array.extents[d] = b_.getInt64(std::uint64_t(inst.list[d]));
  make_strides(array);
  arrays_[inst.results[0]] = array;
}

/// The flat index: as written where the access has been lowered to one, else the sum of indices times strides.
Value* Lowering::element_index(const Array& array, std::span<const ir::ValueId> indices) {
  bool unit_stride = array.type.space != ir::Space::Global || kernel_.facts.contiguous;
  if (kernel_.flat || (indices.size() == 1 && unit_stride)) {
    Value* index = value(indices[0]);
    return ir::is_signed_int(kernel_.type_of(indices[0]).scalar) ? b_.CreateSExt(index, b_.getInt64Ty())
                                                                : b_.CreateZExt(index, b_.getInt64Ty());
  }
  Value* sum = nullptr;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    Value* term = b_.CreateMul(signed_i64(indices[d]), array.strides[d]);
    sum = sum ? b_.CreateAdd(sum, term) : term;
  }
  return sum;
}

Value* Lowering::address(const Array& array, std::span<const ir::ValueId> indices, Scalar access, std::uint64_t offset) {
  Value* index = element_index(array, indices);
  if (array.type.elem_bytes == ir::size_of(access) && offset == 0)
    return b_.CreateGEP(memory_type(context_, access), array.base, index);
  Value* element = b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), array.type.elem_bytes), array.base, index);
  return offset ? b_.CreateGEP(b_.getInt8Ty(), element, b_.getInt64(offset)) : element;
}

void Lowering::lower_load(const ir::Inst& inst) {
  const Array& array = arrays_.at(inst.operands[0]);
  Scalar s = inst.type.scalar;
  Value* pointer = address(array, std::span(inst.operands).subspan(1), s, inst.imm);
  set(inst, from_memory(b_.CreateAlignedLoad(memory_type(context_, s), pointer, llvm::Align(ir::size_of(s))), s));
}

void Lowering::lower_store(const ir::Inst& inst) {
  const Array& array = arrays_.at(inst.operands[0]);
  ir::ValueId stored = inst.operands.back();
  Scalar s = kernel_.type_of(stored).scalar;
  Value* pointer = address(array, std::span(inst.operands).subspan(1, inst.operands.size() - 2), s, inst.imm);
  b_.CreateAlignedStore(to_memory(value(stored), s), pointer, llvm::Align(ir::size_of(s)));
}

void Lowering::lower_load_vec(const ir::Inst& inst) {
  const Array& array = arrays_.at(inst.operands[0]);
  Scalar s = kernel_.type_of(inst.results[0]).scalar;
  auto* vector = llvm::FixedVectorType::get(memory_type(context_, s), unsigned(inst.results.size()));
  Value* pointer = address(array, std::span(inst.operands).subspan(1), s, inst.imm);
  Value* all = b_.CreateAlignedLoad(vector, pointer, llvm::Align(inst.results.size() * ir::size_of(s)));
  for (std::size_t i = 0; i < inst.results.size(); ++i) values_[inst.results[i]] = from_memory(b_.CreateExtractElement(all, i), s);
}

void Lowering::lower_store_vec(const ir::Inst& inst) {
  const Array& array = arrays_.at(inst.operands[0]);
  auto stored = std::span(inst.operands).subspan(2);
  Scalar s = kernel_.type_of(stored[0]).scalar;
  Value* pointer = address(array, std::span(inst.operands).subspan(1, 1), s, inst.imm);
  Value* all = llvm::PoisonValue::get(llvm::FixedVectorType::get(memory_type(context_, s), unsigned(stored.size())));
  for (std::size_t i = 0; i < stored.size(); ++i) all = b_.CreateInsertElement(all, to_memory(value(stored[i]), s), i);
  b_.CreateAlignedStore(all, pointer, llvm::Align(stored.size() * ir::size_of(s)));
}

}  // namespace krait::codegen::nvptx
