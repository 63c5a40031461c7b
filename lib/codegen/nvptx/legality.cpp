// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What PTX cannot do, told before LLVM sees the kernel.
#include <fmt/core.h>

#include "codegen/nvptx/lower.h"
#include "codegen/reply.h"
#include "ir/shared_lengths.h"
#include "ir/walk.h"

namespace krait::codegen::nvptx {

using ir::Op;

namespace {

// PTX ISA, kernel function parameters: 4 KiB, 32,764 bytes from ISA 8.1. Shared memory with a size
// in the code: 48 KiB.
constexpr std::uint32_t small_arguments = 4096, large_arguments = 32764;
constexpr std::uint64_t static_shared = 48 * 1024;

std::string place(const ir::Function& kernel, const ir::Inst& inst) {
  const ir::Location& at = kernel.locations[inst.loc];
  return inst.loc ? fmt::format(" ({}:{})", at.file, at.line) : std::string();
}

void check_functions(const ir::Function& kernel) {
  ir::for_each_inst(kernel, [&](ir::InstId i, ir::RegionId) {
    const ir::Inst& inst = kernel.insts[i];
    const ir::OpInfo& row = ir::info(inst.op);
    if (row.family == ir::Family::Math && !has_instruction(inst, kernel.fp))
      unsupported(fmt::format(
          "kernel {}: {} on {} has no PTX instruction in {} mode and was not expanded{}",
          kernel.name, row.name, ir::name_of(inst.type.scalar), ir::name_of(kernel.fp),
          place(kernel, inst)));
  });
}

}  // namespace

unsigned shared_alignment_of(const ir::Function& kernel) {
  // PTX ISA, wgmma and tensor copies: eight rows of a swizzled strip
  constexpr unsigned of_tiles = 1024;
  return ir::any_inst(kernel,
                      [](const ir::Inst& i) { return i.op == Op::Product || i.op == Op::CopyTile; })
             ? of_tiles
             : unsigned(ir::shared_alignment);
}

std::uint64_t fixed_array_bytes(const ir::Function& kernel, const ir::Inst& array) {
  const auto bytes = std::uint64_t(ir::row_bytes(kernel, array) * array.list[0]);
  const std::uint64_t alignment = shared_alignment_of(kernel);
  return (bytes + alignment - 1) / alignment * alignment;
}

std::uint64_t fixed_arrays_in_segment(const ir::Function& kernel) {
  std::uint64_t bytes = 0;
  ir::for_each_inst(kernel, [&](ir::InstId i, ir::RegionId) {
    const ir::Inst& inst = kernel.insts[i];
    if (inst.op == Op::Shared && inst.list[0] != 0) bytes += fixed_array_bytes(kernel, inst);
  });
  return bytes > static_shared ? bytes : 0;
}

void check_legality(const ir::Module& module, const ir::ArgumentLayout& layout, unsigned isa) {
  const ir::Function& kernel = module.kernel();
  std::uint32_t arguments = layout.size, limit = isa >= 81 ? large_arguments : small_arguments;
  if (arguments > limit)
    unsupported(fmt::format("kernel {}: {} bytes of arguments; PTX ISA {}.{} takes at most {}",
                            kernel.name, arguments, isa / 10, isa % 10, limit));
  for (const ir::Function& f : module.functions) check_functions(f);
}

}  // namespace krait::codegen::nvptx
