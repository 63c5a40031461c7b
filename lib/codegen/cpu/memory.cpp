// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics. The form of the index decides: one address, consecutive lanes, one address a part, or a gather.
#include <bit>
#include <numeric>

#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>

#include "codegen/cpu/emitter.h"
#include "codegen/llvm/numeric.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

/// An index as 64 bits. Where all extents are below 2^31 a 32-bit index in bounds is one as a signed number too, and address
/// arithmetic may have run modulo 2^32.
llvm::Value* Emitter::wide_index(V index, ir::ValueId v) {
  Scalar s = scalar_of(v);
  if (s == Scalar::U32 && f_.facts.small) s = Scalar::I32;
  if (ir::bits_of(s) == 64) return index;
  llvm::Type* t = b_.getInt64Ty();
  if (index->getType()->isVectorTy()) t = lane_type(Scalar::I64);
  return ir::is_signed_int(s) ? b_.CreateSExt(index, t) : b_.CreateZExt(index, t);
}

/// Takes constants off an index of 32 bits, for the address; gives their sum. That is right though the index may have wrapped: as its
/// elements are in bounds, what is left of it did not, for constants that are not negative and in arrays that are far from 2^31.
std::int64_t Emitter::take_constant(V& index, ir::Space space) {
  constexpr std::int64_t most = 1 << 29;
  std::int64_t sum = 0;
  while (auto* add = llvm::dyn_cast<llvm::BinaryOperator>(index)) {
    auto* c = add->getOpcode() == llvm::Instruction::Add ? llvm::dyn_cast<llvm::ConstantInt>(add->getOperand(1)) : nullptr;
    if (!c || !index->getType()->isIntegerTy(32)) break;
    std::int64_t next = sum + c->getSExtValue();
    if (next > most || next < (space == ir::Space::Global ? 0 : -most)) break;
    index = add->getOperand(0), sum = next;
  }
  return sum;
}

llvm::Value* Emitter::array_base(ir::ValueId array) { return values_[array].v[0]; }

/// Of an index that begins a run of lanes: element times its size, and an offset in bytes.
llvm::Value* Emitter::pointer_to(ir::ValueId array, ir::ValueId index, V first, std::int64_t element, std::int64_t offset) {
  const std::int64_t plus = scalar_of(index) == Scalar::I32 ? take_constant(first, f_.type_of(array).space) : 0;
  V bytes = b_.CreateAdd(b_.CreateMul(wide_index(first, index), b_.getInt64(element)), b_.getInt64(offset + plus * element));
  return b_.CreatePtrAdd(array_base(array), bytes);
}
/// Whether lanes' indices that follow one another may begin again at 0.
bool Emitter::wraps(ir::ValueId index) {
  const Scalar s = scalar_of(index);
  return s != Scalar::I64 && s != Scalar::U64 && s != Scalar::I32 && !(s == Scalar::U32 && f_.facts.small);
}

