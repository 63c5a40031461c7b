// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/spirv.h"

#include <fmt/core.h>
#include <spirv-tools/libspirv.hpp>

#include "codegen/spirv/lower.h"
#include "ir/abi.h"
#include "support/blobs/opencl.h"
#include "support/blobs/spirv.h"

namespace krait::codegen::spirv {
namespace {

/// SPIRV-Tools know no optional capability of OpenCL: 64-bit atomics, halves and sums in any order
/// are checked by the rules of all dialects alone.
spv_target_env rules(Dialect dialect, const Words& words) {
  if (dialect == Dialect::Shader) return SPV_ENV_VULKAN_1_2;
  for (std::size_t at = 5; spv::Op(words[at] & 0xffff) == spv::Op::OpCapability; at += 2)
    if (const auto c = spv::Capability(words[at + 1]); c == spv::Capability::Int64Atomics ||
                                                       c == spv::Capability::Float16 ||
                                                       c == spv::Capability::FPFastMathModeINTEL)
      return SPV_ENV_UNIVERSAL_1_0;
  return SPV_ENV_OPENCL_1_2;
}

/// SPIRV-Tools before 2023.3 know no matrices.
bool is_known(const Words& words) {
  constexpr std::uint32_t matrix_capability = 6022;
  for (std::size_t at = 5; spv::Op(words[at] & 0xffff) == spv::Op::OpCapability; at += 2)
    if (words[at + 1] == matrix_capability) {
      std::vector<std::uint32_t> assembled;
      spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_5);
      tools.SetMessageConsumer(
          [](spv_message_level_t, const char*, const spv_position_t&, const char*) {});
      return tools.Assemble("OpCapability CooperativeMatrixKHR\n", &assembled) &&
             tools.Assemble("OpCapability BFloat16CooperativeMatrixKHR\n", &assembled);
    }
  return true;
}

/// Empty, or what SPIRV-Tools says is wrong.
std::string invalid(const Words& words, spv_target_env env) {
  spvtools::SpirvTools tools(env);
  std::string message;
  tools.SetMessageConsumer(
      [&](spv_message_level_t, const char*, const spv_position_t& at, const char* text) {
        message += fmt::format("word {}: {}\n", at.index, text);
      });
  return tools.Validate(words.data(), words.size()) ? std::string() : "invalid SPIR-V: " + message;
}

}  // namespace

std::string disassembled(const Words& words) {
  if (!is_known(words))
    return "; This SPIRV-Tools is older than the module's cooperative matrices and has no text "
           "for them: for one without,\n; give a target without the features coop and coopbf16.\n";
  std::string text;
  spvtools::SpirvTools(SPV_ENV_VULKAN_1_2)
      .Disassemble(words, &text,
                   SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES);
  return text;
}

Reply compile(const ir::Module& module, const support::SpirvTarget& target, Dialect dialect,
              Emit emit) {
  if (emit == Emit::Llvm) unsupported("SPIR-V is made without LLVM: there is no LLVM IR to show");
  Stopwatch watch;
  Reply reply;
  const ir::Function& f = module.kernel();
  if (!f.flat) defect("lower_access has not run");
  const bool shader = dialect == Dialect::Shader;
  support::Envelope envelope =
      ir::envelope_of(f, shader ? support::TargetKind::Spirv : support::TargetKind::OpenCl);
  Words words;
  if (shader) {
    envelope.entry = "main";
    support::SpirvCode own;
    words = lower_module(module, target, envelope, own);
    envelope.set_own(own);
  } else {
    envelope.entry = "krait_kernel";  // translators take other names for their own
    support::OpenClCode own;
    std::vector<support::OpenClParameter> parameters;
    words = lower_kernel(module, target, envelope, own, parameters);
    envelope.set_own(own);
    envelope.own.append(reinterpret_cast<const char*>(parameters.data()),
                        parameters.size() * sizeof parameters[0]);
  }
  reply.lower_ms = watch.lap();
  if (!target.features.has(support::Feature::Unvalidated) && is_known(words))
    if (std::string wrong = invalid(words, rules(dialect, words)); !wrong.empty())
      defect(fmt::format("{}\n{}", wrong, disassembled(words)));
  reply.optimise_ms = watch.lap();
  if (emit == Emit::Asm) {
    reply.data = disassembled(words);
  } else {
    envelope.code = {reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]};
    reply.data = support::seal(envelope);
  }
  reply.emit_ms = watch.lap();
  return reply;
}

}  // namespace krait::codegen::spirv
