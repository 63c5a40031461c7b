// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of the active lanes to elements side by side, in the order of lanes: the index is a
// number that is equal and how many active lanes are below each. A register's lanes come together
// or go apart by one instruction (AVX-512), or by a permutation from a table (AVX2), and as
// many elements as lanes are active are accessed.
#include <algorithm>
#include <string>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include "codegen/cpu/access/addresses.h"
#include "codegen/cpu/access/memory.h"

namespace krait::codegen::cpu {

namespace {

constexpr unsigned word_size = 4;
/// Smaller elements are moved as words.
unsigned moved_size(const ir::Inst& inst) {
  return std::max(unsigned(ir::size_of(inst.type.scalar)), word_size);
}

}  // namespace

/// The lanes of a register.
struct Memory::Packed {
  unsigned part = 0, first = 0, count = 0;
  V at = nullptr;       // the first element
  V mask = nullptr;     // active lanes
  V bits = nullptr;     // and as a number of 64 bits
  V leading = nullptr;  // as many first lanes
};

bool Memory::is_packed(const ir::Inst& inst) const {
  constexpr unsigned smallest_register = 32;
  const bool loads = inst.op == ir::Op::Load;
  const auto size = unsigned(ir::size_of(inst.type.scalar));
  const std::uint32_t least = least_packed_bytes(shape_.machine.level);
  const Lowered& index = values_.get(inst.operands[1]);
  return index.from && !shape_.machine.quick && inst.imm == 0 &&
         (loads ? inst.results.size() == 1 : inst.operands.size() == 3) &&
         f_.type_of(inst.operands[0]).index_bytes() == size &&
         !addresses_.is_own(inst.operands[0]) && !addresses_.wraps(inst.operands[1]) &&
         shape_.lanes * moved_size(inst) >= smallest_register && least != 0 && size >= least &&
         lanes_.same(index.counted, lanes_.active);
}

void Memory::for_each_packed(const ir::Inst& inst, llvm::function_ref<void(const Packed&)> use) {
  const ir::ValueId index = inst.operands[1];
  const auto size = std::int64_t(ir::size_of(inst.type.scalar));
  const bool wide = shape_.machine.level == CpuLevel::Avx512;
  const unsigned count = std::min(shape_.lanes, (wide ? 64 : 32) / moved_size(inst));
  const Lowered counted = values_.get(index);
  // As many numbers below 0 as a register has, and as many zeros: where a mask is read.
  std::vector<std::uint32_t> signed_words(16, 0);
  std::fill_n(signed_words.begin(), 8, ~0u);
  const V signs =
      wide ? nullptr : table("signs", llvm::ConstantDataArray::get(code_.c, signed_words));
  constexpr std::uint64_t ones = ~std::uint64_t(0);
  V at = addresses_.pointer_to(inst.operands[0], index, counted.from, size, 0);
  // Behind an array's end a processor takes hundreds of cycles for an access of no lane.
  at = b_.CreateSelect(lanes_.any(counted.counted), at,
                       code_.room(llvm::FixedVectorType::get(b_.getInt8Ty(), 64), "nowhere"));
  for (unsigned p = 0; p < shape_.parts; ++p) {
    const V mask = counted.counted.parts[p],
            all_bits = b_.CreateZExt(lanes_.mask_bits(mask), b_.getInt64Ty());
    for (unsigned first = 0; first < shape_.lanes; first += count) {
      Packed lanes{p, first, count, at, lanes_of(mask, first, count), all_bits, nullptr};
      if (count != shape_.lanes)
        lanes.bits = b_.CreateAnd(b_.CreateLShr(all_bits, first), ~(ones << count));
      const V active = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, lanes.bits);
      if (wide) {  // a mask of bits
        const V others = b_.CreateShl(b_.getInt64(ones), active);
        lanes.leading = b_.CreateBitCast(b_.CreateTrunc(b_.CreateNot(others), b_.getIntNTy(count)),
                                         lanes.mask->getType());
      } else {
        const V from = b_.CreateGEP(b_.getIntNTy(unsigned(8 * size)), signs,
                                    b_.CreateSub(b_.getInt64(count), active));
        llvm::Type* row = llvm::FixedVectorType::get(b_.getIntNTy(unsigned(8 * size)), count);
        lanes.leading =
            b_.CreateICmpSLT(b_.CreateAlignedLoad(row, from, llvm::Align(std::uint64_t(size))),
                             llvm::Constant::getNullValue(row));
      }
      use(lanes);
      at = b_.CreatePtrAdd(at, b_.CreateMul(active, b_.getInt64(size)));
    }
  }
}

V Memory::lanes_of(V row, unsigned first, unsigned count) {
  if (count == shape_.lanes) return row;
  return b_.CreateShuffleVector(row, numbers_from(first, count));
}

