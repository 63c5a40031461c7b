// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/kit/variables.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/plan/shape.h"
#include "codegen/cpu/kit/values.h"
#include "codegen/llvm/session.h"
#include "ir/walk.h"

namespace krait::codegen::cpu {

using ir::Op;

/// Places are called after their operation, the index of a loop index, parameters as in messages,
/// and other values by their number in the text of the final IR.
std::string Variables::name_of(ir::ValueId v) const {
  if (const ir::Inst* def = f_.def(v)) {
    switch (def->op) {
#define KRAIT_POSITION(Name, ...) case Op::Name:
#include "krait/ops.def"
      return fmt::format("{}_{}", ir::info(def->op).name, "xyz"[def->imm]);
      default: return fmt::format("v{}", v);
    }
  }
  const ir::Value& value = f_.values[v];
  const auto params = f_.params();
  if (value.region == f_.body)
    return fmt::format("parameter_{}",
                       std::find(params.begin(), params.end(), v) - params.begin() + 1);
  const ir::Region& region = f_.regions[value.region];
  return region.params.front() == v && ir::is_loop(f_.insts[region.parent].op)
             ? "index"
             : fmt::format("v{}", v);
}

llvm::DIType* Variables::type_of(ir::ValueId v, bool lanes) {
  llvm::DIBuilder& d = lines_.builder();
  const ir::Type& t = f_.type_of(v);
  const ir::Scalar s = t.scalar;
  llvm::DIType* scalar = nullptr;
  if (s != ir::Scalar::Void) {
    const auto encoding = s == ir::Scalar::Bool ? llvm::dwarf::DW_ATE_boolean
                          : ir::is_float(s)     ? llvm::dwarf::DW_ATE_float
                          : ir::info(s).kind == ir::ScalarClass::Signed
                              ? llvm::dwarf::DW_ATE_signed
                              : llvm::dwarf::DW_ATE_unsigned;
    scalar = d.createBasicType(ir::name_of(s), ir::size_of(s) * 8, encoding);
  }
  constexpr unsigned pointer_bits = 64;
  if (!t.is_value()) return d.createPointerType(scalar, pointer_bits);
  if (!lanes) return scalar;
  const llvm::DINodeArray extent = d.getOrCreateArray({d.getOrCreateSubrange(0, shape_.gang())});
  return d.createVectorType(std::uint64_t(shape_.gang()) * ir::size_of(s) * 8, 0, scalar, extent);
}

llvm::DILocalVariable* Variables::variable(ir::ValueId v, bool lanes) {
  llvm::DILocalScope* scope = lines_.scope();
  if (std::exchange(known_in_, scope) != scope) known_.clear();
  llvm::DILocalVariable*& known = known_[{v, lanes}];
  if (known) return known;
  std::string name = name_of(v);
  if (named_.try_emplace(name, v).first->second != v) name += fmt::format("_{}", v);
  known = lines_.builder().createAutoVariable(scope, name, scope->getFile(), 0, type_of(v, lanes));
  return known;
}

void Variables::tell_one(ir::ValueId v, const Lowered& x) {
  const ir::Type& t = f_.type_of(v);
  const unsigned bits = ir::size_of(t.scalar) * 8;
  const bool lanes = x.form == Lowered::Form::Parts;
  if (x.form == Lowered::Form::None || x.v.empty() || t.is_slot()) return;
  // Masks are no vectors of bools.
  if (lanes && (!t.is_value() || x.v.size() != shape_.parts ||
                x.v[0]->getType()->getScalarSizeInBits() != bits))
    return;
  if (!lanes && t.is_value() && t.scalar != ir::Scalar::Bool &&
      x.v[0]->getType()->getScalarSizeInBits() != bits)
    return;
  llvm::DIBuilder& d = lines_.builder();
  llvm::DILocalVariable* known = variable(v, lanes);
  llvm::DebugLoc at = b_.getCurrentDebugLocation();
  if (!at) at = lines_.anywhere();
  const llvm::InsertPosition here(b_.GetInsertPoint() == b_.GetInsertBlock()->end()
                                      ? llvm::InsertPosition(b_.GetInsertBlock())
                                      : llvm::InsertPosition(b_.GetInsertPoint()));
  const unsigned part = shape_.lanes * bits;
  for (unsigned p = 0; p < (lanes ? shape_.parts : 1u); ++p) {
    llvm::DIExpression* whole = d.createExpression();
    if (lanes && shape_.parts > 1)
      whole = *llvm::DIExpression::createFragmentExpression(whole, p * part, part);
    d.insertDbgValueIntrinsic(x.v[p], known, whole, at.get(), here);
  }
}

void Variables::tell(const Values& values) {
  for (const ir::ValueId v : noted_) tell_one(v, values.get(v));
  noted_.clear();
}

}  // namespace krait::codegen::cpu
