// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/access/memory.h"

#include <numeric>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/cpu/access/addresses.h"
#include "codegen/cpu/lanes/each_lane.h"
#include "codegen/cpu/emit/hint_notes.h"
#include "codegen/cpu/lanes/positions.h"
#include "codegen/cpu/access/row_accesses.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

namespace {

// Where to loads fetch ahead, as the intrinsic counts: tuning/cpu.h has figures.
constexpr unsigned second_cache = 2;

}  // namespace

std::vector<int> numbers_from(unsigned first, unsigned count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), int(first));
  return numbers;
}

Memory::Memory(const Common& common, const Needs& needs)
    : Part(common),
      positions_(needs.positions),
      each_lane_(needs.each_lane),
      addresses_(needs.addresses),
      rows_(needs.rows),
      hint_notes_(needs.notes),
      in_row_(needs.in_row) {}

/// A part's lanes, a run at a time. Rows that do not fill a vector are loaded and stored in pieces
/// where the machine has no fast masks.
V Memory::load_pieces(const Address& a, llvm::Type* element, unsigned p, llvm::Align align,
                      ir::ValueId array) {
  llvm::Type* type = llvm::FixedVectorType::get(element, a.run);
  std::vector<V> pieces;
  for (unsigned lane = 0; lane < shape_.lanes; lane += a.run) {
    V at = a.v[(p * shape_.lanes + lane) / a.run];
    const unsigned first = p * shape_.lanes + lane;
    V mask = lanes_.active.all()
                 ? nullptr
                 : b_.CreateShuffleVector(lanes_.active.parts[p], numbers_from(lane, a.run));
    if (mask && lanes_.everyone() &&
        (shape_.machine.level < CpuLevel::Avx2 || element->getScalarSizeInBits() < 32)) {
      V piece = llvm::Constant::getNullValue(type);
      for (auto [start, count] : addresses_.chunks(first, first + a.run)) {
        V from =
            b_.CreatePtrAdd(at, b_.getInt64((start - first) * element->getScalarSizeInBits() / 8));
        llvm::LoadInst* load =
            b_.CreateAlignedLoad(llvm::FixedVectorType::get(element, count), from, align);
        addresses_.annotate(load, array);
        piece = b_.CreateInsertVector(type, piece, load, std::uint64_t(start - first));
      }
      pieces.push_back(piece);
      continue;
    }
    pieces.push_back(addresses_.load_row(type, at, align, mask, array));
  }
  for (unsigned run = a.run; run < shape_.lanes; run *= 2)
    for (unsigned k = 0; k < shape_.lanes / (2 * run); ++k)
      pieces[k] =
          b_.CreateShuffleVector(pieces[2 * k], pieces[2 * k + 1], numbers_from(0, 2 * run));
  return pieces.front();
}

llvm::Type* Memory::memory_type(Scalar s) const {
  return s == Scalar::Bool ? b_.getInt8Ty() : arith_.scalar_type(s);
}

llvm::LoadInst* Memory::load_one(llvm::Type* memory, V at, llvm::Align align, ir::ValueId array) {
  llvm::LoadInst* load = b_.CreateAlignedLoad(memory, at, align);
  addresses_.annotate(load, array);
  return load;
}

void Memory::emit_load(const ir::Inst& inst) {
  if (rows_.load_rows(inst)) return;
  for (std::size_t k = 0; k < inst.results.size(); ++k) load_element(inst, k);
}

/// One of the elements side by side that the load gives.
void Memory::load_element(const ir::Inst& inst, std::size_t k) {
  const ir::ValueId array = inst.operands[0], result = inst.results[k];
  const Scalar s = inst.type.scalar;
  const llvm::Align align(ir::size_of(s));
  llvm::Type* memory = memory_type(s);
  if (is_packed(inst)) return values_.set(result, load_packed(inst));
  const Address a = addresses_.address(array, inst.operands[1], std::int64_t(k), inst.imm, s,
                                       addresses_.split_of(s));
  hint_notes_.note_access(inst, &a);
  if (a.kind == Address::Kind::One)
    return values_.set_uniform(result,
                               arith_.from_memory(load_one(memory, a.v[0], align, array), s));
  if (a.kind == Address::Kind::Row && !in_row_.known.empty() && in_row_.dense.contains(array) &&
      lanes_.active.all())
    return values_.set(result, load_row_or_one(a, memory, s, array));
  Lowered r{Lowered::Form::Parts, {}, 0};
  if (a.kind == Address::Kind::Lanes && shape_.machine.quick &&
      !shape_.machine.gathers(ir::bits_of(s))) {
    for (V x : load_in_loop(a, memory, array, align)) r.v.push_back(arith_.from_memory(x, s));
  } else {
    if (inst.ahead && a.kind == Address::Kind::Row) fetch_ahead(inst, a);
    for (unsigned p = 0; p < shape_.parts; ++p)
      r.v.push_back(arith_.from_memory(load_part(inst, a, p), s));
  }
  values_.set(result, std::move(r));
}

