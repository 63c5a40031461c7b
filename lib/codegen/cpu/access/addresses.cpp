// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/access/addresses.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/launch/arguments.h"
#include "codegen/llvm/index_constants.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

namespace {

/// How many lanes a constant mask has, where they are the first ones and a power of two. Memory
/// then gives a load what an earlier, wider store of all these lanes still holds, which it does not
/// behind masked stores: 5 cycles instead of about 20.
std::optional<unsigned> first_lanes(V mask) {
  const auto* lanes = llvm::dyn_cast<llvm::Constant>(mask);
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (!lanes || !type) return {};
  unsigned count = 0, first = 0;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    const llvm::Constant* one = lanes->getAggregateElement(lane);
    if (!one || !llvm::isa<llvm::ConstantInt>(one)) return {};
    if (one->isNullValue()) continue;
    first += lane == count++;
  }
  return first == count && (count == 0 || std::has_single_bit(count)) ? std::optional(count)
                                                                      : std::nullopt;
}

/// [0, count) of `all` lanes, and lanes of a second vector behind them.
std::vector<int> lanes_up_to(unsigned count, unsigned all) {
  std::vector<int> lanes(all, int(count));
  std::iota(lanes.begin(), lanes.begin() + count, 0);
  return lanes;
}

}  // namespace

/// An index as 64 bits. Where all extents are below 2^31 a 32-bit index in bounds is one as a
/// signed number too, and address arithmetic may have run modulo 2^32.
V Addresses::wide_index(V index, ir::ValueId v) {
  Scalar s = values_.scalar_of(v);
  if (s == Scalar::U32 && f_.facts.small) s = Scalar::I32;
  if (ir::bits_of(s) == 64) return index;
  llvm::Type* t = b_.getInt64Ty();
  if (index->getType()->isVectorTy()) t = values_.lane_type(Scalar::I64);
  return ir::is_signed_int(s) ? b_.CreateSExt(index, t) : b_.CreateZExt(index, t);
}

bool Addresses::is_own(ir::ValueId array) const {
  return f_.type_of(array).space == ir::Space::Local && d_.varying(array);
}

/// Of an index that begins a run of lanes: element times its size, and an offset in bytes.
V Addresses::pointer_to(ir::ValueId array, ir::ValueId index, V first, std::int64_t element,
                        std::int64_t offset) {
  // The elements of a block's own arrays are far from 2^31.
  constexpr std::int64_t most = 1 << 29;
  const std::int64_t least = f_.type_of(array).space == ir::Space::Global ? 0 : -most;
  const std::int64_t plus =
      values_.scalar_of(index) == Scalar::I32 ? take_constants(b_, first, {least, most}) : 0;
  V bytes = b_.CreateAdd(b_.CreateMul(wide_index(first, index), b_.getInt64(element)),
                         b_.getInt64(offset + plus * element));
  return b_.CreatePtrAdd(array_base(array), bytes);
}

/// Whether lanes' indices that follow one another may begin again at 0.
bool Addresses::wraps(ir::ValueId index) const {
  const Scalar s = values_.scalar_of(index);
  return s != Scalar::I64 && s != Scalar::U64 && s != Scalar::I32 &&
         !(s == Scalar::U32 && f_.facts.small);
}

