// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binary form of SPIR-V: sections in the order that the specification asks for (2.4),
// instructions as length and opcode.
#include "codegen/spirv/module/module.h"

namespace krait::codegen::spirv {

void append(Words& out, spv::Op op, std::span<const std::uint32_t> a,
            std::span<const std::uint32_t> b) {
  out.push_back(std::uint32_t(a.size() + b.size() + 1) << 16 | std::uint32_t(op));
  out.insert(out.end(), a.begin(), a.end());
  out.insert(out.end(), b.begin(), b.end());
}

Words literal_string(std::string_view text) {
  Words out(text.size() / 4 + 1, 0);
  for (std::size_t i = 0; i < text.size(); ++i)
    out[i / 4] |= std::uint32_t(static_cast<unsigned char>(text[i])) << (i % 4 * 8);
  return out;
}

Words Module::finish(std::string_view kernel_name, std::string_view entry_name) {
  const bool kernel = dialect == Dialect::Kernel;
  // Translators call the function by its name, not by the entry point's.
  if (!kernel_name.empty()) head.name(head.entry(), kernel ? entry_name : kernel_name);
  const Id entry_type = code.entry_type();
  Words out{spv::MagicNumber, kernel ? 0x00010000u : 0x00010500u, 0, 0, 0};
  head.write(out, entry_name, globals.interface());
  if (const auto place = globals.place_of_spec_bool()) spec_bool_at = out.size() + *place;
  out.insert(out.end(), globals.words().begin(), globals.words().end());
  code.write(out, head.entry(), entry_type);
  out[3] = ids.bound();
  return out;
}

}  // namespace krait::codegen::spirv
