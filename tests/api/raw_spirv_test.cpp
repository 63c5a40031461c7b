// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels given in SPIR-V and WGSL: what is wrong with a text is told without a device.
#include "krait/raw_kernel.h"

#include <cstring>
#include <string>
#include <vector>

#include "expect.h"

namespace krait::test {
namespace {

using kr::raw_language;
using scale_type = void(float, kr::view<float>);

/// x[i] *= a; parts of it to be replaced.
struct Module {
  std::string capabilities, decorations, more_types;
  std::string modes;
  std::string block = R"(
%block_x = OpSpecConstant %u32 1
%block_y = OpSpecConstant %u32 1
%block_z = OpSpecConstant %u32 1
%block = OpSpecConstantComposite %vec3u %block_x %block_y %block_z
)";
  std::string of_block = R"(
OpDecorate %block_x SpecId 0
OpDecorate %block_y SpecId 1
OpDecorate %block_z SpecId 2
OpDecorate %block BuiltIn WorkgroupSize
)";
  std::string grid = "%vec3u", factor = "%f32", size_offset = "32";

  std::string text() const {
    return "OpCapability Shader\nOpCapability Int64\nOpCapability PhysicalStorageBufferAddresses\n" +
           capabilities +
           "OpMemoryModel PhysicalStorageBuffer64 GLSL450\nOpEntryPoint GLCompute %scale \"scale\" %launch %position" +
           modes + of_block + decorations + R"(
OpDecorate %position BuiltIn GlobalInvocationId
OpDecorate %Launch Block
OpMemberDecorate %Launch 0 Offset 0
OpMemberDecorate %Launch 1 Offset 16
OpMemberDecorate %Launch 2 Offset 24
OpMemberDecorate %Launch 3 Offset )" +
           size_offset + R"(
OpMemberDecorate %Launch 4 Offset 40
%void = OpTypeVoid
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%f32 = OpTypeFloat 32
%vec3u = OpTypeVector %u32 3
)" + more_types +
           block + "%vec3f = OpTypeVector %f32 3\n%Launch = OpTypeStruct " + grid + " " + factor +
           " %u64 %u64 %u64" + R"(
%of_launch = OpTypePointer PushConstant %Launch
%of_float = OpTypePointer PushConstant )" +
           factor + R"(
%of_word = OpTypePointer PushConstant %u64
%of_position = OpTypePointer Input %vec3u
%of_element = OpTypePointer PhysicalStorageBuffer %f32
%launch = OpVariable %of_launch PushConstant
%position = OpVariable %of_position Input
%1 = OpConstant %u32 1
%2 = OpConstant %u32 2
%3 = OpConstant %u32 3
%4 = OpConstant %u32 4
%bytes = OpConstant %u64 4
%function = OpTypeFunction %void
%scale = OpFunction %void None %function
%start = OpLabel
%at = OpLoad %vec3u %position
%at_x = OpCompositeExtract %u32 %at 0
%i = OpUConvert %u64 %at_x
%size_at = OpAccessChain %of_word %launch %3
%size = OpLoad %u64 %size_at
%inside = OpULessThan %bool %i %size
OpSelectionMerge %end None
OpBranchConditional %inside %then %end
%then = OpLabel
%a_at = OpAccessChain %of_float %launch %1
%a_given = OpLoad )" +
           factor + R"( %a_at
%a = OpBitcast %u32 %a_given
%a_value = OpBitcast %f32 %a
%memory = OpAccessChain %of_word %launch %2
%begin = OpLoad %u64 %memory
%step_at = OpAccessChain %of_word %launch %4
%step = OpLoad %u64 %step_at
%number = OpIMul %u64 %i %step
%distance = OpIMul %u64 %number %bytes
%address = OpIAdd %u64 %begin %distance
%element = OpConvertUToPtr %of_element %address
%x = OpLoad %f32 %element Aligned 4
%product = OpFMul %f32 %a_value %x
OpStore %element %product Aligned 4
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
)";
  }
};

auto raw_scale(const std::string& text, const char* entry = "scale") {
  return kr::raw_kernel<scale_type>(text, {.language = raw_language::spirv, .entry = entry});
}

/// Why SPIR-V does not run on the default device, or empty.
std::string no_vulkan() {
  const std::string target = kr::device().target();
  return target.starts_with("spirv ") ? "" : "the default device's target is " + target;
}

