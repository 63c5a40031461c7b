// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of aggregates whose elements lie side by side, such as the colours of pixels: a gang's
// elements are loaded as one row, of which each member is a shuffle, and stored as one row where
// the kernel stores all members of an element one after another. In a row of numbers of 2, 4 or 8
// bytes a member is a shift; elements of 3 and 6 bytes become such numbers by two shuffles,
// whatever has how many members. The loads of an element's members are the same row, which LLVM
// loads once.
//
// Of larger elements, or of elements anywhere, members of 4 or 8 bytes are loaded together, where
// several are loaded one after another: 16 bytes of each lane's element at a time, which shuffles
// turn into rows of lanes (row_accesses.cpp); and stored so where all members are.
#include "codegen/cpu/access/members.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/access/addresses.h"
#include "codegen/cpu/access/memory.h"
#include "codegen/cpu/emit/hint_notes.h"
#include "codegen/cpu/access/row_accesses.h"
#include "support/tuning/cpu.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

namespace {

constexpr unsigned piece_bytes = 16, largest_record = 64;

// Three quarters of a register's 16 bytes are elements of 3 or 6 bytes: a shuffle of words brings
// twelve bytes to each sixteen, and one within the sixteen, which every machine has, spreads them.
constexpr unsigned dense_words = 3, wide_words = 4;

}  // namespace

Members::Members(const Common& common, Addresses& addresses, Rows& rows, Memory& memory,
                 HintNotes& notes)
    : Part(common),
      addresses_(addresses),
      rows_(rows),
      memory_(memory),
      hint_notes_(notes),
      loaded_(f_.insts.size()),
      later_(f_.insts.size()) {
  find_member_stores(f_.body);
  // what lies between two barriers is lowered apart
  if (shape_.machine.uses(Idiom::Records) && (!code_.traits.barriers || code_.whole_block))
    find_member_loads(f_.body);
}

bool Members::load(const ir::Inst& inst) {
  if (!load_member(inst)) return load_record(inst);
  hint_notes_.note_access(inst, nullptr);
  return true;
}

bool Members::load_member(const ir::Inst& inst) {
  const ir::ValueId array = inst.operands[0];
  const Scalar s = inst.type.scalar;
  const unsigned bytes = unsigned(f_.type_of(array).index_bytes()), size = ir::size_of(s),
                 first = unsigned(inst.imm);
  if (!shape_.machine.uses(Idiom::DenseMembers) || inst.op != Op::Load || bytes <= size ||
      bytes > tuning::cpu::largest_in_rows || first + size > bytes)
    return false;
  const Few<V> rows = addresses_.element_rows(array, inst.operands[1]);
  if (rows.empty()) return false;
  const unsigned lanes = shape_.lanes;
  llvm::Type* memory = s == Scalar::Bool ? b_.getInt8Ty() : arith_.scalar_type(s);
  const auto load = [&](llvm::Type* element, unsigned count, V from) {
    llvm::LoadInst* row =
        b_.CreateAlignedLoad(llvm::FixedVectorType::get(element, count), from, llvm::Align(1));
    addresses_.annotate(row, array);
    return row;
  };
  Lowered result{Lowered::Form::Parts, {}, 0};
  for (const V row : rows) {
    V x = nullptr;
    if (const unsigned number = number_of(bytes)) {
      const V numbers = number == bytes
                            ? load(b_.getIntNTy(8 * bytes), lanes, row)
                            : spread(load(b_.getInt32Ty(), lanes * bytes / 4, row), bytes, number);
      x = b_.CreateTrunc(b_.CreateLShr(numbers, 8 * first),
                         llvm::FixedVectorType::get(b_.getIntNTy(8 * size), lanes));
    } else {
      const unsigned unit = std::gcd(std::gcd(bytes, size), first), each = bytes / unit;
      std::vector<int> from;
      for (unsigned lane = 0; lane < lanes; ++lane)
        for (unsigned k = 0; k < size / unit; ++k)
          from.push_back(int(lane * each + first / unit + k));
      x = b_.CreateShuffleVector(
          load(unit == size ? memory : b_.getIntNTy(8 * unit), lanes * each, row), from);
    }
    result.v.push_back(
        arith_.from_memory(b_.CreateBitCast(x, llvm::FixedVectorType::get(memory, lanes)), s));
  }
  values_.set(inst.results[0], std::move(result));
  return true;
}