Address Addresses::address(ir::ValueId array, ir::ValueId index, std::int64_t element_offset,
                           std::uint64_t byte_offset, Scalar s, Split split) {
  using Kind = Address::Kind;
  const ir::Type& type = f_.type_of(array);
  const Lowered& i = values_.get(index);
  V base = array_base(array);
  bool local = is_own(array);
  // a local array holds the lanes' elements side by side
  std::int64_t gang = local ? shape_.gang() : 1;
  std::int64_t element = std::int64_t(type.index_bytes()) * gang;
  std::int64_t size = ir::size_of(s);
  std::int64_t offset = (element_offset * size + std::int64_t(byte_offset)) * gang;
  auto at = [&](V first) { return pointer_to(array, index, first, element, offset); };
  auto beside = [&](V pointer, unsigned p) {
    return b_.CreatePtrAdd(pointer, b_.getInt64(std::int64_t(p) * shape_.lanes * size));
  };
  if (i.form == Lowered::Form::Uniform) {
    V pointer = at(i.v[0]);
    if (!local) return {Kind::One, {pointer}, 0, {}, nullptr};
    Address a{Kind::Row, {}, shape_.lanes, {}, nullptr};
    for (unsigned p = 0; p < shape_.parts; ++p) a.v.push_back(beside(pointer, p));
    return a;
  }
  Address a{Kind::Lanes, {}, 0, {}, nullptr};
  const bool known = i.form == Lowered::Form::Known;
  if ((i.form == Lowered::Form::Linear || known) && !local && !wraps(index)) {
    // A loop over lanes goes by one distance.
    if (known && split == Split::Steps && code_.lanes_in_loops()) split = Split::Pieces;
    find_runs(a, i, std::int64_t(type.index_bytes()), size, split, at);
    if (a.kind != Kind::Lanes) return a;
  }
  const bool scales = element == 1 || element == 2 || element == 4 || element == 8;
  for (unsigned p = 0; p < shape_.parts; ++p) {
    // Of 32 bits, which instruction selection sees beside the access in quick code: passes that
    // would bring a wider one there do not run.
    const bool narrow = shape_.machine.quick && !local && scales &&
                        (values_.scalar_of(index) == Scalar::I32 ||
                         (values_.scalar_of(index) == Scalar::U32 && f_.facts.small));
    if (local) {  // of less than 2^31 bytes: an index has 32 bits, as instructions for all lanes
                  // take
      auto* words = llvm::FixedVectorType::get(b_.getInt32Ty(), shape_.lanes);
      const V row =
          b_.CreateMul(b_.CreateZExtOrTrunc(wide_index(values_.part(index, p), index), words),
                       values_.splat(b_.getInt32(unsigned(element))), "", true, true);
      const V bytes =
          b_.CreateAdd(row, values_.lane_numbers(b_.getInt32Ty(), size, p * shape_.lanes * size),
                       "", true, true);
      a.v.push_back(b_.CreateGEP(b_.getInt8Ty(),
                                 offset ? b_.CreatePtrAdd(base, b_.getInt64(offset)) : base,
                                 b_.CreateZExt(bytes, values_.lane_type(Scalar::I64), "", true)));
      continue;
    }
    V lanes = narrow ? values_.part(index, p) : wide_index(values_.part(index, p), index);
    // An index scaled by its element's size is what gather instructions take.
    V start = offset ? b_.CreatePtrAdd(base, b_.getInt64(offset)) : base;
    if (scales) a.v.push_back(b_.CreateGEP(b_.getIntNTy(unsigned(element) * 8), start, lanes));
    else
      a.v.push_back(b_.CreateGEP(b_.getInt8Ty(), start,
                                 b_.CreateMul(lanes, values_.splat(b_.getInt64(element)))));
  }
  return a;
}

