// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays: views in global memory, arrays of the block in shared memory, arrays of the thread as allocas.
#include <fmt/core.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/nvptx/lower.h"
#include "codegen/reply.h"
#include "ir/shared_lengths.h"
#include "ir/walk.h"

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

/// Where the arrays lie in the dynamic segment: those of fixed size that fit nowhere else, then those sized at launch.
void Lowering::place_shared() {
  const std::uint64_t fixed = fixed_arrays_in_segment(kernel_);
  std::uint64_t at = 0;
  if (fixed)
    ir::for_each_inst(kernel_, [&](ir::InstId i, ir::RegionId) {
      const ir::Inst& inst = kernel_.insts[i];
      if (inst.op != ir::Op::Shared || inst.list[0] == 0) return;
      segment_offsets_[inst.results[0]] = b_.getInt64(at);
      at += std::uint64_t(ir::aligned_shared(ir::row_bytes(kernel_, inst) * inst.list[0]));
    });
  Value* offset = b_.getInt64(fixed);
  std::size_t number = 0;
  for (ir::InstId i : ir::arrays_sized_at_launch(kernel_)) {
    const ir::Inst& inst = kernel_.insts[i];
    segment_offsets_[inst.results[0]] = offset;
    Value* length = shared_lengths_[number++];
    Value* bytes = b_.CreateMul(length, b_.getInt64(std::uint64_t(ir::row_bytes(kernel_, inst))), "", true, true);
    Value* padded = b_.CreateAnd(b_.CreateAdd(bytes, b_.getInt64(ir::shared_alignment - 1), "", true, true), b_.getInt64(-ir::shared_alignment));
    offset = b_.CreateAdd(offset, padded, "", true, true);
    arrays_[inst.results[0]].extents[0] = length;
  }
  if (segment_offsets_.empty()) return;
  segment_ = new llvm::GlobalVariable(session_.module(), llvm::ArrayType::get(b_.getInt8Ty(), 0), false,
                                      llvm::GlobalVariable::ExternalLinkage, nullptr, "krait_shared_segment", nullptr,
                                      llvm::GlobalVariable::NotThreadLocal, shared_space);
  segment_->setAlignment(llvm::Align(ir::shared_alignment));
}

void Lowering::lower_shared(const ir::Inst& inst) {
  Array& array = arrays_[inst.results[0]];
  array.type = kernel_.type_of(inst.results[0]);
  for (std::size_t d = 0; d < inst.list.size(); ++d)
    if (inst.list[d] != 0) array.extents[d] = b_.getInt64(std::uint64_t(inst.list[d]));
  if (const auto at = segment_offsets_.find(inst.results[0]); at != segment_offsets_.end()) {
    array.base = b_.CreateGEP(b_.getInt8Ty(), segment_, at->second);
  } else {
    using Global = llvm::GlobalVariable;
    auto* memory = llvm::ArrayType::get(b_.getInt8Ty(), std::uint64_t(ir::row_bytes(kernel_, inst) * inst.list[0]));
    auto* global = new Global(session_.module(), memory, false, Global::InternalLinkage, llvm::UndefValue::get(memory),
                              "krait_shared", nullptr, Global::NotThreadLocal, shared_space);
    global->setAlignment(llvm::Align(16));
    array.base = global;
  }
  make_strides(array);
}