Emitter::Address Emitter::address(ir::ValueId array, ir::ValueId index, std::int64_t element_offset, std::uint64_t byte_offset,
                                  Scalar s, Split split) {
  using Kind = Address::Kind;
  const ir::Type& type = f_.type_of(array);
  const Lowered& i = get(index);
  V base = array_base(array);
  bool local = type.space == ir::Space::Local;
  std::int64_t gang = local ? shape_.gang() : 1;  // a local array holds the lanes' elements side by side
  std::int64_t element = std::int64_t(type.index_bytes()) * gang;
  std::int64_t size = ir::size_of(s);
  std::int64_t offset = (element_offset * size + std::int64_t(byte_offset)) * gang;
  auto at = [&](V first) { return pointer_to(array, index, first, element, offset); };
  auto beside = [&](V pointer, unsigned p) {
    return b_.CreatePtrAdd(pointer, b_.getInt64(std::int64_t(p) * shape_.lanes * size));
  };
  if (i.form == Lowered::Form::Uniform) {
    V pointer = at(i.v[0]);
    if (!local) return {Kind::One, {pointer}, 0, {}};
    Address a{Kind::Row, {}, shape_.lanes, {}};
    for (unsigned p = 0; p < shape_.parts; ++p) a.v.push_back(beside(pointer, p));
    return a;
  }
  Address a{Kind::Lanes, {}, 0, {}};
  if (i.form == Lowered::Form::Linear && !local && !wraps(index)) {
    find_runs(a, i, std::int64_t(type.index_bytes()), size, split, at);
    if (a.kind != Kind::Lanes) return a;
  }
  const bool scales = element == 1 || element == 2 || element == 4 || element == 8;
  for (unsigned p = 0; p < shape_.parts; ++p) {
    // Of 32 bits, which instruction selection sees beside the access in quick code: passes that would bring a wider one there do not run.
    const bool narrow = shape_.machine.quick && !local && scales &&
                        (scalar_of(index) == Scalar::I32 || (scalar_of(index) == Scalar::U32 && f_.facts.small));
    V lanes = narrow ? part(index, p) : wide_index(part(index, p), index);
    if (local) {
      V bytes = b_.CreateMul(lanes, splat(b_.getInt64(element)));
      bytes = b_.CreateAdd(bytes, lane_numbers(b_.getInt64Ty(), size));
      bytes = b_.CreateAdd(bytes, splat(b_.getInt64(offset + std::int64_t(p) * shape_.lanes * size)));
      a.v.push_back(b_.CreateGEP(b_.getInt8Ty(), base, bytes));
      continue;
    }
    // An index scaled by its element's size is what gather instructions take.
    V start = offset ? b_.CreatePtrAdd(base, b_.getInt64(offset)) : base;
    if (scales) a.v.push_back(b_.CreateGEP(b_.getIntNTy(unsigned(element) * 8), start, lanes));
    else a.v.push_back(b_.CreateGEP(b_.getInt8Ty(), start, b_.CreateMul(lanes, splat(b_.getInt64(element)))));
  }
  return a;
}

/// How a linear index, of elements of `bytes`, takes lanes' elements of `size` apart: leaves `a` as it is where it does not. `at`: the
/// pointer to an index.
void Emitter::find_runs(Address& a, const Lowered& i, std::int64_t bytes, std::int64_t size, Split split,
                        llvm::function_ref<V(V)> at) {
  using Kind = Address::Kind;
  const unsigned lanes = shape_.lanes, gang = shape_.gang(), width = shape_.width();
  const bool side_by_side = i.step * bytes == size;
  if (i.v.size() > 1) {  // PartRows
    if (!side_by_side && i.step != 0) return;
    a.kind = side_by_side ? Kind::Row : Kind::PerPart, a.run = lanes;
    for (V first : i.v) a.v.push_back(at(first));
    return;
  }
  const auto steps = known_steps(i);
  const auto runs_of = [&](Kind kind, unsigned run) {
    a.kind = kind, a.run = run;
    for (unsigned first = 0; first < gang; first += run)
      a.v.push_back(!first || !steps ? at(base_of_lane(i, first))
                                     : b_.CreatePtrAdd(a.v[0], b_.getInt64((*steps)[first] * bytes)));
  };
  const auto lies = [&](std::int64_t distance) {  // every lane so far from the one before it in its part
    for (unsigned lane = 0; lane < gang; ++lane)
      if (((*steps)[lane] - (*steps)[lane / lanes * lanes]) * bytes != distance * (lane % lanes)) return false;
    return true;
  };
  if (steps ? lies(size) : side_by_side && width >= lanes) return runs_of(Kind::Row, lanes);
  if (steps ? lies(0) : i.step == 0 && width >= lanes) return runs_of(Kind::PerPart, lanes);
  if (side_by_side && split != Split::None && width > 1) return runs_of(Kind::Pieces, width);
  if (split != Split::Steps) return;
  runs_of(Kind::Steps, steps ? gang : width);
  for (unsigned lane = 0; lane < gang; ++lane)
    a.steps.push_back(steps ? (*steps)[lane] * bytes : i.step * bytes * shape_.place(lane)[0]);
}

void Emitter::annotate(llvm::Instruction* access, ir::ValueId array) {
  if (f_.type_of(array).space == ir::Space::Argument && llvm::isa<llvm::LoadInst>(access))
    access->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(c_, {}));
  if (scopes_.empty() || f_.type_of(array).space != ir::Space::Global) return;
  const auto& params = f_.regions[f_.body].params;
  std::size_t self = params.size();
  Few<llvm::Metadata*> others;
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (!scopes_[i]) continue;
    if (params[i] == array) self = i;
  }
  if (self == params.size()) return;
  bool writable = f_.type_of(array).writable;
  for (std::size_t i = 0; i < params.size(); ++i)  // views that are only read may overlap each other
    if (scopes_[i] && i != self && (writable || f_.type_of(params[i]).writable)) others.push_back(scopes_[i]);
  access->setMetadata(llvm::LLVMContext::MD_alias_scope, llvm::MDNode::get(c_, {scopes_[self]}));
  if (!others.empty()) access->setMetadata(llvm::LLVMContext::MD_noalias, llvm::MDNode::get(c_, others));
}

