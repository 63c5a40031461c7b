// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/warp.h"

#include "codegen/spirv/numeric/numeric.h"

namespace krait::codegen::spirv {

using spv::Op;

Id Warp::builtin(spv::BuiltIn which) {
  Module& m = e_.m;
  e_.need(Feature::Warp, "an operation of a warp");
  m.head.capability(spv::Capability::GroupNonUniform);
  Id u32 = m.globals.int_type(32);
  return m.code.emit(Op::OpLoad, u32, {m.globals.builtin(which, u32)});
}

Id Warp::size() {
  if (const unsigned fixed = e_.target().subgroup) return e_.u32(fixed);
  return builtin(spv::BuiltIn::SubgroupSize);
}

Id Warp::ballot(const ir::Inst& i) {
  Module& m = e_.m;
  e_.need(Feature::Warp, "an operation of a warp");
  m.head.capability(spv::Capability::GroupNonUniformBallot);
  Id u32 = m.globals.int_type(32);
  Id votes = m.code.emit(Op::OpGroupNonUniformBallot, m.globals.vector_type(u32, 4),
                         {e_.u32(std::uint32_t(spv::Scope::Subgroup)), value(i.operands[0])});
  Id pair = m.code.emit(Op::OpVectorShuffle, m.globals.vector_type(u32, 2), {votes, votes, 0, 1});
  return e_.op(Op::OpBitcast, Scalar::U64, {pair});
}

Id Warp::vote(const ir::Inst& i) {
  e_.need(Feature::Warp, "an operation of a warp");
  e_.m.head.capability(spv::Capability::GroupNonUniformVote);
  const Op o = i.op == ir::Op::WarpAny ? Op::OpGroupNonUniformAny : Op::OpGroupNonUniformAll;
  return e_.op(o, Scalar::Bool,
               {e_.u32(std::uint32_t(spv::Scope::Subgroup)), value(i.operands[0])});
}

/// As 32-bit words, which every device shuffles.
Id Warp::shuffle(const ir::Inst& i) {
  e_.need(Feature::Warp, "an operation of a warp");
  e_.m.head.capability(spv::Capability::GroupNonUniformShuffle);
  const Scalar s = i.type.scalar, u = Scalar::U32;
  Id last = e_.op(Op::OpISub, u, {size(), e_.u32(1)});
  Id lane = e_.op(Op::OpBitwiseAnd, u, {value(i.operands[1]), last});
  auto word = [&](Id x) {
    return e_.op(Op::OpGroupNonUniformShuffle, u,
                 {e_.u32(std::uint32_t(spv::Scope::Subgroup)), x, lane});
  };
  Id x = value(i.operands[0]);
  if (s == Scalar::Bool) return cast(e_, s, u, word(cast(e_, u, s, x)));
  if (ir::size_of(s) == 8) {
    Module& m = e_.m;
    Id pair_type = m.globals.vector_type(m.globals.int_type(32), 2);
    Id pair = m.code.emit(Op::OpBitcast, pair_type, {x});
    Id low = word(m.code.emit(Op::OpCompositeExtract, m.globals.int_type(32), {pair, 0}));
    Id high = word(m.code.emit(Op::OpCompositeExtract, m.globals.int_type(32), {pair, 1}));
    return e_.op(Op::OpBitcast, s, {m.code.emit(Op::OpCompositeConstruct, pair_type, {low, high})});
  }
  const Scalar narrow = bits_type(s);
  return e_.bits(s, narrow,
                 e_.resize(narrow, u, word(e_.resize(u, narrow, e_.bits(narrow, s, x)))));
}

}  // namespace krait::codegen::spirv