/// Bytes of the number that an element of a row is, or becomes; 0: none.
unsigned Members::number_of(unsigned bytes) const {
  if (bytes <= 8 && std::has_single_bit(bytes)) return bytes;
  const bool spreads = (bytes == 3 || bytes == 6) && shape_.lanes * bytes % (4 * dense_words) == 0;
  return spreads ? std::bit_ceil(bytes) : 0;
}

/// Numbers of the elements of a row of words, with zeros above them.
V Members::spread(V words, unsigned bytes, unsigned number) {
  const unsigned lanes = shape_.lanes, all = lanes * number;
  std::vector<int> to_word, to_byte;
  for (unsigned k = 0; k < all / 4; ++k)
    to_word.push_back(
        k % wide_words < dense_words ? int(k / wide_words * dense_words + k % wide_words) : -1);
  for (unsigned k = 0; k < all; ++k) {
    const unsigned in_piece = k % piece_bytes, element = in_piece / number,
                   byte = in_piece % number;
    to_byte.push_back(byte < bytes ? int(k - in_piece + element * bytes + byte) : int(all));
  }
  const V apart = b_.CreateBitCast(b_.CreateShuffleVector(words, to_word),
                                   llvm::FixedVectorType::get(b_.getInt8Ty(), all));
  const V spread =
      b_.CreateShuffleVector(apart, llvm::Constant::getNullValue(apart->getType()), to_byte);
  return b_.CreateBitCast(spread, llvm::FixedVectorType::get(b_.getIntNTy(8 * number), lanes));
}

/// The row of words whose elements these numbers are.
V Members::pack(V numbers, unsigned bytes, unsigned number) {
  const unsigned lanes = shape_.lanes, all = lanes * number;
  std::vector<int> from_byte, from_word;
  for (unsigned k = 0; k < all; ++k) {
    const unsigned in_piece = k % piece_bytes, element = in_piece / bytes;
    from_byte.push_back(
        in_piece < 4 * dense_words ? int(k - in_piece + element * number + in_piece % bytes) : -1);
  }
  for (unsigned k = 0; k < lanes * bytes / 4; ++k)
    from_word.push_back(int(k / dense_words * wide_words + k % dense_words));
  const V dense = b_.CreateShuffleVector(
      b_.CreateBitCast(numbers, llvm::FixedVectorType::get(b_.getInt8Ty(), all)), from_byte);
  return b_.CreateShuffleVector(
      b_.CreateBitCast(dense, llvm::FixedVectorType::get(b_.getInt32Ty(), all / 4)), from_word);
}

/// Where a piece that has the member begins in its element; pieces do not reach beyond it.
static unsigned piece_of(unsigned member, unsigned bytes) {
  return std::min(member / piece_bytes * piece_bytes, bytes - piece_bytes);
}

