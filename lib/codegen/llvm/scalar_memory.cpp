// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/scalar_memory.h"

#include <fmt/core.h>

#include "codegen/llvm/index_constants.h"

namespace krait::codegen::scalar {

using ir::Scalar;
using llvm::Value;

namespace {

std::uint64_t element_count(const std::vector<std::int64_t>& extents) {
  std::uint64_t count = 1;
  for (std::int64_t e : extents) count *= std::uint64_t(e);
  return count;
}

}  // namespace

/// Zeroes memory that is aligned to 16 bytes; LLVM's own memset goes byte by byte.
void Memory::clear(Value* memory, std::uint64_t bytes) {
  constexpr std::uint64_t step = 64, straight = 512;  // bytes a trip, and without a loop
  const auto store = [&](Value* at, std::uint64_t size) {
    llvm::Type* word = b_.getIntNTy(unsigned(8 * std::min<std::uint64_t>(size, 4)));
    llvm::Type* type = size == 16 ? llvm::FixedVectorType::get(word, 4) : word;
    b_.CreateAlignedStore(llvm::Constant::getNullValue(type), at, llvm::Align(size));
  };
  std::uint64_t done = 0;
  if (bytes > straight) {
    done = bytes / step * step;
    llvm::BasicBlock *before = b_.GetInsertBlock(), *loop = new_block("clear"),
                     *end = new_block("cleared");
    b_.CreateBr(loop);
    b_.SetInsertPoint(loop);
    llvm::PHINode* at = b_.CreatePHI(b_.getInt32Ty(), 2);
    at->addIncoming(b_.getInt32(0), before);
    for (std::uint64_t k = 0; k < step; k += 16)
      store(b_.CreateGEP(b_.getInt8Ty(), b_.CreateGEP(b_.getInt8Ty(), memory, at), b_.getInt64(k)),
            16);
    Value* next = b_.CreateAdd(at, b_.getInt32(step));
    at->addIncoming(next, loop);
    b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt32(std::uint32_t(done))), loop, end);
    b_.SetInsertPoint(end);
  }
  for (const std::uint64_t size : {16, 4, 2, 1})
    for (; bytes - done >= size; done += size)
      store(b_.CreateGEP(b_.getInt8Ty(), memory, b_.getInt64(done)), size);
}

void Memory::local(const ir::Inst& inst) {
  const ir::Type& type = f_.type_of(inst.results[0]);
  std::uint64_t count = element_count(inst.list);
  bool plain = type.scalar != Scalar::Void && type.elem_bytes == ir::size_of(type.scalar);
  llvm::Type* element = plain ? memory_type(context_, type.scalar)
                              : llvm::ArrayType::get(b_.getInt8Ty(), type.elem_bytes);
  llvm::IRBuilder<> at_entry(code_.entry, code_.entry->begin());
  llvm::AllocaInst* memory = at_entry.CreateAlloca(llvm::ArrayType::get(element, count));
  memory->setAlignment(llvm::Align(16));
  clear(memory, count * type.elem_bytes);
  Array array{memory, type, {}, {}};
  for (std::size_t d = 0; d < inst.list.size(); ++d)
    array.extents[d] = b_.getInt64(std::uint64_t(inst.list[d]));
  make_strides(array);
  arrays_[inst.results[0]] = array;
}

/// The flat index: as written where the access has been lowered to one, else the sum of indices
/// times strides.
Memory::Index Memory::element_index(const Array& array, Indices indices) {
  bool unit_stride = array.type.space != ir::Space::Global || f_.facts.contiguous;
  if (f_.flat || (indices.size() == 1 && unit_stride)) {
    Value* index = value(indices[0]);
    llvm::Type* wide = b_.getInt64Ty();
    // Elements' numbers are below 2^31 less that room.
    constexpr std::int64_t room = ir::Facts::room;
    const bool narrow = f_.facts.small || array.type.space != ir::Space::Global;
    if (const std::int64_t constant = narrow ? take_constants(b_, index, {-room, room}) : 0)
      return {b_.CreateSExt(index, wide), constant};
    const bool has_sign = ir::is_signed_int(f_.type_of(indices[0]).scalar);
    return {has_sign ? b_.CreateSExt(index, wide) : b_.CreateZExt(index, wide)};
  }
  Value* sum = nullptr;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    Value* term = b_.CreateMul(
        target_.numeric().cast(value(indices[d]), f_.type_of(indices[d]).scalar, Scalar::I64),
        array.strides[d]);
    sum = sum ? b_.CreateAdd(sum, term) : term;
  }
  return {sum};
}