// Where to loads fetch ahead, as the intrinsic counts: tuning_cpu.h has figures.
constexpr unsigned second_cache = 2;

/// Lanes at known distances are better accessed one by one, except with AVX-512, which has an instruction for any places; on AMD's
/// processors that one is slow (Zen 4: `bench_corpus --filter "40 bytes" --cpu-time`, 4.5 ms by it, 1.8 one by one). Under a mask pieces
/// of whole registers alone have an instruction. Quick code takes the instruction that does all of a part's lanes at once.
Emitter::Split Emitter::split_of(Scalar s) const {
  constexpr unsigned smallest_register = 16, smallest_masked = 4;
  const unsigned size = ir::size_of(s);
  if (!everyone()) return size >= smallest_masked && shape_.width() * size >= smallest_register ? Split::Pieces : Split::None;
  const bool gathers = shape_.machine.level == CpuLevel::Avx512 && !shape_.machine.tune.starts_with("znver");
  return gathers || shape_.machine.quick || (shape_.is_brick() && lanes_in_loops()) ? Split::Pieces : Split::Steps;
}
llvm::Value* Emitter::step_to(const Address& a, unsigned lane) {
  return b_.CreatePtrAdd(a.v[lane / a.run], b_.getInt64(a.steps[lane]));
}

static std::vector<int> numbers_from(unsigned first, unsigned count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), int(first));
  return numbers;
}

/// First lanes and numbers of lanes that have threads, in powers of two.
std::vector<std::pair<unsigned, unsigned>> Emitter::chunks(unsigned first, unsigned end) const {
  std::vector<std::pair<unsigned, unsigned>> all;
  while (first < end) {
    unsigned count = 0;
    while (first + count < end && shape_.has_thread(first + count)) ++count;
    if (count == 0) ++first;
    else all.emplace_back(first, std::bit_floor(count)), first += std::bit_floor(count);
  }
  return all;
}

/// Neighbours under a mask, or all of them where there is none. LLVM 22 sinks a masked load into a choice by the same mask, past
/// stores (llvm-project issue 215453); it does not look through the freeze.
llvm::Value* Emitter::load_row(llvm::Type* row, V at, llvm::Align align, V mask, ir::ValueId array) {
  llvm::Instruction* load =
      mask ? static_cast<llvm::Instruction*>(b_.CreateMaskedLoad(row, at, align, mask, llvm::Constant::getNullValue(row)))
           : b_.CreateAlignedLoad(row, at, align);
  annotate(load, array);
  return mask ? b_.CreateFreeze(load) : load;
}

/// A part's lanes, a run at a time. Rows that do not fill a vector are loaded and stored in pieces where the machine has no fast masks.
llvm::Value* Emitter::load_pieces(const Address& a, llvm::Type* element, unsigned p, llvm::Align align, ir::ValueId array) {
  llvm::Type* type = llvm::FixedVectorType::get(element, a.run);
  std::vector<V> pieces;
  for (unsigned lane = 0; lane < shape_.lanes; lane += a.run) {
    V at = a.v[(p * shape_.lanes + lane) / a.run];
    const unsigned first = p * shape_.lanes + lane;
    V mask = active_.all() ? nullptr : b_.CreateShuffleVector(active_.parts[p], numbers_from(lane, a.run));
    if (mask && everyone() && (shape_.machine.level < CpuLevel::Avx2 || element->getScalarSizeInBits() < 32)) {
      V piece = llvm::Constant::getNullValue(type);
      for (auto [start, count] : chunks(first, first + a.run)) {
        V from = b_.CreatePtrAdd(at, b_.getInt64((start - first) * element->getScalarSizeInBits() / 8));
        llvm::LoadInst* load = b_.CreateAlignedLoad(llvm::FixedVectorType::get(element, count), from, align);
        annotate(load, array);
        piece = b_.CreateInsertVector(type, piece, load, std::uint64_t(start - first));
      }
      pieces.push_back(piece);
      continue;
    }
    pieces.push_back(load_row(type, at, align, mask, array));
  }
  for (unsigned run = a.run; run < shape_.lanes; run *= 2)
    for (unsigned k = 0; k < shape_.lanes / (2 * run); ++k)
      pieces[k] = b_.CreateShuffleVector(pieces[2 * k], pieces[2 * k + 1], numbers_from(0, 2 * run));
  return pieces.front();
}
void Emitter::store_pieces(const Address& a, V x, unsigned p, llvm::Align align, ir::ValueId array) {
  for (unsigned lane = 0; lane < shape_.lanes; lane += a.run) {
    const std::vector<int> lanes = numbers_from(lane, a.run);
    const unsigned first = p * shape_.lanes + lane;
    V at = a.v[first / a.run];
    if (!active_.all() && everyone() && shape_.machine.level < CpuLevel::Avx512) {
      for (auto [start, count] : chunks(first, first + a.run)) {
        V to = b_.CreatePtrAdd(at, b_.getInt64((start - first) * x->getType()->getScalarSizeInBits() / 8));
        annotate(b_.CreateAlignedStore(b_.CreateShuffleVector(x, numbers_from(start - p * shape_.lanes, count)), to, align),
                 array);
      }
      continue;
    }
    V piece = b_.CreateShuffleVector(x, lanes);
    llvm::Instruction* store = active_.all()
                                   ? static_cast<llvm::Instruction*>(b_.CreateAlignedStore(piece, at, align))
                                   : b_.CreateMaskedStore(piece, at, align, b_.CreateShuffleVector(active_.parts[p], lanes));
    annotate(store, array);
  }
}