/// Finds the loads of members of one element: of one array at one index, and nothing between that
/// could change it.
void Members::find_member_loads(ir::RegionId region) {
  std::vector<std::vector<ir::InstId>> open;
  const auto close = [&](auto&& which) {
    std::erase_if(open, [&](const std::vector<ir::InstId>& group) {
      if (!which(f_.insts[group[0]].operands[0])) return false;
      if (group.size() > 1) record_loads_[group[0]] = group;
      return true;
    });
  };
  const auto all = [](ir::ValueId) { return true; };
  for (const ir::InstId id : f_.regions[region].insts) {
    const ir::Inst& inst = f_.insts[id];
    for (const ir::RegionId inner : inst.regions) find_member_loads(inner);
    const ir::Effect effect = ir::info(inst.op).effect;
    if (inst.op == Op::Load) {
      const ir::Type& type = f_.type_of(inst.operands[0]);
      const unsigned bytes = unsigned(type.index_bytes()), size = ir::size_of(inst.type.scalar);
      const bool fits = type.space == ir::Space::Global && bytes >= piece_bytes &&
                        bytes <= largest_record && bytes % size == 0 && inst.imm % size == 0 &&
                        inst.imm + size <= bytes && (size == 4 || size == 8) &&
                        shape_.lanes % (piece_bytes / size) == 0;
      if (!fits) continue;
      const auto same = [&](const std::vector<ir::InstId>& group) {
        const ir::Inst& first = f_.insts[group[0]];
        return first.operands[0] == inst.operands[0] && first.operands[1] == inst.operands[1] &&
               ir::size_of(first.type.scalar) == size;
      };
      const auto found = std::find_if(open.begin(), open.end(), same);
      if (found == open.end()) open.push_back({id});
      else found->push_back(id);
    } else if (!inst.regions.empty()) {
      close(all);
    } else if (effect == ir::Effect::Write) {
      close([&](ir::ValueId array) { return array == inst.operands[0] || !f_.facts.disjoint; });
    } else if (effect != ir::Effect::Pure && effect != ir::Effect::Slot &&
               effect != ir::Effect::Read) {
      close(all);
    }
  }
  close(all);
}

/// The load itself, or all loads of its element's members; false where it is one of its own.
bool Members::load_record(const ir::Inst& inst) {
  if (inst.op != Op::Load) return false;
  const ir::InstId id = f_.values[inst.results[0]].def;
  if (loaded_[id]) return true;
  const auto found = record_loads_.find(id);
  if (found == record_loads_.end() || code_.lanes_in_loops()) return false;
  // of another copy of the code
  for (const ir::InstId member : found->second) loaded_[member] = false;
  const ir::ValueId array = inst.operands[0];
  const Scalar s = inst.type.scalar;
  const unsigned bytes = unsigned(f_.type_of(array).index_bytes()), size = ir::size_of(s),
                 block = piece_bytes / size;
  llvm::Type* const unit = b_.getIntNTy(8 * size);
  llvm::Type* const piece = llvm::FixedVectorType::get(unit, block);
  // by where they begin; by part, by element
  std::map<unsigned, std::vector<std::vector<V>>> pieces;
  for (const ir::InstId member : found->second) {
    const unsigned at = piece_of(unsigned(f_.insts[member].imm), bytes);
    if (pieces.contains(at)) continue;
    const Address a = addresses_.address(array, inst.operands[1], 0, at, s,
                                         lanes_.everyone() ? Split::Steps : Split::None);
    if (a.kind != Address::Kind::Steps && a.kind != Address::Kind::Lanes) return false;
    for (unsigned p = 0; p < shape_.parts; ++p) {
      const std::vector<V> places = addresses_.pieces_of_lanes(a, p);
      pieces[at].push_back(rows_.load_blocks(block, [&](unsigned lane) -> V {
        if (!places[lane]) return llvm::Constant::getNullValue(piece);
        llvm::LoadInst* load = b_.CreateAlignedLoad(piece, places[lane], llvm::Align(size));
        addresses_.annotate(load, array);
        return load;
      }));
    }
  }
  for (const ir::InstId member : found->second) {
    const ir::Inst& one = f_.insts[member];
    const unsigned at = piece_of(unsigned(one.imm), bytes);
    Lowered r{Lowered::Form::Parts, {}, 0};
    for (const auto& rows : pieces[at])
      r.v.push_back(arith_.from_memory(
          b_.CreateBitCast(rows[(one.imm - at) / size], values_.lane_type(one.type.scalar)),
          one.type.scalar));
    values_.set(one.results[0], std::move(r));
    hint_notes_.note_access(one, nullptr);
    loaded_[member] = member != id;
  }
  return true;
}