/// Zeroes memory that is aligned to 16 bytes; LLVM's own memset goes byte by byte.
void Lowering::clear(Value* memory, std::uint64_t bytes) {
  constexpr std::uint64_t step = 64, straight = 512;  // bytes a trip, and without a loop
  const auto store = [&](Value* at, std::uint64_t size) {
    llvm::Type* word = b_.getIntNTy(unsigned(8 * std::min<std::uint64_t>(size, 4)));
    llvm::Type* type = size == 16 ? llvm::FixedVectorType::get(word, 4) : word;
    b_.CreateAlignedStore(llvm::Constant::getNullValue(type), at, llvm::Align(size));
  };
  std::uint64_t done = 0;
  if (bytes > straight) {
    done = bytes / step * step;
    llvm::BasicBlock *before = b_.GetInsertBlock(), *loop = new_block("clear"), *end = new_block("cleared");
    b_.CreateBr(loop);
    b_.SetInsertPoint(loop);
    llvm::PHINode* at = b_.CreatePHI(b_.getInt32Ty(), 2);
    at->addIncoming(b_.getInt32(0), before);
    for (std::uint64_t k = 0; k < step; k += 16) store(b_.CreateGEP(b_.getInt8Ty(), b_.CreateGEP(b_.getInt8Ty(), memory, at), b_.getInt64(k)), 16);
    Value* next = b_.CreateAdd(at, b_.getInt32(step));
    at->addIncoming(next, loop);
    b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt32(std::uint32_t(done))), loop, end);
    b_.SetInsertPoint(end);
  }
  for (const std::uint64_t size : {16, 4, 2, 1})
    for (; bytes - done >= size; done += size) store(b_.CreateGEP(b_.getInt8Ty(), memory, b_.getInt64(done)), size);
}

void Lowering::lower_local(const ir::Inst& inst) {
  const ir::Type& type = kernel_.type_of(inst.results[0]);
  std::uint64_t count = element_count(inst.list);
  bool plain = type.scalar != Scalar::Void && type.elem_bytes == ir::size_of(type.scalar);
  llvm::Type* element = plain ? memory_type(context_, type.scalar) : llvm::ArrayType::get(b_.getInt8Ty(), type.elem_bytes);
  llvm::IRBuilder<> at_entry(entry_, entry_->begin());
  llvm::AllocaInst* memory = at_entry.CreateAlloca(llvm::ArrayType::get(element, count));
  memory->setAlignment(llvm::Align(16));
  clear(memory, count * type.elem_bytes);
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
  if (array.type.index_bytes() == ir::size_of(access) && offset == 0)
    return b_.CreateGEP(memory_type(context_, access), array.base, index);
  Value* element = b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), array.type.index_bytes()), array.base, index);
  return offset ? b_.CreateGEP(b_.getInt8Ty(), element, b_.getInt64(offset)) : element;
}

namespace {

/// How a streaming access is written: LLVM has no form of its own for it on this target.
struct Streaming {
  unsigned bits, count;  // of a register's part of memory, and registers
  explicit Streaming(llvm::Type* type) {
    const auto all = unsigned(type->getPrimitiveSizeInBits()), element = type->getScalarSizeInBits();
    bits = element >= 32 ? element : std::min(all, 32u);  // small elements share registers
    count = all / bits;
  }
  std::string suffix() const { return fmt::format("{}.b{}", count > 1 ? fmt::format(".v{}", count) : "", bits); }
  std::string registers(unsigned first) const {
    if (count == 1) return fmt::format("${}", first);
    std::string list;
    for (unsigned k = 0; k < count; ++k) list += fmt::format("{}${}", k ? ", " : "", first + k);
    return "{" + list + "}";
  }
  /// A byte has no register of its own size.
  unsigned register_bits() const { return std::max(bits, 16u); }
  const char* letter() const { return bits == 64 ? "l" : bits == 32 ? "r" : "h"; }
};

}  // namespace

Value* Lowering::load_from(const Array& array, bool streaming, llvm::Type* type, Value* pointer) {
  if (!streaming || array.type.space != ir::Space::Global)
    return b_.CreateAlignedLoad(type, pointer, llvm::Align(type->getPrimitiveSizeInBits() / 8));
  const Streaming form(type);
  llvm::Type* part = b_.getIntNTy(form.register_bits());
  std::string constraints;
  for (unsigned k = 0; k < form.count; ++k) constraints += fmt::format("={},", form.letter());
  llvm::Type* result = form.count == 1 ? part : llvm::StructType::get(context_, std::vector<llvm::Type*>(form.count, part));
  auto* code = llvm::InlineAsm::get(llvm::FunctionType::get(result, {pointer->getType()}, false),
                                    fmt::format("ld.global.cs{} {}, [${}];", form.suffix(), form.registers(0), form.count),
                                    constraints + "l", false);
  llvm::CallInst* call = b_.CreateCall(code, {pointer});
  call->setOnlyReadsMemory(), call->setDoesNotThrow();
  if (form.count == 1) return b_.CreateBitCast(b_.CreateTrunc(call, b_.getIntNTy(form.bits)), type);
  Value* parts = llvm::PoisonValue::get(llvm::FixedVectorType::get(part, form.count));
  for (unsigned k = 0; k < form.count; ++k) parts = b_.CreateInsertElement(parts, b_.CreateExtractValue(call, k), k);
  return b_.CreateBitCast(parts, type);
}