TEST(RawSpirv, TextAndWordsRunOnVulkan) {
  if (const std::string why = no_vulkan(); !why.empty()) GTEST_SKIP() << why;
  const auto from_text = raw_scale(Module{}.text());
  kr::array<float> x({1000});
  x.copy_from(std::vector<float>(1000, 1.0f));
  from_text.launch({8, 128}, 3.0f, x);
  auto every_second = x(kr::range(0, 1000, 2));
  from_text.forall(500)(2.0f, every_second);
  std::vector<float> on_host = x.to_host();
  EXPECT_EQ(on_host[998], 6.0f);
  EXPECT_EQ(on_host[999], 3.0f);
  from_text.launch({16, 64}, 2.0f, on_host);  // copied there and back
  EXPECT_EQ(on_host[0], 12.0f);
}

TEST(RawSpirv, BlocksThatTheModuleFixes) {
  if (const std::string why = no_vulkan(); !why.empty()) GTEST_SKIP() << why;
  Module fixed;
  fixed.block = fixed.of_block = "\n";
  fixed.modes = "\nOpExecutionMode %scale LocalSize 64 1 1\n";
  const auto scale = raw_scale(fixed.text());
  kr::array<float> x({1000});
  x.copy_from(std::vector<float>(1000, 1.0f));
  scale.launch({16, 64}, 3.0f, x);
  scale.forall(1000)(2.0f, x);
  EXPECT_EQ(x.to_host()[999], 6.0f);
  expect_usage({"kernel scale ({}): compiled for blocks of 64 × 1 × 1 threads"}, [&] {
    scale.launch({8, 128}, 3.0f, x);
  });
  Module rows;  // as GLSL's layout(local_size_x_id = 0)
  rows.block =
      "%1_y = OpConstant %u32 1\n%block_x = OpSpecConstant %u32 1\n%block = OpSpecConstantComposite %vec3u %block_x %1_y %1_y\n";
  rows.of_block = "\nOpDecorate %block_x SpecId 0\nOpDecorate %block BuiltIn WorkgroupSize\n";
  const auto of_rows = raw_scale(rows.text());
  of_rows.launch({8, 128}, 0.5f, x);
  of_rows.forall(1000)(0.5f, x);
  EXPECT_EQ(x.to_host()[999], 1.5f);
}

TEST(RawSpirv, GridsBeyondTheDevicesLimits) {
  if (const std::string why = no_vulkan(); !why.empty()) GTEST_SKIP() << why;
  if (std::string(kr::device().name()).find("llvmpipe") == std::string::npos)
    GTEST_SKIP() << "lavapipe's limit is 65,535 blocks";
  const auto scale = raw_scale(Module{}.text());
  kr::array<float> x({1});
  x.copy_from(std::vector<float>{1.0f});
  expect_usage(
      {"kernel scale ({}): its SPIR-V takes the grid as it is, but {} takes 65535 x 65535 x 65535 blocks at once: "
       "launch fewer, or "
       "declare the specialisation constant 3 (docs/raw-kernels.md)"},
      [&] {
        scale.launch({70000, 1}, 2.0f, x);
      });
  Module folded;
  folded.block += "%folded = OpSpecConstantFalse %bool\n";
  folded.of_block += "OpDecorate %folded SpecId 3\n";
  // folded into two rows, in each of which a thread is the first
  raw_scale(folded.text()).launch({70000, 1}, 0.0f, x);
  EXPECT_EQ(x.to_host()[0], 0.0f);
}

TEST(RawSpirv, ManyArgumentsLieInMemory) {
  if (const std::string why = no_vulkan(); !why.empty()) GTEST_SKIP() << why;
  const auto sum = kr::raw_kernel<void(kr::view<const int, 3>, kr::view<int, 3>, kr::view<int>)>(
      R"(
OpCapability Shader
OpCapability Int64
OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %main "main" %launch
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %Launch Block
OpMemberDecorate %Launch 0 Offset 0
OpMemberDecorate %Launch 1 Offset 16
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%vec4u = OpTypeVector %u32 4
%Launch = OpTypeStruct %vec4u %u64
%of_launch = OpTypePointer PushConstant %Launch
%of_word = OpTypePointer PushConstant %u64
%to_word = OpTypePointer PhysicalStorageBuffer %u64
%to_number = OpTypePointer PhysicalStorageBuffer %u32
%launch = OpVariable %of_launch PushConstant
%1 = OpConstant %u32 1
%last_extent = OpConstant %u64 24
%out = OpConstant %u64 112
%function = OpTypeFunction %void
%main = OpFunction %void None %function
%start = OpLabel
%block_at = OpAccessChain %of_word %launch %1
%block = OpLoad %u64 %block_at
%extent_at = OpIAdd %u64 %block %last_extent
%extent_in = OpConvertUToPtr %to_word %extent_at
%extent = OpLoad %u64 %extent_in Aligned 8
%out_at = OpIAdd %u64 %block %out
%out_in = OpConvertUToPtr %to_word %out_at
%address = OpLoad %u64 %out_in Aligned 8
%element = OpConvertUToPtr %to_number %address
%number = OpUConvert %u32 %extent
OpStore %element %number Aligned 4
OpReturn
OpFunctionEnd
)",
      {.language = raw_language::spirv, .entry = "main"});
  kr::array<int, 3> a({2, 3, 5}), b({1, 1, 1});
  kr::array<int> out({1});
  a.copy_from(std::vector<int>(30)), b.copy_from(std::vector<int>(1));
  sum.launch({1, 1}, a, b, out);
  EXPECT_EQ(out.to_host()[0], 5);
}