constexpr unsigned most_depth = 6;
constexpr std::uint64_t most_steps = 8;  // the copies of an unrolled loop, and a row or two beside

/// Whether v is a number of things, computed without wrapping where it is part of an index that
/// fits: at least 0, and no larger than the sums and products that it is a part of.
bool Memory::is_count(ir::ValueId v, unsigned depth) const {
  const ir::Inst* d = f_.def(v);
  if (!d || depth == 0) return false;
  const auto all = [&] {
    return std::ranges::all_of(d->operands, [&](ir::ValueId x) { return is_count(x, depth - 1); });
  };
  switch (d->op) {
    case ir::Op::Extent:
    case ir::Op::GlobalId:
    case ir::Op::ThreadIdx:
    case ir::Op::BlockIdx:
    case ir::Op::BlockDim:
    case ir::Op::GridDim: return true;
    case ir::Op::Const:
      return !ir::is_signed_int(d->type.scalar) || d->imm >> (ir::bits_of(d->type.scalar) - 1) == 0;
    case ir::Op::Cast:
      return ir::bits_of(d->type.scalar) >= 32 && ir::is_int(f_.type_of(d->operands[0]).scalar) &&
             all();
    case ir::Op::Add:
    case ir::Op::Mul: return all();
    default: return false;
  }
}

std::optional<Memory::Column> Memory::column_of(ir::ValueId index) const {
  const auto is = [&](ir::ValueId v, ir::Op op) { return f_.def(v) && f_.def(v)->op == op; };
  const auto bits = [&](ir::ValueId v) { return ir::bits_of(f_.type_of(v).scalar); };
  const auto plain = [&](ir::ValueId v) {
    while (is(v, ir::Op::Cast) && bits(v) == 32 && bits(f_.def(v)->operands[0]) == 32)
      v = f_.def(v)->operands[0];
    return v;
  };
  Column c{ir::none, ir::none, ir::none, 0};
  ir::ValueId product = index;
  if (is(index, ir::Op::Add)) {
    const std::vector<ir::ValueId>& parts = f_.def(index)->operands;
    const bool first = is(parts[0], ir::Op::Mul);
    product = parts[first ? 0 : 1], c.rest = parts[first ? 1 : 0];
    if (!is_count(c.rest, most_depth)) return {};
  }
  if (!is(product, ir::Op::Mul)) return {};
  const std::vector<ir::ValueId>& factors = f_.def(product)->operands;
  for (const bool first : {true, false}) {
    c.stride = factors[first ? 1 : 0], c.counter = plain(factors[first ? 0 : 1]), c.step = 0;
    while (is(c.counter, ir::Op::Add) && f_.is_const(f_.def(c.counter)->operands[1]) &&
           c.step <= most_steps) {
      c.step += f_.const_bits(f_.def(c.counter)->operands[1]);
      c.counter = plain(f_.def(c.counter)->operands[0]);
    }
    // What an unrolled loop counts its steps by: its index, times the number of its copies.
    const bool unrolled = is(c.counter, ir::Op::Shl) &&
                          f_.type_of(c.counter).scalar == Scalar::U32 &&
                          !f_.def(f_.def(c.counter)->operands[0]);
    if (unrolled && c.step <= most_steps && !f_.is_const(c.stride) &&
        is_count(c.stride, most_depth))
      return c;
  }
  return {};
}

