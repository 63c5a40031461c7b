// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partners in exchanges: the thread's place in its row with some bits flipped, as in sorting
// networks, butterflies and transforms. Gangs begin at multiples of their size. So bits above the
// gang's make another row of neighbours, and bits inside of it another order of the gang's own
// lanes: elements at such places are rows, with a shuffle of known lanes, under the mask that the
// same shuffle turns.
#include "codegen/cpu/idioms/xor_partners.h"

#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/access/addresses.h"
#include "codegen/cpu/emit/hint_notes.h"
#include "codegen/cpu/lanes/positions.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

/// thread ^ c, and such a number as another integer.
bool XorPartners::emit_flip(const ir::Inst& inst) {
  using Form = Lowered::Form;
  if (!shape_.machine.uses(Idiom::XorPartners) || shape_.layout != Layout::Rows ||
      shape_.is_brick() || shape_.lanes == 1 || inst.results.size() != 1 ||
      !ir::is_int(inst.type.scalar))
    return false;
  auto* type = llvm::cast<llvm::IntegerType>(arith_.scalar_type(inst.type.scalar));
  Lowered r{Form::Parts, {}, 0};
  if (inst.op == Op::Cast) {
    const Lowered& x = values_.get(inst.operands[0]);
    if (!x.flip || type->getBitWidth() < 32) return false;
    r.start = arith_.cast(x.start, values_.scalar_of(inst.operands[0]), inst.type.scalar),
    r.flip = x.flip;
  } else {
    if (inst.op != Op::Xor || !f_.is_const(inst.operands[1]) || type->getBitWidth() < 32)
      return false;
    const ir::ValueId place = place_in_row(f_, inst.operands[0]);
    const std::uint64_t bits = f_.const_bits(inst.operands[1]);
    if (place == ir::none || bits >= std::uint64_t(near_lanes)) return false;
    const bool in_grid = f_.insts[f_.values[place].def].op == Op::GlobalId;
    if (in_grid && shape_.width() > 32) return false;
    const V first = in_grid
                        ? b_.CreateAdd(b_.CreateMul(positions_.at.block[0], positions_.block[0]),
                                       positions_.at.x)
                        : positions_.at.x;
    const std::uint64_t inside = bits % shape_.width();
    r.start =
        b_.CreateXor(b_.CreateTrunc(first, type), llvm::ConstantInt::get(type, bits - inside)),
    r.flip = unsigned(inside);
    if (inside == 0) return values_.set(inst.results[0], {Form::Linear, {r.start}, 1}), true;
  }
  for (unsigned p = 0; p < shape_.parts; ++p) {
    std::vector<llvm::Constant*> lanes;
    for (const unsigned lane : flipped_lanes(r.flip, p))
      lanes.push_back(llvm::ConstantInt::get(type, lane));
    r.v.push_back(b_.CreateAdd(values_.splat(r.start), llvm::ConstantVector::get(lanes)));
  }
  return values_.set(inst.results[0], std::move(r)), true;
}

/// thread ^ c beside the thread itself, for c inside of the gang: the same in every gang.
bool XorPartners::emit_flip_compare(const ir::Inst& inst) {
  if (inst.op != Op::Lt && inst.op != Op::Le && inst.op != Op::Gt && inst.op != Op::Ge)
    return false;
  const bool left = values_.get(inst.operands[0]).flip != 0;
  const ir::ValueId flipped = inst.operands[left ? 0 : 1], other = inst.operands[left ? 1 : 0];
  const ir::Inst* flip = f_.def(flipped);
  if (!values_.get(flipped).flip || flip->op != Op::Xor ||
      f_.const_bits(flip->operands[1]) >= shape_.width())
    return false;
  const ir::ValueId place = place_in_row(f_, other);
  if (place == ir::none || place != place_in_row(f_, flip->operands[0])) return false;
  const bool above = (inst.op == Op::Gt || inst.op == Op::Ge) == left;  // never equal
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p) {
    std::vector<llvm::Constant*> lanes;
    const std::vector<unsigned> partners = flipped_lanes(values_.get(flipped).flip, p);
    for (unsigned lane = 0; lane < shape_.lanes; ++lane)
      lanes.push_back(b_.getInt1((partners[lane] > p * shape_.lanes + lane) == above));
    r.v.push_back(llvm::ConstantVector::get(lanes));
  }
  return values_.set(inst.results[0], std::move(r)), true;
}