/// Stores whole large elements, of which `members` are all numbers. False where they are not
/// accessed so.
bool Members::store_record(const std::vector<ir::InstId>& members) {
  const ir::Inst& first = f_.insts[members[0]];
  const ir::ValueId array = first.operands[0];
  const Scalar s = first.type.scalar;
  const unsigned bytes = unsigned(f_.type_of(array).index_bytes()), size = ir::size_of(s),
                 block = piece_bytes / size, lanes = shape_.lanes;
  if (!shape_.machine.uses(Idiom::Records) || (size != 4 && size != 8) || lanes % block != 0 ||
      !lanes_.active.all() || code_.lanes_in_loops() ||
      f_.type_of(array).space != ir::Space::Global)
    return false;
  std::map<unsigned, ir::InstId> by_place;
  for (const ir::InstId member : members) {
    if (ir::size_of(f_.insts[member].type.scalar) != size || f_.insts[member].imm % size != 0)
      return false;
    by_place[unsigned(f_.insts[member].imm)] = member;
  }
  for (unsigned begin = 0; begin < bytes; begin += piece_bytes) {
    const bool pair = bytes - begin == 2 * size && block > 2;  // what is left behind whole pieces
    const unsigned at = pair ? begin : piece_of(begin, bytes);
    const Address a = addresses_.address(array, first.operands[1], 0, at, s, Split::Steps);
    if (a.kind != Address::Kind::Steps && a.kind != Address::Kind::Lanes) return false;
    for (unsigned p = 0; p < shape_.parts; ++p) {
      std::vector<V> rows;
      for (unsigned k = 0; k < (pair ? 2 : block); ++k) {
        const ir::Inst& one = f_.insts[by_place.at(at + k * size)];
        const V x = arith_.to_memory(values_.part(one.operands[2], p), one.type.scalar);
        rows.push_back(
            b_.CreateBitCast(x, llvm::FixedVectorType::get(b_.getIntNTy(8 * size), lanes)));
      }
      if (pair) rows_.store_pairs(rows[0], rows[1], a, p, array, size);
      else rows_.store_blocks(std::move(rows), a, p, array, size);
    }
  }
  for (const ir::InstId member : members) hint_notes_.note_access(f_.insts[member], nullptr);
  return true;
}

/// Finds the stores that together give whole elements: of one array at one index, and nothing
/// between that could see or change it.
void Members::find_member_stores(ir::RegionId region) {
  std::vector<ir::InstId> open;
  std::uint64_t written = 0;  // a bit for each byte of the element
  const auto ones = [](unsigned n) {
    return n >= 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << n) - 1;
  };
  const auto close = [&] { open.clear(), written = 0; };
  for (const ir::InstId id : f_.regions[region].insts) {
    const ir::Inst& inst = f_.insts[id];
    for (const ir::RegionId inner : inst.regions) find_member_stores(inner);
    const ir::Effect effect = ir::info(inst.op).effect;
    if (inst.op == Op::Store) {
      const ir::Type& type = f_.type_of(inst.operands[0]);
      const unsigned bytes = unsigned(type.index_bytes()), size = ir::size_of(inst.type.scalar);
      if (bytes <= size || bytes > largest_record || inst.imm + size > bytes ||
          type.space == ir::Space::Local) {
        close();
        continue;
      }
      const std::uint64_t own = ones(size) << inst.imm;
      const ir::Inst* const before = open.empty() ? nullptr : &f_.insts[open[0]];
      const bool continues = before && before->operands[0] == inst.operands[0] &&
                             before->operands[1] == inst.operands[1] && !(written & own);
      if (!continues) close();
      open.push_back(id), written |= own;
      if (written != ones(bytes)) continue;
      for (const ir::InstId member : open) later_[member] = true;
      later_[id] = false;
      whole_stores_[id] = open;
      close();
    } else if (effect == ir::Effect::Read && !open.empty()) {
      const ir::ValueId written_to = f_.insts[open[0]].operands[0];
      if (inst.operands[0] == written_to || !f_.facts.disjoint) close();
    } else if (effect != ir::Effect::Pure && effect != ir::Effect::Slot &&
               effect != ir::Effect::Read) {
      close();
    }
  }
}