/// What the thread's next trips load. A called function knows no launch.
void Memory::fetch_ahead(const ir::Inst& inst, const Address& a) {
  if (f_.called || !lanes_.active.all()) return;
  const V step = b_.CreateMul(positions_.grid[0], positions_.block[0]);
  const V ahead = b_.CreateMul(
      step, b_.getInt64(std::int64_t(inst.ahead) * f_.type_of(inst.operands[0]).elem_bytes));
  for (unsigned p = 0; p < shape_.parts; ++p)
    if (p * shape_.lanes * ir::size_of(inst.type.scalar) % 64 == 0)
      b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                         {b_.CreatePtrAdd(a.v[p], ahead), b_.getInt32(0), b_.getInt32(second_cache),
                          b_.getInt32(1)});
}

/// As it lies in memory.
V Memory::load_part(const ir::Inst& inst, const Address& a, unsigned p) {
  using Kind = Address::Kind;
  const ir::ValueId array = inst.operands[0];
  const llvm::Align align(ir::size_of(inst.type.scalar));
  llvm::Type* memory = memory_type(inst.type.scalar);
  llvm::Type* row = llvm::FixedVectorType::get(memory, shape_.lanes);
  const bool all = lanes_.active.all();
  // Lanes without a thread have arrays of a thread's own too.
  if (a.kind == Kind::Row && addresses_.is_own(array) && lanes_.all_threads())
    return b_.CreateAlignedLoad(row, a.v[p], align);
  if (addresses_.count_windows(a, p, unsigned(ir::size_of(inst.type.scalar)), false))
    return addresses_.load_windows(a, memory, p, align, array);
  if (a.kind == Kind::Steps) return load_steps(inst, a, p);
  if (a.kind == Kind::Pieces || (a.kind == Kind::Row && !all && lanes_.everyone()))
    return load_pieces(a, memory, p, align, array);
  if (a.kind == Kind::Row)
    return addresses_.load_row(row, a.v[p], align, all ? nullptr : lanes_.active.parts[p], array);
  if (a.kind == Kind::PerPart && lanes_.everyone())
    return values_.splat(load_one(memory, a.v[p], align, array));
  if (a.kind == Kind::Lanes && memory->getScalarSizeInBits() < 32 && shape_.machine.scatters())
    return gather_narrow(a, memory, p, array);
  const V pointers = a.kind == Kind::PerPart ? values_.splat(a.v[p]) : a.v[p];
  llvm::CallInst* gather = b_.CreateMaskedGather(
      row, pointers, align, lanes_.mask_part(lanes_.active, p), llvm::Constant::getNullValue(row));
  addresses_.annotate(gather, array);
  return gather;
}