void expect_wrong(const std::string& text, std::initializer_list<std::string> parts,
                  const char* entry = "scale") {
  const auto kernel = raw_scale(text, entry);
  expect_error(kr::error::kind_type::compile, parts, [&] { kernel.spirv(); });
}

TEST(RawSpirv, WrongText) {
  EXPECT_NE(std::string(raw_scale(Module{}.text()).spirv()).find("OpFMul"), std::string::npos);
  expect_wrong(
      "not SPIR-V",
      {"kernel scale ({}): the text of the SPIR-V does not assemble:\n  line 1, column 1: Expected <opcode> or <result-id> "
       "at the beginning of an instruction, found 'not'."});
  expect_wrong(
      "OpCapability Shader\n",
      {"the SPIR-V is not valid for Vulkan 1.2:\n  Missing required OpMemoryModel instruction"});
  expect_wrong(Module{}.text(), {"the SPIR-V has no kernel \"main\"; it has scale"}, "main");
  Module wide;
  wide.capabilities = "OpCapability VariablePointers\n";
  expect_wrong(wide.text(),
               {"the SPIR-V needs the capability number 4442, which Krait asks no device for"});
  Module buffer;
  buffer.more_types =
      "%to_uniform = OpTypePointer Uniform %Uniform\n%uniform = OpVariable %to_uniform Uniform\n";
  buffer.more_types.insert(0, "%Uniform = OpTypeStruct %u32\n");
  buffer.decorations =
      "OpDecorate %Uniform Block\nOpMemberDecorate %Uniform 0 Offset 0\nOpDecorate %uniform DescriptorSet 0\nOpDecorate %uniform "
      "Binding 0\n";
  expect_wrong(
      buffer.text(),
      {"the SPIR-V has variables in descriptors, which a launch does not bind: reach arrays by the addresses among the "
       "arguments (PhysicalStorageBuffer)"});
  Module constants;
  constants.block += "%folded = OpSpecConstant %u32 0\n";
  constants.of_block += "OpDecorate %folded SpecId 3\n";
  expect_wrong(
      constants.text(),
      {"the specialisation constant 3 of the SPIR-V is of another type than the launch sets it to, a bool"});
  Module sizes;
  sizes.block = "%block_x = OpSpecConstant %u64 1\n";
  sizes.of_block = "\nOpDecorate %block_x SpecId 0\n";
  sizes.modes = "\nOpExecutionMode %scale LocalSize 1 1 1\n";
  expect_wrong(
      sizes.text(),
      {"the specialisation constant 0 of the SPIR-V is of another type than the launch sets it to, an integer of 32 bits"});
  Module of_integer;
  of_integer.factor = "%u32";
  EXPECT_NO_THROW(raw_scale(of_integer.text()).spirv());  // its bits
  Module shifted;
  shifted.size_offset = "36";
  expect_wrong(shifted.text(), {"the SPIR-V is not valid for Vulkan 1.2:"});
}

TEST(RawSpirv, WhatADeviceLacks) {
  Module doubles;
  doubles.capabilities = "OpCapability Float64\n";
  const auto scale = raw_scale(doubles.text());
  EXPECT_NO_THROW(scale.spirv());
  expect_error(
      kr::error::kind_type::compile,
      {"the SPIR-V needs the capability Float64, and the device lacks f64 (krait devices)"},
      [&] { scale.spirv(kr::target("spirv features=i64 subgroup=32 push=128")); });
  expect_error(kr::error::kind_type::compile,
               {"the kernel is given in SPIR-V: there is no LLVM IR to show"},
               [&] { scale.llvm(kr::target::vulkan()); });
}

