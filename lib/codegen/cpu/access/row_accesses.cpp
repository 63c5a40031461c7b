// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several numbers side by side for each lane, lanes far apart: the elements of a row that
// passes/loops/unroll_rows.cpp asks for, or the members of a large aggregate. Each lane's piece is
// loaded as a whole. Pieces of at most 8 bytes are numbers, of which an element is a shift; those
// of 16 bytes are turned from rows of elements into rows of lanes by shuffles within 16 bytes, of
// which every machine has one instruction; the same shuffles turn them back, to be stored.
#include "codegen/cpu/access/row_accesses.h"

#include <bit>
#include <numeric>

#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/access/addresses.h"
#include "codegen/cpu/emit/hint_notes.h"

namespace krait::codegen::cpu {

using ir::Scalar;

namespace {

constexpr unsigned number_bytes = 8, block_bytes = 16;

/// Takes the low or the high halves of each block's elements from a and b, in turn.
llvm::Value* interleave(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y, unsigned lanes,
                        unsigned block, bool high) {
  std::vector<int> from;
  for (unsigned first = 0; first < lanes; first += block)
    for (unsigned k = 0; k < block; ++k)
      from.push_back(int((k & 1 ? lanes : 0) + first + (high ? block / 2 : 0) + k / 2));
  return b.CreateShuffleVector(x, y, from);
}

}  // namespace

/// Turns `block` rows over: of blocks of as many lanes, row k's element j becomes row j's element
/// k.
void Rows::turn_blocks(std::vector<V>& rows) {
  const auto block = unsigned(rows.size());
  std::vector<V> next(block);
  for (unsigned round = 1; round < block; round *= 2) {
    for (unsigned k = 0; k < block / 2; ++k)
      for (bool high : {false, true})
        next[2 * k + high] =
            interleave(b_, rows[k], rows[k + block / 2], shape_.lanes, block, high);
    rows.swap(next);
  }
}

/// Pieces of `block` elements, one a lane, as that many rows of lanes.
auto Rows::load_blocks(unsigned block, llvm::function_ref<V(unsigned lane)> load)
    -> std::vector<V> {
  // Row k has the blocks of lanes k, k + block, …
  std::vector<V> rows(block);
  for (unsigned k = 0; k < block; ++k) {
    std::vector<V> pieces;
    for (unsigned lane = k; lane < shape_.lanes; lane += block) pieces.push_back(load(lane));
    for (unsigned run = block; pieces.size() > 1; run *= 2) {
      std::vector<int> both(2 * run);
      for (unsigned n = 0; n < 2 * run; ++n) both[n] = int(n);
      for (std::size_t n = 0; n < pieces.size() / 2; ++n)
        pieces[n] = b_.CreateShuffleVector(pieces[2 * n], pieces[2 * n + 1], both);
      pieces.resize(pieces.size() / 2);
    }
    rows[k] = pieces[0];
  }
  turn_blocks(rows);
  return rows;
}

/// The number that a lane's piece is, where lanes' pieces lie side by side and the machine can load
/// them together.
std::optional<Scalar> Rows::number_beside(ir::ValueId index, std::uint64_t element,
                                          unsigned bytes) const {
  const Lowered& x = values_.get(index);
  if (x.form != Lowered::Form::Linear || x.across[0] || shape_.is_brick()) return {};
  if (std::uint64_t(x.step) * element != bytes || (bytes != 4 && bytes != number_bytes)) return {};
  if (!lanes_.active.all() && shape_.machine.level < CpuLevel::Avx2) return {};
  return bytes == 4 ? Scalar::U32 : Scalar::U64;
}

bool Rows::load_rows(const ir::Inst& inst) {
  const ir::ValueId array = inst.operands[0];
  const Scalar s = inst.type.scalar;
  const unsigned size = ir::size_of(s), count = unsigned(inst.results.size()), lanes = shape_.lanes,
                 bytes = count * size;
  if (!shape_.machine.uses(Idiom::RowPieces) || inst.op != ir::Op::LoadVec ||
      f_.type_of(array).space == ir::Space::Local || shape_.machine.quick ||
      bytes > Addresses::longest_piece)
    return false;
  const unsigned block = block_bytes / size;  // elements
  if (bytes > number_bytes && (bytes % block_bytes != 0 || lanes % block != 0)) return false;
  // Pieces side by side are a vector of numbers.
  const std::optional<Scalar> number_of_piece =
      number_beside(inst.operands[1], f_.type_of(array).index_bytes(), bytes);
  const Address a = number_of_piece
                        ? addresses_.address(array, inst.operands[1], 0, inst.imm, *number_of_piece)
                        : addresses_.address(array, inst.operands[1], 0, inst.imm, s,
                                             lanes_.everyone() ? Split::Steps : Split::None);
  const bool whole = number_of_piece && a.kind == Address::Kind::Row;
  if (!whole && a.kind != Address::Kind::Steps && a.kind != Address::Kind::Lanes) return false;

  const llvm::Align align(size);
  llvm::Type* element = s == Scalar::Bool ? b_.getInt8Ty() : arith_.scalar_type(s);
  const auto load = [&](llvm::Type* type, V from) -> V {
    if (!from) return llvm::Constant::getNullValue(type);
    llvm::LoadInst* one = b_.CreateAlignedLoad(type, from, align);
    addresses_.annotate(one, array);
    return one;
  };
  std::vector<Lowered> results(count, {Lowered::Form::Parts, {}, 0});
  for (unsigned p = 0; p < shape_.parts; ++p) {
    const std::vector<V> at = whole ? std::vector<V>{} : addresses_.pieces_of_lanes(a, p);
    if (bytes <= number_bytes) {
      llvm::Type* number = b_.getIntNTy(8 * bytes);
      llvm::Type* numbers = llvm::FixedVectorType::get(number, lanes);
      V row =
          whole ? addresses_.load_row(numbers, a.v[p], align,
                                      lanes_.active.all() ? nullptr : lanes_.active.parts[p], array)
                : llvm::PoisonValue::get(numbers);
      for (unsigned lane = 0; lane < at.size(); ++lane)
        row = b_.CreateInsertElement(row, load(number, at[lane]), std::uint64_t(lane));
      for (unsigned k = 0; k < count; ++k) {
        const V bits = b_.CreateTrunc(b_.CreateLShr(row, 8 * size * k),
                                      llvm::FixedVectorType::get(b_.getIntNTy(8 * size), lanes));
        results[k].v.push_back(arith_.from_memory(
            b_.CreateBitCast(bits, llvm::FixedVectorType::get(element, lanes)), s));
      }
      continue;
    }
    for (unsigned first = 0; first < count; first += block) {
      const auto place = [&](unsigned lane) {
        return at[lane] ? b_.CreatePtrAdd(at[lane], b_.getInt64(std::int64_t(first) * size))
                        : nullptr;
      };
      llvm::Type* piece = llvm::FixedVectorType::get(element, block);
      const std::vector<V> rows =
          load_blocks(block, [&](unsigned lane) { return load(piece, place(lane)); });
      for (unsigned k = 0; k < block; ++k)
        results[first + k].v.push_back(arith_.from_memory(rows[k], s));
    }
  }
  hint_notes_.note_access(inst, &a);
  for (unsigned k = 0; k < count; ++k) values_.set(inst.results[k], std::move(results[k]));
  return true;
}

void Rows::store_blocks(std::vector<V> rows, const Address& a, unsigned p, ir::ValueId array,
                        unsigned size) {
  const auto block = unsigned(rows.size());
  turn_blocks(rows);
  const std::vector<V> places = addresses_.pieces_of_lanes(a, p);
  for (unsigned lane = 0; lane < shape_.lanes; ++lane) {
    if (!places[lane]) continue;
    std::vector<int> own(block);
    std::iota(own.begin(), own.end(), int(lane / block * block));
    addresses_.annotate(b_.CreateAlignedStore(b_.CreateShuffleVector(rows[lane % block], own),
                                              places[lane], llvm::Align(size)),
                        array);
  }
}

void Rows::store_pairs(V x, V y, const Address& a, unsigned p, ir::ValueId array, unsigned size) {
  const unsigned lanes = shape_.lanes, block = block_bytes / size;
  const V pairs[] = {interleave(b_, x, y, lanes, block, false),
                     interleave(b_, x, y, lanes, block, true)};
  const std::vector<V> places = addresses_.pieces_of_lanes(a, p);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!places[lane]) continue;
    const unsigned in_block = lane % block, first = lane - in_block + in_block * 2 % block;
    const V own = b_.CreateShuffleVector(pairs[in_block * 2 / block], {int(first), int(first + 1)});
    addresses_.annotate(b_.CreateAlignedStore(own, places[lane], llvm::Align(size)), array);
  }
}

bool Rows::store_rows(const ir::Inst& inst) {
  const ir::ValueId array = inst.operands[0];
  const Scalar s = inst.type.scalar;
  const unsigned size = ir::size_of(s), block = unsigned(inst.operands.size()) - 2;
  if (!shape_.machine.uses(Idiom::RowPieces) || inst.op != ir::Op::StoreVec ||
      f_.type_of(array).space == ir::Space::Local || shape_.machine.quick || !lanes_.active.all() ||
      block * size != block_bytes || shape_.lanes % block != 0)
    return false;
  const Address a = addresses_.address(array, inst.operands[1], 0, inst.imm, s, Split::Steps);
  if (a.kind != Address::Kind::Steps && a.kind != Address::Kind::Lanes) return false;
  hint_notes_.note_access(inst, &a);
  for (unsigned p = 0; p < shape_.parts; ++p) {
    std::vector<V> rows;
    for (unsigned k = 0; k < block; ++k)
      rows.push_back(arith_.to_memory(values_.part(inst.operands[2 + k], p), s));
    store_blocks(std::move(rows), a, p, array, size);
  }
  return true;
}

}  // namespace krait::codegen::cpu