/// How a linear index, of elements of `bytes`, takes lanes' elements of `size` apart: leaves `a` as
/// it is where it does not. `at`: the pointer to an index.
void Addresses::find_runs(Address& a, const Lowered& i, std::int64_t bytes, std::int64_t size,
                          Split split, llvm::function_ref<V(V)> at) {
  using Kind = Address::Kind;
  const unsigned lanes = shape_.lanes, gang = shape_.gang(), width = shape_.width();
  const bool known = i.form == Lowered::Form::Linear && !i.across[0],
             side_by_side = known && i.step * bytes == size;
  if (i.v.size() > 1) {  // PartRows
    if (!side_by_side && (i.step != 0 || !known)) return;
    a.kind = side_by_side ? Kind::Row : Kind::PerPart, a.run = lanes;
    for (V first : i.v) a.v.push_back(at(first));
    return;
  }
  const auto steps = values_.known_steps(i);
  const auto runs_of = [&](Kind kind, unsigned run) {
    a.kind = kind, a.run = run;
    for (unsigned first = 0; first < gang; first += run)
      a.v.push_back(!first || !steps
                        ? at(values_.base_of_lane(i, first))
                        : b_.CreatePtrAdd(a.v[0], b_.getInt64((*steps)[first] * bytes)));
  };
  // every lane so far from the one before it in its run of so many
  const auto lies_by = [&](unsigned run, std::int64_t distance) {
    for (unsigned lane = 0; lane < gang; ++lane)
      if (((*steps)[lane] - (*steps)[lane / run * run]) * bytes != distance * (lane % run))
        return false;
    return true;
  };
  const auto lies = [&](std::int64_t distance) { return lies_by(lanes, distance); };
  if (steps ? lies(size) : side_by_side && width >= lanes) return runs_of(Kind::Row, lanes);
  if (steps ? lies(0) : known && i.step == 0 && width >= lanes)
    return runs_of(Kind::PerPart, lanes);
  if (side_by_side && split != Split::None && width > 1) return runs_of(Kind::Pieces, width);
  for (unsigned run = lanes / 2; i.form == Lowered::Form::Known && split != Split::None && run > 2;
       run /= 2)
    if (lies_by(run, size)) return runs_of(Kind::Pieces, run);
  if (split < Split::Spaced) return;
  runs_of(Kind::Steps, steps ? gang : width);
  if (!steps && !known) {
    if (split == Split::Steps) return step_through(a, i, bytes);
    a = {Kind::Lanes, {}, 0, {}, nullptr};
    return;
  }
  a.stride = b_.getInt64(i.step * bytes);
  for (unsigned lane = 0; lane < gang; ++lane)
    a.steps.push_back(steps ? (*steps)[lane] * bytes : i.step * bytes * shape_.place(lane)[0]);
  for (unsigned p = 0; split == Split::Spaced && p < shape_.parts; ++p)
    if (!count_windows(a, p, unsigned(size), false)) {
      a = {Kind::Lanes, {}, 0, {}, nullptr};
      return;
    }
}

/// Lanes at known distances are better accessed one by one, except with AVX-512, which has an
/// instruction for any places; on AMD's processors that one is slow (Zen 4: `bench_corpus --filter
/// "40 bytes" --cpu-time`, 4.5 ms by it, 1.8 one by one). Under a mask pieces of whole registers
/// alone have an instruction. Quick code takes the instruction that does all of a part's lanes at
/// once.
Split Addresses::split_of(Scalar s) const {
  constexpr unsigned smallest_register = 16, smallest_masked = 4;
  const unsigned size = ir::size_of(s);
  if (!lanes_.everyone())
    return size >= smallest_masked && shape_.width() * size >= smallest_register ? Split::Pieces
                                                                                 : Split::None;
  if (shape_.machine.quick ||
      ((shape_.machine.scatters() || shape_.is_brick()) && code_.lanes_in_loops()))
    return Split::Pieces;
  return shape_.machine.scatters() ? Split::Spaced : Split::Steps;
}

/// A pointer for each lane of rows whose lanes are so far apart as the launch says. Three of four
/// are a pointer and a multiple of the distance, which an instruction adds by itself.
void Addresses::step_through(Address& a, const Lowered& i, std::int64_t bytes) {
  V along = b_.CreateAdd(i.across[0], values_.integer(i.across[0]->getType(), i.step));
  // A whole gang's indices are in bounds, so that no two neighbours' differ by more than the type
  // holds as a signed number.
  a.stride = b_.CreateMul(b_.CreateSExt(along, b_.getInt64Ty()), b_.getInt64(bytes));
  Few<V> lanes;
  for (unsigned lane = 0; lane < shape_.gang(); ++lane) {
    constexpr unsigned group = 4;
    const unsigned place = lane % a.run;
    V from = a.v[lane / a.run];
    for (const unsigned steps : {place / group * group, place % group})
      if (steps) from = b_.CreatePtrAdd(from, b_.CreateMul(a.stride, b_.getInt64(steps)));
    lanes.push_back(from);
  }
  a.v = std::move(lanes), a.run = 1;
  a.steps.assign(shape_.gang(), 0);
}

