// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness.h"

#include <gtest/gtest.h>

#include "codegen/spirv/spirv.h"
#include "ir/abi.h"
#include "ir/shared_lengths.h"
#include "ir/text.h"
#include "krait/error.h"
#include "support/meaning.h"
#include "support/wanted.h"

namespace krait::test {
namespace {

/// The validation layer watches all tests, where it is installed; what it says becomes an error (KRAIT_DEBUG).
bool watch() {
  setenv("KRAIT_DEBUG", "1", 0);
  setenv("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation", 0);
  return true;
}

struct Devices {
  bool watched = watch();
  runtime::Found found = runtime::vulkan_devices(true);
};
Devices& devices() {
  static Devices all;
  return all;
}

std::uint64_t element(const std::vector<std::byte>& data, std::size_t offset, unsigned bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, data.data() + offset, bytes);
  return bits;
}

/// The subgroup size; 32 where it is not fixed.
int warp_size(const support::Target& target) { return target.spirv.subgroup ? int(target.spirv.subgroup) : 32; }

}  // namespace

runtime::Device* device() { return devices().found.devices.empty() ? nullptr : devices().found.devices.front().get(); }

std::string why_no_device() {
  std::string text = "no Vulkan device";
  for (const std::string& s : devices().found.skipped) text += "; " + s;
  if (missing("vulkan") != skipped) ADD_FAILURE() << text;
  return text;
}

std::string compile(const ir::Module& module, std::string_view target) {
  try {
    const support::Target made_for = target.empty() ? device()->target() : support::parse_target(target).target;
    return codegen::spirv::compile(module, made_for.spirv, codegen::spirv::Dialect::Shader, codegen::Emit::Binary).data;
  } catch (const codegen::Failure& f) {
    ADD_FAILURE() << f.message;
  }
  return {};
}

ir::Module parse_kernel(std::string_view text) {
  ir::ParseResult parsed = ir::parse(text);
  EXPECT_EQ(parsed.error, "") << text;
  if (parsed.error.empty()) {
    EXPECT_EQ(ir::verify(parsed.module), "") << text;
  }
  return std::move(parsed.module);
}

std::vector<KernelArgument> run_on_device(const ir::Module& module, const ir::Launch& launch,
                                          std::vector<KernelArgument> arguments, std::string_view target) {
  runtime::Device& d = *device();
  const std::string binary = compile(module, target);
  if (binary.empty()) return arguments;
  const ir::ArgumentLayout layout = ir::argument_layout(module.kernel());
  std::vector<std::byte> block(layout.size);
  std::vector<std::uint64_t> addresses(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].data.empty()) continue;
    addresses[i] = d.allocate(arguments[i].data.size(), {});
    d.copy_to_device(addresses[i], arguments[i].data.data(), arguments[i].data.size(), {});
  }
  std::vector<ir::Argument> raw;
  for (KernelArgument& a : arguments) raw.push_back({a.bits, a.data.data(), a.extents, a.strides});
  std::string wrong;
  const ir::SharedLengths::Sizes sizes = ir::SharedLengths(module.kernel(), wrong).at(launch, raw);
  EXPECT_EQ(wrong + sizes.wrong, "");
  for (const ir::ArgumentSlot& slot : layout.slots) {
    using What = ir::ArgumentSlot::What;
    const bool length = slot.what == What::SharedLength;
    const KernelArgument& a = arguments[length ? 0 : slot.param];
    if (slot.what == What::Bytes) {
      std::memcpy(block.data() + slot.offset, a.data.data(), slot.bytes);
      continue;
    }
    const std::uint64_t bits = length                       ? std::uint64_t(sizes.lengths[slot.param])
                               : slot.what == What::Scalar  ? a.bits
                               : slot.what == What::Address ? addresses[slot.param]
                               : slot.what == What::Extent  ? std::uint64_t(a.extents[slot.dimension])
                                                            : std::uint64_t(a.strides[slot.dimension]);
    std::memcpy(block.data() + slot.offset, &bits, slot.bytes);
  }
  try {
    const auto code = d.load(std::as_bytes(std::span(binary)), module.kernel().name);
    runtime::LaunchRequest request;
    request.grid = launch.grid;
    request.block = launch.block;
    request.dynamic_shared = sizes.total;
    std::copy(sizes.bytes.begin(), sizes.bytes.end(), request.shared_bytes.begin());
    request.args = block.data();
    request.args_size = block.size();
    d.launch(*code, request);
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (addresses[i]) d.copy_to_host(arguments[i].data.data(), addresses[i], arguments[i].data.size(), {});
  } catch (const error& e) {
    ADD_FAILURE() << e.message();
  }
  for (std::uint64_t a : addresses)
    if (a) d.free(a, {});
  return arguments;
}

namespace {

/// `meant` is what the interpreter runs, `module` the device.
void expect_same(const ir::Module& meant, const ir::Module& module, ir::Launch launch,
                 const std::vector<KernelArgument>& arguments, std::string_view target) {
  launch.warp_size = warp_size(device()->target());
  std::vector<KernelArgument> expected = arguments;
  std::vector<ir::Argument> interpreted;
  for (KernelArgument& a : expected) interpreted.push_back({a.bits, a.data.data(), a.extents, a.strides});
  ASSERT_EQ(ir::interpret(meant, launch, interpreted), "") << ir::print(meant);
  const std::vector<KernelArgument> actual = run_on_device(module, launch, arguments, target);

  unsigned wrong = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ir::Type& t = module.kernel().type_of(module.kernel().params()[i]);
    const unsigned bytes = t.scalar == ir::Scalar::Void ? 1 : ir::size_of(t.scalar);
    for (std::size_t at = 0; at < expected[i].data.size(); at += bytes) {
      const std::uint64_t want = element(expected[i].data, at, bytes), have = element(actual[i].data, at, bytes);
      if (want == have || (is_nan(t.scalar, want) && is_nan(t.scalar, have))) continue;
      if (++wrong <= 8)
        ADD_FAILURE() << "argument " << i << ", element " << at / bytes << ": " << std::hex << have << " on the device, " << want
                      << " in the interpreter";
    }
  }
  EXPECT_EQ(wrong, 0u) << ir::print(module);
}

}  // namespace

void expect_as_interpreted(const ir::Module& module, ir::Launch launch, const std::vector<KernelArgument>& arguments,
                           std::string_view target) {
  expect_same(module, module, launch, arguments, target);
}

void expect_as_recorded(const ir::Module& recorded, const ir::Launch& launch, const std::vector<KernelArgument>& arguments) {
  ir::Module final = recorded;
  ASSERT_EQ(passes::run_pipeline(final, {support::TargetKind::Spirv}, true), "");
  expect_same(meaning_of(recorded), final, launch, arguments, {});
}

}  // namespace krait::test