/// The address of an element, less `constant` elements. Each step down a column is an addition to
/// the address before; by index, each would be a sum in 32 bits first. The parts of the sum are not
/// negative, so none wraps.
Value* Memory::element(const Array& array, llvm::Type* type, Indices indices,
                       std::int64_t& constant) {
  const bool narrow = f_.flat && f_.facts.small && array.type.space == ir::Space::Global &&
                      ir::bits_of(f_.type_of(indices[0]).scalar) == 32;
  if (const std::optional<Column> c = narrow ? column_of(indices[0]) : std::nullopt) {
    llvm::Type* wide = b_.getInt64Ty();
    Value* index = b_.CreateMul(value(c->counter), value(c->stride));
    if (c->rest != ir::none) index = b_.CreateAdd(index, value(c->rest));
    Value* at = b_.CreateGEP(type, array.base, b_.CreateSExt(index, wide));
    for (std::uint64_t i = 0; i < c->step; ++i)
      at = b_.CreateGEP(type, at, b_.CreateSExt(value(c->stride), wide));
    constant = 0;
    return at;
  }
  const Index index = element_index(array, indices);
  constant = index.constant;
  return b_.CreateGEP(type, array.base, index.varying);
}

Value* Memory::address(const Array& array, Indices indices, Scalar access, std::uint64_t offset) {
  llvm::Type* type = array.type.index_bytes() == ir::size_of(access)
                         ? memory_type(context_, access)
                         : llvm::ArrayType::get(b_.getInt8Ty(), array.type.index_bytes());
  std::int64_t constant = 0;
  Value* at = element(array, type, indices, constant);
  const std::int64_t bytes =
      std::int64_t(offset) + constant * std::int64_t(array.type.index_bytes());
  return bytes ? b_.CreateGEP(b_.getInt8Ty(), at, b_.getInt64(std::uint64_t(bytes))) : at;
}

void Memory::load(const ir::Inst& inst) {
  const Array& array = arrays_.at(inst.operands[0]);
  Scalar s = inst.type.scalar;
  Value* pointer = address(array, std::span(inst.operands).subspan(1), s, inst.imm);
  set(inst,
      from_memory(b_, target_.load_from(array, inst.streaming, memory_type(context_, s), pointer),
                  s));
}

void Memory::store(const ir::Inst& inst) {
  const Array& array = arrays_.at(inst.operands[0]);
  ir::ValueId stored = inst.operands.back();
  Scalar s = f_.type_of(stored).scalar;
  Value* pointer =
      address(array, std::span(inst.operands).subspan(1, inst.operands.size() - 2), s, inst.imm);
  target_.store_to(array, inst.streaming, to_memory(b_, value(stored), s), pointer);
}

void Memory::load_vec(const ir::Inst& inst) {
  const Array& array = arrays_.at(inst.operands[0]);
  Scalar s = f_.type_of(inst.results[0]).scalar;
  auto* vector =
      llvm::FixedVectorType::get(memory_type(context_, s), unsigned(inst.results.size()));
  Value* pointer = address(array, std::span(inst.operands).subspan(1), s, inst.imm);
  Value* all = target_.load_from(array, inst.streaming, vector, pointer);
  for (std::size_t i = 0; i < inst.results.size(); ++i)
    values_[inst.results[i]] = from_memory(b_, b_.CreateExtractElement(all, i), s);
}

void Memory::store_vec(const ir::Inst& inst) {
  const Array& array = arrays_.at(inst.operands[0]);
  auto stored = std::span(inst.operands).subspan(2);
  Scalar s = f_.type_of(stored[0]).scalar;
  Value* pointer = address(array, std::span(inst.operands).subspan(1, 1), s, inst.imm);
  Value* all = llvm::PoisonValue::get(
      llvm::FixedVectorType::get(memory_type(context_, s), unsigned(stored.size())));
  for (std::size_t i = 0; i < stored.size(); ++i)
    all = b_.CreateInsertElement(all, to_memory(b_, value(stored[i]), s), i);
  target_.store_to(array, inst.streaming, all, pointer);
}

}  // namespace krait::codegen::scalar