void Emitter::emit_load(const ir::Inst& inst) {
  if (load_member(inst)) return note_access(inst, nullptr);
  if (load_record(inst)) return;
  if (load_rows(inst) || load_flipped(inst)) return;
  ir::ValueId array = inst.operands[0], index = inst.operands[1];
  Scalar s = inst.type.scalar;
  llvm::Type* memory = s == Scalar::Bool ? b_.getInt8Ty() : arith_.scalar_type(s);
  llvm::Type* row = llvm::FixedVectorType::get(memory, shape_.lanes);
  llvm::Align align(ir::size_of(s));
  for (std::size_t k = 0; k < inst.results.size(); ++k) {
    Address a = address(array, index, std::int64_t(k), inst.imm, s, split_of(s));
    note_access(inst, &a);
    if (a.kind == Address::Kind::One) {
      llvm::LoadInst* load = b_.CreateAlignedLoad(memory, a.v[0], align);
      annotate(load, array);
      set_uniform(inst.results[k], arith_.from_memory(load, s));
      continue;
    }
    if (a.kind == Address::Kind::Row && !in_row_.empty() && dense_.contains(array) && active_.all()) {
      set(inst.results[k], load_row_or_one(a, memory, s, array));
      continue;
    }
    Lowered r{Lowered::Form::Parts, {}, 0};
    if (a.kind == Address::Kind::Lanes && shape_.machine.quick && !shape_.machine.gathers(ir::bits_of(s))) {
      for (V x : load_in_loop(a, memory, array, align)) r.v.push_back(arith_.from_memory(x, s));
      set(inst.results[k], std::move(r));
      continue;
    }
    // A called function knows no launch.
    const bool fetches = inst.ahead && !f_.called && a.kind == Address::Kind::Row && active_.all();
    V step = fetches ? b_.CreateMul(launch_grid_[0], launch_block_[0]) : nullptr;
    V ahead = fetches ? b_.CreateMul(step, b_.getInt64(std::int64_t(inst.ahead) * f_.type_of(array).elem_bytes)) : nullptr;
    for (unsigned p = 0; ahead && p < shape_.parts; ++p)
      if (p * shape_.lanes * ir::size_of(s) % 64 == 0)
        b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                           {b_.CreatePtrAdd(a.v[p], ahead), b_.getInt32(0), b_.getInt32(second_cache), b_.getInt32(1)});
    for (unsigned p = 0; p < shape_.parts; ++p) {
      V x = nullptr;
      llvm::Constant* zero = llvm::Constant::getNullValue(row);
      if (a.kind == Address::Kind::Steps) {
        x = full_.all() ? static_cast<V>(llvm::PoisonValue::get(row)) : zero;
        for (unsigned lane = 0; lane < shape_.lanes; ++lane) {
          if (!shape_.has_thread(p * shape_.lanes + lane)) continue;
          llvm::LoadInst* one = b_.CreateAlignedLoad(memory, step_to(a, p * shape_.lanes + lane), align);
          annotate(one, array);
          x = b_.CreateInsertElement(x, one, std::uint64_t(lane));
        }
        r.v.push_back(arith_.from_memory(x, s));
        continue;
      }
      if (a.kind == Address::Kind::Pieces || (a.kind == Address::Kind::Row && !active_.all() && everyone())) {
        r.v.push_back(arith_.from_memory(load_pieces(a, memory, p, align, array), s));
        continue;
      }
      if (a.kind == Address::Kind::Row) {
        x = load_row(row, a.v[p], align, active_.all() ? nullptr : active_.parts[p], array);
      } else if (a.kind == Address::Kind::PerPart && everyone()) {
        llvm::LoadInst* one = b_.CreateAlignedLoad(memory, a.v[p], align);
        annotate(one, array);
        x = splat(one);
      } else {
        V pointers = a.kind == Address::Kind::PerPart ? splat(a.v[p]) : a.v[p];
        llvm::CallInst* gather = b_.CreateMaskedGather(row, pointers, align, mask_part(active_, p), zero);
        annotate(gather, array);
        x = gather;
      }
      r.v.push_back(arith_.from_memory(x, s));
    }
    set(inst.results[k], std::move(r));
  }
}