/// No instruction gathers bytes and halves: of each, the aligned word that holds it, which is in
/// memory wherever the element is, and a shift. An extraction and an insertion for each lane wait
/// for one port: base64 by a table took 5.3 ms and takes 1.7 with AVX-512; with AVX2 2.7 and 3.4
/// (`bench_corpus --class look --filter base64 --cpu-time`).
V Memory::gather_narrow(const Address& a, llvm::Type* memory, unsigned p, ir::ValueId array) {
  constexpr std::int64_t inside = 3;  // a word
  const Indices indices = addresses_.indices_of(a);
  V index = indices.parts[p];
  const std::uint64_t element = indices.element->getPrimitiveSizeInBits() / 8;
  const bool narrow = element == 1 && indices.sign && f_.facts.small &&
                      index->getType()->getScalarSizeInBits() == 32;
  llvm::IntegerType* type = narrow ? b_.getInt32Ty() : b_.getInt64Ty();
  auto* row = llvm::FixedVectorType::get(type, shape_.lanes);
  auto* words = llvm::FixedVectorType::get(b_.getInt32Ty(), shape_.lanes);
  index = indices.sign ? b_.CreateSExt(index, row) : b_.CreateZExt(index, row);
  if (element != 1)
    index = b_.CreateMul(index, values_.splat(llvm::ConstantInt::get(type, element)));
  const V at = b_.CreatePtrToInt(indices.base, b_.getInt64Ty());
  const V begin = b_.CreateIntrinsic(llvm::Intrinsic::ptrmask, {b_.getPtrTy(), b_.getInt64Ty()},
                                     {indices.base, b_.getInt64(~inside)});
  const V place = b_.CreateAdd(
      index, values_.splat(b_.CreateTrunc(b_.CreateAnd(at, b_.getInt64(inside)), type)));
  const auto of_each = [&](std::int64_t x) {
    return values_.splat(llvm::ConstantInt::getSigned(type, x));
  };
  const V from =
      b_.CreateGEP(b_.getInt8Ty(), begin,
                   b_.CreateSExt(b_.CreateAnd(place, of_each(~inside)),
                                 llvm::FixedVectorType::get(b_.getInt64Ty(), shape_.lanes)));
  llvm::CallInst* gather =
      b_.CreateMaskedGather(words, from, llvm::Align(4), lanes_.mask_part(lanes_.active, p),
                            llvm::Constant::getNullValue(words));
  addresses_.annotate(gather, array);
  const V shift = b_.CreateShl(b_.CreateAnd(place, of_each(inside)), of_each(3));
  const unsigned bits = memory->getScalarSizeInBits();
  const V low = b_.CreateTrunc(b_.CreateLShr(gather, b_.CreateZExtOrTrunc(shift, words)),
                               llvm::FixedVectorType::get(b_.getIntNTy(bits), shape_.lanes));
  return b_.CreateBitCast(low, llvm::FixedVectorType::get(memory, shape_.lanes));
}

/// Lane after lane.
V Memory::load_steps(const ir::Inst& inst, const Address& a, unsigned p) {
  llvm::Type* memory = memory_type(inst.type.scalar);
  llvm::Type* row = llvm::FixedVectorType::get(memory, shape_.lanes);
  V x = lanes_.full.all() ? static_cast<V>(llvm::PoisonValue::get(row))
                          : llvm::Constant::getNullValue(row);
  for (unsigned lane = 0; lane < shape_.lanes; ++lane) {
    const unsigned whole = p * shape_.lanes + lane;
    if (!shape_.has_thread(whole)) continue;
    const V at = addresses_.step_to(a, whole);
    x = b_.CreateInsertElement(
        x, load_one(memory, at, llvm::Align(ir::size_of(inst.type.scalar)), inst.operands[0]),
        std::uint64_t(lane));
  }
  return x;
}

/// A row, or the one element that the array has for all of it.
Lowered Memory::load_row_or_one(const Address& a, llvm::Type* memory, Scalar s, ir::ValueId array) {
  const llvm::Align align(ir::size_of(s));
  const Block row = code_.new_block("row"), one = code_.new_block("one"),
              next = code_.new_block("loaded");
  b_.CreateCondBr(in_row_.dense.at(array), row, one);
  code_.start(row);
  Few<V> loaded;
  for (unsigned p = 0; p < shape_.parts; ++p)
    loaded.push_back(addresses_.load_row(llvm::FixedVectorType::get(memory, shape_.lanes), a.v[p],
                                         align, nullptr, array));
  code_.branch_to(next);
  code_.start(one);
  llvm::LoadInst* first = b_.CreateAlignedLoad(memory, a.v[0], align);
  addresses_.annotate(first, array);
  const V all = values_.splat(first);
  code_.branch_to(next);
  code_.start(next);
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (const V x : loaded) {
    llvm::PHINode* either = b_.CreatePHI(x->getType(), 2);
    either->addIncoming(x, row), either->addIncoming(all, one);
    r.v.push_back(arith_.from_memory(either, s));
  }
  return r;
}

