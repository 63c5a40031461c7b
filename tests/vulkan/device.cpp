// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device.h"

#include <cstdlib>

#include "codegen/spirv/spirv.h"
#include "ir/text/text.h"
#include "support/checks.h"

namespace krait::test {

runtime::Device* device() {
  // The validation layer watches all tests, where it is installed; what it says becomes an error
  // (KRAIT_DEBUG).
  static const bool watched = setenv("KRAIT_DEBUG", "1", 0) == 0 &&
                              setenv("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation", 0) == 0;
  std::string why;
  return watched ? find_device("vulkan", why) : nullptr;
}

std::string why_no_device() {
  std::string why;
  find_device("vulkan", why);
  if (missing("vulkan") != skipped) ADD_FAILURE() << why;
  return why;
}

ir::Module parse_kernel(std::string_view text) {
  ir::ParseResult parsed = ir::parse(text);
  EXPECT_EQ(parsed.error, "") << text;
  if (parsed.error.empty()) {
    EXPECT_EQ(ir::verify(parsed.module), "") << text;
  }
  return std::move(parsed.module);
}

std::string compile(const ir::Module& module, std::string_view target) {
  try {
    const support::Target made_for =
        target.empty() ? device()->target() : support::parse_target(target).target;
    return codegen::spirv::compile(module, made_for.spirv, codegen::spirv::Dialect::Shader,
                                   codegen::Emit::Binary)
        .data;
  } catch (const codegen::Failure& f) {
    ADD_FAILURE() << f.message;
  }
  return {};
}

std::string disassembled(const ir::Module& module, std::string_view target) {
  return codegen::spirv::compile(module, support::parse_target(target).target.spirv,
                                 codegen::spirv::Dialect::Shader, codegen::Emit::Asm)
      .data;
}

std::string difference_on_device(ir::Module final, const ir::Launch& launch,
                                 std::vector<Argument> arguments, std::string_view target) {
  CheckOptions options{.passes = false};
  if (!target.empty()) options.target = support::parse_target(target).target;
  Kernel kernel{std::move(final), launch, std::move(arguments)};
  kernel.launch.warp_size = warp_of(device()->target());
  kernel.module.kernel().facts.contiguous = kernel.module.kernel().flat = true;
  return check(kernel, device(), options);
}

}  // namespace krait::test