/// To one place, under a mask: what the last active lane has.
void Emitter::store_last(V at, Scalar s, ir::ValueId value, ir::ValueId array, llvm::Align align) {
  const Block next = some_ ? nullptr : new_block("stored");
  if (!some_) {
    const Block store = new_block("store");
    b_.CreateCondBr(any(active_), store, next);
    start(store);
  }
  annotate(b_.CreateAlignedStore(arith_.to_memory(last_active(value), s), at, align), array);
  if (!next) return;
  branch_to(next);
  start(next);
}

void Emitter::emit_store(const ir::Inst& inst) {
  if (store_flipped(inst)) return;
  ir::ValueId array = inst.operands[0], index = inst.operands[1];
  Scalar s = inst.type.scalar;
  llvm::Align align(ir::size_of(s));
  for (std::size_t k = 2; k < inst.operands.size(); ++k) {
    ir::ValueId value = inst.operands[k];
    Address a = address(array, index, std::int64_t(k - 2), inst.imm, s, split_of(s));
    note_access(inst, &a);
    if (a.kind == Address::Kind::One && (uniform(value) || everyone())) {
      // Of lanes that write one place the last wins.
      unsigned last = shape_.gang() - 1;
      while (!shape_.has_thread(last)) --last;
      V x = uniform(value) ? scalar(value)
                           : b_.CreateExtractElement(part(value, last / shape_.lanes), std::uint64_t(last % shape_.lanes));
      x = arith_.to_memory(x, s);
      const bool streams = inst.streaming && streams_ && ir::size_of(s) >= 4 && f_.type_of(array).space == ir::Space::Global;
      if (streams) x = b_.CreateBitCast(x, b_.getIntNTy(unsigned(ir::size_of(s)) * 8));
      llvm::StoreInst* store = b_.CreateAlignedStore(x, a.v[0], align);
      if (streams)
        store->setMetadata(llvm::LLVMContext::MD_nontemporal,
                           llvm::MDNode::get(c_, llvm::ConstantAsMetadata::get(b_.getInt32(1))));
      annotate(store, array);
      continue;
    }
    if (a.kind == Address::Kind::One) {
      store_last(a.v[0], s, value, array, align);
      continue;
    }
    const bool scatters = a.kind == Address::Kind::Lanes && shape_.machine.level != CpuLevel::Avx512;
    if ((scatters || a.kind == Address::Kind::Steps) && lanes_in_loops()) {
      store_in_loop(a, s, value, array, align);
      continue;
    }
    for (unsigned p = 0; p < shape_.parts; ++p) {
      V x = arith_.to_memory(part(value, p), s);
      if (a.kind == Address::Kind::Steps) {
        for (unsigned lane = 0; lane < shape_.lanes; ++lane)
          if (shape_.has_thread(p * shape_.lanes + lane))
            annotate(b_.CreateAlignedStore(b_.CreateExtractElement(x, std::uint64_t(lane)), step_to(a, p * shape_.lanes + lane),
                                           align),
                     array);
        continue;
      }
      if (a.kind == Address::Kind::Pieces || (a.kind == Address::Kind::Row && !active_.all() && everyone())) {
        store_pieces(a, x, p, align, array);
        continue;
      }
      if (a.kind == Address::Kind::Row) {
        annotate(active_.all() ? static_cast<llvm::Instruction*>(b_.CreateAlignedStore(x, a.v[p], align))
                               : b_.CreateMaskedStore(x, a.v[p], align, active_.parts[p]),
                 array);
        continue;
      }
      V pointers = a.kind == Address::Kind::Lanes ? a.v[p] : splat(a.v[p]);
      annotate(b_.CreateMaskedScatter(x, pointers, align, mask_part(active_, p)), array);
    }
  }
}