/// A constant array.
V Memory::table(const std::string& name, llvm::Constant* numbers) {
  if (llvm::GlobalVariable* made = code_.m.getNamedGlobal(name)) return made;
  auto* const made = new llvm::GlobalVariable(code_.m, numbers->getType(), true,
                                              llvm::GlobalValue::PrivateLinkage, numbers, name);
  made->setAlignment(llvm::Align(8));
  made->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return made;
}

/// For each mask of so many lanes the places of the eight words that its lanes' words come from, a
/// byte each: of active lanes in order, or where they are (`apart`).
V Memory::word_places(unsigned lanes, bool apart) {
  constexpr unsigned words = 8, byte = 8;
  const unsigned each = words / lanes;
  std::vector<std::uint64_t> places(std::size_t(1) << lanes);
  for (std::size_t mask = 0; mask < places.size(); ++mask)
    for (unsigned word = 0, active = 0; word < words; ++word) {
      if (!(mask >> word / each & 1)) continue;
      places[mask] |= std::uint64_t(apart ? active : word) << byte * (apart ? word : active);
      ++active;
    }
  return table((apart ? "apart" : "packed") + std::to_string(lanes),
               llvm::ConstantDataArray::get(code_.c, places));
}

/// Integers in the active lanes come to the front, or go from there to the active lanes.
V Memory::move_lanes(V row, const Packed& lanes, bool apart) {
  auto* type = llvm::cast<llvm::FixedVectorType>(row->getType());
  if (shape_.machine.level == CpuLevel::Avx512)
    return b_.CreateIntrinsic(
        apart ? llvm::Intrinsic::x86_avx512_mask_expand : llvm::Intrinsic::x86_avx512_mask_compress,
        {type}, {row, llvm::Constant::getNullValue(type), lanes.mask});
  constexpr unsigned words = 8;
  auto* row_of_words = llvm::FixedVectorType::get(b_.getInt32Ty(), words);
  const V at = b_.CreateGEP(b_.getInt64Ty(), word_places(lanes.count, apart), lanes.bits);
  const V places = b_.CreateZExt(
      b_.CreateAlignedLoad(llvm::FixedVectorType::get(b_.getInt8Ty(), words), at, llvm::Align(8)),
      row_of_words);
  const V moved = b_.CreateIntrinsic(llvm::Intrinsic::x86_avx2_permd, {},
                                     {b_.CreateBitCast(row, row_of_words), places});
  return b_.CreateBitCast(moved, type);
}

Lowered Memory::load_packed(const ir::Inst& inst) {
  const ir::ValueId array = inst.operands[0];
  const ir::Scalar s = inst.type.scalar;
  llvm::Type* memory = llvm::FixedVectorType::get(memory_type(s), shape_.lanes);
  const auto row_of = [&](unsigned bytes, unsigned count) {
    return llvm::FixedVectorType::get(b_.getIntNTy(8 * bytes), count);
  };
  const auto size = unsigned(ir::size_of(s));
  Lowered r{Lowered::Form::Parts, {}, 0};
  std::vector<V> rows;
  for_each_packed(inst, [&](const Packed& lanes) {
    llvm::Type* row = row_of(size, lanes.count);
    llvm::Instruction* load = b_.CreateMaskedLoad(row, lanes.at, llvm::Align(size), lanes.leading,
                                                  llvm::Constant::getNullValue(row));
    addresses_.annotate(load, array);
    const V words = b_.CreateZExt(load, row_of(moved_size(inst), lanes.count));
    rows.push_back(b_.CreateTrunc(move_lanes(words, lanes, true), row));
    if (lanes.first + lanes.count < shape_.lanes) return;
    for (unsigned run = lanes.count; run < shape_.lanes; run *= 2)
      for (unsigned k = 0; k < shape_.lanes / (2 * run); ++k)
        rows[k] = b_.CreateShuffleVector(rows[2 * k], rows[2 * k + 1], numbers_from(0, 2 * run));
    r.v.push_back(arith_.from_memory(b_.CreateBitCast(rows[0], memory), s));
    rows.clear();
  });
  return r;
}

void Memory::store_packed(const ir::Inst& inst) {
  const ir::Scalar s = inst.type.scalar;
  const auto size = unsigned(ir::size_of(s));
  for_each_packed(inst, [&](const Packed& lanes) {
    const V all = arith_.to_memory(values_.part(inst.operands[2], lanes.part), s);
    V row = lanes_of(all, lanes.first, lanes.count);
    const auto row_of = [&](unsigned bytes) {
      return llvm::FixedVectorType::get(b_.getIntNTy(8 * bytes), lanes.count);
    };
    row = b_.CreateZExt(b_.CreateBitCast(row, row_of(size)), row_of(moved_size(inst)));
    row = b_.CreateTrunc(move_lanes(row, lanes, false), row_of(size));
    addresses_.annotate(b_.CreateMaskedStore(row, lanes.at, llvm::Align(size), lanes.leading),
                        inst.operands[0]);
  });
}

}  // namespace krait::codegen::cpu
