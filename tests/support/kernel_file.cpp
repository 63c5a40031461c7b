// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/kernel_file.h"

#include <fmt/format.h>

#include "ir/text/text.h"

namespace krait::test {

std::string write_kernel(const Kernel& kernel, std::string_view origin) {
  constexpr std::size_t bytes_per_line = 60;
  const ir::Launch& l = kernel.launch;
  std::string out = fmt::format("; {}\n; run: grid {} block {} warp {} arguments", origin,
                                fmt::join(l.grid, " "), fmt::join(l.block, " "), l.warp_size);
  for (const Argument& a : kernel.arguments) {
    if (a.rank == 0) {
      out += fmt::format("\n;   bits({:x})", a.bits);
      continue;
    }
    out += fmt::format("\n;   [{}]=bytes(",
                       fmt::join(a.extents.begin(), a.extents.begin() + a.rank, ","));
    for (std::size_t at = 0; at < a.bytes.size(); ++at)
      out += fmt::format("{}{:02x}", at % bytes_per_line ? "" : "\n;   ", unsigned(a.bytes[at]));
    out += ')';
  }
  return out + '\n' + ir::print(kernel.module);
}

KernelFile kernel_file(std::string_view name) { return KernelFile::read(KRAIT_TEST_KERNELS, name); }

ir::Module kernel_of(std::string_view name, const Choice& choice, const ir::Facts& facts) {
  ir::Module module = std::move(kernel_file(name).cases(choice).front().kernel.module);
  if (facts == ir::Facts{}) return module;
  module.kernel().facts = facts;
  for (ir::Function& f : module.called()) f.inherit(module.kernel());
  return module;
}

}  // namespace krait::test
