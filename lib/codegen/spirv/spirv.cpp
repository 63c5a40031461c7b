// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/spirv.h"

#include <fmt/core.h>
#include <spirv-tools/libspirv.hpp>

#include "codegen/spirv/lower.h"
#include "support/spirv_blob.h"

namespace krait::codegen::spirv {
namespace {

/// Empty, or what SPIRV-Tools says is wrong.
std::string invalid(const Words& words) {
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
  std::string message;
  tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t& at, const char* text) {
    message += fmt::format("word {}: {}\n", at.index, text);
  });
  return tools.Validate(words.data(), words.size()) ? std::string() : "invalid SPIR-V: " + message;
}

std::string disassembled(const Words& words) {
  std::string text;
  spvtools::SpirvTools(SPV_ENV_VULKAN_1_2)
      .Disassemble(words, &text, SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES);
  return text;
}

}  // namespace

Reply compile(const ir::Module& module, const support::SpirvTarget& target, Emit emit) {
  if (emit == Emit::Llvm) unsupported("SPIR-V is made without LLVM: there is no LLVM IR to show");
  Stopwatch watch;
  Reply reply;
  const ir::Function& f = module.kernel();
  if (!f.flat) defect(fmt::format("kernel {}: lower_access has not run", f.name));
  support::Envelope envelope = ir::envelope_of(f, support::TargetKind::Spirv);
  envelope.entry = "main";
  support::SpirvCode own;
  const Words words = lower_module(module, target, envelope, own);
  reply.lower_ms = watch.lap();
  if (!target.features.has(support::Feature::Unvalidated))
    if (std::string wrong = invalid(words); !wrong.empty())
      defect(fmt::format("kernel {}: {}\n{}", f.name, wrong, disassembled(words)));
  reply.optimise_ms = watch.lap();
  if (emit == Emit::Asm) {
    reply.data = disassembled(words);
  } else {
    envelope.set_own(own);
    envelope.code = {reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]};
    reply.data = support::seal(envelope);
  }
  reply.emit_ms = watch.lap();
  return reply;
}

}  // namespace krait::codegen::spirv
