// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Appending to a function's tables.
#include "ir/builder.h"

#include <utility>

namespace krait::ir {

RegionId Builder::new_region(InstId parent) {
  const auto id = RegionId(f_->regions.size());
  f_->regions.push_back({{}, {}, parent});
  if (parent != none) f_->insts[parent].regions.push_back(id);
  return id;
}

ValueId Builder::new_param(RegionId r, Type t) {
  const auto id = ValueId(f_->values.size());
  f_->values.push_back({t, none, r});
  f_->regions[r].params.push_back(id);
  return id;
}

InstId Builder::append(Op op, Type type, std::span<const ValueId> operands, std::uint64_t imm) {
  const auto id = InstId(f_->insts.size());
  Inst& inst = f_->insts.emplace_back();
  inst.op = op;
  inst.type = type;
  inst.imm = imm;
  inst.operands.assign(operands.begin(), operands.end());
  inst.loc = loc_;
  f_->regions[region_].insts.push_back(id);
  return id;
}

ValueId Builder::add_result(InstId i, Type t) {
  const auto id = ValueId(f_->values.size());
  f_->values.push_back({t, i, none});
  Inst& inst = f_->insts[i];
  if (inst.results.empty()) inst.type = t;
  inst.results.push_back(id);
  return id;
}

ValueId Builder::emit(Op op, Type type, std::span<const ValueId> operands, std::uint64_t imm) {
  return add_result(append(op, type, operands, imm), type);
}

Function new_function(std::string name) {
  Function f;
  f.name = std::move(name);
  f.regions.emplace_back();
  f.body = 0;
  return f;
}

}  // namespace krait::ir