/// Before others may see that this thread's stores are done: those past the cache keep no order by themselves.
void Emitter::finish_streams() {
  if (streams_) b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {});
}

// ---- atomics ----------------------------------------------------------------------------------------------------------------

/// One atomic update; the old value.
llvm::Value* Emitter::update_atomic(const ir::Inst& inst, Scalar s, V address, llvm::ArrayRef<V> x) {
  using Rmw = llvm::AtomicRMWInst;
  llvm::AtomicOrdering order = ordering(inst.order), failed = llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order);
  llvm::Align align(ir::size_of(s));
  llvm::Type* bits = b_.getIntNTy(ir::bits_of(s));
  llvm::Type* own = arith_.scalar_type(s);
  bool sign = ir::is_signed_int(s), whole = ir::is_int(s);
  auto rmw = [&](Rmw::BinOp op, V value) -> V { return b_.CreateAtomicRMW(op, address, value, align, order); };
  std::optional<Rmw::BinOp> op;
  switch (inst.op) {
    case Op::AtomicLoad: {
      llvm::LoadInst* load = b_.CreateAlignedLoad(bits, address, align);
      load->setAtomic(order);
      return b_.CreateBitCast(load, own);
    }
    case Op::AtomicInc: op = Rmw::UIncWrap; break;
    case Op::AtomicDec: op = Rmw::UDecWrap; break;
    case Op::AtomicAdd:
      if (whole) op = Rmw::Add;
      else if (s != Scalar::F16) op = Rmw::FAdd;
      break;
    case Op::AtomicMin:
      if (whole) op = sign ? Rmw::Min : Rmw::UMin;
      break;
    case Op::AtomicMax:
      if (whole) op = sign ? Rmw::Max : Rmw::UMax;
      break;
    case Op::AtomicAnd: op = Rmw::And; break;
    case Op::AtomicOr: op = Rmw::Or; break;
    case Op::AtomicXor: op = Rmw::Xor; break;
    case Op::AtomicExchange: return b_.CreateBitCast(rmw(Rmw::Xchg, b_.CreateBitCast(x[0], bits)), own);
    case Op::AtomicCas: {
      V expected = b_.CreateBitCast(x[0], bits), desired = b_.CreateBitCast(x[1], bits);
      V pair = b_.CreateAtomicCmpXchg(address, expected, desired, align, order, failed);
      return b_.CreateBitCast(b_.CreateExtractValue(pair, 0), own);
    }
    default: defect("not an atomic operation");
  }
  if (op) return rmw(*op, x[0]);
  // Floats: until nobody came between.
  V first = b_.CreateAlignedLoad(bits, address, align);
  llvm::cast<llvm::LoadInst>(first)->setAtomic(llvm::AtomicOrdering::Monotonic);
  Block before = b_.GetInsertBlock(), again = new_block("retry"), done = new_block("stored");
  b_.CreateBr(again);
  start(again);
  llvm::PHINode* old = b_.CreatePHI(bits, 2);
  old->addIncoming(first, before);
  ir::Inst step;
  step.op = ir::info(inst.op).by;
  step.type = ir::value_type(s);
  V next = arith_.pure(step, ir::FpMode::Strict, s, {b_.CreateBitCast(old, own), x[0]});
  V pair = b_.CreateAtomicCmpXchg(address, old, b_.CreateBitCast(next, bits), align, order, failed);
  old->addIncoming(b_.CreateExtractValue(pair, 0), b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateExtractValue(pair, 1), done, again);
  start(done);
  return b_.CreateBitCast(old, own);
}