V Addresses::step_to(const Address& a, unsigned lane) {
  return b_.CreatePtrAdd(a.v[lane / a.run], b_.getInt64(a.steps[lane]));
}

/// Pointers to the elements of each part's first lane, where all lanes' elements lie side by side.
/// Empty where they do not, or some lanes do not take part.
auto Addresses::element_rows(ir::ValueId array, ir::ValueId index) -> Few<V> {
  const ir::Type& type = f_.type_of(array);
  const auto bytes = std::int64_t(type.index_bytes());
  const Lowered& i = values_.get(index);
  if (!lanes_.active.all() || type.space == ir::Space::Local || i.form != Lowered::Form::Linear ||
      wraps(index))
    return {};
  Address a{Address::Kind::Lanes, {}, 0, {}, nullptr};
  find_runs(a, i, bytes, bytes, Split::None,
            [&](V first) { return pointer_to(array, index, first, bytes, 0); });
  return a.kind == Address::Kind::Row ? a.v : Few<V>{};
}

void Addresses::annotate(llvm::Instruction* access, ir::ValueId array) {
  if (f_.type_of(array).space == ir::Space::Argument && llvm::isa<llvm::LoadInst>(access))
    access->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(code_.c, {}));
  if (arguments_.scopes.empty() || f_.type_of(array).space != ir::Space::Global) return;
  const auto& params = f_.regions[f_.body].params;
  std::size_t self = params.size();
  Few<llvm::Metadata*> others;
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (!arguments_.scopes[i]) continue;
    if (params[i] == array) self = i;
  }
  if (self == params.size()) return;
  bool writable = f_.type_of(array).writable;
  // views that are only read may overlap each other
  for (std::size_t i = 0; i < params.size(); ++i)
    if (arguments_.scopes[i] && i != self && (writable || f_.type_of(params[i]).writable))
      others.push_back(arguments_.scopes[i]);
  access->setMetadata(llvm::LLVMContext::MD_alias_scope,
                      llvm::MDNode::get(code_.c, {arguments_.scopes[self]}));
  if (!others.empty())
    access->setMetadata(llvm::LLVMContext::MD_noalias, llvm::MDNode::get(code_.c, others));
}

/// First lanes and numbers of lanes that have threads, in powers of two.
std::vector<std::pair<unsigned, unsigned>> Addresses::chunks(unsigned first, unsigned end) const {
  std::vector<std::pair<unsigned, unsigned>> all;
  while (first < end) {
    unsigned count = 0;
    while (first + count < end && shape_.has_thread(first + count)) ++count;
    if (count == 0) ++first;
    else all.emplace_back(first, std::bit_floor(count)), first += std::bit_floor(count);
  }
  return all;
}

/// Neighbours under a mask, or all of them where there is none.
V Addresses::load_row(llvm::Type* row, V at, llvm::Align align, V mask, ir::ValueId array) {
  const V zeros = llvm::Constant::getNullValue(row);
  if (const auto first =
          mask && shape_.machine.uses(Idiom::FirstLanes) ? first_lanes(mask) : std::nullopt) {
    if (*first == 0) return zeros;
    auto* all = llvm::cast<llvm::FixedVectorType>(row);
    llvm::LoadInst* load =
        b_.CreateAlignedLoad(llvm::FixedVectorType::get(all->getElementType(), *first), at, align);
    annotate(load, array);
    return b_.CreateShuffleVector(load, llvm::Constant::getNullValue(load->getType()),
                                  lanes_up_to(*first, all->getNumElements()));
  }
  llvm::Instruction* load =
      mask ? static_cast<llvm::Instruction*>(b_.CreateMaskedLoad(row, at, align, mask, zeros))
           : b_.CreateAlignedLoad(row, at, align);
  annotate(load, array);
  return load;
}