/// What the active lanes read, 0 for others.
Few<llvm::Value*> Memory::load_in_loop(const Address& a, llvm::Type* memory, ir::ValueId array,
                                       llvm::Align align) {
  const Places places = addresses_.places_in_memory(a, 0);
  llvm::Type* row = llvm::FixedVectorType::get(memory, shape_.lanes);
  const Row loaded = each_lane_.row_in_memory(row, 1);
  for (unsigned p = 0; !lanes_.active.all() && p < shape_.parts; ++p)
    b_.CreateStore(llvm::Constant::getNullValue(row), each_lane_.part_of_row(loaded, p));
  each_lane_.loop_over_active_lanes("load", [&](V lane) {
    llvm::LoadInst* one =
        b_.CreateAlignedLoad(memory, addresses_.place_of_lane(places, lane), align);
    addresses_.annotate(one, array);
    b_.CreateStore(one, each_lane_.element_of_row(loaded, lane));
  });
  Few<V> parts;
  for (unsigned p = 0; p < shape_.parts; ++p) parts.push_back(each_lane_.load_part(loaded, p));
  return parts;
}

/// To one place, under a mask: what the last active lane has.
void Memory::store_last(V at, Scalar s, ir::ValueId value, ir::ValueId array, llvm::Align align) {
  const Block next = lanes_.some ? nullptr : code_.new_block("stored");
  if (!lanes_.some) {
    const Block store = code_.new_block("store");
    b_.CreateCondBr(lanes_.any(lanes_.active), store, next);
    code_.start(store);
  }
  addresses_.annotate(
      b_.CreateAlignedStore(arith_.to_memory(lanes_.last_active(value), s), at, align), array);
  if (!next) return;
  code_.branch_to(next);
  code_.start(next);
}

void Memory::emit_store(const ir::Inst& inst) {
  if (rows_.store_rows(inst)) return;
  for (std::size_t k = 2; k < inst.operands.size(); ++k) store_element(inst, k);
}

/// One of the elements side by side: operand `k`.
void Memory::store_element(const ir::Inst& inst, std::size_t k) {
  using Kind = Address::Kind;
  const ir::ValueId array = inst.operands[0], value = inst.operands[k];
  const Scalar s = inst.type.scalar;
  const llvm::Align align(ir::size_of(s));
  if (is_packed(inst)) return store_packed(inst);
  const Address a = addresses_.address(array, inst.operands[1], std::int64_t(k - 2), inst.imm, s,
                                       addresses_.split_of(s));
  hint_notes_.note_access(inst, &a);
  if (a.kind == Kind::One) {
    if (values_.uniform(value) || lanes_.everyone()) return store_one(inst, value, a.v[0]);
    return store_last(a.v[0], s, value, array, align);
  }
  const bool scatters = a.kind == Kind::Lanes && shape_.machine.level != CpuLevel::Avx512;
  if ((scatters || a.kind == Kind::Steps) && code_.lanes_in_loops())
    return store_in_loop(a, s, value, array, align);
  for (unsigned p = 0; p < shape_.parts; ++p)
    store_part(inst, arith_.to_memory(values_.part(value, p), s), a, p);
}

/// To one place by all threads: of lanes that write one place the last wins.
void Memory::store_one(const ir::Inst& inst, ir::ValueId value, V at) {
  const Scalar s = inst.type.scalar;
  const ir::ValueId array = inst.operands[0];
  unsigned last = shape_.gang() - 1;
  while (!shape_.has_thread(last)) --last;
  V x = values_.uniform(value) ? values_.scalar(value)
                               : b_.CreateExtractElement(values_.part(value, last / shape_.lanes),
                                                         std::uint64_t(last % shape_.lanes));
  x = arith_.to_memory(x, s);
  const bool past_cache = inst.streaming && streams && ir::size_of(s) >= 4 &&
                          f_.type_of(array).space == ir::Space::Global;
  if (past_cache) x = b_.CreateBitCast(x, b_.getIntNTy(unsigned(ir::size_of(s)) * 8));
  llvm::StoreInst* store = b_.CreateAlignedStore(x, at, llvm::Align(ir::size_of(s)));
  if (past_cache)
    store->setMetadata(llvm::LLVMContext::MD_nontemporal,
                       llvm::MDNode::get(code_.c, llvm::ConstantAsMetadata::get(b_.getInt32(1))));
  addresses_.annotate(store, array);
}

