// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/kit/values.h"

#include <algorithm>
#include <cstdlib>

#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/kit/variables.h"
#include "codegen/reply.h"

namespace krait::codegen::cpu {

using ir::Scalar;

Values::Values(Code& code)
    : code_(code),
      b_(code.b),
      f_(code.f),
      shape_(code.shape),
      arith_(code.arith),
      lowered_(code.f.values.size()) {}

Values::Again::~Again() {
  for (auto kept = before_.rbegin(); kept != before_.rend(); ++kept)
    values_.lowered_[kept->first] = std::move(kept->second);
}
bool Values::Again::keeps(ir::ValueId v) const {
  return std::any_of(before_.begin(), before_.end(),
                     [&](const auto& kept) { return kept.first == v; });
}

void Values::set(ir::ValueId v, Lowered x) {
  if (shape_.lone && x.form == Lowered::Form::Parts)
    return set_uniform(v, b_.CreateExtractElement(x.v[0], std::uint64_t(0)));
  if (shape_.lone && x.form == Lowered::Form::Linear) return set_uniform(v, x.v[0]);
  lowered_[v] = std::move(x);
  if (code_.variables) code_.variables->note(v);
}

void Values::set_uniform(ir::ValueId v, V x) {
  lowered_[v] = {Lowered::Form::Uniform, {x}, 0};
  if (code_.variables) code_.variables->note(v);
}

void Values::set_known(ir::ValueId v, V first, const std::vector<std::int64_t>& lanes) {
  Lowered x{Lowered::Form::Known, {first}, 0};
  for (const std::int64_t lane : lanes) x.apart.push_back(lane - lanes[0]);
  const unsigned width = shape_.width(), plane = width * shape_.rows;
  const std::int64_t step[3] = {width > 1 ? x.apart[1] : 0, shape_.rows > 1 ? x.apart[width] : 0,
                                shape_.layers > 1 ? x.apart[plane] : 0};
  bool linear = true;
  for (unsigned lane = 0; lane < shape_.gang(); ++lane) {
    const auto at = shape_.place(lane);
    linear = linear && x.apart[lane] == step[0] * at[0] + step[1] * at[1] + step[2] * at[2];
  }
  if (!linear) return set(v, std::move(x));
  if (!step[0] && !step[1] && !step[2]) return set_uniform(v, first);
  Lowered r{Lowered::Form::Linear, {first}, step[0]};
  for (unsigned d : {1u, 2u})
    if (step[d]) r.across[d] = integer(first->getType(), step[d]);
  set(v, std::move(r));
}

V Values::scalar(ir::ValueId v) const {
  const Lowered& x = lowered_[v];
  if (x.form != Lowered::Form::Uniform) defect("a varying value where a uniform one is needed");
  return x.v[0];
}

V Values::part(const Lowered& x, Scalar s, unsigned p) {
  switch (x.form) {
    case Lowered::Form::Uniform: return splat(x.v[0]);
    case Lowered::Form::Linear: {
      V lanes = splat(base_of_part(x, p));
      llvm::Type* t = arith_.scalar_type(s);
      llvm::Constant* along = lane_places(t, 0, p, true);
      if (x.step && !along->isNullValue())
        lanes = b_.CreateAdd(lanes, b_.CreateMul(along, splat(integer(t, x.step))));
      for (unsigned d : {0u, 1u, 2u}) {
        llvm::Constant* places = lane_places(t, d, p, true);
        if (x.across[d] && !places->isNullValue())
          lanes = b_.CreateAdd(lanes, b_.CreateMul(places, splat(x.across[d])));
      }
      return lanes;
    }
    case Lowered::Form::Known: {
      llvm::Type* t = arith_.scalar_type(s);
      Few<llvm::Constant*> apart;
      for (unsigned i = 0; i < shape_.lanes; ++i)
        apart.push_back(integer(t, x.apart[p * shape_.lanes + i]));
      return b_.CreateAdd(splat(x.v[0]), llvm::ConstantVector::get(apart));
    }
    case Lowered::Form::Parts: return x.v[p];
    case Lowered::Form::None: break;
  }
  defect("a value is used before it is lowered");
}

V Values::base_of_part(const Lowered& x, unsigned p) {
  return x.v.size() > 1 ? x.v[p] : base_of_lane(x, p * shape_.lanes);
}

/// Of a linear value with one base, or a known one.
V Values::base_of_lane(const Lowered& x, unsigned lane) {
  V base = x.v[0];
  llvm::Type* t = base->getType();
  if (x.form == Lowered::Form::Known) return b_.CreateAdd(base, integer(t, x.apart[lane]));
  const auto at = shape_.place(lane);
  if (x.step && at[0])
    base = b_.CreateAdd(base, integer(t, std::int64_t(std::uint64_t(x.step) * at[0])));
  for (unsigned d : {0u, 1u, 2u})
    if (x.across[d] && at[d])
      base = b_.CreateAdd(base, b_.CreateMul(x.across[d], integer(t, at[d])));
  return base;
}

/// How far the lanes are from the first one, where that is known and not too far for 32 bits.
std::optional<std::vector<std::int64_t>> Values::known_steps(const Lowered& x) const {
  if (x.form == Lowered::Form::Known) return x.apart;
  if (std::abs(x.step) > near_lanes) return {};
  std::int64_t step[3] = {x.step, 0, 0};
  for (unsigned d : {0u, 1u, 2u}) {
    if (!x.across[d]) continue;
    auto* c = llvm::dyn_cast<llvm::ConstantInt>(x.across[d]);
    if (!c || c->getValue().abs().getActiveBits() > 20) return {};
    step[d] += c->getSExtValue();
  }
  std::vector<std::int64_t> steps;
  for (unsigned lane = 0; lane < shape_.gang(); ++lane) {
    const auto at = shape_.place(lane);
    steps.push_back(step[0] * at[0] + step[1] * at[1] + step[2] * at[2]);
  }
  return steps;
}

/// Merges a value over edges; null where the edge brings none that counts. Uniform if all that come
/// are.
Lowered Values::join(ir::ValueId v, llvm::ArrayRef<std::pair<Block, const Lowered*>> edges) {
  Scalar s = scalar_of(v);
  bool is_uniform = true;
  for (auto& [block, x] : edges) is_uniform &= !x || x->form == Lowered::Form::Uniform;
  Lowered r{is_uniform ? Lowered::Form::Uniform : Lowered::Form::Parts, {}, 0};
  llvm::Type* t = arith_.type(s, is_uniform ? 0 : shape_.lanes);
  Block here = b_.GetInsertBlock();
  for (unsigned p = 0; p < (is_uniform ? 1 : shape_.parts); ++p) {
    Few<V> incoming;
    for (auto& [block, x] : edges) {
      if (!x) {
        incoming.push_back(llvm::Constant::getNullValue(t));
        continue;
      }
      b_.SetInsertPoint(block->getTerminator());
      incoming.push_back(is_uniform ? x->v[0] : part(*x, s, p));
    }
    b_.SetInsertPoint(here, here->begin());
    llvm::PHINode* phi = b_.CreatePHI(t, unsigned(edges.size()));
    for (std::size_t i = 0; i < edges.size(); ++i) phi->addIncoming(incoming[i], edges[i].first);
    b_.SetInsertPoint(here);
    r.v.push_back(phi);
  }
  return r;
}

/// A vector of known lanes of a value: for each of two parts that they are in one instruction.
V Values::take_lanes(llvm::ArrayRef<V> parts, llvm::ArrayRef<unsigned> lanes) {
  const int width = int(shape_.lanes);
  std::vector<int> own(lanes.size());
  std::vector<unsigned> from;  // parts
  for (const unsigned lane : lanes)
    if (const unsigned p = lane / shape_.lanes;
        std::find(from.begin(), from.end(), p) == from.end())
      from.push_back(p);
  const auto place = [&](unsigned p) {
    return std::find(from.begin(), from.end(), p) - from.begin();
  };
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const auto k = place(lanes[i] / shape_.lanes);
    own[i] = k > 1 ? int(i) : int(k) * width + int(lanes[i] % shape_.lanes);
  }
  V x = from.size() == 1 ? b_.CreateShuffleVector(parts[from[0]], own)
                         : b_.CreateShuffleVector(parts[from[0]], parts[from[1]], own);
  for (std::size_t k = 2; k < from.size(); ++k) {
    for (std::size_t i = 0; i < lanes.size(); ++i)
      own[i] = lanes[i] / shape_.lanes == from[k] ? width + int(lanes[i] % shape_.lanes) : int(i);
    x = b_.CreateShuffleVector(x, parts[from[k]], own);
  }
  return x;
}