llvm::Instruction* Addresses::store_row(V row, V at, llvm::Align align, V mask) {
  if (const auto first =
          shape_.machine.uses(Idiom::FirstLanes) ? first_lanes(mask) : std::nullopt) {
    if (*first == 0) return nullptr;
    return b_.CreateAlignedStore(b_.CreateShuffleVector(row, lanes_up_to(*first, *first)), at,
                                 align);
  }
  return b_.CreateMaskedStore(row, at, align, mask);
}

Indices Addresses::indices_of(const Address& a) {
  auto* first = llvm::cast<llvm::GetElementPtrInst>(a.v.front());
  Indices r{first->getPointerOperand(), first->getSourceElementType(), {}, true};
  bool narrow = true;
  for (V pointers : a.v) {
    V index = llvm::cast<llvm::GetElementPtrInst>(pointers)->getOperand(1);
    auto* wider = llvm::dyn_cast<llvm::CastInst>(index);
    narrow = narrow && wider &&
             (llvm::isa<llvm::SExtInst>(wider) || llvm::isa<llvm::ZExtInst>(wider)) &&
             wider->getSrcTy()->getScalarSizeInBits() >= 8;
    r.parts.push_back(index);
  }
  if (!narrow) return r;
  r.sign = llvm::isa<llvm::SExtInst>(r.parts.front());
  for (V& v : r.parts) v = llvm::cast<llvm::CastInst>(v)->getOperand(0);
  return r;
}

Places Addresses::places_in_memory(const Address& a, unsigned which) {
  if (a.kind != Address::Kind::Lanes) return {a.v[0], a.stride, nullptr, {}};
  const Indices indices = indices_of(a);
  return {indices.base, nullptr, indices.element, each_lane_.row_in_memory(indices.parts, which),
          indices.sign};
}

V Addresses::place_of_lane(const Places& places, V lane) {
  if (!places.index.at)
    return places.step ? b_.CreatePtrAdd(places.base, b_.CreateMul(lane, places.step))
                       : places.base;
  const V index = each_lane_.load_lane(places.index, lane);
  return b_.CreateGEP(
      places.element, places.base,
      places.sign ? b_.CreateSExt(index, b_.getInt64Ty()) : b_.CreateZExt(index, b_.getInt64Ty()));
}

/// Where each lane's piece begins; null for lanes without a thread. Lanes that do not take part
/// read zeros of our own.
auto Addresses::pieces_of_lanes(const Address& a, unsigned p) -> std::vector<V> {
  std::vector<V> at(shape_.lanes);
  V pointers = a.kind == Address::Kind::Lanes ? a.v[p] : nullptr;
  if (pointers && !lanes_.active.all() && !lanes_.everyone()) {
    if (!zeros_) {
      // one store
      llvm::Type* type = llvm::FixedVectorType::get(b_.getInt64Ty(), longest_piece / 8);
      zeros_ = code_.room(type, "zeros");
      llvm::IRBuilder<>(zeros_->getParent())
          .CreateStore(llvm::Constant::getNullValue(type), zeros_);
    }
    pointers = b_.CreateSelect(lanes_.active.parts[p], pointers, values_.splat(zeros_));
  }
  for (unsigned lane = 0; lane < shape_.lanes; ++lane) {
    const unsigned whole = p * shape_.lanes + lane;
    if (!shape_.has_thread(whole)) continue;
    at[lane] =
        pointers ? b_.CreateExtractElement(pointers, std::uint64_t(lane)) : step_to(a, whole);
  }
  return at;
}

}  // namespace krait::codegen::cpu
