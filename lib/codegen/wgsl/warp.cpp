// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/warp.h"

namespace krait::codegen::wgsl {

Expr Warp::shuffled(Scalar s, const Expr& x, const Expr& lane) {
  if (s == Scalar::Bool)
    return term("subgroupShuffle(select(0u, 1u, {}), {}) != 0u", x.text, lane.text);
  return call("subgroupShuffle({}, {})", full(x).text, lane.text);
}

void Warp::lower(const ir::Inst& i) {
  if (!has(support::Feature::Warp))
    unsupported(
        fmt::format("{}: an operation of a warp needs the feature \"warp\" of the target, "
                    "which is WebGPU's \"subgroups\"",
                    frame_.where));
  using ir::Op;
  const Expr operand = i.operands.empty() ? Expr{} : value(i.operands[0]);
  switch (i.op) {
    case Op::LaneId: return define(i, call("i32(lane)"));
    case Op::WarpSize: return define(i, call("i32(lanes)"));
    case Op::Ballot: return define_here(i, call("subgroupBallot({}).xy", operand.text));
    case Op::WarpAny: return define_here(i, call("subgroupAny({})", operand.text));
    case Op::WarpAll: return define_here(i, call("subgroupAll({})", operand.text));
    case Op::Shuffle: {
      const Expr lane = term("{} & (lanes - 1u)", low(i.operands[1])());
      Expr result = shuffled(i.type.scalar, operand, lane);
      return define_here(i, result);
    }
    default: break;
  }
  unsupported(
      fmt::format("{}: WebGPU does not have this warp operation: use syncthreads()", frame_.where));
}

}  // namespace krait::codegen::wgsl
