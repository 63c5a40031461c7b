// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/emit/word_products.h"

#include <array>
#include <cassert>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SaveAndRestore.h>

#include "codegen/cpu/access/addresses.h"
#include "ir/tiles.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;
using llvm::Intrinsic::ID;
namespace In = llvm::Intrinsic;

namespace {

/// Rows of a tile register, words of its rows, and registers.
constexpr std::int64_t side = 16, registers = 8;
/// Registers of sums in a row and a column at most: with two and two, and as many factors, a load
/// of a factor serves two products.
constexpr std::int64_t most_sums = 2;

/// What ldtilecfg takes (Intel 64 manual, volume 1, "palette 1"): the palette, rows of registers
/// from byte 48 on, bytes of their rows from byte 16 on. Registers 0 to 3 hold sums, 4 and 5 left
/// factors, 6 and 7 right ones.
constexpr unsigned first_sum = 0, first_left = 4, first_right = 6;
std::array<std::uint8_t, 64> configuration(std::int64_t step) {
  std::array<std::uint8_t, 64> bytes{};
  bytes[0] = 1;
  for (unsigned r = 0; r < registers; ++r) {
    const bool left = r >= first_left && r < first_right, right = r >= first_right;
    bytes[16 + 2 * r] = std::uint8_t(4 * (left ? step : side));
    bytes[48 + r] = std::uint8_t(right ? step : side);
  }
  return bytes;
}

ID product_of(Scalar left, Scalar right) {
  if (ir::is_float(left)) return In::x86_tdpbf16ps;
  const bool signed_left = ir::is_signed_int(left), signed_right = ir::is_signed_int(right);
  return signed_left ? (signed_right ? In::x86_tdpbssd : In::x86_tdpbsud)
                     : (signed_right ? In::x86_tdpbusd : In::x86_tdpbuud);
}

}  // namespace

void WordProducts::emit(const ir::Inst& inst, llvm::function_ref<V(ir::ValueId)> scalar) {
  const auto place = [&](std::size_t operand) -> V {
    const ir::ValueId array = inst.operands[operand], index = inst.operands[operand + 1];
    const V bytes = b_.CreateMul(addresses_.wide_index(scalar(index), index),
                                 b_.getInt64(f_.type_of(array).elem_bytes));
    return b_.CreatePtrAdd(addresses_.array_base(array), bytes);
  };
  const ir::ValueId words = inst.operands[ir::WordProduct::words];
  llvm::Function* const made = function_of(inst);
  const V helper = shape_.machine.tile_registers ? code_.helpers[unsigned(CpuHelper::TileRegisters)]
                                                 : llvm::ConstantPointerNull::get(b_.getPtrTy());
  b_.CreateCall(made, {place(ir::WordProduct::sums), place(ir::WordProduct::left_at),
                       place(ir::WordProduct::right_at),
                       addresses_.wide_index(scalar(words), words), helper});
}

llvm::Function* WordProducts::function_of(const ir::Inst& inst) {
  const ir::WordProduct p(inst);
  std::string name = "word_product";
  for (const std::int64_t n : inst.list) name += "_" + std::to_string(n);
  if (llvm::Function* const made = code_.m.getFunction(name)) return made;
  llvm::Type* const pointer = b_.getPtrTy();
  auto* const type = llvm::FunctionType::get(
      b_.getVoidTy(), {pointer, pointer, pointer, b_.getInt64Ty(), pointer}, false);
  auto* const made =
      llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, code_.m);
  made->addFnAttr(llvm::Attribute::NoInline);
  code_.set_machine(*made);
  const llvm::IRBuilderBase::InsertPointGuard here(b_);
  const llvm::SaveAndRestore<llvm::Function*> function(code_.function, made);
  const llvm::SaveAndRestore<bool> open(code_.open, true);
  b_.SetCurrentDebugLocation({});
  const auto start = [&](const char* label) {
    auto* const block = llvm::BasicBlock::Create(code_.c, label, made);
    return block;
  };
  const Parameters of{made->getArg(0), made->getArg(1), made->getArg(2), made->getArg(3)};
  b_.SetInsertPoint(start("entry"));
  if (shape_.machine.tile_registers) {
    const Block tiles = start("tiles"), rows = start("rows");
    const V allowed =
        b_.CreateCall(llvm::FunctionType::get(b_.getInt32Ty(), false), made->getArg(4));
    b_.CreateCondBr(b_.CreateICmpNE(allowed, b_.getInt32(0)), tiles, rows);
    b_.SetInsertPoint(tiles);
    emit_tiles(p, of);
    b_.CreateRetVoid();
    b_.SetInsertPoint(rows);
  }
  emit_rows(p, of);
  b_.CreateRetVoid();
  return made;
}