/// Modulo what the type holds.
llvm::ConstantInt* Values::integer(llvm::Type* type, std::int64_t n) const {
  return llvm::ConstantInt::get(
      code_.c, llvm::APInt(64, std::uint64_t(n)).trunc(type->getIntegerBitWidth()));
}

llvm::Type* Values::lane_type(Scalar s) const { return arith_.type(s, shape_.lanes); }
V Values::splat(V x) { return b_.CreateVectorSplat(shape_.lanes, x); }

llvm::Constant* Values::lane_numbers(llvm::Type* element, std::int64_t step,
                                     std::int64_t first) const {
  Few<llvm::Constant*> numbers;
  for (unsigned i = 0; i < shape_.lanes; ++i)
    numbers.push_back(
        integer(element, std::int64_t(std::uint64_t(step) * i + std::uint64_t(first))));
  return llvm::ConstantVector::get(numbers);
}

/// Where the part's lanes lie in the gang along a dimension, or from the part's first lane.
llvm::Constant* Values::lane_places(llvm::Type* element, unsigned dim, unsigned p,
                                    bool from_part) const {
  Few<llvm::Constant*> places;
  const unsigned first = p * shape_.lanes;
  const std::int64_t origin = from_part ? shape_.place(first)[dim] : 0;
  for (unsigned i = 0; i < shape_.lanes; ++i)
    places.push_back(integer(element, std::int64_t(shape_.place(first + i)[dim]) - origin));
  return llvm::ConstantVector::get(places);
}

}  // namespace krait::codegen::cpu