/// One lane's turn on memory that no other worker sees: no lock. Gives the old value.
llvm::Value* Emitter::update_alone(const ir::Inst& inst, Scalar s, V address, llvm::ArrayRef<V> x) {
  llvm::Align align(ir::size_of(s));
  llvm::Type* bits = b_.getIntNTy(ir::bits_of(s));
  V old = b_.CreateAlignedLoad(arith_.scalar_type(s), address, align);
  auto pure = [&](Op op) {
    ir::Inst step;
    step.op = op, step.type = ir::value_type(s);
    return arith_.pure(step, ir::FpMode::Strict, s, {old, x[0]});
  };
  V next = nullptr;
  switch (inst.op) {
    case Op::AtomicAdd: next = pure(Op::Add); break;
    case Op::AtomicMin: next = pure(Op::Min); break;
    case Op::AtomicMax: next = pure(Op::Max); break;
    case Op::AtomicAnd: next = pure(Op::And); break;
    case Op::AtomicOr: next = pure(Op::Or); break;
    case Op::AtomicXor: next = pure(Op::Xor); break;
    case Op::AtomicExchange: next = x[0]; break;
    case Op::AtomicInc:
      next = b_.CreateSelect(b_.CreateICmpUGE(old, x[0]), llvm::ConstantInt::get(bits, 0),
                             b_.CreateAdd(old, llvm::ConstantInt::get(bits, 1)));
      break;
    case Op::AtomicDec: {
      V wraps = b_.CreateOr(b_.CreateICmpEQ(old, llvm::ConstantInt::get(bits, 0)), b_.CreateICmpUGT(old, x[0]));
      next = b_.CreateSelect(wraps, x[0], b_.CreateSub(old, llvm::ConstantInt::get(bits, 1)));
      break;
    }
    case Op::AtomicCas:
      next = b_.CreateSelect(b_.CreateICmpEQ(b_.CreateBitCast(old, bits), b_.CreateBitCast(x[0], bits)), x[1], old);
      break;
    default: defect("not an atomic operation");
  }
  b_.CreateAlignedStore(next, address, align);
  return old;
}

/// One lane's turn; the old value.
llvm::Value* Emitter::update(const ir::Inst& inst, Scalar s, V address, llvm::ArrayRef<V> operands) {
  return is_alone(inst.operands[0]) && inst.op != Op::AtomicLoad ? update_alone(inst, s, address, operands)
                                                                 : update_atomic(inst, s, address, operands);
}

/// Whether no other worker sees the array: its block's, or a copy of this worker's (copies.cpp).
bool Emitter::is_alone(ir::ValueId array) const { return in_copy_ || f_.type_of(array).space == ir::Space::Shared; }

void Emitter::emit_atomic(const ir::Inst& inst) {
  const ir::ValueId array = inst.operands[0];
  if (inst.order != ir::Order::Relaxed) finish_streams();
  const Address a = address(array, inst.operands[1], 0, inst.imm, inst.type.scalar);
  note_atomic(inst, a);
  const auto copied = copied_.find(array);
  if (copied == copied_.end()) return update_lanes(inst, a);
  Block own = new_block("own_copy"), all = new_block("in_place"), done = new_block("updated");
  b_.CreateCondBr(copied->second, own, all);
  start(own);
  in_copy_ = true;
  update_lanes(inst, a);
  in_copy_ = false;
  b_.CreateBr(done);
  start(all);
  update_lanes(inst, a);
  b_.CreateBr(done);
  start(done);
}

