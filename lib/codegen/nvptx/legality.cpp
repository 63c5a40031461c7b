// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What PTX cannot do, told before LLVM sees the kernel.
#include <fmt/format.h>

#include "codegen/nvptx/lower.h"
#include "codegen/target.h"

namespace krait::codegen::nvptx {

using ir::Op;

namespace {

// PTX ISA, kernel function parameters: 4 KiB, 32,764 bytes from ISA 8.1. Shared memory with a size in the code: 48 KiB.
constexpr std::uint32_t small_arguments = 4096, large_arguments = 32764;
constexpr std::uint64_t static_shared = 48 * 1024;

std::string place(const ir::Function& kernel, const ir::Inst& inst) {
  const ir::Location& at = kernel.locations[inst.loc];
  return inst.loc ? fmt::format(" ({}:{})", at.file, at.line) : std::string();
}

void check_functions(const ir::Function& kernel) {
  for (const ir::Inst& inst : kernel.insts) {
    const ir::OpInfo& row = ir::info(inst.op);
    if (row.math && !has_instruction(inst, kernel.fp))
      unsupported(fmt::format("kernel '{}': {} on {} has no PTX instruction in {} mode and was not expanded{}", kernel.name,
                              row.name, ir::name_of(inst.type.scalar), ir::name_of(kernel.fp), place(kernel, inst)));
  }
}

void check_shared(const ir::Function& kernel) {
  std::uint64_t bytes = 0;
  unsigned dynamic = 0;
  for (const ir::Inst& inst : kernel.insts) {
    if (inst.op != Op::Shared) continue;
    std::uint64_t size = kernel.type_of(inst.results[0]).elem_bytes;
    for (std::int64_t extent : inst.list) size *= std::uint64_t(extent);
    dynamic += size == 0;
    bytes += (size + 15) / 16 * 16;
  }
  if (dynamic > 1)
    unsupported(fmt::format("kernel '{}': {} shared arrays sized at launch; PTX takes one size a launch, so use one",
                            kernel.name, dynamic));
  if (bytes > static_shared)
    unsupported(fmt::format("kernel '{}': {} bytes of shared arrays; more than {} must be sized at launch", kernel.name, bytes,
                            static_shared));
}

}  // namespace

void check_legality(const ir::Module& module, unsigned isa) {
  const ir::Function& kernel = module.kernel();
  std::uint32_t arguments = ir::argument_layout(kernel).size, limit = isa >= 81 ? large_arguments : small_arguments;
  if (arguments > limit)
    unsupported(fmt::format("kernel '{}': {} bytes of arguments, PTX ISA {}.{} takes {}", kernel.name, arguments, isa / 10,
                            isa % 10, limit));
  for (const ir::Function& f : module.functions) check_functions(f);
  check_shared(kernel);
}

}  // namespace krait::codegen::nvptx
