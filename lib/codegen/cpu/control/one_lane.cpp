// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/control/one_lane.h"

#include <algorithm>
#include <map>
#include <utility>

#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/control/fissioned.h"
#include "codegen/cpu/emit/straight.h"

namespace krait::codegen::cpu {

using ir::Op;

/// What equations say of each lane: its distances, and whether any equation leaves it out.
struct OneLane::Sets {
  std::vector<std::vector<std::int64_t>> of_lane;
  std::vector<bool> never;
};

/// How far v is from an equal number in each lane of the gang; empty where that is not known.
std::vector<std::int64_t> OneLane::distances(ir::ValueId v) const {
  const ir::Type& type = f_.type_of(v);
  if (type.is_array() || !ir::is_int(type.scalar) || ir::bits_of(type.scalar) < 32) return {};
  if (const LaneForm* form = d_.forms.find(v)) return form->lanes;
  if (!d_.varying(v)) return std::vector<std::int64_t>(shape_.gang(), 0);
  if (is_elsewhere(code_, v)) return {};
  const Lowered& x = values_.get(v);
  const bool steps = x.form == Lowered::Form::Linear && x.v.size() == 1;
  if (!steps && x.form != Lowered::Form::Known) return {};
  return values_.known_steps(x).value_or(std::vector<std::int64_t>());
}

/// Of lanes for which the condition is `wanted`.
void OneLane::part(ir::ValueId condition, bool wanted, Sets& sets) const {
  const ir::Inst* d = f_.def(condition);
  if (!d) return;
  if (d->op == (wanted ? Op::And : Op::Or)) {
    part(d->operands[0], wanted, sets);
    return part(d->operands[1], wanted, sets);
  }
  if (d->op != (wanted ? Op::Eq : Op::Ne)) return;
  const auto x = distances(d->operands[0]), y = distances(d->operands[1]);
  if (x.empty() || y.empty()) return;
  const LaneForm* form = d_.forms.find(d->operands[0]);
  const LaneForm* number = d_.forms.find(d->operands[1]);
  const bool constant = form && number && number->multiple == 0 && number->equal();
  for (unsigned lane = 0; lane < shape_.gang(); ++lane) {
    const std::int64_t apart = x[lane] - y[lane];
    sets.of_lane[lane].push_back(apart);
    if (!constant) continue;
    // The equal number, of which the form says what it is a multiple of, would be -apart.
    const auto multiple = std::int64_t(form->multiple);
    if (multiple == 0 ? apart != 0 : apart % multiple != 0) sets.never[lane] = true;
  }
}

std::vector<unsigned> OneLane::together(const ir::Inst& branch, ir::RegionId side) const {
  if (branch.op != Op::If || shape_.gang() == 1) return lanes_.together;
  Sets sets{std::vector<std::vector<std::int64_t>>(shape_.gang()),
            std::vector<bool>(shape_.gang())};
  part(branch.operands[0], side == branch.regions[0], sets);
  if (sets.of_lane[0].empty()) return lanes_.together;
  std::map<std::vector<std::int64_t>, unsigned> numbers;
  std::vector<unsigned> found(shape_.gang(), LaneState::never);
  for (unsigned lane = 0; lane < shape_.gang(); ++lane) {
    if (sets.never[lane] || !shape_.has_thread(lane)) continue;
    if (!lanes_.together.empty()) {
      if (lanes_.together[lane] == LaneState::never) continue;
      sets.of_lane[lane].push_back(lanes_.together[lane]);
    }
    found[lane] = numbers.emplace(sets.of_lane[lane], unsigned(numbers.size())).first->second;
  }
  return found;
}

/// Threads' own arrays lie beside each other for a whole gang; functions, operations of the warp
/// and jumps out of the side are made for masks.
bool OneLane::may_be_scalar(ir::RegionId r, bool& accesses) const {
  for (const ir::InstId id : f_.regions[r].insts) {
    const ir::Inst& inst = f_.insts[id];
    const ir::OpInfo& row = ir::info(inst.op);
    if (inst.op == Op::GridStride || inst.op == Op::Return || inst.op == Op::Unreachable ||
        inst.op == Op::Call || inst.op == Op::Uniform || inst.op == Op::Poll ||
        inst.op == Op::Local)
      return false;
    for (const ir::ValueId v : inst.operands)
      if (f_.type_of(v).space == ir::Space::Local) return false;
    const bool access = row.effect == ir::Effect::Read || row.effect == ir::Effect::Write ||
                        row.effect == ir::Effect::Atomic;
    accesses = accesses || access || ir::is_loop(inst.op);
    if (inst.regions.empty() && !access && row.effect != ir::Effect::Pure &&
        !ir::is_terminator(inst.op))
      return false;
    for (const ir::RegionId inner : inst.regions)
      if (!may_be_scalar(inner, accesses)) return false;
  }
  return true;
}

bool OneLane::takes(const ir::Inst& branch, ir::RegionId side) const {
  // The gangs of a range know some values by the row that they lie in.
  if (shape_.gang() == 1 || shape_.gang() > 64 || shape_.layout == Layout::Range) return false;
  bool accesses = false;
  return LaneState::are_one(together(branch, side)) && may_be_scalar(side, accesses) && accesses;
}

/// The number of the active lane in the gang.
V OneLane::number_of_lane() {
  if (!lane_)
    lane_ = b_.CreateIntrinsic(llvm::Intrinsic::cttz, {b_.getInt64Ty()},
                               {lanes_.active_bits(), b_.getTrue()});
  return lane_;
}

V OneLane::of_lane(const Lowered& x, ir::Scalar s) {
  if (known_ >= 0) {
    const auto lane = unsigned(known_);
    if (x.form == Lowered::Form::Parts)
      return b_.CreateExtractElement(x.v[lane / shape_.lanes], std::uint64_t(lane % shape_.lanes));
    if (x.v.size() == 1) return values_.base_of_lane(x, lane);
    return b_.CreateExtractElement(values_.part(x, s, lane / shape_.lanes),
                                   std::uint64_t(lane % shape_.lanes));
  }
  const V lane = number_of_lane();
  if (x.form == Lowered::Form::Linear && x.v.size() == 1 && !shape_.is_brick() && !x.across[0]) {
    llvm::Type* t = x.v[0]->getType();
    return b_.CreateAdd(x.v[0],
                        b_.CreateMul(b_.CreateZExtOrTrunc(lane, t), values_.integer(t, x.step)));
  }
  const V place = b_.CreateAnd(lane, b_.getInt64(shape_.lanes - 1));
  V found = nullptr;
  for (unsigned p = 0; p < shape_.parts; ++p) {
    const V one = b_.CreateExtractElement(values_.part(x, s, p), place);
    found =
        !found ? one
               : b_.CreateSelect(b_.CreateICmpUGE(lane, b_.getInt64(p * shape_.lanes)), one, found);
  }
  return found;
}

/// The values from outside that the region reads become those of the active lane; so do places of
/// threads, which depend on how threads lie on lanes.
void OneLane::make_scalars(ir::RegionId r, std::vector<bool>& inside, Values::Again& again) {
  for (const ir::ValueId v : f_.regions[r].params) inside[v] = true;
  for (const ir::InstId id : f_.regions[r].insts) {
    const ir::Inst& inst = f_.insts[id];
    const bool position = ir::info(inst.op).family == ir::Family::Position || inst.op == Op::LaneId;
    for (const ir::ValueId v : inst.results) inside[v] = true;
    for (const ir::ValueId v : inst.operands) {
      const Lowered& x = values_.get(v);
      if (inside[v] || f_.type_of(v).is_array() || x.form == Lowered::Form::Uniform) continue;
      const V scalar = of_lane(x, values_.scalar_of(v));
      again.keep(v), values_.set_uniform(v, scalar);
    }
    if (position) {
      straight_.emit(id);
      const ir::ValueId v = inst.results[0];
      if (!values_.uniform(v))
        values_.set_uniform(v, of_lane(values_.get(v), values_.scalar_of(v)));
    }
    for (const ir::RegionId inner : inst.regions) make_scalars(inner, inside, again);
  }
}

Exit OneLane::emit(ir::RegionId side) {
  const auto& together = lanes_.together;
  const auto is_lane = [](unsigned set) { return set != LaneState::never; };
  const auto first = std::find_if(together.begin(), together.end(), is_lane);
  known_ = std::count_if(together.begin(), together.end(), is_lane) == 1
               ? int(first - together.begin())
               : -1;
  lane_ = nullptr;
  Values::Again again(values_);
  std::vector<bool> inside(f_.values.size(), false);
  make_scalars(side, inside, again);
  Shape scalar = code_.shape;
  scalar.lanes = scalar.parts = scalar.rows = scalar.layers = scalar.filled = 1, scalar.lone = true;
  if (!scalar_) scalar_ = find_divergence(f_, code_.functions.calls, scalar, ir::none);
  const Lanes::Scope scope(lanes_);
  static_cast<LaneState&>(lanes_) = {};
  Mask full;
  const auto swap = [&] {
    std::swap(code_.shape, scalar), std::swap(code_.d, *scalar_), std::swap(lanes_.full, full);
    code_.one_lane = !code_.one_lane;
  };
  swap();
  Exit exit = control_.emit_region(side);
  swap();
  return exit;
}

}  // namespace krait::codegen::cpu