void Memory::store_part(const ir::Inst& inst, V x, const Address& a, unsigned p) {
  using Kind = Address::Kind;
  const ir::ValueId array = inst.operands[0];
  const llvm::Align align(ir::size_of(inst.type.scalar));
  const bool all = lanes_.active.all();
  if (a.kind == Kind::Row && addresses_.is_own(array) && lanes_.all_threads()) {
    b_.CreateAlignedStore(x, a.v[p], align);
    return;
  }
  if (addresses_.count_windows(a, p, unsigned(ir::size_of(inst.type.scalar)), true))
    return addresses_.store_windows(a, x, p, align, array);
  if (a.kind == Kind::Steps) {
    for (unsigned lane = 0; lane < shape_.lanes; ++lane) {
      const unsigned whole = p * shape_.lanes + lane;
      if (!shape_.has_thread(whole)) continue;
      const V at = addresses_.step_to(a, whole),
              one = b_.CreateExtractElement(x, std::uint64_t(lane));
      addresses_.annotate(b_.CreateAlignedStore(one, at, align), array);
    }
    return;
  }
  if (a.kind == Kind::Pieces || (a.kind == Kind::Row && !all && lanes_.everyone()))
    return store_pieces(a, x, p, align, array);
  llvm::Instruction* store = nullptr;
  if (a.kind == Kind::Row && all) store = b_.CreateAlignedStore(x, a.v[p], align);
  else if (a.kind == Kind::Row)
    store = addresses_.store_row(x, a.v[p], align, lanes_.active.parts[p]);
  else
    store = b_.CreateMaskedScatter(x, a.kind == Kind::Lanes ? a.v[p] : values_.splat(a.v[p]), align,
                                   lanes_.mask_part(lanes_.active, p));
  if (store) addresses_.annotate(store, array);
}

void Memory::store_pieces(const Address& a, V x, unsigned p, llvm::Align align, ir::ValueId array) {
  for (unsigned lane = 0; lane < shape_.lanes; lane += a.run) {
    const std::vector<int> lanes = numbers_from(lane, a.run);
    const unsigned first = p * shape_.lanes + lane;
    V at = a.v[first / a.run];
    if (!lanes_.active.all() && lanes_.everyone() && shape_.machine.level < CpuLevel::Avx512) {
      for (auto [start, count] : addresses_.chunks(first, first + a.run)) {
        V to = b_.CreatePtrAdd(
            at, b_.getInt64((start - first) * x->getType()->getScalarSizeInBits() / 8));
        addresses_.annotate(
            b_.CreateAlignedStore(
                b_.CreateShuffleVector(x, numbers_from(start - p * shape_.lanes, count)), to,
                align),
            array);
      }
      continue;
    }
    V piece = b_.CreateShuffleVector(x, lanes);
    llvm::Instruction* store =
        lanes_.active.all()
            ? static_cast<llvm::Instruction*>(b_.CreateAlignedStore(piece, at, align))
            : b_.CreateMaskedStore(piece, at, align,
                                   b_.CreateShuffleVector(lanes_.active.parts[p], lanes));
    addresses_.annotate(store, array);
  }
}

void Memory::store_in_loop(const Address& a, Scalar s, ir::ValueId value, ir::ValueId array,
                           llvm::Align align) {
  const Places places = addresses_.places_in_memory(a, 0);
  V one = values_.uniform(value) ? arith_.to_memory(values_.scalar(value), s) : nullptr;
  Few<V> parts;
  for (unsigned p = 0; !one && p < shape_.parts; ++p)
    parts.push_back(arith_.to_memory(values_.part(value, p), s));
  const Row values = one ? Row{} : each_lane_.row_in_memory(parts, 1);
  each_lane_.loop_over_active_lanes("store", [&](V lane) {
    V x = one ? one : each_lane_.load_lane(values, lane);
    addresses_.annotate(b_.CreateAlignedStore(x, addresses_.place_of_lane(places, lane), align),
                        array);
  });
}

/// Before others may see that this thread's stores are done: those past the cache keep no order by
/// themselves.
void Memory::finish_streams() {
  if (streams) b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {});
}

}  // namespace krait::codegen::cpu