/// Lane after lane, in ascending order.
void Emitter::update_lanes(const ir::Inst& inst, const Address& a) {
  Scalar s = inst.type.scalar;
  bool used = uses_[inst.results[0]] != 0;
  // Of plain updates at any places the processor predicts by the instruction which will meet an earlier one: many instructions for one loop's
  // lanes are predicted badly. A histogram took 8 ns an element with one for each lane, 0.6 in a loop, and 2.2 locked (Zen 4,
  // `bench_corpus --filter histogram --cpu-time`).
  const bool alone = is_alone(inst.operands[0]) && shape_.lanes > 1 && inst.op != Op::AtomicLoad;
  if (a.kind == Address::Kind::Lanes && (alone || lanes_in_loops())) return update_in_loop(inst, a);
  if (a.kind == Address::Kind::One && lanes_in_loops()) return update_in_loop(inst, a);
  Lowered r{Lowered::Form::Parts, {}, 0};
  llvm::Type* row = lane_type(s);
  llvm::Type* word = b_.getIntNTy(shape_.lanes);
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V pointers = a.kind == Address::Kind::Lanes ? a.v[p] : nullptr;
    Few<V> operands;
    for (std::size_t k = 2; k < inst.operands.size(); ++k) operands.push_back(part(inst.operands[k], p));
    auto of_lane = [&](V lane) {
      V pointer = pointers ? b_.CreateExtractElement(pointers, lane) : a.v[a.kind == Address::Kind::One ? 0 : p];
      if (a.kind == Address::Kind::Row) pointer = b_.CreatePtrAdd(pointer, b_.CreateMul(lane, b_.getInt64(ir::size_of(s))));
      Few<V> x;
      for (V v : operands) x.push_back(b_.CreateExtractElement(v, lane));
      return update(inst, s, pointer, x);
    };
    if (is_alone(inst.operands[0]) && everyone()) {  // as cheap as finding the lane
      V old = llvm::Constant::getNullValue(row);
      for (unsigned lane = 0; lane < shape_.lanes; ++lane) {
        if (!shape_.has_thread(p * shape_.lanes + lane)) continue;
        V one = of_lane(b_.getInt64(lane));
        if (used) old = b_.CreateInsertElement(old, one, std::uint64_t(lane));
      }
      if (used) r.v.push_back(old);
      continue;
    }
    Block before = b_.GetInsertBlock(), loop = new_block("lane"), body = new_block("update"), done = new_block("updated");
    V all = mask_bits(mask_part(active_, p));
    b_.CreateBr(loop);
    start(loop);
    llvm::PHINode* rest = b_.CreatePHI(word, 2);
    llvm::PHINode* result = used ? b_.CreatePHI(row, 2) : nullptr;
    rest->addIncoming(all, before);
    if (used) result->addIncoming(llvm::Constant::getNullValue(row), before);
    b_.CreateCondBr(b_.CreateICmpNE(rest, llvm::ConstantInt::get(word, 0)), body, done);
    start(body);
    V lane = b_.CreateZExt(b_.CreateIntrinsic(llvm::Intrinsic::cttz, {word}, {rest, b_.getTrue()}), b_.getInt64Ty());
    V old = of_lane(lane);
    if (used) result->addIncoming(b_.CreateInsertElement(result, old, lane), b_.GetInsertBlock());
    V next = b_.CreateAnd(rest, b_.CreateSub(rest, llvm::ConstantInt::get(word, 1)));
    rest->addIncoming(next, b_.GetInsertBlock());
    b_.CreateBr(loop);
    start(done);
    if (used) r.v.push_back(result);
  }
  if (used) set(inst.results[0], std::move(r));
}

// ---- arrays of the block and the thread -------------------------------------------------------------------------------------

/// Shared arrays lie in the scratch memory of the block's worker, set by place_arrays. A thread's own arrays are zeroed where
/// they come to life, for all lanes: none but those that get here can name them.
void Emitter::declare_array(const ir::Inst& inst) {
  if (inst.op == Op::Shared) return;
  std::uint64_t bytes = f_.type_of(inst.results[0]).elem_bytes;
  for (std::int64_t extent : inst.list) bytes *= std::uint64_t(extent);
  bytes *= shape_.gang();
  std::uint32_t offset = array_offset_[inst.results[0]];
  V memory = local_in_scratch(inst.results[0]);
  if (memory) {
    // It lives on from one segment to the next.
  } else if (offset == on_stack) {
    llvm::IRBuilder<> top(allocas_);
    llvm::AllocaInst* local = top.CreateAlloca(llvm::ArrayType::get(b_.getInt8Ty(), bytes), nullptr, "local");
    local->setAlignment(llvm::Align(64));
    memory = local;
  } else {
    memory = b_.CreatePtrAdd(scratch_, b_.getInt64(offset));
  }
  // In pieces: one large memset would become a call, and the code has nothing to call.
  constexpr std::uint64_t piece = 256;
  auto zero = [&](V at, std::uint64_t size) { b_.CreateMemSetInline(at, llvm::Align(64), b_.getInt8(0), b_.getInt64(size)); };
  std::uint64_t whole = bytes / piece * piece;
  if (whole)
    count_loop(b_.getInt64(0), b_.getInt64(std::int64_t(whole)), b_.getInt64(std::int64_t(piece)), "zeroed",
               [&](V i) { zero(b_.CreatePtrAdd(memory, i), piece); });
  if (bytes != whole) zero(b_.CreatePtrAdd(memory, b_.getInt64(std::int64_t(whole))), bytes - whole);
  set_uniform(inst.results[0], memory);
}

}  // namespace krait::codegen::cpu
