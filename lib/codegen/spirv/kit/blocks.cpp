// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/kit/blocks.h"

namespace krait::codegen::spirv {

void Blocks::begin(Id label) {
  m_.code.emit_void(spv::Op::OpLabel, {label});
  block_ = label;
}

void Blocks::phi_as(Id result, Id type, const Incoming& from) {
  if (from.empty()) return m_.code.emit_as(result, spv::Op::OpUndef, type, {});
  Words operands;
  for (auto [value, block] : from) operands.insert(operands.end(), {value, block});
  m_.code.emit_as(result, spv::Op::OpPhi, type, operands);
}

Id Blocks::phi(Id type, const Incoming& from) {
  Id id = m_.ids.next();
  phi_as(id, type, from);
  return id;
}

}  // namespace krait::codegen::spirv
