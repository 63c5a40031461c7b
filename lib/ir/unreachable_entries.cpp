// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/unreachable_entries.h"

#include <algorithm>

namespace krait::ir {
namespace {

constexpr std::uint32_t beyond = 1u << 30;  // of any table

/// Operations that passes and code generators look for.
constexpr Op sought[] = {Op::Call,   Op::Set,       Op::LoadVec,    Op::StoreVec,
                         Op::Shared, Op::Local,     Op::AtomicAdd,  Op::Barrier,
                         Op::LaneId, Op::ThreadIdx, Op::Exp,        Op::Bitcast,
                         Op::Print,  Op::Uniform,   Op::GridStride, Op::Return};

void add_unreachable_entries(Function& f) {
  const std::vector<InstId> body = f.regions[f.body].insts;
  const auto first = InstId(f.insts.size());
  for (const Op op : sought) {
    Inst& wild = f.insts.emplace_back();
    wild.op = op, wild.type = value_type(Scalar::F64), wild.imm = beyond, wild.loc = beyond;
    wild.operands.assign(20, beyond), wild.results.assign(20, beyond),
        wild.regions.assign(2, beyond), wild.list.assign(2, beyond);
    // The same of values that mean something.
    Inst stale = wild;
    stale.loc = 0, stale.regions.clear();
    for (std::size_t k = 0; k < stale.operands.size(); ++k)
      stale.operands[k] = f.params().empty() ? beyond : f.params()[k % f.params().size()];
    f.insts.push_back(std::move(stale));
  }
  for (const Scalar s : {Scalar::F16, Scalar::F32, Scalar::F64, Scalar::Void})
    f.values.push_back({value_type(s), beyond, beyond});
  Region wild{{beyond}, {beyond}, beyond}, stale{{f.params().begin(), f.params().end()}, {}, none};
  for (InstId i = first; i < f.insts.size(); ++i) stale.insts.push_back(i);
  for (std::size_t k = std::min<std::size_t>(body.size(), 16); k-- > 0;)
    stale.insts.push_back(body[k]);
  f.regions.push_back(std::move(wild));
  f.regions.push_back(std::move(stale));
}

}  // namespace

void add_unreachable_entries(Module& module) {
  for (Function& f : module.functions) add_unreachable_entries(f);
}

}  // namespace krait::ir