/// False where the store is one of its own.
bool Members::store_member(ir::InstId id) {
  if (later_[id]) return true;
  const auto found = whole_stores_.find(id);
  if (found == whole_stores_.end()) return false;
  const ir::ValueId array = f_.insts[id].operands[0];
  // Without neighbouring rows in memory there is no vector to build: records go by themselves,
  // others member by member.
  const bool large = f_.type_of(array).index_bytes() > tuning::cpu::largest_in_rows ||
                     !shape_.machine.uses(Idiom::DenseMembers);
  const Few<V> rows = large ? Few<V>{} : addresses_.element_rows(array, f_.insts[id].operands[1]);
  if (rows.empty()) {
    if (f_.type_of(array).index_bytes() >= piece_bytes && store_record(found->second)) return true;
    for (const ir::InstId member : found->second) memory_.emit_store(f_.insts[member]);
    return true;
  }
  // The largest unit that all members are made of: shuffles move units.
  const unsigned bytes = unsigned(f_.type_of(array).index_bytes()), lanes = shape_.lanes;
  unsigned unit = bytes;
  for (const ir::InstId member : found->second) {
    const ir::Inst& inst = f_.insts[member];
    hint_notes_.note_access(inst, nullptr);
    unit = std::gcd(std::gcd(unit, unsigned(inst.imm)), unsigned(ir::size_of(inst.type.scalar)));
  }
  const unsigned number = number_of(bytes);
  for (unsigned p = 0; p < rows.size(); ++p) {
    V row = nullptr;
    for (const ir::InstId member : found->second) {
      const ir::Inst& inst = f_.insts[member];
      const unsigned size = ir::size_of(inst.type.scalar), first = unsigned(inst.imm);
      const V x = arith_.to_memory(values_.part(inst.operands[2], p), inst.type.scalar);
      // Elements that fit a number are put together by shifts within each lane.
      if (number) {
        V bits = b_.CreateBitCast(x, llvm::FixedVectorType::get(b_.getIntNTy(8 * size), lanes));
        bits = b_.CreateShl(
            b_.CreateZExt(bits, llvm::FixedVectorType::get(b_.getIntNTy(8 * number), lanes)),
            8 * first);
        row = row ? b_.CreateOr(row, bits) : bits;
        continue;
      }
      // Others by shuffles: the lanes' members are spread to where they lie in their elements.
      const unsigned each = bytes / unit, own = size / unit;
      llvm::Type* type = b_.getIntNTy(8 * unit);
      std::vector<int> widened(lanes * each, -1), merged(lanes * each);
      std::iota(widened.begin(), widened.begin() + lanes * own, 0),
          std::iota(merged.begin(), merged.end(), 0);
      for (unsigned lane = 0; lane < lanes; ++lane)
        for (unsigned k = 0; k < own; ++k)
          merged[lane * each + first / unit + k] = int(lanes * each + lane * own + k);
      const V units = b_.CreateShuffleVector(
          b_.CreateBitCast(x, llvm::FixedVectorType::get(type, lanes * own)), widened);
      row = b_.CreateShuffleVector(row ? row : llvm::PoisonValue::get(units->getType()), units,
                                   merged);
    }
    if (number && number != bytes) row = pack(row, bytes, number);
    addresses_.annotate(b_.CreateAlignedStore(row, rows[p], llvm::Align(1)), array);
  }
  return true;
}

}  // namespace krait::codegen::cpu
