// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in shared memory, and accesses to global memory that is not used again.
#include <fmt/core.h>
#include <llvm/IR/InlineAsm.h>

#include "codegen/nvptx/lower.h"
#include "codegen/reply.h"
#include "ir/shared_lengths.h"
#include "ir/walk.h"

namespace krait::codegen::nvptx {

using llvm::Value;

/// Where the arrays lie in the dynamic segment: those of fixed size that fit nowhere else, then
/// those sized at launch.
void Lowering::place_shared() {
  const std::uint64_t fixed = fixed_arrays_in_segment(f_);
  std::uint64_t at = 0;
  if (fixed)
    ir::for_each_inst(f_, [&](ir::InstId i, ir::RegionId) {
      const ir::Inst& inst = f_.insts[i];
      if (inst.op != ir::Op::Shared || inst.list[0] == 0) return;
      segment_offsets_[inst.results[0]] = b_.getInt64(at);
      at += fixed_array_bytes(f_, inst);
    });
  Value* offset = b_.getInt64(fixed);
  std::size_t number = 0;
  for (ir::InstId i : ir::arrays_sized_at_launch(f_)) {
    const ir::Inst& inst = f_.insts[i];
    segment_offsets_[inst.results[0]] = offset;
    Value* length = shared_lengths_[number++];
    Value* bytes =
        b_.CreateMul(length, b_.getInt64(std::uint64_t(ir::row_bytes(f_, inst))), "", true, true);
    Value* padded =
        b_.CreateAnd(b_.CreateAdd(bytes, b_.getInt64(ir::shared_alignment - 1), "", true, true),
                     b_.getInt64(-ir::shared_alignment));
    offset = b_.CreateAdd(offset, padded, "", true, true);
    arrays_[inst.results[0]].extents[0] = length;
  }
  if (segment_offsets_.empty()) return;
  segment_ = new llvm::GlobalVariable(
      code_.session.module(), llvm::ArrayType::get(b_.getInt8Ty(), 0), false,
      llvm::GlobalVariable::ExternalLinkage, nullptr, "krait_shared_segment", nullptr,
      llvm::GlobalVariable::NotThreadLocal, shared_space);
  segment_->setAlignment(llvm::Align(shared_alignment_of(f_)));
}

namespace {

/// Where an array of this block lies in another one of the cluster: a generic address, as CUDA's
/// own map_shared_rank gives it. Written as text, since LLVM takes what its own operation gives for
/// memory that nobody else reaches.
Value* address_in_cluster(llvm::IRBuilder<>& b, Value* own, Value* rank) {
  llvm::PointerType* generic = llvm::PointerType::get(b.getContext(), generic_space);
  auto* map =
      llvm::InlineAsm::get(llvm::FunctionType::get(generic, {generic, b.getInt32Ty()}, false),
                           "mapa.u64 $0, $1, $2;", "=l,l,r", false);
  llvm::CallInst* address = b.CreateCall(map, {b.CreateAddrSpaceCast(own, generic), rank});
  address->setDoesNotThrow();
  return address;
}

}  // namespace

void Lowering::lower_shared(const ir::Inst& inst) {
  if (inst.op == ir::Op::SharedOf) {
    scalar::Array array = arrays_[inst.operands[0]];
    array.type = f_.type_of(inst.results[0]);
    array.base = address_in_cluster(b_, array.base, value(inst.operands[1]));
    arrays_[inst.results[0]] = array;
    return;
  }
  scalar::Array& array = arrays_[inst.results[0]];
  array.type = f_.type_of(inst.results[0]);
  for (std::size_t d = 0; d < inst.list.size(); ++d)
    if (inst.list[d] != 0) array.extents[d] = b_.getInt64(std::uint64_t(inst.list[d]));
  if (const auto at = segment_offsets_.find(inst.results[0]); at != segment_offsets_.end()) {
    array.base = b_.CreateGEP(b_.getInt8Ty(), segment_, at->second);
  } else {
    using Global = llvm::GlobalVariable;
    auto* memory =
        llvm::ArrayType::get(b_.getInt8Ty(), std::uint64_t(ir::row_bytes(f_, inst) * inst.list[0]));
    auto* global = new Global(code_.session.module(), memory, false, Global::InternalLinkage,
                              llvm::UndefValue::get(memory), "krait_shared", nullptr,
                              Global::NotThreadLocal, shared_space);
    global->setAlignment(llvm::Align(shared_alignment_of(f_)));
    array.base = global;
  }
  make_strides(array);
}

namespace {

/// How a streaming access is written: LLVM has no form of its own for it on this target.
struct Streaming {
  unsigned bits, count;  // of a register's part of memory, and registers
  explicit Streaming(llvm::Type* type) {
    const auto all = unsigned(type->getPrimitiveSizeInBits()),
               element = type->getScalarSizeInBits();
    bits = element >= 32 ? element : std::min(all, 32u);  // small elements share registers
    count = all / bits;
  }
  std::string suffix() const {
    return fmt::format("{}.b{}", count > 1 ? fmt::format(".v{}", count) : "", bits);
  }
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

Value* Lowering::load_from(const scalar::Array& array, bool streaming, llvm::Type* type,
                           Value* pointer) {
  if (!streaming || array.type.space != ir::Space::Global)
    return b_.CreateAlignedLoad(type, pointer, llvm::Align(type->getPrimitiveSizeInBits() / 8));
  const Streaming form(type);
  llvm::Type* part = b_.getIntNTy(form.register_bits());
  std::string constraints;
  for (unsigned k = 0; k < form.count; ++k) constraints += fmt::format("={},", form.letter());
  llvm::Type* result =
      form.count == 1 ? part
                      : llvm::StructType::get(context_, std::vector<llvm::Type*>(form.count, part));
  auto* code = llvm::InlineAsm::get(
      llvm::FunctionType::get(result, {pointer->getType()}, false),
      fmt::format("ld.global.cs{} {}, [${}];", form.suffix(), form.registers(0), form.count),
      constraints + "l", false);
  llvm::CallInst* call = b_.CreateCall(code, {pointer});
  call->setOnlyReadsMemory(), call->setDoesNotThrow();
  if (form.count == 1) return b_.CreateBitCast(b_.CreateTrunc(call, b_.getIntNTy(form.bits)), type);
  Value* parts = llvm::PoisonValue::get(llvm::FixedVectorType::get(part, form.count));
  for (unsigned k = 0; k < form.count; ++k)
    parts = b_.CreateInsertElement(parts, b_.CreateExtractValue(call, k), k);
  return b_.CreateBitCast(parts, type);
}

void Lowering::store_to(const scalar::Array& array, bool streaming, Value* v, Value* pointer) {
  llvm::Type* type = v->getType();
  if (!streaming || array.type.space != ir::Space::Global) {
    b_.CreateAlignedStore(v, pointer, llvm::Align(type->getPrimitiveSizeInBits() / 8));
    return;
  }
  const Streaming form(type);
  llvm::Type* part = b_.getIntNTy(form.register_bits());
  std::vector<Value*> operands{pointer};
  std::string constraints = "l";
  Value* parts =
      b_.CreateBitCast(v, llvm::FixedVectorType::get(b_.getIntNTy(form.bits), form.count));
  for (unsigned k = 0; k < form.count; ++k) {
    operands.push_back(b_.CreateZExt(b_.CreateExtractElement(parts, k), part));
    constraints += fmt::format(",{}", form.letter());
  }
  std::vector<llvm::Type*> types{pointer->getType()};
  types.resize(operands.size(), part);
  auto* code = llvm::InlineAsm::get(
      llvm::FunctionType::get(b_.getVoidTy(), types, false),
      fmt::format("st.global.cs{} [$0], {};", form.suffix(), form.registers(1)),
      constraints + ",~{memory}", true);
  b_.CreateCall(code, operands)->setDoesNotThrow();
}

}  // namespace krait::codegen::nvptx