void WordProducts::emit_tiles(const ir::WordProduct& p, const Parameters& of) {
  const auto number = [&](std::int64_t x) { return b_.getInt64(std::uint64_t(x)); };
  const auto tile = [&](unsigned r) { return b_.getInt8(std::uint8_t(r)); };
  const auto bytes = configuration(p.step);
  llvm::Constant* const value =
      llvm::ConstantDataArray::get(code_.c, llvm::ArrayRef<std::uint8_t>(bytes));
  auto* const at = new llvm::GlobalVariable(code_.m, value->getType(), true,
                                            llvm::GlobalValue::PrivateLinkage, value, "tiles");
  at->setAlignment(llvm::Align(64));
  b_.CreateIntrinsic(b_.getVoidTy(), In::x86_ldtilecfg, {at});
  const std::int64_t down = p.rows % (most_sums * side) == 0 ? most_sums : 1,
                     across = p.columns % (most_sums * side) == 0 ? most_sums : 1;
  const std::int64_t sums_pitch = 4 * p.columns, step_bytes = 4 * p.step;
  const V steps = b_.CreateUDiv(of.words, number(p.step));
  // Within 128 bytes of a left row a step follows the one before.
  const std::int64_t steps_of_strip = ir::strip_bytes / step_bytes;
  const auto left_at = [&](V k) {
    if (p.left_strip == ir::strip_bytes) return b_.CreateMul(k, number(step_bytes));
    const V strip = b_.CreateUDiv(k, number(steps_of_strip)),
            rest = b_.CreateURem(k, number(steps_of_strip));
    return b_.CreateAdd(b_.CreateMul(strip, number(p.left_strip)),
                        b_.CreateMul(rest, number(step_bytes)));
  };
  const auto load = [&](unsigned to, V from, std::int64_t pitch) {
    b_.CreateIntrinsic(b_.getVoidTy(), In::x86_tileloadd64, {tile(to), from, number(pitch)});
  };
  const auto each_sum = [&](const auto& visit) {
    for (std::int64_t i = 0; i < down; ++i)
      for (std::int64_t j = 0; j < across; ++j)
        visit(i, j, first_sum + unsigned(i * most_sums + j));
  };
  code_.count_loop(number(0), number(p.columns), number(across * side), "column", [&](V column) {
    const V right = b_.CreatePtrAdd(of.right, b_.CreateMul(column, number(4)));
    code_.count_loop(number(0), number(p.rows), number(down * side), "row", [&](V row) {
      const V left = b_.CreatePtrAdd(of.left, b_.CreateMul(row, number(p.left_pitch))),
              sums = b_.CreatePtrAdd(of.sums, b_.CreateAdd(b_.CreateMul(row, number(sums_pitch)),
                                                           b_.CreateMul(column, number(4))));
      const auto sum_at = [&](std::int64_t i, std::int64_t j) {
        return b_.CreatePtrAdd(sums, number(i * side * sums_pitch + j * side * 4));
      };
      each_sum([&](std::int64_t i, std::int64_t j, unsigned r) {
        if (p.fresh) b_.CreateIntrinsic(b_.getVoidTy(), In::x86_tilezero, {tile(r)});
        else load(r, sum_at(i, j), sums_pitch);
      });
      code_.count_loop(number(0), steps, number(1), "step", [&](V k) {
        const V x = b_.CreatePtrAdd(left, left_at(k)),
                y = b_.CreatePtrAdd(right, b_.CreateMul(k, number(p.step * p.right_pitch)));
        for (std::int64_t j = 0; j < across; ++j)
          load(first_right + unsigned(j), b_.CreatePtrAdd(y, number(j * side * 4)), p.right_pitch);
        for (std::int64_t i = 0; i < down; ++i)
          load(first_left + unsigned(i), b_.CreatePtrAdd(x, number(i * side * p.left_pitch)),
               p.left_pitch);
        each_sum([&](std::int64_t i, std::int64_t j, unsigned r) {
          b_.CreateIntrinsic(
              b_.getVoidTy(), product_of(p.left, p.right),
              {tile(r), tile(first_left + unsigned(i)), tile(first_right + unsigned(j))});
        });
      });
      each_sum([&](std::int64_t i, std::int64_t j, unsigned r) {
        b_.CreateIntrinsic(b_.getVoidTy(), In::x86_tilestored64,
                           {tile(r), sum_at(i, j), number(sums_pitch)});
      });
    });
  });
  b_.CreateIntrinsic(b_.getVoidTy(), In::x86_tilerelease, {});
}