void Lowering::store_to(const Array& array, bool streaming, Value* v, Value* pointer) {
  llvm::Type* type = v->getType();
  if (!streaming || array.type.space != ir::Space::Global) {
    b_.CreateAlignedStore(v, pointer, llvm::Align(type->getPrimitiveSizeInBits() / 8));
    return;
  }
  const Streaming form(type);
  llvm::Type* part = b_.getIntNTy(form.register_bits());
  std::vector<Value*> operands{pointer};
  std::string constraints = "l";
  Value* parts = b_.CreateBitCast(v, llvm::FixedVectorType::get(b_.getIntNTy(form.bits), form.count));
  for (unsigned k = 0; k < form.count; ++k) {
    operands.push_back(b_.CreateZExt(b_.CreateExtractElement(parts, k), part));
    constraints += fmt::format(",{}", form.letter());
  }
  std::vector<llvm::Type*> types{pointer->getType()};
  types.resize(operands.size(), part);
  auto* code = llvm::InlineAsm::get(llvm::FunctionType::get(b_.getVoidTy(), types, false),
                                    fmt::format("st.global.cs{} [$0], {};", form.suffix(), form.registers(1)), constraints + ",~{memory}", true);
  b_.CreateCall(code, operands)->setDoesNotThrow();
}

void Lowering::lower_load(const ir::Inst& inst) {
  const Array& array = arrays_.at(inst.operands[0]);
  Scalar s = inst.type.scalar;
  Value* pointer = address(array, std::span(inst.operands).subspan(1), s, inst.imm);
  set(inst, from_memory(load_from(array, inst.streaming, memory_type(context_, s), pointer), s));
}

void Lowering::lower_store(const ir::Inst& inst) {
  const Array& array = arrays_.at(inst.operands[0]);
  ir::ValueId stored = inst.operands.back();
  Scalar s = kernel_.type_of(stored).scalar;
  Value* pointer = address(array, std::span(inst.operands).subspan(1, inst.operands.size() - 2), s, inst.imm);
  store_to(array, inst.streaming, to_memory(value(stored), s), pointer);
}

void Lowering::lower_load_vec(const ir::Inst& inst) {
  const Array& array = arrays_.at(inst.operands[0]);
  Scalar s = kernel_.type_of(inst.results[0]).scalar;
  auto* vector = llvm::FixedVectorType::get(memory_type(context_, s), unsigned(inst.results.size()));
  Value* pointer = address(array, std::span(inst.operands).subspan(1), s, inst.imm);
  Value* all = load_from(array, inst.streaming, vector, pointer);
  for (std::size_t i = 0; i < inst.results.size(); ++i) values_[inst.results[i]] = from_memory(b_.CreateExtractElement(all, i), s);
}

void Lowering::lower_store_vec(const ir::Inst& inst) {
  const Array& array = arrays_.at(inst.operands[0]);
  auto stored = std::span(inst.operands).subspan(2);
  Scalar s = kernel_.type_of(stored[0]).scalar;
  Value* pointer = address(array, std::span(inst.operands).subspan(1, 1), s, inst.imm);
  Value* all = llvm::PoisonValue::get(llvm::FixedVectorType::get(memory_type(context_, s), unsigned(stored.size())));
  for (std::size_t i = 0; i < stored.size(); ++i) all = b_.CreateInsertElement(all, to_memory(value(stored[i]), s), i);
  store_to(array, inst.streaming, all, pointer);
}

}  // namespace krait::codegen::nvptx
