// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/positions.h"

namespace krait::codegen::wgsl {

void Positions::block_shape() {
  Text& out = unit_.globals;
  if (f_.block[0]) {
    const std::int64_t threads = f_.block[0] * f_.block[1] * f_.block[2];
    if (threads > unit_.target.threads)
      unsupported(
          fmt::format("the block of {} x {} x {} has {} threads, but the target takes {}: "
                      "make it smaller, or give the target more by threads=",
                      f_.block[0], f_.block[1], f_.block[2], threads, unit_.target.threads));
  }
  for (unsigned d = 0; d < 3; ++d)
    out.line(fmt::format("override block_{}: u32 = {}u;", "xyz"[d], f_.block[d] ? f_.block[d] : 1));
  out.line("override folded: bool = false;");
  if (!exact()) return;
  unit_.own.probed = 1;
  for (const char* const name : {"exact_fma", "exact_division", "exact_root"})
    out.line(fmt::format("override {}: bool = false;", name));
  out.line("override flushes: bool = true;");
}

void Positions::begin() {
  block_shape();
  const bool flat = unit_.own.uses_warp;  // warps follow the linear number of threads
  out_.line(flat ? "@compute @workgroup_size(block_x * block_y * block_z)"
                 : "@compute @workgroup_size(block_x, block_y, block_z)");
  std::string parameters = flat ? "@builtin(local_invocation_index) thread_index: u32"
                                : "@builtin(local_invocation_id) thread: vec3u";
  parameters +=
      ", @builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u";
  if (flat)
    parameters +=
        ", @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) lanes: u32";
  out_.open(fmt::format("fn main({}) {{", parameters));
  out_.line("let block_dim = vec3u(block_x, block_y, block_z);");
  if (flat)
    out_.line(
        "let thread = vec3u(thread_index % block_x, thread_index / block_x % block_y, "
        "thread_index / (block_x * block_y));");
  out_.line("var block = workgroup;");
  out_.open("if (folded) {");
  out_.line(
      "let linear = (workgroup.z * workgroups.y + workgroup.y) * workgroups.x + workgroup.x;");
  out_.open("if (linear >= arguments.grid.x * arguments.grid.y * arguments.grid.z) {");
  out_.line("return;");
  out_.close();
  out_.line("let row = linear / arguments.grid.x;");
  out_.line(
      "block = vec3u(linear % arguments.grid.x, row % arguments.grid.y, row / arguments.grid.y);");
  out_.close();
}

Expr Positions::small(ir::Op op, unsigned d) const {
  const char axis = "xyz"[d];
  switch (op) {
    case ir::Op::ThreadIdx: return name(fmt::format("thread.{}", axis));
    case ir::Op::BlockIdx: return name(fmt::format("block.{}", axis));
    case ir::Op::BlockDim: return name(fmt::format("block_dim.{}", axis));
    case ir::Op::GridDim: return name(fmt::format("arguments.grid.{}", axis));
    case ir::Op::GlobalId: return term("block.{0} * block_dim.{0} + thread.{0}", axis);
    case ir::Op::GlobalSize: return term("arguments.grid.{0} * block_dim.{0}", axis);
    default: defect(fmt::format("{}: no position", frame_.where));
  }
}

Expr Positions::position(ir::Op op, unsigned d) const {
  Expr e = call("i32({})", small(op, d).text);
  e.from_narrow = true;
  return e;
}

}  // namespace krait::codegen::wgsl