/// A vector of sums at a time, as kr::dot4 and kr::dot2_bf16 add.
void WordProducts::emit_rows(const ir::WordProduct& p, const Parameters& of) {
  const auto number = [&](std::int64_t x) { return b_.getInt64(std::uint64_t(x)); };
  const std::int64_t lanes = shape_.machine.level == CpuLevel::Avx512 ? 16
                             : shape_.machine.level == CpuLevel::Avx2 ? 8
                                                                      : 4;
  const bool real = ir::is_float(p.left);
  assert(!real || shape_.machine.fma);  // processors with AMX have it
  llvm::Type* const word = b_.getInt32Ty();
  auto* const words = llvm::FixedVectorType::get(word, unsigned(lanes));
  auto* const row_of_sums =
      llvm::FixedVectorType::get(real ? b_.getFloatTy() : word, unsigned(lanes));
  code_.count_loop(number(0), number(p.rows), number(1), "row", [&](V row) {
    code_.count_loop(number(0), number(p.columns), number(lanes), "column", [&](V column) {
      const V first = b_.CreateAdd(b_.CreateMul(row, number(p.columns)), column),
              at = b_.CreatePtrAdd(of.sums, b_.CreateMul(first, number(4)));
      if (p.fresh)
        b_.CreateAlignedStore(llvm::Constant::getNullValue(row_of_sums), at, llvm::Align(4));
      code_.count_loop(number(0), of.words, number(1), "word", [&](V k) {
        const std::int64_t of_strip = ir::strip_bytes / 4;
        const V strip = b_.CreateMul(b_.CreateUDiv(k, number(of_strip)), number(p.left_strip)),
                rest = b_.CreateMul(b_.CreateURem(k, number(of_strip)), number(4)),
                left = b_.CreateAdd(b_.CreateMul(row, number(p.left_pitch)),
                                    b_.CreateAdd(strip, rest)),
                right = b_.CreateAdd(b_.CreateMul(k, number(p.right_pitch)),
                                     b_.CreateMul(column, number(4)));
        const V x = b_.CreateVectorSplat(
                    unsigned(lanes),
                    b_.CreateAlignedLoad(word, b_.CreatePtrAdd(of.left, left), llvm::Align(1))),
                y = b_.CreateAlignedLoad(words, b_.CreatePtrAdd(of.right, right), llvm::Align(1)),
                before = b_.CreateAlignedLoad(row_of_sums, at, llvm::Align(4));
        b_.CreateAlignedStore(dot(p, x, y, before), at, llvm::Align(4));
      });
    });
  });
}

V WordProducts::dot(const ir::WordProduct& p, V left, V right, V sums) {
  const bool signed_left = ir::is_signed_int(p.left), signed_right = ir::is_signed_int(p.right);
  if (ir::is_float(p.left)) {
    const V x[] = {left, right, sums};
    return arith_.dot_pairs(x, f_.fp == ir::FpMode::Native || f_.fp == ir::FpMode::Fast);
  }
  const V as_given[] = {left, right, sums}, turned[] = {right, left, sums};
  if (signed_left == signed_right)
    return arith_.dot_bytes(Op::DotBytes, signed_left ? Scalar::I32 : Scalar::U32, as_given);
  return arith_.dot_bytes(Op::DotMixed, Scalar::I32, signed_right ? as_given : turned);
}

}  // namespace krait::codegen::cpu