TEST(RawSpirv, WrongPushConstants) {
  const auto as_integers = kr::raw_kernel<void(int, kr::view<float>)>(
      Module{}.text(), {.language = raw_language::spirv, .entry = "scale"});
  expect_error(
      kr::error::kind_type::compile,
      {"the push constants of the SPIR-V have a float of 4 bytes at 16, and the launch gives an integer of 4 bytes at "
       "16: parameter 1 "
       "(i32)"},
      [&] { as_integers.spirv(); });
  const auto of_more = kr::raw_kernel<void(float, kr::view<float>, int)>(
      Module{}.text(), {.language = raw_language::spirv, .entry = "scale"});
  expect_error(
      kr::error::kind_type::compile,
      {"the push constants of the SPIR-V end at 48, and the launch gives 56 bytes: the grid's 3 extents and a zero, of "
       "4 bytes each, then the "
       "arguments, 16 bytes further:\n  at   0: a float of 4 bytes, parameter 1 (f32)\n"},
      [&] { of_more.spirv(); });
  Module moved;  // the grid's place has a float, and the float's place the address
  moved.grid = "%vec3f";
  expect_wrong(
      moved.text(),
      {"the push constants of the SPIR-V have a float at 0, and the launch gives the grid there"});
  const auto of_none = kr::raw_kernel<void(double, std::int8_t, double, double)>(
      Module{}.text(), {.language = raw_language::spirv, .entry = "scale"});
  expect_error(
      kr::error::kind_type::compile,
      {"the push constants of the SPIR-V have a float of 4 bytes at 16, and the launch gives a float of 8 bytes at 16: "
       "parameter 1 (f64)"},
      [&] { of_none.spirv(); });
  struct Pair {
    double z[2];
  };
  const auto with_gap = kr::raw_kernel<void(float, Pair)>(
      Module{}.text(), {.language = raw_language::spirv, .entry = "scale"});
  expect_error(
      kr::error::kind_type::compile,
      {"the push constants of the SPIR-V have an integer of 8 bytes at 24, and the launch gives nothing there"},
      [&] { with_gap.spirv(); });
  const auto of_many = kr::raw_kernel<void(float, kr::view<float, 6>, int)>(
      Module{}.text(), {.language = raw_language::spirv, .entry = "scale"});
  expect_error(
      kr::error::kind_type::compile,
      {"the push constants of the SPIR-V end at 48, and the launch gives 24 bytes: the grid's 3 extents and a zero, of "
       "4 bytes each, then the "
       "address of the arguments, which are more than fit beside:\n"},
      [&] { of_many.spirv(); });
}

TEST(RawSpirv, WrongWords) {
  const std::vector<std::uint32_t> swapped = {0x03022307, 0};
  const auto kernel = kr::raw_kernel<scale_type>(
      std::span<const std::uint32_t>(swapped), {.language = raw_language::spirv, .entry = "scale"});
  expect_error(kr::error::kind_type::compile,
               {"the SPIR-V is of the other byte order: swap the bytes of its words"},
               [&] { kernel.spirv(); });
  std::string words(7, '\0');
  constexpr std::uint32_t magic = 0x07230203;
  std::memcpy(words.data(), &magic, 4);
  expect_wrong(words, {"the SPIR-V has 7 bytes: expected words of 4"});
  words.resize(20);
  expect_wrong(words, {"the SPIR-V is not valid for Vulkan 1.2:\n"});
}

// ---- WGSL ---------------------------------------------------------------------------------------

TEST(RawWgsl, WrongText) {
  const std::string overrides =
      "override block_x: u32 = 1; override block_y: u32 = 1; override block_z: u32 = 1; override folded: bool = false;\n";
  const std::string good =
      overrides + "@compute @workgroup_size(block_x, block_y, block_z) fn scale() {}\n";
  const auto shown = [](const std::string& text) {
    return std::string(
        kr::raw_kernel<scale_type>(text, {.language = raw_language::wgsl, .entry = "scale"})
            .wgsl());
  };
  EXPECT_EQ(shown(good), good);
  const auto wrong = [&](const std::string& text, const std::string& message) {
    expect_error(kr::error::kind_type::compile, {message}, [&] { shown(text); });
  };
  const auto wgsl =
      kr::raw_kernel<scale_type>(good, {.language = raw_language::wgsl, .entry = "scale"});
  expect_error(kr::error::kind_type::compile,
               {"the kernel is given in WGSL: there is no LLVM IR to show"},
               [&] { wgsl.llvm(kr::target::webgpu()); });
  wrong("fn scale() {}", "the WGSL has no kernel \"scale\", nor any other");
  wrong(
      "// @compute fn scale()\n/* /* */ @compute fn scale() */ @compute fn other() {} fn scale() {}",
      "the WGSL has no kernel \"scale\"; it has other");
  wrong("@compute fn scale() {}",
        "the WGSL has no constant block_x, which the launch sets: declare override block_x: u32;");
  wrong(good.substr(good.find("override block_z") - 27) + "", "the WGSL has no constant block_x");
  std::string unfolded = good;
  unfolded.erase(unfolded.find("override folded"),
                 std::string("override folded: bool = false;").size());
  wrong(unfolded,
        "the WGSL has no constant folded, which the launch sets: declare override folded: bool;");
}

}  // namespace
}  // namespace krait::test