std::vector<unsigned> XorPartners::flipped_lanes(unsigned flip, unsigned p) const {
  std::vector<unsigned> lanes;
  for (unsigned lane = 0; lane < shape_.lanes; ++lane)
    lanes.push_back((p * shape_.lanes + lane) ^ flip);
  return lanes;
}

/// Of a load or store: whether its elements are rows in another order, and the machine has masks
/// for those.
bool XorPartners::takes_flipped(const ir::Inst& inst) const {
  if (inst.op != Op::Load && inst.op != Op::Store) return false;
  const ir::ValueId array = inst.operands[0], index = inst.operands[1];
  const ir::Type& type = f_.type_of(array);
  const unsigned size = ir::size_of(inst.type.scalar);
  if (!values_.get(index).flip ||
      (type.space != ir::Space::Shared && type.space != ir::Space::Global) ||
      type.index_bytes() != size || inst.imm != 0)
    return false;
  return lanes_.active.all() || (shape_.machine.level >= CpuLevel::Avx2 && size >= 4);
}

V XorPartners::flipped_mask(unsigned flip, unsigned p) {
  if (lanes_.active.all()) return nullptr;
  Few<V> wide;  // as comparisons leave masks without AVX-512
  for (const V part : lanes_.active.parts)
    wide.push_back(shape_.machine.level == CpuLevel::Avx512
                       ? part
                       : b_.CreateSExt(part, values_.lane_type(Scalar::I32)));
  const V turned = values_.take_lanes(wide, flipped_lanes(flip, p));
  return turned->getType()->getScalarSizeInBits() == 1
             ? turned
             : b_.CreateICmpSLT(turned, llvm::Constant::getNullValue(turned->getType()));
}

bool XorPartners::load_flipped(const ir::Inst& inst) {
  if (!takes_flipped(inst)) return false;
  const ir::ValueId array = inst.operands[0], index = inst.operands[1];
  const Scalar s = inst.type.scalar;
  const unsigned size = ir::size_of(s), flip = values_.get(index).flip;
  llvm::Type* row = llvm::FixedVectorType::get(
      s == Scalar::Bool ? b_.getInt8Ty() : arith_.scalar_type(s), shape_.lanes);
  const V at = addresses_.pointer_to(array, index, values_.get(index).start, size, 0);
  Few<V> rows;
  for (unsigned p = 0; p < shape_.parts; ++p)
    rows.push_back(addresses_.load_row(row,
                                       b_.CreatePtrAdd(at, b_.getInt64(p * shape_.lanes * size)),
                                       llvm::Align(size), flipped_mask(flip, p), array));
  hint_notes_.note_access(inst, nullptr);
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p)
    r.v.push_back(arith_.from_memory(values_.take_lanes(rows, flipped_lanes(flip, p)), s));
  return values_.set(inst.results[0], std::move(r)), true;
}

bool XorPartners::store_flipped(const ir::Inst& inst) {
  if (!takes_flipped(inst)) return false;
  const ir::ValueId array = inst.operands[0], index = inst.operands[1];
  const Scalar s = inst.type.scalar;
  const unsigned size = ir::size_of(s), flip = values_.get(index).flip;
  const V at = addresses_.pointer_to(array, index, values_.get(index).start, size, 0);
  Few<V> parts;
  for (unsigned p = 0; p < shape_.parts; ++p)
    parts.push_back(arith_.to_memory(values_.part(inst.operands[2], p), s));
  for (unsigned p = 0; p < shape_.parts; ++p) {
    const V x = values_.take_lanes(parts, flipped_lanes(flip, p)),
            to = b_.CreatePtrAdd(at, b_.getInt64(p * shape_.lanes * size));
    const V mask = flipped_mask(flip, p);
    addresses_.annotate(
        mask ? b_.CreateMaskedStore(x, to, llvm::Align(size), mask)
             : static_cast<llvm::Instruction*>(b_.CreateAlignedStore(x, to, llvm::Align(size))),
        array);
  }
  hint_notes_.note_access(inst, nullptr);
  return true;
}

}  // namespace krait::codegen::cpu
