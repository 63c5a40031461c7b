// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/control/loop_slots.h"

#include <llvm/IR/IRBuilder.h>

namespace krait::codegen::cpu {

using ir::Scalar;

Cell LoopSlots::make_cell(Scalar s, bool uniform, const char* name) {
  Cell cell{s, uniform, {}};
  llvm::Type* t = arith_.type(s, uniform ? 0 : shape_.lanes);
  for (unsigned p = 0; p < (uniform ? 1 : shape_.parts); ++p)
    cell.at.push_back(code_.room(t, name));
  return cell;
}

Cell LoopSlots::make_mask_cell(const char* name) { return make_cell(Scalar::Bool, false, name); }

Lowered LoopSlots::read(const Cell& c) {
  Lowered x{c.uniform ? Lowered::Form::Uniform : Lowered::Form::Parts, {}, 0};
  llvm::Type* t = arith_.type(c.type, c.uniform ? 0 : shape_.lanes);
  for (V at : c.at) x.v.push_back(b_.CreateLoad(t, at));
  return x;
}

void LoopSlots::write(const Cell& c, const Lowered& x) {
  for (unsigned p = 0; p < c.at.size(); ++p)
    b_.CreateStore(c.uniform ? x.v[0] : values_.part(x, c.type, p), c.at[p]);
}

void LoopSlots::blend(const Cell& c, const Lowered& x, const Mask& mask) {
  if (c.uniform || mask.all()) return write(c, x);
  Lowered old = read(c);
  for (unsigned p = 0; p < c.at.size(); ++p)
    b_.CreateStore(b_.CreateSelect(mask.parts[p], values_.part(x, c.type, p), old.v[p]), c.at[p]);
}

Mask LoopSlots::read_mask(const Cell& c) { return {read(c).v}; }

void LoopSlots::write_mask(const Cell& c, const Mask& m) {
  for (unsigned p = 0; p < shape_.parts; ++p) b_.CreateStore(lanes_.mask_part(m, p), c.at[p]);
}

}  // namespace krait::codegen::cpu
